package providertree_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/hw"
	"github.com/placetop/placetop/hw/hwtest"
	"github.com/placetop/placetop/hw/providertree"
	"github.com/placetop/placetop/hw/sysfs"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// probe probes a captured machine.
func probe(t *testing.T, machine string) hw.Host {
	t.Helper()
	return must.Get(hw.Probe(t.Context(), hw.Options{
		Root: hwtest.Unpack(t, "../testdata/"+machine+".txtar"),
		Statfs: func(context.Context, string) (hw.Filesystem, error) {
			return hw.Filesystem{Type: "xfs", Total: 3 << 40, Free: 2 << 40, Source: "fixed"}, nil
		},
	}))(t)
}

// probed holds the captured machines by name.
var probed sync.Map // of func() hw.Host

// shared is probe of a machine that the test does not change: most look at all machines,
// whose files take longer to unpack than to read.
func shared(t *testing.T, machine string) hw.Host {
	t.Helper()
	once, _ := probed.LoadOrStore(machine, sync.OnceValue(func() hw.Host { return probe(t, machine) }))
	return once.(func() hw.Host)()
}

// shownOptions are Nova's defaults, with cards reported by the types that they have in use.
func shownOptions() providertree.Options {
	o := providertree.DefaultOptions()
	o.OnlyEnabled = false
	return o
}

func build(t *testing.T, h hw.Host, opts providertree.Options) tracker.Tree {
	t.Helper()
	tree, err := providertree.Build(h, opts)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return tree
}

// text prints a tree for goldens.
func text(tree tracker.Tree) []byte {
	var b bytes.Buffer
	for _, p := range tree.All() {
		fmt.Fprintf(&b, "%s  (%s)\n  uuid %s < %s\n", p.Name, p.Kind, p.ID, p.IDSource)
		for _, inv := range p.Inventories {
			fmt.Fprintf(&b, "  %s total %d reserved %d unit %d..%d step %d ratio %g < %s\n", inv.Class, inv.Total, inv.Reserved,
				inv.MinUnit, inv.MaxUnit, inv.StepSize, inv.AllocationRatio, inv.Source)
		}
		for _, trait := range p.Traits {
			fmt.Fprintf(&b, "  %s < %s\n", trait.Name, trait.Source)
		}
		if len(p.Without) > 0 {
			fmt.Fprintf(&b, "  without %v\n", p.Without)
		}
	}
	for _, l := range tree.Left {
		fmt.Fprintf(&b, "left %s %s, remove %v: %s\n", l.Kind, l.Device(), l.Remove, l.Why)
	}
	for _, u := range tree.Unknown {
		fmt.Fprintf(&b, "unknown %s: %s\n", u.Class, u.Why)
	}
	for _, n := range tree.Notes {
		fmt.Fprintf(&b, "note %s\n", n)
	}
	return b.Bytes()
}

// What nova-compute would report of each captured machine, with its PCI devices.
func TestMachines(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(hwtest.Machines(t, "../testdata"))) {
		opts := shownOptions()
		opts.ReportPCI, opts.PCIDevices = true, passed(t)
		fmt.Fprintf(&all, "-- %s --\n%s\n", name, text(build(t, shared(t, name), opts)))
	}
	golden.RequireEqual(t, all.Bytes())
}

func TestOwnerOnEveryProvider(t *testing.T) {
	t.Parallel()
	for name := range hwtest.Machines(t, "../testdata") {
		for _, p := range build(t, shared(t, name), providertree.Options{ReportPCI: true, PCIDevices: passed(t)}).All() {
			if !slices.ContainsFunc(p.Traits, func(tr tracker.Trait) bool { return tr.Name == placement.OwnerNova }) {
				t.Errorf("%s: %s has traits %v, want OWNER_NOVA among them", name, p.Name, p.Traits)
			}
			for _, tr := range p.Traits {
				if tr.Source == "" || !slices.Contains(placement.StandardTraits(), tr.Name) {
					t.Errorf("%s: %s: trait %q from %q is no standard one, or from nowhere", name, p.Name, tr.Name, tr.Source)
				}
			}
			for _, inv := range p.Inventories {
				if inv.Source == "" {
					t.Errorf("%s: %s: %s comes from nowhere", name, p.Name, inv.Class)
				}
			}
		}
	}
}

