package ops

import (
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// ProviderState is the editable part of a provider.
type ProviderState struct {
	Name        string                                          `json:"name"`
	Parent      placement.ProviderID                            `json:"parent,omitzero"` // zero for a root
	Inventories map[placement.ResourceClass]placement.Inventory `json:"inventories"`
	Traits      []placement.Trait                               `json:"traits"`     // in the order of the alphabet
	Aggregates  []placement.AggregateID                         `json:"aggregates"` // sorted
}

// StateOf returns the editable part of a provider.
//
// Errors: placement.ErrNotFound.
func StateOf(s *cloud.Snapshot, id placement.ProviderID) (ProviderState, error) {
	p, err := s.Placement().FindProvider(id)
	if err != nil {
		return ProviderState{}, err
	}
	st := ProviderState{
		Name: p.Name(), Inventories: s.Placement().ProviderRecord(p).Inventories,
		Traits: s.Placement().TraitsOf(p), Aggregates: slices.Clone(p.Aggregates()),
	}
	if up, ok := s.Placement().Parent(p); ok {
		st.Parent = up.ID()
	}
	if st.Inventories == nil {
		st.Inventories = map[placement.ResourceClass]placement.Inventory{}
	}
	return st, nil
}

// Clone returns a copy that can be changed.
func (st ProviderState) Clone() ProviderState {
	st.Inventories = maps.Clone(st.Inventories)
	st.Traits, st.Aggregates = slices.Clone(st.Traits), slices.Clone(st.Aggregates)
	return st
}

// planState plans the changes of a provider from now to want.
func planState(s *cloud.Snapshot, id placement.ProviderID, now, want ProviderState) (Plan, error) {
	var wishes []Planner
	add := func(otherwise bool, plan Planner) {
		if otherwise {
			wishes = append(wishes, plan)
		}
	}
	add(now.Name != want.Name || now.Parent != want.Parent, func(s *cloud.Snapshot) (Plan, error) {
		return PlanUpdateProvider(s, id, want.Name, now.Parent != want.Parent, want.Parent)
	})
	add(!maps.Equal(now.Inventories, want.Inventories), func(s *cloud.Snapshot) (Plan, error) {
		return PlanInventories(s, id, want.Inventories)
	})
	plusT, minusT := setDiff(now.Traits, want.Traits)
	add(len(plusT)+len(minusT) > 0, func(s *cloud.Snapshot) (Plan, error) { return PlanTraits(s, id, plusT, minusT) })
	plusA, minusA := setDiff(now.Aggregates, want.Aggregates)
	add(len(plusA)+len(minusA) > 0, func(s *cloud.Snapshot) (Plan, error) { return PlanAggregates(s, id, plusA, minusA) })
	if len(wishes) == 0 {
		return Plan{}, nil
	}
	return PlanAll(s, "edit resource provider "+now.Name, wishes...)
}

// unionOf returns what is in either list, without duplicates.
func unionOf[T comparable](a, b []T) (out []T) {
	seen := map[T]bool{}
	for _, x := range slices.Concat(a, b) {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}
