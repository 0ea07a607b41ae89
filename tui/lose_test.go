package tui_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestCtrlCClosesPrompts presses ctrl+c as in a shell: the program keeps running.
func TestCtrlCClosesPrompts(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, nil)
		r.Press("2", ":", "r", "p", "ctrl+c")
		r.lacks(t, ":rp")
		r.wants(t, "1 pulses")
		r.Press("/", "x", "ctrl+c")
		if log := r.screens["providers"].log; len(log) == 0 || log[len(log)-1] != "esc" {
			t.Errorf("the prompt of the screen got %v, want esc at last", log)
		}
		if r.Quit() {
			t.Fatal("ctrl+c in a prompt quit")
		}
		r.screens["providers"].typing = false
		r.Press("ctrl+c")
		if !r.Quit() {
			t.Error("ctrl+c did not quit")
		}
	})
}

// TestEscAsksBeforeItDiscards closes a filled-in form, with each of the keys that close.
func TestEscAsksBeforeItDiscards(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"esc", "q"} {
		tuitest.Run(t, func(t *testing.T) {
			r := open(t, 80, 24, nil)
			r.Press("2")
			r.screens["providers"].pending = "a form: not written yet"
			r.Press(key)
			r.wants(t, "> providers", "a form: not written yet", "esc again discards it", "enter open")
			r.Press("j")
			r.lacks(t, "esc again discards it")
			r.Press(key)
			r.wants(t, "> providers")
			r.Press(key)
			r.lacks(t, "> providers")
		})
	}
	tuitest.Run(t, func(t *testing.T) { // as when a form that takes all keys closes itself
		r := open(t, 80, 24, nil)
		r.Press("2")
		s := r.screens["providers"]
		s.pending = "a form: not written yet"
		pop := func() { r.Send(screen.PopMsg{}) }
		pop()
		r.wants(t, "> providers", "esc again discards it")
		pop()
		r.lacks(t, "> providers")
		r.lacks(t, "esc again discards it") // the message about the discarded form does not cover the keys of the next page
	})
}

// TestQuitAsksWhereMovesWait quits a cloud in memory in which something is still waiting.
func TestQuitAsksWhereMovesWait(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "ctrl+c"} {
		for store, asks := range map[string]bool{"memory": true, "bolt": false} {
			tuitest.Run(t, func(t *testing.T) {
				r := open(t, 80, 24, func(cfg *tui.Config) {
					cfg.Store = store
					keep(cfg, func(s *cloud.Snapshot) (keeper.Report, time.Time) {
						return keeper.Report{Of: s, Waiting: 2}, time.Time{}
					})
				})
				r.Press(key)
				if r.Quit() == asks {
					t.Fatalf("%s with 2 moves that wait in %s: quits %v", key, store, !asks)
				}
				if asks {
					r.wants(t, "2 moves wait to be confirmed; this cloud is in memory", "again quits")
					r.Press("j")
					r.lacks(t, "again quits")
					r.Press(key, key)
					if !r.Quit() {
						t.Errorf("the second %s did not quit", key)
					}
				}
			})
		}
	}
}

// TestCommandWithTheSameArgumentWorksTwice goes to the current place again, after its
// filter was cleared.
func TestCommandWithTheSameArgumentWorksTwice(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, nil)
		r.Type(":rp /owner=both")
		r.Press("enter")
		first := r.screens["providers"]
		r.Type(":rp /owner=both")
		r.Press("enter")
		if r.screens["providers"] == first {
			t.Error("the second time nothing is shown anew")
		}
		r.Type(":rp")
		r.Press("enter")
		plain := r.screens["providers"]
		r.Press("2")
		if r.screens["providers"] != plain {
			t.Error("the screen that is shown already is made anew")
		}
	})
}

// TestToastsLeaveTheKeysOfTheScreen checks the hints while a toast is shown.
func TestToastsLeaveTheKeysOfTheScreen(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, nil)
		r.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: "written"})
		r.wants(t, "written", "enter open")
		r.Advance(time.Minute)
		r.wants(t, "enter open", "1 pulses")
	})
}
