package ops_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

var errNone = errors.New("no room anywhere")

// hop is a small course: migration m claims a VCPU on a or b, starts a guest, and is
// finished; if that does not work it releases the claim and has failed.
type hop struct{ circle bool }

func (h hop) Next(s *cloud.Snapshot, at time.Time) (ops.Step, bool, error) {
	m, ok := s.Nova().Migration(vm("m"))
	if !ok {
		return ops.Step{}, false, &placement.NotFoundError{What: "migration", Name: "m"}
	}
	step := func(name string, to nova.MigrationStatus) ops.Step {
		next := m.Edit(func(m *nova.Migration) { m.Status, m.Updated = to, at.UnixMilli() })
		st := ops.Step{Name: name, Title: name + " m"}
		modeltest.PutIn(&st.Change, s, next)
		return st
	}
	switch m.Status {
	case nova.PreMigrating:
		for _, name := range []string{"a", "b"} {
			p, _ := s.Placement().Provider(rp(name))
			if inv := p.Inventories()[0]; inv.Free() > 0 {
				st := step("claim", nova.Migrating)
				st.Change.Ops = append(st.Change.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{{
					Consumer: vm("i"), Generation: placement.NewConsumer(), Project: "p", User: "u",
					Allocations: allocations{rp(name): {placement.VCPU: 1}},
				}}})
				return st, true, nil
			}
		}
		st := step("give_up", nova.Failed)
		st.Cause = errNone
		return st, true, nil
	case nova.Migrating:
		st := step("start", nova.Finished)
		st.Acts = []ops.Act{{Kind: ops.StartGuest, Host: "a", Instance: vm("i")}}
		return st, true, nil
	case nova.Reverting:
		st := step("release", nova.Failed)
		st.Change.Ops = append(st.Change.Ops, placement.DeleteAllocations{Consumer: vm("i")})
		return st, true, nil
	case nova.Finished:
		if h.circle {
			return step("again", nova.Finished), true, nil
		}
	}
	return ops.Step{}, false, nil
}

func (hop) About() ops.Description { return ops.Description{Name: "hop", Migration: vm("m")} }

func (hop) Failed(s *cloud.Snapshot, _ time.Time, step ops.Step, cause error) (cloud.Change, error) {
	m, _ := s.Nova().Migration(vm("m"))
	to := nova.Reverting
	if step.Name == "claim" {
		to = nova.Failed
	}
	c := cloud.Change{Note: "turn round: " + cause.Error()}
	modeltest.PutIn(&c, s, m.Edit(func(m *nova.Migration) { m.Status = to }))
	return c, nil
}

// guests counts acts, and fails those of the kinds in bad.
type guests struct {
	did []ops.Act
	bad map[ops.ActKind]error
}

func (g *guests) Do(_ context.Context, a ops.Act) error {
	g.did = append(g.did, a)
	return g.bad[a.Kind]
}

// clock advances by a second at every call.
func clock() func() time.Time {
	n := 0
	return func() time.Time { n++; return modeltest.At(n) }
}

// trip advances a course on a store, and remembers what was reported.
type trip struct {
	*store
	guests guests
	lines  []string
}

func (tr *trip) advance(ctx context.Context, c ops.Task) error {
	return ops.Runner{
		Actor: "test", Guests: &tr.guests, Now: clock(),
		Report: func(d ops.StepDone) {
			tr.lines = append(tr.lines, fmt.Sprintf("%d %s %q %d %v %s", d.Number, d.Name, d.Event.Note, d.Tries, d.Cause != nil, d.Elapsed))
		},
	}.Run(ctx, tr.store, c)
}

func newHop(t *testing.T) *trip {
	t.Helper()
	w := newWorld(t).Provider("a", "", resources{placement.VCPU: 1}).Provider("b", "", resources{placement.VCPU: 1}).
		Migration(nova.PreMigrating)
	return &trip{store: &store{world: w}}
}

func (tr *trip) status() nova.MigrationStatus {
	m, _ := tr.Snapshot().Nova().Migration(vm("m"))
	return m.Status
}

