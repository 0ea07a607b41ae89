package list

import (
	"slices"

	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/style"
)

// source is a list as a grid shows it.
type source[R any] struct {
	*rows[R]
	at      At // when it is drawn
	spec    *Spec[R]
	columns []Column[R] // as the grid has them
	version uint64
}

// graded is a source whose rows have a severity.
type graded[R any] struct{ *source[R] }

// forGrid returns the source as a grid takes it.
func (s *source[R]) forGrid() component.Source {
	if s.spec.Severity != nil {
		return graded[R]{s}
	}
	return s
}

// Len implements component.Source.
func (s *source[R]) Len() int { return len(s.shown) }

// ID implements component.Source.
func (s *source[R]) ID(r int) string { return s.ids[s.shown[r]] }

// Find implements component.Finder.
func (s *source[R]) Find(id string) int {
	i := s.find(id)
	if i < 0 {
		return -1
	}
	return slices.Index(s.shown, int32(i)) //nolint:gosec // as the rows
}

// Version implements component.Source.
func (s *source[R]) Version() uint64 { return s.version }

// Cell implements component.Source.
func (s *source[R]) Cell(l *component.Line, r, col int) {
	if col == 0 && s.up != nil {
		s.branch(l, r)
	}
	s.columns[col].Cell(l, s.row(r), s.at)
}

func (s *source[R]) row(r int) R { return s.all[s.shown[r]] }

// Severity implements component.Severities.
func (g graded[R]) Severity(r int) style.Severity { return g.spec.Severity(g.row(r), g.at) }
