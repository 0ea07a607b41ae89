package print

import (
	"bufio"
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// List is rows of cells below the names of their columns.
type List struct {
	columns []column
	rows    [][]Cell
}

// column is the heading of a column.
type column struct {
	name string // as in JSON; tables have it in upper case
	wide bool   // left out of the plain table
}

// Cell is one cell of a list.
type Cell struct {
	Text  string
	Shown string // how tables show it, "" for the text itself
	Token themes.Token
	Right bool // aligned to the right, as numbers are
}

// Columns begins a list with columns of some names.
func Columns(names ...string) *List { return new(List).Columns(names...) }

// WideColumns begins a list with columns that the plain table leaves out.
func WideColumns(names ...string) *List { return new(List).WideColumns(names...) }

// Columns adds columns.
func (l *List) Columns(names ...string) *List {
	for _, name := range names {
		l.columns = append(l.columns, column{name: name})
	}
	return l
}

// WideColumns adds columns that the plain table leaves out.
func (l *List) WideColumns(names ...string) *List {
	for _, name := range names {
		l.columns = append(l.columns, column{name, true})
	}
	return l
}

// Row adds a row: a value for each column, which may be a Cell. More values than there are
// columns in the end are left out.
func (l *List) Row(values ...any) {
	row := make([]Cell, len(values))
	for i, v := range values {
		row[i] = cellOf(v)
	}
	l.rows = append(l.rows, row)
}

// cellOf returns the cell of a value.
func cellOf(v any) Cell {
	if c, ok := v.(Cell); ok {
		return c
	}
	_, named := v.(fmt.Stringer)
	return Cell{Text: fmt.Sprint(v), Right: !named && reflect.ValueOf(v).CanInt()}
}

// Colored returns the cell of a value with a colour.
func Colored(v any, token themes.Token) Cell {
	c := cellOf(v)
	c.Token = token
	return c
}

// Dim returns the cell of a value that is seldom of interest.
func Dim(v any) Cell { return Colored(v, themes.Dim) }

// AtLeast returns the cell of a count that, where more is set, is one of at least n.
func AtLeast(n int, more bool) Cell {
	c := cellOf(n)
	if more {
		c.Shown = c.Text + " or more"
	}
	return c
}

// table prints a list as a table, each column as wide as its widest cell. It makes texts
// harmless: control characters are replaced by a sign.
func (p *Printer) table(l *List) {
	lines, widths := make([][]Cell, len(l.rows)+1), []int(nil)
	for i, c := range l.columns {
		if c.wide && p.Format != Wide {
			continue
		}
		head := Cell{Text: strings.ToUpper(strings.ReplaceAll(c.name, "_", " ")), Token: themes.Header}
		width := component.Width(p.Styles, head.Text)
		for n, row := range l.rows {
			is := row[i]
			is.Text = component.Sanitize(p.Styles, cmp.Or(is.Shown, is.Text))
			width = max(width, component.Width(p.Styles, is.Text))
			head.Right = is.Right
			lines[n+1] = append(lines[n+1], is)
		}
		lines[0], widths = append(lines[0], head), append(widths, width)
	}
	out := bufio.NewWriter(p.W)
	for _, row := range lines {
		p.line(out, widths, row)
	}
	_ = out.Flush()
}

// line prints one row, without spaces at its end.
func (p *Printer) line(out *bufio.Writer, widths []int, row []Cell) {
	const gap = "  "
	owed := 0 // spaces to print before the next text
	for i, c := range row {
		if i > 0 {
			owed += len(gap)
		}
		free := widths[i] - component.Width(p.Styles, c.Text)
		if c.Right {
			owed, free = owed+free, 0
		}
		if c.Text != "" {
			_, _ = out.WriteString(strings.Repeat(" ", owed) + p.render(c))
			owed = 0
		}
		owed += free
	}
	_ = out.WriteByte('\n')
}

// render returns the text of c as it is printed. Signals have the colours of the palette.
// Everything else keeps the terminal's own, at most bold or dim: it is among other
// output, on an unknown background.
func (p *Printer) render(c Cell) string {
	var sgr string
	mark := component.DirectionMark(c.Text)
	switch {
	case !p.Terminal:
		return c.Text
	case c.Token.Signal():
		return mark + p.Styles.Render(c.Token, c.Text) + mark
	case c.Token == themes.Header || c.Token == themes.Strong:
		sgr = "1"
	case c.Token == themes.Dim:
		sgr = "2"
	default:
		return mark + c.Text + mark
	}
	return mark + "\x1b[" + sgr + "m" + c.Text + style.Reset + mark
}
