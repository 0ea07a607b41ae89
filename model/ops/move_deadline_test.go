package ops_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestPlanDeadline(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	if _, err := ops.PlanDeadline(tr.Snapshot(), vm("m"), time.Time{}); !errors.Is(err, placement.ErrNotFound) {
		t.Errorf("without a migration: %v", err)
	}
	m := move("cyborg")
	m.RevertAfter = time.Hour
	if err := tr.advance(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if _, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); !ok {
		t.Error("a move with a clock has no deadline")
	}
	set := func(at time.Time) {
		t.Helper()
		p, err := ops.PlanDeadline(tr.Snapshot(), vm("m"), at)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (ops.Runner{Shown: p.Shown()}).Write(t.Context(), tr.store, p); err != nil {
			t.Fatal(err)
		}
	}
	set(time.Time{})
	if at, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); ok {
		t.Errorf("is still due at %s", at)
	}
	set(modeltest.At(90))
	if at, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); !ok || !at.Equal(modeltest.At(90)) {
		t.Errorf("due at %s, %v", at, ok)
	}
	if err := tr.advance(t.Context(), ops.Confirm{Migration: vm("m")}); err != nil {
		t.Fatal(err)
	}
	if _, err := ops.PlanDeadline(tr.Snapshot(), vm("m"), time.Time{}); !errors.Is(err, placement.ErrState) {
		t.Errorf("of a move that is over: %v", err)
	}
}

func TestRevertDue(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	m := move("cyborg")
	m.RevertAfter = time.Hour
	if err := tr.advance(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		at   int
		want int
	}{{60, 0}, {3700, 1}, {3700, 0}} {
		done, err := ops.RevertDue(t.Context(), tr.store, modeltest.At(tt.at), ops.Runner{Now: clock()})
		if err != nil || len(done) != tt.want {
			t.Errorf("after %d s %d were reverted, want %d: %v", tt.at, len(done), tt.want, err)
		}
	}
	atRest(t, tr.Snapshot(), "nova", "compute1")
}

// A move that nobody confirmed in time stands half-way: it can only be reverted.
func TestOverdueIsUnfinished(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	m := move("cyborg")
	m.RevertAfter = time.Hour
	if err := tr.advance(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	is, _ := tr.Nova().Migration(vm("m"))
	due := is.RevertAt()
	if left := ops.Unfinished(tr.Snapshot(), due.Add(-time.Second), 0); len(left) > 0 {
		t.Errorf("before its time: %s", left[0].Words)
	}
	if left := ops.Unfinished(tr.Snapshot(), due.Add(time.Minute), time.Hour); len(left) > 0 {
		t.Errorf("due for a minute, and looked for an hour: %s", left[0].Words)
	}
	left := ops.Unfinished(tr.Snapshot(), due, 0)
	if len(left) != 1 || left[0].Undo != nil || !left[0].Since.Equal(due) || !strings.Contains(left[0].Words, "is due to be reverted: it was to be confirmed by") {
		t.Fatalf("at its time: %+v", left)
	}
	tr.mustEnd(t, left[0].Finish)
	atRest(t, tr.Snapshot(), "nova", "compute1")
	if left := ops.Unfinished(tr.Snapshot(), late, 0); len(left) > 0 {
		t.Errorf("after its revert: %s", left[0].Words)
	}
}

// A revert that is due and cannot be done is told at each look, and nothing is written
// for it: the others are reverted all the same.
func TestRevertDueOfWhatHasNoWayBack(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	m := move("cyborg")
	m.RevertAfter = time.Second
	tr.mustEnd(t, m)
	releases("m")(tr.world)
	before := tr.Snapshot()
	for range 2 {
		done, err := ops.RevertDue(t.Context(), tr.store, late, ops.Runner{Guests: &tr.guests, Now: clock()})
		if len(done) != 0 || !errors.Is(err, placement.ErrState) || !strings.Contains(err.Error(), "confirm it, and i stays on compute2") {
			t.Errorf("it reverted %d, %v", len(done), err)
		}
		var stuck *ops.RevertError
		if !errors.As(err, &stuck) || stuck.Migration != vm("m") {
			t.Errorf("the error names no migration: %v", err)
		}
	}
	if tr.Snapshot() != before {
		t.Error("something was written")
	}
}
