package tui_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// clicked is a screen that takes clicks.
type clicked struct {
	testScreen
}

func (s *clicked) Click(x, y int) tea.Cmd {
	s.log = append(s.log, "click", string(rune('0'+x)), string(rune('0'+y)))
	return nil
}

func TestMouse(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s, m := &clicked{}, &screen.Memory{}
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Env.Memory = m
			cfg.Screens[1].Open = func(env screen.Env, _ place.Place) (screen.Screen, error) {
				s.testScreen = testScreen{env: env, name: "things"}
				return s, nil
			}
		})
		at := func(x, y int, button tea.MouseButton, what tea.MouseAction) {
			r.Send(tea.MouseMsg{X: x, Y: y, Button: button, Action: what})
		}
		click := func(x, y int) {
			at(x, y, tea.MouseButtonLeft, tea.MouseActionPress)
			at(x, y, tea.MouseButtonLeft, tea.MouseActionRelease)
		}
		r.Press("2")
		click(3, 5)
		if len(s.log) > 0 {
			t.Fatalf("the mouse is off, and the screen saw %v", s.log)
		}
		r.Press(":")
		r.Type("mouse on")
		r.Press("enter")
		r.wants(t, "mouse on: wheel, click; shift selects text")
		if m.Mouse == nil || !*m.Mouse {
			t.Error("that the mouse is on is not kept")
		}
		r.Advance(time.Minute) // the toast goes
		click(3, 5)
		click(3, 5)
		click(3, 30) // below the body
		at(5, 7, tea.MouseButtonWheelDown, tea.MouseActionPress)
		must.Be(t, strings.Join(s.log, " "), "click 3 3 click 3 3 down down down")
		r.Press(":")
		r.Type("mouse")
		r.Press("enter")
		r.wants(t, "mouse off")
	})
}
