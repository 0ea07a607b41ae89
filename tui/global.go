package tui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/session"
)

// globalPrefix starts the ids of the dashboard's own actions.
const globalPrefix = "app."

func isGlobal(id action.ID) bool { return strings.HasPrefix(string(id), globalPrefix) }

// mainScreen is a screen that the command prompt knows by name.
type mainScreen struct {
	key     string // a digit, "" for none
	kind    screen.Kind
	title   string
	command []string // names for the command prompt, the first is shown
}

// mains returns the screens with a digit of their own that can be made, in the
// order of their keys.
func (a *App) mains() []mainScreen {
	return a.reachable([]mainScreen{
		{"1", screen.Pulses, "pulses", []string{"pulses", "pulse"}},
		{"2", screen.Providers, "providers", []string{"providers", "rp"}},
		{"3", screen.Consumers, "consumers", []string{"consumers", "con"}},
		{"4", "whatif", "what-if", []string{"what-if", "cand"}},
		{"5", screen.Owners, "owners", []string{"owners", "own"}},
		{"6", screen.Problems, "audit", []string{"audit", "problems"}},
		{"7", screen.Migrations, "migrations", []string{"migrations", "mig"}},
		{"8", screen.Devices, "devices", []string{"devices", "dev"}},
		{"9", screen.Flavors, "flavors", []string{"flavors", "flavor", "fl"}},
		{"0", screen.Instances, "instances", []string{"instances", "inst", "vm"}},
	})
}

// byName returns the screens that can be made and have no key, only a name.
func (a *App) byName() []mainScreen {
	return a.reachable([]mainScreen{
		{"", screen.Services, "services", []string{"services", "svc"}},
		{"", screen.ARQs, "arqs", []string{"arqs", "arq"}},
		{"", screen.Profiles, "profiles", []string{"profiles", "dp"}},
		{"", screen.Pool, "new pool", []string{"pool"}},
		{"", screen.Gate, "gate", []string{"gate", "ready"}},
		{"", screen.Unfinished, "unfinished", []string{"unfinished", "recover"}},
	})
}

// reachable returns those of screens that can be made.
func (a *App) reachable(all []mainScreen) []mainScreen {
	if a.cfg.Cloud == nil {
		return nil
	}
	return slices.DeleteFunc(all, func(m mainScreen) bool { return a.cfg.Screens[m.kind] == nil })
}

// Actions returns what can be done on every screen. Screens must not use their
// keys, other than to give one a meaning of their own on purpose.
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
	list := []action.Action{
		{ID: "app.command", Keys: []string{":"}, Title: "command", Help: a.commandHelp(), Priority: 60, Run: do(a.ask)},
		{ID: "app.help", Keys: []string{"?"}, Title: "help", Priority: 90, Run: a.help},
		{ID: "app.back", Keys: []string{"esc"}, Title: "back", Help: "close or go back", Priority: 80, Run: a.back},
		{ID: "app.quit", Keys: []string{"q"}, Title: "quit", Help: "back, or quit", Priority: 80, Run: a.leave},
		{ID: "app.history.back", Keys: []string{"["}, Title: "view back", Disabled: none(len(a.past), "no view before this one"), Run: func() tea.Cmd { return a.travel(false) }},
		{ID: "app.history.on", Keys: []string{"]"}, Title: "view on", Disabled: none(len(a.future), "no view after this one"), Run: func() tea.Cmd { return a.travel(true) }},
		{ID: "app.history.last", Keys: []string{"-"}, Title: "last view", Disabled: none(len(a.past)+len(a.future), "no other view yet"), Run: a.last},
		{ID: "app.pause", Keys: []string{"p"}, Title: "pause", Help: "pause, go on", Priority: 30, Disabled: a.noCloud(), Run: a.pause},
		{ID: "app.refresh", Keys: []string{"R", "ctrl+r"}, Title: "refresh", Help: "refresh now", Run: a.refresh},
		{ID: "app.redraw", Keys: []string{"ctrl+l"}, Title: "redraw", Run: session.Repaint},
	}
	if a.cfg.Local {
		list = append(list, action.Action{ID: "app.suspend", Keys: []string{"ctrl+z"}, Title: "suspend", Run: session.Suspend})
	}
	list = append(list, a.walkActions()...)
	list = append(list, action.Action{ID: "app.interrupt", Keys: []string{"ctrl+c"}, Title: "quit", Help: "quit at once", Priority: 20, Run: a.interrupt})
	for _, m := range a.mains() {
		keys := []string{m.key}
		if m.kind == screen.Problems {
			keys = append(keys, "!")
		}
		list = append(list, action.Action{
			ID: action.ID(globalPrefix + "go." + string(m.kind)), Keys: keys, Title: m.title,
			Run: func() tea.Cmd { return a.visit(screen.Goto{Kind: m.kind}) },
		})
	}
	for i := range list {
		list[i].Group = action.Everywhere
		if slices.Contains(a.plain(), list[i].ID) {
			list[i].Priority = 0
		}
	}
	return a.cfg.Bindings.Apply(list)
}

