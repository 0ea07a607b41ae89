package list

import (
	"slices"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// source is a list as a grid shows it.
type source struct {
	*rows
	form    *form
	at      At // when it is drawn
	window  window
	columns []int // index in the form of each of the grid's
}

// forGrid returns the rows for the grid.
func (s *source) forGrid() component.Rows {
	out := component.Rows{N: len(s.shown), Name: s.ID, Draw: s.Cell, Find: s.Find}
	if s.form.graded {
		out.Grade = s.Severity
	}
	return out
}

// ID returns the id of the row in a line.
func (s *source) ID(r int) string { return s.ids[s.shown[r]] }

// Find returns the line of the row with an id, -1 if it is in none.
func (s *source) Find(id string) int {
	i := s.find(id)
	if i < 0 {
		return -1
	}
	return slices.Index(s.shown, int32(i)) // as the rows
}

// Cell draws a cell of the row in a line.
func (s *source) Cell(l *component.Line, r, col int) {
	nested := s.nested != nil && col == 0
	l.Fade(s.context(s.form, s.shown[r]))
	if nested {
		s.branch(l, r)
	}
	s.draw(l, s.columns[col], s.row(r))
	if nested {
		s.hidden(l, r)
	}
	l.Fade(false)
}

// row returns which row is in a line of the grid.
func (s *source) row(r int) int { return int(s.shown[r]) }

// Severity returns the severity of the row in a line: for a folded row it is the worst of what that
// hides.
func (s *source) Severity(r int) style.Severity {
	if s.foldOf(r) == component.FoldClosed {
		return s.worst(s.shown[r])
	}
	return s.severity(s.shown[r])
}

// severity returns the severity of a row.
func (s *source) severity(i int32) style.Severity {
	worst := style.SeverityNone
	switch row := s.all[i]; {
	case s.form.Severity != nil:
		worst = s.form.Severity(row, s.at)
	case s.form.kind != nil:
		worst = s.window.grade(s.form, row, s.at)
	}
	if s.form.Found != nil {
		worst = max(worst, panel.Worst(s.form.Found(s.all[i])))
	}
	return worst
}
