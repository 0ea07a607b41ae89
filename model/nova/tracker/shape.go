package tracker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// FromColumns returns what a driver would see of a compute node, as far as its
// record says: for hosts on which no driver of ours runs, and for the migration of
// the old columns. Of PCI devices the record does not say which are reported, so
// that their providers are left alone. The error matches placement.ErrInvalid.
func FromColumns(n *Node) (Tree, error) {
	t := NewTree(n.Provider(), "the record of the compute node", n.Hostname)
	conf := n.conf()
	for _, c := range []struct {
		class  placement.ResourceClass
		total  int64
		column string
	}{
		{placement.PCPU, n.PCPUs, "pcpus"},
		{placement.VCPU, n.VCPUs, "vcpus"},
		{placement.MemoryMB, n.MemoryMB, "memory_mb"},
		{placement.DiskGB, n.LocalGB, "local_gb"},
	} {
		t.Supply(conf, c.class, c.total, "column "+c.column)
	}
	for _, name := range n.Capabilities {
		t.Root.Traits = append(t.Root.Traits, Trait{name, "column capabilities"})
	}
	for _, g := range n.GPUs {
		a, err := pci.ParseAddress(g.Address)
		if err != nil {
			return Tree{}, fmt.Errorf("compute node %s: %w", t.Root.Name, err)
		}
		if g.Total <= 0 {
			t.Leave(a, PGPU, true, "no vGPU of type %s can be created on the card", g.Type)
			continue
		}
		t.AddPGPU(a, g.Type, g.Class, g.Total, "column gpus")
	}
	t.Doubts = []ReportGap{{Kind: PCI, Why: "the record of the compute node does not say which PCI devices it reports"}}
	return t, t.Finish()
}

// See takes over what a driver sees, with the configuration that it goes by, into
// the columns of the node, which is of this release from then on. What the driver
// could not tell stays.
//
// Source: nova/compute/resource_tracker.py, _copy_resources.
func (n *Node) See(t Tree, conf Conf) error {
	total := func(class placement.ResourceClass, was int64) int64 {
		if inv, ok := t.Root.Inventory(class); ok {
			return inv.Total
		}
		if slices.ContainsFunc(t.Unknown, func(u Unknown) bool { return u.Class == class }) {
			return was
		}
		return 0
	}
	n.version = object.ComputeNodeVersion()
	n.PCPUs = total(placement.PCPU, n.PCPUs)
	n.Conf = conf.reserves()
	n.Capabilities, n.GPUs = nil, nil
	for _, trait := range t.Root.Traits {
		switch trait.Name {
		case placement.ComputeNode, placement.OwnerNova, placement.ComputeStatusDisabled:
		default:
			n.Capabilities = append(n.Capabilities, trait.Name)
		}
	}
	for _, p := range t.Children {
		if p.Kind == PGPU {
			inv := p.Inventories[0]
			n.GPUs = append(n.GPUs, nova.GPU{Address: p.Address.String(), Type: p.MdevType, Total: inv.Total, Class: inv.Class})
		}
	}
	n.VCPUs, n.MemoryMB, n.LocalGB = total(placement.VCPU, n.VCPUs), total(placement.MemoryMB, n.MemoryMB), total(placement.DiskGB, n.LocalGB)
	n.CPURatio = cmp.Or(conf.Ratios.CPU, conf.InitialRatios.CPU)
	n.RAMRatio = cmp.Or(conf.Ratios.RAM, conf.InitialRatios.RAM)
	n.DiskRatio = cmp.Or(conf.Ratios.Disk, conf.InitialRatios.Disk)
	if len(t.Hypervisor) == 0 {
		return nil
	}
	kind, _ := t.Hypervisor["hypervisor_type"].(string)
	version, _ := t.Hypervisor["hypervisor_version"].(int64)
	n.Type, n.Version = cmp.Or(kind, n.Type), cmp.Or(version, n.Version)
	// What no column has is stored too, to be sent with the object.
	columns, err := object.Columns(&n.ComputeNode)
	if err != nil {
		return err
	}
	n.Kept, err = object.Keep(nil, n.Kept, object.New("ComputeNode", t.Hypervisor), columns)
	return err
}

// shape adds to what a driver sees what only Nova's records know: whether the service is
// disabled, or too old to own providers, where the disks are, and the PCI devices that
// are counted the old way.
func (w World) shape(n *Node, t Tree) (Tree, error) {
	t.Root.Traits, t.Root.Without = slices.Clone(t.Root.Traits), slices.Clone(t.Root.Without)
	svc, known := w.Nova.Service(n.Host, nova.Compute)
	if known && svc.Disabled {
		t.Root.Traits = append(t.Root.Traits, Trait{placement.ComputeStatusDisabled, disabled})
	} else if known {
		t.Root.Without = append(t.Root.Without, placement.ComputeStatusDisabled)
	}
	if known && svc.Version != 0 && svc.Version < nova.VersionOwnerNova {
		t = t.withoutOwner()
	}
	root, exists := w.Placement.Provider(n.Provider())
	if exists && w.onPool(n, root) {
		t.Root.Inventories = slices.DeleteFunc(slices.Clone(t.Root.Inventories), func(inv Inventory) bool { return inv.Class == placement.DiskGB })
	}
	if !exists {
		root = nil
	}
	var total int64
	if !t.ReportsPCI {
		total = w.legacyTotal(n, root)
	}
	switch {
	case total == 0 && t.KeepOthers: // nova-compute has no such class: somebody else reports it
	case total == 0:
		t.Root.Lacks = []placement.ResourceClass{placement.PCIDevice}
	default:
		t.Root.Inventories = slices.Clone(t.Root.Inventories)
		t.Supply(Conf{}, placement.PCIDevice, total, "PCI devices of type-PCI")
	}
	return t, t.Finish()
}

// withoutOwner returns the tree as reported by a release that does not know owners.
func (t Tree) withoutOwner() Tree {
	drop := func(traits []Trait) []Trait {
		return slices.DeleteFunc(slices.Clone(traits), func(tr Trait) bool { return strings.HasPrefix(string(tr.Name), "OWNER_") })
	}
	t.Root.Traits = drop(t.Root.Traits)
	t.Children = slices.Clone(t.Children)
	for i := range t.Children {
		t.Children[i].Traits = drop(t.Children[i].Traits)
	}
	return t
}

// legacyTotal returns how many PCI devices of a compute node are counted as PCI_DEVICE:
// from their records or, if it has none, from its pools.
func (w World) legacyTotal(n *Node, root *placement.ResourceProvider) int64 {
	var total int64
	for _, d := range w.legacyDevices(n, root) {
		if d.DevType == nova.TypePCI && d.Status != nova.DeviceRemoved && d.Status != nova.DeviceDeleted {
			total++
		}
	}
	for range w.Nova.PciDevicesOf(n.Provider()) {
		return total
	}
	for _, pool := range n.Pools {
		if kind := pool.Tags["dev_type"]; kind != nil && *kind == nova.TypePCI {
			total += pool.Count
		}
	}
	return total
}
