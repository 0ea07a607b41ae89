package list

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// highlightKey makes the filter hide nothing, while it is typed.
const highlightKey = "ctrl+_"

// highlight also shows the rows that do not match, or hides them again.
func (s *Screen) highlight() tea.Cmd {
	s.wish.whole = !s.wish.whole
	return s.request()
}

// highlightAction is the command for highlight.
func (s *Screen) highlightAction(id func(string) action.ID) action.Action {
	a := action.Action{ID: id("highlight"), Title: "highlight", Help: "highlight what the filter finds among all rows, as ^_ does while it is typed; n N go from match to match", Run: s.highlight}
	switch {
	case s.wish.whole:
		a.Title, a.Help = "narrow", "show only what the filter finds"
	case !s.form.narrow(s.wish):
		a.Disabled = "nothing is filtered: / types a filter"
	}
	return a
}

// stepping adds the keys that go from match to match, except those that the list itself
// uses.
func (s *Screen) stepping(id func(string) action.ID, own []action.Action) []action.Action {
	if !s.wish.whole || !s.form.narrow(s.wish) {
		return own
	}
	step := func(name, key, title string, by int) action.Action {
		return action.Action{ID: id(name), Keys: action.Keys(key), Title: title, Priority: 92, Run: func() tea.Cmd {
			if !s.step(by) {
				return screen.Send(screen.ToastMsg{Severity: style.SeverityInfo, Text: "no " + s.form.Thing + " matches", Hint: "/ changes the filter"})
			}
			return nil
		}}
	}
	steps := []action.Action{step("nextmatch", "n", "next match", 1), step("lastmatch", "N", "previous match", -1)}
	return append(steps, slices.DeleteFunc(own, func(a action.Action) bool { return a.Keys != "" && action.Has(steps, a.Keys.First()) })...)
}

// step moves the cursor to the next matching row, or the previous one, wrapping around.
// It reports whether there is one.
func (s *Screen) step(by int) bool {
	n := 0
	if s.src != nil {
		n = len(s.src.shown)
	}
	from, _ := s.grid.Cursor()
	for i := 1; i <= n; i++ {
		r := ((from+by*i)%n + n) % n
		if s.src.matches(s.src.shown[r]) {
			s.grid.MoveToRow(r)
			s.moved()
			return true
		}
	}
	return false
}
