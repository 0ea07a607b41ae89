package tracker

import (
	"slices"
	"time"

	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/object"
	"github.com/placetop/placetop/model/versioned"
)

// Count returns the verbs by which the old columns of a host say what is used of it:
// those of its compute nodes, and which of its PCI devices are whose. A claim or release
// there writes it in the same Change, so that the next tick has nothing to write. A row
// that cannot be read, as one of a newer release, is left alone; a tick says so.
//
// Source: nova-specs, newton/approved/resource-providers-allocations;
// nova/compute/resource_tracker.py, _update.
func (w World) Count(host string, at time.Time) []nova.Op {
	var out []nova.Op
	for stored := range w.Nova.ComputeNodesOf(host) {
		own := w
		if passed := w.assign(stored); len(passed) > 0 {
			next, _, err := w.Nova.Apply(nova.Change{Ops: passed})
			if err != nil {
				return nil
			}
			own.Nova, out = next, append(out, passed...)
		}
		node, err := ReadNode(stored)
		if err != nil {
			continue
		}
		if op, err := own.counted(node, at); err == nil {
			out = append(out, op...)
		}
	}
	return out
}

// counted returns the operation that reports a node with its old columns recounted at the
// given time; none if they have not changed.
func (w World) counted(n *Node, at time.Time) ([]nova.Op, error) {
	if err := w.count(n); err != nil {
		return nil, err
	}
	row, err := n.Row()
	if err != nil {
		return nil, err
	}
	stored, ok := w.Nova.ComputeNode(row.UUID)
	if ok {
		row.Updated = stored.Updated
		if ledger.Equal(stored, row) {
			return nil, nil
		}
	}
	row.Updated = versioned.Millis(at)
	return []nova.Op{nova.ReportComputeNode{Node: row, Read: stored}}, nil
}

// count sets the old columns of the node: what is used, and the pools of its free PCI
// devices, which are counted from their records if there are any. The workload
// that a service once sent is dropped: it follows from its instances.
func (w World) count(n *Node) error {
	n.Kept = object.Forget(n.Kept, "stats", "current_workload")
	n.use(w.usage(n))
	for range w.Nova.PciDevicesOf(n.Provider()) {
		return n.pool(w.Nova.PciDevicesOf(n.Provider()))
	}
	return nil
}

// use sets the columns for what is used, in addition to what the host reserves.
func (n *Node) use(c columns) {
	conf := n.conf()
	n.VCPUsUsed, n.MemoryMBUsed = conf.ReservedCPUs+c.vcpus, conf.ReservedMemoryMB+c.memoryMB
	n.LocalGBUsed, n.RunningVMs = conf.ReservedDiskGB()+c.diskGB, c.instances
}

// Landing is an instance that has landed on a host, and its flavor.
type Landing struct {
	Instance *nova.Instance
	Flavor   *nova.Flavor
}

// Landed returns a row as it is once all have landed there, with the remaining PCI
// devices of its host: the result of Count, for a host that no ledger knows yet.
func Landed(row *nova.ComputeNode, all []Landing, devices []*nova.PciDevice) (*nova.ComputeNode, error) {
	var c columns
	for _, l := range all {
		c.add(l.Instance, l.Flavor)
	}
	is := row.Edit(func(row *nova.ComputeNode) {
		row.VCPUsUsed += c.vcpus
		row.MemoryMBUsed += c.memoryMB
		row.LocalGBUsed += c.diskGB
		row.RunningVMs += int64(len(all))
	})
	if len(devices) == 0 {
		return is, nil
	}
	n, err := ReadNode(is)
	if err != nil {
		return nil, err
	}
	if err := n.pool(slices.Values(devices)); err != nil {
		return nil, err
	}
	return n.Row()
}
