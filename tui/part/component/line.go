// Package component holds the parts that screens are made of: lines, boxes,
// gauges, the grid, the prompt. They know numbers and strings and nothing of
// Placement.
//
// All drawing goes through Line, which keeps three promises whatever it is
// given: a line is exactly as wide as asked, no escape sequence is broken, and
// nothing in the data reaches the terminal as a control. Parts belong to one
// session and are used from its event loop only.
package component

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// Align says on which side of a cell its text stands.
type Align uint8

// The alignments.
const (
	AlignLeft Align = iota
	AlignRight
)

// Line builds one line of exactly its width in cells. What does not fit is cut
// and ends with an ellipsis; what is missing is filled with spaces. Methods
// that draw return the line, so that calls can be chained.
type Line struct {
	st       *style.Styles
	buf      []byte
	width    int
	limit    int // end of the current cell
	pos      int // cells drawn
	selected bool
	faded    bool

	class     uint8
	spaceSafe bool
	cut       bool // the current cell has its ellipsis
	keepEnds  bool // a text that is too long loses its middle

	joint     int // where the last grapheme begins in buf, whichever cell it is in
	cellStart int // in cells
	cellOff   int // in bytes
	lastOff   int // where the last grapheme of the current cell begins in buf
	lastPos   int // and its cell
	lastClass uint8
	mark      string // the DirectionMark of the text of the current cell
}

// NewLine returns an empty line of width cells.
func NewLine(st *style.Styles, width int) *Line {
	l := &Line{st: st, buf: make([]byte, 0, 3*max(width, 0)+32)}
	return l.Reset(width)
}

// Reset empties the line, keeping its memory, and sets its width in cells.
func (l *Line) Reset(width int) *Line {
	*l = Line{st: l.st, buf: l.buf[:0], width: max(width, 0), limit: max(width, 0), spaceSafe: true, lastOff: -1, faded: l.faded}
	return l
}

// Select draws what follows as part of the selected row.
func (l *Line) Select(on bool) *Line {
	if l.selected != on {
		l.selected = on
		l.spaceSafe = false
	}
	return l
}

// Styles returns the styles the line is drawn with.
func (l *Line) Styles() *style.Styles { return l.st }

// Left returns how many cells are left in the current cell of the line.
func (l *Line) Left() int { return l.limit - l.pos }

// Pos returns how many cells are drawn.
func (l *Line) Pos() int { return l.pos }

// KeepEnds says whether a text that is too long loses its middle instead of its end, for
// names that differ at either end.
func (l *Line) KeepEnds(on bool) *Line { l.keepEnds = on; return l }

// Add draws s in the style of t. The text may come from anywhere: controls and
// whatever else could move the cursor are replaced.
func (l *Line) Add(t themes.Token, s string) *Line {
	if s == "" || l.cut {
		return l
	}
	if room := l.Left(); l.keepEnds && room > 1 {
		if over := Width(l.st, s) - room; over > 0 {
			s, head := Sanitize(l.st, s), (room-1)/2
			l.addGraphemes(t, truncate(s, head)).Glyphs(t, l.st.Glyphs.Ellipsis, 1).addGraphemes(t, ansi.TruncateLeft(s, head+over+1, ""))
			l.cut = true
			return l
		}
	}
	if !printable(s) {
		return l.addGraphemes(t, s)
	}
	if room := l.Left(); len(s) > room {
		l.put(t, s[:room])
		l.overflow(t)
		return l
	}
	l.put(t, s)
	return l
}

// AddFitting draws a text, or what says it in short if there is no room for all of it.
func (l *Line) AddFitting(t themes.Token, text, short string) *Line {
	if Width(l.st, text) > l.Left() {
		text = short
	}
	return l.Add(t, text)
}

// put draws printable ASCII that is known to fit.
func (l *Line) put(t themes.Token, s string) {
	if s == "" {
		return
	}
	l.paint(t)
	l.buf = append(l.buf, s...)
	l.pos += len(s)
	l.last(len(l.buf)-1, l.pos-1)
}

// addGraphemes draws text of any kind.
func (l *Line) addGraphemes(t themes.Token, s string) *Line {
	before := string(l.buf[l.joint:])
	if mark := DirectionMark(s); mark != "" && !l.st.Glyphs.ASCIIOnly {
		l.mark = mark
		l.buf = append(l.buf, mark...)
	}
	for s != "" {
		var g string
		var w int
		g, w, s = nextGrapheme(s, &l.st.Glyphs)
		if joins(before, g) {
			l.buf = append(l.buf, separator...)
		}
		before = ""
		if l.pos+w > l.limit {
			l.overflow(t)
			return l
		}
		l.paint(t)
		off := len(l.buf)
		l.buf = append(l.buf, g...)
		l.last(off, l.pos)
		l.pos += w
	}
	l.buf = append(l.buf, l.mark...)
	return l
}

// Glyphs draws n times the glyph g, which must be one cell wide. What does not
// fit is left out without an ellipsis.
func (l *Line) Glyphs(t themes.Token, g string, n int) *Line {
	n = min(n, l.limit-l.pos)
	if n <= 0 || l.cut {
		return l
	}
	l.paint(t)
	for range n {
		l.last(len(l.buf), l.pos)
		l.buf = append(l.buf, g...)
		l.pos++
	}
	return l
}

