package panel_test

import (
	"math"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestBrief(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		n    int64
		room int
		want string
	}{
		{0, 1, "0"},
		{999, 3, "999"},
		{1000, 4, "1000"},
		{1000, 3, "1k"},
		{524288, 6, "524288"},
		{524288, 5, "524k"},
		{2147483647, 7, "2147M"},
		{2147483647, 4, "2G"},
		{-12345, 5, "-12k"},
		{math.MaxInt64, 7, "9223P"},
		{math.MaxInt64, 1, "9E"},
		{math.MinInt64, 6, "-9223P"},
	} {
		if got := panel.Brief(test.n, test.room); got != test.want {
			t.Errorf("Brief(%d, %d) = %q, want %q", test.n, test.room, got, test.want)
		}
	}
}

func TestRatio(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		r    float64
		room int
		want string
	}{
		{1, 5, "1.0"},
		{16, 5, "16.0"},
		{1.5, 5, "1.5"},
		{0.9, 5, "0.9"},
		{1.23456, 5, "1.235"},
		{100, 5, "100.0"},
		{1000, 5, "1000"},
		{placement.MaxRatio, 5, "3e38"},
		{placement.MaxRatio, 9, "3.403e38"},
		{0, 5, "0.0"},
		{-2, 5, "-2.0"},
	} {
		if got := panel.Ratio(test.r, test.room); got != test.want {
			t.Errorf("Ratio(%g, %d) = %q, want %q", test.r, test.room, got, test.want)
		}
	}
}

// forest is a host with the usual name of each service, with its subtree.
func forest(t *testing.T) *placement.Snapshot {
	t.Helper()
	once := placement.NewInventory(1)
	once.Reserved = 0
	return modeltest.Ledger(t, []modeltest.Provider{
		{
			Name: "cmp-1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8), placement.MemoryMB: placement.NewInventory(65536), placement.DiskGB: placement.NewInventory(100)},
			Children: []modeltest.Provider{
				{Name: "cmp-1_numa0", Children: []modeltest.Provider{{Name: "cmp-1_pci_0000_41_00_0", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}}},
				{Name: "cmp-1:Open vSwitch agent", Children: []modeltest.Provider{{Name: "cmp-1:Open vSwitch agent:br-ex", Inventories: modeltest.Inventories{"NET_BW_EGR_KILOBIT_PER_SEC": placement.NewInventory(1000)}}}},
				{Name: "cmp-1_once", Inventories: modeltest.Inventories{placement.PGPU: once}, Traits: []placement.Trait{placement.HWPCIOneTimeUse}},
				{Name: "cmp-12"},
				{Name: "cmp-1_"},
				{Name: "other"},
			},
		},
	})
}

func at(t *testing.T, s *placement.Snapshot, name string) *placement.ResourceProvider {
	t.Helper()
	p, ok := s.ProviderByName(name)
	if !ok {
		t.Fatalf("no provider %q", name)
	}
	return p
}

func TestShortNames(t *testing.T) {
	t.Parallel()
	s := forest(t)
	for name, want := range map[string]string{
		"cmp-1": "cmp-1", "cmp-1_numa0": "numa0", "cmp-1_pci_0000_41_00_0": "pci_0000_41_00_0", "cmp-1:Open vSwitch agent": "Open vSwitch agent",
		"cmp-1:Open vSwitch agent:br-ex": "br-ex", "cmp-12": "cmp-12", "cmp-1_": "cmp-1_", "other": "other",
	} {
		if got := panel.ShortName(s, at(t, s, name)); got != want {
			t.Errorf("ShortName(%q) = %q, want %q", name, got, want)
		}
	}
	want := []string{"cmp-1", "numa0", "pci_0000_41_00_0"}
	must.Match(t, want, panel.Path(s, at(t, s, "cmp-1_pci_0000_41_00_0")))
}

func TestHeld(t *testing.T) {
	t.Parallel()
	s := modeltest.Apply(t, forest(t), modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{
		"cmp-1":                          {placement.DiskGB: 80, placement.VCPU: 8, placement.MemoryMB: 16384},
		"cmp-1_pci_0000_41_00_0":         {placement.VGPU: 2},
		"cmp-1:Open vSwitch agent:br-ex": {"NET_BW_EGR_KILOBIT_PER_SEC": 1000},
	})))
	vm, _ := s.Consumer(modeltest.ConsumerID("vm"))
	if got, want := panel.Held(s, vm, nil), "VGPU 2  8C 16G  80G disk  1M egress"; got != want {
		t.Errorf("holds %q, want %q", got, want)
	}
	if got, want := panel.Held(s, vm, at(t, s, "cmp-1_pci_0000_41_00_0")), "VGPU 2"; got != want {
		t.Errorf("holds %q of the card, want %q", got, want)
	}
	if got := panel.Held(s, vm, at(t, s, "other")); got != "" {
		t.Errorf("holds %q of another provider", got)
	}
}

func TestConsumerNames(t *testing.T) {
	t.Parallel()
	vm, move, stray := modeltest.ConsumerID("vm"), modeltest.ConsumerID("move"), modeltest.ConsumerID("stray")
	var c cloud.Change
	for _, r := range []versioned.Record{
		&nova.Instance{UUID: vm, Name: "web-1"},
		&nova.Migration{UUID: move, Instance: vm, Type: nova.Resize}, &nova.Migration{UUID: stray, Instance: modeltest.ConsumerID("gone"), Type: nova.Resize},
	} {
		c.PutRecords(versioned.Change{After: r})
	}
	s, _, err := cloud.Empty().Apply(c)
	must.Succeed(t, err)
	for id, want := range map[placement.ConsumerID]string{
		vm: "web-1", move: "resize of web-1", stray: stray.String(), {}: "nobody",
	} {
		if got := panel.ConsumerName(s, id); got != want {
			t.Errorf("ConsumerName(%s) = %q, want %q", id, got, want)
		}
	}
}

