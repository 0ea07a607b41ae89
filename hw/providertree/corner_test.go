package providertree_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// A reserve set in Placement does not exceed what is left of the devices.
func TestReserveShrinksWithTheDevices(t *testing.T) {
	t.Parallel()
	opts := providertree.Options{ReportPCI: true, PCIDevices: passed(t)}
	s, _ := report(t, placement.Empty(), build(t, hostWithVFs(t), opts))
	const nic, class = "compute1_0000:AF:00.0", "CUSTOM_PCI_8086_154C"
	p := provider(t, s, nic)
	inv, _ := inventory(s, p, class)
	inv.Reserved = 2
	s = apply(t, s, placement.SetInventory{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: class, Inventory: inv})

	h := hostWithVFs(t)
	h.PCI = h.PCI[:3] // one VF of two
	s, _ = report(t, s, build(t, h, opts))
	if inv, _ := inventory(s, provider(t, s, nic), class); inv.Total != 1 || inv.Reserved != 1 {
		t.Errorf("%s %+v, want total 1, all of it reserved", class, inv)
	}
}

// What is left of a class in use has no room for more, whatever its ratio and unit were.
func TestShrunkHasNoRoom(t *testing.T) {
	t.Parallel()
	opts := shownOptions()
	s, _ := report(t, placement.Empty(), build(t, host(t), opts))
	root := provider(t, s, "compute1")
	s = apply(t, s, claim(1, root.ID(), "VCPU", 2))
	inv, _ := inventory(s, root, "VCPU")
	inv.MinUnit = 4
	root = provider(t, s, "compute1")
	s = apply(t, s, placement.SetInventory{Provider: root.ID(), Generation: placement.Generation(root.Generation()), Class: "VCPU", Inventory: inv})

	opts.DedicatedCPUs = sysfs.CPUSet{0, 1, 2, 3, 4, 5, 6, 7}
	s, _ = report(t, s, build(t, host(t), opts))
	got, _ := inventory(s, provider(t, s, "compute1"), "VCPU")
	if want := (placement.Inventory{Total: 2, MinUnit: 2, MaxUnit: 2, StepSize: 1, AllocationRatio: 1}); got != want {
		t.Errorf("VCPU %+v, want %+v", got, want)
	}
}

// A renamed child is recognised by its uuid, and not made again.
func TestRenamedChild(t *testing.T) {
	t.Parallel()
	tree := build(t, host(t), shownOptions())
	s, _ := report(t, placement.Empty(), tree)
	s = apply(t, s, placement.UpdateProvider{ID: tree.Children[0].ID, Name: "the big card"})
	s, diffs := report(t, s, tree)
	if s.ProviderCount() != 2 || !has(diffs, tracker.Kept, "the big card", "name") {
		t.Errorf("%d providers, want 2:\n%s", s.ProviderCount(), verdicts(diffs))
	}
}

// The class and trait of two cards of one model are made once.
func TestNamesAreMadeOnce(t *testing.T) {
	t.Parallel()
	h := host(t)
	h.Mediated = sysfs.Mediated{}
	twin := h.PCI[0]
	twin.Address.Bus++
	h.PCI = append(h.PCI, twin)
	tree := build(t, h, providertree.Options{ReportPCI: true, PCIDevices: specs(t, `{"resource_class": "T4", "traits": "T4"}`)})
	change, _ := plan(t, placement.Empty(), tree)
	classes, traits := 0, 0
	for _, op := range change.Ops {
		switch op.(type) {
		case placement.CreateClass:
			classes++
		case placement.CreateTrait:
			traits++
		}
	}
	if classes != 1 || traits != 1 {
		t.Errorf("%d classes and %d traits are made, want one of each: %v", classes, traits, change.Ops)
	}
}

func TestLeftOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edit func(*hw.Host)
		why  string
	}{
		{"what no spec picks", func(h *hw.Host) { h.PCI[0].Device = 0x1db4 }, "no device_spec matches the device"},
		{"a card without readable ids", func(h *hw.Host) { h.PCI[0].Vendor = 0 }, "could not be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := host(t)
			h.Mediated = sysfs.Mediated{}
			c.edit(&h)
			last := h.PCI[len(h.PCI)-1].Address
			tree := build(t, h, providertree.Options{ReportPCI: true, PCIDevices: passed(t)})
			for _, p := range tree.Children {
				if p.Address == last {
					t.Errorf("%s is reported", p.Name)
				}
			}
			found := false
			for _, l := range tree.Left {
				found = found || l.Address == last && strings.Contains(l.Why, c.why)
			}
			if !found {
				t.Errorf("left %+v, want %s with the reason %q", tree.Left, last, c.why)
			}
		})
	}
}

// If the existing vGPUs cannot be counted, half a number is worse than none.
func TestUncountableVGPUs(t *testing.T) {
	t.Parallel()
	h := host(t)
	s, _ := report(t, placement.Empty(), build(t, h, providertree.Options{}))
	h.Gaps = []hw.Gap{{Path: "/t/nvidia-231/devices", What: "devices of the mdev type", Err: fs.ErrPermission}}
	s, diffs := report(t, s, build(t, h, providertree.Options{}))
	if inv, _ := inventory(s, provider(t, s, pgpu), "VGPU"); inv.Total != 8 || !has(diffs, tracker.Kept, pgpu, "provider") {
		t.Errorf("VGPU %+v, want total 8 as it stands:\n%s", inv, verdicts(diffs))
	}
}
