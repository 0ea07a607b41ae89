package ops_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
)

// A course whose process is killed after its first step, and continued by another that
// only knows the records, ends as the operator wanted.
func TestRecoveryKnowsWhatWasAsked(t *testing.T) {
	t.Parallel()
	three := func(t *testing.T, dead bool) *trip {
		t.Helper()
		tr := &trip{store: &store{world: modeltest.NewVGPUWorld(t, 3).VGPUInstance("i", "nova", 1)}}
		if dead {
			down(tr.world, "compute1", true)
		}
		return tr
	}
	last := func(t *testing.T, places ops.Places, err error) *ops.Place {
		t.Helper()
		if err != nil || len(places.Places) < 2 {
			t.Fatalf("%d places: %v", len(places.Places), err)
		}
		return &places.Places[len(places.Places)-1]
	}
	for _, tt := range []struct {
		name string
		dead bool
		ask  func(*testing.T, *trip) ops.Task
		host string
	}{
		{"resize to a host", false, func(*testing.T, *trip) ops.Task { m := move("nova.big"); m.Host = "compute3"; return m }, "compute3"},
		{"resize to a candidate", false, func(t *testing.T, tr *trip) ops.Task {
			t.Helper()
			m := move("nova.big")
			places, err := m.Places(tr.Snapshot(), late)
			m.Pick = last(t, places, err)
			return m
		}, "compute3"},
		{"resize on the same host", false, func(*testing.T, *trip) ops.Task { m := move("nova.big"); m.SameHost = true; return m }, "compute1"},
		{"migrate to a host", false, func(*testing.T, *trip) ops.Task { m := move(""); m.Host = "compute3"; return m }, "compute3"},
		{"boot on a candidate", false, func(t *testing.T, tr *trip) ops.Task {
			t.Helper()
			b := newBoot("nova")
			b.Instance, b.Wish.Name = vm("new"), "new"
			places, err := b.Places(tr.Snapshot(), time.Time{})
			b.Pick = last(t, places, err)
			return b
		}, "compute3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := three(t, tt.dead)
			tr.killedAfter(t, 1, tt.ask(t, tr))
			left := ops.Unfinished(tr.Snapshot(), late, 0)
			if len(left) != 1 {
				t.Fatalf("found %v", left)
			}
			tr.mustEnd(t, left[0].Finish)
			if i, _ := tr.Snapshot().Nova().Instance(left[0].Instance); i.Host != tt.host || i.Requested != nil {
				t.Errorf("it ended on %s, and still asks for %+v; asked was %s", i.Host, i.Requested, tt.host)
			}
		})
	}
}

// The deadline of a move is not lost with its process.
func TestRecoveryKnowsTheClock(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	m := move("cyborg")
	m.RevertAfter = time.Hour
	tr.killedAfter(t, 1, m)
	tr.mustEnd(t, ops.Unfinished(tr.Snapshot(), late, 0)[0].Finish)
	if at, ok := ops.NextDeadline(tr.Snapshot(), time.Time{}); !ok {
		t.Errorf("it waits for ever: %s", at)
	}
}

// If the picked place is gone, or the host has no room, the recovery says so, and goes
// nowhere else.
func TestRecoveryGoesNowhereElse(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]func(*trip) ops.Move{
		"host": func(*trip) ops.Move { m := move("nova.big"); m.Host = "compute2"; return m },
		"candidate": func(tr *trip) ops.Move {
			m := move("nova.big")
			places, _ := m.Places(tr.Snapshot(), late)
			m.Pick = &places.Places[0]
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := newMove(t, "nova")
			tr.killedAfter(t, 1, m(tr))
			fill(tr.world, "n2")
			err := tr.advance(t.Context(), ops.Unfinished(tr.Snapshot(), late, 0)[0].Finish)
			var failed *ops.FailedError
			if !errors.As(err, &failed) || tr.instance().Host != "compute1" {
				t.Fatalf("on %s: %v", tr.instance().Host, err)
			}
			if says := "no longer the candidate that was chosen: n2 has 0 VGPU free at generation "; name == "candidate" && !strings.Contains(err.Error(), says) {
				t.Errorf("no %q in %v", says, err)
			}
		})
	}
}
