package insight_test

import (
	"fmt"
	"testing"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestFindSpareCapacity finds room on cards like one, and not on the host of another, nor on a
// disabled host.
func TestFindSpareCapacity(t *testing.T) {
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
	// Of the same card: h3_card differs by more than its owner, and h1 is not a card.
	from := func(name string) insight.SpareCapacity {
		p, _ := s.ProviderByName(name)
		got, _ := insight.FindSpareCapacity(s, p)
		return got
	}
	if got := from("h1_card"); got.WithRoom != 4 || got.Free != 8 || got.Best == nil || got.More {
		t.Errorf("the same card elsewhere: %+v", got)
	}
	if got := from("h3_card"); got.Best != nil || from("h1") != (insight.SpareCapacity{}) {
		t.Errorf("there is no card like it: %+v", got)
	}
	h2, _ := s.ProviderByName("h2")
	do(placement.SetTraits{Provider: h2.ID(), Generation: placement.AnyGeneration(), Traits: []placement.Trait{placement.ComputeNode, placement.ComputeStatusDisabled}})
	if got := from("h1_card"); got.WithRoom != 3 {
		t.Errorf("beside a host that is disabled: %+v", got)
	}
}
