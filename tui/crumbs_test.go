package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestStandingLosesItsLastPartsFirst narrows the terminal under a screen with a long
// status.
func TestStandingLosesItsLastPartsFirst(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		parts := []string{"14 problems", "2 rules muted", "last pass 07:20:25Z, 31ms"}
		r := open(t, 80, 24, func(cfg *tui.Config) {
			cfg.Screens[0].Open = func(screen.Env, place.Place) (screen.Screen, error) {
				return &testScreen{name: "problems", status: strings.Join(parts, screen.StatusGap)}, nil
			}
		})
		crumbs := func() string { return strings.Split(r.Text(), "\n")[1] }
		left := len(parts)
		for w := 80; w >= 40; w-- {
			r.Resize(w, 24)
			r.Text()
			for left > 0 && !strings.Contains(crumbs(), strings.Join(parts[:left], screen.StatusGap)) {
				left--
			}
			if left == 0 || !strings.Contains(crumbs(), "problems") {
				t.Fatalf("at %d cells it says %q", w, crumbs())
			}
		}
		if left == len(parts) {
			t.Error("there was room for all of it: the test shows nothing")
		}
	})
}

// TestStandingKeepsHowManyAreMarked even without room for the sums of the marked rows.
func TestStandingKeepsHowManyAreMarked(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := open(t, 80, 24, func(cfg *tui.Config) {
			cfg.Screens[0].Open = func(screen.Env, place.Place) (screen.Screen, error) {
				return &testScreen{name: "consumers", status: "243 marked: " + strings.Repeat("VGPU 8  ", 12) + screen.StatusGap + "243 of 243"}, nil
			}
		})
		r.wants(t, "243 marked")
		r.lacks(t, "VGPU", "of 243")
	})
}

// TestHeaderLosesTheRevisionFirst gives the cloud a name that leaves little room.
func TestHeaderLosesTheRevisionFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ has, lacks []string }{
		strings.Repeat("n", 20): {has: []string{"live", "rev 1", "Z "}},
		strings.Repeat("n", 34): {has: []string{"live", "written ", "Z "}, lacks: []string{"rev 1"}},
		strings.Repeat("n", 52): {has: []string{"live"}, lacks: []string{"rev 1", "Z "}},
	} {
		tuitest.Run(t, func(t *testing.T) {
			r := open(t, 80, 24, func(cfg *tui.Config) { cfg.Name = name })
			r.cloud.change(t, 1)
			r.Advance(time.Second)
			r.wants(t, c.has...)
			r.lacks(t, c.lacks...)
		})
	}
}
