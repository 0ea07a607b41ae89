package ops_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// move returns the resize of instance i by migration m.
func move(flavor string) ops.Move {
	return ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: flavor}
}

// newMove returns a cloud of two hosts with instance i of a flavor on compute1.
func newMove(t *testing.T, flavor string) *trip {
	t.Helper()
	return &trip{store: &store{world: modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", flavor, 1)}}
}

// used returns the units in use of a class on a provider.
func used(t *testing.T, s *cloud.Snapshot, name string, class placement.ResourceClass) int64 {
	t.Helper()
	p, ok := s.Placement().Provider(rp(name))
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	for _, iu := range p.Inventories() {
		if s.Placement().ClassName(iu.Class) == class {
			return iu.Used
		}
	}
	return 0
}

// The steps of a resize from Nova's card to Cyborg's, with what each consumer and
// provider has after it.
func TestMoveStepByStep(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	var table []string
	row := func(name string) {
		s := tr.Snapshot()
		has := func(id placement.ConsumerID) string {
			c, ok := s.Placement().Consumer(id)
			if !ok {
				return "-"
			}
			return fmt.Sprint(c.Generation())
		}
		arq := "-"
		for a := range s.Cyborg().ARQs() {
			arq = string(a.State)
		}
		m := nova.MigrationStatus("-")
		if r, ok := s.Nova().Migration(vm("m")); ok {
			m = r.Status
		}
		i, _ := s.Nova().Instance(vm("i"))
		table = append(table, fmt.Sprintf("%-8s I %s M %s N1 %d Y2 %d C1 %d C2 %d %-11s %s/%s", name, has(vm("i")), has(vm("m")),
			used(t, s, "n1", placement.VGPU), used(t, s, "y2", placement.VGPU), used(t, s, "compute1", placement.VCPU),
			used(t, s, "compute2", placement.VCPU), arq, m, i.VMState))
	}
	row("steady")
	run := func(c ops.Task) {
		t.Helper()
		err := ops.Runner{
			Guests: &tr.guests, Now: clock(), Report: func(d ops.StepDone) { row(d.Name) },
		}.Run(t.Context(), tr.store, c)
		must.Succeed(t, err)
	}
	run(move("cyborg"))
	waiting := tr.Snapshot()
	run(ops.Confirm{Migration: vm("m")})
	tr.world.Snapshot = waiting
	run(ops.Revert{Migration: vm("m")})
	want := []string{
		"steady   I 1 M - N1 1 Y2 0 C1 2 C2 0 -           -/active",
		"park     I - M 1 N1 1 Y2 0 C1 2 C2 0 -           pre-migrating/active",
		"claim    I 1 M 1 N1 1 Y2 1 C1 2 C2 4 -           pre-migrating/active",
		"request  I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Initial     pre-migrating/active",
		"bind     I 1 M 1 N1 1 Y2 1 C1 2 C2 4 BindStarted pre-migrating/active",
		"attach   I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       pre-migrating/active",
		"stop     I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       migrating/active",
		"copy     I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       post-migrating/active",
		"start    I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       finished/resized",
		"confirm  I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       confirming/resized",
		"release  I 1 M - N1 0 Y2 1 C1 0 C2 4 Bound       confirmed/active",
		"revert   I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       reverting/resized",
		"stop     I 1 M 1 N1 1 Y2 1 C1 2 C2 4 Bound       reverting/resized",
		"unbind   I 1 M 1 N1 1 Y2 1 C1 2 C2 4 -           reverting/resized",
		"restore  I 2 M - N1 1 Y2 0 C1 2 C2 0 -           reverting/resized",
		"start    I 2 M - N1 1 Y2 0 C1 2 C2 0 -           reverted/active",
	}
	must.Match(t, want, table)
}

// ends returns the two ends of a move.
func ends() map[string]ops.Task {
	return map[string]ops.Task{"confirm": ops.Confirm{Migration: vm("m")}, "revert": ops.Revert{Migration: vm("m")}}
}

// Every direction between owners, to both ends: conservation at each step, and the
// instance has what the flavor it ends with asks for, from the right owners.
func TestMoveBetweenOwners(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to string }{
		{"nova", "cyborg"},
		{"cyborg", "nova"},
		{"nova", "nova.big"},
		{"cyborg", "cyborg.small"},
		{"both", "cyborg"},
		{"nova", "both"},
		{"both", "plain"},
		{"plain", "both"},
		{"cyborg", "cyborg.two"},
	} {
		for end, course := range ends() {
			t.Run(tt.from+" to "+tt.to+" "+end, func(t *testing.T) {
				t.Parallel()
				tr := newMove(t, tt.from)
				watch := newWindow(t, tr.Snapshot())
				for _, c := range []ops.Task{move(tt.to), course} {
					err := ops.Runner{
						Guests: &tr.guests, Now: clock(), Report: func(d ops.StepDone) { watch.step(t, d.Name, tr.Snapshot()) },
					}.Run(t.Context(), tr.store, c)
					must.Succeed(t, err)
				}
				flavor, host := tt.to, "compute2"
				if end == "revert" {
					flavor, host = tt.from, "compute1"
				}
				atRest(t, tr.Snapshot(), flavor, host)
				if end == "revert" && cmp.Diff(watch.old, holds(tr.Snapshot(), vm("i"))) != "" {
					t.Error("the instance has another claim than before")
				}
			})
		}
	}
}

// window checks what instance and migration together hold during a move: what the
// instance had, or that and what it gets, or only what it gets.
type window struct {
	old    ops.Amounts
	others map[placement.ConsumerID]ops.Amounts
}

func newWindow(t *testing.T, s *cloud.Snapshot) *window {
	t.Helper()
	return &window{old: holds(s, vm("i")), others: everybodyElse(s)}
}

func everybodyElse(s *cloud.Snapshot) map[placement.ConsumerID]ops.Amounts {
	out := map[placement.ConsumerID]ops.Amounts{}
	for c := range s.Placement().Consumers() {
		if c.ID() != vm("i") && c.ID() != vm("m") {
			out[c.ID()] = holds(s, c.ID())
		}
	}
	return out
}

// fault returns what is not conserved in s, "" if everything is.
func (w *window) fault(s *cloud.Snapshot) string {
	i, m := holds(s, vm("i")), holds(s, vm("m"))
	equal := func(a, b ops.Amounts) bool { return cmp.Equal(a, b) }
	record, ok := s.Nova().Migration(vm("m"))
	switch {
	case !ok:
		if !equal(i, w.old) || m != nil {
			return fmt.Sprintf("before the move: instance %v, migration %v", i, m)
		}
	case record.Status == nova.Confirmed:
		if i == nil || m != nil {
			return fmt.Sprintf("confirmed: instance %v, migration %v", i, m)
		}
	case m == nil:
		if !equal(i, w.old) {
			return fmt.Sprintf("%s, and the migration holds nothing: instance %v", record.Status, i)
		}
	case record.Status != nova.Error && !equal(m, w.old):
		return fmt.Sprintf("%s: the migration holds %v, which the instance never had", record.Status, m)
	}
	return ""
}

func (w *window) step(t *testing.T, name string, s *cloud.Snapshot) {
	t.Helper()
	if fault := w.fault(s); fault != "" {
		t.Errorf("after %s: %s", name, fault)
	}
	for _, err := range vgpuFaults(s) {
		t.Errorf("after %s: %v", name, err)
	}
	if d := cmp.Diff(w.others, everybodyElse(s)); d != "" {
		t.Errorf("after %s: others hold something else (-want +got):\n%s", name, d)
	}
}

// atRest fails unless instance i is at rest on a host with what a flavor asks for, from
// the right owners, and nothing is left of the move.
func atRest(t *testing.T, s *cloud.Snapshot, flavor, host string) {
	t.Helper()
	for _, fault := range restFaults(s, flavor, host) {
		t.Error(fault)
	}
}

func restFaults(s *cloud.Snapshot, flavor, host string) (faults []string) {
	report := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	for _, err := range vgpuFaults(s) {
		report("%v", err)
	}
	i, _ := s.Nova().Instance(vm("i"))
	if i.VMState != nova.Active || i.TaskState != "" || i.Host != host || i.Flavor != flavor || i.OldFlavor+i.NewFlavor != "" {
		report("instance is %s %s on %s with %s (%s, %s), want it active on %s with %s", i.VMState, i.TaskState, i.Host, i.Flavor, i.OldFlavor, i.NewFlavor, host, flavor)
	}
	if m := holds(s, vm("m")); m != nil {
		report("the migration holds %v", m)
	}
	f, _ := s.Nova().FlavorNamed(flavor)
	spec, err := ops.RequestSpecOf(s, i, f)
	if err != nil {
		report("%v", err)
		return faults
	}
	groups, err := nova.Amounts(spec)
	if err != nil {
		report("%v", err)
		return faults
	}
	byOwner := map[placement.Owner]map[placement.ResourceClass]int64{}
	for id, amounts := range holds(s, vm("i")) {
		p, _ := s.Placement().Provider(id)
		if root := s.Placement().Root(p); root.Name() != host {
			report("it holds %v of %s, below %s", amounts, p.Name(), root.Name())
		}
		o := s.Placement().Owner(p)
		for class, n := range amounts {
			if byOwner[o] == nil {
				byOwner[o] = map[placement.ResourceClass]int64{}
			}
			byOwner[o][class] += n
		}
	}
	var arqs int64
	for _, o := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg} {
		if want := nova.Total(groups, o); !maps.Equal(want, byOwner[o]) {
			report("it holds %v from owner %v, want %v", byOwner[o], o, want)
		}
		if o == placement.OwnedByCyborg {
			arqs = nova.Total(groups, o)[placement.VGPU]
		}
	}
	bound := 0
	for a := range s.Cyborg().ARQs() {
		if a.State != cyborg.ARQBound || a.Instance != vm("i") || a.Hostname != host {
			report("accelerator request is %s for %s on %s", a.State, a.Instance, a.Hostname)
		}
		bound++
	}
	if int64(bound) != arqs {
		report("%d accelerator requests, want %d", bound, arqs)
	}
	return faults
}

