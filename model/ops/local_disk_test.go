package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// onePool returns two hosts whose disks are on one pool, and a
// flavor with a root disk and 1 GiB of swap.
func onePool(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for _, h := range []string{"h", "k"} {
		w.Node(h).Aggregates(h, "rack").Compute(h, nova.VersionOwnerNova).
			Record(&nova.ComputeNode{UUID: rp(h), Host: h, Hostname: h, VCPUs: 8, MemoryMB: 8192, LocalGB: 100, SharedStorage: true})
	}
	w.Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "rack").
		Record(&nova.HostAggregate{UUID: agg("rack"), Name: "rack", Hosts: []string{"h", "k"}}).
		Record(&nova.Flavor{Name: "f", FlavorID: "1", VCPUs: 1, MemoryMB: 512, RootGB: 20, SwapMB: 512}).
		Record(&nova.Flavor{Name: "g", FlavorID: "2", VCPUs: 1, MemoryMB: 512, RootGB: 20, EphemeralGB: 3})
	return tick(t, w)
}

// tick lets the resource tracker of each host run once.
func tick(t *testing.T, w *world) *world {
	t.Helper()
	for row := range w.Nova().ComputeNodes() {
		w.Change(tickOf(t, w.Snapshot, row))
	}
	return w
}

func tickOf(t *testing.T, s *cloud.Snapshot, row *nova.ComputeNode) cloud.Change {
	t.Helper()
	node := must.Get(tracker.ReadNode(row))(t)
	tree := must.Get(tracker.FromColumns(node))(t)
	out := must.Get(tracker.World{Placement: s.Placement(), Nova: s.Nova()}.Tick(node, tree, modeltest.At(99)))(t)
	return cloud.Change{Ops: append(out.Ops, out.Nova...)}
}

// disks returns how many GiB of DISK_GB are held, by provider and consumer, and how much
// each host has of its own.
func disks(s *cloud.Snapshot) map[string]int64 {
	out := map[string]int64{}
	disk, _ := s.Placement().ClassID(placement.DiskGB)
	for p := range s.Placement().Providers() {
		if has, ok := p.Inventory(disk); ok && p.Name() != "pool" {
			out[p.Name()] = has.Total
		}
		for c := range s.Placement().ConsumersOf(p) {
			for class, n := range s.Placement().UsedBy(c, p) {
				if class == disk {
					out[p.Name()+" "+ops.ConsumerName(s, c.ID())] = n
				}
			}
		}
	}
	return out
}

// Whatever is done with an instance booted from a volume, its disk is on its host, which
// has exactly as much: the resource tracker has nothing to correct afterwards, and the
// audit finds nothing.
func TestLocalDiskOfVolumes(t *testing.T) {
	t.Parallel()
	w := onePool(t)
	boot := ops.Boot{Instance: vm("i"), Wish: ops.BootWish{Name: "i", Flavor: "f", Project: "p", User: "u", Host: "h", BootFromVolume: true}}
	same := boot
	same.Instance, same.Wish.Name = vm("j"), "j"
	plain := boot
	plain.Instance, plain.Wish.Name, plain.Wish.Host, plain.Wish.BootFromVolume = vm("n"), "n", "", false
	for _, step := range []struct {
		name   string
		course ops.Task
		want   map[string]int64
	}{
		{"boot", boot, map[string]int64{"h": 1, "h i": 1}},
		{"boot another", same, map[string]int64{"h": 2, "h i": 1, "h j": 1}},
		{"boot one without a volume", plain, map[string]int64{"h": 2, "h i": 1, "h j": 1, "pool n": 21}},
		{"migrate", ops.Move{Migration: vm("m"), Instance: vm("i")}, map[string]int64{"h": 2, "h migration of i": 1, "h j": 1, "k": 1, "k i": 1, "pool n": 21}},
		{"revert", ops.Revert{Migration: vm("m")}, map[string]int64{"h": 2, "h i": 1, "h j": 1, "pool n": 21}},
		{
			"resize",
			ops.Move{Migration: vm("m2"), Instance: vm("i"), Flavor: "g", Host: "h", SameHost: true},
			map[string]int64{"h": 5, "h resize of i": 1, "h i": 3, "h j": 1, "pool n": 21},
		},
		{"confirm", ops.Confirm{Migration: vm("m2")}, map[string]int64{"h": 4, "h i": 3, "h j": 1, "pool n": 21}},
		{"terminate", ops.Terminate{Instance: vm("i")}, map[string]int64{"h": 1, "h j": 1, "pool n": 21}},
	} {
		done, err := ops.Rehearse(w.Snapshot, step.course, modeltest.Noon())
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		w.Snapshot = done.Final
		if diff := cmp.Diff(step.want, disks(w.Snapshot)); diff != "" {
			t.Errorf("%s: disks:\n%s", step.name, diff)
		}
		for row := range w.Nova().ComputeNodes() {
			if c := tickOf(t, w.Snapshot, row); ofPlacement(c) {
				t.Errorf("%s: the tracker of %s still writes %+v", step.name, row.Host, c.Ops)
			}
		}
		for _, f := range audit.FindBy(w.Snapshot, audit.RuleCountedTwice) {
			t.Errorf("%s: %s %s", step.name, f.Subject, f.Text)
		}
	}
}

