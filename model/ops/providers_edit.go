package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// EditableProviders is several resource providers that are changed by one Change; its
// State is a ProvidersState.
type EditableProviders struct {
	IDs []placement.ProviderID
	// Class is the one whose inventories are edited, "" for none: of a provider that has none
	// of it the plan says so.
	Class placement.ResourceClass
}

// ProvidersState is the editable part of several providers.
type ProvidersState struct {
	Providers map[placement.ProviderID]ProviderState `yaml:"providers" json:"providers"`
}

// Called implements Editable.
func (p EditableProviders) Called(*cloud.Snapshot) string {
	return words.Count(len(p.IDs), "resource provider")
}

// State implements Editable.
func (p EditableProviders) State(s *cloud.Snapshot) (State, error) {
	st := ProvidersState{map[placement.ProviderID]ProviderState{}}
	for _, id := range p.IDs {
		of, err := StateOf(s, id)
		if err != nil {
			return nil, err
		}
		st.Providers[id] = of
	}
	return st, nil
}

// PlanState implements Editable: one Change for all.
//
// Errors: those of EditableProvider.
func (p EditableProviders) PlanState(s *cloud.Snapshot, want State, _ time.Time) (Plan, error) {
	var wishes []Planner
	var without []string
	for _, id := range p.IDs {
		now, err := StateOf(s, id)
		if err != nil {
			return Plan{}, err
		}
		if _, has := now.Inventories[p.Class]; !has && p.Class != "" {
			without = append(without, now.Name)
		}
		is := want.(ProvidersState).Providers[id]
		wishes = append(wishes, func(s *cloud.Snapshot) (Plan, error) { return planState(s, id, now, is) })
	}
	plan, err := PlanAll(s, "edit "+p.Called(s), wishes...)
	plan.Preview.Warnings = append(plan.Preview.Warnings, p.lacking(without)...)
	return plan, err
}

// lacking says which providers have none of the class: a few one by one, many in a line,
// so that they do not hide what changes.
func (p EditableProviders) lacking(names []string) []string {
	const few = 3
	if len(names) > few {
		return []string{fmt.Sprintf("%d of %d have no %s: that stays so: %s", len(names), len(p.IDs), p.Class, words.First(names, few))}
	}
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("%s has no %s: that stays so", name, p.Class))
	}
	return out
}

// ProvidersEdit is one edit applied to several providers.
type ProvidersEdit struct {
	// Class is the one of which fields are set as in EditInventory; "" for none. Providers
	// that have none of it stay as they are.
	Class  placement.ResourceClass
	Fields string

	AddTraits, DropTraits         []placement.Trait
	AddAggregates, DropAggregates []placement.AggregateID
}

// Of returns base with the edit applied.
//
// Errors: placement.ErrNotFound if none has the class; placement.ErrInvalid for fields
// that cannot be read or cannot be.
func (e ProvidersEdit) Of(base ProvidersState) (ProvidersState, error) {
	want := ProvidersState{make(map[placement.ProviderID]ProviderState, len(base.Providers))}
	found := e.Class == ""
	byName := slices.SortedStableFunc(maps.Keys(base.Providers), func(a, b placement.ProviderID) int {
		return strings.Compare(base.Providers[a].Name, base.Providers[b].Name)
	})
	for _, id := range byName {
		now := base.Providers[id]
		is, has, err := e.one(now)
		if err != nil {
			return want, fmt.Errorf("%s: %w", now.Name, err)
		}
		want.Providers[id], found = is, found || has
	}
	if !found {
		return want, placement.NotFound("inventory", fmt.Sprintf("%s of %s", e.Class, words.Count(len(base.Providers), "provider")))
	}
	return want, nil
}

// one returns the edited state of a provider, and whether it has the class.
func (e ProvidersEdit) one(now ProviderState) (ProviderState, bool, error) {
	want := now.Clone()
	inv, has := want.Inventories[e.Class]
	if has {
		if err := EditInventory(&inv, e.Fields); err != nil {
			return want, true, err
		}
		if err := inv.Validate(); err != nil {
			return want, true, err
		}
		want.Inventories[e.Class] = inv
	}
	want.Traits = slices.DeleteFunc(unionOf(want.Traits, e.AddTraits), func(t placement.Trait) bool { return slices.Contains(e.DropTraits, t) })
	want.Aggregates = slices.DeleteFunc(unionOf(want.Aggregates, e.AddAggregates), func(a placement.AggregateID) bool { return slices.Contains(e.DropAggregates, a) })
	return want, has, nil
}