// A process that is killed between any two steps leaves a move that can be
// finished and that can be undone.
func TestMoveSurvivesAKill(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ from, to string }{{"nova", "cyborg"}, {"cyborg", "nova"}, {"cyborg", "cyborg.two"}, {"both", "cyborg"}} {
		for end, course := range ends() {
			steps := newMove(t, tt.from).killedAfter(t, -1, move(tt.to), course)
			for k := range steps {
				for _, undo := range []bool{false, true} {
					tr := newMove(t, tt.from)
					tr.killedAfter(t, k+1, move(tt.to), course)
					m, _ := tr.Snapshot().Nova().Migration(vm("m"))
					flavor, host := tt.to, "compute2"
					if undo || end == "revert" && m.Status == nova.Reverting || m.Status == nova.Reverted {
						flavor, host = tt.from, "compute1"
					}
					switch m.Status {
					case nova.Confirming, nova.Confirmed:
						flavor, host = tt.to, "compute2"
						tr.mustEnd(t, ops.Confirm{Migration: vm("m")})
					case nova.Reverting, nova.Reverted:
						tr.mustEnd(t, ops.Revert{Migration: vm("m")})
					default:
						if undo {
							tr.mustEnd(t, ops.Revert{Migration: vm("m"), Why: "killed"})
						} else {
							tr.mustEnd(t, ops.Move{Migration: vm("m")})
							tr.mustEnd(t, ops.Confirm{Migration: vm("m")})
						}
					}
					for _, fault := range restFaults(tr.Snapshot(), flavor, host) {
						t.Errorf("%s to %s, %s, killed after step %d, undo %t: %s", tt.from, tt.to, end, k+1, undo, fault)
					}
				}
			}
			if steps < 8 {
				t.Errorf("%s to %s: only %d steps were tried", tt.from, tt.to, steps)
			}
		}
	}
}

