package component

import "github.com/placetop/placetop/tui/style"

// Rows is a Source made of functions, for rows that are given to a grid again when
// they change.
type Rows struct {
	N int
	// Name names a row across changes, and Draw draws a cell of it.
	Name func(row int) string
	Draw func(l *Line, row, col int)
	// Grade returns how bad the state of a row is; nil where rows have none.
	Grade func(row int) style.Severity
}

// Source returns r as a Grid takes it.
func (r Rows) Source() Source {
	if r.Grade == nil {
		return plainRows{r}
	}
	return gradedRows{plainRows{r}}
}

type plainRows struct{ rows Rows }

func (p plainRows) Len() int                   { return p.rows.N }
func (p plainRows) ID(row int) string          { return p.rows.Name(row) }
func (p plainRows) Cell(l *Line, row, col int) { p.rows.Draw(l, row, col) }

type gradedRows struct{ plainRows }

func (g gradedRows) Severity(row int) style.Severity { return g.rows.Grade(row) }
