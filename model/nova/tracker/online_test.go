package tracker_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// oldCloud returns a cloud from before Placement: everything is in the old columns.
func oldCloud(t fataler, swapMB int64) *region {
	t.Helper()
	healed := func(n *nova.ComputeNode) { n.CPURatio, n.RAMRatio, n.DiskRatio = 16, 1.5, 1 }
	used := func(n *nova.ComputeNode) {
		n.VCPUsUsed, n.MemoryMBUsed, n.LocalGBUsed, n.RunningVMs = 4, 512+8192, 40, 2
	}
	return newRegion(t, host(1, used), host(2, healed), host(3, func(n *nova.ComputeNode) {
		n.GPUs = []nova.GPU{{Address: gpu, Type: "nvidia-35", Total: 2}}
	}),
		flavor("f", func(f *nova.Flavor) { f.SwapMB = swapMB }), instance(1, "cmp1", "f"), instance(2, "cmp1", "f"), instance(3, "cmp2", "f"),
		instance(4, "cmp2", "f", func(i *nova.Instance) { i.TaskState = nova.Spawning }),
		instance(5, "cmp2", "f", func(i *nova.Instance) { i.VMState = nova.Deleted }),
	)
}

func (r *region) batch(most int) tracker.Batch {
	r.t.Helper()
	b := r.MigrateBatch(most, now)
	for _, u := range b.Units {
		r.write(u.Ops, u.Nova)
	}
	return b
}

func progress(b tracker.Batch) map[string][2]int {
	out := map[string][2]int{}
	for _, p := range b.Progress {
		out[p.Name] = [2]int{p.Found, p.Done}
	}
	return out
}

func TestMigrateAll(t *testing.T) {
	t.Parallel()
	r := oldCloud(t, 512)
	b := r.batch(0)
	want := map[string][2]int{"upgrade_pci_pools": {0, 0}, "heal_allocation_ratios": {2, 2}, "migrate_compute_node_inventory": {3, 3}, "migrate_instance_allocations": {3, 3}}
	if diff := cmp.Diff(want, progress(b)); diff != "" || b.Result() != tracker.MoreToDo {
		t.Errorf("result %d\n%s", b.Result(), diff)
	}
	for name, ratio := range map[string]float64{"cmp1": 4, "cmp2": 16} {
		inv, _ := r.inventory(name, "VCPU")
		if want := (placement.Inventory{Total: 16, MinUnit: 1, MaxUnit: 16, StepSize: 1, AllocationRatio: ratio}); inv.Inventory != want {
			t.Errorf("%s: VCPU %+v, want %+v", name, inv.Inventory, want)
		}
	}
	must.Match(t, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 21}}, r.holds(instanceID(1)))
	again := r.batch(0)
	want = map[string][2]int{"upgrade_pci_pools": {0, 0}, "heal_allocation_ratios": {0, 0}, "migrate_compute_node_inventory": {0, 0}, "migrate_instance_allocations": {0, 0}}
	if diff := cmp.Diff(want, progress(again)); diff != "" || again.Result() != tracker.NothingLeft {
		t.Errorf("the second run: result %d\n%s", again.Result(), diff)
	}
}

// A migration that is stopped after each unit and started again ends like one that is
// not.
func TestMigrateInBatches(t *testing.T) {
	t.Parallel()
	whole := oldCloud(t, 512)
	whole.batch(0)
	r := oldCloud(t, 512)
	for n := 1; ; n++ {
		b := r.batch(1)
		if b.Result() == tracker.NothingLeft {
			if n != 9 {
				t.Errorf("done after %d batches, want 8 of one unit and one that finds nothing", n)
			}
			break
		}
		if len(b.Units) != 1 || n > 20 {
			t.Fatalf("batch %d has %d units", n, len(b.Units))
		}
	}
	records := func(s *placement.Snapshot) (out []string) {
		for rec := range s.Records() {
			out = append(out, fmt.Sprintf("%+v", rec))
		}
		return out
	}
	must.Match(t, records(whole.Placement), records(r.Placement))
}

