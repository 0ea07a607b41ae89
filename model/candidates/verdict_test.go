package candidates_test

import (
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestVerdicts checks the verdicts on single providers, one case for each reason.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	a := modeltest.AggregateID("A").String()
	card := func(name string, units int64, traits ...placement.Trait) tree {
		return tree{Name: name, Inventories: inventories{placement.VGPU: upTo(units)}, Traits: traits}
	}
	s := modeltest.Ledger(t, []tree{
		{
			Name: "cn1", Inventories: inventories{placement.VCPU: units(8, 2, 1)}, Traits: []placement.Trait{placement.OwnerNova},
			Aggregates: []placement.AggregateID{modeltest.AggregateID("A")},
			Children: []tree{
				card("nova", 8, placement.OwnerNova), card("cyborg", 8, placement.OwnerCyborg), card("small", 1, placement.OwnerNova),
				{Name: "even", Inventories: inventories{placement.VGPU: {Total: 8, MinUnit: 4, MaxUnit: 8, StepSize: 2, AllocationRatio: 1}}},
				{Name: "nic"},
			},
		},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8)}, Traits: []placement.Trait{placement.ComputeStatusDisabled}, Children: []tree{card("other", 8)}},
		{Name: "over", Inventories: inventories{placement.VCPU: upTo(8)}},
	}, modeltest.Allocate(modeltest.Claim("vm", map[string]used{"cn1": {placement.VCPU: 1}, "nova": {placement.VGPU: 7}, "over": {placement.VCPU: 8}})),
		placement.SetInventories{Provider: modeltest.ProviderID("over"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: upTo(4)}})
	x := candidates.NewIndex(s)
	for _, c := range []struct{ url, provider, want string }{
		{"resources=VCPU:2", "cn1", "cn1 is among the candidates for VCPU"},
		{"resources=VCPU:2", "nova", "nova: has none of the classes asked for"},
		{"resources=VCPU:6", "cn1", "cn1: needs 6 VCPU, has 5 free of 6"},
		{"resources=VCPU:2", "over", "over: needs 2 VCPU, but is over capacity: 8 of 4 used"},
		{"resources=VGPU:2", "nova", "nova: needs 2 VGPU, has 1 free of 8"},
		{"resources=VGPU:2", "small", "small: needs 2 VGPU, has 1 free of 1; needs 2 VGPU, max_unit is 1"},
		{"resources=VGPU:2", "even", "even: needs 2 VGPU, min_unit is 4"},
		{"resources=VGPU:5", "even", "even: needs 5 VGPU, step_size is 2"},
		{"resources=VGPU:4", "even", "even is among the candidates for VGPU"},
		{"resources=VGPU:4&required=!OWNER_CYBORG", "cyborg", "cyborg: has OWNER_CYBORG, which is forbidden"},
		{"resources1=VGPU:1&required1=OWNER_NOVA", "cyborg", "cyborg: lacks OWNER_NOVA in group 1"},
		{"resources=VGPU:8&required=OWNER_NOVA", "other", "other would fit for VGPU, but no usable provider has OWNER_NOVA"},
		{"resources=VCPU:1,VGPU:8&required=OWNER_NOVA", "cyborg", "cyborg is among the candidates for VGPU"},
		{"resources=VGPU:8&member_of=" + a, "other", "other: neither it nor its root is in aggregate " + a},
		{"resources1=VGPU:8&member_of1=" + a, "cyborg", "cyborg: is not itself in aggregate " + a + ", asked for in group 1"},
		{"resources=VGPU:8&member_of=!" + a, "cyborg", "cyborg: it or its root is in the forbidden aggregate " + a},
		{"resources=VGPU:8&in_tree=" + modeltest.ProviderID("nic").String(), "other", "other: is not in the tree of " + modeltest.ProviderID("nic").String() + ", asked for"},
		{"resources=VGPU:8&root_required=!COMPUTE_STATUS_DISABLED", "other", "other would fit for VGPU, but compute cn2 is disabled"},
		{"resources=VGPU:8&root_required=OWNER_NOVA", "other", "other would fit for VGPU, but its root cn2 lacks OWNER_NOVA"},
		{"resources=VCPU:6,VGPU:8", "cyborg", "cyborg would fit for VGPU, but cn1 needs 6 VCPU, has 5 free of 6"},
		{
			"resources1=VGPU:8&resources2=VGPU:8&group_policy=isolate", "other",
			"other would fit for group 1, group 2, but two groups need the same provider, but group_policy is isolate",
		},
		{
			"resources1=VGPU:8&resources2=VGPU:8&group_policy=none", "other",
			"other would fit for group 1, group 2, but the groups together need more VGPU of one provider than it has",
		},
		{
			"resources1=VGPU:8&required1=OWNER_CYBORG&resources2=VGPU:4&required2=!OWNER_CYBORG&same_subtree=1,2&group_policy=none", "cyborg",
			"cyborg would fit for group 1, but no choice of providers for groups 1, 2 has one that is above all the others",
		},
		{
			"resources=VGPU:1&required=OWNER_NOVA,OWNER_CYBORG", "cyborg",
			"cyborg would fit for VGPU, but no choice of providers has OWNER_NOVA, OWNER_CYBORG together",
		},
		{
			"resources1=VCPU:1&required2=!OWNER_NOVA&same_subtree=1,2&group_policy=none", "cn1",
			"cn1 would fit for group 1, but group 2 only forbids, so no provider can serve it",
		},
	} {
		t.Run(c.url+" "+c.provider, func(t *testing.T) {
			t.Parallel()
			e := must.Get(explained(x, parse(t, s, c.url), candidates.ExplainOptions{}))(t)
			p, ok := s.ProviderByName(c.provider)
			if !ok {
				t.Fatal("no such provider")
			}
			must.Match(t, c.want, e.Provider(p).Words())
		})
	}
	q := must.Get(candidates.ParseURL("resources=VCPU:1,VGPU:8", 28, s))(t)
	e := must.Get(explained(x, q, candidates.ExplainOptions{}))(t)
	p, _ := s.ProviderByName("cyborg")
	const old = "cyborg would fit for VGPU, but needs several providers of one tree, which takes microversion 1.29"
	must.Be(t, e.Provider(p).Words(), old)
	if len(e.Ways) == 0 || e.Ways[0].Words() != "use microversion 1.29" {
		t.Errorf("ways out: %v", e.Ways)
	}
}

func TestRelaxationWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		r    candidates.Relaxation
		want string
	}{
		{candidates.Relaxation{Criterion: candidates.CriterionCapacity, Class: placement.VGPU, From: 2, To: 1, Group: "_GPU"}, "VGPU 2 > 1 in group _GPU"},
		{candidates.Relaxation{Criterion: candidates.CriterionInventory, Class: placement.DiskGB}, "without DISK_GB"},
		{candidates.Relaxation{Criterion: candidates.CriterionRequiredTrait, Traits: traits{"CUSTOM_A", "CUSTOM_B"}}, "drop CUSTOM_A or CUSTOM_B"},
		{candidates.Relaxation{Criterion: candidates.CriterionForbiddenTrait, Traits: traits{"CUSTOM_A"}, Group: "1"}, "allow CUSTOM_A in group 1"},
		{candidates.Relaxation{Criterion: candidates.CriterionRootRequired, Traits: traits{"CUSTOM_A"}}, "drop root_required CUSTOM_A"},
		{candidates.Relaxation{Criterion: candidates.CriterionRootForbidden, Traits: traits{"CUSTOM_A"}}, "allow CUSTOM_A on the root"},
		{candidates.Relaxation{Criterion: candidates.CriterionMemberOf, Group: "1"}, "allow any aggregate in group 1"},
		{candidates.Relaxation{Criterion: candidates.CriterionForbiddenAggregate}, "forbid no aggregate"},
		{candidates.Relaxation{Criterion: candidates.CriterionInTree}, "allow any tree"},
		{candidates.Relaxation{Criterion: candidates.CriterionAnchor}, "allow any host"},
		{candidates.Relaxation{Criterion: candidates.CriterionGiver}, "take from any provider"},
		{candidates.Relaxation{Criterion: candidates.CriterionSameSubtree, Suffixes: []string{"1", "2"}}, "drop same_subtree 1,2"},
		{candidates.Relaxation{Criterion: candidates.CriterionIsolate}, "group_policy none"},
		{candidates.Relaxation{Criterion: candidates.CriterionOneProvider}, "use microversion 1.29"},
		{candidates.Relaxation{Criterion: candidates.CriterionOpenGroup, Group: "N"}, "leave out group N"},
	} {
		must.Be(t, c.r.Words(), c.want)
	}
}

// TestSharingVerdict has a pool that serves two hosts, of which one could use it
// if it had room.
func TestSharingVerdict(t *testing.T) {
	t.Parallel()
	agg := []placement.AggregateID{modeltest.AggregateID("1")}
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.MemoryMB: upTo(8)}, Aggregates: agg},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(1)}, Aggregates: agg},
		{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(100)}, Aggregates: agg, Traits: []placement.Trait{placement.SharesViaAggregate}},
		{Name: "lonely", Inventories: inventories{placement.DiskGB: upTo(100)}, Traits: []placement.Trait{placement.SharesViaAggregate}},
	})
	e := explain(t, s, parse(t, s, "resources=VCPU:2,DISK_GB:10"))
	for name, want := range map[string]string{
		"pool":   "pool would fit for DISK_GB, but cn2 needs 2 VCPU, has 1 free of 1; cn2 needs 2 VCPU, max_unit is 1",
		"lonely": "lonely would fit for DISK_GB, but has no inventory of VCPU",
		"cn1":    "cn1: has none of the classes asked for",
	} {
		p, _ := s.ProviderByName(name)
		must.Be(t, e.Provider(p).Words(), want)
	}
}
