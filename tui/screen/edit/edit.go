// Package edit is the forms that create, change and delete resource providers: name and
// parent, inventories, traits and aggregates, of one or of all marked.
//
// Edits are relative to what was there when the form was opened: if somebody else writes
// in the meantime, the preview shows what, and offers theirs, yours or both.
package edit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Screens declares the screens of this package.
func Screens() []screen.Declaration {
	return []screen.Declaration{
		screen.Declare(Open),
		screen.Declare(OpenNew).Called("newprovider").AsDetail().Titled("new provider").Writing(placement.CreateProvider{}).
			For("Create a provider by hand, with inventories, traits and aggregates."),
		screen.Declare(OpenDelete),
		screen.Declare(OpenText),
		screen.Declare(OpenReshape),
	}
}

// classLimit is the most characters in the line of an inventory.
const classLimit = 200

// providerForm is the form of one provider.
type providerForm struct {
	env          screen.Env
	snap         *cloud.Snapshot
	id           placement.ProviderID
	base         ops.ProviderState
	name, parent *form.Field
	classes      map[placement.ResourceClass]*form.Field
	more         *form.Field // classes that it does not have
	traits       *form.Field
	aggregates   *form.Field
}

// Open makes the screen of a place: the form of a provider, or that of several alike.
//
// Errors: placement.ErrNotFound.
func Open(env screen.Env, at place.SetProvider) (screen.Screen, error) {
	if at.Others != "" {
		return openMany(env, at)
	}
	snap := env.Cloud.Snapshot()
	base, err := ops.StateOf(snap, at.ID)
	if err != nil {
		return nil, err
	}
	f := &providerForm{env: env, snap: snap, id: at.ID, base: base, classes: map[placement.ResourceClass]*form.Field{}}
	fields := f.fields()
	a := form.Ask{
		Scope: "edit", Title: "edit " + base.Name, Section: "EDIT " + base.Name, Steps: []string{"edit", "preview"},
		Fields: form.NewFields(env.Styles, fields...), Snap: &f.snap,
		Below: func(w int) []string { return has(env.Styles, f.snap, f.id, w) },
		Edit: func() (ops.Edit, error) {
			want, err := f.want()
			return ops.Edit{Of: ops.EditableProvider{ID: f.id}, Base: base, Want: want}, err
		},
	}
	a.Fields.Focus(f.focus(fields, at.Part))
	return form.New(env, snap, a), nil
}

// fields makes the fields from the provider's current state.
func (f *providerForm) fields() []*form.Field {
	st := f.env.Styles
	f.name = form.NewField(st, "name", "its name", f.base.Name, form.NameLimit)
	f.name.Check = f.checkName
	up := ""
	if !f.base.Parent.IsZero() {
		up = f.snap.Placement().ProviderName(f.base.Parent)
	}
	f.parent = form.NewField(st, "parent", "the parent provider; empty for none", up, form.NameLimit)
	f.parent.Check = f.checkParent
	f.parent.Complete = func(text string) []string { return form.CompleteProvider(f.snap.Placement(), text) }
	fields := []*form.Field{f.name, f.parent}
	for _, class := range slices.Sorted(maps.Keys(f.base.Inventories)) {
		line := form.NewField(st, string(class), string(class)+": "+inventoryAbout+"; empty removes it", ops.InventoryText(f.base.Inventories[class]), classLimit)
		line.Check = func(text string) error { return f.checkClass(class, text) }
		line.Note = func(text string) string { return f.noteClass(class, text) }
		line.Complete = completeInventory
		f.classes[class] = line
		fields = append(fields, line)
	}
	f.more = form.NewField(st, "new class", "such as CUSTOM_GOLD=4; empty for none", "", classLimit)
	f.more.Check = f.checkMore
	f.more.Complete = func(text string) []string { return form.CompleteResources(f.snap.Placement(), text) }
	f.traits, f.aggregates = signedFields(st, &f.snap, &f.base)
	return append(fields, f.more, f.traits, f.aggregates)
}

// focus returns the field that gets the focus first.
func (f *providerForm) focus(fields []*form.Field, part place.ProviderPart) int {
	want := f.more
	switch part {
	case place.PartName:
		want = f.name
	case place.PartTraits:
		want = f.traits
	case place.PartAggregates:
		want = f.aggregates
	case place.PartInventory:
		if classes := slices.Sorted(maps.Keys(f.base.Inventories)); len(classes) > 0 {
			want = f.classes[classes[0]]
		}
	}
	for i, field := range fields {
		if field == want {
			return i
		}
	}
	return 0
}

