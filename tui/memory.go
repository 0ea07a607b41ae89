package tui

import (
	"maps"
	"regexp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/screen"
)

// names are the commands that name filters.
func (a *App) names() []command {
	if a.env.Memory == nil {
		return nil
	}
	return []command{
		{name: "save", what: "save this list's filter under a name: /@name applies it", run: a.saveFilter},
		{name: "filters", what: "saved filters, to apply or delete", run: func(string) tea.Cmd { return a.stack.openMenu(a.filterMenu()) }},
	}
}

// placesAction is the key of the list of screens without a digit.
func (a *App) placesAction() action.Action {
	return action.Action{ID: "app.places", Keys: "'", Title: "places", Help: "go to a screen without a digit", Run: func() tea.Cmd { return a.stack.openMenu(a.placesMenu()) }}
}

// nameable matches valid names of filters: one word of a filter.
var nameable = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// filtered returns the screen with a filter, below any pages over it.
func (a *App) filtered() (screen.Filterable, *entry) {
	for _, e := range slices.Backward(a.stack.entries) {
		if f, ok := e.screen.(screen.Filterable); ok {
			return f, e
		}
	}
	return nil, nil
}

// saveFilter names the current filter.
func (a *App) saveFilter(name string) tea.Cmd {
	f, _ := a.filtered()
	switch {
	case f == nil || f.Expr() == "":
		return a.messages.refuse("save: there is no filter here", "/ types one")
	case !nameable.MatchString(name):
		return a.messages.refuse("save: give a name of letters and digits", ":save gpu")
	}
	m := a.env.Memory
	if m.Filters == nil {
		m.Filters = map[string]string{}
	}
	m.Filters[name] = f.Expr()
	if refused := a.saveMemory(); refused != nil {
		return refused
	}
	return a.messages.done("saved: /@" + name + " is " + f.Expr())
}

// filterMenu lists the named filters.
func (a *App) filterMenu() menu.Spec {
	m := a.env.Memory
	return menu.Spec{
		Name: "filters", Title: "filters", Verb: "use", Empty: "no filter is saved yet: type one with /, then :save NAME",
		Items: func() []menu.Item {
			var items []menu.Item
			for _, name := range slices.Sorted(maps.Keys(m.Filters)) {
				items = append(items, menu.Item{ID: name, Name: "@" + name, Note: m.Filters[name]})
			}
			for _, name := range slices.Sorted(maps.Keys(m.Given)) {
				if _, hidden := m.Filters[name]; !hidden {
					items = append(items, menu.Item{ID: name, Name: "@" + name, Note: m.Given[name] + "   from config.toml"})
				}
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd {
			f, e := a.filtered()
			if f == nil {
				return a.messages.refuse("filters: this screen has no filter", "go to a list first")
			}
			return e.call(func() tea.Cmd { return f.Filter("@" + i.ID) })
		},
		Actions: func(i menu.Item) []action.Action {
			forget := action.Action{ID: "filters.forget", Keys: "D", Title: "forget", Help: "delete the name", Priority: 50, Run: func() tea.Cmd {
				delete(m.Filters, i.ID)
				return a.saveMemory()
			}}
			if _, own := m.Filters[i.ID]; !own && i.ID != "" {
				forget.Disabled = "@" + i.ID + " is from config.toml: remove it there"
			}
			return []action.Action{forget}
		},
	}
}

// placesMenu lists the screens without a digit.
func (a *App) placesMenu() menu.Spec {
	screens := map[string]screen.Declaration{}
	for _, d := range a.screens.byName() {
		if !d.Detail {
			screens[d.Names[0]] = d
		}
	}
	return menu.Spec{
		Name: "places", Title: "places", Verb: "go",
		Items: func() []menu.Item {
			var items []menu.Item
			for _, d := range a.screens.byName() {
				if !d.Detail {
					items = append(items, menu.Item{ID: d.Names[0], Name: ":" + d.Names[0], Note: d.What})
				}
			}
			return items
		},
		Choose: func(i menu.Item) tea.Cmd { return a.stack.comeBack(screens[i.ID].Of) },
	}
}

// saveMemory saves what was arranged now, because names must not be lost.
func (a *App) saveMemory() tea.Cmd {
	if a.cfg.Remember == nil || a.env.Memory == nil {
		return nil
	}
	if err := a.cfg.Remember(a.env.Memory); err != nil {
		return a.messages.refuse("the layout was not saved: "+err.Error(), "")
	}
	return nil
}

// keptCommands is how many lines of the prompt are saved for the next session.
const keptCommands = 100

// rememberCommands leaves the lines of the prompt to the next session.
func (a *App) rememberCommands() {
	if lines := a.prompt.History(); a.env.Memory != nil && len(lines) > 0 {
		a.env.Memory.Commands = lines[max(len(lines)-keptCommands, 0):]
	}
}
