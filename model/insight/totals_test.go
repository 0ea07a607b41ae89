package insight_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestTotals(t *testing.T) {
	t.Parallel()
	over := placement.Inventory{Total: 16, Reserved: 2, MinUnit: 1, MaxUnit: 16, StepSize: 1, AllocationRatio: 4}
	half := placement.Inventory{Total: 10, Reserved: 1, MinUnit: 1, MaxUnit: 10, StepSize: 1, AllocationRatio: 0.5}
	shrunk := placement.NewInventory(2)
	w := newWorld(t).
		Provider("h", "", resources{placement.VCPU: 16}, placement.OwnerNova).Inventory("h", placement.VCPU, over).
		Provider("k", "", resources{placement.VCPU: 10}, placement.OwnerNova).Inventory("k", placement.VCPU, half).
		Provider("card", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
		Provider("card2", "h", resources{placement.VGPU: 4}, placement.OwnerCyborg).
		Instance("i", nova.Resized).Migration(nova.Finished).
		Claim("i", placement.InstanceConsumer, map[string]resources{"h": {placement.VCPU: 5}, "card2": {placement.VGPU: 1}}).
		Claim("m", "", map[string]resources{"k": {placement.VCPU: 2}, "card": {placement.VGPU: 3}}).
		Claim("x", placement.MigrationConsumer, map[string]resources{"h": {placement.VCPU: 1}}).
		Inventory("card", placement.VGPU, shrunk)
	got := insight.Totals(w.Snapshot)
	card := insight.ClassTotal{
		Class: placement.VGPU, Total: 2, Capacity: 2, Used: 3, Held: 3, Physical: 2, Over: 1, Providers: 1, OverProviders: 1,
	}
	card2 := insight.ClassTotal{Class: placement.VGPU, Total: 4, Capacity: 4, Used: 1, Physical: 4, Free: 3, Largest: 3, Providers: 1}
	want := insight.Summary{
		Providers: 4, Roots: 2, Consumers: 3,
		Classes: []insight.ClassTotal{
			{
				Class: placement.VCPU, Total: 26, Reserved: 3, Capacity: 56 + 4, Used: 8, Held: 3,
				Withheld: 2 + 6, Physical: 14 + 4, Free: 50 + 2, Largest: 16, Providers: 2,
			},
			{
				Class: placement.VGPU, Total: 6, Capacity: 6, Used: 4, Held: 3, Physical: 6, Over: 1, Free: 3, Largest: 3,
				Providers: 2, OverProviders: 1,
			},
		},
		Owners: map[placement.Owner]insight.OwnerTotal{
			placement.OwnedByNone:   {Classes: []insight.ClassTotal{}},
			placement.OwnedByNova:   {Providers: 1, Classes: []insight.ClassTotal{card}},
			placement.OwnedByCyborg: {Providers: 1, Classes: []insight.ClassTotal{card2}},
			placement.OwnedByBoth:   {Classes: []insight.ClassTotal{}},
		},
	}
	must.Match(t, want, got)
	if free := got.Class(placement.VGPU).Free; free != 3 {
		t.Errorf("free VGPU: %d, want 3: one claims too much elsewhere", free)
	}
	if none := got.Class(placement.FPGA); none != (insight.ClassTotal{Class: placement.FPGA}) {
		t.Errorf("a class that nothing has: %+v", none)
	}
}

// Ratios may be as large as Placement allows; sums must not turn negative.
func TestTotalsOfHugeRatios(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		inv := placement.NewInventory(placement.MaxInt)
		inv.AllocationRatio = placement.MaxRatio
		w.Provider(name, "", resources{placement.VCPU: 1}).Inventory(name, placement.VCPU, inv)
	}
	if c := insight.Totals(w.Snapshot).Class(placement.VCPU); c.Capacity < 0 || c.Free < 0 {
		t.Errorf("capacity %d, free %d: below zero", c.Capacity, c.Free)
	}
}

