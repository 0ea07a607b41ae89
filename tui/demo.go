package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/walk"
)

// demoStop is the argument of ":demo" that ends a presentation.
const demoStop = "stop"

// demoArgs returns the arguments of ":demo".
func demoArgs() []string {
	return []string{demo.Transition().Name, demoStop}
}

// demo starts presenting a script on this cloud, or ends the presentation.
func (a *App) demo(arg string) tea.Cmd {
	switch {
	case arg == demoStop && a.walk != nil:
		a.walk = nil
		return nil
	case arg == demoStop:
		return a.messages.refuse("demo: no demonstration is running", ":demo transition starts one")
	}
	sc := demo.Transition()
	switch {
	case arg != sc.Name:
		return a.messages.refuse("demo: which one?", strings.Join(demoArgs(), ", "))
	case a.live.can() != nil:
		return a.refuseDemo()
	}
	env := a.live.env()
	return walk.Begin(walk.Env{
		Styles: env.Styles, Clock: env.Clock, Context: env.Context, Actor: env.Actor, Cloud: env.Cloud,
		Begin: env.Kept().Begin,
	}, sc)
}

// refuseDemo says why nothing can be presented: it would have to write.
func (a *App) refuseDemo() tea.Cmd {
	return a.messages.refuse("the demonstration writes, and "+a.live.can().Error(), "")
}

// began shows the bar of a presentation.
func (a *App) began(msg walk.BeganMsg) tea.Cmd {
	switch {
	case msg.Err != nil:
		return a.messages.refuse(msg.Err.Error(), "")
	case a.live.inPast(): // entered meanwhile
		return a.refuseDemo()
	}
	a.walk = msg.Walk
	return nil
}

// walked handles the result of a step, and goes to the screen that shows it.
func (a *App) walked(msg walk.PlayedMsg) tea.Cmd {
	if msg.Walk != a.walk {
		return nil // the presentation was ended meanwhile, or another cloud was opened
	}
	to, ok := a.walk.Took(msg)
	if !ok {
		return nil
	}
	a.live.show() // a screen that is opened now must see what was written
	return a.stack.visit(to)
}

// walkActions are the keys of a presentation; none without one.
func (a *App) walkActions() []action.Action {
	if a.walk == nil {
		return nil
	}
	paused := ""
	if a.live.paused {
		paused = "the screen is paused: p resumes"
	}
	hint := 0 // the bar itself names the keys, if there is room
	if !walk.Full(a.size.height) {
		hint = 85
	}
	return []action.Action{
		{ID: walkNext, Keys: ")", Title: "next step", Priority: hint, Help: "play the next step of the demonstration", Disabled: paused, Run: func() tea.Cmd {
			to, show, play := a.walk.Next()
			if show {
				return a.stack.visit(to)
			}
			return play
		}},
		{ID: walkBack, Keys: "(", Title: "previous step", Help: "look at the previous step; nothing is undone", Run: func() tea.Cmd {
			if to, ok := a.walk.Back(); ok {
				return a.stack.visit(to)
			}
			return nil
		}},
	}
}

// The ids of the keys of a presentation.
const (
	walkNext action.ID = globalPrefix + "demo.next"
	walkBack action.ID = globalPrefix + "demo.back"
)

// walkBar returns the bar of a presentation, with the given number of rows.
func (a *App) walkBar(w, rows int) string {
	keys := walk.Keys{}
	for _, act := range a.cfg.Bindings.Apply(a.walkActions()) {
		if act.Keys == "" {
			continue
		}
		switch act.ID {
		case walkNext:
			keys.Next = act.Keys.First()
		case walkBack:
			keys.Back = act.Keys.First()
		default:
		}
	}
	return a.walk.View(w, rows, a.size.height, keys)
}

// presented returns the action of a clicker's key during a presentation: clickers have
// PgDn and PgUp, and some a space. It overrides the screen's.
func (a *App) presented(name string) (action.Action, bool) {
	if a.walk == nil || a.stack.overlay != nil {
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
