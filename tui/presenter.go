package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// autoMsg says that it is time for the next step of a presentation that advances by
// itself.
type autoMsg struct{ run int }

// The pace of a presentation that advances by itself: the default, and the fastest at
// which it can still be read.
const (
	autoPace  = 8 * time.Second
	autoLeast = time.Second
)

// autoplay makes the presentation advance by itself at a pace, or stops that.
func (a *App) autoplay(pace string) tea.Cmd {
	every := autoPace
	switch {
	case pace == demoStop:
		a.auto = 0
		return a.toast(component.Toast{Severity: style.SeverityOK, Text: "the demonstration waits for )"})
	case a.walk == nil:
		return a.refuse("demo: no demonstration is running", ":demo transition starts one")
	case pace != "":
		d, err := time.ParseDuration(pace)
		if err != nil || d < autoLeast {
			return a.refuse("demo: "+pace+" is not a pace", "give the time for a step: :demo auto 8s")
		}
		every = d
	}
	a.auto = every
	a.autoRun++
	text := "the next step comes every " + every.String()
	return screen.Batch(a.toast(component.Toast{Severity: style.SeverityOK, Text: text, Hint: ":demo auto stop"}), a.after(every, autoMsg{a.autoRun}))
}

// autoStep plays the next step, and waits for the one after.
func (a *App) autoStep(msg autoMsg) tea.Cmd {
	if msg.run != a.autoRun || a.auto == 0 {
		return nil // the pace was changed meanwhile
	}
	if a.walk == nil || a.walk.Over() {
		a.auto = 0
		return nil
	}
	var step tea.Cmd
	if next, ok := a.walkAction(walkNext); ok && next.Disabled == "" && !a.typing() && !a.ahead.busy() {
		step = next.Run()
	}
	return screen.Batch(step, a.after(a.auto, msg))
}

// presented returns the action of a clicker's key during a presentation: clickers have
// PgDn and PgUp, and some a space. It overrides the screen's.
func (a *App) presented(name string) (action.Action, bool) {
	if a.walk == nil || a.overlay != nil {
		return action.Action{}, false
	}
	step := walkNext
	switch name {
	case "pgdown", " ":
	case "pgup":
		step = walkBack
	default:
		return action.Action{}, false
	}
	return a.walkAction(step)
}

// walkAction returns one of the keys of a presentation.
func (a *App) walkAction(id action.ID) (action.Action, bool) {
	for _, act := range a.walkActions() {
		if act.ID == id {
			return act, true
		}
	}
	return action.Action{}, false
}
