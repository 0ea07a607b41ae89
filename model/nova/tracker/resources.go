package tracker

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Resource is how much a compute node has of a class, and how much of that its
// consumers hold.
type Resource struct {
	Class placement.ResourceClass
	placement.Inventory
	Used int64 // without what is reserved
	// Pool is the sharing provider that has it, "" for the compute node itself:
	// Used is what consumers of this node hold there, and the inventory, which
	// others use too, must not be summed over nodes.
	Pool string
}

// Resources returns what a compute node has, by class: from Placement where its
// provider has inventories, or else from the old columns. Callers need not know
// from where; only that the columns round a part of a GiB of swap down.
//
// Source: nova/objects/compute_node.py of release Newton, _from_db_object;
// nova-specs, newton/implemented/compute-node-inventory-newton.
func (w World) Resources(n *Node) ([]Resource, error) {
	root, ok := w.Placement.Provider(n.Provider())
	if !ok || len(root.Inventories()) == 0 {
		return w.fromColumns(n)
	}
	out := make([]Resource, 0, len(root.Inventories())+1)
	for _, iu := range root.Inventories() {
		out = append(out, Resource{Class: w.Placement.ClassName(iu.Class), Inventory: iu.Inventory, Used: iu.Used})
	}
	if n.sharesDisk() {
		for _, p := range w.pools(root) {
			out = append(out, w.shareOf(root, p))
		}
	}
	return sorted(out), nil
}

// shareOf returns what the consumers of a compute node hold of a pool.
func (w World) shareOf(root, pool *placement.ResourceProvider) Resource {
	id, _ := w.Placement.ClassID(placement.DiskGB)
	has, _ := pool.Inventory(id)
	r := Resource{Class: placement.DiskGB, Inventory: has.Inventory, Pool: pool.Name()}
	for c := range w.Placement.ConsumersOf(root) {
		for class, n := range w.Placement.UsedBy(c, pool) {
			if class == id {
				r.Used += n
			}
		}
	}
	return r
}

// fromColumns is Resources by the old columns.
func (w World) fromColumns(n *Node) ([]Resource, error) {
	tree, err := FromColumns(n)
	if err != nil {
		return nil, err
	}
	if tree, err = w.shape(n, tree); err != nil {
		return nil, err
	}
	used := map[placement.ResourceClass]int64{
		placement.VCPU:     n.VCPUsUsed.Get() - n.Conf.ReservedCPUs,
		placement.MemoryMB: n.MemoryMBUsed.Get() - n.Conf.ReservedMemoryMB,
		placement.DiskGB:   n.LocalGBUsed.Get() - n.Conf.ReservedDiskGB(),
	}
	out := make([]Resource, 0, len(tree.Root.Inventories))
	for _, inv := range tree.Root.Inventories {
		out = append(out, Resource{Class: inv.Class, Inventory: inv.Inventory, Used: max(0, used[inv.Class])})
	}
	return sorted(out), nil
}

func sorted(rs []Resource) []Resource {
	slices.SortStableFunc(rs, func(a, b Resource) int { return cmp.Compare(a.Class, b.Class) })
	return rs
}
