package component

import (
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// columnGap is the space between two columns in cells.
const columnGap = 1

// leastCell is the least width in cells of a column with a share of the room.
const leastCell = 5

// panWidth is the width in cells of a column without Max when the columns are panned.
const panWidth = 40

// gutter returns the width left of the rows: cursor, mark, severity if the source has it,
// and a space.
func (g *Grid) gutter() int {
	if g.rows.Grade != nil {
		return 4
	}
	return 3
}

// View returns the grid as h lines of w cells.
func (g *Grid) View(w, h int) string {
	if w <= 0 || h <= 0 {
		return ""
	}
	n := g.Len()
	rows := h
	if !g.NoHeader {
		rows--
	}
	more := n > rows && rows > 1
	if more {
		rows--
	}
	g.body, g.told = max(rows, 0), more
	g.clampTop()
	g.place(w)
	var lines []string
	line := func(draw func(*Line)) {
		l := NewLine(g.st, w)
		draw(l)
		lines = append(lines, l.String())
	}
	if !g.NoHeader {
		line(g.head)
	}
	for i := g.top; i < min(n, g.top+g.body); i++ {
		line(func(l *Line) { g.row(l, i) })
	}
	if n == 0 {
		for _, part := range Wrap(g.st, g.Empty.Text, max(w-g.gutter(), 1)) {
			line(func(l *Line) { l.Space(g.gutter()).Add(g.Empty.Token, part) })
		}
	}
	if more {
		line(func(l *Line) { g.moreLine(l, n) })
	}
	return Fit(strings.Join(lines, "\n"), w, h)
}

// Least returns the least width in cells at which the grid shows all columns that it
// shows at w.
func (g *Grid) Least(w int) int {
	least := g.gutter() - columnGap
	for _, p := range g.keep(w) {
		least += p.width + columnGap
	}
	return least
}

// keep returns the columns that fit into w cells, each with its minimum width: the least
// important are dropped.
func (g *Grid) keep(w int) []placed {
	var out []placed
	used := -columnGap
	for i, c := range g.cols {
		out = append(out, placed{i, max(c.Min, 1)})
		used += max(c.Min, 1) + columnGap
	}
	for used > w-g.gutter() {
		drop := -1
		for i := 1; i < len(out); i++ {
			if p := g.rank(out[i].col); p > 0 && (drop < 0 || p >= g.rank(out[drop].col)) {
				drop = i
			}
		}
		if drop < 0 {
			break
		}
		used -= out[drop].width + columnGap
		out = slices.Delete(out, drop, drop+1)
	}
	return out
}

// rank returns the order in which columns are left out: the highest first, 0 never. The
// column that rows are sorted by is the last to go.
func (g *Grid) rank(col int) int {
	if p := g.cols[col].Priority; p == 0 || !g.sorts(col) {
		return p * 2
	}
	return 1
}

// place gives each column its width: first the minimum, then shares of the rest.
func (g *Grid) place(w int) {
	if g.pan > 0 {
		g.layout = g.layout[:0]
		for i, c := range g.cols {
			g.layout = append(g.layout, placed{i, max(c.Min, 1)})
		}
		g.placePanned(w)
		return
	}
	g.layout = g.keep(w)
	spare := w - g.gutter() + columnGap
	for _, p := range g.layout {
		spare -= p.width + columnGap
	}
	for ; spare < 0; spare++ { // more than the lines are wide: the widest gives
		widest := -1
		for i, p := range g.layout {
			if g.cols[p.col].Flex > 0 && (widest < 0 || p.width > g.layout[widest].width) {
				widest = i
			}
		}
		if widest < 0 || g.layout[widest].width <= leastCell {
			break
		}
		g.layout[widest].width--
	}
	for spare > 0 {
		shares := 0
		for _, p := range g.layout {
			if g.grows(p) {
				shares += g.cols[p.col].Flex
			}
		}
		if shares == 0 {
			break
		}
		given := 0
		for i, p := range g.layout {
			if !g.grows(p) || given >= spare {
				continue
			}
			c := g.cols[p.col]
			add := min(max(spare*c.Flex/shares, 1), spare-given)
			if c.Max > 0 {
				add = min(add, c.Max-p.width)
			}
			g.layout[i].width += add
			given += add
		}
		spare -= given
	}
}

// grows reports whether a column takes more room.
func (g *Grid) grows(p placed) bool {
	c := g.cols[p.col]
	return c.Flex > 0 && (c.Max == 0 || p.width < c.Max)
}

// placePanned gives every column its full width, and limits the shift.
func (g *Grid) placePanned(w int) {
	g.total = 0
	for i, p := range g.layout {
		c := g.cols[p.col]
		switch {
		case i == 0:
		case c.Max > 0:
			g.layout[i].width = c.Max
		case c.Flex > 0:
			g.layout[i].width = max(c.Min, panWidth)
		}
		if i > 0 {
			g.total += g.layout[i].width + columnGap
		}
	}
	if len(g.layout) > 0 {
		// The first column stays, and leaves half of the width to the others.
		first := &g.layout[0]
		c := g.cols[first.col]
		want := max(c.Min, w/3)
		if c.Max > 0 {
			want = min(want, c.Max)
		}
		first.width = max(min(want, w/2), 1)
		g.total -= columnGap
		g.pan = max(min(g.pan, g.total-(w-g.gutter()-first.width-columnGap)), 0)
	}
	if g.pan == 0 {
		g.place(w)
	}
}

// head draws the column titles.
func (g *Grid) head(l *Line) {
	l.Space(g.gutter())
	g.cells(l, func(l *Line, p placed) {
		c := g.cols[p.col]
		if !g.sorts(p.col) {
			l.Add(themes.Header, c.Title)
			return
		}
		const t = themes.HeaderSort
		arrow := g.st.Glyphs.SortUp
		if g.Desc {
			arrow = g.st.Glyphs.SortDown
		}
		if room := l.Left() - Width(g.st, c.Title); room >= 2 {
			l.Add(t, c.Title).Space(1).Glyphs(t, arrow, 1)
		} else {
			// If there is no room for both, the arrow matters more.
			l.Add(t, truncate(c.Title, l.Left()-1)).Glyphs(t, arrow, 1)
		}
	})
}

// row draws row i.
func (g *Grid) row(l *Line, i int) {
	gl := &g.st.Glyphs
	at := i == g.cursor
	l.Select(at && !g.Blurred)
	if at && !(g.Shy && g.Blurred) {
		l.Glyphs(themes.Gutter, gl.RowCursor, 1)
	} else {
		l.Space(1)
	}
	if len(g.marks) > 0 && g.IsMarked(g.rows.Name(i)) {
		l.Glyphs(themes.Marked, gl.RowMark, 1)
	} else {
		l.Space(1)
	}
	if g.rows.Grade != nil {
		if s := g.rows.Grade(i); s != style.SeverityNone && int(s) < len(gl.Severities) {
			l.Glyphs(s.Token(), gl.Severities[s], 1)
		} else {
			l.Space(1)
		}
	}
	l.Space(1)
	g.cells(l, func(l *Line, p placed) {
		l.keepEnds = g.cols[p.col].KeepEnds
		g.rows.Draw(l, i, p.col)
		l.keepEnds = false
	})
}

// cells draws one cell per column, shifted when the grid is panned.
func (g *Grid) cells(l *Line, draw func(*Line, placed)) {
	cell := func(l *Line, p placed) {
		l.Cell(p.width)
		draw(l, p)
		l.EndCell(g.cols[p.col].Align)
	}
	if g.pan == 0 {
		for k, p := range g.layout {
			if k > 0 {
				l.Space(columnGap)
			}
			cell(l, p)
		}
		return
	}
	cell(l, g.layout[0])
	l.Space(columnGap)
	strip := NewLine(g.st, g.total)
	strip.Select(l.selected)
	for k, p := range g.layout[1:] {
		if k > 0 {
			strip.Space(columnGap)
		}
		cell(strip, p)
	}
	l.styled(ansi.Cut(strip.String(), g.pan, g.pan+l.Left()))
}

// styled draws a text of our own that has escape sequences, resets its style at the end,
// and fits.
func (l *Line) styled(s string) {
	if l.class != 0 {
		l.buf = append(l.buf, style.Reset...)
	}
	l.class, l.spaceSafe = 0, !l.selected
	l.joint = len(l.buf) + len(s)
	l.buf = append(l.buf, s...)
	l.pos += ansi.StringWidth(s)
}