// specs parses device specs.
func specs(t testing.TB, texts ...string) []pci.DeviceSpec {
	t.Helper()
	out := must.Get(pci.ParseDeviceSpecs(texts, true))(t)
	return out
}

// passed are the device specs of the captured machines: NVIDIA's cards, and virtual
// functions of network cards.
func passed(t testing.TB) []pci.DeviceSpec {
	return specs(t, `[{"vendor_id": "10de", "product_id": "1eb8"}, {"vendor_id": "1002", "product_id": "740f"}]`,
		`{"vendor_id": "10de", "address": {"bus": "41", "function": "[1-7]"}}`, `{"vendor_id": "8086", "product_id": "154c"}`)
}

func known[T any](v T) hw.Reading[T] { return hw.Reading[T]{Value: v, Source: "test"} }

func addr(t *testing.T, text string) sysfs.Address {
	t.Helper()
	a := must.Get(sysfs.ParseAddress(text))(t)
	return a
}

const (
	cardAt = "0000:84:00.0"
	vfAt   = "0000:af:02.0"
)

// made returns n uuids.
func made(n int) []uuid.UUID {
	out := make([]uuid.UUID, n)
	for i := range out {
		out[i] = uuid.UUID{15: byte(i + 1)}
	}
	return out
}

// host is a machine with 8 CPUs, 16 GiB, 100 GiB, and a card that has two types of vGPU,
// one of them in use.
func host(t *testing.T) hw.Host {
	t.Helper()
	a := addr(t, cardAt)
	return hw.Host{
		Hostname:  known("compute1"),
		MachineID: known("0123456789abcdef0123456789abcdef"),
		Arch:      known("x86_64"),
		CPU: hw.CPU{
			Threads: known(8), Flags: known([]string{"avx2", "sse4_2", "vmx"}),
			Topology: sysfs.CPUTopology{Online: sysfs.CPUSet{0, 1, 2, 3, 4, 5, 6, 7}, CPUs: []sysfs.CPU{{Siblings: sysfs.CPUSet{0, 4}}}},
		},
		Memory:    hw.Memory{Total: known(uint64(16)<<30 + 5)},
		Instances: hw.Filesystem{Path: "/i", Asked: "/i", Total: 100<<30 + 7, Source: "test"},
		PCI: []hw.PCIDevice{{PCIDevice: sysfs.PCIDevice{
			Address: a, Path: "/pci/" + cardAt, Vendor: sysfs.VendorNVIDIA, Device: 0x1eb8, Class: 0x030200,
		}}},
		Mediated: sysfs.Mediated{Parents: []sysfs.MdevParent{{
			Name: cardAt, Address: &a, Path: "/mdev/" + cardAt,
			Types: []sysfs.MdevType{
				{ID: "nvidia-222", Path: "/t/nvidia-222", Available: 0},
				{ID: "nvidia-231", Path: "/t/nvidia-231", Available: 6, Devices: made(2)},
			},
		}}},
	}
}

