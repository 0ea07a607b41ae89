package tracker_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
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
			Capabilities: []placement.Trait{"COMPUTE_VOLUME_ATTACH"}, GPUs: []nova.GPU{{Address: gpu, Type: "nvidia-35", Total: n("vgpus"), Class: "CUSTOM_A"}},
		}
		node, err := tracker.ReadNode(row)
		if err != nil {
			r.Fatal(err)
		}
		back, err := node.Row()
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(row, back); diff != "" {
			r.Fatal(diff)
		}
	})
}

// The pools of a row are read in every form that they were ever stored in: each
// counts as PCI_DEVICE, and the first tick stores it in today's form.
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

// Where there are records of devices, the pools are counted from them.
func TestPoolsAreCounted(t *testing.T) {
	t.Parallel()
	device := func(address, status string) *nova.PciDevice {
		return &nova.PciDevice{ComputeNode: nodeID(1), Address: address, VendorID: "10de", ProductID: "1eb8", DevType: "type-PCI", Status: status, Tags: map[string]string{"physical_network": "a"}}
	}
	r := newRegion(t, service("cmp1", 73), host(1, func(n *nova.ComputeNode) { n.PCIStats = "no JSON" }),
		device("0000:84:00.0", "available"), device("0000:85:00.0", "allocated"), device("0000:86:00.0", "removed"))
	r.settled("cmp1")
	pools, ok := r.node("cmp1").PciDevicePools.Lookup()
	if !ok || len(pools.All()) != 1 {
		t.Fatalf("%d pools", len(pools.All()))
	}
	want := map[string]any{"product_id": "1eb8", "vendor_id": "10de", "numa_node": nil, "count": int64(1), "dev_type": "type-PCI", "physical_network": "a"}
	if diff := cmp.Diff(want, pools.All()[0].ToDict()); diff != "" {
		t.Error(diff)
	}
	if inv, _ := r.inventory("cmp1", placement.PCIDevice); inv.Total != 2 {
		t.Errorf("PCI_DEVICE %+v, want 2: free or not, but there", inv.Inventory)
	}
	for d := range r.Nova.PciDevicesOf(nodeID(1)) {
		gone := d.Clone().(*nova.PciDevice)
		gone.Status = "removed"
		r.put(gone)
	}
	r.settled("cmp1")
	if _, ok := r.inventory("cmp1", placement.PCIDevice); ok {
		t.Error("PCI_DEVICE is still there")
	}
}
