package main

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// candidatesAnswer is the answer of GET /allocation_candidates from 1.34 on.
//
// Source: placement/handlers/allocation_candidate.py.
type candidatesAnswer struct {
	// CutAt is how many candidates any answer has at most, where there are more.
	CutAt     int                                        `json:"cut_at,omitempty"`
	Requests  []requestAnswer                            `json:"allocation_requests"`
	Summaries map[placement.ProviderID]providerInSummary `json:"provider_summaries"`
}

type requestAnswer struct {
	Allocations map[placement.ProviderID]allocationAnswer `json:"allocations"`
	Mappings    map[string][]placement.ProviderID         `json:"mappings"`
	// Phantom says why the candidate takes capacity that no guest can have; Placement
	// does not know.
	Phantom string `json:"phantom,omitempty"`
}

type allocationAnswer struct {
	Resources map[placement.ResourceClass]int64 `json:"resources"`
}

type providerInSummary struct {
	Resources map[placement.ResourceClass]classInSummary `json:"resources"`
	Traits    []placement.Trait                          `json:"traits"`
	Parent    *placement.ProviderID                      `json:"parent_provider_uuid"`
	Root      placement.ProviderID                       `json:"root_provider_uuid"`
}

type classInSummary struct {
	Capacity int64 `json:"capacity"`
	Used     int64 `json:"used"`
}

func newCandidatesAnswer(found ordered) candidatesAnswer {
	a := candidatesAnswer{Requests: []requestAnswer{}, Summaries: map[placement.ProviderID]providerInSummary{}}
	for i := range found.Len() {
		r := requestAnswer{Allocations: map[placement.ProviderID]allocationAnswer{}, Mappings: map[string][]placement.ProviderID{}, Phantom: found.Phantom(i)}
		for id, resources := range found.Allocations(i) {
			r.Allocations[id] = allocationAnswer{resources}
		}
		for suffix, providers := range found.Mappings(i) {
			for _, p := range providers {
				r.Mappings[suffix] = append(r.Mappings[suffix], p.ID())
			}
		}
		a.Requests = append(a.Requests, r)
	}
	s := found.Snapshot()
	for sum := range found.Summaries() {
		p := providerInSummary{Resources: map[placement.ResourceClass]classInSummary{}, Traits: []placement.Trait{}, Root: sum.Root.ID()}
		if sum.Parent != nil {
			id := sum.Parent.ID()
			p.Parent = &id
		}
		for _, iu := range sum.Resources {
			p.Resources[s.ClassName(iu.Class)] = classInSummary{Capacity: iu.Capacity(), Used: iu.Used}
		}
		for _, t := range sum.Provider.TraitIDs() {
			p.Traits = append(p.Traits, s.TraitName(t))
		}
		slices.Sort(p.Traits)
		a.Summaries[sum.Provider.ID()] = p
	}
	return a
}
