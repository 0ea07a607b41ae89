package ops_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// failureRows returns the steps at which a move between owners may fail, in order.
func failureRows() []string {
	return []string{
		"2: 409 on I or M generation",
		"2: 409 undefined_code",
		"3: empty candidates",
		"4: 409 undefined_code (capacity gone)",
		"4: 409 concurrent_update",
		"5: no such profile / create fails",
		"5: BindFailed or timeout (300 s)",
		"6: guest does not start",
		"crash between 2 and 4",
		"crash between 4 and 6",
		"7a: source device cleanup fails",
		"7a: PUT M fails",
		"7b: unbind fails (UnbindFailed)",
		"7b: source inventory shrank meanwhile",
		"any: instance deleted in the window",
	}
}

// moveFailure is one way in which a step of failureRows fails, and what is left then.
type moveFailure struct {
	row, name string
	from, to  string
	before    []func(*world) // called before each write, nil for none
	bad       map[ops.ActKind]error
	badOn     string // the host on which acts fail; "" for all
	end       ops.Task
	do        func(t *testing.T, tr *trip) error // replaces the move and its end

	flavor  string // of the instance at the end
	host    string
	status  nova.MigrationStatus
	state   nova.VMState
	migrant map[string]resources // what the migration holds at the end
	arqs    []cyborg.ARQState    // that exist at the end
	words   string               // of the error
	then    func(t *testing.T, tr *trip)
}

// fillCard has another consumer claim all of a card.
func fillCard(card string) func(*world) {
	return func(w *world) { w.Claim("filler of "+card, "", map[string]resources{card: {placement.VGPU: 4}}) }
}

// claimAgain writes the claim of instance i as it is, so that its generation grows.
func claimAgain(w *world) {
	c, ok := w.Placement().Consumer(vm("i"))
	if ok {
		w.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{w.Placement().AsHeld(c)}})
	}
}

// wobble is another writer's write of the state of instance i.
func wobble(w *world) {
	i, _ := w.Nova().Instance(vm("i"))
	next := nova.Active
	if i.VMState == next {
		next = nova.Resized
	}
	w.Record(i.Edit(func(i *nova.Instance) { i.VMState = next }))
}

// times returns a hook n times, after skip calls without one.
func times(skip, n int, hook func(*world)) []func(*world) {
	return append(make([]func(*world), skip), slices.Repeat([]func(*world){hook}, n)...)
}

// nils returns hooks in which nil is replaced, so that all can be called.
func nils(hooks []func(*world)) []func(*world) {
	out := slices.Clone(hooks)
	for n := range out {
		if out[n] == nil {
			out[n] = func(*world) {}
		}
	}
	return out
}

// killedAndUndone returns a function that kills the process after some steps, and undoes
// what Unfinished finds.
func killedAndUndone(steps int) func(*testing.T, *trip) error {
	return func(t *testing.T, tr *trip) error {
		t.Helper()
		tr.killedAfter(t, steps, move("cyborg"))
		left := ops.Unfinished(tr.Snapshot(), late, time.Hour)
		if len(left) != 1 || left[0].Undo == nil {
			t.Fatalf("unfinished is %+v", left)
		}
		return tr.advance(t.Context(), left[0].Undo)
	}
}

