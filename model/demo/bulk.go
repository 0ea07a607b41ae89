package demo

import (
	"slices"
	"strconv"
	"strings"

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
func (f *fleet) farStart(h *host, base *world) (cloud.Change, error) {
	row, err := f.farRow(h, base)
	if err != nil {
		return cloud.Change{}, err
	}
	h.row = row
	verbs := h.beats()
	for _, d := range h.pci {
		verbs = append(verbs, nova.ReportPciDevice{Device: versioned.Clone(d)})
	}
	report, err := tracker.Writes(base.snap.Placement(), h.tree)
	h.remember(report.Ops)
	return cloud.Change{Ops: slices.Concat(report.Ops, append(verbs, nova.ReportComputeNode{Node: row}))}, err
}

// shape is what the record of a new compute node depends on, apart from which host it is.
type shape struct {
	kind   kind
	newCPU bool
}

// pattern is the first far host of a shape, with its record as it was then.
type pattern struct {
	*host
	row *nova.ComputeNode
}

// farRow returns the record of the compute node of h after its first report. It is decided
// for one host of each shape; the others get a copy under their own name and address.
func (f *fleet) farRow(h *host, base *world) (*nova.ComputeNode, error) {
	like, ok := f.shapes[h.shape]
	if !ok {
		row, err := h.reported(base)
		if err == nil {
			f.shapes[h.shape] = pattern{h, row}
		}
		return row, err
	}
	return like.row.Edit(func(row *nova.ComputeNode) {
		row.UUID, row.Host, row.Hostname, row.Updated = h.root.id, h.name, h.name, versioned.Millis(base.at)
		row.Kept = nova.Kept(strings.Replace(string(row.Kept), strconv.Quote(like.ip.String()), strconv.Quote(h.ip.String()), 1))
	}), nil
}

// reported decides on the record of the compute node of h after its first report.
func (h *host) reported(base *world) (*nova.ComputeNode, error) {
	node, err := h.node(base)
	if err != nil {
		return nil, err
	}
	row, err := node.Row()
	if err != nil {
		return nil, err
	}
	var verbs []nova.Op
	for _, d := range h.pci {
		verbs = append(verbs, nova.ReportPciDevice{Device: versioned.Clone(d)})
	}
	next, _, err := base.snap.Nova().Apply(nova.Change{At: base.at, Ops: append(verbs, nova.ReportComputeNode{Node: row})})
	if err != nil {
		return nil, err
	}
	counted := tracker.World{Placement: base.snap.Placement(), Nova: next}.Count(h.name, base.at)
	if next, _, err = next.Apply(nova.Change{At: base.at, Ops: counted}); err != nil {
		return nil, err
	}
	row, _ = next.ComputeNode(row.UUID)
	return row, nil
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
