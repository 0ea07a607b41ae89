package tuitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Unsound returns what is wrong with the actions that are offered together: a key twice, a
// key that is not ours to bind, an action without title or id.
func Unsound(lists ...[]action.Action) []error {
	var errs []error
	by := map[string]action.ID{}
	for _, a := range slices.Concat(lists...) {
		if a.ID == "" || a.Title == "" {
			errs = append(errs, fmt.Errorf("action %q (%q): needs id and title", a.ID, a.Title))
		}
		for k := range a.Keys.All() {
			switch k {
			case "ctrl+a", // of screen and tmux
				"ctrl+q",                     // flow control
				"ctrl+k",                     // pressed by reflex: it must never destroy anything
				"ctrl+i", "ctrl+m", "ctrl+[": // tab, enter, esc
				errs = append(errs, fmt.Errorf("action %s: key %s is not ours to bind", a.ID, k))
			}
			if other, taken := by[k]; taken && other != a.ID {
				errs = append(errs, fmt.Errorf("key %s stands for %s and for %s", k, other, a.ID))
			}
			by[k] = a.ID
		}
	}
	return errs
}

// Actions checks the actions of a screen together with those of the dashboard:
// no key twice, and none that must stay free.
func Actions(t *testing.T, h *Host) {
	t.Helper()
	all := screen.Declaration{Of: place.Pulses{}}.On(strings.Split("1234567890!", "")...).Called("pulses")
	app := tui.New(tui.Config{Env: Env(h.Cloud, Plain()), OpenMsg: tui.OpenMsg{Cloud: h.Cloud}, Screens: []screen.Declaration{all}, Local: true})
	for _, err := range Unsound(h.Screen.Actions(), app.Actions()) {
		t.Error(err)
	}
}

// EverySize draws the screen at sizes from 1x1 to 250x80.
func EverySize(t *testing.T, h *Host) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		h.T = t
		h.At(rapid.IntRange(1, 250).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h")).Text()
	})
	h.T = t
	for _, w := range []int{1, 2, 3, 4, 5, 39, 59, 60, 119, 120, 250} {
		for _, height := range []int{1, 2, 3, 4, 15, 16, 24, 80} {
			h.At(w, height).Text()
		}
	}
}

// Sizes are those of a body on terminals of 40x8, 80x24, 120x32 and 160x48.
func Sizes() [][2]int { return [][2]int{{40, 6}, {80, 20}, {120, 28}, {160, 44}} }

// Frames compares screens by name, at the common size, with one file of the test, and
// checks that they fit the smallest and more sizes: cmd/placetop has each screen, these are
// what its keys and other clouds make of it.
func Frames(t *testing.T, screens map[string]func() *Host, more ...[2]int) {
	t.Helper()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(screens)) {
		h := screens[name]()
		fmt.Fprintf(&all, "-- %s --\n", name)
		for _, line := range h.Lines() {
			all.WriteString(strings.TrimRight(line, " ") + "\n")
		}
		for _, size := range append([][2]int{{40, 6}}, more...) {
			h.At(size[0], size[1]).Text()
		}
	}
	golden.RequireEqual(t, all.String())
}

// Lister is a screen with a cursor on rows that have ids.
type Lister interface {
	// CursorID returns the id under the cursor, "" if there are no rows.
	CursorID() string
	// HasRow reports whether there is a row with that id.
	HasRow(id string) bool
}

// topper is a Lister whose cursor may stay on top while rows come there.
type topper interface{ OnNewest() bool }

// Anything presses keys at random while the cloud changes at random and commands
// end in any order. The screen must not panic or write, each view has its exact
// size, and as long as its row is there, the cursor of a Lister only leaves it
// when a key is pressed, or for a newer one on top of the list.
func Anything(t *testing.T, show func(env screen.Env, snap *cloud.Snapshot) screen.Screen, keys string) {
	t.Helper()
	key := rapid.SampledFrom(append(strings.Fields(keys),
		strings.Fields("j k g G h l ctrl+d ctrl+u pgdown pgup a esc enter tab n D c x s")...))
	rapid.Check(t, func(rt *rapid.T) {
		var fails any
		// In a bubble nobody has to wait for what comes after a while.
		synctest.Test(t, func(*testing.T) {
			defer func() { fails = recover() }()
			anything(rt, show, key)
		})
		if fails != nil {
			panic(fails)
		}
	})
}

// anything does some of what Anything does to one screen.
func anything(t *rapid.T, show func(env screen.Env, snap *cloud.Snapshot) screen.Screen, key *rapid.Generator[string]) {
	t.Helper()
	c := NewCloud(cloud.Empty())
	for _, op := range modeltest.Start() {
		must.Succeed(t, c.Do(op))
	}
	h := OpenManual(t, c, show(Env(c, Plain()), c.Snapshot()))
	lister, _ := h.Screen.(Lister)
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		before := ""
		if on, _ := lister.(topper); lister != nil && (on == nil || !on.OnNewest()) {
			before = lister.CursorID()
		}
		switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
		case what < 2:
			// A change that the rules refuse changes nothing.
			_ = c.Do(modeltest.Op(c.Snapshot().Placement()).Draw(t, "op"))
			h.Feed()
		case what < 5 && h.Pending() > 0:
			h.RunOne(rapid.IntRange(0, h.Pending()-1).Draw(t, "command"))
		case what == 5:
			// An operator starts from nothing, or finishes everything: what is empty goes.
			for p := range c.Snapshot().Placement().Providers() {
				_ = c.Do(placement.DeleteProvider{ID: p.ID()})
			}
			h.Feed()
		case what == 6:
			h.At(rapid.IntRange(1, 250).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h")).Text()
		default:
			before = ""
			h.Press(key.Draw(t, "key"))
		}
		if before != "" && lister.HasRow(before) && lister.CursorID() != before {
			t.Fatalf("the cursor left its row %x for %x", before, lister.CursorID())
		}
		h.At(80, 20).Text()
		h.Screen.Actions()
		h.Screen.Title()
		h.Status()
	}
	h.Settle()
	h.At(160, 44).Text()
	if c.Writes > 0 {
		t.Fatalf("the screen wrote %d times", c.Writes)
	}
}
