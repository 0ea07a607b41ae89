package tui_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// openPast opens a dashboard on a cloud that changed once a minute, and returns a
// function that changes it.
func openPast(t *testing.T, revisions int, tweak func(*tui.Config)) (*rig, func()) {
	t.Helper()
	store := memory.New(memory.Options{Clock: time.Now})
	n := 0
	change := func() {
		t.Helper()
		time.Sleep(time.Minute)
		n++
		must.Succeed(t, store.Apply(t.Context(), cloud.Change{Ops: []placement.Op{placement.CreateTrait{Name: placement.Trait(fmt.Sprint("CUSTOM_", n))}}}).Err())
	}
	for range revisions {
		change()
	}
	r := open(t, 100, 24, func(cfg *tui.Config) {
		cfg.Cloud = store
		cfg.Keeper = keeper.New(store, keeper.Options{Now: time.Now})
		if tweak != nil {
			tweak(cfg)
		}
	})
	return r, func() { change(); r.Settle() }
}

// TestReplayOfWhatWasUnderWay counts nothing as unfinished that ended long ago.
func TestReplayOfWhatWasUnderWay(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r, _ := openPast(t, 1, func(cfg *tui.Config) {
			for _, task := range []nova.TaskState{nova.Deleting, ""} {
				var put nova.PutRecords
				modeltest.Put(&put, cfg.Cloud.Snapshot().Nova(), &nova.Instance{UUID: placement.ConsumerID{15: 1}, Name: "vm", Host: "h", VMState: nova.Active, TaskState: task})
				must.Get(cfg.Cloud.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{put}}).Result())(t)
			}
		})
		r.Press("{")
		r.wants(t, "REPLAY rev 2")
		r.lacks(t, "unfinished")
	})
}

// TestReplay moves back and forth in time: all screens show that time, nothing is
// written, and new revisions are counted.
func TestReplay(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r, change := openPast(t, 5, nil)
		r.wants(t, " RW ", "pulses rev=5")
		r.Press("{")
		r.wants(t, " RO ", "REPLAY rev 4 00:04:00Z +1", "pulses rev=4", "nothing can be written", "@ goes back to now")
		r.lacks(t, "D delete...")
		r.Press("D")
		r.wants(t, "delete...: this is revision 4, of 2000-01-01 00:04:00Z")
		s := r.screens["pulses"]
		if err := s.env.Cloud.Apply(t.Context(), cloud.Change{Ops: []placement.Op{placement.CreateTrait{Name: "CUSTOM_LATE"}}}).Err(); err == nil {
			t.Error("the past was written")
		}
		if got := s.env.Now(); got.Minute() != 4 || s.env.Clock().Equal(got) {
			t.Errorf("the past is told by %s", got)
		}
		change()
		r.wants(t, "REPLAY rev 4 00:04:00Z +2", "pulses rev=4")

		r.Press("{", "{", "2")
		r.wants(t, "REPLAY rev 2", "providers rev=2")
		if pass := r.screens["providers"].env.Keeper.Inspect(s.env.Cloud.Snapshot()); pass.Of.Revision() != 2 {
			t.Errorf("the rules were asked of revision %d", pass.Of.Revision())
		}
		r.Press("}")
		r.wants(t, "REPLAY rev 3", "providers rev=3")
		r.Type(":at 1")
		r.Press("enter")
		r.wants(t, "REPLAY rev 1 00:01:00Z +5", "providers rev=1")
		r.Press("1")
		r.wants(t, "pulses rev=1")
		r.Press("{")
		r.wants(t, "REPLAY rev 0 +6")
		r.Press("{")
		r.wants(t, "this is the first revision")
		r.Type(":at 2m")
		r.Press("enter")
		r.wants(t, "REPLAY rev 4")
		r.Press("@")
		r.wants(t, " RW ", "◉ live", "pulses rev=6")
		r.lacks(t, "nothing can be written", "nothing was there")
		if got := s.env.Now(); !got.Equal(s.env.Clock()) {
			t.Errorf("what is is told by %s", got)
		}
		r.Type(":at -1")
		r.Press("enter")
		r.wants(t, "REPLAY rev 5")
		r.Press("}")
		r.wants(t, " RW ", "pulses rev=6")
		r.Type(":at -1")
		r.Press("enter")
		r.Type(":now")
		r.Press("enter")
		r.wants(t, " RW ", "pulses rev=6")
	})
}

