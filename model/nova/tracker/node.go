package tracker

import (
	"cmp"
	"iter"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Node is a compute node as the tracker works on it: its own copy of the row, with what
// the row holds in several forms read.
type Node struct {
	nova.ComputeNode
	Conf Conf // its reserves; its ratios are columns
	// Pools are those of its free PCI devices.
	Pools []*object.PciDevicePool

	version versioned.Version // of the object that wrote it
	stale   bool              // pci_stats is not what Pools are
}

// ReadNode returns the compute node that a row of the ledger holds. The error matches
// versioned.ErrNewer if a newer release wrote the row, or a column of it: it must be left
// alone.
func ReadNode(row *nova.ComputeNode) (*Node, error) {
	version, pools, isObject, err := object.CheckComputeNode(row)
	if err != nil {
		return nil, err
	}
	return &Node{
		ComputeNode: *row.Edit(func(*nova.ComputeNode) {}), Pools: pools, version: version, stale: row.PCIStats != "" && !isObject,
		Conf: Conf{ReservedCPUs: row.ReservedCPUs, ReservedMemoryMB: row.ReservedMemoryMB, ReservedDiskMB: row.ReservedDiskMB, Said: row.ReservedMemoryMB > 0 || len(row.Capabilities) > 0},
	}, nil
}

// Row returns the compute node as a row of the ledger, in the version in which it was
// read: an older nova-compute, which has the row too, reads what is written for it. Pools
// that were read from an object, and are as they were, stay as they are stored: their
// writer may have known more than that version has, such as the NUMA node.
func (n *Node) Row() (*nova.ComputeNode, error) {
	row := n.ComputeNode.Edit(func(row *nova.ComputeNode) {
		row.ReservedCPUs, row.ReservedMemoryMB, row.ReservedDiskMB = n.Conf.ReservedCPUs, n.Conf.ReservedMemoryMB, n.Conf.ReservedDiskMB
		row.ObjectVersion = n.version.String()
	})
	if !n.stale {
		return row, nil
	}
	var err error
	row.PCIStats, err = object.PoolsColumn(n.Pools, n.version)
	return row, err
}

// clone returns a copy of n, which can be changed without changing n.
func (n *Node) clone() *Node {
	own := *n
	own.ComputeNode = *n.ComputeNode.Edit(func(*nova.ComputeNode) {})
	return &own
}

// Provider returns the uuid of the node's resource provider: its own.
func (n *Node) Provider() placement.ProviderID { return n.UUID }

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
	c.InitialRatios = Ratios{CPU: cmp.Or(n.CPURatio, initial.CPU), RAM: cmp.Or(n.RAMRatio, initial.RAM), Disk: cmp.Or(n.DiskRatio, initial.Disk)}
	return c
}

// devices returns the PCI devices of the node for which pick returns true.
func (w World) devices(n *Node, pick func(*nova.PciDevice) bool) []*nova.PciDevice {
	return slices.DeleteFunc(slices.Collect(w.Nova.PciDevicesOf(n.Provider())), func(row *nova.PciDevice) bool { return !pick(row) })
}

// pool counts the free PCI devices of the node.
func (n *Node) pool(devices iter.Seq[*nova.PciDevice]) error {
	pools, err := object.CountPools(devices)
	n.Pools, n.stale = pools, true
	return err
}
