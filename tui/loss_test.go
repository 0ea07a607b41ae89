package tui_test

import (
	"context"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"

	tea "github.com/charmbracelet/bubbletea"
)

// leaver is a cloud whose owner can go, and that another copy can replace.
type leaver struct {
	gone  chan struct{}
	of    *testCloud // the owner's; nil for the first
	next  *testCloud
	again *leaver // the next one whose owner goes; nil if the owner stays
}

// was returns the owner's cloud.
func (l *leaver) was(r *rig) cloud.Cloud {
	if l.of != nil {
		return l.of
	}
	return r.cloud
}

// lost is Config.Lost: its page takes over with the key t.
func (l *leaver) lost(r **rig) func(context.Context) screen.Screen {
	return func(ctx context.Context) screen.Screen {
		select {
		case <-l.gone:
		case <-ctx.Done():
			return nil
		}
		return screen.NewPage(styles(0, style.Block()), "owner gone", style.SeverityWarn, screen.LabelStale, nil,
			screen.Choice{Key: "t", Title: "take over", Run: func() tea.Cmd {
				msg := tui.OpenMsg{Cloud: l.next, Name: "demo", Store: "bolt", Instead: l.was(*r)}
				if l.again != nil {
					msg.Lost = l.again.lost(r)
				}
				return screen.Send(msg)
			}})
	}
}

// TestTakeOverKeepsTheScreens continues where the user was when another process keeps the
// cloud: on the same screen, with its filter and typed text.
func TestTakeOverKeepsTheScreens(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		first := &leaver{gone: make(chan struct{}), next: newCloud(time.Now), again: &leaver{gone: make(chan struct{}), next: newCloud(time.Now)}}
		first.again.of = first.next
		for n := range 3 {
			first.next.change(t, n)
			first.again.next.change(t, n)
		}
		var r *rig
		r = open(t, 100, 24, func(cfg *tui.Config) { cfg.Lost = first.lost(&r) })
		r.Press("2", "enter")
		form := r.screens["detail"]
		form.typing, form.filter = true, "vcpu>2"
		r.Press("a")
		close(first.gone)
		r.Settle()
		r.Press("t", "q")
		r.wants(t, "pulses > providers", "closed", "the placetop that had this cloud is gone", "a t q")
		form.typing = false
		r.Press("j")
		r.wants(t, "> owner gone", "take over")
		r.Press("esc")
		r.lacks(t, "> owner gone")
		r.Press("R")
		r.wants(t, "> owner gone")
		r.Press("t")
		r.wants(t, "live", "rev=3", "a t q", "taken over")
		r.lacks(t, "closed", "owner gone")
		if r.screens["detail"] != form || form.filter != "vcpu>2" {
			t.Error("the screen was made anew")
		}
		if got := form.env.Cloud.Snapshot().Revision(); got != 3 {
			t.Errorf("the screen sees revision %d of the cloud, want 3", got)
		}
		first.next.change(t, 3)
		r.Advance(time.Second)
		r.wants(t, "rev=4")
		r.Press("esc", "esc")
		r.wants(t, "rev=4", " providers ")
		close(first.again.gone) // once more
		r.Settle()
		r.wants(t, "> owner gone")
		r.Press("t")
		r.wants(t, "live", " providers ")
		r.lacks(t, "owner gone")
	})
}

// TestTakeOverFromElsewhere takes over after the user has gone to another screen: the
// page about the loss is not in the history.
func TestTakeOverFromElsewhere(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		first := &leaver{gone: make(chan struct{}), next: newCloud(time.Now)}
		first.next.change(t, 0)
		var r *rig
		r = open(t, 100, 24, func(cfg *tui.Config) { cfg.Lost = first.lost(&r) })
		r.Press("2")
		close(first.gone)
		r.Settle()
		r.Press("7")
		r.wants(t, "pulses > migrations", "closed")
		r.Press("R")
		r.wants(t, "migrations > owner gone", "take over")
		r.Press("esc")
		r.Send(tui.OpenMsg{Cloud: first.next, Name: "demo", Store: "bolt", Instead: r.cloud})
		r.wants(t, "pulses > migrations", "live", "rev=1")
		r.Press("[")
		r.wants(t, "pulses > providers", "rev=1")
		r.lacks(t, "owner gone")
	})
}

// TestTakeOverTooLate takes over a cloud that is no longer shown: the screens of the
// other cloud stay with that.
func TestTakeOverTooLate(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		first, other := &leaver{gone: make(chan struct{}), next: newCloud(time.Now)}, newCloud(time.Now)
		first.next.change(t, 0)
		var r *rig
		r = open(t, 100, 24, func(cfg *tui.Config) { cfg.Lost = first.lost(&r) })
		lost := r.cloud
		close(first.gone)
		r.Settle()
		r.Send(tui.OpenMsg{Cloud: other, Name: "other", Store: "memory"})
		r.Press("2", "enter")
		r.Send(tui.OpenMsg{Cloud: first.next, Name: "demo", Store: "bolt", Instead: lost})
		r.wants(t, "other", "rev=0")
		if form := r.screens["detail"]; form.env.Cloud.Snapshot() != other.Snapshot() {
			t.Error("a screen of one cloud sees another")
		}
	})
}
