package ops_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

const bandwidth placement.ResourceClass = "NET_BW_EGR_KILOBIT_PER_SEC"

// newPort returns a cloud of two hosts with a bridge on each, and instance i of a flavor
// on the first, with a port that has guaranteed bandwidth.
func newPort(t *testing.T, flavor, otherNetwork string) *trip {
	t.Helper()
	tr := newMove(t, flavor)
	tr.Do(placement.CreateTrait{Name: "CUSTOM_PHYSNET_A"}, placement.CreateTrait{Name: "CUSTOM_PHYSNET_B"})
	tr.Provider("bridge1", "compute1", resources{bandwidth: 1000}, "CUSTOM_PHYSNET_A")
	tr.Provider("bridge2", "compute2", resources{bandwidth: 1000}, placement.Trait(otherNetwork))
	claim := holds(tr.Snapshot(), vm("i"))
	claim[rp("bridge1")] = resources{bandwidth: 300}
	c, _ := tr.Placement().Consumer(vm("i"))
	tr.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: vm("i"), Generation: placement.Generation(c.Generation()), Type: placement.InstanceConsumer, Project: "p", User: "u", Allocations: claim,
	}}})
	return tr
}

// TestHealTellsOfPorts heals an instance that holds all but what its ports may have been promised: that
// is no fault, and not known to be none.
func TestHealTellsOfPorts(t *testing.T) {
	t.Parallel()
	tr := newPort(t, "plain", "CUSTOM_PHYSNET_A")
	for _, want := range []string{"", "whether its ports ask for bandwidth is not known here: only Neutron knows it"} {
		heal := must.Get(ops.PlanHeal(tr.Snapshot(), ops.HealOptions{Instance: vm("i"), Force: true}))(t)[0]
		if heal.Outcome != ops.HealNothing || heal.Why != want {
			t.Errorf("%s: %s, want %q", heal.Outcome, heal.Why, want)
		}
		claim := holds(tr.Snapshot(), vm("i"))
		delete(claim, rp("bridge1"))
		tr.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: vm("i"), Generation: placement.AnyGeneration(), Type: placement.InstanceConsumer, Project: "p", User: "u", Allocations: claim,
		}}})
	}
}

// TestMoveKeepsPorts moves an instance whose port holds bandwidth, which its flavor does
// not say: it holds as much at the new place, on the same network, and gets it back if
// the move is reverted.
func TestMoveKeepsPorts(t *testing.T) {
	t.Parallel()
	for _, flavor := range []string{"plain", "nova", "cyborg", "both"} {
		tr := newPort(t, flavor, "CUSTOM_PHYSNET_A")
		if problems := audit.Find(tr.Snapshot()); len(problems) > 0 {
			t.Fatalf("%s: %v", flavor, problems)
		}
		tr.mustEnd(t, move("nova.big"))
		now, old := holds(tr.Snapshot(), vm("i")), holds(tr.Snapshot(), vm("m"))
		if now[rp("bridge2")][bandwidth] != 300 || old[rp("bridge1")][bandwidth] != 300 {
			t.Errorf("%s: it holds %v, and its migration %v", flavor, now, old)
		}
		tr.mustEnd(t, ops.Revert{Migration: vm("m")})
		if now := holds(tr.Snapshot(), vm("i")); now[rp("bridge1")][bandwidth] != 300 || used(t, tr.Snapshot(), "bridge2", bandwidth) != 0 {
			t.Errorf("%s: reverted it holds %v", flavor, now)
		}
		tr.mustEnd(t, ops.Move{Migration: vm("m2"), Instance: vm("i")})
		tr.mustEnd(t, ops.Confirm{Migration: vm("m2")})
		if now := holds(tr.Snapshot(), vm("i")); now[rp("bridge2")][bandwidth] != 300 || used(t, tr.Snapshot(), "bridge1", bandwidth) != 0 {
			t.Errorf("%s: confirmed it holds %v", flavor, now)
		}
		for _, text := range vgpuFaults(tr.Snapshot()) {
			t.Errorf("%s: %v", flavor, text)
		}
	}
}

// TestPortsStayOnTheirNetwork finds no place without the network of the port.
func TestPortsStayOnTheirNetwork(t *testing.T) {
	t.Parallel()
	tr := newPort(t, "plain", "CUSTOM_PHYSNET_B")
	if err := tr.advance(t.Context(), move("nova.big")); err == nil {
		t.Error("the port was moved to another network")
	}
	if now := holds(tr.Snapshot(), vm("i")); now[rp("bridge1")][bandwidth] != 300 {
		t.Errorf("it holds %v", now)
	}
}

// TestFlavorThatAsksForBandwidth does not count what the flavor asks for as a port's.
func TestFlavorThatAsksForBandwidth(t *testing.T) {
	t.Parallel()
	tr := newPort(t, "plain", "CUSTOM_PHYSNET_A")
	f := &nova.Flavor{Name: "net", FlavorID: "net", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources:" + string(bandwidth): "1"}}
	tr.Record(f)
	i, _ := tr.Nova().Instance(vm("i"))
	tr.Record(i.Edit(func(i *nova.Instance) { i.Flavor = "net" }))
	spec, err := ops.RequestSpecOf(tr.Snapshot(), i.Edit(func(i *nova.Instance) { i.Flavor = "net" }), f)
	if err != nil || len(spec.Ports) > 0 {
		t.Errorf("the ports are %v, %v", spec.Ports, err)
	}
}

// A claim is the only record of the bandwidth of ports: releasing it gives a warning, and
// healing the instance says that it is missing.
func TestHealLeavesPortsOut(t *testing.T) {
	t.Parallel()
	tr := newPort(t, "plain", "CUSTOM_PHYSNET_A")
	plan, err := ops.PlanRelease(tr.Snapshot(), vm("i"), placement.ProviderID{})
	if err != nil || !strings.Contains(strings.Join(plan.Preview.Warnings, "\n"), "only Neutron knows") {
		t.Errorf("%v, the release warns %q", err, plan.Preview.Warnings)
	}
	tr.Change(plan.Change)
	heals, err := ops.PlanHeal(tr.Snapshot(), ops.HealOptions{Instance: vm("i")})
	if err != nil || len(heals) != 1 || heals[0].Outcome != ops.HealClaim || !strings.Contains(heals[0].Why, "Neutron") || len(heals[0].Plan.Preview.Warnings) != 1 {
		t.Errorf("%v, healed as %+v", err, heals)
	}
	bare := newMove(t, "plain")
	plan, err = ops.PlanRelease(bare.Snapshot(), vm("i"), placement.ProviderID{})
	must.Succeed(t, err)
	bare.Change(plan.Change)
	if heals, err = ops.PlanHeal(bare.Snapshot(), ops.HealOptions{Instance: vm("i")}); err != nil || heals[0].Why != "" {
		t.Errorf("%v, without Neutron: %+v", err, heals)
	}
}
