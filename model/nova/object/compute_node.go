package object

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// ComputeNodeVersion returns the newest version of a ComputeNode.
func ComputeNodeVersion() versioned.Version {
	class, _ := classOf("ComputeNode")
	return class.version
}

// CheckComputeNode returns the version in which a row of a compute node was written, and
// its pools of PCI devices. The error matches versioned.ErrNewer if a newer release wrote
// the row, or a column of it: it must be left alone.
func CheckComputeNode(row *nova.ComputeNode) (v versioned.Version, pools []*PciDevicePool, isObject bool, err error) {
	leftAlone := func(column string, err error) error {
		return fmt.Errorf("the record of compute node %s (%s) is left unchanged: column %s: %w, or upgrade placetop", row.Hostname, row.UUID, column, err)
	}
	class, _ := classOf("ComputeNode")
	v = class.version
	if row.ObjectVersion != "" {
		if v, err = class.reads("ComputeNode", row.ObjectVersion); err != nil {
			return v, nil, false, leftAlone("object_version", err)
		}
	}
	if row.PCIStats != "" {
		if pools, isObject, err = ReadPools(row.PCIStats); err != nil {
			return v, nil, false, leftAlone("pci_stats", err)
		}
	}
	return v, pools, isObject, nil
}

// computeNode returns the compute node of a row in the version of the release that wrote
// it: without newer columns, and with everything that release requires.
func computeNode(s *nova.Snapshot, row *nova.ComputeNode) (*Envelope[ComputeNode], error) {
	node, err := Columns(row)
	if err != nil {
		return nil, err
	}
	if err := recallOf(node, row); err != nil {
		return nil, err
	}
	work(s, node, row)
	version, _, _, err := CheckComputeNode(row)
	if err != nil || version == node.ObjectVersion() {
		return node, err
	}
	text, err := Encode(s, node, &version)
	if err != nil {
		return nil, err
	}
	o, err := Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	return o.(*Envelope[ComputeNode]), nil
}

// work sets the workload of a node from its instances, unless the row keeps what the
// service itself has sent.
func work(s *nova.Snapshot, node *Envelope[ComputeNode], row *nova.ComputeNode) {
	n := &node.Data
	if n.Stats.Set && n.CurrentWorkload.Set {
		return
	}
	load := workloadOf(s, row.Host)
	if !n.Stats.Set {
		n.Stats = load.stats()
	}
	if !n.CurrentWorkload.Set {
		n.CurrentWorkload = Value(&load.tasks)
	}
}

// agree sets the workload of base, the object of a row, to that of sent if it is what is
// counted, so that the row does not keep it.
func agree(s *nova.Snapshot, row *nova.ComputeNode, base, sent *Envelope[ComputeNode]) {
	load := workloadOf(s, row.Host)
	same := func(a, b *string) bool { return a != nil && *a == *b }
	if stats := load.stats(); sent.Data.Stats.V != nil && maps.EqualFunc(*sent.Data.Stats.V, *stats.V, same) {
		base.Data.Stats = stats
	}
	if tasks := sent.Data.CurrentWorkload; tasks.V != nil && *tasks.V == load.tasks {
		base.Data.CurrentWorkload = tasks
	}
}

// Columns returns the object of a row's columns in the newest version, which has them
// all. Errors are those of CheckComputeNode.
func Columns(row *nova.ComputeNode) (*Envelope[ComputeNode], error) {
	_, pools, _, err := CheckComputeNode(row)
	if err != nil {
		return nil, err
	}
	n := ComputeNode{
		Persistent: Persistent{UpdatedAt: moment(row.Updated)},
		UUID:       Value(uuid.UUID(row.UUID)), Host: Value(&row.Host), HypervisorHostname: Value(&row.Hostname),
		HypervisorType: Value(row.Type), HypervisorVersion: Value(row.Version),
		VCPUs: Value(row.VCPUs), MemoryMB: Value(row.MemoryMB), LocalGB: Value(row.LocalGB),
		VCPUsUsed: Value(row.VCPUsUsed), MemoryMBUsed: Value(row.MemoryMBUsed), LocalGBUsed: Value(row.LocalGBUsed),
		RunningVMs: Value(&row.RunningVMs), FreeRAMMB: Value(new(row.MemoryMB - row.MemoryMBUsed)), FreeDiskGB: Value(new(row.LocalGB - row.LocalGBUsed)),
		CPUAllocationRatio: ratio(row.CPURatio), RAMAllocationRatio: ratio(row.RAMRatio), DiskAllocationRatio: ratio(row.DiskRatio),
	}
	if row.PCIStats != "" {
		list := listOf(pools)
		n.PciDevicePools = Value(list)
	}
	return New(n), nil
}

// ratio is the value of a field for a ratio, unset for 0.
func ratio(v float64) Field[float64] { return Field[float64]{v, v != 0} }

