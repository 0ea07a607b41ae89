package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// Each returns an action on all marked rows, or the one under the cursor: run returns
// what to ask of the root model. Title is called with their number if there are
// several.
func Each[R any](h Here[R], a action.Action, title func(n string) string, run func(rows []R) tea.Msg) action.Action {
	a.Many = true
	if a.Disabled == "" {
		a.Disabled = h.Nothing
	}
	if n := h.List.grid.Marked(); n > 1 && title != nil {
		a.Title = title(component.Count(n))
	}
	a.To, a.Run = nil, nil
	a.Request = func() tea.Msg {
		rows, why := Chosen(h)
		if why != "" {
			return screen.Warning(why)
		}
		return run(rows)
	}
	return a
}

// Several reports whether more than one row is marked.
func (s *Screen) Several() bool { return s.grid.Marked() > 1 }

// Deletes is the title of the key that deletes all marked rows.
func Deletes(n string) string { return "delete " + n + "..." }

// ofMarked disables actions that would write about the row under the cursor, or lead to
// that, while other rows are marked.
func (s *Screen) ofMarked(own []action.Action) []action.Action {
	n := s.grid.Marked()
	if n == 0 || n == 1 && s.grid.IsMarked(s.CursorID()) {
		return own
	}
	for i, a := range own {
		if a.One || len(a.Writes) > 0 && !a.Many && a.Label() != newKey {
			own[i].Disabled = component.Count(n) + " marked, but it works on one only: esc clears the marks"
		}
	}
	return own
}

// dropGone removes the marks of rows that are gone, once the user is back from another
// screen: mostly it was there that they were deleted. While the list is looked at, marks
// stay, as the next key must not mean the row under the cursor instead.
func (s *Screen) dropGone() {
	if s.back && s.src != nil && s.form.unchanged(s.src.of, s.snap) {
		s.grid.KeepMarks(s.src.ids)
		s.back = false
	}
}

// newKey makes something new, wherever the cursor is.
const newKey = "n"

// mostSummed is up to how many marked rows are summed: more take longer than a key may.
const mostSummed = 2000

// marked says how many rows are marked, with their sums; "" if none is.
func (s *Screen) marked() string {
	n := s.grid.Marked()
	if n == 0 {
		return ""
	}
	text := component.Count(n) + " marked"
	if s.src == nil || s.form.Sum == nil || n > mostSummed {
		return text
	}
	var rows []any
	for _, id := range s.grid.Chosen() {
		if i := s.src.find(id); i >= 0 {
			rows = append(rows, s.src.all[i])
		}
	}
	if sum := s.form.Sum(rows, s.src.at); sum != "" && len(rows) > 0 {
		text += ": " + sum
	}
	return text
}
