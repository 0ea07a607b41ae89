package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
)

// globalPrefix starts the ids of the dashboard's own actions.
const globalPrefix = "app."

func isGlobal(id action.ID) bool { return strings.HasPrefix(string(id), globalPrefix) }

// Actions returns what can be done on every screen. Screens must not use their
// keys, except to give one their own meaning on purpose.
func (a *App) Actions() []action.Action {
	none := func(n int, reason string) string {
		if n == 0 {
			return reason
		}
		return ""
	}
	travel := func(to func([]*entry) []*entry) func() tea.Cmd {
		return func() tea.Cmd { return a.stack.travel(to) }
	}
	h := &a.stack.history
	before, after := len(h.past), len(h.future)
	copier, copies := as[screen.Copier](a.stack.under())
	var wrote cloud.Revision // it need not be the newest revision, as others write too
	if v := a.live.view; v != nil {
		wrote = cloud.Revision(v.wrote.Load())
	}
	list := slices.Concat(
		[]action.Action{
			{ID: "app.command", Keys: ":", Title: "command", Help: commandHelp(a.screens), Priority: 60, Run: a.prompt.ask},
			{ID: "app.help", Keys: "?", Title: "help", Priority: 90, Run: a.keys.help},
			{ID: "app.back", Keys: "esc", Title: "back", Help: "close or go back", Priority: 80, Run: a.keys.back},
			{ID: "app.quit", Keys: "q", Title: "quit", Help: "back, or quit", Priority: 80, Run: a.keys.leave},
			{ID: "app.history.back", Keys: "[", Title: "previous view", Disabled: none(before, "this is the first view"), Run: travel(h.back)},
			{ID: "app.history.on", Keys: "]", Title: "next view", Disabled: none(after, "this is the last view"), Run: travel(h.forward)},
			{ID: "app.history.last", Keys: "-", Title: "last view", Disabled: none(before+after, "no other view yet"), Run: travel(h.last)},
			{ID: "app.pause", Keys: "p", Title: "pause", Help: "pause, resume", Priority: 30, Disabled: a.live.noCloud(), Run: a.live.pause},
			{ID: "app.refresh", Keys: "R", Title: "refresh", Help: "refresh now, and draw the whole screen again", Run: func() tea.Cmd { return tea.Batch(a.loss.refresh(), session.Repaint()) }},
		},
		when(a.cfg.Local, action.Action{ID: "app.suspend", Keys: "ctrl+z", Title: "suspend", Run: session.Suspend}),
		when(a.screens.has(place.Find{}), action.Action{ID: "app.find", Keys: "ctrl+p", Title: "go to anything", Help: "go to any record or screen by a few letters; so does / where there is nothing to filter", Priority: 58, Disabled: a.live.noCloud(), To: place.Find{}}),
		when(copies, action.Action{ID: "app.copyas", Keys: "C", Title: "copy as", Help: "copy as id, name, command, JSON, YAML, text for a ticket", Run: func() tea.Cmd { return a.exports.copyAs(copier) }}),
		[]action.Action{{ID: "app.places", Keys: "'", Title: "places", Help: "go to a screen without a digit", Run: func() tea.Cmd { return a.stack.openMenu(places(a.stack)) }}},
		a.presenter.actions(),
		when(wrote > 0 && a.screens.has(place.Event{}), action.Action{ID: "app.undo", Keys: "z", Title: "undo", Help: "show what was written here last, to undo or redo it", To: place.Event{Revision: wrote}}),
		a.past.actions(),
		[]action.Action{{ID: "app.interrupt", Keys: "ctrl+c", Title: "quit", Help: "close, or quit at once", Priority: 20, Run: func() tea.Cmd { return a.keys.interrupt("^c") }}},
	)
	for _, m := range a.screens.mains() {
		list = append(list, action.Action{
			ID: goToID(m), Keys: action.KeysOf(m.Keys), Title: m.Title,
			Run: func() tea.Cmd { return a.stack.comeBack(m.Of) },
		})
	}
	plain := plain(a.stack)
	for i := range list {
		list[i].Group = action.Everywhere
		if slices.Contains(plain, list[i].ID) {
			list[i].Priority = 0
		}
	}
	return a.cfg.Bindings.Apply(list)
}

// when returns what there is under a condition.
func when[T any](is bool, what ...T) []T {
	if !is {
		return nil
	}
	return what
}

// goToID returns the id of the action that goes to a main screen.
func goToID(to screen.Declaration) action.ID {
	return action.ID(globalPrefix + "go." + place.Kind(to.Of))
}

// commandHelp returns what the command prompt is for, with the names of the screens that
// only it leads to.
func commandHelp(of *screens) string {
	help := "run a command"
	var titles []string
	for _, m := range of.byName() {
		if !m.Detail {
			titles = append(titles, m.Title)
		}
	}
	if len(titles) > 0 {
		help += ", or go to " + strings.Join(titles, ", ")
	}
	if s := of.live.snapshot; s != nil && demo.Made(s) {
		help += "; demo transition presents how VGPUs go from Nova to Cyborg"
	}
	return help
}