// A host whose disks are on a pool offers no more disk of its own than it has: what does
// not fit is left out, with the reason, and cannot be written. A host without a disk of
// its own has all disks on the pool.
func TestLocalDiskIsBounded(t *testing.T) {
	t.Parallel()
	boot := func(name string) ops.Boot {
		return ops.Boot{Instance: vm(name), Wish: ops.BootWish{Name: name, Flavor: "g", Project: "p", User: "u", Host: "h", BootFromVolume: true}}
	}
	for _, tt := range []struct {
		name     string
		gb, kept int64 // local_gb and reserved_host_disk_mb
		fit      int   // how many are said to fit on its own disk; 0 if they do not take from it
		want     map[string]int64
		why      string // why the next one is refused; "" if there is room
	}{
		{"room for one", 5, 0, 1, map[string]int64{"h": 3, "h i": 3}, "booted from a volume it needs DISK_GB 3 of the host itself, whose own disk of 5 GB has 2 left"},
		{"what is reserved is not given", 7, 1025, 1, map[string]int64{"h": 3, "h i": 3}, "whose own disk of 5 GB has 2 left"},
		{"room for two", 6, 0, 2, map[string]int64{"h": 3, "h i": 3}, ""},
		{"no disk but the pool", 0, 0, 0, map[string]int64{"pool i": 3}, ""},
		{"no disk but the pool and what is reserved", 1, 1024, 0, map[string]int64{"pool i": 3}, ""},
	} {
		w := onePool(t)
		row, _ := w.Nova().ComputeNode(rp("h"))
		w.Record(row.Edit(func(n *nova.ComputeNode) { n.LocalGB, n.ReservedDiskMB = tt.gb, tt.kept }))
		tick(t, w)
		if got := fitFromVolume(t, w.Snapshot, "h"); tt.fit > 0 && got != tt.fit {
			t.Errorf("%s: %d are said to fit, want %d", tt.name, got, tt.fit)
		}
		done, err := ops.Rehearse(w.Snapshot, boot("i"), modeltest.Noon())
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		w.Snapshot = done.Final
		if diff := cmp.Diff(tt.want, disks(w.Snapshot)); diff != "" {
			t.Errorf("%s: disks:\n%s", tt.name, diff)
		}
		for row := range w.Nova().ComputeNodes() {
			if c := tickOf(t, w.Snapshot, row); ofPlacement(c) {
				t.Errorf("%s: the tracker of %s still writes %+v", tt.name, row.Host, c.Ops)
			}
		}
		_, err = ops.Rehearse(w.Snapshot, boot("j"), modeltest.Noon())
		if tt.why == "" && err != nil || tt.why != "" && (err == nil || !strings.Contains(err.Error(), tt.why)) {
			t.Errorf("%s: the next one: %v", tt.name, err)
		}
		if tt.why == "" {
			continue
		}
		if got := fitFromVolume(t, w.Snapshot, "h"); got != 0 {
			t.Errorf("%s: %d more are said to fit, want none", tt.name, got)
		}
		// Placement refuses a claim that bypasses the choice of places.
		w.Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Host: "h", Flavor: "g", BootFromVolume: true, VMState: nova.Active})
		c, err := ops.HealChange(w.Snapshot, vm("j"), false)
		if err == nil {
			_, _, err = w.Apply(c)
		}
		if !errors.Is(err, placement.ErrCapacity) {
			t.Errorf("%s: a claim beyond it: %v", tt.name, err)
		}
	}
}