// killedAfter runs courses one after another, and stops after k steps in total, or never
// if k is negative. It returns how many were taken.
func (tr *trip) killedAfter(t *testing.T, k int, courses ...ops.Task) int {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	taken := 0
	for _, c := range courses {
		if taken == k {
			return taken
		}
		err := ops.Runner{Guests: &tr.guests, Now: clock(), Report: func(ops.StepDone) {
			if taken++; taken == k {
				kill()
			}
		}}.Run(ctx, tr.store, c)

		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	return taken
}

// mustEnd advances a course to its end; it may give up on the way.
func (tr *trip) mustEnd(t *testing.T, c ops.Task) {
	t.Helper()
	err := ops.Runner{Guests: &tr.guests, Now: clock()}.Run(t.Context(), tr.store, c)
	var failed *ops.FailedError
	if err != nil && (!errors.As(err, &failed) || failed.Stuck != nil) {
		t.Fatal(err)
	}
}

// Whatever others do in between, nothing is lost and nothing counted twice, at
// every revision.
func TestMoveAmongOtherWriters(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := modeltest.NewVGPUWorld(t, 3)
		flavors := []string{"nova", "nova.big", "cyborg", "cyborg.small", "both", "cyborg.two", "plain"}
		from := rapid.SampledFrom([]string{"nova", "cyborg", "both", "plain"}).Draw(rt, "from")
		to := rapid.SampledFrom(flavors).Draw(rt, "to")
		if from == to {
			return
		}
		w.VGPUInstance("i", from, 1)
		st := &store{world: w}
		watch := newWindow(t, st.Snapshot())
		others := 0
		meddle := func(w *world) {
			others++
			name := fmt.Sprint("other", others)
			card := rapid.SampledFrom([]string{"n1", "n2", "y2", "n3", "y3"}).Draw(rt, "card")
			next, _, err := w.Snapshot.Apply(cloud.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: vm(name), Generation: placement.NewConsumer(), Project: "p", User: "u",
				Allocations: ops.Amounts{rp(card): {placement.VGPU: rapid.Int64Range(1, 4).Draw(rt, "units")}},
			}}}}})
			if err == nil {
				w.Snapshot = next
				watch.others = everybodyElse(next)
			}
		}
		g := &guests{bad: map[ops.ActKind]error{}}
		for range 60 {
			st.before = append(st.before, func(w *world) {
				if rapid.IntRange(0, 4).Draw(rt, "meddle") == 0 {
					meddle(w)
				}
			})
		}
		if fails := rapid.SampledFrom([]ops.ActKind{"", "", ops.StartGuest, ops.StopGuest, ops.BindDevice}).Draw(rt, "fails"); fails != "" {
			g.bad[fails] = errors.New("no")
		}
		check := func() {
			if fault := watch.fault(st.Snapshot()); fault != "" {
				rt.Fatal(fault)
			}
			for c, want := range watch.others {
				if !cmp.Equal(want, holds(st.Snapshot(), c)) {
					rt.Fatalf("%s holds something else", c)
				}
			}
			// Others claim units without an accelerator request: only devices allocated
			// twice count here.
			if faults := slices.Concat(st.Snapshot().Check(), st.Snapshot().Cyborg().Check()); len(faults) > 0 {
				rt.Fatal(faults)
			}
		}
		run := func(c ops.Task) {
			_ = ops.Runner{Guests: g, Now: clock(), Report: func(ops.StepDone) { check() }}.Run(t.Context(), st, c)
			check()
		}
		run(move(to))
		delete(g.bad, ops.StartGuest)
		delete(g.bad, ops.StopGuest)
		m, ok := st.Snapshot().Nova().Migration(vm("m"))
		if !ok {
			return
		}
		switch {
		case m.Status == nova.Reverting:
			run(ops.Revert{Migration: m.UUID})
		case m.Status == nova.Finished && rapid.Bool().Draw(rt, "confirm"):
			run(ops.Confirm{Migration: m.UUID})
		case m.Status == nova.Finished:
			run(ops.Revert{Migration: m.UUID})
		}
		m, _ = st.Snapshot().Nova().Migration(vm("m"))
		i, _ := st.Snapshot().Nova().Instance(vm("i"))
		if m.Status.UnderWay() || i.TaskState != "" {
			rt.Fatalf("the end is %s, instance %s %s", m.Status, i.VMState, i.TaskState)
		}
		if holds(st.Snapshot(), vm("m")) != nil {
			rt.Fatal("the migration still holds something")
		}
	})
}

