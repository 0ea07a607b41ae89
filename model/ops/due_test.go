package ops_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestPlanDeadline(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	must.Fail(t, must.Err(ops.PlanDeadline(tr.Snapshot(), vm("m"), time.Time{})), placement.ErrNotFound)
	m := move("cyborg")
	m.RevertAfter = time.Hour
	must.Succeed(t, tr.advance(t.Context(), m))
	if _, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); !ok {
		t.Error("a move with a clock has no deadline")
	}
	set := func(at time.Time) {
		t.Helper()
		p := must.Get(ops.PlanDeadline(tr.Snapshot(), vm("m"), at))(t)
		must.Get((ops.Runner{Shown: p.Shown()}).Write(t.Context(), tr.store, p))(t)
	}
	set(time.Time{})
	if at, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); ok {
		t.Errorf("is still due at %s", at)
	}
	set(modeltest.At(90))
	if at, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); !ok || !at.Equal(modeltest.At(90)) {
		t.Errorf("due at %s, %v", at, ok)
	}
	must.Succeed(t, tr.advance(t.Context(), ops.Confirm{Migration: vm("m")}))
	if _, err := ops.PlanDeadline(tr.Snapshot(), vm("m"), time.Time{}); !errors.Is(err, placement.ErrState) {
		t.Errorf("of a move that is over: %v", err)
	}
}

// A move that was not confirmed in time is unfinished: it can only be reverted.
func TestOverdueIsUnfinished(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	m := move("cyborg")
	m.RevertAfter = time.Hour
	must.Succeed(t, tr.advance(t.Context(), m))
	is, _ := tr.Nova().Migration(vm("m"))
	due := is.RevertAt()
	if left := ops.Unfinished(tr.Snapshot(), due.Add(-time.Second), 0); len(left) > 0 {
		t.Errorf("before its time: %s", left[0].Words)
	}
	if left := ops.Unfinished(tr.Snapshot(), due.Add(time.Minute), time.Hour); len(left) > 0 {
		t.Errorf("due for a minute, and looked for an hour: %s", left[0].Words)
	}
	for at, want := range map[time.Time]int{due.Add(-time.Second): 0, due: 1, late: 1} {
		if got := ops.Due(tr.Snapshot(), at, false); len(got) != want || want > 0 && !got[0].Overdue() {
			t.Errorf("at %s %d are due, want %d", at, len(got), want)
		}
	}
	left := ops.Unfinished(tr.Snapshot(), due, 0)
	if len(left) != 1 || left[0].Undo != nil || !left[0].Since.Equal(due) || !strings.Contains(left[0].Words, "is due to be reverted: it should have been confirmed by") {
		t.Fatalf("at its time: %+v", left)
	}
	tr.mustEnd(t, left[0].Finish)
	atRest(t, tr.Snapshot(), "nova", "compute1")
	if left := ops.Unfinished(tr.Snapshot(), late, 0); len(left) > 0 {
		t.Errorf("after its revert: %s", left[0].Words)
	}
}