// fitFromVolume returns how many instances with flavor g, booted from a volume, are said to
// fit on a host.
func fitFromVolume(t *testing.T, s *cloud.Snapshot, host string) int {
	t.Helper()
	f, _ := s.Nova().FlavorNamed("g")
	spec := must.Get(ops.RequestSpecOf(s, &nova.Instance{BootFromVolume: true}, f))(t)
	spec.Host = host
	asker := ops.NewAsker(s, candidates.NewIndex(s.Placement()))
	return candidates.FitOf(must.Get(asker.Questions(spec, nova.AskOptions{}))(t)...).Copies
}

// Healing restores the disk where it was, and so does a tick.
func TestHealLocalDisk(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"heal", "tick"} {
		w := onePool(t).Record(&nova.Instance{UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: "f", BootFromVolume: true, VMState: nova.Active})
		if by == "tick" {
			tick(t, w)
		} else {
			c := must.Get(ops.HealChange(w.Snapshot, vm("i"), false))(t)
			w.Change(c)
		}
		if diff := cmp.Diff(map[string]int64{"h": 1, "h i": 1}, disks(w.Snapshot)); diff != "" {
			t.Errorf("%s: disks:\n%s", by, diff)
		}
	}
}

// Releasing shrinks the local disk too, unless the consumer keeps what it holds there.
func TestReleaseLocalDisk(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		from placement.ProviderID
		want map[string]int64
	}{
		{"all", placement.ProviderID{}, map[string]int64{"h": 1, "h j": 1}},
		{"of the host", rp("h"), map[string]int64{"h": 1, "h j": 1}},
		{"of another", rp("card"), map[string]int64{"h": 2, "h i": 1, "h j": 1}},
	} {
		w := onePool(t).Provider("card", "h", resources{placement.VGPU: 2}, placement.OwnerNova)
		for _, name := range []string{"i", "j"} {
			b := ops.Boot{Instance: vm(name), Wish: ops.BootWish{Name: name, Flavor: "f", Project: "p", User: "u", Host: "h", BootFromVolume: true}}
			done := must.Get(ops.Rehearse(w.Snapshot, b, modeltest.Noon()))(t)
			w.Snapshot = done.Final
		}
		c, _ := w.Placement().Consumer(vm("i"))
		claim := w.Placement().AsHeld(c)
		claim.Allocations[rp("card")] = map[placement.ResourceClass]int64{placement.VGPU: 1}
		w.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
		plan := must.Get(ops.PlanRelease(w.Snapshot, vm("i"), tt.from))(t)
		w.Change(plan.Change)
		if diff := cmp.Diff(tt.want, disks(w.Snapshot)); diff != "" {
			t.Errorf("%s: disks:\n%s", tt.name, diff)
		}
	}
}

// ofPlacement reports whether c has a verb of Placement's.
func ofPlacement(c cloud.Change) bool {
	return slices.ContainsFunc(c.Ops, placement.Owns)
}
