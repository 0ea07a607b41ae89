package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/menu"
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
	// lists, in place of run, returns a page to choose from.
	lists func() menu.Spec
	// unlisted is set where it need only be known to whoever types its whole name: what a
	// key does, or a screen that others lead to.
	unlisted bool
}

// commands returns all commands that the prompt has now, from the screens that can be
// reached and the actions of keys.
func (a *App) commands() []command {
	var out []command
	for _, m := range slices.Concat(a.screens.keyed, a.screens.named) {
		if a.live.Cloud == nil {
			break
		}
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
		c := command{name: strings.TrimPrefix(string(act.ID), globalPrefix), what: act.HelpText(), off: act.Disabled, unlisted: act.Keys != "", run: func(string) tea.Cmd { return a.actions.run(act) }}
		if act.ID == "app.interrupt" {
			c.name, c.also, c.unlisted = "quit", []string{"q", "q!", "exit"}, false
		} else if act.ID == "app.quit" {
			continue
		}
		out = append(out, c)
	}
	var ages []command
	if a.live.Link != nil {
		ages = []command{{name: "ages", also: []string{"age", "refresh"}, what: "when each part of this cloud was read, and when it will be again", lists: a.live.link.ages}}
	}
	out = slices.Concat(out, ages, []command{
		{name: "keys", what: "all keys of this screen, which of them are bound twice, and what to write into config.toml", lists: a.actions.keyMenu},
		{name: "alias", also: []string{"aliases", "commands"}, what: "all commands, and their other names", lists: a.prompt.aliases},
		{name: "messages", what: "messages of this session", lists: a.messages.logMenu},
	}, a.exports.commands(), a.memory.commands(), a.theming.commands(), a.clouds.commands(), whoCommand(a.live), a.past.commands(), []command{a.mouse.command()})
	if a.live.Cloud != nil {
		out = append(out, command{name: "demo", what: "present a demonstration on this cloud", args: demoArgs(), run: a.presenter.run})
	}
	return out
}

// called reports whether name is one of the names of c.
func (c command) called(name string) bool { return c.name == name || slices.Contains(c.also, name) }