func TestMigrateErrors(t *testing.T) {
	t.Parallel()
	r := oldCloud(t, 512)
	r.ops(placement.CreateProvider{ID: nodeID(9), Name: "cmp1"}) // a twin: its host was re-installed
	r.batch(0)
	b := r.batch(0)
	must.Be(t, b.Result(), tracker.Stuck)
	for _, p := range b.Progress {
		if want := map[string]int{"migrate_compute_node_inventory": 1, "migrate_instance_allocations": 2}[p.Name]; len(p.Errors) != want || p.Found != want || p.Done != 0 {
			t.Errorf("%s: %+v, want %d errors", p.Name, p, want)
		}
	}
	if _, ok := r.Placement.ProviderByName("cmp2"); !ok {
		t.Error("one host's trouble keeps another from being migrated")
	}
}

// PCI devices that an older release stored are brought to the current form; those that a
// newer one stored are left alone, and reported.
func TestMigratePools(t *testing.T) {
	t.Parallel()
	const newer = `{"nova_object.name":"PciDevicePoolList","nova_object.namespace":"nova","nova_object.version":"1.9","nova_object.data":{"objects":[]}}`
	r := newRegion(t, service("cmp1", 73), service("cmp2", 73),
		host(1, func(n *nova.ComputeNode) { n.PCIStats = newer }),
		host(2, func(n *nova.ComputeNode) {
			n.PCIStats = `{"product_id":"1eb8","vendor_id":"10de","count":3,"dev_type":"type-PCI"}`
		}))
	was, _ := r.Nova.ComputeNode(nodeID(1))
	b := r.batch(0)
	if got := progress(b)["upgrade_pci_pools"]; got != [2]int{2, 1} {
		t.Errorf("found and done %v, want 2 and 1", got)
	}
	b = r.batch(0)
	if b.Result() != tracker.Stuck || progress(b)["upgrade_pci_pools"] != [2]int{1, 0} {
		t.Errorf("result %d of %v, want that the rest cannot be done", b.Result(), progress(b))
	}
	for _, p := range b.Progress {
		for _, err := range p.Errors {
			if !errors.Is(err, versioned.ErrNewer) || !strings.Contains(err.Error(), "cmp1") || !strings.Contains(err.Error(), "version 1.9 of PciDevicePoolList") {
				t.Errorf("%s: %v, want the row and the version", p.Name, err)
			}
		}
	}
	if is, _ := r.Nova.ComputeNode(nodeID(1)); is != was {
		t.Error("the row of a newer release was written")
	}
	must.Fail(t, must.Err(r.NodeOf("cmp1", tracker.NewTree(nodeID(1), "", "cmp1"), tracker.Conf{})), versioned.ErrNewer)
	if inv, _ := r.inventory("cmp2", placement.PCIDevice); inv.Total != 3 {
		t.Errorf("PCI_DEVICE of the old row %+v", inv.Inventory)
	}
}

// What is migrated is what the columns said.
func TestResourcesOldAndNew(t *testing.T) {
	t.Parallel()
	r := oldCloud(t, 0) // the columns do not count a fraction of a GiB of swap
	before := must.Get(r.Resources(r.node("cmp1")))(t)
	r.batch(0)
	for _, b := range before {
		inv, _ := r.inventory("cmp1", b.Class)
		must.Be(t, inv.Inventory, b.Inventory)
		must.Be(t, inv.Used, b.Used)
	}
	if len(before) != 3 || before[2].Class != "VCPU" || before[2].Used != 4 || before[1].Used != 8192 || before[0].Used != 40 {
		t.Errorf("%+v", before)
	}
}