// computeNodeRow returns the row of a compute node, in the version in which it was sent.
// Before version 1.15 it is found by its host and its name, and before 1.7 only by its
// name.
func computeNodeRow(s *nova.Snapshot, sent *Envelope[ComputeNode]) (*nova.ComputeNode, error) {
	if err := needs(sent, "hypervisor_hostname"); err != nil {
		return nil, err
	}
	o := sent.Data
	was, ok := nodeOf(s, o)
	if ok {
		if _, _, _, err := CheckComputeNode(was); err != nil {
			return nil, err
		}
	} else if err := needs(sent, "vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used", "hypervisor_type", "hypervisor_version", "host"); err != nil {
		return nil, err
	}
	row := was.Edit(func(n *nova.ComputeNode) {
		takeText(&n.Host, o.Host)
		takeText(&n.Hostname, o.HypervisorHostname)
		take(&n.Type, o.HypervisorType)
		take(&n.Version, o.HypervisorVersion)
		take(&n.VCPUs, o.VCPUs)
		take(&n.MemoryMB, o.MemoryMB)
		take(&n.LocalGB, o.LocalGB)
		take(&n.VCPUsUsed, o.VCPUsUsed)
		take(&n.MemoryMBUsed, o.MemoryMBUsed)
		take(&n.LocalGBUsed, o.LocalGBUsed)
		if o.RunningVMs.Set {
			n.RunningVMs = or(o.RunningVMs)
		}
		take(&n.CPURatio, o.CPUAllocationRatio)
		take(&n.RAMRatio, o.RAMAllocationRatio)
		take(&n.DiskRatio, o.DiskAllocationRatio)
		takeTime(&n.Updated, o.UpdatedAt)
		n.ObjectVersion = sent.ObjectVersion().String()
	})
	if o.PciDevicePools.Set {
		row.PCIStats = ""
	}
	if list := o.PciDevicePools.V; list != nil {
		if err := checkPools(list.Data.pools()); err != nil {
			return nil, err
		}
		stats, err := poolsColumn(list, sent.ObjectVersion())
		if err != nil {
			return nil, err
		}
		row.PCIStats = stats
	}
	return row, cmp.Or(possible(row), noTwin(s, row))
}

// possible refuses columns that no compute node can have, and that Placement would not
// accept.
func possible(row *nova.ComputeNode) error {
	for _, r := range []struct {
		of    string
		ratio float64
	}{{"cpu", row.CPURatio}, {"ram", row.RAMRatio}, {"disk", row.DiskRatio}} {
		if !(r.ratio >= 0 && r.ratio <= placement.MaxRatio) {
			return &placement.InvalidError{
				Field: "ComputeNode." + r.of + "_allocation_ratio", Value: fmt.Sprint(r.ratio), Why: fmt.Sprintf("must be from 0 to %g", placement.MaxRatio),
			}
		}
	}
	for _, col := range []struct {
		field  string
		amount int64
	}{{"vcpus", row.VCPUs}, {"memory_mb", row.MemoryMB}, {"local_gb", row.LocalGB}} {
		if col.amount < 0 || col.amount > placement.MaxInt {
			return &placement.InvalidError{Field: "ComputeNode." + col.field, Value: fmt.Sprint(col.amount), Why: fmt.Sprintf("must be from 0 to %d", placement.MaxInt)}
		}
	}
	return nil
}

// noTwin refuses a compute node if another one has the same host and name. The error is
// placement.ErrExists.
//
// Source: nova/db/main/models.py, ComputeNode,
// uniq_compute_nodes0host0hypervisor_hostname0deleted.
func noTwin(s *nova.Snapshot, row *nova.ComputeNode) error {
	for other := range s.ComputeNodesOf(row.Host) {
		if other.UUID != row.UUID && other.Hostname == row.Hostname {
			return &placement.ExistsError{What: "compute node", Field: "name", Value: row.Hostname + " on " + row.Host, Holder: other.UUID}
		}
	}
	return nil
}

// nodeOf returns the existing row of a compute node, or a new one. One without a uuid gets
// one that follows from its host and its name, so that two readers of it agree.
func nodeOf(s *nova.Snapshot, o ComputeNode) (*nova.ComputeNode, bool) {
	if o.UUID.Set {
		id := placement.ProviderID(o.UUID.V)
		if row, ok := s.ComputeNode(id); ok {
			return row, true
		}
		return &nova.ComputeNode{UUID: id}, false
	}
	host, name := or(o.Host), or(o.HypervisorHostname)
	for row := range s.ComputeNodes() {
		if row.Hostname == name && (!o.Host.Set || row.Host == host) {
			return row, true
		}
	}
	id := uuid.NewSHA1(uuid.NameSpaceDNS, []byte(strings.Join([]string{"nova-compute", host, name}, "\x00")))
	return &nova.ComputeNode{UUID: placement.ProviderID(id)}, false
}
