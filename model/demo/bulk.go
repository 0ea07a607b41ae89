package demo

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// What follows is what start, discover, bandwidth and tag write, for one of
// thousands of hosts: decided on a cloud that has the classes, the traits and the
// cell, and no other host, as no host changes what another reports.

// farReports returns what the services report of h.
func (h *host) farReports(base *world) (ofNova, ofCyborg, ofNeutron cloud.Change, err error) {
	if ofNova, err = h.farStart(base); err != nil {
		return ofNova, ofCyborg, ofNeutron, err
	}
	if len(h.cards) > 0 {
		own := newWorld(base.snap)
		if err = own.do(placement.CreateProvider{ID: h.root.id, Name: h.name}); err != nil {
			return ofNova, ofCyborg, ofNeutron, err
		}
		d, err := cyborg.Discover(own.snap.Cyborg(), own.snap.Placement(), h.name, h.cards, base.at)
		if err != nil {
			return ofNova, ofCyborg, ofNeutron, err
		}
		ofCyborg = cloud.Change{Ops: append(d.Placement, d.Cyborg)}
		h.keep(d.Cyborg.Records)
	}
	if h.bridge != nil {
		ofNeutron.Ops = h.bandwidthOps()
	}
	return ofNova, ofCyborg, ofNeutron, nil
}

// farStart is start.
func (h *host) farStart(base *world) (cloud.Change, error) {
	c, err := base.snap.Nova().ReportService(h.name, nova.Compute, cell, h.version, heartbeat, base.at)
	if err != nil {
		return cloud.Change{}, err
	}
	h.service = c.Records[0].After.(*nova.Service)
	node, err := h.node(base)
	if err != nil {
		return cloud.Change{}, err
	}
	row, err := node.Row()
	if err != nil {
		return cloud.Change{}, err
	}
	var seen nova.PutRecords
	for _, d := range h.pci {
		seen.Put(base.snap.Nova(), d)
	}
	seen.Put(base.snap.Nova(), row)
	next, _, err := base.snap.Nova().Apply(nova.Change{Ops: []nova.Op{seen}})
	if err != nil {
		return cloud.Change{}, err
	}
	h.row = row
	for _, r := range (tracker.World{Placement: base.snap.Placement(), Nova: next}).Count(h.name, base.at).Records {
		h.row = r.After.(*nova.ComputeNode)
	}
	for _, d := range h.pci {
		c.Put(base.snap.Nova(), d.Clone().(*nova.PciDevice))
	}
	c.Put(base.snap.Nova(), h.row)
	report, _, err := tracker.Report(base.snap.Placement(), h.tree)
	return cloud.Change{Ops: append(report.Ops, c)}, err
}

// farTag is tag; reported is what the services have reported of h.
func (f *fleet) farTag(h *host, reported []placement.Op) []placement.Op {
	var all []placement.Op
	for _, op := range reported {
		set, ok := op.(placement.SetTraits)
		if more := f.marksOf(h, set.Provider); ok && len(more) > 0 {
			set.Generation, set.Traits = placement.AnyGeneration(), slices.Concat(set.Traits, more)
			all = append(all, set)
		}
	}
	for n := range h.numa {
		all = append(all, h.numaOps(n)...)
	}
	in := placement.SetAggregates{Provider: h.root.id, Generation: placement.AnyGeneration()}
	for _, name := range f.aggregatesOf(h) {
		in.Aggregates = append(in.Aggregates, AggregateID(name))
	}
	return append(all, in)
}
