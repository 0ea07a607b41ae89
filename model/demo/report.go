package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// cell is the cell of all computes of a demo cloud.
const cell = "cell1"

// heartbeat is how often the services of a demo cloud report that they are up. As they do
// not really run, the report when the cloud is made must last.
const heartbeat = 365 * day

// start starts nova-compute, which reports the compute node and its own devices.
func (h *host) start(w *world) error {
	if err := h.beat(w); err != nil {
		return err
	}
	var c cloud.Change
	for _, d := range h.pci {
		c.Ops = append(c.Ops, nova.ReportPciDevice{Device: d})
	}
	if err := w.write(c); err != nil {
		return err
	}
	return h.tick(w)
}

// beat lets nova-compute report that it is up.
func (h *host) beat(w *world) error {
	return w.write(cloud.Change{Ops: h.beats()})
}

// beats returns the operations with which nova-compute reports that it is up.
func (h *host) beats() []nova.Op {
	return []nova.Op{
		nova.StartService{Host: h.name, Binary: nova.Compute, Cell: cell, Version: h.version},
		nova.ReportState{Host: h.name, Binary: nova.Compute, Every: heartbeat},
	}
}

// beats adds the events that all services have just reported, with no more in one Change
// than can be read.
func (f *fleet) beats() {
	for nodes := range slices.Chunk(f.nodes, reporters) {
		f.add(event{
			at: f.ago(20 * time.Second), actor: "nova-compute", note: fmt.Sprintf("%d services are up", len(nodes)),
			far: func() (c cloud.Change, _ error) {
				for _, h := range nodes {
					if h.far {
						c.Ops = append(c.Ops, h.beats()...)
					}
				}
				return c, nil
			},
			write: func(w *world) error {
				for _, h := range nodes {
					if h.far || h.silent {
						continue
					}
					if err := h.beat(w); err != nil {
						return err
					}
				}
				return nil
			},
		})
	}
}

// tick lets the resource tracker of h report what the driver sees.
func (h *host) tick(w *world) error {
	node, err := h.node(w)
	if err != nil {
		return err
	}
	out, err := w.tracker().Tick(node, h.tree, w.at)
	if err != nil {
		return err
	}
	return w.write(cloud.Change{Ops: append(out.Ops, out.Nova...)})
}

// node returns the compute node that the driver of h sees.
func (h *host) node(w *world) (*tracker.Node, error) {
	node, err := w.tracker().NodeOf(h.name, h.tree, conf())
	if err != nil {
		return nil, err
	}
	node.SharedStorage = h.pool != nil
	return node, nil
}

// discover lets the Cyborg agent report the cards that it finds.
func (h *host) discover(w *world) error {
	d, err := cyborg.Discover(w.snap.Cyborg(), w.snap.Placement(), h.name, h.cards)
	if err != nil {
		return err
	}
	return w.write(cloud.Change{Ops: append(d.Placement, d.Cyborg...)})
}

// Resource classes of the bandwidth of a bridge, in kilobit per second.
const (
	bandwidthOut placement.ResourceClass = "NET_BW_EGR_KILOBIT_PER_SEC"
	bandwidthIn  placement.ResourceClass = "NET_BW_IGR_KILOBIT_PER_SEC"
)

const agentSuffix = ":Open vSwitch agent"

func bridgeName(host string) string { return host + agentSuffix + ":br-physnet0" }

// bandwidth lets Neutron report the Open vSwitch agent of h and its bridge of
// 10 Gbit/s.
//
// Source: neutron/agent/common/placement_report.py.
func (h *host) bandwidth(w *world) error { return w.do(h.bandwidthOps()...) }

func (h *host) bandwidthOps() []placement.Op {
	agent := placement.ProviderID(named("neutron", h.name+agentSuffix))
	inventories := map[placement.ResourceClass]placement.Inventory{}
	for _, s := range h.bridge.stock {
		inventories[s.class] = s.inv
	}
	return []placement.Op{
		placement.CreateProvider{ID: agent, Name: h.name + agentSuffix, Parent: h.root.id},
		placement.CreateProvider{ID: h.bridge.id, Name: h.bridge.name, Parent: agent},
		placement.SetInventories{Provider: h.bridge.id, Generation: placement.Generation(0), Inventories: inventories},
		placement.SetTraits{
			Provider: h.bridge.id, Generation: placement.Generation(1),
			Traits: []placement.Trait{"CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL"},
		},
	}
}

// tag does what an operator does with a new host: it sets traits for where the host is
// and what its devices are, and adds it to its host aggregates.
func (f *fleet) tag(w *world, h *host) error {
	for _, p := range append(h.devices(), h.root) {
		if err := addTraits(w, p.id, f.marksOf(h, p.id)...); err != nil {
			return err
		}
	}
	for n := range h.numa {
		if err := w.do(h.numaOps(n)...); err != nil {
			return err
		}
	}
	for _, name := range f.aggregatesOf(h) {
		id := AggregateID(name)
		if err := w.write(cloud.Change{Ops: ops.NovaOps(w.snap, nova.AddAggregateHost{Aggregate: id, Host: h.name})}); err != nil {
			return err
		}
	}
	return nil
}

// marksOf returns the traits that an operator adds to a provider of h: where the host is,
// what flavors ask for, and the owner if the driver does not report it.
func (f *fleet) marksOf(h *host, id placement.ProviderID) []placement.Trait {
	if id == h.root.id {
		return []placement.Trait{f.rackTrait(h.rack), zoneTrait(f.zone(h.rack))}
	}
	for _, p := range h.devices() {
		switch {
		case p.id != id:
		case p.of(placement.VGPU) != nil && p.owner == placement.OwnerNova:
			return []placement.Trait{"CUSTOM_NVIDIA_20B0_A100", "HW_GPU_API_VULKAN", "HW_GPU_CUDA_SDK_V10_0", "HW_GPU_MAX_DISPLAY_HEADS_4"}
		case p.of(placement.FPGA) != nil:
			return []placement.Trait{p.owner}
		}
	}
	return nil
}

// addTraits gives a provider more traits than it has.
func addTraits(w *world, id placement.ProviderID, more ...placement.Trait) error {
	p, err := w.snap.Placement().FindProvider(id)
	if err != nil {
		return err
	}
	if len(more) == 0 {
		return nil
	}
	return w.do(placement.SetTraits{
		Provider: id, Generation: placement.Generation(p.Generation()),
		Traits: slices.Concat(w.snap.Placement().TraitsOf(p), more),
	})
}

// numaOps returns the operations that put the devices of h near NUMA node n below
// it, which neither service reports.
func (h *host) numaOps(n int) []placement.Op {
	name := fmt.Sprintf("%s_numa%d", h.name, n)
	id := placement.ProviderID(named("numa", name))
	all := []placement.Op{
		placement.CreateProvider{ID: id, Name: name, Parent: h.root.id},
		placement.SetTraits{Provider: id, Generation: placement.Generation(0), Traits: []placement.Trait{placement.HWNUMARoot, placement.OwnerNova}},
	}
	for _, p := range h.numa[n] {
		all = append(all, placement.UpdateProvider{ID: p.id, Name: p.name, Reparent: true, Parent: id})
	}
	return all
}
