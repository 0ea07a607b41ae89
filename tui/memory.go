package tui

import (
	"maps"
	"regexp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/screen"
)

// memory saves what the user has arranged, at once where it must not be lost.
type memory struct {
	of       *screen.Memory // nil forgets
	write    func(*screen.Memory) error
	stack    *stack
	messages *messages
}

// nameable matches valid names of filters: one word of a filter.
var nameable = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// filtered returns the screen with a filter, below any pages over it.
func (m *memory) filtered() (screen.Filterable, *entry) {
	for _, e := range slices.Backward(m.stack.entries) {
		if f, ok := as[screen.Filterable](e); ok {
			return f, e
		}
	}
	return nil, nil
}

// saveFilter names the current filter.
func (m *memory) saveFilter(name string) tea.Cmd {
	f, _ := m.filtered()
	switch {
	case f == nil || f.Expr() == "":
		return m.messages.refuse("save: there is no filter here", "/ types one")
	case !nameable.MatchString(name):
		return m.messages.refuse("save: give a name of letters and digits", ":save gpu")
	}
	if m.of.Filters == nil {
		m.of.Filters = map[string]string{}
	}
	m.of.Filters[name] = f.Expr()
	return m.save("saved: /@" + name + " is " + f.Expr())
}

// filterMenu lists the named filters.
func (m *memory) filterMenu() list.MenuSpec {
	return list.MenuSpec{
		Name: "filters", Title: "filters", Verb: "use", Empty: "no filter is saved yet: type one with /, then :save NAME",
		Items: func() []list.Item {
			var items []list.Item
			use := func(name string) func() tea.Cmd { return func() tea.Cmd { return m.useFilter(name) } }
			for _, name := range slices.Sorted(maps.Keys(m.of.Filters)) {
				items = append(items, list.Item{ID: name, Name: "@" + name, Note: m.of.Filters[name], Run: use(name)})
			}
			for _, name := range slices.Sorted(maps.Keys(m.of.Given)) {
				if _, hidden := m.of.Filters[name]; !hidden {
					items = append(items, list.Item{ID: name, Name: "@" + name, Note: m.of.Given[name] + "   from config.toml", Run: use(name)})
				}
			}
			return items
		},
		Actions: func(i list.Item) []action.Action {
			forget := action.Action{ID: "filters.forget", Keys: "D", Title: "forget", Help: "delete the name", Priority: 50, Run: func() tea.Cmd {
				delete(m.of.Filters, i.ID)
				return m.save("")
			}}
			if _, own := m.of.Filters[i.ID]; !own && i.ID != "" {
				forget.Disabled = "@" + i.ID + " is from config.toml: remove it there"
			}
			return []action.Action{forget}
		},
	}
}

// useFilter puts a named filter on the list.
func (m *memory) useFilter(name string) tea.Cmd {
	f, e := m.filtered()
	if f == nil {
		return m.messages.refuse("filters: this screen has no filter", "go to a list first")
	}
	return e.call(func() tea.Cmd { return f.Filter("@" + name) })
}

// save saves what was arranged now, and says that it is done, "" for nothing, or why it failed.
func (m *memory) save(done string) tea.Cmd {
	if m.write != nil && m.of != nil {
		if err := m.write(m.of); err != nil {
			return m.messages.refuse("the layout was not saved: "+err.Error(), "")
		}
	}
	if done == "" {
		return nil
	}
	return m.messages.done(done)
}

// keptCommands is how many lines of the prompt are saved for the next session.
const keptCommands = 100

// keepCommands leaves the lines of the prompt to the next session.
func (m *memory) keepCommands(lines []string) {
	if m.of != nil && len(lines) > 0 {
		m.of.Commands = lines[max(len(lines)-keptCommands, 0):]
	}
}