// The sums are the same as those over the records, for any cloud.
func TestTotalsAgreeWithTheRecords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t)
		classes := []placement.ResourceClass{placement.VCPU, placement.VGPU, "CUSTOM_A"}
		names := []string{"a", "b", "c", "d"}
		for _, n := range names {
			total := resources{}
			for _, c := range classes {
				if rapid.Bool().Draw(rt, "has") {
					total[c] = rapid.Int64Range(1, 20).Draw(rt, "total")
				}
			}
			w.Provider(n, "", total)
		}
		for _, c := range []string{"i", "j", "k"} {
			holds := map[string]resources{}
			for r := range w.Placement().Records() {
				p, ok := r.(*placement.ProviderRecord)
				if !ok || !rapid.Bool().Draw(rt, "holds") {
					continue
				}
				for class, inv := range p.Inventories {
					rp, _ := w.Placement().Provider(p.UUID)
					id, _ := w.Placement().ClassID(class)
					has, _ := rp.Inventory(id)
					if has.Used < inv.Total {
						holds[p.Name] = resources{class: rapid.Int64Range(1, inv.Total-has.Used).Draw(rt, "amount")}
					}
				}
			}
			if len(holds) > 0 {
				w.Claim(c, rapid.SampledFrom([]placement.ConsumerType{"", "INSTANCE", "MIGRATION"}).Draw(rt, "type"), holds)
			}
		}
		total, used, held := resources{}, resources{}, resources{}
		for r := range w.Records() {
			switch r := r.(type) {
			case *placement.ProviderRecord:
				for c, inv := range r.Inventories {
					total[c] += inv.Total
				}
			case *placement.ConsumerRecord:
				for _, of := range r.Allocations {
					for c, n := range of {
						used[c] += n
						if r.Type == placement.MigrationConsumer {
							held[c] += n
						}
					}
				}
			}
		}
		got := insight.Totals(w.Snapshot)
		for _, c := range classes {
			g := got.Class(c)
			if g.Total != total[c] || g.Used != used[c] || g.Held != held[c] || g.Free-g.Over != g.Capacity-g.Used {
				rt.Fatalf("%s: %+v, want total %d used %d held %d", c, g, total[c], used[c], held[c])
			}
		}
	})
}

// TestOneTimeUseCountsAsFull adds up two one-time-use devices, one of which is in use and
// therefore reserved: it is full, not over-full, and takes no room from the other one.
// All sums agree.
func TestOneTimeUseCountsAsFull(t *testing.T) {
	t.Parallel()
	spent := placement.NewInventory(1)
	var all []placement.Op
	for _, name := range []string{"used", "idle"} {
		all = append(all, modeltest.Provider{
			Name: name, Inventories: modeltest.Inventories{"CUSTOM_NVME": placement.NewInventory(1)}, Traits: []placement.Trait{placement.HWPCIOneTimeUse},
		}.Ops(placement.ProviderID{})...)
	}
	spent.Reserved = 1
	all = append(all,
		modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"used": {"CUSTOM_NVME": 1}})),
		placement.SetInventory{Provider: modeltest.ProviderID("used"), Generation: placement.AnyGeneration(), Class: "CUSTOM_NVME", Inventory: spent})
	s, _, err := cloud.Empty().Apply(cloud.Change{Ops: append([]cloud.Op{placement.CreateClass{Name: "CUSTOM_NVME"}}, all...)})
	must.Succeed(t, err)
	c := insight.Totals(s).Class("CUSTOM_NVME")
	if c.Capacity != 2 || c.Used != 1 || c.Free != 1 || c.Reserved != 0 || c.Over != 0 || c.OverProviders != 0 {
		t.Errorf("in total: %+v", c)
	}
	for row := range kinds.Of(kinds.Classes).Rows(kinds.At{Snap: s}, false) {
		if of := row.(*kinds.Class); of.Name == "CUSTOM_NVME" && (of.Capacity != c.Capacity || of.Used != c.Used || of.Reserved != c.Reserved) {
			t.Errorf("the class has %+v", of)
		}
	}
}
