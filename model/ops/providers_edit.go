package ops

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// ProvidersEdit is what is to become of several providers alike.
type ProvidersEdit struct {
	IDs []placement.ProviderID
	// Class is the one of which fields are set as in EditInventory; "" for none. Providers
	// that have none of it are left out.
	Class  placement.ResourceClass
	Fields string

	AddTraits, DropTraits         []placement.Trait
	AddAggregates, DropAggregates []placement.AggregateID
}

// PlanProvidersEdit plans to change several providers alike, as one Change.
//
// Errors: placement.ErrNotFound for a provider, and where none has the class;
// placement.ErrInvalid for fields that cannot be read or cannot be.
func PlanProvidersEdit(s *cloud.Snapshot, e ProvidersEdit) (Plan, error) {
	again := Planner(func(s *cloud.Snapshot) (Plan, error) {
		var wishes []Planner
		var without []string
		for _, id := range e.IDs {
			now, err := StateOf(s, id)
			if err != nil {
				return Plan{}, err
			}
			want, has, err := e.of(now)
			if err != nil {
				return Plan{}, fmt.Errorf("%s: %w", now.Name, err)
			}
			if !has {
				without = append(without, now.Name)
			}
			wishes = append(wishes, func(s *cloud.Snapshot) (Plan, error) { return planState(s, id, now, want) })
		}
		if e.Class != "" && len(without) == len(e.IDs) {
			return Plan{}, &placement.NotFoundError{What: "inventory", Name: fmt.Sprintf("%s of %s", e.Class, words.Count(len(e.IDs), "provider"))}
		}
		plan, err := PlanAll(s, "edit "+words.Count(len(e.IDs), "resource provider"), wishes...)
		for _, name := range without {
			if e.Class != "" {
				plan.Preview.Warnings = append(plan.Preview.Warnings, fmt.Sprintf("%s has no %s: that stays so", name, e.Class))
			}
		}
		return plan, err
	})
	return again.Plan(s)
}

// of returns what is to become of a provider, and whether it has the class.
func (e ProvidersEdit) of(now ProviderState) (ProviderState, bool, error) {
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
