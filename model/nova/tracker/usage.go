package tracker

import (
	"cmp"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// tracks reports whether the tracker of an instance's host counts it: it has not given up
// its place there.
//
// Source: nova/compute/vm_states.py, ALLOW_RESOURCE_REMOVAL.
func tracks(i *nova.Instance) bool {
	return i.Live() && i.VMState != nova.ShelvedOffloaded && i.Host != ""
}

// columns is what the old columns count.
type columns struct {
	vcpus, memoryMB, diskGB, instances int64
}

// addRef counts an instance by the flavor of the given ref.
func (c *columns) addRef(w World, i *nova.Instance, ref string) {
	if f, ok := w.Nova.Flavor(ref); ok {
		c.add(i, f)
	}
}

// add counts an instance by a flavor.
//
// Source: nova/compute/resource_tracker.py, _update_usage.
func (c *columns) add(i *nova.Instance, f *nova.Flavor) {
	c.vcpus += f.VCPUs
	c.memoryMB += f.MemoryMB
	gb, _ := f.DiskGB(i.BootFromVolume, false)
	c.diskGB += gb
}

// addMoved counts an instance at one end of its move, by the flavor of the given ref. If
// that is unknown, as Nova's API does not give it, it is the flavor of the instance,
// unless the move is a resize: then what the consumer of that end holds counts.
func (c *columns) addMoved(w World, m *nova.Migration, i *nova.Instance, ref string, id placement.ConsumerID) {
	held, _ := w.Placement.HeldBy(id)
	if ref != "" || m.Type != nova.Resize || len(held) == 0 {
		c.addRef(w, i, cmp.Or(ref, i.Flavor))
		return
	}
	for _, of := range held {
		c.vcpus += of[placement.VCPU] + of[placement.PCPU]
		c.memoryMB += of[placement.MemoryMB]
		c.diskGB += of[placement.DiskGB]
	}
}

// usage counts what is used of a compute node by its instances and by moves in progress.
// These count at both ends, so twice within one host: the old flavor at the source, the new
// one at the destination. The source of a failed move counts as long as the migration holds
// a claim. Of a host with several nodes, as bare metal has, each counts the consumers that
// hold something of it.
//
// Source: nova/compute/resource_tracker.py, _update_usage_from_instances,
// _update_usage_from_migrations and _update_usage_from_migration.
func (w World) usage(n *Node) columns {
	var c columns
	host := n.Host
	alone := w.alone(host)
	here := func(id placement.ConsumerID) bool { return alone || w.holdsOf(id, n.Provider()) }
	for i := range w.Nova.InstancesOn(host) {
		if !tracks(i) || !here(i.UUID) {
			continue
		}
		c.instances++
		if w.Nova.Moving(i.UUID) == nil {
			c.addRef(w, i, i.Flavor)
		}
	}
	for m := range w.Nova.MigrationsAt(host) {
		i, ok := w.Nova.Instance(m.Instance)
		if !ok || !i.Live() || !m.Status.HoldsClaim() {
			continue
		}
		if _, holds := w.Placement.Consumer(m.UUID); m.Status == nova.Error {
			if holds && m.Source == host && here(m.UUID) {
				c.addMoved(w, m, i, m.OldFlavor, m.UUID)
			}
			continue
		}
		if w.Nova.Moving(i.UUID) != m {
			continue
		}
		if m.Source == host && here(m.UUID) {
			c.addMoved(w, m, i, m.OldFlavor, m.UUID)
		}
		if m.Dest == host && here(i.UUID) {
			c.addMoved(w, m, i, m.NewFlavor, i.UUID)
		}
	}
	return c
}

// alone reports whether a host has one compute node at most.
func (w World) alone(host string) bool {
	n := 0
	for range w.Nova.ComputeNodesOf(host) {
		n++
	}
	return n <= 1
}

// holdsOf reports whether a consumer holds something of the tree of a compute node.
func (w World) holdsOf(id placement.ConsumerID, node placement.ProviderID) bool {
	held, _ := w.Placement.HeldBy(id)
	for provider := range held {
		if p, ok := w.Placement.Provider(provider); ok && w.Placement.Root(p).ID() == node {
			return true
		}
	}
	return false
}
