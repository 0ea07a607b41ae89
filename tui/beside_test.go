package tui_test

import (
	"context"
	"strings"
	"testing"

	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/tuitest"
)

// twice is the same cloud under two names.
type twice struct{ *rig }

func (twice) Names() []string    { return []string{"demo", "west"} }
func (twice) Together() []string { return []string{"demo", "west"} }

func (c twice) Open(_ context.Context, name string) (tui.OpenMsg, error) {
	return tui.OpenMsg{Cloud: c.cloud, Name: name, Store: "bolt"}, nil
}

// openTwo shows two dashboards beside each other, of which the second gets the keys.
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

func TestBesideSharesTheTheme(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
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
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
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
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
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