func moveFailures() []moveFailure {
	old := map[string]resources{"compute1": {placement.VCPU: 2, placement.MemoryMB: 4096, placement.DiskGB: 20}, "n1": {placement.VGPU: 1}}
	parked := func(card string) map[string]resources { return map[string]resources{card: {placement.VGPU: 1}} }
	bound, stuck := []cyborg.ARQState{cyborg.ARQBound}, []cyborg.ARQState{cyborg.ARQUnbindFailed}
	confirm, revert := ops.Confirm{Migration: vm("m")}, ops.Revert{Migration: vm("m")}
	tighten := func(w *world) {
		inv := placement.NewInventory(16)
		inv.MaxUnit = 1
		w.Inventory("compute1", placement.VCPU, inv)
	}
	return []moveFailure{
		{
			row: "2: 409 on I or M generation", name: "the claim is still what was to be moved", from: "nova", to: "cyborg", before: times(0, 2, claimAgain),
			flavor: "cyborg", host: "compute2", status: nova.Finished, state: nova.Resized, migrant: old, arqs: bound,
		},
		{
			row: "2: 409 on I or M generation", name: "in every try: the migration of a park that conflicts is in error", from: "nova", to: "cyborg", before: times(0, 9, claimAgain),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "generation",
		},
		{
			row: "2: 409 on I or M generation", name: "the claim is another by now", from: "nova", to: "cyborg", before: []func(*world){func(w *world) {
				w.Claim("i", placement.InstanceConsumer, map[string]resources{"compute1": {placement.VCPU: 1}})
			}},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "heal it first",
		},
		{
			row: "2: 409 undefined_code", name: "max_unit was tightened under the claim", from: "nova", to: "cyborg", before: []func(*world){tighten},
			flavor: "nova", host: "compute1", state: nova.Active, words: "max_unit",
		},
		{
			row: "3: empty candidates", from: "nova", to: "cyborg", before: []func(*world){func(w *world) { fillCard("y2")(w); fillCard("y3")(w) }},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "no valid host",
		},
		{
			row: "4: 409 undefined_code (capacity gone)", name: "the next candidate", from: "nova", to: "cyborg", before: times(1, 1, fillCard("y2")),
			flavor: "cyborg", host: "compute3", status: nova.Finished, state: nova.Resized, migrant: old, arqs: bound,
		},
		{
			row: "4: 409 undefined_code (capacity gone)", name: "of both candidates", from: "nova", to: "cyborg", before: []func(*world){nil, fillCard("y2"), fillCard("y3")},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "no valid host",
		},
		{
			row: "4: 409 concurrent_update", name: "the same candidate again", from: "nova", to: "cyborg", before: times(1, 3, touch),
			flavor: "cyborg", host: "compute2", status: nova.Finished, state: nova.Resized, migrant: old, arqs: bound,
		},
		{
			row: "4: 409 concurrent_update", name: "then the next one", from: "nova", to: "cyborg", before: times(1, 4, touch),
			flavor: "cyborg", host: "compute3", status: nova.Finished, state: nova.Resized, migrant: old, arqs: bound,
		},
		{
			row: "4: 409 concurrent_update", name: "none is left", from: "nova", to: "cyborg", before: times(1, 8, touch),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "others wrote to it in each of 4 tries",
		},
		{
			row: "5: no such profile / create fails", from: "nova", to: "cyborg", before: times(2, 1, func(w *world) {
				var c cloud.Change
				if p, ok := w.Cyborg().DeviceProfile("dp-vgpu"); ok {
					modeltest.DeleteIn(&c, w, p)
					w.Change(c)
				}
			}),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "dp-vgpu",
		},
		{
			row: "5: BindFailed or timeout (300 s)", name: "no attach handle is free", from: "nova", to: "cyborg", before: times(2, 1, func(w *world) {
				var c cloud.Change
				for d := range w.Cyborg().DeployablesOf(deviceOf(w, "y2")) {
					for h := range w.Cyborg().AttachHandlesOf(d.UUID) {
						modeltest.DeleteIn(&c, w, h)
					}
				}
				w.Change(c)
			}),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "none of the 0 attach handles",
		},
		{
			row: "5: BindFailed or timeout (300 s)", name: "the device cannot be made", from: "nova", to: "cyborg", bad: map[ops.ActKind]error{ops.BindDevice: errBroken},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: errBroken.Error(),
		},
		{
			row: "5: BindFailed or timeout (300 s)", name: "no answer", from: "nova", to: "cyborg",
			do: func(t *testing.T, tr *trip) error {
				t.Helper()
				tr.killedAfter(t, 4, move("cyborg"))
				return ops.Runner{
					Guests: &tr.guests, Now: func() time.Time { return late },
				}.Run(t.Context(), tr.store, ops.Move{Migration: vm("m"), Instance: vm("i")})
			},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: "still BindStarted on compute2 after 300 s",
		},
		{
			row: "6: guest does not start", name: "and is started where it was", from: "nova", to: "cyborg", bad: map[ops.ActKind]error{ops.StartGuest: errBroken}, badOn: "compute2",
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: errBroken.Error(),
		},
		{
			row: "6: guest does not start", name: "nor does it where it was", from: "nova", to: "cyborg", bad: map[ops.ActKind]error{ops.StartGuest: errBroken},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Broken, words: errBroken.Error(),
		},
		{
			row: "crash between 2 and 4", from: "nova", to: "cyborg", do: killedAndUndone(1),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active,
		},
		{
			row: "crash between 4 and 6", name: "after the claim", from: "nova", to: "cyborg", do: killedAndUndone(2),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active,
		},
		{
			row: "crash between 4 and 6", name: "after the device is bound", from: "nova", to: "cyborg", do: killedAndUndone(5),
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active,
		},
		{
			row: "7a: source device cleanup fails", name: "the old host is not cleaned", from: "nova", to: "cyborg", end: confirm, bad: map[ops.ActKind]error{ops.StopGuest: errBroken},
			flavor: "cyborg", host: "compute2", status: nova.Error, state: nova.Active, words: errBroken.Error(), migrant: old, arqs: bound,
			then: leaked,
		},
		{
			row: "7a: source device cleanup fails", name: "the old device does not let go", from: "cyborg", to: "nova", end: confirm, bad: map[ops.ActKind]error{ops.UnbindDevice: errBroken},
			flavor: "nova", host: "compute2", status: nova.Error, state: nova.Active, words: errBroken.Error(), migrant: parked("y1"), arqs: stuck,
		},
		{
			row: "7a: source device cleanup fails", name: "the old device of two does not let go", from: "cyborg", to: "cyborg.two", end: confirm, bad: map[ops.ActKind]error{ops.UnbindDevice: errBroken},
			flavor: "cyborg.two", host: "compute2", status: nova.Error, state: nova.Active, words: errBroken.Error(), migrant: parked("y1"), arqs: append(append(stuck, bound...), bound...),
		},
		{
			row: "7a: PUT M fails", name: "the confirm is taken up again", from: "nova", to: "cyborg",
			do: func(t *testing.T, tr *trip) error {
				t.Helper()
				tr.mustEnd(t, move("cyborg"))
				tr.before = nils(times(1, 30, wobble))
				if err := tr.advance(t.Context(), confirm); err == nil || tr.status() != nova.Confirming {
					t.Errorf("the migration is %s, %v", tr.status(), err)
				}
				tr.before = nil
				left := ops.Unfinished(tr.Snapshot(), late, time.Hour)
				if len(left) != 1 {
					t.Fatalf("unfinished is %+v", left)
				}
				return tr.advance(t.Context(), left[0].Finish)
			},
			flavor: "cyborg", host: "compute2", status: nova.Confirmed, state: nova.Active, arqs: bound,
		},
		{
			row: "7a: PUT M fails", name: "elsewhere, and the migration is confirmed all the same", from: "nova", to: "cyborg",
			do: func(t *testing.T, tr *trip) error {
				t.Helper()
				tr.mustEnd(t, move("cyborg"))
				holds := tr.Placement().AsHeld(mustConsumer(t, tr.world, "m"))
				tr.mustEnd(t, confirm)
				holds.Generation = placement.NewConsumer()
				tr.Do(placement.ReplaceAllocations{Consumers: []placement.Claim{holds}})
				return nil
			},
			flavor: "cyborg", host: "compute2", status: nova.Confirmed, state: nova.Active, arqs: bound, migrant: old,
			then: leaked,
		},
		{
			row: "7b: unbind fails (UnbindFailed)", from: "nova", to: "cyborg", end: revert, bad: map[ops.ActKind]error{ops.UnbindDevice: errBroken},
			flavor: "nova", host: "compute1", status: nova.Error, state: nova.Active, words: errBroken.Error(), migrant: parked("y2"), arqs: stuck,
			then: func(t *testing.T, tr *trip) {
				t.Helper()
				tr.fixed(t, audit.RuleStuckDevice, "freed")
				if has := holds(tr.Snapshot(), vm("m")); has != nil || len(tr.requests()) != 0 {
					t.Errorf("freed: the migration holds %v, requests are %v", has, tr.requests())
				}
			},
		},
		{
			row: "7b: source inventory shrank meanwhile", from: "nova", to: "cyborg", end: revert,
			before: times(8, 1, func(w *world) {
				w.Inventory("n1", placement.VGPU, placement.Inventory{Total: 1, Reserved: 1, MinUnit: 1, MaxUnit: 1, StepSize: 1, AllocationRatio: 1})
			}),
			flavor: "nova", host: "compute1", status: nova.Reverted, state: nova.Active,
		},
		{
			row: "any: instance deleted in the window", name: "while it waits", from: "nova", to: "cyborg", end: terminate(),
			flavor: "cyborg", host: "compute2", status: nova.Confirmed, state: nova.Deleted,
		},
		{
			row: "any: instance deleted in the window", name: "on the way", from: "cyborg", to: "nova",
			do: func(t *testing.T, tr *trip) error {
				t.Helper()
				tr.killedAfter(t, 2, move("nova"))
				return tr.advance(t.Context(), terminate())
			},
			flavor: "cyborg", host: "compute1", status: nova.Cancelled, state: nova.Deleted,
		},
	}
}

