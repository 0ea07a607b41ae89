package tracker_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// The mistakes of the first implementation, each with the commit or the bug report about
// it: nova/scheduler/client/report.py, commits 8ea3c838d8, 00bc0cb53d and c2e1133be1.

func TestNewtonSwapInMBAddedToGB(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("f", func(f *nova.Flavor) { f.SwapMB = 512 }))
	must.Succeed(t, r.claim(instance(1, "cmp1", "f"), nil))
	if got := r.holds(instanceID(1))["cmp1"]["DISK_GB"]; got != 21 {
		t.Errorf("DISK_GB %d, want 21: 512 MB of swap are one GB, not 512", got)
	}
}

func TestNewtonReservedDiskTimes1024(t *testing.T) {
	t.Parallel()
	for mb, want := range map[int64]int64{0: 0, 1: 1, 1024: 1, 1025: 2, 10240: 10} {
		r := oneHost(t, func(n *nova.ComputeNode) { n.ReservedDiskMB = mb })
		if inv, _ := r.inventory("cmp1", "DISK_GB"); inv.Reserved != want {
			t.Errorf("%d MB reserved: DISK_GB reserved %d, want %d", mb, inv.Reserved, want)
		}
	}
}

func TestNewtonAuditDeletedEveryConsumerNotOnTheHost(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("f"), instance(2, "", "f"), instance(3, "cmp9", "f"),
		&nova.Migration{UUID: migrationID(4), Instance: instanceID(3), Type: nova.Resize, Status: nova.Finished, Source: "cmp1", Dest: "cmp9"})
	for _, id := range []placement.ConsumerID{instanceID(1), instanceID(2), instanceID(3), migrationID(4)} {
		r.ops(placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: id, Generation: placement.NewConsumer(), Project: "p", User: "u",
			Allocations: placement.Amounts{nodeID(1): {"VCPU": 1}},
		}}})
	}
	if out := r.settled("cmp1"); len(out.Ops) > 0 || r.Placement.ConsumerCount() != 4 {
		t.Errorf("%v, and %d consumers left, want all 4: in no cell, being scheduled, moved away, a migration", out.Ops, r.Placement.ConsumerCount())
	}
}

func TestNewtonDeleteDroppedOtherProviders(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), service("cmp2", 73), host(1), host(2), flavor("f"))
	r.settled("cmp1")
	r.settled("cmp2")
	i := instance(1, "cmp1", "f")
	must.Succeed(t, r.claim(i, nil))
	i.Host = "cmp2"
	must.Succeed(t, r.claim(i, nil))
	r.ops(r.Release(i.UUID, nodeID(1))...)
	must.Match(t, held{"cmp2": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 20}}, r.holds(i.UUID))
}

func TestNewtonMaxUnitWasOne(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	for p := range r.Placement.Providers() {
		for _, iu := range p.Inventories() {
			if iu.MaxUnit != iu.Total || iu.MinUnit != 1 || iu.StepSize != 1 {
				t.Errorf("%s of %s: %+v, want max_unit = total", r.Placement.ClassName(iu.Class), p.Name(), iu.Inventory)
			}
		}
	}
	r.put(flavor("f", func(f *nova.Flavor) { f.VCPUs = 16 }))
	must.Succeed(t, r.claim(instance(1, "cmp1", "f"), nil))
}

// Right from the beginning: a tick reads first, and writes what differs.
func TestNewtonQuietTickBumpsNoGeneration(t *testing.T) {
	t.Parallel()
	r := oneHost(t)
	r.put(flavor("f"))
	must.Succeed(t, r.claim(instance(1, "cmp1", "f"), nil))
	r.tick("cmp1")
	before := r.Placement
	if out := r.tick("cmp1"); len(out.Ops)+len(out.Nova) > 0 {
		t.Errorf("the tick writes %v, %v", out.Ops, out.Nova)
	}
	for p := range r.Placement.Providers() {
		if was, ok := before.Provider(p.ID()); !ok || was.Generation() != p.Generation() {
			t.Errorf("%s has generation %d", p.Name(), p.Generation())
		}
	}
}

// The generation of a new provider is read back, never assumed: here another writer
// created it, and wrote to it twice, before the first tick.
func TestNewtonAssumedGeneration(t *testing.T) {
	t.Parallel()
	r := newRegion(t, service("cmp1", 73), host(1))
	r.ops(
		placement.CreateProvider{ID: nodeID(1), Name: "cmp1"},
		placement.CreateTrait{Name: "CUSTOM_GOLD"},
		placement.SetTraits{Provider: nodeID(1), Generation: placement.Generation(0), Traits: []placement.Trait{"CUSTOM_GOLD"}},
		placement.SetAggregates{Provider: nodeID(1), Generation: placement.Generation(1), Aggregates: []placement.AggregateID{{1}}},
	)
	r.settled("cmp1")
	if inv, ok := r.inventory("cmp1", "VCPU"); !ok || inv.Total != 16 {
		t.Errorf("VCPU %+v", inv.Inventory)
	}
}