// touch is another writer's write to the migration.
func touch(w *world) {
	m, _ := w.Snapshot.Nova().Migration(vm("m"))
	var c nova.PutRecords
	modeltest.Put(&c, w.Nova(), m.Edit(func(m *nova.Migration) { m.Dest += "x" }))
	w.Change(cloud.Change{Ops: []cloud.Op{c}})
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	broken := errors.New("no qemu")
	full := func(p string) func(*world) {
		return func(w *world) {
			w.Claim("other "+p, placement.InstanceConsumer, map[string]resources{p: {placement.VCPU: 1}})
		}
	}
	for _, tt := range []struct {
		name   string
		given  func(*trip)
		lines  []string
		status nova.MigrationStatus
		acts   int
		want   error
		says   string
	}{
		{
			name:  "steps in order, timed by the caller's clock",
			lines: []string{`1 claim "claim m" 1 false 2s`, `2 start "start m" 1 false 2s`}, status: nova.Finished, acts: 1,
		},
		{
			name:   "a step that somebody else overtook is decided again, its act is not repeated",
			given:  func(tr *trip) { tr.before = []func(*world){touch, touch, touch} },
			lines:  []string{`1 claim "claim m" 4 false 5s`, `2 start "start m" 1 false 2s`},
			status: nova.Finished, acts: 1,
		},
		{
			name:   "an act stays done when its change is decided again",
			given:  func(tr *trip) { tr.before = []func(*world){func(*world) {}, touch, touch} },
			lines:  []string{`1 claim "claim m" 1 false 2s`, `2 start "start m" 3 false 4s`},
			status: nova.Finished, acts: 1,
		},
		{
			name:   "room that somebody else took is looked for elsewhere",
			given:  func(tr *trip) { tr.before = []func(*world){full("a")} },
			lines:  []string{`1 claim "claim m" 2 false 3s`, `2 start "start m" 1 false 2s`},
			status: nova.Finished, acts: 1,
		},
		{
			name:   "no room is the end",
			given:  func(tr *trip) { full("a")(tr.world); full("b")(tr.world) },
			lines:  []string{`1 give_up "give_up m" 1 true 2s`},
			status: nova.Failed, want: errNone, says: "give_up m: no room anywhere",
		},
		{
			name:   "after five tries the step has failed",
			given:  func(tr *trip) { tr.before = slices.Repeat([]func(*world){touch}, 5) },
			lines:  []string{`1 claim "turn round: migration ` + vm("m").String() + ` has been changed in the meantime: generation conflict" 1 true 2s`},
			status: nova.Failed, want: placement.ErrConflict, says: "claim m: migration",
		},
		{
			name:  "an act that fails turns the course round",
			given: func(tr *trip) { tr.guests.bad = map[ops.ActKind]error{ops.StartGuest: broken} },
			lines: []string{
				`1 claim "claim m" 1 false 2s`, `2 start "turn round: start guest on a: no qemu" 1 true 2s`, `3 release "release m" 1 false 2s`,
			},
			status: nova.Failed, acts: 1, want: broken, says: "start m: start guest on a: no qemu",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newHop(t)
			if tt.given != nil {
				tt.given(tr)
			}
			err := tr.advance(t.Context(), hop{})
			if d := diffLines(tt.lines, tr.lines); d != "" {
				t.Error(d)
			}
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), tt.says) {
				t.Errorf("error %q, want %q", err, tt.says)
			}
			if tr.status() != tt.status || len(tr.guests.did) != tt.acts {
				t.Errorf("status %s and %d acts, want %s and %d", tr.status(), len(tr.guests.did), tt.status, tt.acts)
			}
		})
	}
}

func diffLines(want, got []string) string {
	if slices.Equal(want, got) {
		return ""
	}
	return "want\n  " + strings.Join(want, "\n  ") + "\ngot\n  " + strings.Join(got, "\n  ")
}

