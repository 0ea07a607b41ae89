package edit

import (
	"errors"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// providersForm is the form of several providers, which are all changed alike.
type providersForm struct {
	snap                           *cloud.Snapshot
	of                             ops.EditableProviders
	base                           ops.ProvidersState // as they were when the form was opened
	class, set, traits, aggregates *form.Field
}

// openMany makes the form of several providers.
func openMany(env screen.Env, at place.SetProvider) (screen.Screen, error) {
	st := env.Styles
	f := &providersForm{snap: env.Cloud.Snapshot()}
	f.of.IDs = append([]placement.ProviderID{at.ID}, place.IDs[placement.ProviderID](at.Others)...)
	base, err := f.of.State(f.snap)
	if err != nil {
		return nil, err
	}
	f.base, _ = base.(ops.ProvidersState)
	title := "edit " + component.Plural(len(f.of.IDs), "provider")
	f.class = form.NewField(st, "class", "whose inventory to change; empty for none", string(at.Class), form.NameLimit)
	f.class.Check = f.checkClass
	f.class.Complete = func(text string) []string { return form.StartingWith(text, f.classes()) }
	f.set = form.NewField(st, "set", "of its inventory, such as reserved=2 ratio=4; the rest stays", "", classLimit)
	f.set.Check = f.checkSet
	f.set.Complete = completeInventory
	f.traits, f.aggregates = signedFields(st, &f.snap, &ops.ProviderState{})
	f.aggregates.Check, f.aggregates.Optional = f.checkLast, true
	return form.New(env, f.snap, form.Ask{
		Scope: "edit", Title: title, Section: strings.ToUpper(title), Steps: []string{"edit", "preview"},
		Fields: form.NewFields(st, f.class, f.set, f.traits, f.aggregates), Snap: &f.snap,
		Edit: func() (ops.Edit, error) {
			edit := f.edit(f.aggregates.Text)
			want, err := edit.Of(f.base)
			of := f.of
			of.Class = edit.Class
			return ops.Edit{Of: of, Base: f.base, Want: want}, err
		},
		Word: "edit",
	}), nil
}

// edit returns the edit in the form.
func (f *providersForm) edit(aggregates string) ops.ProvidersEdit {
	edit := ops.ProvidersEdit{Class: f.classOf(f.set.Text), Fields: f.set.Text}
	edit.AddTraits, edit.DropTraits, _ = signedTraits(f.snap, nil, f.traits.Text)
	edit.AddAggregates, edit.DropAggregates, _ = signedAggregates(f.snap, nil, aggregates)
	return edit
}

// classOf returns the class whose inventory gets the fields of set, "" if none changes.
func (f *providersForm) classOf(set string) placement.ResourceClass {
	if strings.TrimSpace(set) == "" {
		return ""
	}
	return placement.ResourceClass(strings.ToUpper(strings.TrimSpace(f.class.Text)))
}

// classes returns the classes that some of the providers have.
func (f *providersForm) classes() []string {
	var out []string
	for _, id := range f.of.IDs {
		if p, ok := f.snap.Placement().Provider(id); ok {
			for _, iu := range p.Inventories() {
				out = append(out, string(f.snap.Placement().ClassName(iu.Class)))
			}
		}
	}
	return out
}

func (f *providersForm) checkClass(text string) error {
	return form.OneOf(strings.ToUpper(strings.TrimSpace(text)), "class among them", f.classes())
}

func (f *providersForm) checkSet(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if f.class.Text == "" {
		return &form.Fault{Text: "of which class? name it above"}
	}
	if err := checkInventory(placement.NewInventory(placement.MaxInt), text); err != nil {
		return err
	}
	_, err := ops.ProvidersEdit{Class: f.classOf(text), Fields: text}.Of(f.base)
	if invalid := (*placement.InvalidError)(nil); errors.As(err, &invalid) { // of one of them
		name, _, _ := strings.Cut(err.Error(), ": ")
		return &form.Fault{Text: name + ": " + invalid.Why}
	}
	return form.AsFault(err)
}

// checkLast refuses a form without changes, or with impossible ones.
func (f *providersForm) checkLast(text string) error {
	if strings.TrimSpace(f.set.Text+f.traits.Text+text) == "" {
		return &form.Fault{Text: "nothing would change: give fields, traits or aggregates"}
	}
	if _, _, err := signedAggregates(f.snap, nil, text); err != nil {
		return err
	}
	_, err := f.edit(text).Of(f.base)
	return form.AsFault(err)
}
