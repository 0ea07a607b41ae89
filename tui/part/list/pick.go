package list

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// pick shows the columns with some keys, in that order; the first column of the list
// always comes first. Unknown keys are skipped, and none means the list's default.
func (s *Screen) pick(keys []string) {
	first := s.form.Columns[0].Key
	s.picked = []string{first}
	for _, key := range keys {
		if s.columnOf(key) >= 0 && !slices.Contains(s.picked, key) {
			s.picked = append(s.picked, key)
		}
	}
	if len(keys) == 0 {
		s.picked = nil
	}
}

// columnOf returns the column with a key, -1 if there is none.
func (s *Screen) columnOf(key string) int {
	return slices.IndexFunc(s.form.Columns, func(c *Column) bool { return c.Key == key })
}

// pickedColumns returns the columns that the user picked.
func (s *Screen) pickedColumns() []int {
	out := make([]int, 0, len(s.picked))
	for _, key := range s.picked {
		out = append(out, s.columnOf(key))
	}
	return out
}

// columnKeys returns the keys of the shown columns, in order.
func (s *Screen) columnKeys() []string {
	var out []string
	for _, i := range s.columns() {
		out = append(out, s.form.Columns[i].Key)
	}
	return out
}

// showColumns shows other columns from now on.
func (s *Screen) showColumns(keys []string) {
	s.pick(keys)
	s.setColumns()
	s.keep()
}

// columnAction is the key that opens the column picker.
func (s *Screen) columnAction() action.Action {
	return action.Action{
		ID: action.ID(s.form.Name + ".columns"), Keys: "K", Title: "columns", Help: "choose columns and their order",
		Request: func() tea.Msg { return screen.PushMsg{Screen: s.columnPicker()} },
	}
}

// columnPicker is the page for picking columns. A picked column shows at once in the list
// below.
func (s *Screen) columnPicker() *Menu {
	var m *Menu
	m = NewMenu(s.env.Styles, MenuSpec{
		Name: "columns", Title: "columns of " + s.form.Name,
		Items: s.columnItems, Verb: "show or hide", Stays: true,
		Actions: func(i Item) []action.Action {
			move := func(by int) func() tea.Cmd {
				return func() tea.Cmd {
					s.moveColumn(i.ID, by)
					m.MoveTo(i.ID)
					return nil
				}
			}
			still := ""
			if k := slices.Index(s.columnKeys(), i.ID); k <= 0 {
				still = "it is hidden, or it is the first column, which stays"
			}
			return []action.Action{
				{ID: "columns.toggle", Keys: "space", Title: "show or hide", Run: i.Run},
				{ID: "columns.later", Keys: "J shift+down", Title: "to the right", Priority: 70, Disabled: still, Run: move(1)},
				{ID: "columns.sooner", Keys: "K shift+up", Title: "to the left", Priority: 69, Disabled: still, Run: move(-1)},
				{ID: "columns.reset", Keys: "=", Title: "reset", Help: "show the default columns", Priority: 60, Run: func() tea.Cmd {
					s.showColumns(nil)
					return nil
				}},
			}
		},
	})
	return m
}

// columnItems returns the shown columns, in order, then the others: those of the list
// first, then those that the kind can count.
func (s *Screen) columnItems() []Item {
	var items []Item
	item := func(key string, mark Mark) Item {
		i := s.columnOf(key)
		c := s.form.Columns[i]
		title := c.Title
		if i == s.form.ofClass {
			title = "usage bar of the class"
		}
		note := title
		if f := s.form.kind; f != nil {
			if of := f.Field(key); of != nil && of.Help != "" {
				note += "   " + of.Help
			}
		}
		return Item{Name: key, Note: note, Mark: mark, Run: func() tea.Cmd {
			s.toggleColumn(key)
			return nil
		}}
	}
	shown := s.columnKeys()
	for _, key := range shown {
		items = append(items, item(key, On))
	}
	for rank := range 3 {
		for i, c := range s.form.Columns {
			if s.pickRank(i) == rank && !slices.Contains(shown, c.Key) {
				items = append(items, item(c.Key, Off))
			}
		}
	}
	return items
}

// pickRank returns the position of a column in the picker.
func (s *Screen) pickRank(column int) int {
	switch {
	case !s.form.spare(column):
		return 0
	case s.form.Columns[column].Align == component.AlignRight:
		return 1
	}
	return 2
}

// toggleColumn shows a column, as the last one, or hides it.
func (s *Screen) toggleColumn(key string) {
	keys := s.columnKeys()
	if i := slices.Index(keys, key); i > 0 {
		keys = slices.Delete(keys, i, i+1)
	} else if i < 0 {
		keys = append(keys, key)
	}
	s.showColumns(keys)
}

// moveColumn moves a shown column.
func (s *Screen) moveColumn(key string, by int) {
	keys := s.columnKeys()
	i := slices.Index(keys, key)
	if j := i + by; i > 0 && j > 0 && j < len(keys) {
		keys[i], keys[j] = keys[j], keys[i]
		s.showColumns(keys)
	}
}

// sortMenu is the page for picking the order: one of the list's, or a shown column.
// Picking the current one reverses it.
func (s *Screen) sortMenu() *Menu {
	orders, now := s.form.orders, s.wish
	way := func(i int) bool {
		if i == now.order {
			return !now.desc
		}
		return orders[i].Desc
	}
	var items []Item
	shown := s.columnKeys()
	for i, o := range orders {
		if i >= s.form.cycle && i != now.order && !slices.Contains(shown, o.Column) {
			continue
		}
		note := "ascending"
		if way(i) {
			note = "descending"
		}
		if i == now.order {
			note = "reverse: " + note
		}
		items = append(items, Item{Name: o.Name, Note: note, Run: func() tea.Cmd {
			s.wish.order, s.wish.desc = i, way(i)
			s.stayFirst()
			return s.request()
		}})
	}
	return NewMenu(s.env.Styles, MenuSpec{
		Name: "sort", Title: "sort " + s.form.Name, Verb: "sort", At: orders[now.order].Name,
		Items: func() []Item { return items },
	})
}
