package tui_test

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/tuitest"
)

// twice is one cloud under two names; the second may be slow to open.
type twice struct {
	*rig
	takes time.Duration
}

func (twice) Names() []string    { return []string{"demo", "west"} }
func (twice) Together() []string { return []string{"demo", "west"} }

func (c twice) Open(_ context.Context, name string) (tui.OpenMsg, error) {
	time.Sleep(c.takes)
	return tui.OpenMsg{Cloud: c.cloud, Name: name, Store: "bolt"}, nil
}

// openTwo opens two dashboards beside each other; the second gets the keys.
func openTwo(t *testing.T) *rig {
	t.Helper()
	both := &twice{}
	r := open(t, 160, 24, func(cfg *tui.Config) { cfg.Clouds = both })
	both.rig = r
	r.Type(":beside west")
	r.Press("enter")
	r.wants(t, "placetop  demo", "placetop  west")
	return r
}

// TestFollowersSeeBothSides shows both dashboards of the followed user to followers, on
// all of their own terminal. Either dashboard can let them follow, and shows that it is
// being followed.
func TestFollowersSeeBothSides(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		var room tui.Room
		enter := func(name string) *rig {
			both := &twice{}
			r := open(t, 160, 24, func(cfg *tui.Config) { cfg.Clouds, cfg.Member = both, room.Enter(name) })
			both.rig = r
			r.Type(":beside west")
			r.Press("enter")
			return r
		}
		ann, rob := enter("ann"), enter("rob")
		rob.Type(":follow ann")
		rob.Press("enter")
		ann.Settle()
		ann.wants(t, "rob asks to follow you")
		ann.Type(":let rob")
		ann.Press("enter")
		if n := strings.Count(ann.Text(), "seen by 1"); n != 2 {
			t.Errorf("%d of both say that they are seen\n%s", n, ann.Text())
		}
		ann.Press("2")
		rob.Settle()
		rob.wants(t, "following ann, 160x24", "placetop  demo", "placetop  west", "pulses > providers")
		rob.Press("7", "ctrl+o")
		ann.Press("ctrl+o", "7")
		rob.wants(t, "pulses > migrations", "pulses > providers")
		rob.Press("esc")
		rob.lacks(t, "following", "pulses > ")
	})
}

// TestBesideComesLate does not take the keys from a user who has pressed a key meanwhile.
func TestBesideComesLate(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		both := &twice{takes: time.Second}
		r := open(t, 160, 24, func(cfg *tui.Config) { cfg.Clouds = both })
		both.rig = r
		r.Type(":beside west")
		r.Press("enter", "j")
		r.lacks(t, "placetop  west")
		r.Advance(time.Second)
		r.wants(t, "placetop  west", "west is open beside", "^o goes there")
		r.Press("2")
		if left, _, _ := strings.Cut(strings.Split(r.Text(), "\n")[1], "│"); !strings.Contains(left, "providers") {
			t.Errorf("the keys went to the cloud that came late\n%s", r.Text())
		}
	})
}

// TestClickChangesSides gives the keys to the dashboard that is clicked on; the wheel
// does not.
func TestClickChangesSides(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openTwo(t)
		r.Type(":mouse on")
		r.Press("enter")
		at := func(x int, button tea.MouseButton) {
			r.Send(tea.MouseMsg{X: x, Y: 8, Button: button, Action: tea.MouseActionPress})
		}
		for _, test := range []struct {
			x      int
			button tea.MouseButton
			left   bool
		}{
			{10, tea.MouseButtonWheelDown, false},
			{10, tea.MouseButtonLeft, true},
			{100, tea.MouseButtonWheelDown, true},
			{100, tea.MouseButtonLeft, false},
		} {
			at(test.x, test.button)
			r.Press("2")
			left, right, _ := strings.Cut(strings.Split(r.Text(), "\n")[1], "│")
			if strings.Contains(left, "providers") != test.left || strings.Contains(right, "providers") == test.left {
				t.Errorf("after %v at %d the keys go elsewhere\n%s", test.button, test.x, r.Text())
			}
			r.Press("1")
		}
	})
}

func TestBesideSharesTheTheme(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openTwo(t)
		logo := func() string {
			line, _, _ := strings.Cut(r.app.View(), " placetop")
			return line
		}
		r.Press("ctrl+o")
		before := logo()
		r.Press("ctrl+o", "T", "G", "enter", "ctrl+o")
		after := logo()
		if after == before {
			t.Error("the theme that one picks is not that of both")
		}
		r.Press("T", "esc")
		if logo() != after {
			t.Error("a look at the themes brings an older one back")
		}
	})
}

func TestQuitAsksAboutWorkBeside(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openTwo(t)
		r.screens["pulses"].pending = "a form is half filled"
		r.Press("ctrl+o", "q")
		r.wants(t, "west: a form is half filled", "q again quits")
		if r.Quit() {
			t.Fatal("work is lost without a word")
		}
		r.Press("q")
		if !r.Quit() {
			t.Error("the second key does not quit")
		}
	})
}

func TestBesideStaysWithWorkInIt(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		r := openTwo(t)
		r.screens["pulses"].pending = "a form is half filled"
		for _, line := range []string{":beside", ":ctx demo"} {
			r.Type(line)
			r.Press("enter")
			r.wants(t, "placetop  west", "west stays: a form is half filled")
		}
		r.Press("ctrl+o")
		r.Type(":beside demo")
		r.Press("enter")
		r.wants(t, "placetop  west", "west stays: a form is half filled")
		r.Press("ctrl+o", "q", "q")
		if text := r.Text(); strings.Contains(text, "placetop  west") {
			t.Errorf("the second key does not close it\n%s", text)
		}
	})
}
