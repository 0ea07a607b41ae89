package tracker_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// A row that is read and written again is the same row.
func TestNodeRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := func(label string) int64 { return rapid.Int64Range(0, 1<<31-1).Draw(r, label) }
		row := &nova.ComputeNode{
			UUID: nodeID(1), Host: "h", Hostname: "n", Type: rapid.StringMatching("[A-Za-z]{0,8}").Draw(r, "type"), Version: n("version"),
			VCPUs: n("vcpus"), PCPUs: n("pcpus"), MemoryMB: n("memory"), LocalGB: n("disk"),
			VCPUsUsed: n("vcpus used"), MemoryMBUsed: n("memory used"), LocalGBUsed: n("disk used"), RunningVMs: n("vms"),
			CPURatio: rapid.Float64Range(0, 100).Draw(r, "cpu ratio"), RAMRatio: rapid.Float64Range(0, 100).Draw(r, "ram ratio"),
			DiskRatio: rapid.Float64Range(0, 100).Draw(r, "disk ratio"), ReservedCPUs: n("reserved cpus"), ReservedMemoryMB: n("reserved memory"),
			ReservedDiskMB: n("reserved disk"), SharedStorage: rapid.Bool().Draw(r, "shared"), Updated: n("updated"),
			ObjectVersion: rapid.SampledFrom([]string{"1.10", "1.14", "1.19"}).Draw(r, "object version"),
			Capabilities:  []placement.Trait{"COMPUTE_VOLUME_ATTACH"}, GPUs: []nova.GPU{{Address: gpu, Type: "nvidia-35", Total: n("vgpus"), Class: "CUSTOM_A"}},
		}
		node := must.Get(tracker.ReadNode(row))(r)
		back := must.Get(node.Row())(r)
		if diff := cmp.Diff(row, back); diff != "" {
			r.Fatal(diff)
		}
	})
}

