package tracker_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

const (
	gpu    = "0000:84:00.0"
	pgpu   = "cmp1_pci_0000_84_00_0"
	cyborg = "cmp1_0000:85:00.0"
)

func withGPU(n *nova.ComputeNode) {
	n.GPUs = []nova.GPU{{Address: gpu, Type: "nvidia-35", Total: 4}, {Address: "0000:86:00.0", Type: "nvidia-35", Total: 4}}
}

// oneHost returns a cloud of cmp1 with two cards, as Placement and Nova know it after a
// tick.
func oneHost(t fataler, edit ...func(*nova.ComputeNode)) *region {
	t.Helper()
	r := newRegion(t, service("cmp1", 73), host(1, append(edit, withGPU)...))
	r.settled("cmp1")
	return r
}

func cyborgCard(r *region) placement.ProviderID {
	r.t.Helper()
	id := placement.ProviderID(uuid.UUID{0: 0xcb})
	r.ops(
		placement.CreateProvider{ID: id, Name: cyborg, Parent: nodeID(1)},
		placement.SetInventories{Provider: id, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{"VGPU": placement.NewInventory(4)}},
		placement.SetTraits{Provider: id, Generation: placement.Generation(1), Traits: []placement.Trait{placement.OwnerCyborg}},
	)
	return id
}

func TestClaimAmounts(t *testing.T) {
	t.Parallel()
	onCard := func(group string) func(*nova.Instance) {
		return func(i *nova.Instance) {
			r := oneHost(t)
			i.Mappings = map[string][]placement.ProviderID{group: {r.provider(pgpu).ID()}, "": {nodeID(1)}}
			if group == "" {
				i.Mappings = map[string][]placement.ProviderID{"": {nodeID(1), r.provider(pgpu).ID()}}
			}
		}
	}
	spec := func(key, value string) func(*nova.Flavor) {
		return func(f *nova.Flavor) { f.ExtraSpecs = map[string]string{key: value} }
	}
	device := func(n byte, kind, status string) *nova.PciDevice {
		d := &nova.PciDevice{ComputeNode: nodeID(1), Address: "0000:90:00." + string('0'+rune(n)), VendorID: "8086", ProductID: "10fb", DevType: kind, Status: status}
		if status == "allocated" || status == "claimed" {
			d.Instance = instanceID(1)
		}
		return d
	}
	for _, c := range []struct {
		name    string
		flavor  func(*nova.Flavor)
		inst    func(*nova.Instance)
		devices []*nova.PciDevice
		want    held
	}{
		{"the flavor", nil, nil, nil, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}}},
		{"ephemeral disk and a part of a GiB of swap", func(f *nova.Flavor) { f.EphemeralGB, f.SwapMB = 5, 1025 }, nil, nil, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 27}}},
		{"booted from a volume", func(f *nova.Flavor) { f.SwapMB = 512 }, func(i *nova.Instance) { i.BootFromVolume = true }, nil, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 1}}},
		{"no disk at all", nil, func(i *nova.Instance) { i.BootFromVolume = true }, nil, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096}}},
		{"allocated PCI devices of type-PCI alone", nil, nil, []*nova.PciDevice{
			device(0, "type-PCI", "allocated"), device(1, "type-PCI", "allocated"), device(2, "type-PCI", "claimed"),
			device(3, "type-VF", "allocated"), device(4, "type-PCI", "available"),
		}, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20, "PCI_DEVICE": 2}}},
		{"a vGPU, by the mapping of its group", spec("resources1:VGPU", "1"), onCard("1"), nil, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}, pgpu: {"VGPU": 1}}},
		{"a vGPU in the un-suffixed group", spec("resources:VGPU", "2"), onCard(""), nil, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}, pgpu: {"VGPU": 2}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := oneHost(t)
			for _, d := range c.devices {
				r.put(d)
			}
			r.tick("cmp1") // reports the devices
			f := flavor("f")
			if c.flavor != nil {
				c.flavor(f)
			}
			i := instance(1, "cmp1", "f")
			if c.inst != nil {
				c.inst(i)
			}
			r.put(f)
			must.Succeed(t, r.claim(i, nil))
			must.Match(t, c.want, r.holds(i.UUID))
			r.tick("cmp1") // the old columns
			r.quiet("cmp1")
			if ops, err := r.Claim(r.node("cmp1"), i, nil); err != nil || len(ops) > 0 {
				t.Errorf("the second claim writes %v, %v", ops, err)
			}
		})
	}
}

