package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/tui/action"
)

// Follow moves the cursor to the first row of each new list, until the user moves it.
// Follows must be set in the Spec.
func (s *Screen) Follow() {
	s.following = true
	if s.src != nil {
		s.grid.MoveToRow(0)
	}
}

// moved ends following if the cursor was moved off the first row.
func (s *Screen) moved() {
	r, _ := s.grid.Cursor()
	if r > 0 {
		s.following = false
	}
	s.above = min(s.above, max(r, 0))
}

// newestFirst reports whether new rows come on top.
func (s *Screen) newestFirst() bool {
	if len(s.form.orders) == 0 {
		return s.form.Follows
	}
	by := s.form.orders[s.wish.order].by
	return by.Field != nil && by.Type == kinds.Time && !s.wish.desc
}

// OnNewest reports whether the cursor is on the first row of a list whose newest come
// first: it stays there as others are added.
func (s *Screen) OnNewest() bool {
	r, _ := s.grid.Cursor()
	return r == 0 && s.newestFirst() && !s.form.Follows && s.grid.Marked() == 0
}

// arrive has the cursor stay on the first row while new ones come on top of it, if it was
// there. Elsewhere it stays on its row, and how many came above is told.
func (s *Screen) arrive(old *source, newest bool) {
	switch {
	case old == nil || old.wish != s.src.wish || !s.newestFirst():
		s.above = 0
	case newest:
		s.grid.MoveToRow(0)
	default:
		r, _ := s.grid.Cursor()
		for i := 0; i < r && old.find(s.src.ID(i)) < 0; i++ {
			s.above++
		}
		s.above = min(s.above, max(r, 0))
	}
}

// followAction is the key that starts and ends following.
func (s *Screen) followAction(id action.ID) action.Action {
	a := action.Action{ID: id, Keys: "f", Title: "follow", Help: "go to the newest, and follow new ones", Priority: 70}
	if s.following {
		a.Title, a.Help = "stay", "stay here while new ones arrive"
	}
	a.Run = func() tea.Cmd {
		if s.following {
			s.following = false
		} else {
			s.Follow()
		}
		return nil
	}
	return a
}
