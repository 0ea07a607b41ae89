package keeper_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/nova"
)

// TestClockJumps has the clock go ahead at once past the deadline of a move: it is not reverted at
// once, but told, and reverted later; not at all if it is confirmed, or the clock is set back.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	for name, back := range map[string]bool{"stays ahead": false, "is set back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newWaiting(t, time.Hour)
			m, _ := s.Snapshot().Nova().Migration(vm("m"))
			began := m.RevertAt().Add(-30 * time.Minute)
			var jumped, ran time.Duration
			var log []string
			k := keeper.New(s, keeper.Options{
				Now: func() time.Time { return began.Add(ran + jumped) }, Jumps: &keeper.Jumps{Ran: func() time.Duration { return ran }},
				Tell: func(d keeper.TaskResult) { log = append(log, d.Text) },
			})
			k.Round(t.Context())
			ran, jumped = time.Minute, 3*time.Hour
			again := k.Settle(t.Context())
			if left := again.Sub(began.Add(ran + jumped)); s.status("m") != nova.Finished || left != 10*time.Minute {
				t.Fatalf("it is %s, to come again in %s", s.status("m"), left)
			}
			if ran += time.Minute; len(log) != 1 || !strings.HasPrefix(log[0], "the clock went ahead by 3h0m0s at once: ") {
				t.Errorf("logged is %q", log)
			}
			if k.Round(t.Context()); len(log) != 1 || told(k) != log[0] || s.status("m") != nova.Finished {
				t.Errorf("it is %s, told is %q", s.status("m"), told(k))
			}
			want := nova.Reverted
			if back {
				jumped, want = 0, nova.Finished
			}
			ran += 10 * time.Minute
			if k.Round(t.Context()); s.status("m") != want {
				t.Errorf("it is %s", s.status("m"))
			}
			if ran += time.Hour; back {
				k.Round(t.Context())
			}
			if s.status("m") != nova.Reverted {
				t.Errorf("in the end it is %s", s.status("m"))
			}
		})
	}
}

// TestClockJumpsBetweenTicks has an agent make a Keeper at each tick: a jump since the last one is
// noticed all the same, and what ran in between is none.
func TestClockJumpsBetweenTicks(t *testing.T) {
	t.Parallel()
	for _, jumps := range []bool{false, true} {
		s := newWaiting(t, time.Hour)
		m, _ := s.Snapshot().Nova().Migration(vm("m"))
		now, ran := m.RevertAt().Add(-30*time.Minute), time.Duration(0)
		o := keeper.Options{Now: func() time.Time { return now }, Jumps: &keeper.Jumps{Ran: func() time.Duration { return ran }}}
		for range 2 {
			keeper.New(s, o).Settle(t.Context())
			if now = now.Add(time.Hour); !jumps {
				ran += time.Hour
			}
		}
		if reverted := s.status("m") == nova.Reverted; reverted == jumps {
			t.Errorf("the clock jumps: %v, and it is %s", jumps, s.status("m"))
		}
	}
}
