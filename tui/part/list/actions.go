package list

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
)

// Here is where the cursor of a list is, for a Spec's Actions. It is good until
// the next message.
type Here[R any] struct {
	At
	Row R
	// Nothing says why there is no Row, "" where there is one.
	Nothing string

	list *Base
}

// About returns an action about the row under the cursor: run says what it asks
// the root model for. It is disabled where there is no row.
func (h Here[R]) About(a action.Action, run func(row R) tea.Msg) action.Action {
	if a.Disabled == "" {
		a.Disabled = h.Nothing
	}
	a.Run = func() tea.Cmd { return screen.Send(run(h.Row)) }
	return a
}

// Chosen returns the rows that are marked, and where none is the one under the
// cursor, as the list has them. Where there is no such row it says why: there is
// none at all, or all that are marked have gone or do not pass the filter.
func (h Here[R]) Chosen() (rows []R, why string) {
	if h.Nothing != "" {
		return nil, h.Nothing
	}
	for _, id := range h.list.grid.Chosen() {
		if i := h.list.src.find(id); i >= 0 {
			rows = append(rows, h.list.src.all.(listed[R]).rows[i])
		}
	}
	if len(rows) == 0 {
		return nil, "nothing that is marked is listed now: ctrl+\\ takes the marks off"
	}
	return rows, ""
}

// Filter puts another filter on the list, such as the next of those that a key
// goes round. One that cannot be read is put into the filter line.
func (h Here[R]) Filter(expr string) tea.Cmd {
	if err := h.list.setFilter(expr); err != nil {
		h.list.before = h.list.wish
		h.list.line.Refuse(h.list.env.Styles, expr, err)
		return nil
	}
	return h.list.request()
}

// Expr returns the filter as it was typed.
func (h Here[R]) Expr() string { return h.list.wish.expr }

// Actions implements screen.Screen.
func (s *Base) Actions() []action.Action {
	id := func(name string) action.ID { return action.ID(s.form.name + "." + name) }
	own := s.from.actions(s)
	help := "filter: " + s.form.filterHelp
	if s.form.filterHelp == "" {
		help = "filter by text, or by a field"
	}
	list := []action.Action{
		{ID: id("filter"), Keys: []string{"/"}, Title: "filter", Help: help, Priority: 88, Run: func() tea.Cmd {
			s.before = s.wish
			s.line.Open(s.env.Styles, s.wish.expr)
			return nil
		}},
	}
	if len(s.form.orders) > 0 {
		list = append(list, s.orderActions(id)...)
	}
	if s.form.nested {
		list = append(list, action.Action{ID: id("fold"), Keys: []string{"x"}, Title: "fold all", Help: "fold or unfold all; h l one", Priority: 45, Run: s.foldAll})
	}
	if s.wider() {
		list = append(list, action.Action{ID: id("wide"), Keys: []string{"ctrl+w"}, Title: "wide", Help: "all columns, or those that fit", Run: func() tea.Cmd {
			s.full = !s.full
			s.grid.SetColumns(s.gridColumns())
			if s.src != nil {
				s.src.columns = s.columns()
				s.showOrder()
			}
			return nil
		}})
	}
	moves := panel.GridMoves()
	if len(s.form.orders) > 0 {
		moves = append(moves, panel.ColumnMoves()...)
	}
	return slices.Concat(own, list, moves)
}

// wider reports whether the list has more to show than it does at first.
func (s *Base) wider() bool {
	return s.form.side || slices.Contains(s.form.wide, true)
}

// orderActions returns the keys that sort.
func (s *Base) orderActions(id func(string) action.ID) []action.Action {
	names := make([]string, len(s.form.orders))
	for i, o := range s.form.orders {
		names[i] = o.name
	}
	return []action.Action{
		{ID: id("sort"), Keys: []string{"s"}, Title: "sort", Help: "sort by the next: " + strings.Join(names, ", "), Priority: 50, Run: func() tea.Cmd {
			s.wish.order = (s.wish.order + 1) % len(s.form.orders)
			s.wish.desc = s.form.orders[s.wish.order].desc
			return s.request()
		}},
		{ID: id("reverse"), Keys: []string{"S"}, Title: "reverse", Help: "turn the order round", Run: func() tea.Cmd {
			s.wish.desc = !s.wish.desc
			return s.request()
		}},
	}
}
