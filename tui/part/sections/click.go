package sections

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/screen"
)

// Click gives the focus to the section at a cell of the last View, and puts its cursor on
// the row there.
func (p *Page) Click(x, y int) {
	for i, s := range p.Sections {
		if x < s.at.x || x >= s.at.x+s.at.w || y < s.at.y || y >= s.at.y+s.at.h {
			continue
		}
		p.Focus = i
		if s.Grid == nil {
			return
		}
		if r := s.Grid.RowAt(y - s.at.y); r >= 0 {
			s.Grid.MoveToRow(r)
		}
		return
	}
}

// Click implements screen.Clicker.
func (s *Screen[T]) Click(x, y int) tea.Cmd {
	if s.lost == "" {
		s.page.Click(x, y)
	}
	return nil
}

var _ screen.Clicker = (*Screen[any])(nil)
