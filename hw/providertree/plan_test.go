package providertree_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// fataler is the common part of both kinds of test.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func apply(t fataler, s *placement.Snapshot, ops ...placement.Op) *placement.Snapshot {
	t.Helper()
	next, _, err := s.Apply(placement.Change{Ops: ops})
	if err != nil {
		t.Fatalf("Apply: %v", err)
	}
	return next
}

func plan(t fataler, s *placement.Snapshot, tree tracker.Tree) (placement.Change, []tracker.Difference) {
	t.Helper()
	change, diffs, err := tracker.Report(s, tree)
	if err != nil {
		t.Fatalf("Plan: %v", err)
	}
	return change, diffs
}

// report plans and applies, and checks that nothing is left to write.
func report(t fataler, s *placement.Snapshot, tree tracker.Tree) (*placement.Snapshot, []tracker.Difference) {
	t.Helper()
	change, diffs := plan(t, s, tree)
	s = apply(t, s, change.Ops...)
	if again, left := plan(t, s, tree); !again.Empty() {
		t.Fatalf("the second plan writes %v because of %+v", again.Ops, left)
	}
	for _, err := range s.Check() {
		t.Fatalf("Check: %v", err)
	}
	return s, diffs
}

func id(n byte) placement.ProviderID { return placement.ProviderID(uuid.UUID{0: 0xee, 15: n}) }

func provider(t fataler, s *placement.Snapshot, name string) *placement.ResourceProvider {
	t.Helper()
	p, ok := s.ProviderByName(name)
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	return p
}

func inventory(s *placement.Snapshot, p *placement.ResourceProvider, class placement.ResourceClass) (placement.Inventory, bool) {
	c, ok := s.ClassID(class)
	if !ok {
		return placement.Inventory{}, false
	}
	iu, ok := p.Inventory(c)
	return iu.Inventory, ok
}

// claim makes consumer n hold amount of a class on a provider.
func claim(n byte, on placement.ProviderID, class placement.ResourceClass, amount int64) placement.Op {
	return placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: placement.ConsumerID(uuid.UUID{0: 0xcc, 15: n}), Generation: placement.AnyGeneration(),
		Type: placement.InstanceConsumer, Project: "p", User: "u",
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{on: {class: amount}},
	}}}
}

func verdicts(diffs []tracker.Difference) string {
	var b strings.Builder
	for _, d := range diffs {
		fmt.Fprintf(&b, "%s: %s: %q -> %q, %s", d.Provider, d.What, d.Has, d.Want, d.Verdict)
		if d.Why != "" {
			fmt.Fprintf(&b, " (%s)", d.Why)
		}
		if d.Source != "" {
			fmt.Fprintf(&b, " < %s", d.Source)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func has(diffs []tracker.Difference, v tracker.Verdict, provider, what string) bool {
	return slices.ContainsFunc(diffs, func(d tracker.Difference) bool {
		return d.Verdict == v && d.Provider == provider && d.What == what
	})
}

// The first report of each captured machine into an empty cloud.
func TestFirstReport(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(hwtest.Machines(t, "../testdata"))) {
		opts := shownOptions()
		opts.ReportPCI, opts.PCIDevices = true, passed(t)
		tree := build(t, shared(t, name), opts)
		change, diffs := plan(t, placement.Empty(), tree)
		fmt.Fprintf(&all, "-- %s --\n", name)
		for _, op := range change.Ops {
			fmt.Fprintln(&all, op)
		}
		fmt.Fprintf(&all, "\n%s\n", verdicts(diffs))
		s, _ := report(t, placement.Empty(), tree)
		must.Be(t, s.ProviderCount(), len(tree.All()))
	}
	golden.RequireEqual(t, all.String())
}

const pgpu = "compute1_pci_0000_84_00_0"

func TestRatios(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		was  float64 // in Placement; 0: no inventory yet
		set  float64 // in the configuration; 0: not set
		want float64
	}{
		{"a new inventory gets the initial one", 0, 0, 4},
		{"a new inventory gets the configured one", 0, 8, 8},
		{"an operator's stays", 16, 0, 16},
		{"the configured one wins", 16, 8, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			opts := shownOptions()
			opts.Ratios.CPU = c.set
			tree := build(t, host(t), opts)
			s := placement.Empty()
			if c.was != 0 {
				inv := placement.NewInventory(2)
				inv.AllocationRatio = c.was
				s = apply(t, s, placement.CreateProvider{ID: tree.Root.ID, Name: "compute1"},
					placement.AddInventory{Provider: tree.Root.ID, Generation: placement.Generation(0), Class: "VCPU", Inventory: inv})
			}
			s, diffs := report(t, s, tree)
			inv, _ := inventory(s, provider(t, s, "compute1"), "VCPU")
			if inv.AllocationRatio != c.want || inv.Total != 8 {
				t.Errorf("VCPU %+v, want total 8 and ratio %g", inv, c.want)
			}
			if kept := has(diffs, tracker.Kept, "compute1", "VCPU allocation_ratio"); kept != (c.was != 0 && c.set == 0) {
				t.Errorf("differences:\n%s", verdicts(diffs))
			}
		})
	}
}

