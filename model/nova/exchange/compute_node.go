package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// computeNode returns the compute node of a row in the version of the release that wrote
// it: without newer columns, and with everything that release requires.
func computeNode(s *nova.Snapshot, row *nova.ComputeNode) (*objects.ComputeNode, error) {
	node, err := newestNode(row)
	if err != nil {
		return nil, err
	}
	if err := recall(node, row); err != nil {
		return nil, err
	}
	if err := work(s, node, row); err != nil {
		return nil, err
	}
	own := objects.NewComputeNode()
	if err := own.ReadAs(row.ObjectVersion); err != nil {
		return nil, err
	}
	envelope, err := objects.Bare().EncodeFor(node, object.Target{Version: own.ObjectVersion()})
	if err != nil {
		return nil, err
	}
	o, err := objects.Bare().Decode(envelope)
	if err != nil {
		return nil, err
	}
	return o.(*objects.ComputeNode), nil
}

// work sets the workload of a node from its instances, unless the row keeps what the
// service itself has sent.
func work(s *nova.Snapshot, node *objects.ComputeNode, row *nova.ComputeNode) error {
	if node.Stats.IsSet() && node.CurrentWorkload.IsSet() {
		return nil
	}
	load, counts := workload(s, row), object.Values{}
	if !node.Stats.IsSet() {
		counts["stats"] = load.Stats()
	}
	if !node.CurrentWorkload.IsSet() {
		counts["current_workload"] = load.Tasks()
	}
	err := object.Fill(node, counts)
	node.ResetAllChanges()
	return err
}

// workload counts what runs on the host of a compute node.
func workload(s *nova.Snapshot, row *nova.ComputeNode) tracker.Workload {
	return tracker.WorkloadOf(s, row.Host, func(i *nova.Instance) string {
		if strings.Contains(string(i.Kept), "os_type") {
			if o, err := Object(s, i); err == nil {
				return o.(*objects.Instance).OSType.Get()
			}
		}
		return i.Image["os_type"]
	})
}

// agree sets the workload of base, the object of a row, to that of sent if it is what is
// counted, so that the row does not keep it.
func agree(s *nova.Snapshot, row *nova.ComputeNode, base, sent *objects.ComputeNode) error {
	load, counts := workload(s, row), object.Values{}
	if stats, ok := sent.Stats.Lookup(); ok {
		counted := load.Stats()
		if maps.EqualFunc(stats, counted, func(a *string, b string) bool { return a != nil && *a == b }) {
			counts["stats"] = counted
		}
	}
	if tasks, ok := sent.CurrentWorkload.Lookup(); ok && tasks == load.Tasks() {
		counts["current_workload"] = tasks
	}
	err := object.Fill(base, counts)
	base.ResetAllChanges()
	return err
}

// newestNode returns the object of a row's columns in the current version, which has them
// all.
func newestNode(row *nova.ComputeNode) (*objects.ComputeNode, error) {
	node, err := tracker.ReadNode(row)
	if err != nil {
		return nil, err
	}
	node.Upgrade()
	err = node.UpdatedAt.SetAny(moment(row.Updated))
	node.ResetAllChanges()
	return node.ComputeNode, err
}

// computeNodeRow returns the row of a compute node, in the version in which it was sent.
// Before version 1.15 it is found by its host and its name, and before 1.7 only by its
// name.
func computeNodeRow(s *nova.Snapshot, o *objects.ComputeNode) (*nova.ComputeNode, error) {
	if err := needs(o, "hypervisor_hostname"); err != nil {
		return nil, err
	}
	was, ok := nodeOf(s, o)
	if ok {
		if _, err := tracker.ReadNode(was); err != nil {
			return nil, err
		}
	} else if err := needs(o, append(o.RequiredAtCreate(), "host")...); err != nil {
		return nil, err
	}
	row := was.Edit(func(n *nova.ComputeNode) {
		take(&n.Host, &o.Host)
		take(&n.Hostname, &o.HypervisorHostname)
		take(&n.Type, &o.HypervisorType)
		take(&n.Version, &o.HypervisorVersion)
		take(&n.VCPUs, &o.VCPUs)
		take(&n.MemoryMB, &o.MemoryMB)
		take(&n.LocalGB, &o.LocalGB)
		take(&n.VCPUsUsed, &o.VCPUsUsed)
		take(&n.MemoryMBUsed, &o.MemoryMBUsed)
		take(&n.LocalGBUsed, &o.LocalGBUsed)
		take(&n.RunningVMs, &o.RunningVMs)
		take(&n.CPURatio, &o.CPUAllocationRatio)
		take(&n.RAMRatio, &o.RAMAllocationRatio)
		take(&n.DiskRatio, &o.DiskAllocationRatio)
		takeTime(&n.Updated, &o.UpdatedAt)
		n.ObjectVersion = o.ObjectVersion().String()
	})
	if o.PciDevicePools.IsNull() {
		row.PCIStats = ""
	}
	if pools, ok := o.PciDevicePools.Lookup(); ok {
		if err := possiblePools(pools); err != nil {
			return nil, err
		}
		stats, err := pools.PCIStats(o)
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

// nodeOf returns the existing row of a compute node, or a new one.
func nodeOf(s *nova.Snapshot, o *objects.ComputeNode) (*nova.ComputeNode, bool) {
	id, known := o.UUID.Lookup()
	if known {
		if row, ok := s.ComputeNode(placement.ProviderID(id)); ok {
			return row, true
		}
		return &nova.ComputeNode{UUID: placement.ProviderID(id)}, false
	}
	for row := range s.ComputeNodes() {
		if row.Hostname == o.HypervisorHostname.Get() && (!o.Host.IsSet() || row.Host == o.Host.Get()) {
			return row, true
		}
	}
	id = objects.DeriveUUID(o.Host.Get(), o.HypervisorHostname.Get())
	return &nova.ComputeNode{UUID: placement.ProviderID(id)}, false
}
