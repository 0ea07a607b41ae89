package tracker

import (
	"cmp"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// tracks reports whether the tracker of an instance's host counts it: it stands on
// the host and has not given up its place there.
//
// Source: nova/compute/vm_states.py, ALLOW_RESOURCE_REMOVAL.
func tracks(i *nova.Instance) bool {
	return i.Live() && i.VMState != nova.ShelvedOffloaded && i.Host != ""
}

// moving returns the migration of an instance that is under way, nil where there
// is none.
func (w World) moving(id placement.ConsumerID) *nova.Migration {
	for m := range w.Nova.MigrationsOf(id) {
		if m.Status.UnderWay() {
			return m
		}
	}
	return nil
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

// add counts an instance by a flavor. Swap counts in whole GiB, rounded down, as
// the columns always did; Placement rounds it up.
//
// Source: nova/compute/resource_tracker.py, _update_usage.
func (c *columns) add(i *nova.Instance, f *nova.Flavor) {
	const mibPerGiB = 1024
	c.vcpus += f.VCPUs
	c.memoryMB += f.MemoryMB
	c.diskGB += f.EphemeralGB + f.SwapMB/mibPerGiB
	if !i.BootFromVolume {
		c.diskGB += f.RootGB
	}
}

// addMoved counts an instance at one end of its move: by the flavor of the given ref. Where
// nothing tells that one, as Nova's API does not, it is the flavor of the instance, which a
// resize alone changes: there what the consumer of that end holds counts.
func (c *columns) addMoved(w World, m *nova.Migration, i *nova.Instance, ref string, id placement.ConsumerID) {
	held, _ := w.holds(id)
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

// usage counts what is used of a host: by its instances, and by the moves that are
// under way, which count on both ends, twice where both are one: the old flavor where
// they come from, the new one where they go. The old place of a move that failed counts
// as long as the migration holds a claim.
//
// Source: nova/compute/resource_tracker.py, _update_usage_from_instances,
// _update_usage_from_migrations and _update_usage_from_migration.
func (w World) usage(host string) columns {
	var c columns
	for i := range w.Nova.InstancesOn(host) {
		if !tracks(i) {
			continue
		}
		c.instances++
		if w.moving(i.UUID) == nil {
			c.addRef(w, i, i.Flavor)
		}
	}
	for m := range w.Nova.MigrationsAt(host) {
		i, ok := w.Nova.Instance(m.Instance)
		if !ok || !i.Live() || !m.Status.HoldsClaim() {
			continue
		}
		if _, holds := w.Placement.Consumer(m.UUID); m.Status == nova.Error {
			if holds && m.Source == host {
				c.addMoved(w, m, i, m.OldFlavor, m.UUID)
			}
			continue
		}
		if w.moving(i.UUID) != m {
			continue
		}
		if m.Source == host {
			c.addMoved(w, m, i, m.OldFlavor, m.UUID)
		}
		if m.Dest == host {
			c.addMoved(w, m, i, m.NewFlavor, i.UUID)
		}
	}
	return c
}
