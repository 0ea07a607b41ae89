package keeper_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// at returns a keeper whose clock shows *now.
func at(s *store, now *time.Time) *keeper.Keeper {
	return keeper.New(s, keeper.Options{Now: func() time.Time { return *now }})
}

// told returns the results of a keeper, in words.
func told(k *keeper.Keeper) string {
	var out []string
	for _, d := range k.Report().Results {
		out = append(out, d.Text)
	}
	return strings.Join(out, "\n")
}

// TestRevertsWhatIsOverdue reverts a move at its deadline and not before, once, and says
// when to come again for it.
func TestRevertsWhatIsOverdue(t *testing.T) {
	t.Parallel()
	s := newWaiting(t, time.Hour)
	m, _ := s.Snapshot().Nova().Migration(vm("m"))
	now := m.RevertAt().Add(-time.Second)
	k := at(s, &now)
	if again := k.Round(t.Context()); !again.Equal(m.RevertAt()) || len(s.events) > 0 {
		t.Fatalf("%d steps before its time, to come again at %s", len(s.events), again)
	}
	if r := k.Report(); r.Waiting != 1 || r.Of != s.Snapshot() {
		t.Errorf("reports %+v", r)
	}
	newer := k.Report().Newer
	now = m.RevertAt()
	k.Round(t.Context())
	select {
	case <-newer:
	default:
		t.Error("nobody is told of a newer report")
	}
	if got := told(k); s.status("m") != nova.Reverted || got != "resize of i was reverted: nobody confirmed it in time" {
		t.Errorf("it is %s, and told is %q", s.status("m"), got)
	}
	for _, ev := range s.events {
		if ev.Actor != "auto-revert" {
			t.Errorf("%s was written by %s", ev.Note, ev.Actor)
		}
	}
	steps := len(s.events)
	now = now.Add(time.Hour)
	if k.Round(t.Context()); len(s.events) != steps || len(k.Report().Results) != 1 {
		t.Error("it was reverted twice")
	}
}

// TestLeavesWhatHasNoClock does not revert a move without a deadline, and does not come
// again for it.
func TestLeavesWhatHasNoClock(t *testing.T) {
	t.Parallel()
	s := newWaiting(t, 0)
	now := modeltest.At(1_000_000)
	k := at(s, &now)
	if again := k.Settle(t.Context()); len(k.Due()) > 0 || s.status("m") != nova.Finished || !again.IsZero() {
		t.Errorf("due is %v, to come again at %s", k.Due(), again)
	}
	if again := k.Round(t.Context()); !again.IsZero() && !again.After(now) {
		t.Errorf("it comes again at %s, and it is %s", again, now)
	}
}

// TestReadOnlyIsOnlyLookedAt does not try to write to a read-only cloud.
func TestReadOnlyIsOnlyLookedAt(t *testing.T) {
	t.Parallel()
	s := newWaiting(t, time.Second)
	s.readOnly = "it is a copy"
	now := modeltest.At(100)
	k := at(s, &now)
	if k.Round(t.Context()); len(s.events) > 0 || k.Report().Of == nil || len(k.Report().Interrupted) != 1 {
		t.Errorf("%d writes, reports %+v", len(s.events), k.Report())
	}
}

// TestStuckIsToldOnce has an overdue revert that is impossible: it is reported once,
// nothing is written, and it is tried again together with the next one that is due.
func TestStuckIsToldOnce(t *testing.T) {
	t.Parallel()
	s := &store{snap: modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1).VGPUInstance("j", "nova", 1).Snapshot}
	s.run(t, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "plain", RevertAfter: time.Minute})
	s.run(t, ops.Move{Migration: vm("n"), Instance: vm("j"), Flavor: "plain", RevertAfter: time.Hour})
	m, _ := s.Snapshot().Nova().Migration(vm("m"))
	n, _ := s.Snapshot().Nova().Migration(vm("n"))
	must.Succeed(t, s.do(placement.DeleteAllocations{Consumer: vm("m")}))
	before := s.Snapshot()
	now := m.RevertAt()
	k := at(s, &now)
	for range 3 {
		if again := k.Round(t.Context()); s.Snapshot() != before || again.IsZero() || again.After(n.RevertAt()) {
			t.Fatalf("something was written, or it comes again at %s", again)
		}
		now = now.Add(time.Second)
	}
	if d := k.Report().Results; len(d) != 1 || d[0].Err == nil || !d[0].Overdue || !strings.HasPrefix(d[0].Text, "revert of i: ") {
		t.Fatalf("told is %v", d)
	}
	now = n.RevertAt()
	if k.Round(t.Context()); s.status("n") != nova.Reverted || len(k.Report().Results) != 2 {
		t.Errorf("the next is %s, told is %q", s.status("n"), told(k))
	}
}

// TestUnwritableIsTriedAgain leaves what is due for later while nothing can be written.
func TestUnwritableIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newWaiting(t, time.Second)
	s.refuse = placement.ErrUnavailable
	now := modeltest.At(100)
	k := at(s, &now)
	if again := k.Settle(t.Context()); !again.Equal(now.Add(time.Minute)) || len(k.Results()) > 0 {
		t.Errorf("it comes again at %s, told is %v", again, k.Results())
	}
	s.refuse = nil
	if k.Settle(t.Context()); s.status("m") != nova.Reverted {
		t.Errorf("it is %s", s.status("m"))
	}
}