// want returns the provider according to the fields.
func (f *providerForm) want() (ops.ProviderState, error) {
	want := f.base.Clone()
	want.Name = strings.TrimSpace(f.name.Text)
	var err error
	if want.Parent, err = form.ProviderByText(f.snap.Placement(), f.parent.Text); err != nil {
		return want, err
	}
	for class, line := range f.classes {
		inv := f.base.Inventories[class]
		if strings.TrimSpace(line.Text) == "" {
			delete(want.Inventories, class)
			continue
		}
		if err := ops.EditInventory(&inv, line.Text); err != nil {
			return want, err
		}
		want.Inventories[class] = inv
	}
	more, err := ops.ParseResources(f.more.Text)
	if err != nil && strings.TrimSpace(f.more.Text) != "" {
		return want, err
	}
	for class, total := range more {
		want.Inventories[class] = placement.NewInventory(total)
	}
	addT, dropT, err := signedTraits(f.snap, f.base.Traits, f.traits.Text)
	if err != nil {
		return want, err
	}
	addA, dropA, err := signedAggregates(f.snap, f.base.Aggregates, f.aggregates.Text)
	want.Traits, want.Aggregates = changed(want.Traits, addT, dropT), changed(want.Aggregates, addA, dropA)
	return want, err
}

// checkName refuses an empty name, or that of another provider.
func (f *providerForm) checkName(text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return &form.Fault{Text: "a provider needs a name"}
	}
	if p, ok := f.snap.Placement().ProviderByName(text); ok && p.ID() != f.id {
		return &form.Fault{Text: "is taken by another provider"}
	}
	return nil
}

// checkParent refuses a parent that does not exist, or is below the provider.
func (f *providerForm) checkParent(text string) error {
	up, err := form.ProviderByText(f.snap.Placement(), text)
	if err != nil {
		return &form.Fault{Text: "no such resource provider; leave it empty for none"}
	}
	if up == f.base.Parent {
		return nil
	}
	_, err = ops.PlanUpdateProvider(f.snap, f.id, "", true, up)
	return form.AsFault(err)
}

func (f *providerForm) checkClass(class placement.ResourceClass, text string) error {
	if strings.TrimSpace(text) == "" {
		return f.checkGone(class)
	}
	return checkInventory(f.base.Inventories[class], text)
}

// checkGone refuses to remove an inventory that is in use.
func (f *providerForm) checkGone(class placement.ResourceClass) error {
	p, ok := f.snap.Placement().Provider(f.id)
	if !ok {
		return nil
	}
	if iu, ok := p.Inventory(panel.ClassID(f.snap.Placement(), class)); ok && iu.Used > 0 {
		return &form.Fault{Text: fmt.Sprintf("%d of it are used: release them first, or reserve all of it", iu.Used)}
	}
	return nil
}

// noteClass says what capacity an inventory has, and how much of it is used.
func (f *providerForm) noteClass(class placement.ResourceClass, text string) string {
	inv := f.base.Inventories[class]
	if ops.EditInventory(&inv, text) != nil || strings.TrimSpace(text) == "" {
		return ""
	}
	note := fmt.Sprintf("capacity %d", inv.Capacity())
	if p, ok := f.snap.Placement().Provider(f.id); ok {
		if iu, ok := p.Inventory(panel.ClassID(f.snap.Placement(), class)); ok {
			note += fmt.Sprintf(", %d used", iu.Used)
			if iu.Used > inv.Capacity() {
				note += ": over-full until somebody leaves"
			}
		}
	}
	return note
}

// checkMore refuses invalid classes, and those that have a line already.
func (f *providerForm) checkMore(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	more, err := ops.ParseResources(text)
	if err != nil {
		return form.AsFault(err)
	}
	for class, total := range more {
		if _, ok := f.classes[class]; ok {
			return &form.Fault{Text: string(class) + " has a line above"}
		}
		if _, ok := f.snap.Placement().ClassID(class); !ok && !class.IsCustom() {
			return &form.Fault{Text: "no such resource class: " + string(class) + f.snap.Placement().ClassHint(class)}
		}
		if err := placement.NewInventory(total).Validate(); err != nil {
			return form.AsFault(err)
		}
	}
	return nil
}
