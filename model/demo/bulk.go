package demo

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// The functions below write the same as start, discover, bandwidth and tag, for one of
// thousands of hosts. They decide on a cloud with the classes, the traits and the cell,
// but no other host, as no host affects what another reports.

// farDiscover is discover.
func (h *host) farDiscover(base *world) (cloud.Change, error) {
	own := &world{snap: base.snap, at: base.at}
	if err := own.do(placement.CreateProvider{ID: h.root.id, Name: h.name}); err != nil {
		return cloud.Change{}, err
	}
	d, err := cyborg.Discover(own.snap.Cyborg(), own.snap.Placement(), h.name, h.cards)
	if err != nil {
		return cloud.Change{}, err
	}
	h.keep(d.Cyborg)
	h.remember(d.Placement)
	return cloud.Change{Ops: append(d.Placement, d.Cyborg...)}, nil
}

// farStart is start.
func (h *host) farStart(base *world) (cloud.Change, error) {
	verbs := h.beats()
	node, err := h.node(base)
	if err != nil {
		return cloud.Change{}, err
	}
	row, err := node.Row()
	if err != nil {
		return cloud.Change{}, err
	}
	for _, d := range h.pci {
		verbs = append(verbs, nova.ReportPciDevice{Device: versioned.Clone(d)})
	}
	verbs = append(verbs, nova.ReportComputeNode{Node: row})
	next, _, err := base.snap.Nova().Apply(nova.Change{At: base.at, Ops: verbs})
	if err != nil {
		return cloud.Change{}, err
	}
	counted := tracker.World{Placement: base.snap.Placement(), Nova: next}.Count(h.name, base.at)
	if next, _, err = next.Apply(nova.Change{At: base.at, Ops: counted}); err != nil {
		return cloud.Change{}, err
	}
	h.row, _ = next.ComputeNode(row.UUID)
	report, err := tracker.Writes(base.snap.Placement(), h.tree)
	h.remember(report.Ops)
	return cloud.Change{Ops: slices.Concat(report.Ops, verbs, counted)}, err
}

// remember keeps the traits that a service has reported for the providers of h.
func (h *host) remember(reported []placement.Op) {
	for _, op := range reported {
		if set, ok := op.(placement.SetTraits); ok {
			h.traits = append(h.traits, set)
		}
	}
}

// farTag is tag.
func (f *fleet) farTag(h *host) []placement.Op {
	var all []placement.Op
	for _, set := range h.traits {
		if more := f.marksOf(h, set.Provider); len(more) > 0 {
			set.Generation, set.Traits = placement.AnyGeneration(), slices.Concat(set.Traits, more)
			all = append(all, set)
		}
	}
	h.traits = nil
	for n := range h.numa {
		all = append(all, h.numaOps(n)...)
	}
	in := placement.SetAggregates{Provider: h.root.id, Generation: placement.AnyGeneration()}
	for _, name := range f.aggregatesOf(h) {
		in.Aggregates = append(in.Aggregates, AggregateID(name))
	}
	return append(all, in)
}