// TestFinishesAtItsStart kills tasks after each of their steps. The next keeper of the
// cloud finishes those that can only be finished, and leaves those that could also be
// undone to a person, as well as those interrupted later.
func TestFinishesAtItsStart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		given func(*testing.T) *store
		task  ops.Task
		both  bool // it can also be undone
	}{
		"delete":  {newRunning, ops.Terminate{Instance: vm("i")}, false},
		"boot":    {newRunning, bootOf("b"), true},
		"confirm": {func(t *testing.T) *store { t.Helper(); return newWaiting(t, 0) }, ops.Confirm{Migration: vm("m")}, false},
		"revert":  {func(t *testing.T) *store { t.Helper(); return newWaiting(t, 0) }, ops.Revert{Migration: vm("m")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := tt.given(t)
			whole.events = nil
			whole.run(t, tt.task)
			if len(whole.events) < 2 {
				t.Fatalf("%d steps", len(whole.events))
			}
			for steps := 1; steps < len(whole.events); steps++ {
				s := tt.given(t)
				s.killed(t, steps, tt.task)
				half := s.Snapshot()
				now := modeltest.At(2)
				later := keeper.New(s, keeper.Options{Now: func() time.Time { return now }, Resumed: true})
				if later.Settle(t.Context()); s.Snapshot() != half {
					t.Errorf("after step %d who was there before finished it", steps)
				}
				k := at(s, &now)
				k.Round(t.Context())
				left := ops.Unfinished(s.Snapshot(), now, ops.AnyAge)
				if finished := len(left) == 0; finished == tt.both || finished != (len(k.Results()) == 1) || (s.Snapshot() == half) != tt.both {
					t.Errorf("after step %d: left is %v, told is %q", steps, left, told(k))
				}
				for _, f := range audit.Find(s.Snapshot()) {
					if f.Severity == audit.Critical {
						t.Errorf("after step %d: %s", steps, f.Text)
					}
				}
			}
		})
	}
}

// TestLeavesACopyAsItWas neither finishes nor reverts anything in a copy of a live cloud,
// until that is adopted.
func TestLeavesACopyAsItWas(t *testing.T) {
	t.Parallel()
	for name, given := range map[string]func(*testing.T) *store{
		"overdue": func(t *testing.T) *store { t.Helper(); return newWaiting(t, time.Hour) },
		"interrupted": func(t *testing.T) *store {
			t.Helper()
			s := newWaiting(t, 0)
			s.killed(t, 1, ops.Confirm{Migration: vm("m")})
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := given(t)
			var mark nova.PutRecords
			modeltest.Put(&mark, s.Snapshot().Nova(), nova.Upstream("prod"))
			must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{mark}}).Err())
			copied := s.Snapshot()
			now := modeltest.At(1_000_000)
			at(s, &now).Round(t.Context())
			if s.Snapshot() != copied {
				t.Errorf("it was written to: %s", notes(s.events))
			}
			must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{nova.Configure{Adopt: true}}}).Err())
			adopted := s.Snapshot()
			if at(s, &now).Round(t.Context()); s.Snapshot() == adopted {
				t.Error("nothing was done once it was adopted")
			}
			if err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{nova.Configure{Adopt: true}}}).Err(); !errors.Is(err, placement.ErrInvalid) {
				t.Errorf("adopted twice: %v", err)
			}
		})
	}
}

// TestTwoKeepersOfOneCloud has two keepers at work at the same time: each step is written
// once, by either, and the one that loses a race finds nothing left to do.
func TestTwoKeepersOfOneCloud(t *testing.T) {
	t.Parallel()
	alone := newWaiting(t, time.Second)
	now := modeltest.At(100)
	at(alone, &now).Settle(t.Context())
	for range 50 {
		s := newWaiting(t, time.Second)
		// The first write of each waits for that of the other: both were decided on
		// the same Snapshot.
		var both sync.WaitGroup
		both.Add(2)
		first := [2]sync.Once{}
		keepers := [2]*keeper.Keeper{}
		var done sync.WaitGroup
		for n := range keepers {
			mine := &met{store: s, meet: func() { first[n].Do(func() { both.Done(); both.Wait() }) }}
			keepers[n] = keeper.New(mine, keeper.Options{Now: func() time.Time { return now }})
			done.Go(func() { keepers[n].Settle(t.Context()) })
		}
		done.Wait()
		if got, want := notes(s.events), notes(alone.events); got != want {
			t.Fatalf("written is\n%s\nwant\n%s", got, want)
		}
		results := 0
		for _, k := range keepers {
			for _, d := range k.Results() {
				results++
				if d.Err != nil {
					t.Errorf("told is %q", d.Text)
				}
			}
		}
		if results == 0 || s.status("m") != nova.Reverted {
			t.Fatalf("%d results, and it is %s", results, s.status("m"))
		}
	}
}

// met is the view of a store that one keeper has, which waits for another keeper before
// it writes.
type met struct {
	*store
	meet func()
}

func (m *met) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	m.meet()
	return m.store.Apply(ctx, c)
}

func notes(events []cloud.Event) string {
	var out []string
	for _, ev := range events {
		out = append(out, fmt.Sprint(ev.Task, " ", ev.Step, " ", ev.Note))
	}
	return strings.Join(out, "\n")
}

// TestStoppedIsTold reports that the rounds have ended.
func TestStoppedIsTold(t *testing.T) {
	t.Parallel()
	s := newRunning(t)
	now := modeltest.At(1)
	k := at(s, &now)
	k.Round(t.Context())
	newer := k.Report().Newer
	k.Stopped(fmt.Errorf("no way on"))
	<-newer
	if r := k.Report(); len(r.Results) != 1 || r.Results[0].Err == nil || r.Of != s.Snapshot() {
		t.Errorf("reports %+v", r)
	}
}