// A migrated inventory reserves what the row of the host says, or else Nova's default,
// which the row then states. The resources are the same before and after.
func TestMigrateReserves(t *testing.T) {
	t.Parallel()
	r := newRegion(t,
		host(1, func(n *nova.ComputeNode) { n.ReservedMemoryMB, n.MemoryMBUsed = 0, 512+4096 }),
		host(2, func(n *nova.ComputeNode) { n.ReservedCPUs, n.ReservedMemoryMB, n.ReservedDiskMB = 2, 2048, 1025 }))
	before := must.Get(r.Resources(r.node("cmp1")))(t)
	if before[1].Reserved != 512 || before[1].Used != 4096 {
		t.Errorf("read from the columns: %+v, want 512 reserved and 4096 used", before[1])
	}
	r.batch(0)
	for name, want := range map[string][3]int64{"cmp1": {0, 512, 0}, "cmp2": {2, 2048, 2}} {
		var got [3]int64
		for i, class := range []placement.ResourceClass{placement.VCPU, placement.MemoryMB, placement.DiskGB} {
			inv, _ := r.inventory(name, class)
			got[i] = inv.Reserved
		}
		if got != want || r.node(name).Conf.ReservedMemoryMB != want[1] {
			t.Errorf("%s keeps back %v, and %d MB by its row, want %v", name, got, r.node(name).Conf.ReservedMemoryMB, want)
		}
	}
	r.settled("cmp1")
	if inv, _ := r.inventory("cmp1", placement.MemoryMB); inv.Reserved != 512 {
		t.Errorf("a tick keeps back %d MB, want 512", inv.Reserved)
	}
}

// A compute node is read from its columns until it is reported, and then from its
// inventories; one that an operator created does not count as a report.
func TestCurrent(t *testing.T) {
	t.Parallel()
	r := newRegion(t, host(1, func(n *nova.ComputeNode) { n.VCPUsUsed, n.CPURatio = 3, 2 }))
	row, _ := r.Nova.ComputeNode(nodeID(1))
	r.ops(placement.CreateClass{Name: "CUSTOM_LICENSE"}, placement.CreateProvider{ID: nodeID(1), Name: "cmp1"},
		placement.AddInventory{Provider: nodeID(1), Generation: placement.Generation(0), Class: "CUSTOM_LICENSE", Inventory: placement.NewInventory(1)})
	if got, follows := r.Current(row); follows || got != row {
		t.Errorf("not reported, and read as %+v", got)
	}
	r.batch(0)
	r.ops(placement.SetInventory{
		Provider: nodeID(1), Generation: placement.Generation(r.provider("cmp1").Generation()), Class: placement.VCPU,
		Inventory: placement.Inventory{Total: 8, Reserved: 1, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 16},
	})
	got, follows := r.Current(row)
	if !follows || got.VCPUs != 8 || got.VCPUsUsed != 1 || got.CPURatio != 16 || got.MemoryMB != 32768 || got.MemoryMBUsed != 512 || row.VCPUs != 16 {
		t.Errorf("read as %+v, want what the inventories say", got)
	}
	if _, ok := r.inventory("cmp1", "CUSTOM_LICENSE"); !ok {
		t.Error("the operator's inventory is gone")
	}
}

// A host that reserves no memory says so in its row, which has the capabilities that its
// driver saw; a row older than these columns has Nova's default.
func TestNoReservedMemory(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		conf tracker.Conf
		want int64
	}{
		"none":     {tracker.Conf{Said: true}, 0},
		"some":     {tracker.Conf{Said: true, ReservedMemoryMB: 64}, 64},
		"not said": {tracker.Conf{}, 512},
	} {
		tree := tracker.NewTree(nodeID(1), "test", "cmp1")
		tree.Supply(tracker.DefaultConf(), placement.MemoryMB, 4096, "test")
		if tt.conf.Said {
			tree.Root.Traits = append(tree.Root.Traits, tracker.Trait{Name: "HW_CPU_X86_AVX"})
		}
		n := must.Get(tracker.World{Nova: nova.Empty(), Placement: placement.Empty()}.NodeOf("cmp1", tree, tt.conf))(t)
		row, err := n.Row()
		must.Succeed(t, err)
		n = must.Get(tracker.ReadNode(row))(t)
		of := must.Get(tracker.FromColumns(n))(t)
		if inv, ok := of.Root.Inventory(placement.MemoryMB); !ok || inv.Reserved != tt.want {
			t.Errorf("%s: %+v, want %d reserved", name, inv, tt.want)
		}
	}
}