// What operators and other services set on our providers stays; what is ours is restored.
func TestForeignThingsStay(t *testing.T) {
	t.Parallel()
	tree := build(t, host(t), shownOptions())
	s, _ := report(t, placement.Empty(), tree)
	root, card := provider(t, s, "compute1"), provider(t, s, pgpu)
	agg := placement.AggregateID{1}
	s = apply(t, s,
		placement.CreateTrait{Name: "CUSTOM_NVIDIA_231"}, placement.CreateClass{Name: "CUSTOM_LICENCE"},
		// The operator removed OWNER_NOVA by mistake, and set an AVX-512 trait that the
		// processors lack.
		placement.SetTraits{Provider: card.ID(), Generation: placement.Generation(card.Generation()), Traits: []placement.Trait{"CUSTOM_NVIDIA_231"}},
		placement.SetTraits{Provider: root.ID(), Generation: placement.Generation(root.Generation()), Traits: []placement.Trait{
			"CUSTOM_NVIDIA_231", "COMPUTE_STATUS_DISABLED", "STORAGE_DISK_SSD", "HW_CPU_X86_AVX512F", "COMPUTE_NODE",
		}},
		placement.AddInventory{Provider: root.ID(), Generation: placement.Generation(root.Generation() + 1), Class: "CUSTOM_LICENCE", Inventory: placement.NewInventory(3)},
		placement.SetAggregates{Provider: root.ID(), Generation: placement.Generation(root.Generation() + 2), Aggregates: []placement.AggregateID{agg}},
		placement.CreateProvider{ID: id(1), Name: "compute1:NIC Switch agent", Parent: root.ID()},
		placement.CreateProvider{ID: id(2), Name: "compute1_0000:85:00.0", Parent: root.ID()},
		placement.SetTraits{Provider: id(2), Generation: placement.Generation(0), Traits: []placement.Trait{"OWNER_CYBORG"}},
		placement.CreateProvider{ID: id(3), Name: "compute1_0000:86:00.0", Parent: root.ID()}, // of unknown origin
	)
	s, _ = report(t, s, tree)

	traits := s.TraitsOf(provider(t, s, "compute1"))
	for trait, want := range map[placement.Trait]bool{
		"CUSTOM_NVIDIA_231": true, "COMPUTE_STATUS_DISABLED": true, "STORAGE_DISK_SSD": true,
		"OWNER_NOVA": true, "COMPUTE_NODE": true, "HW_CPU_X86_AVX2": true, "HW_CPU_X86_AVX512F": false,
	} {
		if slices.Contains(traits, trait) != want {
			t.Errorf("trait %s: %v, want %v", trait, !want, want)
		}
	}
	if got := s.TraitsOf(provider(t, s, pgpu)); !slices.Equal(got, []placement.Trait{"CUSTOM_NVIDIA_231", "OWNER_NOVA"}) {
		t.Errorf("traits of the card %v", got)
	}
	if _, ok := inventory(s, provider(t, s, "compute1"), "CUSTOM_LICENCE"); !ok {
		t.Error("the operator's class is gone")
	}
	if !provider(t, s, "compute1").InAggregate(agg) {
		t.Error("the aggregate is gone")
	}
	for n := byte(1); n <= 3; n++ {
		if _, ok := s.Provider(id(n)); !ok {
			t.Errorf("somebody else's provider %d is gone", n)
		}
	}
}

