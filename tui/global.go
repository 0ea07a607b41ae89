package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/session"
)

// globalPrefix starts the ids of the dashboard's own actions.
const globalPrefix = "app."

func isGlobal(id action.ID) bool { return strings.HasPrefix(string(id), globalPrefix) }

// Actions returns what can be done on every screen. Screens must not use their
// keys, except to give one their own meaning on purpose.
func (a *App) Actions() []action.Action {
	do := func(f func()) func() tea.Cmd {
		return func() tea.Cmd {
			f()
			return nil
		}
	}
	none := func(n int, reason string) string {
		if n == 0 {
			return reason
		}
		return ""
	}
	history := &a.stack.history
	list := []action.Action{
		{ID: "app.command", Keys: ":", Title: "command", Help: a.commandHelp(), Priority: 60, Run: do(a.ask)},
		{ID: "app.help", Keys: "?", Title: "help", Priority: 90, Run: a.help},
		{ID: "app.back", Keys: "esc", Title: "back", Help: "close or go back", Priority: 80, Run: a.back},
		{ID: "app.quit", Keys: "q", Title: "quit", Help: "back, or quit", Priority: 80, Run: a.leave},
		{ID: "app.history.back", Keys: "[", Title: "previous view", Disabled: none(len(history.past), "this is the first view"), Run: func() tea.Cmd { return a.stack.travel(history.back) }},
		{ID: "app.history.on", Keys: "]", Title: "next view", Disabled: none(len(history.future), "this is the last view"), Run: func() tea.Cmd { return a.stack.travel(history.forward) }},
		{ID: "app.history.last", Keys: "-", Title: "last view", Disabled: none(len(history.past)+len(history.future), "no other view yet"), Run: func() tea.Cmd { return a.stack.travel(history.last) }},
		{ID: "app.pause", Keys: "p", Title: "pause", Help: "pause, resume", Priority: 30, Disabled: a.live.noCloud(), Run: a.live.pause},
		{ID: "app.refresh", Keys: "R", Title: "refresh", Help: "refresh now, and draw the whole screen again", Run: func() tea.Cmd { return tea.Batch(a.loss.refresh(), session.Repaint()) }},
		{ID: "app.suspend", Keys: "ctrl+z", Title: "suspend", Run: session.Suspend},
	}
	if !a.cfg.Local {
		list = list[:len(list)-1]
	}
	if a.screens.has(place.Find{}) {
		list = append(list, action.Action{
			ID: "app.find", Keys: "ctrl+p", Title: "go to anything", Help: "go to any record or screen by a few letters; so does / where there is nothing to filter", Priority: 58, Disabled: a.live.noCloud(),
			To: place.Find{},
		})
	}
	list = append(list, a.exports.actions()...)
	list = append(list, action.Action{ID: "app.places", Keys: "'", Title: "places", Help: "go to a screen without a digit", Run: func() tea.Cmd { return a.stack.openMenu(a.stack.places()) }})
	list = append(list, a.presenter.actions()...)
	// What was written here last need not be the newest revision of the journal, as others write too.
	if v := a.live.view; v != nil && v.wrote.Load() > 0 && a.screens.has(place.Event{}) {
		list = append(list, action.Action{ID: "app.undo", Keys: "z", Title: "undo", Help: "show what was written here last, to undo or redo it", To: place.Event{Revision: cloud.Revision(v.wrote.Load())}})
	}
	list = append(list, a.past.actions()...)
	list = append(list, action.Action{ID: "app.interrupt", Keys: "ctrl+c", Title: "quit", Help: "close, or quit at once", Priority: 20, Run: func() tea.Cmd { return a.interrupt("^c") }})
	for _, m := range a.screens.mains() {
		list = append(list, action.Action{
			ID: goes(m), Keys: action.KeysOf(m.Keys), Title: m.Title,
			Run: func() tea.Cmd { return a.stack.comeBack(m.Of) },
		})
	}
	plain := a.plain()
	for i := range list {
		list[i].Group = action.Everywhere
		if slices.Contains(plain, list[i].ID) {
			list[i].Priority = 0
		}
	}
	return a.cfg.Bindings.Apply(list)
}

// goes returns the id of the action that goes to a main screen.
func goes(to screen.Declaration) action.ID {
	return action.ID(globalPrefix + "go." + place.Kind(to.Of))
}

// commandHelp returns what the command prompt is for, with the names of the screens that
// only it leads to.
func (a *App) commandHelp() string {
	help := "run a command"
	var titles []string
	for _, m := range a.screens.byName() {
		if !m.Detail {
			titles = append(titles, m.Title)
		}
	}
	if len(titles) > 0 {
		help += ", or go to " + strings.Join(titles, ", ")
	}
	if s := a.live.snapshot; s != nil && demo.Made(s) {
		help += "; demo transition presents how VGPUs go from Nova to Cyborg"
	}
	return help
}

// plain returns the actions that the footer need not list: at the root going back, which
// has nowhere to go, and ^c, which does the same as q; on other screens q, which does the
// same as esc.
func (a *App) plain() []action.ID {
	if a.stack.atRoot() {
		return []action.ID{"app.back", "app.interrupt"}
	}
	return []action.ID{"app.quit"}
}

// actionsOf returns the actions of a screen, with the user's keys.
func (a *App) actionsOf(e *entry) []action.Action {
	return a.cfg.Bindings.Apply(answer(e, screen.Screen.Actions))
}

// availableActions holds the actions of the top screen, and those of every screen.
type availableActions struct {
	here, everywhere []action.Action
	known            bool // it is up to date
}

// able returns the available actions. It computes them once for a frame and the key after
// it.
func (a *App) able() *availableActions {
	if !a.acts.known {
		a.acts = availableActions{a.actionsOf(a.stack.top()), a.Actions(), true}
	}
	return &a.acts
}

// offered returns the actions of the top screen and of the dashboard that the user may
// use: without those that the cloud cannot carry out.
func (a *App) offered(e *entry) (here, everywhere []action.Action) {
	return action.Able(slices.Clone(a.actionsOf(e)), a.live.can), action.Able(a.Actions(), a.live.can)
}

// help opens the page with all keys over the top screen.
func (a *App) help() tea.Cmd {
	e := a.stack.under()
	if e == nil || a.stack.overlay != nil {
		return nil
	}
	here, everywhere := a.offered(e)
	about := help.About{Title: a.stack.title(), What: a.screens.declared(e.place).What, Tasks: a.stack.atRoot(), Views: a.screens.views(), Closed: a.live.Cloud == nil}
	if f, ok := e.screen.(screen.FilterHelper); ok {
		_ = try(func() { about.Filter, about.Fields = f.FilterHelp() })
	}
	return a.stack.cover(place.Help{}, help.New(a.env.Styles, about, here, everywhere))
}

// ask opens the command prompt.
func (a *App) ask() {
	a.prompt.Reset()
	a.asking = true
}

// promptKey passes a key to the command prompt.
func (a *App) promptKey(msg tea.KeyMsg) tea.Cmd {
	if msg.String() == "tab" && a.prompt.Value() == "" {
		a.asking = false
		return a.stack.openMenu(a.aliasMenu())
	}
	if msg.String() == "enter" {
		a.prompt.Complete()
	}
	switch a.prompt.Key(msg) {
	case component.PromptCancel:
		a.asking = false
	case component.PromptSubmit:
		return a.command(a.prompt.Value())
	case component.PromptNone, component.PromptChanged:
	}
	return nil
}