// slowJournal is a cloud whose journal takes long to read.
type slowJournal struct {
	cloud.Cloud
	takes time.Duration
}

func (s slowJournal) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	time.Sleep(s.takes)
	return s.Cloud.Events(ctx, q)
}

// TestReplaySlow says that the past is on its way if that takes a while, and no longer
// once it is there, or nobody waits for it.
func TestReplaySlow(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		const takes, saying = 6 * time.Second, "going back in time"
		r, _ := openPast(t, 5, func(cfg *tui.Config) { cfg.Cloud = slowJournal{cfg.Cloud, takes} })
		r.Press("{")
		r.lacks(t, saying)
		for range 5 { // for longer than a toast stays
			r.Advance(takes / 6)
			r.wants(t, saying, " RW ", "pulses rev=5")
			r.lacks(t, style.Block().Times)
		}
		r.Advance(takes / 6)
		r.wants(t, "REPLAY rev 4", "nothing can be written")
		r.lacks(t, saying)
		r.Press("{")
		r.Advance(takes / 6)
		r.wants(t, saying, "REPLAY rev 4")
		r.Press("@")
		r.wants(t, " RW ", "pulses rev=5")
		r.lacks(t, saying)
		r.Advance(2 * takes)
		r.lacks(t, saying, "REPLAY")
	})
}

// TestReplayRefuses says why the past cannot be shown.
func TestReplayRefuses(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r, _ := openPast(t, 3, nil)
		for text, want := range map[string]string{
			":at 9": "does not exist yet: the newest is 3", ":at nonsense": "is not a time", ":at 2001-01-01": "is in the future",
			":at 1h": "the journal begins with revision 1", ":at": "give a time",
		} {
			r.Type(text)
			r.Press("enter")
			r.wants(t, want, " RW ", "pulses rev=3")
			r.Press("esc")
		}
		r.screens["pulses"].pending = "a write is under way"
		r.Press("{")
		r.wants(t, "the past cannot be shown now: a write is under way", "pulses rev=3")

		r.screens["pulses"].pending = ""
		r.Press("{")
		r.wants(t, "REPLAY rev 2")
		r.Send(tui.WalkBeganMsg{Cloud: r.screens["pulses"].env.Cloud, Walk: &tui.Walk{}}) // requested before
		r.wants(t, "the demonstration writes, and nothing can be written: this is revision 2", "REPLAY rev 2")
	})
}

// TestReplayMarked marks the past on terminals of every kind, from the start.
func TestReplayMarked(t *testing.T) {
	t.Parallel()
	for _, st := range []*style.Styles{
		styles(termenv.Ascii, style.Block()), styles(termenv.Ascii, style.ASCII()),
	} {
		for _, width := range []int{40, 80, 160} {
			tuitest.Run(t, func(t *testing.T) {
				r, _ := openPast(t, 3, func(cfg *tui.Config) { cfg.Env.Styles, cfg.At = st, "2" })
				r.Resize(width, 24)
				if width < 60 {
					r.wants(t, "RO REPLAY 2")
				} else {
					r.wants(t, "REPLAY rev 2 00:02:00Z +1", "RO")
				}
			})
		}
	}
}

// TestReplayForgotten has a cloud without a journal.
func TestReplayForgotten(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s, _, err := cloud.Empty().Apply(cloud.Change{At: time.Now(), Ops: []placement.Op{placement.CreateTrait{Name: "CUSTOM_A"}}})
		must.Succeed(t, err)
		r := open(t, 100, 24, func(cfg *tui.Config) { cfg.Cloud = memory.New(memory.Options{Clock: time.Now, Start: s}) })
		r.Press("{")
		r.wants(t, "revision 0 is not known: the journal does not go back that far", " RW ", "pulses rev=1")

		elsewhere := open(t, 160, 24, func(cfg *tui.Config) {
			cfg.Cloud, cfg.Link = memory.New(memory.Options{Clock: time.Now, Start: s}), &link{}
		})
		elsewhere.Press("{")
		elsewhere.wants(t, "OpenStack keeps no history", " RW ")
	})
}