func TestRootInventories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		opts providertree.Options
		edit func(*hw.Host)
		want map[placement.ResourceClass]placement.Inventory
	}{
		{
			"Nova's defaults", shownOptions(), nil,
			map[placement.ResourceClass]placement.Inventory{
				"VCPU":      {Total: 8, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 4},
				"MEMORY_MB": {Total: 16384, Reserved: 512, MinUnit: 1, MaxUnit: 16384, StepSize: 1, AllocationRatio: 1},
				"DISK_GB":   {Total: 100, MinUnit: 1, MaxUnit: 100, StepSize: 1, AllocationRatio: 1},
			},
		},
		{
			"configured ratios win over initial ones; reserved disk is rounded up",
			providertree.Options{Conf: tracker.Conf{
				Ratios: tracker.Ratios{CPU: 16, RAM: 1.5, Disk: 2}, InitialRatios: tracker.Ratios{CPU: 4},
				ReservedCPUs: 2, ReservedMemoryMB: 1024, ReservedDiskMB: 1025,
			}},
			nil,
			map[placement.ResourceClass]placement.Inventory{
				"VCPU":      {Total: 8, Reserved: 2, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 16},
				"MEMORY_MB": {Total: 16384, Reserved: 1024, MinUnit: 1, MaxUnit: 16384, StepSize: 1, AllocationRatio: 1.5},
				"DISK_GB":   {Total: 100, Reserved: 2, MinUnit: 1, MaxUnit: 100, StepSize: 1, AllocationRatio: 2},
			},
		},
		{
			"shared and dedicated CPUs",
			providertree.Options{SharedCPUs: sysfs.CPUSet{0, 1}, DedicatedCPUs: sysfs.CPUSet{2, 3, 4}},
			nil,
			map[placement.ResourceClass]placement.Inventory{
				"VCPU":      {Total: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1},
				"PCPU":      {Total: 3, MinUnit: 1, MaxUnit: 3, StepSize: 1, AllocationRatio: 1},
				"MEMORY_MB": {Total: 16384, MinUnit: 1, MaxUnit: 16384, StepSize: 1, AllocationRatio: 1},
				"DISK_GB":   {Total: 100, MinUnit: 1, MaxUnit: 100, StepSize: 1, AllocationRatio: 1},
			},
		},
		{
			"dedicated CPUs alone leave no VCPU",
			providertree.Options{DedicatedCPUs: sysfs.CPUSet{7}},
			func(h *hw.Host) { h.Memory.Total, h.Instances.Total = known(uint64(0)), 5 },
			map[placement.ResourceClass]placement.Inventory{
				"PCPU": {Total: 1, MinUnit: 1, MaxUnit: 1, StepSize: 1, AllocationRatio: 1},
			},
		},
		{
			"more reserved than there is",
			providertree.Options{Conf: tracker.Conf{ReservedMemoryMB: 1 << 20, ReservedCPUs: 8}},
			func(h *hw.Host) { h.Instances.Source = "" },
			map[placement.ResourceClass]placement.Inventory{
				"VCPU":      {Total: 8, Reserved: 8, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 1},
				"MEMORY_MB": {Total: 16384, Reserved: 16384, MinUnit: 1, MaxUnit: 16384, StepSize: 1, AllocationRatio: 1},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := host(t)
			if c.edit != nil {
				c.edit(&h)
			}
			got := make(map[placement.ResourceClass]placement.Inventory)
			for _, inv := range build(t, h, c.opts).Root.Inventories {
				got[inv.Class] = inv.Inventory
			}
			must.Match(t, c.want, got)
		})
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	t.Parallel()
	tree := build(t, hw.Host{Hostname: known("compute1"), Instances: hw.Filesystem{Path: "/i"}}, shownOptions())
	if len(tree.Root.Inventories) != 0 || len(tree.Unknown) != 3 || len(tree.Root.Without) != 0 {
		t.Errorf("inventories %v, unknown %v, without %v; want nothing, three classes, nothing", tree.Root.Inventories, tree.Unknown, tree.Root.Without)
	}
}

func TestRootID(t *testing.T) {
	t.Parallel()
	given := placement.ProviderID(uuid.MustParse("11111111-2222-3333-4444-555555555555"))
	novas := uuid.MustParse("99999999-2222-3333-4444-555555555555")
	full := host(t)
	full.ComputeID, full.ProductUUID = known(novas), known(uuid.UUID{1})
	for _, c := range []struct {
		name   string
		edit   func(*hw.Host)
		opts   providertree.Options
		want   string
		source string
	}{
		{"the options", nil, providertree.Options{RootID: given}, given.String(), "options"},
		{"nova-compute's file", nil, providertree.Options{}, novas.String(), "test"},
		{"machine id", func(h *hw.Host) { h.ComputeID = hw.Reading[uuid.UUID]{} }, providertree.Options{}, "19570075-7bf9-5e20-93cf-bf1589b5052b", "uuid5 of test"},
		{"mainboard, where the machine id is none", func(h *hw.Host) {
			h.ComputeID, h.MachineID = hw.Reading[uuid.UUID]{}, known("uninitialized")
		}, providertree.Options{}, "", "uuid5 of test"},
		{"host name", func(h *hw.Host) {
			h.ComputeID, h.MachineID, h.ProductUUID = hw.Reading[uuid.UUID]{}, hw.Reading[string]{}, hw.Reading[uuid.UUID]{}
		}, providertree.Options{}, "", "uuid5 of the host name"},
	} {
		h := full
		if c.edit != nil {
			c.edit(&h)
		}
		root := build(t, h, c.opts).Root
		if c.want != "" && root.ID.String() != c.want || root.IDSource != c.source {
			t.Errorf("%s: uuid %s from %q, want %s from %q", c.name, root.ID, root.IDSource, c.want, c.source)
		}
		if again := build(t, h, c.opts).Root; again.ID != root.ID {
			t.Errorf("%s: %s at first, %s then", c.name, root.ID, again.ID)
		}
		if strings.Contains(root.ID.String(), "01234567") {
			t.Errorf("%s: %s shows the machine id", c.name, root.ID)
		}
	}
	if _, err := providertree.Build(hw.Host{}, providertree.Options{}); !errors.Is(err, placement.ErrInvalid) {
		t.Errorf("no host name: %v, want ErrInvalid", err)
	}
}

