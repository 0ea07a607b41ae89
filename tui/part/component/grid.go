package component

import (
	"fmt"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// Rows are what a Grid shows. A grid asks only for the rows it draws, so there may be any
// number of them. They are of one moment: rows that change are others.
type Rows struct {
	N int
	// Name returns what names a row across changes of the data; 0 <= row < N.
	Name func(row int) string
	// Draw draws a column of a row on l, whose current cell is as wide as the column.
	Draw func(l *Line, row, col int)
	// Grade returns how bad the state of a row is, which is shown left of it; nil where rows
	// have none.
	Grade func(row int) style.Severity
	// Find returns the row with a name, or -1; without it a grid searches the rows, which
	// takes longer the more there are.
	Find func(name string) int
}

// Column is one column of a Grid.
type Column struct {
	// Key names the column in sort orders, views and filters.
	Key string
	// Title stands above it.
	Title string
	// Min is its least width in cells, Max the greatest; 0 means no bound.
	Min, Max int
	// Flex is its share of the width to spare; 0 keeps it at Min.
	Flex int
	// Priority says which columns go when there is no room: those with the
	// highest number first, those with 0 never.
	Priority int
	// Align is where its cells and title stand.
	Align Align
	// KeepEnds is set for names that differ at either end: a text too long loses its middle.
	KeepEnds bool
}

// Grid is a window on Rows: a table or tree with a cursor, marks, and a
// sort order. It draws and remembers; ordering and filtering the
// rows is the work of who gives them.
//
// The cursor stands on a row by its id. When the data changes it stays on that
// row and that row stays where it is on the screen; when the row is gone the
// cursor stays in place.
type Grid struct {
	st   *style.Styles
	rows Rows
	cols []Column

	// Empty is shown in the place of rows when there are none.
	Empty Seg
	// NoHeader leaves the column heads out.
	NoHeader bool
	// Blurred draws the cursor row without its ground, for a pane that does not
	// have the focus.
	Blurred bool
	// Shy hides the cursor while the grid is Blurred, for a page of several tables.
	Shy bool
	// SortedBy is the Key of the column that the rows are sorted by, which its head shows, ""
	// for an order of their own; Desc says that the largest come first.
	SortedBy string
	Desc     bool

	cursor   int
	cursorID string
	top      int
	body     int  // rows that fit at the last View
	told     bool // the last View had a line that says how many rows do not fit

	marks map[string]struct{}

	pan int

	layout []placed // at the last View
	total  int      // width of all columns side by side, if panned
}

// placed is a column with its width.
type placed struct {
	col, width int
}

// NewGrid returns a grid without rows, with the given columns; the first column is
// never dropped.
func NewGrid(st *style.Styles, cols []Column) *Grid {
	return &Grid{st: st, cols: cols, marks: map[string]struct{}{}}
}

// SetColumns shows other columns.
func (g *Grid) SetColumns(cols []Column) { g.cols = cols }

// Columns returns the columns; the caller must not change them.
func (g *Grid) Columns() []Column { return g.cols }

// Show shows other rows, such as those of the next snapshot or of a filtered view. The cursor stays
// on its row.
func (g *Grid) Show(rows Rows) {
	g.rows = rows
	n := rows.N
	if n == 0 {
		// The id is kept: the row may come back with the next change.
		g.cursor, g.top = 0, 0
		return
	}
	at := g.find(g.cursorID)
	if at < 0 {
		at = min(max(g.cursor, 0), n-1)
	}
	g.top += at - g.cursor
	g.cursor = at
	g.cursorID = rows.Name(at)
	g.clampTop()
}

// Rows returns what the grid shows.
func (g *Grid) Rows() Rows { return g.rows }

// find returns the row of id, -1 if there is none.
func (g *Grid) find(id string) int {
	n := g.Len()
	if g.cursor < n && g.rows.Name(g.cursor) == id {
		return g.cursor
	}
	if g.rows.Find != nil {
		return g.rows.Find(id)
	}
	for i := range n {
		if g.rows.Name(i) == id {
			return i
		}
	}
	return -1
}

// clampTop keeps the window within the rows and the cursor within the window.
func (g *Grid) clampTop() {
	if g.body <= 0 {
		return
	}
	n := g.rows.N
	if g.cursor < g.top {
		g.top = g.cursor
	}
	if g.cursor >= g.top+g.body {
		g.top = g.cursor - g.body + 1
	}
	g.top = max(min(g.top, n-g.body), 0)
}

// Len returns the number of rows.
func (g *Grid) Len() int { return g.rows.N }

// More returns how many rows the last View left out without a line that says so, for want of
// room for it.
func (g *Grid) More() int {
	if g.told {
		return 0
	}
	return max(g.Len()-g.body, 0)
}

// Cursor returns the row under the cursor and its id; the row is -1 and the id
// empty when there are no rows.
func (g *Grid) Cursor() (row int, id string) {
	if g.Len() == 0 {
		return -1, ""
	}
	return g.cursor, g.cursorID
}

// MoveTo puts the cursor on the row with that id and reports whether there is
// one.
func (g *Grid) MoveTo(id string) bool {
	i := g.find(id)
	if i >= 0 {
		g.setCursor(i)
	}
	return i >= 0
}

// MoveToRow puts the cursor on a row, or on the nearest there is.
func (g *Grid) MoveToRow(row int) { g.setCursor(row) }

// Move moves the cursor by rows, down where positive.
func (g *Grid) Move(rows int) { g.setCursor(g.cursor + rows) }

// Page moves window and cursor by halves of a window, down where positive.
func (g *Grid) Page(halves int) {
	step := max(g.body*halves/2, 1)
	if halves < 0 {
		step = min(g.body*halves/2, -1)
	}
	g.top += step
	g.setCursor(g.cursor + step)
}

func (g *Grid) setCursor(row int) {
	n := g.Len()
	if n == 0 {
		return
	}
	g.cursor = max(min(row, n-1), 0)
	g.cursorID = g.rows.Name(g.cursor)
	g.clampTop()
}

// sorts reports whether the rows are sorted by a column.
func (g *Grid) sorts(col int) bool { return g.SortedBy != "" && g.cols[col].Key == g.SortedBy }

// Pan shifts all columns but the first by cells, to the right where positive.
func (g *Grid) Pan(cells int) { g.pan = max(g.pan+cells, 0) }

// Position returns the first row shown, how many are shown and how many there
// are.
func (g *Grid) Position() (top, shown, rows int) {
	return g.top, min(g.body, g.Len()-g.top), g.Len()
}

// RowAt returns the row drawn at line y of the last View, counted from 0, or
// -1.
func (g *Grid) RowAt(y int) int {
	if !g.NoHeader {
		y--
	}
	if y < 0 || y >= g.body || g.top+y >= g.Len() {
		return -1
	}
	return g.top + y
}

// ColumnAt returns the column drawn at cell x of the last View, or -1. It is -1 too
// while columns are panned.
func (g *Grid) ColumnAt(x int) int {
	at := g.gutter()
	for _, p := range g.layout {
		if g.pan == 0 && x >= at && x < at+p.width {
			return p.col
		}
		at += p.width + columnGap
	}
	return -1
}

// moreLine draws how many rows are above and below the window.
func (g *Grid) moreLine(l *Line, n int) {
	below := n - g.top - g.body
	l.Space(g.gutter()).Add(themes.Dim, g.st.Glyphs.More).Space(1)
	if below > 0 {
		l.Add(themes.Dim, Count(below)+" more")
	} else {
		l.Add(themes.Dim, "end")
	}
	if g.top > 0 {
		l.Add(themes.Dim, fmt.Sprintf("   at %d%% of the list", (g.top+g.body)*100/n))
	}
}