func TestAmountsFollowTheMachine(t *testing.T) {
	t.Parallel()
	h := host(t)
	s, _ := report(t, placement.Empty(), build(t, h, shownOptions()))
	s = apply(t, s, claim(1, provider(t, s, "compute1").ID(), "VCPU", 8), claim(2, provider(t, s, pgpu).ID(), "VGPU", 7))

	h.CPU.Threads, h.Memory.Total = known(1), known(uint64(8)<<30)
	h.Mediated.Parents[0].Types[1].Available = 3
	s, diffs := report(t, s, build(t, h, shownOptions()))
	for class, want := range map[placement.ResourceClass]int64{"VCPU": 1, "MEMORY_MB": 8192} {
		if inv, _ := inventory(s, provider(t, s, "compute1"), class); inv.Total != want || inv.MaxUnit != want {
			t.Errorf("%s %+v, want total and max_unit %d", class, inv, want)
		}
	}
	if inv, _ := inventory(s, provider(t, s, pgpu), "VGPU"); inv.Total != 5 {
		t.Errorf("VGPU %+v, want total 5 although 7 are allocated", inv)
	}
	if !strings.Contains(verdicts(diffs), "over capacity") {
		t.Errorf("no word of providers over capacity:\n%s", verdicts(diffs))
	}
}

// What the probe could not read stays unchanged.
func TestUnknownStays(t *testing.T) {
	t.Parallel()
	h := host(t)
	s, _ := report(t, placement.Empty(), build(t, h, shownOptions()))
	generation := provider(t, s, "compute1").Generation()
	blind := hw.Host{Hostname: h.Hostname, MachineID: h.MachineID, PCI: h.PCI, Instances: hw.Filesystem{Path: "/i"}, Gaps: []hw.Gap{
		{Path: "/sys/class/mdev_bus", What: "mdev parents", Err: errors.New("permission denied")},
	}}
	s, diffs := report(t, s, build(t, blind, shownOptions()))
	if got := provider(t, s, "compute1").Generation(); got != generation {
		t.Errorf("generation %d, want %d: nothing to write", got, generation)
	}
	for _, what := range []string{"VCPU", "MEMORY_MB", "DISK_GB"} {
		if !has(diffs, tracker.Untold, "compute1", what) {
			t.Errorf("%s is not said to be unknown:\n%s", what, verdicts(diffs))
		}
	}
	if !has(diffs, tracker.Untold, pgpu, "provider") {
		t.Errorf("the card is not said to be unknown:\n%s", verdicts(diffs))
	}
}