// plain returns the actions that the footer need not list: at the root going back, which
// has nowhere to go, and ^c, which does the same as q; on other screens q, which does the
// same as esc.
func plain(of *stack) []action.ID {
	if of.atRoot() {
		return []action.ID{"app.back", "app.interrupt"}
	}
	return []action.ID{"app.quit"}
}

// places lists the screens without a digit.
func places(of *stack) list.MenuSpec {
	var items []list.Item
	for _, d := range of.screens.byName() {
		if !d.Detail {
			items = append(items, list.Item{Name: ":" + d.Names[0], Note: d.What, Run: func() tea.Cmd { return of.comeBack(d.Of) }})
		}
	}
	return list.MenuSpec{
		Name: "places", Title: "places", Verb: "go",
		Items: func() []list.Item { return items },
	}
}

// actions lists what can be done now.
type actions struct {
	everywhere func() []action.Action // on every screen
	bindings   action.Bindings
	live       *live
	stack      *stack

	known     bool // the last answer still holds
	here, all []action.Action
}

// of returns the actions of a screen, with the user's keys.
func (a *actions) of(e *entry) []action.Action {
	return a.bindings.Apply(answer(e, screen.Screen.Actions))
}

// now returns the actions of the top screen, and those of every screen. It computes them once
// for a frame and the key after it.
func (a *actions) now() (here, everywhere []action.Action) {
	if !a.known {
		a.here, a.all, a.known = a.of(a.stack.top()), a.everywhere(), true
	}
	return a.here, a.all
}

// forget says that something has happened, so that others may be possible.
func (a *actions) forget() { a.known = false }

// off returns why an action cannot run now, "" if it can.
func (a *actions) off(act action.Action) string {
	if len(act.Writes) > 0 {
		switch err := a.live.can(act.Writes...); {
		case err != nil && a.live.can() != nil: // no key writes to a read-only cloud
			return a.live.readOnly()
		case err != nil:
			return err.Error()
		}
	}
	return act.Disabled
}

// able returns the actions of a screen and of the dashboard that the user may use: without
// those that the cloud cannot carry out.
func (a *actions) able(e *entry) (here, everywhere []action.Action) {
	return action.Able(slices.Clone(a.of(e)), a.live.can), action.Able(a.everywhere(), a.live.can)
}

// keyMenu lists the keys of the screen and of the dashboard, conflicting ones first.
func (a *actions) keyMenu() list.MenuSpec {
	here, everywhere := a.of(a.stack.under()), a.everywhere()
	all := slices.Concat(here, everywhere)
	title := "keys"
	if of := a.stack.under().title(); of != "" {
		title += " of " + of
	}
	return list.MenuSpec{
		Name: "keys", Title: title, Verb: "copy for config.toml", Stays: true, Unnumbered: true,
		Intro: []string{`Bind keys in config.toml, below [keys]: "providers.sort" = ["f2", "s"]`, "[] takes an action off the keyboard; enter copies the line."},
		Items: func() []list.Item { return a.keyItems(all) },
	}
}

// keyItems returns a line for each action, with what hides its keys.
func (a *actions) keyItems(all []action.Action) []list.Item {
	by := map[string]action.ID{}
	var clash, rest []list.Item
	known := map[action.ID]bool{}
	for _, act := range all {
		if known[act.ID] {
			continue
		}
		known[act.ID] = true
		item := list.Item{ID: string(act.ID), Name: act.Labels(), Note: act.HelpText() + "   " + string(act.ID), Run: func() tea.Cmd {
			return a.stack.messages.copy(screen.CopyMsg{What: "the line of " + string(act.ID), Text: bindingLine(act)})
		}}
		if off := a.off(act); off != "" {
			item.Note, item.Tone = "off: "+off+"   "+item.Note, themes.Dim
		}
		var hidden []string
		for key := range act.Keys.All() {
			if other, taken := by[key]; taken {
				hidden = append(hidden, action.KeyLabel(key)+" is "+string(other))
			} else {
				by[key] = act.ID
			}
		}
		switch {
		case act.Keys == "":
			item.Name, item.Tone = "(none)", themes.Dim
		case len(hidden) > 0:
			item.Note, item.Tone = "conflict: "+strings.Join(hidden, ", ")+"   "+item.Note, themes.Warn
			clash = append(clash, item)
			continue
		}
		if act.Default != "" {
			item.Note += "   by default " + strings.Join(labels(act.Default.Names()), " ")
		}
		rest = append(rest, item)
	}
	var elsewhere []list.Item
	for id, keys := range a.bindings {
		if !known[id] {
			elsewhere = append(elsewhere, list.Item{ID: string(id), Name: strings.Join(labels(keys), " "), Note: string(id) + "   bound in config.toml; this screen has no such action", Tone: themes.Dim})
		}
	}
	slices.SortStableFunc(elsewhere, func(x, y list.Item) int { return strings.Compare(x.ID, y.ID) })
	return slices.Concat(clash, elsewhere, rest)
}

func labels(keys []string) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = action.KeyLabel(k)
	}
	return out
}

// bindingLine is the line in config.toml that gives an action its current keys.
func bindingLine(act action.Action) string {
	quoted := labels(act.Keys.Names())
	for i, k := range quoted {
		quoted[i] = strconv.Quote(k)
	}
	return strconv.Quote(string(act.ID)) + " = [" + strings.Join(quoted, ", ") + "]"
}
