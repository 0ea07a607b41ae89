package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/suggest"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
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
	here, everywhere := a.offered(a.stack.under())
	for _, act := range slices.Concat(here, everywhere) {
		if !act.Acts() || strings.HasPrefix(string(act.ID), globalPrefix+"go.") || act.ID == "app.command" {
			continue
		}
		c := command{name: strings.TrimPrefix(string(act.ID), globalPrefix), what: act.HelpText(), off: act.Disabled, unlisted: act.Keys != "", run: func(string) tea.Cmd { return a.run(act) }}
		if act.ID == "app.interrupt" {
			c.name, c.also, c.unlisted = "quit", []string{"q", "q!", "exit"}, false
		} else if act.ID == "app.quit" {
			continue
		}
		out = append(out, c)
	}
	out = slices.Concat(out, a.listing(), a.exports.commands(), a.memory.commands(), a.theming.commands(), a.clouds.commands(), whoCommand(a.live, a.stack), a.past.commands(), []command{a.mouseCommand()})
	if a.live.Cloud != nil {
		out = append(out, command{name: "demo", what: "present a demonstration on this cloud", args: demoArgs(), run: a.presenter.run})
	}
	return out
}

// called reports whether name is one of the names of c.
func (c command) called(name string) bool { return c.name == name || slices.Contains(c.also, name) }

// suggest completes what was typed at the prompt. A whole name needs no completion, though
// it may be the beginning of another.
func (a *App) suggest(text string) []string {
	if text == "" {
		return nil
	}
	var out []string
	said, begun, more := strings.Cut(text, " ")
	for _, c := range a.commands() {
		if c.called(text) {
			return []string{text}
		}
		if c.unlisted {
			continue
		}
		for _, arg := range c.args {
			if more && c.called(said) && strings.HasPrefix(arg, begun) {
				out = append(out, said+" "+arg)
			}
		}
		for _, name := range append([]string{c.name}, c.also...) {
			if strings.HasPrefix(name, text) {
				out = append(out, name)
				break
			}
		}
	}
	if len(a.meaning(text)) > 0 { // a whole word, which may be the beginning of a command
		return []string{text}
	}
	return out
}

// command runs what was typed at the prompt, or completed by it.
func (a *App) command(text string) tea.Cmd {
	name, arg, _ := strings.Cut(strings.TrimSpace(text), " ")
	if name == "" {
		a.asking = false
		return nil
	}
	all := a.commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.called(name) })
	switch {
	case i < 0 && onlyWhere(name) != "":
		a.prompt.SetNote(themes.Warn, onlyWhere(name))
		return nil
	case i < 0 && len(filter.Best(a.screens.views(), screen.Named.Words, filter.Asked(text))) > 0:
		a.asking = false
		if means := a.meaning(name); len(means) == 1 && arg == "" {
			return a.stack.visit(means[0].To)
		}
		return a.stack.visit(place.Find{Text: text})
	case i < 0:
		a.prompt.SetNote(themes.Warn, "no such command"+nearestCommand(name, all))
		return nil
	case all[i].off != "":
		a.prompt.SetNote(themes.Warn, all[i].off)
		return nil
	default:
		a.asking = false
		return all[i].run(strings.TrimSpace(arg))
	}
}

// meaning returns what people call by a name that is no command: where there are several,
// they choose.
func (a *App) meaning(name string) []screen.Named {
	var out []screen.Named
	for _, v := range a.screens.views() {
		if strings.EqualFold(v.Name, name) {
			return []screen.Named{v}
		}
		if v.Means(strings.ToLower(name)) && !slices.ContainsFunc(out, func(o screen.Named) bool { return o.To == v.To }) {
			out = append(out, v)
		}
	}
	return out
}

// onlyWhere returns which dashboards have a command that not all have; "" for any other
// word.
func onlyWhere(name string) string {
	switch name {
	case "who":
		return "only on a shared file or over SSH"
	case "ages", "age", "refresh":
		return "only on a remote cloud"
	}
	return ""
}

// nearestCommand returns the command that an unknown name resembles most.
func nearestCommand(name string, all []command) string {
	var names []string
	for _, c := range all {
		names = append(append(names, c.name), c.also...)
	}
	if like := suggest.Nearest(name, names); len(like) > 0 {
		return "; try :" + like[0]
	}
	return "; :alias lists all"
}