func TestVanishedChild(t *testing.T) {
	t.Parallel()
	gone := func(h *hw.Host) {
		h.Mediated = sysfs.Mediated{}
		h.PCI = []hw.PCIDevice{{PCIDevice: sysfs.PCIDevice{Vendor: 0x8086}}} // the bridge
	}
	for _, c := range []struct {
		name     string
		edit     func(*hw.Host)
		opts     providertree.Options
		used     int64
		child    bool
		want     int64 // VGPU total; 0: the provider is gone
		verdict  tracker.Verdict
		what     string
		released bool // deleted once the allocation is released
	}{
		{"gone and unused", gone, providertree.Options{}, 0, false, 0, tracker.Written, "provider", false},
		{"gone and in use", gone, providertree.Options{}, 3, false, 3, tracker.Written, "VGPU", true},
		{"gone with a child below", gone, providertree.Options{}, 0, true, 8, tracker.Conflict, "provider", false},
		{
			"no PCI device seen at all: perhaps a container",
			func(h *hw.Host) { h.Mediated, h.PCI = sysfs.Mediated{}, nil },
			providertree.Options{},
			0, false, 8, tracker.Untold, "provider", false,
		},
		{
			"the device may only be unreadable",
			func(h *hw.Host) {
				gone(h)
				h.Gaps = []hw.Gap{{Path: "/sys/bus/pci/devices/" + cardAt, What: "PCI device", Err: sysfs.ErrVanished}}
			},
			providertree.Options{},
			0, false, 8, tracker.Untold, "provider", false,
		},
		{
			"a part of the machine did not answer",
			func(h *hw.Host) {
				gone(h)
				h.Gaps = []hw.Gap{{What: "PCI devices", Err: errors.New("no answer")}}
			},
			providertree.Options{},
			0, false, 8, tracker.Untold, "provider", false,
		},
		{
			"another device's trouble is no excuse",
			func(h *hw.Host) {
				gone(h)
				h.Gaps = []hw.Gap{{Path: "/sys/bus/pci/devices/0000:99:00.0/class", What: "class", Err: errors.New("x")}}
			},
			providertree.Options{},
			0, false, 0, tracker.Written, "provider", false,
		},
		{
			"no type chosen, the card is there",
			func(h *hw.Host) { h.Mediated.Parents[0].Types[1].Devices = nil },
			providertree.Options{},
			0, false, 8, tracker.Kept, "provider", false,
		},
		{
			"the enabled type has none left",
			nil,
			providertree.Options{MdevTypes: []providertree.MdevType{{ID: "nvidia-222"}}},
			0, false, 0, tracker.Written, "provider", false,
		},
		{
			"no mediated devices any more",
			func(h *hw.Host) { h.Mediated = sysfs.Mediated{} },
			providertree.Options{},
			2, false, 2, tracker.Written, "VGPU", true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, _ := report(t, placement.Empty(), build(t, host(t), providertree.Options{}))
			card := provider(t, s, pgpu).ID()
			if c.used > 0 {
				s = apply(t, s, claim(1, card, "VGPU", c.used))
			}
			if c.child {
				s = apply(t, s, placement.CreateProvider{ID: id(1), Name: "below", Parent: card})
			}
			h := host(t)
			if c.edit != nil {
				c.edit(&h)
			}
			tree := build(t, h, c.opts)
			s, diffs := report(t, s, tree)
			if !has(diffs, c.verdict, pgpu, c.what) {
				t.Errorf("want %s of %s:\n%s", c.verdict, c.what, verdicts(diffs))
			}
			p, ok := s.Provider(card)
			if ok != (c.want > 0) {
				t.Fatalf("provider there: %v, want %v\n%s", ok, c.want > 0, verdicts(diffs))
			}
			if !ok {
				return
			}
			if inv, _ := inventory(s, p, "VGPU"); inv.Total != c.want {
				t.Errorf("VGPU %+v, want total %d", inv, c.want)
			}
			if c.released {
				s = apply(t, s, placement.DeleteAllocations{Consumer: placement.ConsumerID(uuid.UUID{0: 0xcc, 15: 1})})
				if s, _ = report(t, s, tree); s.ProviderCount() != 1 {
					t.Error("the provider stays after the allocation was released")
				}
			}
		})
	}
}

