package insight_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestUnlikeSiblings finds the card that lacks a trait which the others have, and has one
// which they lack. Cards are only compared with cards, if there are enough.
func TestUnlikeSiblings(t *testing.T) {
	t.Parallel()
	s := placement.Empty()
	do := func(ops ...placement.Op) {
		t.Helper()
		next, _, err := s.Apply(placement.Change{Ops: ops})
		must.Succeed(t, err)
		s = next
	}
	do(placement.CreateTrait{Name: "CUSTOM_A100"}, placement.CreateTrait{Name: "CUSTOM_LOST"})
	vgpu := modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}
	for i := range 6 {
		traits := []placement.Trait{placement.OwnerNova, "CUSTOM_A100", "HW_GPU_API_VULKAN"}
		if i == 3 {
			traits = []placement.Trait{placement.OwnerCyborg, "CUSTOM_A100", "CUSTOM_LOST"}
		}
		host := fmt.Sprint("h", i)
		do(modeltest.Provider{
			Name: host, Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}, Traits: []placement.Trait{placement.ComputeNode},
			Children: []modeltest.Provider{{Name: host + "_card", Inventories: vgpu, Traits: traits}},
		}.Ops(placement.ProviderID{})...)
	}
	of := func(name string) insight.Unlike {
		p, ok := s.ProviderByName(name)
		if !ok {
			t.Fatal(name)
		}
		return insight.UnlikeSiblings(s, p)
	}
	want := insight.Unlike{Siblings: 5, Lacks: []placement.Trait{"HW_GPU_API_VULKAN"}, Alone: []placement.Trait{"CUSTOM_LOST"}}
	must.Match(t, want, of("h3_card"))
	for _, name := range []string{"h1_card", "h1"} {
		if got := of(name); got.Siblings != 5 || len(got.Lacks)+len(got.Alone) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	lackedBy := func(t placement.Trait) (names []string) {
		id, _ := s.TraitID(t)
		for _, p := range insight.LackedBy(s, id) {
			names = append(names, p.Name())
		}
		return names
	}
	for trait, want := range map[placement.Trait][]string{"HW_GPU_API_VULKAN": {"h3_card"}, "CUSTOM_LOST": nil, "CUSTOM_A100": nil, placement.OwnerNova: nil} {
		if diff := cmp.Diff(want, lackedBy(trait)); diff != "" {
			t.Errorf("who lacks %s: %s", trait, diff)
		}
	}
	// Of the same card: h3_card differs by more than its owner, and h1 is not a card.
	from := func(name string) insight.Elsewhere {
		p, _ := s.ProviderByName(name)
		got, _ := insight.RoomElsewhere(s, p)
		return got
	}
	if got := from("h1_card"); got.WithRoom != 4 || got.Free != 8 || got.Best == nil || got.More {
		t.Errorf("the same card elsewhere: %+v", got)
	}
	if got := from("h3_card"); got.Best != nil || from("h1") != (insight.Elsewhere{}) {
		t.Errorf("there is no card like it: %+v", got)
	}
	h2, _ := s.ProviderByName("h2")
	do(placement.SetTraits{Provider: h2.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeNode, placement.ComputeStatusDisabled}})
	if got := from("h1_card"); got.WithRoom != 3 {
		t.Errorf("beside a host that is disabled: %+v", got)
	}
	do(modeltest.Provider{Name: "other", Inventories: modeltest.Inventories{placement.PGPU: placement.NewInventory(1)}, Traits: []placement.Trait{"CUSTOM_LOST"}}.Ops(placement.ProviderID{})...)
	if got := of("other"); got.Siblings != 0 || got.Alone != nil {
		t.Errorf("without siblings: %+v", got)
	}

	// A pool is not a host, though both have disk.
	disk := modeltest.Inventories{placement.DiskGB: placement.NewInventory(100)}
	do(modeltest.Provider{Name: "pool", Inventories: disk, Traits: []placement.Trait{placement.SharesViaAggregate}}.Ops(placement.ProviderID{})...)
	for i := range 5 {
		do(modeltest.Provider{Name: fmt.Sprint("disk", i), Inventories: disk, Traits: []placement.Trait{placement.ComputeNode}}.Ops(placement.ProviderID{})...)
	}
	for name, siblings := range map[string]int{"pool": 0, "disk1": 4} {
		if got := of(name); got.Siblings != siblings || len(got.Lacks)+len(got.Alone) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