func TestCPUTraits(t *testing.T) {
	t.Parallel()
	h := host(t)
	root := build(t, h, providertree.Options{}).Root
	var got []placement.Trait
	for _, tr := range root.Traits {
		got = append(got, tr.Name)
	}
	want := []placement.Trait{
		"COMPUTE_NODE", "HW_ARCH_X86_64", "HW_CPU_HYPERTHREADING", "HW_CPU_X86_AVX2",
		"HW_CPU_X86_INTEL_VMX", "HW_CPU_X86_SSE42", "HW_CPU_X86_VMX", "OWNER_NOVA",
	}
	must.Match(t, want, got)
	// Each trait in the table is standard, and either present or known to be missing.
	seen := make(map[placement.Trait]bool)
	for _, tr := range append(root.Without, got...) {
		if seen[tr] {
			t.Errorf("%s is both there and missing, or twice", tr)
		}
		seen[tr] = true
		if !slices.Contains(placement.StandardTraits(), tr) {
			t.Errorf("%s is not a standard trait", tr)
		}
	}
	if !seen["HW_CPU_X86_AVX512F"] || !seen["HW_CPU_X86_SHA"] {
		t.Errorf("without %v, want what the processors lack", root.Without)
	}

	h.CPU.Topology.CPUs = []sysfs.CPU{{Siblings: sysfs.CPUSet{0}}}
	if root := build(t, h, providertree.Options{}).Root; !slices.Contains(root.Without, "HW_CPU_HYPERTHREADING") {
		t.Errorf("without %v, want HW_CPU_HYPERTHREADING among them where cores have one thread", root.Without)
	}
}