var errBroken = errors.New("the driver says no")

// What is refused before anything is written, each by the check that names it.
func TestMoveRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, check string
		flavor      string
		edit        func(*world)
		words       string
	}{
		{"no such flavor", "flavor", "none", nil, "flavor none"},
		{"the flavor it has", "flavor", "nova", nil, "is the one that i has"},
		{"a disabled flavor", "flavor", "off", func(w *world) {
			w.Record(&nova.Flavor{Name: "off", FlavorID: "off", VCPUs: 1, MemoryMB: 1, RootGB: 20, Disabled: true})
		}, "is disabled"},
		{"no root disk any more", "flavor", "diskless", func(w *world) {
			w.Record(&nova.Flavor{Name: "diskless", FlavorID: "x", VCPUs: 1, MemoryMB: 1})
		}, "no root disk"},
		{"in error", "state", "cyborg", func(w *world) { w.EditInstance(func(i *nova.Instance) { i.VMState = nova.Broken }) }, "must be active or stopped"},
		{"busy", "state", "cyborg", func(w *world) { w.EditInstance(func(i *nova.Instance) { i.TaskState = "rebuilding" }) }, "busy"},
		{"another move waits", "state", "cyborg", func(w *world) {
			w.Record(&nova.Migration{UUID: vm("other"), Instance: vm("i"), Status: nova.Finished, Source: "compute2"})
		}, "confirm or revert it first"},
		{"holds nothing", "claim", "cyborg", func(w *world) { w.Do(placement.DeleteAllocations{Consumer: vm("i")}) }, "heal it first"},
		{"holds something else", "claim", "cyborg", func(w *world) {
			w.Claim("i", placement.InstanceConsumer, map[string]resources{"compute1": {placement.VCPU: 7}})
		}, "heal it first"},
		{"holds all of it on another host", "claim", "cyborg", func(w *world) {
			w.Claim("i", placement.InstanceConsumer, map[string]resources{
				"compute2": {placement.VCPU: 2, placement.MemoryMB: 4096, placement.DiskGB: 20}, "n2": {placement.VGPU: 1},
			})
		}, "i runs on compute1, and has allocations elsewhere: DISK_GB=20,MEMORY_MB=4096,VCPU=2 of compute2, VGPU=1 of n2; heal it first"},
		{"holds its card on another host", "claim", "cyborg", func(w *world) {
			w.Claim("i", placement.InstanceConsumer, map[string]resources{
				"compute1": {placement.VCPU: 2, placement.MemoryMB: 4096, placement.DiskGB: 20}, "n2": {placement.VGPU: 1},
			})
		}, "VGPU=1 of n2; heal it first"},
		{"on a host that is none", "claim", "cyborg", func(w *world) {
			w.EditInstance(func(i *nova.Instance) { i.Host = "nowhere" })
		}, "i runs on nowhere, which has no compute node in Placement"},
		{"a flavor that cannot be asked for", "request", "odd", func(w *world) {
			w.Record(&nova.Flavor{Name: "odd", FlavorID: "odd", VCPUs: 1, MemoryMB: 1, RootGB: 20, ExtraSpecs: map[string]string{
				"accel:device_profile": "dp-vgpu", "resourcesdevice_profile_0:VGPU": "1",
			}})
		}, "flavor odd: resourcesdevice_profile_0:VGPU=1: suffix"},
		{"no such profile", "profile", "lost", func(w *world) {
			w.Record(&nova.Flavor{Name: "lost", FlavorID: "lost", VCPUs: 1, MemoryMB: 1, RootGB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "gone"}})
		}, "device profile gone"},
		{"deleted", "instance", "cyborg", func(w *world) { w.EditInstance(func(i *nova.Instance) { i.VMState = nova.Deleted }) }, "instance"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newMove(t, "nova")
			if tt.edit != nil {
				tt.edit(tr.world)
			}
			before := tr.Snapshot()
			err := tr.advance(t.Context(), move(tt.flavor))
			if err == nil || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("error %v, want one that says %q", err, tt.words)
			}
			if tr.Snapshot() != before {
				t.Error("something was written")
			}
			var by []string
			for _, c := range move(tt.flavor).Checks(before, modeltest.At(0)) {
				if c.Refusal != nil {
					by = append(by, c.Name)
				}
			}
			if !slices.Equal(by, []string{tt.check}) {
				t.Errorf("refused by %v, want %s", by, tt.check)
			}
		})
	}
}