// A context that ends leaves the course between two steps; it can be resumed.
func TestAdvanceStops(t *testing.T) {
	t.Parallel()
	tr := newHop(t)
	ctx, stop := context.WithCancel(t.Context())
	tr.before = []func(*world){func(*world) { stop() }}
	if err := tr.advance(ctx, hop{}); !errors.Is(err, context.Canceled) || err.Error() != "stopped after step 1: context canceled" {
		t.Fatal(err)
	}
	if tr.status() != nova.Migrating || len(tr.guests.did) != 0 {
		t.Fatalf("status %s, acts %v", tr.status(), tr.guests.did)
	}
	if err := tr.advance(t.Context(), hop{}); err != nil || tr.status() != nova.Finished {
		t.Fatal(err, tr.status())
	}
}

// locked is a cloud that cannot be written after some writes.
type locked struct {
	*store
	left int
}

func (l *locked) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if l.left--; l.left < 0 {
		return cloud.Refused(placement.ErrUnavailable)
	}
	return l.store.Apply(ctx, c)
}

// What works is not undone because the cloud cannot be written.
func TestAdvanceUnwritable(t *testing.T) {
	t.Parallel()
	tr := newHop(t)
	err := ops.Runner{}.Run(t.Context(), &locked{tr.store, 1}, hop{})
	if !errors.Is(err, placement.ErrUnavailable) || tr.status() != nova.Migrating {
		t.Fatal(err, tr.status())
	}
	if _, ok := errors.AsType[*ops.FailedError](err); ok {
		t.Fatalf("%v is a failure of the course", err)
	}
}

// If the undoing stops too, the error says both.
func TestAdvanceStuck(t *testing.T) {
	t.Parallel()
	broken := errors.New("no qemu")
	tr := newHop(t)
	tr.guests.bad = map[ops.ActKind]error{ops.StartGuest: broken}
	err := ops.Runner{Guests: &tr.guests}.Run(t.Context(), &locked{tr.store, 2}, hop{})
	if !errors.Is(err, broken) || !errors.Is(err, placement.ErrUnavailable) ||
		err.Error() != "start m: start guest on a: no qemu; undoing it stopped: stopped after step 2: unavailable" {
		t.Fatal(err)
	}
}

func TestAdvanceRefused(t *testing.T) {
	t.Parallel()
	empty := &store{world: newWorld(t)}
	if err := (ops.Runner{}).Run(t.Context(), empty, hop{}); !errors.Is(err, placement.ErrNotFound) || empty.writes != 0 {
		t.Errorf("no way on: %v after %d writes", err, empty.writes)
	}
	tr := newHop(t)
	if err := tr.advance(t.Context(), hop{circle: true}); err == nil || !strings.Contains(err.Error(), "still not at rest") {
		t.Errorf("a course in circles: %v", err)
	}
}

// A rehearsal writes nothing and leads where Advance leads.
func TestRehearse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		given func(*world)
		want  error
		steps []string
	}{
		{name: "done", steps: []string{"claim", "start"}},
		{name: "given up", steps: []string{"give_up"}, want: errNone, given: func(w *world) {
			for _, p := range []string{"a", "b"} {
				w.Claim(p, placement.InstanceConsumer, map[string]resources{p: {placement.VCPU: 1}})
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newHop(t)
			if tt.given != nil {
				tt.given(tr.world)
			}
			before := tr.Snapshot()
			r, err := ops.Rehearse(before, hop{}, modeltest.At(0))
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			var names []string
			for _, s := range r.Steps {
				names = append(names, s.Name)
				if s.Preview.Empty() || s.Change.Note != s.Title {
					t.Errorf("step %s has preview %v and note %q", s.Name, s.Preview.Lines(), s.Change.Note)
				}
			}
			if d := diffLines(tt.steps, names); d != "" {
				t.Error(d)
			}
			if tr.Snapshot() != before {
				t.Error("the rehearsal wrote something")
			}
			_ = ops.Runner{Now: func() time.Time { return modeltest.At(0) }}.Run(t.Context(), tr.store, hop{})
			if d := modeltest.Diff(modeltest.Records(r.Final), modeltest.Records(tr.Snapshot())); d != "" {
				t.Error(d)
			}
		})
	}
}
