package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/tui/action"
)

// demoStop is the argument of ":demo" that ends a presentation.
const demoStop = "stop"

// presenter presents a demonstration.
type presenter struct {
	live     *live
	stack    *stack
	messages *messages
	size     *size
	bindings action.Bindings
	walk     *walk // nil for none
}

// command starts presenting a script on this cloud, or ends the presentation.
func (p *presenter) command(arg string) tea.Cmd {
	sc := demo.Transition()
	switch {
	case arg == demoStop && p.stop():
		return nil
	case arg == demoStop:
		return p.messages.refuse("demo: no demonstration is running", ":demo transition starts one")
	case arg != sc.Name:
		return p.messages.refuse("demo: which one?", sc.Name+", "+demoStop)
	case p.live.can() != nil:
		return p.refuse()
	}
	return beginWalk(p.live.env(), sc)
}

// stop ends the presentation, and reports whether there was one.
func (p *presenter) stop() bool {
	was := p.walk
	p.walk = nil
	return was != nil
}

// refuse says why nothing can be presented: it would have to write.
func (p *presenter) refuse() tea.Cmd {
	return p.messages.refuse("the demonstration writes, and "+p.live.can().Error(), "")
}

// began shows the bar of a presentation.
func (p *presenter) began(msg walkBeganMsg) tea.Cmd {
	switch {
	case msg.Cloud != cloud.Reader(p.live.view): // another one was opened meanwhile
		return nil
	case msg.Err != nil:
		return p.messages.refuse(msg.Err.Error(), "")
	case p.live.inPast(): // entered meanwhile
		return p.refuse()
	}
	p.walk = msg.Walk
	return nil
}

// played handles the result of a step, and goes to the screen that shows it.
func (p *presenter) played(msg walkPlayedMsg) tea.Cmd {
	if msg.Walk != p.walk {
		return nil // the presentation was ended meanwhile, or another cloud was opened
	}
	to, ok := p.walk.Took(msg)
	if !ok {
		return nil
	}
	p.live.show() // a screen that is opened now must see what was written
	return p.stack.visit(to)
}

// actions are the keys of a presentation; none without one.
func (p *presenter) actions() []action.Action {
	if p.walk == nil {
		return nil
	}
	paused := ""
	if p.live.paused {
		paused = "the screen is paused: p resumes"
	}
	hint := 0 // the bar itself names the keys, if there is room
	if !fullBar(p.size.height) {
		hint = 85
	}
	return []action.Action{
		{ID: walkNext, Keys: ")", Title: "next step", Priority: hint, Help: "play the next step of the demonstration", Disabled: paused, Run: func() tea.Cmd {
			to, show, play := p.walk.Next()
			if show {
				return p.stack.visit(to)
			}
			return play
		}},
		{ID: walkBack, Keys: "(", Title: "previous step", Help: "look at the previous step; nothing is undone", Run: func() tea.Cmd {
			if to, ok := p.walk.Back(); ok {
				return p.stack.visit(to)
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

// bar returns the bar of a presentation, with the given number of rows.
func (p *presenter) bar(w, rows int) string {
	var keys walkKeys
	for _, act := range p.bindings.Apply(p.actions()) {
		switch act.ID {
		case walkNext:
			keys.Next = act.Keys.First()
		case walkBack:
			keys.Back = act.Keys.First()
		}
	}
	return p.walk.View(w, rows, p.size.height, keys)
}

// clickerAction returns the action of a clicker's key during a presentation. It overrides the screen's.
func (p *presenter) clickerAction(name string) (act action.Action, ok bool) {
	clicker := map[string]action.ID{"pgdown": walkNext, " ": walkNext, "pgup": walkBack}
	for _, act := range p.actions() {
		if act.ID == clicker[name] && p.stack.overlay == nil {
			return act, true
		}
	}
	return act, false
}