// A pool that was unlinked from the aggregate of the host no longer serves it: an
// instance that holds disk on it may leave.
func TestMoveLeavesAPoolBehind(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	tr.Provider("pool", "", resources{placement.DiskGB: 100}, placement.SharesViaAggregate).Aggregates("pool", "rack")
	tr.Claim("i", placement.InstanceConsumer, map[string]resources{
		"compute1": {placement.VCPU: 2, placement.MemoryMB: 4096}, "n1": {placement.VGPU: 1}, "pool": {placement.DiskGB: 20},
	})
	if err := tr.advance(t.Context(), move("cyborg")); err != nil {
		t.Error(err)
	}
}

// A resize stays on its host only if that is allowed, and there is room for both.
func TestMoveOnTheSameHost(t *testing.T) {
	t.Parallel()
	tr := &trip{store: &store{world: modeltest.NewVGPUWorld(t, 1).VGPUInstance("i", "nova", 1)}}
	if err := tr.advance(t.Context(), move("cyborg")); err == nil || !strings.Contains(err.Error(), "the only places are on compute1 (the instance is on it)") {
		t.Errorf("error %v, want one about the own host", err)
	}
	again := move("cyborg")
	again.Migration, again.SameHost = vm("m2"), true
	must.Succeed(t, tr.advance(t.Context(), again))
	if n := used(t, tr.Snapshot(), "compute1", placement.VCPU); n != 6 {
		t.Errorf("%d VCPU are used while both are held, want 6", n)
	}
	must.Succeed(t, tr.advance(t.Context(), ops.Confirm{Migration: vm("m2")}))
	atRest(t, tr.Snapshot(), "cyborg", "compute1")
}

