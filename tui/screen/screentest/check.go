package screentest

import (
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/action/actiontest"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// Actions checks the actions of a screen together with those of the dashboard:
// no key twice, and none that must stay free.
func Actions(t *testing.T, h *Host) {
	t.Helper()
	all := screen.Declaration{Of: place.Pulses{}}.On("1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "!").Called("pulses")
	app := tui.New(tui.Config{Env: Env(h.Cloud, Plain()), Cloud: h.Cloud, Screens: []screen.Declaration{all}, Local: true})
	for _, err := range actiontest.Check(h.Screen.Actions(), app.Actions()) {
		t.Error(err)
	}
}

// EverySize draws the screen at sizes from 1x1 to 250x80.
func EverySize(t *testing.T, h *Host) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		w, height := rapid.IntRange(1, 250).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h")
		h.Text(t, w, height)
	})
	for _, w := range []int{1, 2, 3, 4, 5, 39, 59, 60, 119, 120, 250} {
		for _, height := range []int{1, 2, 3, 4, 15, 16, 24, 80} {
			h.Text(t, w, height)
		}
	}
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
func Anything(t *testing.T, open func(env screen.Env, snap *cloud.Snapshot) screen.Screen, keys string) {
	t.Helper()
	key := rapid.SampledFrom(append(strings.Fields(keys),
		strings.Fields("j k g G h l ctrl+d ctrl+u pgdown pgup a esc enter tab n D c x s")...))
	rapid.Check(t, func(rt *rapid.T) {
		var fails any
		// In a bubble nobody has to wait for what comes after a while.
		synctest.Test(t, func(*testing.T) {
			defer func() { fails = recover() }()
			anything(rt, open, key)
		})
		if fails != nil {
			panic(fails)
		}
	})
}

// anything does some of what Anything does to one screen.
func anything(t *rapid.T, open func(env screen.Env, snap *cloud.Snapshot) screen.Screen, key *rapid.Generator[string]) {
	t.Helper()
	c := NewCloud(cloud.Empty())
	for _, op := range modeltest.Start() {
		must.Succeed(t, c.Do(op))
	}
	h := Open(c, open(Env(c, Plain()), c.Snapshot()), true)
	lister, _ := h.Screen.(Lister)
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		before, top := "", false
		if lister != nil {
			before = lister.CursorID()
		}
		if on, ok := lister.(topper); ok {
			top = on.OnNewest()
		}
		pressed := false
		switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
		case what < 2:
			// A change that the rules refuse changes nothing.
			_ = c.Do(modeltest.Op(c.Snapshot().Placement()).Draw(t, "op"))
			h.Feed()
		case what < 5 && h.Pending() > 0:
			h.RunOne(rapid.IntRange(0, h.Pending()-1).Draw(t, "command"))
		case what == 5:
			// An operator starts from nothing, or finishes everything.
			for _, p := range leaves(c.Snapshot().Placement()) {
				_ = c.Do(placement.DeleteProvider{ID: p})
			}
			h.Feed()
		case what == 6:
			h.Text(t, rapid.IntRange(1, 250).Draw(t, "w"), rapid.IntRange(1, 80).Draw(t, "h"))
		default:
			pressed = true
			h.Press(key.Draw(t, "key"))
		}
		if lister != nil && !pressed && before != "" && lister.HasRow(before) && lister.CursorID() != before && !top {
			t.Fatalf("the cursor left its row %x for %x", before, lister.CursorID())
		}
		h.Text(t, 80, 20)
		h.Screen.Actions()
		h.Screen.Title()
		h.Status()
	}
	h.Settle()
	h.Text(t, 160, 44)
	if c.Writes > 0 {
		t.Fatalf("the screen wrote %d times", c.Writes)
	}
}

// leaves returns the providers that can be deleted: without children and consumers.
func leaves(s *placement.Snapshot) []placement.ProviderID {
	var out []placement.ProviderID
	for p := range s.Providers() {
		if len(s.Children(p)) == 0 && !s.HasConsumers(p) {
			out = append(out, p.ID())
		}
	}
	return out
}