func TestLoads(t *testing.T) {
	t.Parallel()
	s := modeltest.Apply(t, forest(t), modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{
		"cmp-1_once": {placement.PGPU: 1}, "cmp-1_pci_0000_41_00_0": {placement.VGPU: 3},
	})))
	reserve := func(name string, class placement.ResourceClass, total, reserved int64) {
		inv := placement.NewInventory(total)
		inv.Reserved = reserved
		s = modeltest.Apply(t, s, placement.SetInventory{Provider: at(t, s, name).ID(), Generation: placement.AnyGeneration(), Class: class, Inventory: inv})
	}
	reserve("cmp-1_once", placement.PGPU, 1, 1)
	reserve("cmp-1_pci_0000_41_00_0", placement.VGPU, 4, 2)
	get := func(name string, class placement.ResourceClass) (bool, component.Load) {
		p := at(t, s, name)
		iu, _ := p.Inventory(panel.ClassID(s, class))
		return panel.Over(s, p, iu), panel.Load(s, p, iu)
	}
	if over, l := get("cmp-1_once", placement.PGPU); over || l != (component.Load{Total: 1, Capacity: 1, Used: 1, Token: themes.OwnerNone}) {
		t.Errorf("a device in its one use: over %v, %+v", over, l)
	}
	if over, l := get("cmp-1_pci_0000_41_00_0", placement.VGPU); !over || l != (component.Load{Total: 4, Reserved: 2, Capacity: 2, Used: 3, Token: themes.OwnerNone}) {
		t.Errorf("a card that shrunk: over %v, %+v", over, l)
	}
	if l, n := panel.TreeLoad(s, at(t, s, "cmp-1"), panel.ClassID(s, placement.VGPU)); n != 1 || l.Used != 3 {
		t.Errorf("the tree has %d, %+v", n, l)
	}
	if l, n := panel.TreeLoad(s, at(t, s, "cmp-1"), panel.ClassID(s, "CUSTOM_NO_SUCH")); n != 0 || l != (component.Load{}) {
		t.Errorf("of a class that is not known the tree has %d, %+v", n, l)
	}
	most := component.Load{Total: 1, Capacity: math.MaxInt64, Used: 1}
	if sum := panel.Sum(most, most); sum.Capacity != math.MaxInt64 || sum.Used != 2 {
		t.Errorf("two of the greatest are %+v", sum)
	}
}

// TestLinesAreAsWideAsAsked draws every piece of the demo at every width.
func TestLinesAreAsWideAsAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []*tuitest.Cloud{tuitest.Demo(t, 12), tuitest.Hostile(t)} {
		snap := c.Snapshot()
		pl := snap.Placement()
		st := tuitest.Plain()
		check := func(what string, w int, lines ...string) {
			t.Helper()
			for _, line := range lines {
				if got := ansi.StringWidth(line); got != w {
					t.Fatalf("%s, %d cells: %d in %q", what, w, got, line)
				}
			}
		}
		for p := range pl.Providers() {
			for _, w := range []int{2, 3, 10, 29, 30, 36, 39, 45, 60, 78, 100, 155} {
				check("inventories", w, panel.Inventories(st, pl, p, w, "INVENTORY")...)
				check("traits", w, panel.Traits(st, pl, p, w)...)
				for h := 1; h < 8; h++ {
					lines := panel.Summary(st, snap, p, nil, w, h)
					if check("summary", w, lines...); len(lines) > h {
						t.Fatalf("a summary of %d lines has %d", h, len(lines))
					}
				}
				for consumer := range pl.ConsumersOf(p) {
					check("consumer", w, panel.ConsumerLine(component.NewLine(st, w), snap, consumer, p, tuitest.Now()).String())
				}
			}
		}
	}
}

func TestAge(t *testing.T) {
	t.Parallel()
	now := tuitest.Now()
	for at, want := range map[time.Time]string{{}: "-", now.Add(-time.Minute): "1m", now.Add(time.Second): "0s", now.Add(2 * time.Hour): "in 2h"} {
		if got := panel.Age(now, at); got != want {
			t.Errorf("Age(%v) = %q, want %q", at, got, want)
		}
	}
}

func TestMainClass(t *testing.T) {
	t.Parallel()
	must.Be(t, panel.MainClass(placement.Empty()), placement.VCPU)
	s := modeltest.Ledger(t, []modeltest.Provider{{Name: "pool", Inventories: modeltest.Inventories{placement.DiskGB: placement.NewInventory(1)}}})
	must.Be(t, panel.MainClass(s), placement.DiskGB)
	if got := panel.MainClass(forest(t)); got != placement.VGPU {
		t.Errorf("of a host with a card %s", got)
	}
	if got := panel.ClassesInUse(s); len(got) != 1 || got[0] != placement.DiskGB {
		t.Errorf("in use are %v", got)
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 hosts", 1: "1 host", 2: "2 hosts"} {
		if got := component.Plural(n, "host"); got != want {
			t.Errorf("component.Plural(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	for want, amounts := range map[string]map[placement.ResourceClass]int64{
		"":                        nil,
		"8C 64G":                  {placement.VCPU: 8, placement.MemoryMB: 65536},
		"VGPU 2  1C  20G disk":    {placement.DiskGB: 20, placement.VCPU: 1, placement.VGPU: 2},
		"CUSTOM_A 1  CUSTOM_B 12": {"CUSTOM_B": 12, "CUSTOM_A": 1},
	} {
		if got := panel.Amounts(amounts); got != want {
			t.Errorf("%v is %q, want %q", amounts, got, want)
		}
	}
}