// A server is neither resized nor migrated into another cell (LP 1823370), as long as both
// cells are known.
func TestMoveStaysInItsCell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ flavor, cell, why string }{
		{"cyborg", "cell2", "compute2 (it is in cell2, and compute1 is in cell1: Nova moves no server to another cell)"},
		{"", "cell2", "compute2 (it is in cell2, and compute1 is in cell1: Nova moves no server to another cell)"},
		{"cyborg", "cell1", ""},
		{"cyborg", "", ""},
	} {
		t.Run(tt.flavor+" "+tt.cell, func(t *testing.T) {
			t.Parallel()
			tr := newMove(t, "nova")
			unknown := func(svc *nova.Service) { svc.LastSeenUp = 0 } // the clock of a trip begins before that of the world
			tr.Compute("compute1", 73, unknown).Compute("compute2", 73, unknown, func(svc *nova.Service) { svc.Cell = tt.cell })
			err := tr.advance(t.Context(), move(tt.flavor))
			if tt.why == "" {
				must.Succeed(t, err)
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("error %v, want one that says %q", err, tt.why)
			}
		})
	}
}

// A migration keeps the flavor and leaves the host; a stopped instance stays stopped.
func TestMigrateStopped(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "both")
	tr.EditInstance(func(i *nova.Instance) { i.VMState = nova.Stopped })
	for _, c := range []ops.Task{move(""), ops.Confirm{Migration: vm("m")}} {
		must.Succeed(t, tr.advance(t.Context(), c))
	}
	i, _ := tr.Snapshot().Nova().Instance(vm("i"))
	m, _ := tr.Snapshot().Nova().Migration(vm("m"))
	if i.VMState != nova.Stopped || i.Host != "compute2" || m.Type != nova.ColdMigration || m.Status != nova.Confirmed {
		t.Errorf("instance is %s on %s, %s is %s", i.VMState, i.Host, m.Type, m.Status)
	}
	for _, act := range tr.guests.did {
		if act.Kind == ops.StartGuest {
			t.Error("it was started")
		}
	}
}
