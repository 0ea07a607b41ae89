package edit

import (
	"errors"
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// OpenReshape makes the form that moves inventories of a provider to another one of its
// tree, with what is held of them.
//
// Errors: placement.ErrNotFound.
func OpenReshape(env screen.Env, at place.Reshape) (screen.Screen, error) {
	snap := env.Cloud.Snapshot()
	p, err := snap.Placement().FindProvider(at.From)
	if err != nil {
		return nil, err
	}
	st, title := env.Styles, "move inventories of "+p.Name()
	classes := form.NewField(st, "classes", "which to move, such as VCPU MEMORY_MB; their allocations move too", "", classLimit)
	to := form.NewField(st, "to", "another provider of its tree", "", form.NameLimit)
	plan := func(s *cloud.Snapshot, to string, classes []placement.ResourceClass) (ops.Plan, error) {
		target, err := form.ProviderByText(s.Placement(), to)
		if err != nil {
			return ops.Plan{}, err
		}
		plan, err := ops.PlanReshape(s, at.From, target, classes...)
		if errors.Is(err, ops.ErrHandOver) {
			err = fmt.Errorf("%w: hand it over in :owners", err)
		}
		return plan, err
	}
	classes.Check = func(text string) error {
		if len(classesOf(text)) == 0 {
			return &form.Fault{Text: "name at least one class"}
		}
		for _, class := range classesOf(text) {
			id, _ := snap.Placement().ClassID(class)
			if _, has := p.Inventory(id); !has {
				return &form.Fault{Text: p.Name() + " has no inventory of " + string(class)}
			}
		}
		return nil
	}
	classes.Complete = func(text string) []string {
		last := form.LastWord(text)
		var out []string
		for _, iu := range p.Inventories() {
			if name := string(snap.Placement().ClassName(iu.Class)); strings.HasPrefix(name, strings.ToUpper(text[last:])) {
				out = append(out, text[:last]+name)
			}
		}
		return form.First(out)
	}
	to.Check = func(text string) error {
		_, err := plan(snap, text, classesOf(classes.Text))
		return form.AsFault(err)
	}
	to.Complete = func(text string) []string {
		var out []string
		for _, q := range snap.Placement().Tree(snap.Placement().Root(p)) {
			if q.ID() != at.From && strings.HasPrefix(q.Name(), text) {
				out = append(out, q.Name())
			}
		}
		return form.First(out)
	}
	return form.New(env, snap, form.Ask{
		Scope: "reshape", Title: title, Section: "MOVE INVENTORIES OF " + p.Name(), Steps: []string{"what", "preview"},
		Fields: form.NewFields(st, classes, to), Snap: &snap,
		Write: func() (confirm.Spec, error) {
			to, classes := to.Text, classesOf(classes.Text)
			return confirm.Spec{
				Verb: "move",
				Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return plan(s, to, classes) },
				Word: func(*cloud.Snapshot, ops.Preview) string { return "move" },
			}, nil
		},
	}), nil
}

// classesOf returns the classes in a text.
func classesOf(text string) []placement.ResourceClass {
	var all []placement.ResourceClass
	for _, word := range strings.FieldsFunc(strings.ToUpper(text), separates) {
		all = append(all, placement.ResourceClass(word))
	}
	return all
}
