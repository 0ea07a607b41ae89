package tracker

import (
	"cmp"
	"iter"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Resource is how much a compute node has of a class, and how much of that its
// consumers hold.
type Resource struct {
	Class placement.ResourceClass
	placement.Inventory
	Used int64 // without what is reserved
}

// reported returns the provider of a compute node, and whether it has any class that the
// old columns count. An inventory of another class, made by an operator, is no report.
func (w World) reported(id placement.ProviderID) (*placement.ResourceProvider, bool) {
	root, ok := w.Placement.Provider(id)
	if !ok {
		return nil, false
	}
	for _, class := range []placement.ResourceClass{placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB} {
		if w.has(root, class) {
			return root, true
		}
	}
	return root, false
}

// Unreported yields the compute nodes whose inventories are only in the old columns. Bare
// metal, of which a host has several nodes, is reported with a custom class alone.
//
// Source: nova/virt/ironic/driver.py, update_provider_tree.
func (w World) Unreported() iter.Seq[*nova.ComputeNode] {
	return func(yield func(*nova.ComputeNode) bool) {
		for row := range w.Nova.ComputeNodes() {
			root, ok := w.reported(row.UUID)
			if !ok && root != nil && !w.alone(row.Host) {
				ok = len(root.Inventories()) > 0
			}
			if !ok && !yield(row) {
				return
			}
		}
	}
}

// Current returns a compute node as it is read: what there is of each class, and what
// is used of it beside what is kept back, follows the inventory of its provider where
// there is one, and is the old column if there is none. It reports whether any
// follows. The row of the ledger stays.
//
// Source: nova/objects/compute_node.py of release Newton, _from_db_object.
func (w World) Current(row *nova.ComputeNode) (*nova.ComputeNode, bool) {
	root, ok := w.reported(row.UUID)
	if !ok {
		return row, false
	}
	return row.Edit(func(n *nova.ComputeNode) {
		var none struct {
			used  int64
			ratio float64
		}
		for _, column := range []struct {
			class       placement.ResourceClass
			total, used *int64
			ratio       *float64
		}{
			{placement.VCPU, &n.VCPUs, &n.VCPUsUsed, &n.CPURatio},
			{placement.PCPU, &n.PCPUs, &none.used, &none.ratio},
			{placement.MemoryMB, &n.MemoryMB, &n.MemoryMBUsed, &n.RAMRatio},
			{placement.DiskGB, &n.LocalGB, &n.LocalGBUsed, &n.DiskRatio},
		} {
			if iu, ok := w.Placement.InventoryOf(root, column.class); ok {
				*column.total, *column.used, *column.ratio = iu.Total, iu.Used+iu.Reserved, iu.AllocationRatio
			}
		}
	}), true
}

// Resources returns what the old columns of a compute node say that it has, by class. They
// round a part of a GiB of swap down.
//
// Source: nova/objects/compute_node.py of release Newton, _from_db_object;
// nova-specs, newton/implemented/compute-node-inventory-newton.
func (w World) Resources(n *Node) ([]Resource, error) {
	tree, err := FromColumns(n)
	if err != nil {
		return nil, err
	}
	if tree, err = w.shape(n, tree); err != nil {
		return nil, err
	}
	conf := n.conf()
	used := map[placement.ResourceClass]int64{
		placement.VCPU:     n.VCPUsUsed - conf.ReservedCPUs,
		placement.MemoryMB: n.MemoryMBUsed - conf.ReservedMemoryMB,
		placement.DiskGB:   n.LocalGBUsed - conf.ReservedDiskGB(),
	}
	out := make([]Resource, 0, len(tree.Root.Inventories))
	for _, inv := range tree.Root.Inventories {
		out = append(out, Resource{Class: inv.Class, Inventory: inv.Inventory, Used: max(0, used[inv.Class])})
	}
	slices.SortStableFunc(out, func(a, b Resource) int { return cmp.Compare(a.Class, b.Class) })
	return out, nil
}
