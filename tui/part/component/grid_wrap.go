package component

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The longest text that may continue in free lines, and the least width of its column, in
// cells.
const mostWrapped, leastWrapped = 400, 12

// wrap says which cells continue in the lines below their row: cut texts, if there are
// free lines. Either all cut texts of a row do, or none.
type wrap struct {
	of    map[int][]goesOn // by row
	extra int              // how many lines all cut texts would take
	lines []int            // the row on each line of the last View; nil if each has one line
}

// goesOn is a cell, with the part of its text on each line, in cells.
type goesOn struct {
	at    int // place in the layout
	parts [][2]int
}

// Extra returns how many lines besides those of its rows the grid could have used at the last
// View for texts that were cut, or did use.
func (g *Grid) Extra() int { return g.wrap.extra }

// wrapRows finds out which cells continue below the rows up to last, given the number of
// free lines.
func (g *Grid) wrapRows(last, free int) {
	x := &g.wrap
	x.of, x.extra, x.lines = nil, 0, nil
	if g.Unwrapped || g.pan > 0 || last-g.top < g.Len() { // no line is free if more rows follow
		return
	}
	for i := g.top; i < last; i++ {
		var row []goesOn
		lines := 0
		for k, p := range g.layout {
			if on, ok := g.goesOn(i, k, p); ok {
				row, lines = append(row, on), max(lines, len(on.parts)-1)
			}
		}
		x.extra += lines
		if lines == 0 || lines > free {
			continue
		}
		free -= lines
		if x.of == nil {
			x.of = map[int][]goesOn{}
		}
		x.of[i] = row
	}
}

// goesOn returns how to break the text of a cell; false if it is not cut, or not a
// sentence.
func (g *Grid) goesOn(row, at int, p placed) (goesOn, bool) {
	l := g.scratch().Reset(p.width)
	if c := g.cols[p.col]; c.Flex == 0 || c.Align != AlignLeft || p.width < leastWrapped {
		return goesOn{}, false
	}
	if g.src.Cell(l, row, p.col); !l.cut && !l.inner {
		return goesOn{}, false
	}
	if n, more := g.runsOver(row, at); n > 0 {
		if g.src.Cell(l.Reset(p.width+more), row, p.col); !l.cut && !l.inner {
			return goesOn{}, false
		}
	}
	g.src.Cell(l.Reset(mostWrapped), row, p.col)
	text := strings.TrimRight(ansi.Strip(l.String()), " ")
	on, pos := goesOn{at: at}, 0
	for _, part := range WrapAsIs(g.st, text, p.width) {
		pos += strings.Index(text[pos:], part)
		from, width := ansi.StringWidth(text[:pos]), ansi.StringWidth(part)
		if width > p.width {
			return goesOn{}, false
		}
		on.parts = append(on.parts, [2]int{from, from + width})
		pos += len(part)
	}
	return on, len(on.parts) > 1
}

// part draws one line of a cell that continues.
func (g *Grid) part(l *Line, row int, on goesOn, line int) {
	if line >= len(on.parts) {
		return
	}
	whole := g.scratch().Reset(mostWrapped).Select(l.selected)
	g.src.Cell(whole, row, g.layout[on.at].col)
	from, to := on.parts[line][0], on.parts[line][1]
	l.styled(ansi.Cut(whole.String(), from, min(to, from+l.Left())))
}

// rest draws a line below row i, on which its cells continue.
func (g *Grid) rest(l *Line, i, line int) {
	l.Select(i == g.cursor && !g.Blurred)
	l.Space(g.gutter())
	for k, p := range g.layout {
		if k > 0 {
			l.Space(columnGap)
		}
		l.Cell(p.width)
		for _, on := range g.wrap.of[i] {
			if on.at == k {
				g.part(l, i, on, line)
			}
		}
		l.EndCell(AlignLeft)
	}
}

// height returns how many lines row i takes.
func (x *wrap) height(i int) int {
	n := 1
	for _, on := range x.of[i] {
		n = max(n, len(on.parts))
	}
	return n
}

// place notes which row is on which line, if some take several.
func (x *wrap) place(from, to int) {
	if x.of == nil {
		return
	}
	for i := from; i < to; i++ {
		for range x.height(i) {
			x.lines = append(x.lines, i)
		}
	}
}
