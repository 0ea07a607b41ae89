package tracker

import (
	"cmp"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// Node is a compute node as the tracker works on it: the versioned object, in
// which pools and columns are read whatever form they are stored in, and what
// else the ledger keeps of a hypervisor.
type Node struct {
	*objects.ComputeNode

	PCPUs         int64
	Conf          Conf              // its reserves; its ratios are fields of the object
	SharedStorage bool              // the disks of its instances are on a pool
	Capabilities  []placement.Trait // of hypervisor and processor
	GPUs          []nova.GPU

	updated  int64  // when the row was written, Unix milliseconds
	pciStats string // as the row has it
	kept     nova.Kept
}

// ReadNode returns the compute node that a row of the ledger holds, as an object of the
// version that the row was written in. The error matches versioned.ErrNewer if a newer
// release wrote the row, or a column of it: it must be left alone.
func ReadNode(row *nova.ComputeNode) (*Node, error) {
	o := objects.NewComputeNode()
	n := &Node{
		ComputeNode: o, PCPUs: row.PCPUs, SharedStorage: row.SharedStorage, updated: row.Updated, pciStats: row.PCIStats, kept: row.Kept,
		Conf: Conf{ReservedCPUs: row.ReservedCPUs, ReservedMemoryMB: row.ReservedMemoryMB, ReservedDiskMB: row.ReservedDiskMB, Said: row.ReservedMemoryMB > 0 || len(row.Capabilities) > 0},
	}
	if newer := o.ReadAs(row.ObjectVersion); newer != nil {
		return nil, leftAlone(row, "object_version", newer)
	}
	own := row.Edit(func(*nova.ComputeNode) {})
	n.Capabilities, n.GPUs = own.Capabilities, own.GPUs
	err := errors.Join(
		o.UUID.Set(uuid.UUID(row.UUID)), o.Host.Set(row.Host), o.HypervisorHostname.Set(row.Hostname),
		o.HypervisorType.Set(row.Type), o.HypervisorVersion.Set(row.Version),
		o.VCPUs.Set(row.VCPUs), o.MemoryMB.Set(row.MemoryMB), o.LocalGB.Set(row.LocalGB),
		o.VCPUsUsed.Set(row.VCPUsUsed), o.MemoryMBUsed.Set(row.MemoryMBUsed), o.LocalGBUsed.Set(row.LocalGBUsed),
		o.RunningVMs.Set(row.RunningVMs), n.setFree(),
		setRatio(&o.CPUAllocationRatio, row.CPURatio), setRatio(&o.RAMAllocationRatio, row.RAMRatio), setRatio(&o.DiskAllocationRatio, row.DiskRatio),
	)
	if row.PCIStats != "" {
		pools, newer := objects.FromPCIStats(row.PCIStats)
		if newer != nil {
			return nil, leftAlone(row, "pci_stats", newer)
		}
		err = errors.Join(err, o.PciDevicePools.Set(pools))
	}
	o.ResetAllChanges()
	return n, err
}

// setRatio sets a ratio, unless its column is not set.
func setRatio(field *object.Field[float64], ratio float64) error {
	if ratio == 0 {
		return nil
	}
	return field.Set(ratio)
}

// leftAlone is the error about a column of a row that cannot be read.
func leftAlone(row *nova.ComputeNode, column string, err error) error {
	return fmt.Errorf("the record of compute node %s (%s) is left unchanged: column %s: %w, or upgrade placetop", row.Hostname, row.UUID, column, err)
}

// Row returns the compute node as a row of the ledger, in the version in which it was
// read: an older nova-compute, which has the row too, reads what is written for it. Pools
// that were read from an object, and are as they were, stay as they are stored: their
// writer may have known more than that version has, such as the NUMA node.
func (n *Node) Row() (*nova.ComputeNode, error) {
	row := &nova.ComputeNode{
		UUID: n.Provider(), Host: n.Host.Get(), Hostname: n.HypervisorHostname.Get(), Type: n.HypervisorType.Get(), Version: n.HypervisorVersion.Get(),
		VCPUs: n.VCPUs.Get(), PCPUs: n.PCPUs, MemoryMB: n.MemoryMB.Get(), LocalGB: n.LocalGB.Get(),
		VCPUsUsed: n.VCPUsUsed.Get(), MemoryMBUsed: n.MemoryMBUsed.Get(), LocalGBUsed: n.LocalGBUsed.Get(), RunningVMs: n.RunningVMs.Get(),
		CPURatio: n.CPUAllocationRatio.Get(), RAMRatio: n.RAMAllocationRatio.Get(), DiskRatio: n.DiskAllocationRatio.Get(),
		ReservedCPUs: n.Conf.ReservedCPUs, ReservedMemoryMB: n.Conf.ReservedMemoryMB, ReservedDiskMB: n.Conf.ReservedDiskMB,
		SharedStorage: n.SharedStorage, Capabilities: n.Capabilities, GPUs: n.GPUs, Updated: n.updated,
		ObjectVersion: n.ObjectVersion().String(), Kept: n.kept,
	}
	pools, ok := n.PciDevicePools.Lookup()
	if !ok {
		return row.Edit(func(*nova.ComputeNode) {}), nil
	}
	if _, stored := pools.ReadVersion(); stored && !n.PciDevicePools.Changed() {
		row.PCIStats = n.pciStats
	} else {
		pools.ResetAllChanges() // a stored row has no pending changes
		stats, err := pools.PCIStats(n.ComputeNode)
		if err != nil {
			return nil, err
		}
		row.PCIStats = stats
	}
	return row.Edit(func(*nova.ComputeNode) {}), nil
}

// clone returns a copy of n, which can be changed without changing n.
func (n *Node) clone() (*Node, error) {
	row, err := n.Row()
	if err != nil {
		return nil, err
	}
	return ReadNode(row)
}

// Provider returns the uuid of the node's resource provider: its own.
func (n *Node) Provider() placement.ProviderID { return placement.ProviderID(n.UUID.Get()) }

// setFree sets the columns for what is free.
func (n *Node) setFree() error {
	return errors.Join(n.FreeRAMMB.Set(n.MemoryMB.Get()-n.MemoryMBUsed.Get()), n.FreeDiskGB.Set(n.LocalGB.Get()-n.LocalGBUsed.Get()))
}

// conf returns how to report the classes of the node from its columns: their ratios are
// for new inventories, with defaults for those that are 0. An old row has no columns for
// what the host reserves, so that Nova's defaults apply.
func (n *Node) conf() Conf {
	c, usual := n.Conf, DefaultConf()
	if !c.Said {
		c.ReservedCPUs = cmp.Or(c.ReservedCPUs, usual.ReservedCPUs)
		c.ReservedMemoryMB = cmp.Or(c.ReservedMemoryMB, usual.ReservedMemoryMB)
		c.ReservedDiskMB = cmp.Or(c.ReservedDiskMB, usual.ReservedDiskMB)
		c.Said = true
	}
	initial := usual.InitialRatios
	c.InitialRatios = Ratios{
		CPU: cmp.Or(n.CPUAllocationRatio.Get(), initial.CPU), RAM: cmp.Or(n.RAMAllocationRatio.Get(), initial.RAM),
		Disk: cmp.Or(n.DiskAllocationRatio.Get(), initial.Disk),
	}
	return c
}

// devices returns the PCI devices of the node for which pick returns true.
func (w World) devices(n *Node, pick func(*nova.PciDevice) bool) (*objects.PciDeviceList, error) {
	return readDevices(func(yield func(*nova.PciDevice) bool) {
		for row := range w.Nova.PciDevicesOf(n.Provider()) {
			if pick(row) && !yield(row) {
				return
			}
		}
	})
}

// readDevices returns the PCI devices in rows of the ledger.
func readDevices(rows iter.Seq[*nova.PciDevice]) (*objects.PciDeviceList, error) {
	list := objects.NewPciDeviceList()
	for row := range rows {
		d, err := ReadDevice(row)
		if err != nil {
			return nil, err
		}
		if err := list.Append(d); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ReadDevice returns the PCI device that a row of the ledger holds. The tags of its
// device spec are in extra_info.
//
// Source: nova/virt/libvirt/host.py, _get_pcidev_info, for dev_id and label.
func ReadDevice(row *nova.PciDevice) (*objects.PciDevice, error) {
	d := objects.NewPciDevice()
	err := errors.Join(
		d.Address.Set(row.Address), d.VendorID.Set(row.VendorID), d.ProductID.Set(row.ProductID),
		d.DevType.Set(objects.PciDeviceType(row.DevType)), d.Status.Set(objects.PciDeviceStatus(row.Status)),
	)
	if !row.Instance.IsZero() {
		err = errors.Join(err, d.InstanceUUID.Set(row.Instance.String()))
	}
	if row.NUMANode != nil {
		err = errors.Join(err, d.NUMANode.Set(*row.NUMANode))
	}
	if row.Parent != "" {
		err = errors.Join(err, d.ParentAddr.Set(row.Parent))
	}
	if at, wrong := pci.ParseAddress(row.Address); wrong == nil {
		err = errors.Join(err, d.DevID.Set(at.NodeDevice()), d.Label.Set("label_"+row.VendorID+"_"+row.ProductID))
	}
	if err = errors.Join(err, d.ExtraInfo.Set(row.Tags)); err != nil {
		return nil, fmt.Errorf("PCI device %s: %w", row.Address, err)
	}
	return d, nil
}
