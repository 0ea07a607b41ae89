package confirm

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Actions implements screen.Screen.
func (p *Page) Actions() []action.Action {
	var list []action.Action
	add := func(id action.ID, key, title, help string, priority int, run func() tea.Cmd) {
		list = append(list, action.Action{ID: id, Keys: action.Keys(key), Title: title, Help: help, Priority: priority, Run: run})
	}
	switch p.stage {
	case planning, planned, refused:
		list = p.before()
	case running, stopping:
	case asking:
		add("confirm.stop", "y", "stop", "stop after the step that is under way", 95, func() tea.Cmd {
			p.stage = stopping
			p.cancel()
			return nil
		})
		add("confirm.resume", "n", "continue", "do not stop", 94, func() tea.Cmd {
			p.stage = running
			return nil
		})
	case stopped:
		add("confirm.resume", "enter", "continue", "take the remaining steps", 95, func() tea.Cmd { return p.start(p.courses.Run, nil) })
		if p.courses.Undo != nil {
			add("confirm.undo", "v", "undo", "undo the steps that were taken", 94, func() tea.Cmd {
				p.undoes = true
				return p.start(p.courses.Undo, nil)
			})
		}
	case failed:
		add("confirm.again", "enter", "try again", "plan it again", 95, p.again)
	case left, done:
		list = append(list, action.Action{ID: "confirm.close", Keys: "enter", Title: "close", Priority: 95, Request: func() tea.Msg { return screen.PopMsg{} }})
	}
	for i := range list {
		if id := list[i].ID; id == "confirm.resume" || id == "confirm.undo" || id == "confirm.accept" {
			list[i].Writes = append(p.writes(), placement.ReplaceAllocations{})
		}
	}
	return append(list, panel.ScrollAction("confirm.scroll"))
}

// before returns the actions before anything is written.
func (p *Page) before() []action.Action {
	ready, requests, commands := "", "", ""
	if p.stage == planning {
		ready = "it is still being planned"
	}
	if len(p.prop.all.Requests()) == 0 {
		requests = "no API has a call for it"
	}
	if len(p.prop.all.Commands()) == 0 {
		commands = "the openstack client has no command for it"
	}
	verb := p.spec.Verb
	help := "do what is shown; nothing is written until then"
	switch {
	case p.stage == refused:
		verb = "try again"
	case p.empty():
		verb, help = "close", "go back: there is nothing to write"
	}
	copied := func(what, text string) func() tea.Msg {
		return func() tea.Msg { return screen.CopyMsg{What: what, Text: text} }
	}
	accept := action.Action{ID: "confirm.accept", Keys: "enter", Title: verb, Help: help, Priority: 95, Disabled: ready, Run: p.accept}
	if p.empty() && p.cannot() == nil && len(p.moved) == 0 {
		accept.Request, accept.Run = func() tea.Msg { return screen.PopMsg{} }, nil
	}
	list := []action.Action{
		accept,
		{ID: "confirm.request", Keys: "y", Title: "full requests", Help: "what is sent to the APIs, in full", Priority: 80, Disabled: requests, Run: func() tea.Cmd {
			p.request = !p.request
			p.scroll.Home()
			return nil
		}},
		{ID: "confirm.copy", Keys: "c", Title: "copy requests", Priority: 60, Disabled: requests, Request: copied("the requests", panel.RequestText(p.prop.all.Requests()))},
		{ID: "confirm.command", Keys: "o", Title: "copy commands", Help: "copy it as commands of the openstack client", Priority: 55, Disabled: commands, Request: copied("the commands", panel.CommandText(p.prop.all.Commands()))},
	}
	if p.stage == refused && len(p.prop.able) > 0 {
		list = append(list, action.Action{ID: "confirm.rest", Keys: "x", Title: "leave out " + component.Count(len(p.prop.rest)), Help: "plan only those that can be done", Priority: 94, Run: p.leaveOut})
	}
	// Undo is what led here, or is not meant for an earlier write.
	if !p.goesOnWith() {
		list = append(list, action.Action{ID: "confirm.early", Keys: "z Z", Title: "undo", Help: "undo what was written", Disabled: "nothing is written yet"})
	}
	if p.spec.Keys == nil {
		return list
	}
	for _, k := range p.spec.Keys() {
		if k.To != nil {
			list = append(list, action.Action{ID: action.ID("confirm.key." + k.Key), Keys: action.Keys(k.Key), Title: k.Title, Help: k.Help, Priority: 78, To: k.To})
			continue
		}
		list = append(list, action.Action{ID: action.ID("confirm.key." + k.Key), Keys: action.Keys(k.Key), Title: k.Title, Help: k.Help, Priority: 75, Run: func() tea.Cmd {
			if p.spec.Plan = k.Set(); !p.one() {
				p.make()
			}
			p.first, p.moved, p.said = nil, nil, panel.Banner{}
			p.stage = planning
			return p.plans.Start(p.env.Context, p.rehearsal())
		}})
	}
	return list
}

// leaveOut plans those of several tasks that can be done.
func (p *Page) leaveOut() tea.Cmd {
	n := len(p.prop.rest)
	text := fmt.Sprintf("%d of %d, which cannot be done: the checks say why", n, len(p.prop.able)+n)
	p.leftOut = append(p.leftOut, p.prop.rest...)
	p.title = p.spec.Some(len(p.prop.able))
	p.courses.Run, p.said, p.stage = p.prop.able, panel.Say(style.SeverityWarn, "LEFT OUT", text), planning
	p.first, p.seen, p.moved = nil, nil, nil
	p.scroll.Home()
	return p.plans.Start(p.env.Context, p.rehearsal())
}

// Copies implements screen.Copier: what would be written, as it can be said elsewhere.
func (p *Page) Copies() []screen.CopyMsg {
	var out []screen.CopyMsg
	add := func(what, text string) {
		if strings.TrimSpace(text) != "" {
			out = append(out, screen.CopyMsg{What: what, Text: text})
		}
	}
	add("placetop command", strings.Join(p.prop.all.Own(), "\n"))
	add("openstack command", panel.CommandText(p.prop.all.Commands()))
	add("requests", panel.RequestText(p.prop.all.Requests()))
	if len(out) == 0 {
		add("title", p.title)
	}
	return out
}