func TestPGPUs(t *testing.T) {
	t.Parallel()
	type types = []providertree.MdevType
	at := []sysfs.Address{addr(t, cardAt)}
	elsewhere := []sysfs.Address{addr(t, "0000:99:00.0")}
	for _, c := range []struct {
		name  string
		types types
		edit  func(*sysfs.MdevParent)
		class placement.ResourceClass
		total int64  // 0: not reported
		why   string // a part of the reason
	}{
		{"the type in use", nil, nil, "VGPU", 8, ""},
		{"the enabled type", types{{ID: "nvidia-231"}}, nil, "VGPU", 8, ""},
		{"the enabled type has none left", types{{ID: "nvidia-222"}}, nil, "", 0, "no vGPU of type nvidia-222 can be created"},
		{"a type that the card does not have", types{{ID: "nvidia-999"}}, nil, "", 0, "does not support"},
		{"capped", types{{ID: "nvidia-231", MaxInstances: 3}}, nil, "VGPU", 3, ""},
		{"cap above capacity", types{{ID: "nvidia-231", MaxInstances: 30}}, nil, "VGPU", 8, ""},
		{"class of its own", types{{ID: "nvidia-231", Addresses: at, Class: "CUSTOM_T4"}}, nil, "CUSTOM_T4", 8, ""},
		{"another card's type", types{{ID: "nvidia-231", Addresses: elsewhere}}, nil, "", 0, "no enabled mdev type has the card in its device_addresses"},
		{"two types, each with its cards", types{{ID: "nvidia-222", Addresses: elsewhere}, {ID: "nvidia-231", Addresses: at}}, nil, "VGPU", 8, ""},
		{"two types, one without cards: the first", types{{ID: "nvidia-231", Class: "CUSTOM_X"}, {ID: "nvidia-222", Addresses: at}}, nil, "VGPU", 8, ""},
		{"nothing in use", nil, func(p *sysfs.MdevParent) { p.Types[1].Devices = nil }, "", 0, "none is in use on the card"},
		{"two types in use", nil, func(p *sysfs.MdevParent) { p.Types[0].Devices = made(1) }, "", 0, "2 are in use on the card"},
		{"capacity unreadable", nil, func(p *sysfs.MdevParent) { p.Types[1].Available = -1 }, "", 0, "could not be read"},
		{"no PCI device", nil, func(p *sysfs.MdevParent) { p.Address = nil }, "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := host(t)
			if c.edit != nil {
				c.edit(&h.Mediated.Parents[0])
			}
			tree := build(t, h, providertree.Options{MdevTypes: c.types})
			if c.total == 0 {
				if len(tree.Children) != 0 {
					t.Fatalf("children %+v, want none", tree.Children)
				}
				if c.why != "" && (len(tree.Left) != 1 || !strings.Contains(tree.Left[0].Why, c.why)) {
					t.Errorf("left %+v, want the reason %q", tree.Left, c.why)
				}
				return
			}
			if len(tree.Children) != 1 {
				t.Fatalf("children %+v, left %+v; want one child", tree.Children, tree.Left)
			}
			p := tree.Children[0]
			if p.Name != "compute1_pci_0000_84_00_0" || p.Kind != tracker.PGPU {
				t.Errorf("child %s, %s", p.Name, p.Kind)
			}
			want := placement.Inventory{Total: c.total, MinUnit: 1, MaxUnit: c.total, StepSize: 1, AllocationRatio: 1}
			if inv, ok := p.Inventory(c.class); !ok || inv.Inventory != want {
				t.Errorf("inventories %+v, want %s %+v", p.Inventories, c.class, want)
			}
		})
	}
}

// A PF with the VFs of a network card or an accelerator, for the specs below.
func hostWithVFs(t *testing.T) hw.Host {
	t.Helper()
	h := host(t)
	h.Mediated = sysfs.Mediated{}
	pf, vf1, vf2 := addr(t, "0000:af:00.0"), addr(t, vfAt), addr(t, "0000:af:02.1")
	dev := func(a sysfs.Address, id sysfs.ID) hw.PCIDevice {
		return hw.PCIDevice{PCIDevice: sysfs.PCIDevice{Address: a, Path: "/pci/" + a.String(), Vendor: sysfs.VendorIntel, Device: id, Class: 0x020000}}
	}
	p, v1, v2 := dev(pf, 0x158b), dev(vf1, 0x154c), dev(vf2, 0x154c)
	p.SRIOV = &sysfs.SRIOV{TotalVFs: 64, NumVFs: 2, VFs: []sysfs.Address{vf1, vf2}}
	v1.PhysFn, v2.PhysFn = &pf, &pf
	h.PCI = append(h.PCI, p, v1, v2)
	return h
}