// A card that is reported in Placement is claimed on its own provider, instead of as
// PCI_DEVICE.
func TestClaimOfReportedDevice(t *testing.T) {
	t.Parallel()
	const card = "cmp1_0000:AF:00.0"
	r := oneHost(t)
	id := placement.ProviderID(uuid.UUID{0: 0xaf})
	r.ops(
		placement.CreateClass{Name: "CUSTOM_PCI_10DE_1EB8"},
		placement.CreateProvider{ID: id, Name: card, Parent: nodeID(1)},
		placement.SetInventories{Provider: id, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{"CUSTOM_PCI_10DE_1EB8": placement.NewInventory(2)}},
		placement.SetTraits{Provider: id, Generation: placement.Generation(1), Traits: []placement.Trait{placement.OwnerNova, placement.HWPCIOneTimeUse}},
	)
	r.put(flavor("f"), &nova.PciDevice{
		ComputeNode: nodeID(1), Address: "0000:af:00.4", Parent: "0000:af:00.0", VendorID: "10de", ProductID: "1eb8",
		DevType: "type-VF", Status: "allocated", Instance: instanceID(1),
	})
	must.Succeed(t, r.claim(instance(1, "cmp1", "f"), nil))
	must.Match(t, amounts{"CUSTOM_PCI_10DE_1EB8": 1}, r.holds(instanceID(1))[card])
	r.settled("cmp1")
	if inv, _ := r.inventory(card, "CUSTOM_PCI_10DE_1EB8"); inv.Reserved != inv.Total {
		t.Errorf("%+v, want all of a one-time-use device reserved once it was used", inv.Inventory)
	}
	if _, ok := r.inventory("cmp1", placement.PCIDevice); ok {
		t.Error("the device counts as PCI_DEVICE too")
	}
}

func TestClaimOfDeviceProfile(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	card := cyborgCard(r)
	r.put(flavor("f", func(f *nova.Flavor) { f.ExtraSpecs = map[string]string{"accel:device_profile": "t4"} }))
	i := instance(1, "cmp1", "f")
	var unsaid *tracker.UnknownProviderError
	if err := r.claim(i, nil); !errors.As(err, &unsaid) || unsaid.What != "device profile t4" {
		t.Fatalf("error %v, want an UnknownProviderError", err)
	}
	i.Mappings = map[string][]placement.ProviderID{"device_profile_0": {card}}
	must.Succeed(t, r.claim(i, []candidates.Group{{
		Suffix: "device_profile_0", Resources: []candidates.Resource{{Class: "VGPU", Amount: 1}},
	}}))
	want := held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}, cyborg: {"VGPU": 1}}
	must.Match(t, want, r.holds(i.UUID))
	r.settled("cmp1") // it does not know the profile, and keeps what Cyborg allocated
	must.Match(t, want, r.holds(i.UUID))
}

func TestClaimNeedsToKnowTheChild(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("f", func(f *nova.Flavor) { f.ExtraSpecs = map[string]string{"resources1:VGPU": "1"} }))
	i := instance(1, "cmp1", "f")
	var unsaid *tracker.UnknownProviderError
	if err := r.claim(i, nil); !errors.As(err, &unsaid) || !errors.Is(err, placement.ErrNotFound) || unsaid.Group != "1" {
		t.Fatalf("error %v, want an UnknownProviderError of group 1", err)
	}
	out := r.settled("cmp1")
	if f := finding(out, i.UUID); f.Case != tracker.CaseUnsaid || !f.Warning {
		t.Errorf("finding %+v, want it unsaid", f)
	}
	// Its allocations say where its vGPU is: the rest can be healed.
	r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: i.UUID, Generation: placement.NewConsumer(), Project: "p", User: "u",
		Allocations: placement.Amounts{r.provider(pgpu).ID(): {"VGPU": 1}},
	}}})
	r.settled("cmp1")
	must.Match(t, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}, pgpu: {"VGPU": 1}}, r.holds(i.UUID))
}

// A claim is guarded by the generation of its consumer.
func TestClaimIsGuarded(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("f"))
	i := instance(1, "cmp1", "f")
	r.put(i)
	ops := must.Get(r.Claim(r.node("cmp1"), i, nil))(t)
	r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: i.UUID, Generation: placement.NewConsumer(), Project: "p", User: "u",
		Allocations: placement.Amounts{nodeID(1): {"VCPU": 1}},
	}}})
	if _, _, err := r.Placement.Apply(placement.Change{Ops: ops}); !errors.Is(err, placement.ErrConflict) {
		t.Errorf("error %v, want ErrConflict", err)
	}
}

func TestRelease(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), service("cmp2", 73), host(1, withGPU), host(2), flavor("f"))
	r.settled("cmp1")
	r.settled("cmp2")
	i := instance(1, "cmp1", "f")
	if ops := r.Release(i.UUID, nodeID(1)); ops != nil {
		t.Errorf("releasing nothing writes %v", ops)
	}
	must.Succeed(t, r.claim(i, nil))
	// Evacuated: it lands on the other host, and the old claim stays until the old host
	// is back.
	i.Host = "cmp2"
	must.Succeed(t, r.claim(i, nil))
	want := amounts{"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}
	if diff := cmp.Diff(held{"cmp1": want, "cmp2": want}, r.holds(i.UUID)); diff != "" {
		t.Fatal(diff)
	}
	r.ops(r.Release(i.UUID, nodeID(1))...)
	must.Match(t, held{"cmp2": want}, r.holds(i.UUID))
	if ops := r.Release(i.UUID, nodeID(1)); ops != nil {
		t.Errorf("releasing it again writes %v", ops)
	}
	r.ops(r.Release(i.UUID, nodeID(2))...)
	if _, ok := r.Placement.Consumer(i.UUID); ok {
		t.Error("the consumer is still there")
	}
}
