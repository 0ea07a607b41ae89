package object

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// ComputeNodeVersion returns the newest version of a ComputeNode.
func ComputeNodeVersion() versioned.Version { return classes()["ComputeNode"].version }

// CheckComputeNode returns the version in which a row of a compute node was written, and
// its pools of PCI devices. The error matches versioned.ErrNewer if a newer release wrote
// the row, or a column of it: it must be left alone.
func CheckComputeNode(row *nova.ComputeNode) (v versioned.Version, pools []*PciDevicePool, isObject bool, err error) {
	leftAlone := func(column string, err error) error {
		return fmt.Errorf("the record of compute node %s (%s) is left unchanged: column %s: %w, or upgrade placetop", row.Hostname, row.UUID, column, err)
	}
	v = ComputeNodeVersion()
	if row.ObjectVersion != "" {
		if v, err = classes()["ComputeNode"].reads(row.ObjectVersion); err != nil {
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

func computeNodeColumns(n *nova.ComputeNode) []column {
	return []column{
		{"host", &n.Host},
		{"hypervisor_hostname", &n.Hostname},
		{"hypervisor_type", &n.Type},
		{"hypervisor_version", &n.Version},
		{"vcpus", &n.VCPUs},
		{"memory_mb", &n.MemoryMB},
		{"local_gb", &n.LocalGB},
		{"vcpus_used", &n.VCPUsUsed},
		{"memory_mb_used", &n.MemoryMBUsed},
		{"local_gb_used", &n.LocalGBUsed},
		{"running_vms", &n.RunningVMs},
		{"cpu_allocation_ratio", (*ratio)(&n.CPURatio)},
		{"ram_allocation_ratio", (*ratio)(&n.RAMRatio)},
		{"disk_allocation_ratio", (*ratio)(&n.DiskRatio)},
		{"updated_at", (*millis)(&n.Updated)},
	}
}

// computeNode returns the compute node of a row in the version of the release that wrote
// it: without newer columns, and with everything that release requires.
func computeNode(s *nova.Snapshot, row *nova.ComputeNode) (*Object, error) {
	node, err := Columns(row)
	if err != nil {
		return nil, err
	}
	if err := recallOf(node, row); err != nil {
		return nil, err
	}
	// The workload is that of its instances, unless the row keeps what the service has sent.
	for field, v := range workloadOf(s, row.Host) {
		if _, set := node.Data[field]; !set {
			node.Data[field] = v
		}
	}
	version, _, _, err := CheckComputeNode(row)
	if err != nil {
		return nil, err
	}
	return lowered(s, node, version)
}

// agree sets the workload of base, the object of a row, to that of sent if it is what is
// counted, so that the row does not keep it.
func agree(s *nova.Snapshot, row *nova.ComputeNode, base, sent *Object) {
	for field, v := range workloadOf(s, row.Host) {
		if has, set := sent.Data[field]; set && reflect.DeepEqual(has, v) {
			base.Data[field] = v
		}
	}
}

// Columns returns the object of a row's columns in the newest version, which has them
// all. Errors are those of CheckComputeNode.
func Columns(row *nova.ComputeNode) (*Object, error) {
	_, pools, _, err := CheckComputeNode(row)
	if err != nil {
		return nil, err
	}
	more := Fields{"uuid": row.UUID, "free_ram_mb": row.MemoryMB - row.MemoryMBUsed, "free_disk_gb": row.LocalGB - row.LocalGBUsed}
	if row.PCIStats != "" {
		more["pci_device_pools"] = listOf(pools)
	}
	return New("ComputeNode", fieldsOf(computeNodeColumns(row), more)), nil
}

// computeNodeRow returns the row of a compute node, in the version in which it was sent.
// Before version 1.15 it is found by its host and its name, and before 1.7 only by its
// name.
func computeNodeRow(s *nova.Snapshot, sent *Object) (*nova.ComputeNode, error) {
	if err := needs(sent, "hypervisor_hostname"); err != nil {
		return nil, err
	}
	was, ok := nodeOf(s, sent)
	if ok {
		if _, _, _, err := CheckComputeNode(was); err != nil {
			return nil, err
		}
	} else if err := needs(sent, "vcpus", "memory_mb", "local_gb", "vcpus_used", "memory_mb_used", "local_gb_used", "hypervisor_type", "hypervisor_version", "host"); err != nil {
		return nil, err
	}
	row := was.Edit(func(n *nova.ComputeNode) { n.ObjectVersion = sent.Version.String() })
	if err := take(sent, computeNodeColumns(row)); err != nil {
		return nil, err
	}
	if list, set := sent.Data["pci_device_pools"]; set {
		row.PCIStats = ""
		if list != nil {
			if err := checkPools(inner(sent, "pci_device_pools")); err != nil {
				return nil, err
			}
			o, err := read(list, false)
			if err != nil {
				return nil, err
			}
			if row.PCIStats, err = poolsColumn(o, sent.Version); err != nil {
				return nil, err
			}
		}
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
func nodeOf(s *nova.Snapshot, o *Object) (*nova.ComputeNode, bool) {
	if o.Data["uuid"] != nil {
		id := placement.ProviderID(get[uuid.UUID](o, "uuid"))
		if row, ok := s.ComputeNode(id); ok {
			return row, true
		}
		return &nova.ComputeNode{UUID: id}, false
	}
	host, name := get[string](o, "host"), get[string](o, "hypervisor_hostname")
	_, set := o.Data["host"]
	for row := range s.ComputeNodes() {
		if row.Hostname == name && (!set || row.Host == host) {
			return row, true
		}
	}
	id := uuid.NewSHA1(uuid.NameSpaceDNS, []byte(strings.Join([]string{"nova-compute", host, name}, "\x00")))
	return &nova.ComputeNode{UUID: placement.ProviderID(id)}, false
}
