package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
)

// Follow has the cursor go to the first row of each new list, until somebody moves it. The
// Spec must say that the list Follows.
func (s *Screen) Follow() {
	s.following = true
	if s.src != nil {
		s.grid.MoveToRow(0)
	}
}

// moved ends following if the cursor was moved off the first row.
func (s *Screen) moved() {
	if r, _ := s.grid.Cursor(); r > 0 {
		s.following = false
	}
}

// followAction is the key that starts and ends following.
func (s *Screen) followAction(id action.ID) action.Action {
	a := action.Action{ID: id, Keys: []string{"f"}, Title: "follow", Help: "go to the newest, and follow new ones", Priority: 70}
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