func TestPCIChildren(t *testing.T) {
	t.Parallel()
	opts := providertree.Options{ReportPCI: true, PCIDevices: passed(t)}
	tree := build(t, hostWithVFs(t), opts)
	s, _ := report(t, placement.Empty(), tree)
	const nic, card = "compute1_0000:AF:00.0", "compute1_0000:84:00.0"

	// A one-time-use card was used, and Nova reserved it: that stays.
	p := provider(t, s, card)
	inv, _ := inventory(s, p, "CUSTOM_PCI_10DE_1EB8")
	inv.Reserved = 1
	s = apply(t, s, placement.SetInventory{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: "CUSTOM_PCI_10DE_1EB8", Inventory: inv})
	s, diffs := report(t, s, tree)
	if inv, _ := inventory(s, provider(t, s, card), "CUSTOM_PCI_10DE_1EB8"); inv.Reserved != 1 {
		t.Errorf("reserved %d, want 1 as in Placement", inv.Reserved)
	}
	if !has(diffs, tracker.Kept, card, "CUSTOM_PCI_10DE_1EB8 reserved") {
		t.Errorf("differences:\n%s", verdicts(diffs))
	}

	// With another class for the card, the old one is removed.
	other := build(t, hostWithVFs(t), providertree.Options{ReportPCI: true, PCIDevices: specs(t, `{"vendor_id": "10de", "resource_class": "T4"}`)})
	renamed, _ := report(t, s, other)
	if _, ok := inventory(renamed, provider(t, renamed, card), "CUSTOM_PCI_10DE_1EB8"); ok {
		t.Error("the old class of the card is still there")
	}
	if _, ok := renamed.ProviderByName(nic); ok {
		t.Error("the network card that no spec picks is still there")
	}

	// Reporting cannot be switched off.
	_, _, err := tracker.Report(s, build(t, hostWithVFs(t), providertree.Options{}))
	if still := (*tracker.StillReportedError)(nil); !errors.As(err, &still) || still.Host != "compute1" || !errors.Is(err, placement.ErrState) {
		t.Errorf("error %v, want StillReportedError of compute1", err)
	}
}

// Nova gives children random uuids: they are recognised by name.
func TestAdoptsNovasChildren(t *testing.T) {
	t.Parallel()
	tree := build(t, host(t), shownOptions())
	s := apply(t, placement.Empty(),
		placement.CreateProvider{ID: tree.Root.ID, Name: "compute1"},
		placement.CreateProvider{ID: id(9), Name: pgpu, Parent: tree.Root.ID},
	)
	s, _ = report(t, s, tree)
	if p := provider(t, s, pgpu); p.ID() != id(9) || s.ProviderCount() != 2 {
		t.Errorf("provider %s of %d, want the one that was there", p.ID(), s.ProviderCount())
	}
	if inv, _ := inventory(s, provider(t, s, pgpu), "VGPU"); inv.Total != 8 {
		t.Errorf("VGPU %+v, want total 8", inv)
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	tree := build(t, host(t), shownOptions())
	root := placement.CreateProvider{ID: tree.Root.ID, Name: "compute1"}
	for _, c := range []struct {
		name string
		ops  []placement.Op
		twin placement.ProviderID
		said string
	}{
		{"re-installed: the name with another uuid", []placement.Op{
			placement.CreateProvider{ID: id(1), Name: "compute1"},
			placement.AddInventory{Provider: id(1), Generation: placement.Generation(0), Class: "VCPU", Inventory: placement.NewInventory(4)},
			claim(1, id(1), "VCPU", 1), claim(2, id(1), "VCPU", 1),
		}, id(1), "2 consumers hold allocations"},
		{"renamed or cloned: the uuid with another name", []placement.Op{
			placement.CreateProvider{ID: tree.Root.ID, Name: "compute2"},
		}, tree.Root.ID, "is called compute2, but this machine is called compute1"},
		{"a child's name elsewhere", []placement.Op{
			root, placement.CreateProvider{ID: id(2), Name: "compute9"}, placement.CreateProvider{ID: id(3), Name: pgpu, Parent: id(2)},
		}, id(3), "exists with uuid"},
		{"a child's name, and no compute node", []placement.Op{
			placement.CreateProvider{ID: id(3), Name: pgpu},
		}, id(3), "exists with uuid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			change, diffs, err := tracker.Report(apply(t, placement.Empty(), c.ops...), tree)
			var identity *tracker.IdentityError
			if !errors.Is(err, placement.ErrExists) || !errors.As(err, &identity) || identity.Twin != c.twin {
				t.Fatalf("error %v, want an IdentityError about %s", err, c.twin)
			}
			if !strings.Contains(err.Error(), c.said) {
				t.Errorf("error %q does not say %q", err, c.said)
			}
			if !change.Empty() || diffs != nil {
				t.Errorf("change %v, differences %v beside the error", change.Ops, diffs)
			}
		})
	}
}

