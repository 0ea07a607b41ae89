package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/format"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
)

// command is what the prompt can do: a screen by its name, with a filter, or an action by
// its id.
type command struct {
	name string
	also []string
	what string   // its purpose
	args []string // the possible arguments; nil for any, or none
	run  func(arg string) tea.Cmd
	off  string // why it is unavailable now
	// lists returns a page to choose from, where no argument is given.
	lists func() list.MenuSpec
	words string // by which people look for it, in lower case; "" for what a search finds anyway
	// unlisted is set where it need only be known to whoever types its whole name: what a
	// key does, or a screen that others lead to.
	unlisted bool
}

// commands returns all commands that the prompt has now, from the screens that can be
// reached and the actions of keys.
func (a *App) commands() []command {
	var out []command
	opened := a.live.Cloud != nil
	for _, m := range when(opened, slices.Concat(a.screens.keyed, a.screens.named)...) {
		off := ""
		if err := a.live.can(m.Writes...); len(m.Writes) > 0 && err != nil {
			off = err.Error()
		}
		out = append(out, command{name: m.Names[0], also: m.Names[1:], what: cmp.Or(m.What, "go to "+m.Title), off: off, unlisted: m.Detail, run: func(arg string) tea.Cmd {
			to, err := place.Parse(m.Of, arg)
			if err != nil {
				return a.messages.refuse(err.Error(), "")
			}
			if arg == "" {
				return a.stack.comeBack(to)
			}
			return a.stack.visit(to)
		}})
	}
	here, everywhere := a.actions.able(a.stack.under())
	for _, act := range slices.Concat(here, everywhere) {
		if !act.Acts() || strings.HasPrefix(string(act.ID), globalPrefix+"go.") || act.ID == "app.command" {
			continue
		}
		c := command{name: strings.TrimPrefix(string(act.ID), globalPrefix), what: act.HelpText(), off: act.Disabled, unlisted: act.Keys != "", run: func(string) tea.Cmd { return a.stack.run(act) }}
		if act.ID == "app.interrupt" {
			c.name, c.also, c.unlisted = "quit", []string{"q", "q!", "exit"}, false
		} else if act.ID == "app.quit" {
			continue
		}
		out = append(out, c)
	}
	return slices.Concat(out,
		when(a.live.Link != nil, command{name: "ages", also: []string{"age", "refresh"}, words: "stale fresh", what: "when each part of this cloud was read, and when it will be again", lists: a.live.link.ages}),
		[]command{
			{name: "keys", words: "greyed grey gray key shortcut shortcuts keyboard keymap bind bindings hotkeys", what: "all keys of this screen, which of them are bound twice, and what to write into config.toml", lists: a.actions.keyMenu},
			{name: "alias", also: []string{"aliases", "commands"}, what: "all commands, and their other names", lists: a.prompt.aliases},
			{name: "messages", words: "errors error warnings warning notice notices toast notifications refused log", what: "messages of this session", lists: a.messages.logMenu},
			{name: "export", words: "csv json yaml markdown excel spreadsheet download print table", args: format.Names(), what: "write the table to a file: csv, json, yaml or md, and a name if you like", lists: a.exports.menu, run: a.exports.command},
		},
		when(a.memory.of != nil,
			command{name: "save", words: "bookmark bookmarks", what: "save this list's filter under a name: /@name applies it", run: a.memory.saveFilter},
			command{name: "filters", words: "bookmark bookmarks", what: "saved filters, to apply or delete", lists: a.memory.filterMenu},
		),
		[]command{{name: "theme", words: "themes color colors colour colours dark light contrast", args: a.theming.names(), what: "pick a theme, shown as the cursor moves, or name one", lists: a.theming.menu, run: a.theming.command}},
		when(a.clouds.of != nil, command{name: "ctx", also: []string{"context", "clouds"}, words: "cloud region regions environment connect", args: a.clouds.names(), what: "switch to another cloud", lists: a.clouds.menu, run: a.clouds.command}),
		when(a.live.Who != nil, command{name: "who", also: []string{"people"}, words: "logged users sessions connected ssh others else online", what: "list who is connected, from where and since when", lists: a.live.who}),
		when(opened, command{name: "at", words: "earlier ago snapshot", what: "show the cloud as it was: at a revision, 10m ago, at 13:58 or 2026-11-23 13:58 (UTC)", run: a.past.at}),
		when(opened && !a.live.inPast(), command{name: "now", what: "show the cloud as it is now", off: "the cloud is shown as it is now"}),
		[]command{{name: "mouse", words: "click scroll wheel select", args: []string{"on", "off"}, what: "wheel and click; with shift the terminal selects text", run: a.mouse.command}},
		when(opened, command{name: "demo", words: "presentation tour tutorial", what: "present a demonstration on this cloud", args: []string{demo.Transition().Name, demoStop}, run: a.presenter.command}),
	)
}

// called reports whether name is one of the names of c.
func (c command) called(name string) bool { return c.name == name || slices.Contains(c.also, name) }