// Space draws n spaces, as far as they fit.
func (l *Line) Space(n int) *Line {
	n = min(n, l.limit-l.pos)
	if n <= 0 {
		return l
	}
	if !l.spaceSafe {
		l.paint(themes.Blank)
	}
	l.last(len(l.buf)+n-1, l.pos+n-1)
	l.pos += n
	for ; n >= len(spaces); n -= len(spaces) {
		l.buf = append(l.buf, spaces...)
	}
	l.buf = append(l.buf, spaces[:n]...)
	return l
}

const spaces = "                                                                "

// To draws spaces up to column col, counted from 0. It does nothing when the
// line is already there.
func (l *Line) To(col int) *Line { return l.Space(col - l.pos) }

// Cell begins a cell of w cells: what follows is cut at its end. EndCell ends
// it.
func (l *Line) Cell(w int) *Line {
	if !l.spaceSafe {
		l.paint(themes.Blank)
	}
	l.limit = min(l.pos+max(w, 0), l.width)
	l.cellStart, l.cellOff = l.pos, len(l.buf)
	l.cut, l.lastOff, l.mark = false, -1, ""
	return l
}

// EndCell ends the cell that Cell began and fills it up.
func (l *Line) EndCell(a Align) *Line {
	pad := l.limit - l.pos
	if pad > 0 && a == AlignRight && l.pos > l.cellStart {
		end := len(l.buf)
		l.buf = append(l.buf, spaces[:min(pad, len(spaces))]...)
		for len(l.buf) < end+pad {
			l.buf = append(l.buf, ' ')
		}
		copy(l.buf[l.cellOff+pad:], l.buf[l.cellOff:end])
		for i := range pad {
			l.buf[l.cellOff+i] = ' '
		}
		l.pos += pad
		l.joint += pad
	} else {
		l.Space(pad)
	}
	l.limit, l.cut, l.lastOff = l.width, false, -1
	return l
}

// Column draws text in a cell of w cells.
func (l *Line) Column(w int, t themes.Token, text string) *Line {
	return l.Cell(w).Add(t, text).EndCell(AlignLeft)
}

// Number draws text at the right of a cell of w cells.
func (l *Line) Number(w int, t themes.Token, text string) *Line {
	return l.Cell(w).Add(t, text).EndCell(AlignRight)
}

// String fills the line up and returns it.
func (l *Line) String() string {
	l.limit, l.cut = l.width, false
	l.Space(l.width - l.pos)
	if l.class != 0 {
		l.buf = append(l.buf, style.Reset...)
		l.class = 0
	}
	return string(l.buf)
}

// Fade sets whether plain text is drawn faint, for what is shown only beside something
// else.
func (l *Line) Fade(on bool) *Line { l.faded = on; return l }

// paint switches to the style of t.
func (l *Line) paint(t themes.Token) {
	if l.faded && (t == themes.Text || t == themes.Strong) {
		t = themes.Faint
	}
	p := l.st.Paint(t, l.selected)
	l.spaceSafe = p.SpaceSafe
	if p.Class == l.class {
		return
	}
	if l.class == 0 {
		l.buf = append(l.buf, p.Pre...)
	} else {
		l.buf = append(l.buf, p.Next...)
	}
	l.class = p.Class
}

// last remembers where the last grapheme is, for an ellipsis in its place.
func (l *Line) last(off, pos int) {
	l.lastOff, l.lastPos, l.lastClass = off, pos, l.class
	l.joint = off
}

// overflow ends the current cell with an ellipsis.
func (l *Line) overflow(t themes.Token) {
	if l.cut || l.limit <= l.cellStart {
		l.cut = true
		return
	}
	if l.pos >= l.limit {
		if l.lastOff < 0 {
			return
		}
		l.buf = l.buf[:l.lastOff]
		l.pos, l.class = l.lastPos, l.lastClass
	} else {
		l.paint(t)
	}
	l.joint = len(l.buf)
	l.buf = append(append(l.buf, l.st.Glyphs.Ellipsis...), l.mark...)
	l.pos++
	l.lastOff = -1
	l.Space(l.limit - l.pos)
	l.cut = true
}

// printable reports whether s is only printable ASCII, so that its length is its width.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// Seg is a piece of text with the token it is drawn in.
type Seg struct {
	Token themes.Token
	Text  string
}

// Spread returns a line of w cells with left at its start and right at its
// end. When both do not fit, left is cut.
func Spread(st *style.Styles, w int, left, right []Seg) string {
	l := NewLine(st, w)
	rw := 0
	for _, s := range right {
		rw += Width(st, s.Text)
	}
	if rw > w {
		rw = 0
		right = nil
	}
	room := w - rw
	if rw > 0 && room > 0 {
		room--
	}
	l.Cell(room)
	for _, s := range left {
		l.Add(s.Token, s.Text)
	}
	l.EndCell(AlignLeft)
	l.To(w - rw)
	for _, s := range right {
		l.Add(s.Token, s.Text)
	}
	return l.String()
}

// Width returns how many cells Line.Add would need to draw s.
func Width(st *style.Styles, s string) int {
	if printable(s) {
		return len(s)
	}
	n := 0
	for s != "" {
		var w int
		_, w, s = nextGrapheme(s, &st.Glyphs)
		n += w
	}
	return n
}

// Sanitize returns s as one line without anything that could act on a
// terminal, as Line.Add would draw it.
func Sanitize(st *style.Styles, s string) string {
	if printable(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		var g string
		g, _, s = nextGrapheme(s, &st.Glyphs)
		b.WriteString(g)
	}
	return b.String()
}