// leaked checks that what the migration holds is a finding, and can be released by its
// fix.
func leaked(t *testing.T, tr *trip) {
	t.Helper()
	tr.fixed(t, audit.RuleLeakedMigration, "release")
	if has := holds(tr.Snapshot(), vm("m")); has != nil {
		t.Errorf("released: the migration holds %v", has)
	}
}

// fixed applies a fix of the only finding of a rule.
func (tr *trip) fixed(t *testing.T, rule audit.RuleID, name string) {
	t.Helper()
	for _, f := range audit.Find(tr.Snapshot()) {
		if f.Rule != rule {
			continue
		}
		x := must.Get(audit.FixNamed(tr.Snapshot(), f, name))(t)
		next := must.Get(x.Try(tr.Snapshot(), late))(t)
		tr.world.Snapshot = next
		return
	}
	t.Errorf("%s finds nothing", rule)
}

// ours reports whether only instance i and its migration have some of a card.
func (tr *trip) ours(c cloud.CardAccount) bool {
	return !slices.ContainsFunc(c.Uses, func(u cloud.CardUse) bool { return u.Holder != vm("i") })
}

func mustConsumer(t *testing.T, w *world, name string) *placement.Consumer {
	t.Helper()
	c, ok := w.Placement().Consumer(vm(name))
	if !ok {
		t.Fatalf("%s holds nothing", name)
	}
	return c
}

