package tracker

import (
	"maps"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// disk returns the provider of the instance's disks: the pool that the operator has
// linked to a compute node with shared storage, or else the compute node. An instance
// booted from a volume has only ephemeral and swap disk, which is on the compute node if
// that has a disk of its own. Of several pools it is the one that the mappings name, or
// that the instance is on. On a live cloud Nova tells the size of the pool as the node's own
// disk, and only Placement, where the node has no DISK_GB, shows that it is not.
//
// Source: nova-specs, newton/approved/resource-providers-allocations.
func (d *demand) disk() placement.ProviderID {
	pools := d.pools(d.root)
	lacks := !d.node.sharesDisk() && !d.has(d.root, placement.DiskGB)
	if !lacks && (!d.node.sharesDisk() || d.inst.BootFromVolume && d.node.ownDiskGB() > 0) {
		return d.root.ID()
	}
	for _, p := range pools {
		if slices.Contains(d.inst.Mappings[""], p.ID()) {
			return p.ID()
		}
	}
	for _, p := range pools {
		if d.held[p.ID()][placement.DiskGB] > 0 {
			return p.ID()
		}
	}
	if len(pools) > 0 && (!lacks || len(pools) == 1) {
		return pools[0].ID()
	}
	return d.root.ID()
}

// OnPool reports whether the disks of the instances of a compute node are on a pool that
// is linked to it: its record says that they are shared, or that it has none itself. Such
// a node has no DISK_GB of its own, except for what instances booted from a volume hold:
// as much as that, so that the pool is not counted twice, and no more than its own disk
// has.
func (w World) OnPool(root *placement.ResourceProvider) bool {
	row, ok := w.Nova.ComputeNode(root.ID())
	return ok && row.SharesDisk() && len(w.pools(root)) > 0
}

// OwnDisk returns how much DISK_GB, in GiB, a compute node whose disks are on a pool
// can hold of its own, for instances that were booted from a volume, and how much of
// that is not held yet. It is false for a node without a pool, and for one whose only
// disk is the pool: instances have all their disks there.
func (w World) OwnDisk(root *placement.ResourceProvider) (has, free int64, ok bool) {
	if !w.OnPool(root) {
		return 0, 0, false
	}
	row, _ := w.Nova.ComputeNode(root.ID())
	used, _ := w.Placement.InventoryOf(root, placement.DiskGB)
	has = row.OwnDiskGB()
	return has, has - used.Used, has > 0
}

// onPool is OnPool for a node that may not be stored yet.
func (w World) onPool(node *Node, root *placement.ResourceProvider) bool {
	return node.sharesDisk() && len(w.pools(root)) > 0
}

// sharesDisk reports whether the node has only the disk of a pool, whether that is linked
// to it or not.
func (n *Node) sharesDisk() bool { return n.SharedStorage || n.LocalGB == 0 }

// ownDiskGB returns how much disk of its own the node can offer, in GiB.
func (n *Node) ownDiskGB() int64 { return max(n.LocalGB-n.Conf.ReservedDiskGB(), 0) }

// LocalDisk returns how much DISK_GB, in GiB, of a compute node is held by
// instances that were booted from a volume, and by their migrations.
func (w World) LocalDisk(root *placement.ResourceProvider) int64 {
	var sum int64
	for c := range w.Placement.ConsumersOf(root) {
		id := w.Nova.HolderOf(c.ID())
		if i, ok := w.Nova.Instance(id); !ok || !i.BootFromVolume {
			continue
		}
		for class, n := range w.Placement.UsedBy(c, root) {
			if w.Placement.ClassName(class) == placement.DiskGB {
				sum += n
			}
		}
	}
	return sum
}

// WithLocalDisk adds to ops those after which each compute node whose disks are on a pool
// has as much DISK_GB of its own as is in use, up to what its own disk has: more before
// ops, less after them. What is beyond that Placement refuses.
func (w World) WithLocalDisk(ops []placement.Op) []placement.Op {
	return w.withLocalDisk(ops, func(root *placement.ResourceProvider) (int64, bool) {
		row, ok := w.Nova.ComputeNode(root.ID())
		if !ok || !w.OnPool(root) {
			return 0, false
		}
		return row.OwnDiskGB(), true
	})
}

// withLocalDisk is WithLocalDisk for the compute nodes for which own returns true, with
// how much disk of their own they have, in GiB.
func (w World) withLocalDisk(ops []placement.Op, own func(*placement.ResourceProvider) (gb int64, ok bool)) []placement.Op {
	var (
		grown []placement.Op
		nodes []placement.ProviderID
	)
	more := w.moreDisk(ops)
	for _, id := range slices.SortedStableFunc(maps.Keys(more), placement.ProviderID.Compare) {
		p, ok := w.Placement.Provider(id)
		if !ok {
			continue
		}
		if has, ok := own(p); ok {
			nodes = append(nodes, id)
			grown = append(grown, w.makeRoom(p, more[id], has)...)
		}
	}
	if len(nodes) == 0 {
		return ops
	}
	all := append(grown, ops...)
	after, err := w.after(all...)
	if err != nil {
		return all // Placement will say what does not fit
	}
	for _, id := range nodes {
		all = append(all, after.takeRoom(id)...)
	}
	return all
}

// moreDisk returns by how many GiB ops change the usage of DISK_GB, by provider,
// including 0.
func (w World) moreDisk(ops []placement.Op) map[placement.ProviderID]int64 {
	more := map[placement.ProviderID]int64{}
	for _, op := range ops {
		put, ok := op.(placement.ReplaceAllocations)
		if !ok {
			continue
		}
		for _, claim := range put.Consumers {
			held, _ := w.Placement.HeldBy(claim.Consumer)
			for id, amounts := range held {
				if gb := amounts[placement.DiskGB]; gb > 0 {
					more[id] -= gb
				}
			}
			for id, amounts := range claim.Allocations {
				if gb := amounts[placement.DiskGB]; gb > 0 {
					more[id] += gb
				}
			}
		}
	}
	return more
}

// makeRoom lets a compute node offer gb more of DISK_GB, up to what it has.
func (w World) makeRoom(root *placement.ResourceProvider, gb, own int64) []placement.Op {
	has, exists := w.Placement.InventoryOf(root, placement.DiskGB)
	most := min(has.Used+gb, own)
	expect := root.Expect()
	switch {
	case gb <= 0 || most <= has.Used || exists && has.HasRoom(has.Used, gb):
		return nil
	case !exists:
		return []placement.Op{placement.AddInventory{Provider: root.ID(), Generation: expect, Class: placement.DiskGB, Inventory: units(most)}}
	}
	return []placement.Op{placement.SetInventory{Provider: root.ID(), Generation: expect, Class: placement.DiskGB, Inventory: units(most)}}
}

// takeRoom shrinks the DISK_GB of a compute node to what is in use.
func (w World) takeRoom(id placement.ProviderID) []placement.Op {
	root, ok := w.Placement.Provider(id)
	if !ok {
		return nil
	}
	has, exists := w.Placement.InventoryOf(root, placement.DiskGB)
	if !exists || has.Total <= has.Used {
		return nil
	}
	rest := map[placement.ResourceClass]placement.Inventory{}
	for _, iu := range root.Inventories() {
		rest[w.Placement.ClassName(iu.Class)] = iu.Inventory
	}
	if rest[placement.DiskGB] = shrunk(has); has.Used == 0 {
		delete(rest, placement.DiskGB)
	}
	return []placement.Op{placement.SetInventories{Provider: id, Generation: root.Expect(), Inventories: rest}}
}
