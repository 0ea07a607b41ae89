package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/screen"
)

var _ screen.Clicker = (*Screen)(nil)

// Click implements screen.Clicker: on a row it puts the cursor there, on a heading it
// sorts by the column.
func (s *Screen) Click(x, y int) tea.Cmd {
	x, y, ok := s.split.inList(x, y-s.topRows)
	switch {
	case !ok || s.src == nil:
		return nil
	case y == 0 && !s.grid.NoHeader:
		return s.sortAt(s.grid.ColumnAt(x))
	}
	r := s.grid.RowAt(y)
	if r < 0 {
		return nil
	}
	s.grid.MoveToRow(r)
	return nil
}
