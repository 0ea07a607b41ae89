package tracker_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

var (
	nfs  = placement.ProviderID(uuid.UUID{0: 0xdd})
	rack = placement.AggregateID(uuid.UUID{0: 0xaa})
)

// sharing returns a cloud of three hosts whose disks are on one pool, which is not linked
// yet.
func sharing(t fataler) *region {
	t.Helper()
	shared := func(n *nova.ComputeNode) { n.SharedStorage, n.LocalGB = true, 10000 }
	r := newRegion(t, host(1, shared), host(2, shared), host(3, shared),
		service("cmp1", 73), service("cmp2", 73), service("cmp3", 73),
		&nova.HostAggregate{UUID: rack, Name: "rack", Hosts: []string{"cmp1", "cmp2", "cmp3"}},
		flavor("f", func(f *nova.Flavor) { f.SwapMB = 512 }))
	r.all()
	return r
}

func (r *region) all() {
	r.t.Helper()
	for _, h := range []string{"cmp1", "cmp2", "cmp3"} {
		r.settled(h)
	}
}

func (r *region) link() {
	r.t.Helper()
	inv := placement.Inventory{Total: 10000, Reserved: 100, MinUnit: 1, MaxUnit: 1000, StepSize: 1, AllocationRatio: 1}
	r.ops(tracker.CreatePool(tracker.Pool{ID: nfs, Name: "nfs", Inventory: inv})...)
	ops, err := r.LinkPool(nfs, rack)
	if err != nil {
		r.t.Fatalf("LinkPool: %v", err)
	}
	r.ops(ops...)
	if again, err := r.LinkPool(nfs, rack); err != nil || len(again) > 0 {
		r.t.Fatalf("linking it again writes %v, %v", again, err)
	}
}

// Before the operator links the pool it is unknown: the disk is the host's. Then it is
// the pool's, and the hosts report none, so that a sum over providers counts the pool
// once (Launchpad bugs 1387812, 1414432 and 1784020).
func TestSharedStorage(t *testing.T) {
	t.Parallel()
	r := sharing(t)
	must.Succeed(t, r.claim(instance(1, "cmp1", "f"), nil))
	must.Match(t, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 21}}, r.holds(instanceID(1)))
	r.link()
	must.Succeed(t, r.claim(instance(2, "cmp2", "f"), nil))
	r.all()
	for n := byte(1); n <= 2; n++ {
		want := held{"cmp" + string('0'+rune(n)): {"VCPU": 2, "MEMORY_MB": 4096}, "nfs": {"DISK_GB": 21}}
		must.Match(t, want, r.holds(instanceID(n)))
	}
	var total int64
	for p := range r.Placement.Providers() {
		if inv, ok := r.inventory(p.Name(), "DISK_GB"); ok {
			total += inv.Total
		}
	}
	if total != 10000 {
		t.Errorf("the providers have %d GB, want the pool's 10000 once", total)
	}
	row, _ := r.Nova.ComputeNode(nodeID(1))
	if row.LocalGB != 10000 || row.LocalGBUsed != 20 {
		t.Errorf("the columns have %d GB, %d used: they stay as old readers know them", row.LocalGB, row.LocalGBUsed)
	}
}

// An instance booted from a volume has its ephemeral and swap disk on the host, which
// reports only as much as is in use.
func TestBootFromVolumeIsLocal(t *testing.T) {
	t.Parallel()
	r := sharing(t)
	r.link()
	r.all()
	if _, ok := r.inventory("cmp1", "DISK_GB"); ok {
		t.Fatal("the host reports the pool as its own")
	}
	volume := func(i *nova.Instance) { i.BootFromVolume = true }
	for n := byte(1); n <= 2; n++ {
		must.Succeed(t, r.claim(instance(n, "cmp1", "f", volume), nil))
		must.Match(t, held{"cmp1": {"VCPU": 2, "MEMORY_MB": 4096, "DISK_GB": 1}}, r.holds(instanceID(n)))
		r.settled("cmp1")
	}
	if inv, _ := r.inventory("cmp1", "DISK_GB"); inv.Total != 2 || inv.Used != 2 {
		t.Errorf("DISK_GB %+v, want the 2 that are held", inv)
	}
	r.ops(r.Release(instanceID(1), nodeID(1))...)
	r.ops(r.Release(instanceID(2), nodeID(1))...)
	gone, _ := r.Nova.Instance(instanceID(1))
	gone2, _ := r.Nova.Instance(instanceID(2))
	deleted := func(i *nova.Instance) { i.VMState = nova.Deleted }
	r.put(gone.Edit(deleted), gone2.Edit(deleted))
	r.settled("cmp1")
	if _, ok := r.inventory("cmp1", "DISK_GB"); ok {
		t.Error("the host still reports a disk of its own")
	}
}

// A terminated instance leaves nothing on the pool; an evacuated one keeps its disk when
// its old host releases it.
func TestReleaseOfSharedDisk(t *testing.T) {
	t.Parallel()
	r := sharing(t)
	r.link()
	r.all()
	i := instance(1, "cmp1", "f")
	must.Succeed(t, r.claim(i, nil))
	i.Host = "cmp2"
	must.Succeed(t, r.claim(i, nil))
	both := amounts{"VCPU": 2, "MEMORY_MB": 4096}
	if diff := cmp.Diff(held{"cmp1": both, "cmp2": both, "nfs": {"DISK_GB": 21}}, r.holds(i.UUID)); diff != "" {
		t.Fatalf("one disk is claimed once:\n%s", diff)
	}
	r.ops(r.Release(i.UUID, nodeID(1))...)
	must.Match(t, held{"cmp2": both, "nfs": {"DISK_GB": 21}}, r.holds(i.UUID))
	r.ops(r.Release(i.UUID, nodeID(2))...)
	if r.Placement.ConsumerCount() != 0 {
		t.Errorf("holds %v", r.holds(i.UUID))
	}
}

func TestSetPoolTotal(t *testing.T) {
	t.Parallel()
	r := sharing(t)
	r.link()
	ops := must.Get(r.SetPoolTotal(nfs, "DISK_GB", 20000))(t)
	r.ops(ops...)
	want := placement.Inventory{Total: 20000, Reserved: 100, MinUnit: 1, MaxUnit: 1000, StepSize: 1, AllocationRatio: 1}
	if inv, _ := r.inventory("nfs", "DISK_GB"); inv.Inventory != want {
		t.Errorf("DISK_GB %+v, want %+v", inv.Inventory, want)
	}
	if ops, err := r.SetPoolTotal(nfs, "DISK_GB", 20000); err != nil || ops != nil {
		t.Errorf("the same total again: %v, %v", ops, err)
	}
	for _, c := range []struct {
		name  string
		pool  placement.ProviderID
		class placement.ResourceClass
		total int64
		want  error
	}{
		{"no such pool", nodeID(9), "DISK_GB", 1, placement.ErrNotFound},
		{"no such inventory", nfs, "VCPU", 1, placement.ErrNotFound},
		{"no such class", nfs, "CUSTOM_NONE", 1, placement.ErrNotFound},
		{"less than is reserved", nfs, "DISK_GB", 50, placement.ErrInvalid},
	} {
		if _, err := r.SetPoolTotal(c.pool, c.class, c.total); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
	if _, err := r.LinkPool(nfs, placement.AggregateID{9}); !errors.Is(err, placement.ErrNotFound) {
		t.Errorf("linking by an aggregate that is none: %v", err)
	}
}