// commandHelp says what the command prompt is for, and names the screens that only
// it leads to.
func (a *App) commandHelp() string {
	help := "run a command"
	for i, m := range a.byName() {
		sep := ", "
		if i == 0 {
			sep = ", or go to "
		}
		help += sep + m.title
	}
	if s := a.live.snapshot; s != nil && demo.Made(s) {
		help += "; demo transition presents how VGPUs go from Nova to Cyborg"
	}
	return help
}

// plain returns the actions that the footer need not name: at the root going
// back, for which there is nowhere to go, and ^c, which does what q does; on
// other screens q, which does what esc does.
func (a *App) plain() []action.ID {
	if a.atRoot() {
		return []action.ID{"app.back", "app.interrupt"}
	}
	return []action.ID{"app.quit"}
}

// atRoot reports whether closing the top screen would quit.
func (a *App) atRoot() bool { return a.overlay == nil && len(a.stack) <= 1 }

// visit shows a main screen, unless it is shown already.
func (a *App) visit(to screen.Goto) tea.Cmd {
	if e := a.under(); e != nil && e.place == to {
		a.closeOverlay()
		return nil
	}
	return a.home(to)
}

// actionsOf returns what can be done on a screen, with the user's keys.
func (a *App) actionsOf(e *entry) []action.Action {
	if e == nil {
		return nil
	}
	var list []action.Action
	if crash := try(func() { list = e.screen.Actions() }); crash != nil {
		return nil
	}
	return a.cfg.Bindings.Apply(list)
}

// offered returns the actions of the top screen and of the dashboard that a
// person may use: without writes where nothing can be written.
func (a *App) offered(e *entry) (here, everywhere []action.Action) {
	readOnly := a.readOnly() != ""
	return action.Writable(a.actionsOf(e), readOnly), action.Writable(a.Actions(), readOnly)
}

// help opens the page with all keys over the top screen.
func (a *App) help() tea.Cmd {
	e := a.under()
	if e == nil || a.overlay != nil {
		return nil
	}
	here, everywhere := a.offered(e)
	about := ""
	if titles := a.crumbs(); len(titles) > 0 {
		about = titles[len(titles)-1]
	}
	over, cmd := a.newEntry(screen.Goto{Kind: "help"}, func(env screen.Env) (screen.Screen, error) {
		return help.New(env.Styles, about, here, everywhere), nil
	})
	a.overlay = over
	return cmd
}

// ask opens the command prompt.
func (a *App) ask() {
	a.prompt.Reset()
	a.asking = true
}

// promptKey gives a key to the command prompt.
func (a *App) promptKey(msg tea.KeyMsg) tea.Cmd {
	switch a.prompt.Key(msg) {
	case component.PromptCancel:
		a.asking = false
	case component.PromptSubmit:
		return a.command(a.prompt.Value())
	case component.PromptNone, component.PromptChanged:
	}
	return nil
}

// noCloud returns why nothing of a cloud can be shown, "" where one is open.
func (a *App) noCloud() string {
	if a.cfg.Cloud == nil {
		return "no cloud is open"
	}
	return ""
}

// readOnly returns why nothing can be written, "" where it can.
func (a *App) readOnly() string {
	if why := a.noCloud(); why != "" {
		return why
	}
	return a.cfg.Cloud.Capabilities().ReadOnly
}