// A device that already has a provider is not counted twice.
func TestNoDoubleCount(t *testing.T) {
	t.Parallel()
	tree := build(t, host(t), shownOptions())
	root := placement.CreateProvider{ID: tree.Root.ID, Name: "compute1"}
	cyborg := func(name string) []placement.Op {
		return []placement.Op{
			root,
			placement.CreateProvider{ID: id(1), Name: name, Parent: tree.Root.ID},
			placement.SetTraits{Provider: id(1), Generation: placement.Generation(0), Traits: []placement.Trait{"OWNER_CYBORG"}},
			placement.AddInventory{Provider: id(1), Generation: placement.Generation(1), Class: "VGPU", Inventory: placement.NewInventory(8)},
		}
	}
	for _, c := range []struct {
		name string
		tree tracker.Tree
		ops  []placement.Op
		at   string // a provider in the Difference
		what string
		stay int // children of the root that remain
	}{
		{"Cyborg has the card under its own name", tree, cyborg("compute1_0000:84:00.0"), pgpu, "provider", 1},
		{"Cyborg has the very name", build(t, hostWithVFs(t), providertree.Options{ReportPCI: true, PCIDevices: specs(t, `{"vendor_id": "10de"}`)}), cyborg("compute1_0000:84:00.0"), "compute1_0000:84:00.0", "owner", 1},
		{"VGPU on the compute node, as before Stein", tree, []placement.Op{
			root, placement.AddInventory{Provider: tree.Root.ID, Generation: placement.Generation(0), Class: "VGPU", Inventory: placement.NewInventory(8)},
		}, pgpu, "provider", 0},
		{"the card was passed through, and is in use", tree, []placement.Op{
			root,
			placement.CreateProvider{ID: id(1), Name: "compute1_0000:84:00.0", Parent: tree.Root.ID},
			placement.SetTraits{Provider: id(1), Generation: placement.Generation(0), Traits: []placement.Trait{"OWNER_NOVA"}},
			placement.AddInventory{Provider: id(1), Generation: placement.Generation(1), Class: "PGPU", Inventory: placement.NewInventory(1)},
			claim(1, id(1), "PGPU", 1),
		}, pgpu, "provider", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := apply(t, placement.Empty(), c.ops...)
			s, diffs := report(t, before, c.tree)
			if !has(diffs, tracker.Conflict, c.at, c.what) {
				t.Errorf("want a conflict of %s:\n%s", c.at, verdicts(diffs))
			}
			must.Be(t, len(s.Children(provider(t, s, "compute1"))), c.stay)
			if p, ok := s.Provider(id(1)); ok && s.Owner(p) == placement.OwnedByBoth {
				t.Error("the provider has two owners now")
			}
		})
	}

	// Passed through and unused: it makes room for the vGPUs in the same change.
	h := host(t)
	s, _ := report(t, placement.Empty(), build(t, func() hw.Host { h := host(t); h.Mediated = sysfs.Mediated{}; return h }(), providertree.Options{ReportPCI: true, PCIDevices: passed(t)}))
	s, _ = report(t, s, build(t, h, providertree.Options{ReportPCI: true, PCIDevices: passed(t)}))
	if children := s.Children(provider(t, s, "compute1")); len(children) != 1 || children[0].Name() != pgpu {
		t.Errorf("%d children, want the pGPU alone", len(children))
	}
}

