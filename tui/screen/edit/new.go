package edit

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/form"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// OpenNew makes the form of a new provider, with all that belongs to it, in one
// write.
//
// Errors: placement.ErrNotFound for an unknown parent.
func OpenNew(env screen.Env, at place.NewProvider) (screen.Screen, error) {
	st, snap := env.Styles, env.Cloud.Snapshot()
	f := &providerForm{env: env, snap: snap, id: placement.ProviderID(uuid.New()), classes: map[placement.ResourceClass]*form.Field{}}
	if !at.Parent.IsZero() {
		p, err := snap.Placement().FindProvider(at.Parent)
		if err != nil {
			return nil, err
		}
		f.base.Parent, f.base.Name = p.ID(), p.Name()+"_"
	}
	f.base.Inventories = map[placement.ResourceClass]placement.Inventory{}
	fields := f.fields()
	f.name.Grows = true // it starts with the parent's name
	f.name.Check = func(text string) error {
		if err := f.checkName(text); err != nil {
			return err
		}
		return form.AsFault(nova.CheckName("name", text))
	}
	f.parent.Check = func(text string) error {
		_, err := form.ProviderByText(f.snap.Placement(), text)
		return err
	}
	f.more.Label = "inventory"
	a := form.Ask{
		Scope: "edit", Title: "new provider", Section: "NEW PROVIDER", Steps: []string{"provider", "preview"},
		Fields: form.NewFields(st, fields...), Snap: &f.snap,
		Write: func() (confirm.Spec, error) {
			want, err := f.want()
			return confirm.Spec{
				Title: "create provider " + want.Name, Verb: "create", Makes: string(f.id[:]),
				Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return planNew(s, f.id, want) },
				Done: func(w confirm.WriteResult) tea.Cmd {
					return w.Finish(screen.Goto{To: place.Provider{ID: f.id}, Replace: true})
				},
			}, err
		},
	}
	a.Fields.Focus(0)
	return form.New(env, snap, a), nil
}

// planNew plans to create a provider with its inventory, traits and aggregates.
func planNew(s *cloud.Snapshot, id placement.ProviderID, want ops.ProviderState) (ops.Plan, error) {
	wishes := []ops.Planner{func(s *cloud.Snapshot) (ops.Plan, error) {
		return ops.PlanCreateProvider(s, id, strings.TrimSpace(want.Name), want.Parent)
	}}
	if len(want.Inventories) > 0 {
		wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanInventories(s, id, want.Inventories) })
	}
	if len(want.Traits) > 0 {
		slices.Sort(want.Traits)
		wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanTraits(s, id, want.Traits, nil) })
	}
	if len(want.Aggregates) > 0 {
		wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanAggregates(s, id, want.Aggregates, nil) })
	}
	return ops.PlanAll(s, "create resource provider "+want.Name, wishes...)
}
