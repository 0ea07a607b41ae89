package sections

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
)

// Click gives the focus to the section at a cell of the last View, and puts its cursor on
// the row there. It returns false if there is none.
func (p *Page) Click(x, y int) bool {
	for i, s := range p.Sections {
		if x < s.at.x || x >= s.at.x+s.at.w || y < s.at.y || y >= s.at.y+s.at.h {
			continue
		}
		p.Focus = i
		if s.Grid == nil {
			return false
		}
		r := s.Grid.RowAt(y - s.at.y)
		if r >= 0 {
			s.Grid.MoveToRow(r)
		}
		return r >= 0
	}
	return false
}

// Click implements screen.Clicker: twice on a row opens it.
func (s *Screen) Click(x, y int, twice bool) tea.Cmd {
	if s.lost != "" || !s.page.Click(x, y) || !twice {
		return nil
	}
	if open, ok := action.Find("enter", s.Actions()); ok && open.Disabled == "" && open.Run != nil {
		return open.Run()
	}
	return nil
}

var _ screen.Clicker = (*Screen)(nil)