// The pools of a row can be read in every form in which they were ever stored: each
// counts as PCI_DEVICE, and the first tick stores it in the current form.
func TestPoolsInEveryStoredForm(t *testing.T) {
	t.Parallel()
	for name, stats := range map[string]string{
		"a list of dicts": `[{"product_id":"1eb8","vendor_id":"10de","count":3,"dev_type":"type-PCI"},{"product_id":"1eb8","vendor_id":"10de","count":9,"dev_type":"type-VF"}]`,
		"one dict":        `{"product_id":"1eb8","vendor_id":"10de","numa_node":null,"count":3,"dev_type":"type-PCI"}`,
		"an object of 1.0": `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":{"objects":[
			{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.0","nova_object.data":
			{"product_id":"1eb8","vendor_id":"10de","count":3,"tags":{"dev_type":"type-PCI"}}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRegion(t, service("cmp1", 73), host(1, func(n *nova.ComputeNode) { n.PCIStats = stats }))
			r.settled("cmp1")
			if inv, _ := r.inventory("cmp1", placement.PCIDevice); inv.Total != 3 || inv.MaxUnit != 3 {
				t.Errorf("PCI_DEVICE %+v, want total 3", inv.Inventory)
			}
			row, _ := r.Nova.ComputeNode(nodeID(1))
			var stored map[string]any
			if err := json.Unmarshal([]byte(row.PCIStats), &stored); err != nil || stored["nova_object.name"] != "PciDevicePoolList" {
				t.Errorf("stored as %s", row.PCIStats)
			}
		})
	}
}

// If there are records of devices, the pools are counted from them.
func TestPoolsAreCounted(t *testing.T) {
	t.Parallel()
	device := func(address, status string) *nova.PciDevice {
		return &nova.PciDevice{ComputeNode: nodeID(1), Address: address, VendorID: "10de", ProductID: "1eb8", DevType: "type-PCI", Status: status, Tags: map[string]string{"physical_network": "a"}}
	}
	r := newRegion(t, service("cmp1", 73), host(1, func(n *nova.ComputeNode) { n.PCIStats = "no JSON" }),
		device("0000:84:00.0", "available"), device("0000:85:00.0", "allocated"), device("0000:86:00.0", "removed"))
	r.settled("cmp1")
	pools := r.node("cmp1").Pools
	if len(pools) != 1 {
		t.Fatalf("%d pools", len(pools))
	}
	want := map[string]any{"product_id": "1eb8", "vendor_id": "10de", "numa_node": nil, "count": int64(1), "dev_type": "type-PCI", "physical_network": "a"}
	must.Match(t, want, pools[0].Flat())
	if inv, _ := r.inventory("cmp1", placement.PCIDevice); inv.Total != 2 {
		t.Errorf("PCI_DEVICE %+v, want 2: free or not, but there", inv.Inventory)
	}
	for d := range r.Nova.PciDevicesOf(nodeID(1)) {
		gone := versioned.Clone(d)
		gone.Status = "removed"
		r.put(gone)
	}
	r.settled("cmp1")
	if _, ok := r.inventory("cmp1", placement.PCIDevice); ok {
		t.Error("PCI_DEVICE is still there")
	}
}

// Compute nodes of an old release and of this one write their rows side by side. Both are
// read correctly, and what is written for the old one, when an instance lands on its
// host, is in the form that it can read.
func TestOldAndNewComputeNodes(t *testing.T) {
	t.Parallel()
	const dicts = `[{"product_id":"1eb8","vendor_id":"10de","numa_node":1,"count":3,"dev_type":"type-PCI"}]`
	r := newRegion(t, service("cmp1", 10), service("cmp2", 73), flavor("f"),
		host(1, func(n *nova.ComputeNode) { n.ObjectVersion, n.PCIStats, n.CPURatio = "1.10", dicts, 0 }),
		host(2, func(n *nova.ComputeNode) { n.ObjectVersion, n.PCIStats = "1.19", dicts }))
	for n, want := range map[byte]struct{ version, pools string }{1: {"1.10", "1.0"}, 2: {"1.19", "1.1"}} {
		name := "cmp" + string('0'+rune(n))
		if pools := r.node(name).Pools; len(pools) != 1 || pools[0].Count != 3 {
			t.Errorf("%s: %d pools are read", name, len(pools))
		}
		r.put(instance(n, name, "f"))
		change := r.Count(name, now)
		if len(change) != 1 {
			t.Fatalf("%s: %d rows are written, want one", name, len(change))
		}
		row := change[0].(nova.ReportComputeNode).Node
		var stored struct {
			Version string `json:"nova_object.version"`
		}
		if err := json.Unmarshal([]byte(row.PCIStats), &stored); err != nil || stored.Version != want.pools || row.ObjectVersion != want.version || row.VCPUsUsed != 2 {
			t.Errorf("%s: written in version %s with pools %s, want %s with %s", name, row.ObjectVersion, row.PCIStats, want.version, want.pools)
		}
	}
	r.settled("cmp1")
	if row, _ := r.Nova.ComputeNode(nodeID(1)); row.ObjectVersion != "1.10" {
		t.Errorf("after a tick for it, the old compute node has version %s", row.ObjectVersion)
	}
	if inv, _ := r.inventory("cmp1", placement.VCPU); inv.AllocationRatio != 4 {
		t.Errorf("VCPU %+v, want the ratio that is the default where an old release says none", inv.Inventory)
	}
}

// The NUMA nodes in an old compute node's pools, which its version does not have, stay
// while anything else is recounted.
func TestPoolsOfAnotherWriterStay(t *testing.T) {
	t.Parallel()
	const pools = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.1","nova_object.data":{"objects":[` +
		`{"nova_object.name":"PciDevicePool","nova_object.namespace":"nova","nova_object.version":"1.1","nova_object.data":` +
		`{"product_id":"1eb8","vendor_id":"10de","numa_node":1,"count":3,"tags":{"dev_type":"type-PCI"}}}]}}`
	r := newRegion(t, service("cmp1", 10), flavor("f"), host(1, func(n *nova.ComputeNode) { n.ObjectVersion, n.PCIStats = "1.8", pools }))
	r.put(instance(1, "cmp1", "f"))
	r.settled("cmp1")
	row, _ := r.Nova.ComputeNode(nodeID(1))
	if row.VCPUsUsed != 2 || row.ObjectVersion != "1.8" || row.PCIStats != pools {
		t.Errorf("row of version %s with %d vcpus used and pools %s, want 1.8, 2 and the pools as they were", row.ObjectVersion, row.VCPUsUsed, row.PCIStats)
	}
}

// A row that a newer release or another program wrote is refused and left as it is.
func TestUnknownVersionIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version string
		want    error
	}{{"1.20", versioned.ErrNewer}, {"2.0", versioned.ErrNewer}, {"newest", versioned.ErrMalformed}} {
		r := newRegion(t, service("cmp1", 73), flavor("f"), host(1, func(n *nova.ComputeNode) { n.ObjectVersion = c.version }))
		row, _ := r.Nova.ComputeNode(nodeID(1))
		if _, err := tracker.ReadNode(row); !errors.Is(err, c.want) || !strings.Contains(err.Error(), "column object_version") {
			t.Errorf("version %s: %v, want %v and the column", c.version, err, c.want)
		}
		r.put(instance(1, "cmp1", "f"))
		if change := r.Count("cmp1", now); len(change) > 0 {
			t.Errorf("version %s: written anew: %+v", c.version, change)
		}
	}
}