// requests returns the states of all accelerator requests, sorted.
func (tr *trip) requests() (out []cyborg.ARQState) {
	for a := range tr.Snapshot().Cyborg().ARQs() {
		out = append(out, a.State)
	}
	slices.Sort(out)
	return out
}

// badHost is a host on which acts of some kinds fail.
type badHost struct {
	*guests
	host string
}

func (b badHost) Do(ctx context.Context, a ops.Act) error {
	if err := b.guests.Do(ctx, a); a.Host == b.host || b.host == "" {
		return err
	}
	return nil
}

// Every row of the table of failures, and what is left then.
func TestMoveFailures(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, tt := range moveFailures() {
		rows = append(rows, tt.row)
		t.Run(strings.TrimSuffix(tt.row+"; "+tt.name, "; "), func(t *testing.T) {
			t.Parallel()
			tr := &trip{store: &store{world: modeltest.NewVGPUWorld(t, 3).VGPUInstance("i", tt.from, 1)}}
			tr.before = nils(tt.before)
			err := tt.run(t, tr)
			if err == nil && tt.words != "" || err != nil && !strings.Contains(err.Error(), tt.words) {
				t.Errorf("error %v, want one that says %q", err, tt.words)
			}
			tt.left(t, tr)
			if tt.then != nil {
				tt.then(t, tr)
			}
			for _, c := range modeltest.CardAccounts(tr.Snapshot()) {
				if tr.ours(c) && c.Faults() != 0 && tt.name != "no attach handle is free" {
					t.Errorf("the account of %s: %+v", c.Provider.Name(), c)
				}
			}
		})
	}
	must.Match(t, failureRows(), slices.Compact(rows))
}

// run runs a case.
func (tt moveFailure) run(t *testing.T, tr *trip) error {
	t.Helper()
	with := func(c ops.Task) error {
		tr.guests.bad = tt.bad
		return ops.Runner{Guests: badHost{&tr.guests, tt.badOn}, Now: clock()}.Run(t.Context(), tr.store, c)
	}
	switch {
	case tt.do != nil:
		return tt.do(t, tr)
	case tt.end == nil:
		return with(move(tt.to))
	}
	tr.mustEnd(t, move(tt.to))
	return with(tt.end)
}

// left checks what is left.
func (tt moveFailure) left(t *testing.T, tr *trip) {
	t.Helper()
	s := tr.Snapshot()
	i, _ := s.Nova().Instance(vm("i"))
	if i.Flavor != tt.flavor || i.Host != tt.host || i.VMState != tt.state || i.TaskState != "" {
		t.Errorf("instance has %s on %s, %s %s", i.Flavor, i.Host, i.VMState, i.TaskState)
	}
	if m, ok := s.Nova().Migration(vm("m")); ok && m.Status != tt.status || !ok && tt.status != "" {
		t.Errorf("migration is %+v, want it %q", m, tt.status)
	}
	want := ops.Amounts(nil)
	for name, amounts := range tt.migrant {
		if want == nil {
			want = ops.Amounts{}
		}
		want[rp(name)] = amounts
	}
	must.Match(t, want, holds(s, vm("m")))
	arqs := slices.Sorted(slices.Values(tt.arqs))
	if tt.from == "cyborg" && tt.flavor == "cyborg" && tt.state == nova.Active {
		arqs = []cyborg.ARQState{cyborg.ARQBound}
	}
	must.Match(t, arqs, tr.requests())
	if faults := slices.Concat(s.Check(), s.Cyborg().Check()); len(faults) > 0 {
		t.Error(faults)
	}
	if tt.state == nova.Deleted {
		if has := holds(s, vm("i")); has != nil {
			t.Errorf("the deleted instance holds %v", has)
		}
		return
	}
	if tt.name == "the claim is another by now" {
		return
	}
	root, ok := holds(s, vm("i"))[rp(tt.host)]
	if !ok || root[placement.VCPU] != map[string]int64{"nova": 2, "cyborg": 4, "cyborg.two": 4}[tt.flavor] {
		t.Errorf("the instance holds %v on %s", root, tt.host)
	}
}

func deviceOf(w *world, card string) (id [16]byte) {
	d, _ := w.Cyborg().DeployableAt(rp(card))
	return d.Device
}
