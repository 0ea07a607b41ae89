package tui_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// sieve is a screen with a filter.
type sieve struct {
	testScreen
	expr string
}

func (s *sieve) Expr() string { return s.expr }

func (s *sieve) Filter(expr string) tea.Cmd {
	s.expr = expr
	return nil
}

func TestNamesAreKept(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{}
	kept := 0
	var full error
	var s *sieve
	tweak := func(cfg *tui.Config) {
		cfg.Env.Memory, cfg.Store = m, "bolt"
		cfg.Remember = func(*screen.Memory) error { kept++; return full }
		cfg.Screens[1].Open = func(env screen.Env, at place.Place) (screen.Screen, error) {
			s = &sieve{testScreen: testScreen{env: env, name: "sieve " + place.Text(at)}, expr: place.Text(at)}
			return s, nil
		}
	}
	tuitest.Run(t, func(t *testing.T) {
		r := open(t, 100, 24, tweak)
		say := func(text string) {
			t.Helper()
			r.Press(":")
			r.Type(text)
			r.Press("enter")
		}
		say("save gpu")
		r.wants(t, "save: there is no filter here")
		r.Press("2")
		s.expr = "free>2"
		say("save two words")
		r.wants(t, "save: give a name")
		say("save gpu")
		r.wants(t, "saved: /@gpu is free>2")
		if kept != 1 {
			t.Errorf("the names were kept %d times, want 1", kept)
		}
		s.expr = ""
		say("filters")
		r.wants(t, "@gpu", "free>2")
		r.Press("enter")
		must.Be(t, s.expr, "@gpu")
		m.Given = map[string]string{"given": "free>9"}
		say("filters")
		r.wants(t, "@given", "from config.toml")
		r.Press("G", "D")
		r.wants(t, "@given is from config.toml: remove it there")
		full = errors.New("no space left")
		r.Press("esc", "e")
		s.expr = "free>3"
		say("save big")
		r.wants(t, "the layout was not saved: no space left")
		r.lacks(t, "saved: /@big")
		r.app.Close()
	})
	tuitest.Run(t, func(t *testing.T) {
		r := open(t, 100, 24, tweak)
		r.Press(":", "up")
		r.wants(t, ":save big")
	})
}

// reader is a screen that takes a while to read its data.
type reader struct {
	testScreen
}

func (*reader) Init() tea.Cmd {
	return func() tea.Msg {
		time.Sleep(time.Second)
		return answerMsg{"read"}
	}
}

// A message for a screen that a menu opened reaches that screen, however late.
func TestMenuOpensWhatReadsLong(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		var opened *reader
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Screens = append(cfg.Screens, screen.Declaration{Of: place.Traits{}, Open: func(env screen.Env, _ place.Place) (screen.Screen, error) {
				opened = &reader{testScreen{env: env, name: "traits"}}
				return opened, nil
			}}.Called("traits"))
		})
		r.Press("'")
		r.wants(t, "places", ":traits")
		r.Press("enter")
		r.wants(t, "pulses > traits")
		time.Sleep(2 * time.Second)
		r.Press("j")
		if !slices.Contains(opened.log, "answer:read") {
			t.Errorf("the screen was told %q", opened.log)
		}
	})
}
