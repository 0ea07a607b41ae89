package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// What landed on a card of the wrong owner may move to another model of the right owner,
// as long as that has what the flavor asks for.
func TestRightOwnerOfAnotherModel(t *testing.T) {
	t.Parallel()
	const t4, a100 placement.Trait = "CUSTOM_T4", "CUSTOM_A100"
	for name, tc := range map[string]struct {
		specs map[string]string
		want  bool
	}{
		"any model":           {map[string]string{"resources1:VGPU": "1"}, true},
		"the model that goes": {map[string]string{"resources1:VGPU": "1", "trait1:CUSTOM_T4": "required"}, false},
		"the model that is":   {map[string]string{"resources1:VGPU": "1", "trait1:CUSTOM_A100": "required"}, true},
		"a trait of the host": {map[string]string{"resources:VGPU": "1", "trait:COMPUTE_NODE": "required"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Node("h").Do(placement.CreateTrait{Name: t4}, placement.CreateTrait{Name: a100}).
				Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg, t4).
				Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova, a100).
				Record(&nova.Flavor{Name: "gpu", FlavorID: "2", VCPUs: 1, MemoryMB: 1, ExtraSpecs: tc.specs}).
				Running("gpu").Claim("i", instance, modeltest.Holding("c"))
			for _, f := range audit.Find(w.Snapshot) {
				if f.Rule != audit.RuleWrongOwner {
					continue
				}
				if fixes := audit.Fixes(w.Snapshot, f); len(fixes) > 0 != tc.want {
					t.Errorf("%d fixes, want some: %v", len(fixes), tc.want)
				}
				return
			}
			t.Error("no finding about the owner")
		})
	}
}

// A claim that moves to another card takes its request group along, so that the resource
// tracker does not undo it.
func TestMovedClaimKeepsItsGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").
		Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).
		Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
		Record(&nova.Flavor{Name: "gpu", FlavorID: "2", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources1:VGPU": "1"}}).
		Record(&nova.Instance{
			UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: "gpu", VMState: nova.Active,
			Mappings: map[string][]placement.ProviderID{"": {rp("h")}, "1": {rp("c")}},
		}).
		Claim("i", instance, modeltest.Holding("c"))
	plan := must.Get(audit.PlanMoveClaim(w.Snapshot, vm("i"), placement.VGPU, rp("c"), rp("n"), placement.OwnedByNova))(t)
	s, _, err := w.Snapshot.Apply(plan.Change)
	must.Succeed(t, err)
	i, _ := s.Nova().Instance(vm("i"))
	must.Match(t, map[string][]placement.ProviderID{"": {rp("h")}, "1": {rp("n")}}, i.Mappings)
	was, _ := w.Nova().Instance(vm("i"))
	if was.Mappings["1"][0] != rp("c") {
		t.Error("the Snapshot before is another")
	}
}