// Our classes that are no longer reported are removed, or shrink while in use.
func TestClassesOfOurs(t *testing.T) {
	t.Parallel()
	s, _ := report(t, placement.Empty(), build(t, host(t), providertree.Options{SharedCPUs: sysfs.CPUSet{0}, DedicatedCPUs: sysfs.CPUSet{1, 2}}))
	used := apply(t, s, claim(1, provider(t, s, "compute1").ID(), "PCPU", 1))
	tree := build(t, host(t), shownOptions())

	s, _ = report(t, s, tree)
	if _, ok := inventory(s, provider(t, s, "compute1"), "PCPU"); ok {
		t.Error("PCPU is still there")
	}
	used, diffs := report(t, used, tree)
	if inv, _ := inventory(used, provider(t, used, "compute1"), "PCPU"); inv.Total != 1 || inv.AllocationRatio != 1 {
		t.Errorf("PCPU %+v, want total 1 while 1 is allocated", inv)
	}
	if !has(diffs, tracker.Written, "compute1", "PCPU") {
		t.Errorf("differences:\n%s", verdicts(diffs))
	}
}

// Whatever the machine and the state of Placement, one report is enough: the second has
// nothing to write, usage is never lost, and the ledger is sound.
func TestOneReportIsEnough(t *testing.T) {
	t.Parallel()
	base := hostWithVFs(t)
	vgpus := host(t).Mediated
	rapid.Check(t, func(r *rapid.T) {
		h := func(label string) hw.Host {
			h := base
			h.CPU.Threads = known(rapid.IntRange(0, 64).Draw(r, label+" threads"))
			h.Memory.Total = known(uint64(rapid.IntRange(0, 1<<20).Draw(r, label+" MiB")) << 20)
			if rapid.Bool().Draw(r, label+" disk unknown") {
				h.Instances.Source = ""
			}
			if rapid.Bool().Draw(r, label+" vgpus") {
				p := vgpus.Parents[0]
				p.Types = []sysfs.MdevType{{
					ID: "nvidia-231", Available: rapid.IntRange(-1, 8).Draw(r, label+" available"), Devices: made(rapid.IntRange(0, 8).Draw(r, label+" made")),
				}}
				h.Mediated.Parents = []sysfs.MdevParent{p}
			}
			h.PCI = base.PCI[:rapid.IntRange(0, len(base.PCI)).Draw(r, label+" devices")]
			return h
		}
		opts := func(label string) providertree.Options {
			o := shownOptions()
			o.ReportPCI = label == "second" || rapid.Bool().Draw(r, label+" report PCI") // it cannot be switched off again
			if rapid.Bool().Draw(r, label+" device specs") {
				o.PCIDevices = passed(t)
			}
			o.Ratios.CPU = float64(rapid.IntRange(0, 3).Draw(r, label+" ratio"))
			if rapid.Bool().Draw(r, label+" mdev type") {
				o.MdevTypes = []providertree.MdevType{{ID: "nvidia-231", MaxInstances: int64(rapid.IntRange(0, 3).Draw(r, label+" cap"))}}
			}
			return o
		}
		make1 := func(label string) tracker.Tree {
			tree, err := providertree.Build(h(label), opts(label))
			if err != nil {
				r.Fatalf("Build: %v", err)
			}
			return tree
		}
		s, _ := report(r, placement.Empty(), make1("first"))
		var held int64
		for p := range s.Providers() {
			for _, iu := range p.Inventories() {
				most := min(iu.Free(), iu.MaxUnit)
				if most < 1 || !rapid.Bool().Draw(r, "claim on "+p.Name()) {
					continue
				}
				n := rapid.Int64Range(1, most).Draw(r, "amount")
				held++
				next, _, err := s.Apply(placement.Change{Ops: []placement.Op{claim(byte(held), p.ID(), s.ClassName(iu.Class), n)}})
				if err != nil {
					r.Fatalf("claim: %v", err)
				}
				s = next
			}
		}
		s, _ = report(r, s, make1("second"))
		if int64(s.ConsumerCount()) != held {
			r.Fatalf("%d consumers, want the %d that held something", s.ConsumerCount(), held)
		}
	})
}
