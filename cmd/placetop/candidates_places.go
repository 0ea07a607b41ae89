package main

import (
	"iter"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// candidateSet are candidates to print: those of Placement, or what Nova makes of them.
type candidateSet interface {
	Len() int
	Snapshot() *placement.Snapshot
	Anchor(i int) *placement.ResourceProvider
	Parts(i int) []candidates.Part
	Allocations(i int) map[placement.ProviderID]map[placement.ResourceClass]int64
	Mappings(i int) iter.Seq2[string, []*placement.ResourceProvider]
	Summaries() iter.Seq[candidates.ProviderSummary]
}

// ordered are candidates with those last that take phantom capacity.
type ordered struct {
	candidateSet
	phantoms *ops.Phantoms
	order    []int
	phantom  []string // of each candidate of candidateSet
}

// phantomsLast orders candidates for an operator.
func phantomsLast(s *cloud.Snapshot, found candidateSet) ordered {
	o := ordered{candidateSet: found, phantoms: ops.NewPhantoms(s)}
	o.order, o.phantom = o.phantoms.Order(found.Len(), found.Parts)
	return o
}

func (o ordered) Anchor(i int) *placement.ResourceProvider { return o.candidateSet.Anchor(o.order[i]) }

func (o ordered) Parts(i int) []candidates.Part { return o.candidateSet.Parts(o.order[i]) }
func (o ordered) Phantom(i int) string          { return o.phantom[o.order[i]] }

func (o ordered) Allocations(i int) map[placement.ProviderID]map[placement.ResourceClass]int64 {
	return o.candidateSet.Allocations(o.order[i])
}

func (o ordered) Mappings(i int) iter.Seq2[string, []*placement.ResourceProvider] {
	return o.candidateSet.Mappings(o.order[i])
}

// placeSet are the places of an instance, which are not only Placement's candidates: on a
// host whose disks are in a shared pool, an instance booted from a volume still gets its
// disk from the host.
type placeSet struct {
	snap   *placement.Snapshot
	places []ops.Place
}

var _ candidateSet = placeSet{}

func (p placeSet) Len() int                      { return len(p.places) }
func (p placeSet) Snapshot() *placement.Snapshot { return p.snap }
func (p placeSet) Parts(i int) []candidates.Part { return p.places[i].Parts }

func (p placeSet) Anchor(i int) *placement.ResourceProvider {
	root, _ := p.snap.Provider(p.places[i].Root) // it was found in snap
	return root
}

func (p placeSet) Allocations(i int) map[placement.ProviderID]map[placement.ResourceClass]int64 {
	return p.places[i].Allocations
}

func (p placeSet) Mappings(i int) iter.Seq2[string, []*placement.ResourceProvider] {
	return func(yield func(string, []*placement.ResourceProvider) bool) {
		for _, suffix := range slices.Sorted(maps.Keys(p.places[i].Mappings)) {
			var by []*placement.ResourceProvider
			for _, id := range p.places[i].Mappings[suffix] {
				if one, ok := p.snap.Provider(id); ok {
					by = append(by, one)
				}
			}
			if !yield(suffix, by) {
				return
			}
		}
	}
}

// Summaries yields the providers of each tree that a place takes something from, as
// candidates.Result.Summaries does.
func (p placeSet) Summaries() iter.Seq[candidates.ProviderSummary] {
	return func(yield func(candidates.ProviderSummary) bool) {
		seen := map[placement.ProviderID]bool{}
		for _, at := range p.places {
			for _, part := range at.Parts {
				root := p.snap.Root(part.Provider)
				if seen[root.ID()] {
					continue
				}
				seen[root.ID()] = true
				for _, of := range p.snap.Tree(root) {
					parent, _ := p.snap.Parent(of)
					if !yield(candidates.ProviderSummary{Provider: of, Parent: parent, Root: root, Resources: of.Inventories()}) {
						return
					}
				}
			}
		}
	}
}
