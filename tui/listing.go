package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/screen"
)

// listing are the commands that list things about the dashboard itself.
func (a *App) listing() []command {
	var ages []command
	if a.live.Link != nil {
		ages = []command{{name: "ages", also: []string{"age", "refresh"}, what: "when each part of this cloud was read, and when it will be again", run: func(string) tea.Cmd { return a.stack.openMenu(a.live.link.ages()) }}}
	}
	return append(ages, []command{
		{name: "keys", what: "all keys of this screen, which of them are bound twice, and what to write into config.toml", run: func(string) tea.Cmd { return a.stack.openMenu(a.keyMenu()) }},
		{name: "alias", also: []string{"aliases", "commands"}, what: "all commands, and their other names", run: func(string) tea.Cmd { return a.stack.openMenu(a.aliasMenu()) }},
		{name: "messages", what: "messages of this session", run: func(string) tea.Cmd { return a.stack.openMenu(a.messages.logMenu()) }},
	}...)
}

// keyMenu lists the keys of the screen and of the dashboard, conflicting ones first.
func (a *App) keyMenu() menu.Spec {
	here, everywhere := a.actionsOf(a.stack.under()), a.Actions()
	all := slices.Concat(here, everywhere)
	title := "keys"
	if of := a.stack.title(); of != "" {
		title += " of " + of
	}
	return menu.Spec{
		Name: "keys", Title: title, Verb: "copy for config.toml", Stays: true,
		Intro: []string{`Bind keys in config.toml, below [keys]: "providers.sort" = ["f2", "s"]`, "[] takes an action off the keyboard; enter copies the line."},
		Items: func() []menu.Item { return a.keyItems(all) },
		Choose: func(i menu.Item) tea.Cmd {
			for _, act := range all {
				if string(act.ID) == i.ID {
					return a.messages.copy(screen.CopyMsg{What: "the line of " + i.ID, Text: bindingLine(act)})
				}
			}
			return nil
		},
	}
}

// keyItems returns a line for each action, with what hides its keys.
func (a *App) keyItems(all []action.Action) []menu.Item {
	by := map[string]action.ID{}
	var clash, rest []menu.Item
	known := map[action.ID]bool{}
	for _, act := range all {
		if known[act.ID] {
			continue
		}
		known[act.ID] = true
		item := menu.Item{ID: string(act.ID), Name: act.Labels(), Note: act.HelpText() + "   " + string(act.ID)}
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
	var elsewhere []menu.Item
	for id, keys := range a.cfg.Bindings {
		if !known[id] {
			elsewhere = append(elsewhere, menu.Item{ID: string(id), Name: strings.Join(labels(keys), " "), Note: string(id) + "   bound in config.toml; this screen has no such action", Tone: themes.Dim})
		}
	}
	slices.SortStableFunc(elsewhere, func(x, y menu.Item) int { return strings.Compare(x.ID, y.ID) })
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

// aliasMenu lists all commands.
func (a *App) aliasMenu() menu.Spec {
	all := a.commands()
	return menu.Spec{
		Name: "alias", Title: "commands", Verb: "run", Empty: "there are no commands",
		Items: func() []menu.Item {
			var items []menu.Item
			for i, c := range all {
				if c.unlisted {
					continue
				}
				note := c.what
				if c.off != "" {
					note += "   (" + c.off + ")"
				}
				for _, name := range c.also {
					note += "   :" + name
				}
				items = append(items, menu.Item{ID: strconv.Itoa(i), Name: ":" + c.name, Note: note})
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd {
			n, err := strconv.Atoi(i.ID)
			if err != nil || n >= len(all) {
				return nil
			}
			return all[n].run("")
		},
	}
}
