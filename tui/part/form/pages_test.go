package form_test

import (
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestIdleFormsCostNothing(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		idle := func(where string) {
			t.Helper()
			frame, updates := r.Frame(), r.Updates
			r.Advance(24 * time.Hour)
			if r.Updates != updates {
				t.Errorf("%s: %d messages while idle", where, r.Updates-updates)
			}
			if r.Frame() != frame {
				t.Errorf("%s changes while idle", where)
			}
		}
		idle("the first step")
		r.Type("ml-train")
		idle("a field")
		r.fill(gpu)
		idle("the list")
		r.Type("cmp")
		idle("the filter")
		r.Press("enter")
		idle("the preview")
	})
}

func TestActionsAgree(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := allocate(t, newStore(t, ""), 100, 24)
		check := func() {
			t.Helper()
			for _, err := range tuitest.Unsound(r.Screen.Actions()) {
				t.Error(err)
			}
		}
		check()
		r.fill(gpu)
		check()
		r.Press("enter")
		check()
	})
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 5}, {40, 8}, {59, 10}, {60, 16}, {80, 20}, {119, 30}, {120, 30}, {160, 44}, {250, 77}, {1, 1}, {10, 2}} {
		tuitest.Run(t, func(t *testing.T) {
			r := allocate(t, newStore(t, ""), size[0], size[1])
			r.fill(gpu)
			r.Text()
			r.Press("end")
			r.Text()
			r.Press("enter")
			r.Text()
			r.Press("home", "enter")
			r.Text()
			r.Press("y", "G")
			r.Text()
			r.Press("y", "G", "k", "ctrl+d", "g", "enter")
			r.Text()
			r.Wrote(1)
		})
	}
}

func TestGoldenPages(t *testing.T) {
	for name, size := range map[string][2]int{"80x20": {80, 20}, "160x44": {160, 44}} {
		t.Run(name, func(t *testing.T) {
			page := func(name string, f func(r *rig)) {
				t.Run(name, func(t *testing.T) {
					tuitest.Run(t, func(t *testing.T) {
						r := allocate(t, newStore(t, ""), size[0], size[1])
						r.Press("up", "up")
						r.Replace(newcomer)
						r.Press("down", "down")
						f(r)
						r.Text()
						if size[0] == 80 {
							golden.RequireEqual(t, r.Text()+"\n")
						}
					})
				})
			}
			page("fields", func(r *rig) {
				r.Replace("ml-train")
				r.Press("enter", "enter")
				r.Type("VCPU=2 MEMRY_MB=4096")
				r.Press("enter")
			})
			page("list", func(r *rig) { r.rest(gpu) })
			page("misfit", func(r *rig) { r.rest("VCPU=400 MEMORY_MB=4096 VGPU=9") })
			page("preview", func(r *rig) { r.rest(gpu); r.Press("enter") })
			page("request", func(r *rig) { r.rest(gpu); r.Press("enter", "y") })
			t.Run("release", func(t *testing.T) {
				tuitest.Run(t, func(t *testing.T) {
					s := newStore(t, "")
					r := release(t, s, size[0], size[1], place.Release{Consumer: found(t, s.Snapshot(), audit.RuleOrphan).Consumer})
					r.Press("enter")
					r.Text()
				})
			})
		})
	}
}