func TestPCIDevices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		specs []string
		want  map[string]string // name: class and total
		rows  int               // records of devices
		err   bool
	}{
		{"none without a spec", nil, map[string]string{}, 0, false},
		{"by vendor", []string{`{"vendor_id": "10de"}`}, map[string]string{"compute1_0000:84:00.0": "CUSTOM_PCI_10DE_1EB8 1"}, 1, false},
		{"by product, with a class", []string{`{"product_id": "154c", "resource_class": "my nic-25G"}`}, map[string]string{"compute1_0000:AF:00.0": "CUSTOM_MY_NIC_25G 2"}, 2, false},
		{"a standard class", []string{`{"vendor_id": "10de", "resource_class": "pgpu"}`}, map[string]string{"compute1_0000:84:00.0": "PGPU 1"}, 1, false},
		{"one VF of two", []string{`{"address": "0000:af:02.0"}`}, map[string]string{"compute1_0000:AF:00.0": "CUSTOM_PCI_8086_154C 1"}, 1, false},
		{"the PF whole", []string{`{"address": "0000:af:00.0", "product_id": "158b"}`}, map[string]string{"compute1_0000:AF:00.0": "CUSTOM_PCI_8086_158B 1"}, 1, false},
		{"the VFs of a PF", []string{`{"address": "0000:af:00.0", "product_id": "154c"}`}, map[string]string{"compute1_0000:AF:00.0": "CUSTOM_PCI_8086_154C 2"}, 2, false},
		{"Neutron's", []string{`{"vendor_id": "8086", "product_id": "154c", "physical_network": "net0"}`}, map[string]string{}, 2, false},
		{"the first that picks it", []string{`{"address": "0000:84:*.*", "resource_class": "A"}`, `{"vendor_id": "10de", "resource_class": "B"}`}, map[string]string{"compute1_0000:84:00.0": "CUSTOM_A 1"}, 1, false},
		{"PF and VF", []string{`{"address": "0000:af:00.0"}`}, nil, 0, true},
		{"two classes on one PF", []string{`{"address": "0000:af:02.0", "resource_class": "A"}`, `{"product_id": "154c", "resource_class": "B"}`}, nil, 0, true},
		{"two sets of traits on one PF", []string{`{"address": "0000:af:02.0", "traits": "A"}`, `{"product_id": "154c"}`}, nil, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tree, err := providertree.Build(hostWithVFs(t), providertree.Options{ReportPCI: true, PCIDevices: specs(t, c.specs...)})
			if c.err {
				must.Fail(t, err, placement.ErrInvalid)
				return
			}
			must.Succeed(t, err)
			got := make(map[string]string)
			for _, p := range tree.Children {
				got[p.Name] = fmt.Sprintf("%s %d", p.Inventories[0].Class, p.Inventories[0].Total)
			}
			must.Match(t, c.want, got)
			if len(tree.Devices) != c.rows {
				t.Errorf("records %+v, want %d", tree.Devices, c.rows)
			}
			// If nothing is reported to Placement, the records are the same.
			if untold := build(t, hostWithVFs(t), providertree.Options{PCIDevices: specs(t, c.specs...)}); len(untold.Children) != 0 || !cmp.Equal(untold.Devices, tree.Devices) {
				t.Errorf("without report_in_placement: children %+v, records %+v", untold.Children, untold.Devices)
			}
		})
	}
}

func TestPCITraits(t *testing.T) {
	t.Parallel()
	tree := build(t, hostWithVFs(t), providertree.Options{ReportPCI: true, PCIDevices: specs(t,
		`{"vendor_id": "10de", "traits": "big gpu,HW_GPU_API_VULKAN", "one_time_use": "yes", "live_migratable": "yes"}`)})
	var got []placement.Trait
	for _, tr := range tree.Children[0].Traits {
		got = append(got, tr.Name)
	}
	want := []placement.Trait{
		"COMPUTE_MANAGED_PCI_DEVICE", "CUSTOM_BIG_GPU", "HW_GPU_API_VULKAN", "HW_PCI_LIVE_MIGRATABLE", "HW_PCI_ONE_TIME_USE", "OWNER_NOVA",
	}
	must.Match(t, want, got)
}

func TestBuildErrors(t *testing.T) {
	t.Parallel()
	at := []sysfs.Address{addr(t, cardAt)}
	for name, opts := range map[string]providertree.Options{
		"a shared CPU that is offline":   {SharedCPUs: sysfs.CPUSet{8}},
		"a dedicated CPU that is shared": {SharedCPUs: sysfs.CPUSet{1}, DedicatedCPUs: sysfs.CPUSet{1}},
		"one card, two types":            {MdevTypes: []providertree.MdevType{{ID: "a", Addresses: at}, {ID: "b", Addresses: at}}},
		"a type without a name":          {MdevTypes: []providertree.MdevType{{}}},
		"a standard class of mdevs":      {MdevTypes: []providertree.MdevType{{ID: "a", Class: "VCPU"}}},
		"a bad class of mdevs":           {MdevTypes: []providertree.MdevType{{ID: "a", Class: "CUSTOM_a b"}}},
		"a negative ratio of the CPUs":   {Conf: tracker.Conf{Ratios: tracker.Ratios{CPU: -1}}},
	} {
		if _, err := providertree.Build(host(t), opts); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}
