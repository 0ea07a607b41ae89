package component

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

// Fit returns s as exactly h lines of w cells each: lines are cut or filled
// with spaces, missing ones are blank, surplus ones are left out. s may hold
// styled text of ours; escape sequences are never cut.
func Fit(s string, w, h int) string {
	w, h = max(w, 0), max(h, 0)
	if h == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(len(s) + w*h/2)
	for i := range h {
		if i > 0 {
			b.WriteByte('\n')
		}
		var line string
		line, s, _ = strings.Cut(s, "\n")
		fitLine(&b, line, w)
	}
	return b.String()
}

// fitLine writes line as exactly w cells.
func fitLine(b *strings.Builder, line string, w int) {
	n := lineWidth(line)
	if n > w {
		line = truncate(line, w)
		n = ansi.StringWidth(line)
		if strings.IndexByte(line, '\x1b') >= 0 && !strings.HasSuffix(line, style.Reset) {
			line += style.Reset
		}
	}
	b.WriteString(line)
	for ; n < w; n++ {
		b.WriteByte(' ')
	}
}

// truncate cuts a styled line off after at most w cells. What joins an ASCII character, as a
// variation selector does, package ansi measures with it, but takes for nothing when it cuts.
func truncate(line string, w int) string {
	for n := w; ; n-- {
		if cut := ansi.Truncate(line, n, ""); n <= 0 || ansi.StringWidth(cut) <= w {
			return cut
		}
	}
}

// lineWidth returns the width of a styled line in cells.
func lineWidth(s string) int {
	if printable(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Stack puts blocks one below the other. Empty blocks take no line.
func Stack(blocks ...string) string {
	n := 0
	for _, b := range blocks {
		if b != "" {
			blocks[n] = b
			n++
		}
	}
	return strings.Join(blocks[:n], "\n")
}

// Columns puts lines side by side, which are left and right cells wide, gap cells apart.
func Columns(gap, left, right int, a, b []string) []string {
	n := max(len(a), len(b))
	if n == 0 {
		return nil
	}
	return strings.Split(Beside(gap, Fit(strings.Join(a, "\n"), left, n), Fit(strings.Join(b, "\n"), right, n)), "\n")
}

// Beside puts blocks side by side with gap spaces between them. Every line of
// a block must be as wide as the others of that block, as Fit, Box and Grid
// make them; a block with fewer lines than the first is filled up.
func Beside(gap int, blocks ...string) string {
	if len(blocks) == 0 {
		return ""
	}
	rest := make([]string, len(blocks))
	widths := make([]int, len(blocks))
	size := 0
	for i, b := range blocks {
		first, _, _ := strings.Cut(b, "\n")
		rest[i], widths[i] = b, lineWidth(first)
		size += len(b)
	}
	h := 1 + strings.Count(blocks[0], "\n")
	sep := strings.Repeat(" ", max(gap, 0))
	var out strings.Builder
	out.Grow(size + h*len(blocks)*(gap+1))
	for y := range h {
		if y > 0 {
			out.WriteByte('\n')
		}
		for i := range blocks {
			if i > 0 {
				out.WriteString(sep)
			}
			var line string
			line, rest[i], _ = strings.Cut(rest[i], "\n")
			if line == "" {
				line = strings.Repeat(" ", widths[i])
			}
			out.WriteString(line)
		}
	}
	return out.String()
}

// Label is a text on a rule.
type Label struct {
	Text string
	// At is the column where the text's space begins, counted from 0. A
	// negative one counts from the right end, where the text ends.
	At int
	// Token is the colour; Blank means that of titles for the first label and
	// that of secondary text for the others.
	Token themes.Token
}

// Rule returns a line of w cells with labels set into it, such as
//
//	─ CAPACITY ───────────── used / capacity ─── free ──
//
// Labels that do not fit, or meet one further left, end after one of their parts or with an
// ellipsis, or are left out.
func Rule(st *style.Styles, w int, labels ...Label) string {
	g := &st.Glyphs
	l := NewLine(st, w)
	for i, lb := range labels {
		if lb.Text == "" {
			continue
		}
		text, tw := lb.Text, Width(st, lb.Text)
		at := lb.At
		if at < 0 {
			at = w + at - tw - 1
		}
		if i == 0 && at == 0 {
			at = 1
		}
		at = max(at, l.Pos()+1)
		if room := w - at - 3; tw > room {
			if text = labelIn(text, room); i > 0 && Width(st, text) > room {
				continue
			}
			tw = min(Width(st, text), room)
		}
		l.Glyphs(themes.Border, g.Horizontal, at-l.Pos())
		t := lb.Token
		if t == themes.Blank {
			t = themes.Dim
			if i == 0 {
				t = themes.Title
			}
		}
		l.Space(1).Column(tw, t, text).Space(1)
	}
	l.Glyphs(themes.Border, g.Horizontal, w-l.Pos())
	return l.String()
}

// labelIn returns a label as it is drawn in too little room: the parts between gaps that fit,
// or else its start.
func labelIn(text string, room int) string {
	if end := strings.LastIndex(ansi.Truncate(text, room+len(labelGap), ""), labelGap); end > 0 {
		return text[:end]
	}
	return text
}

// labelGap separates the parts of a label.
const labelGap = "   "

// Titled returns a rule with a title at its start and a text at its end, which
// may be empty.
func Titled(st *style.Styles, w int, title, right string) string {
	return Rule(st, w, Label{Text: title}, Label{Text: right, At: -2})
}

// Box is a frame around a block.
type Box struct {
	Title string // set into the top line
	Right string // set into the top line, at its end
	// Footer is set into the bottom line, such as the keys that work here.
	Footer string
	// Focused draws the frame in the colour of the focused pane.
	Focused bool
}

// Inner returns the size in cells of what a box of w by h can hold: one cell
// of space is left on either side.
func (Box) Inner(w, h int) (int, int) { return max(w-4, 0), max(h-2, 0) }

// Render returns the box with body in it, as h lines of w cells.
func (bx Box) Render(st *style.Styles, w, h int, body string) string {
	if w < 4 || h < 2 {
		return Fit(body, w, h)
	}
	g := &st.Glyphs
	border := themes.Border
	if bx.Focused {
		border = themes.BorderFocus
	}
	var b strings.Builder
	b.Grow(len(body) + (w+16)*h)
	b.WriteString(bx.edge(st, w, border, g.TopLeft, g.TopRight, bx.Title, bx.Right, themes.Title))
	iw, ih := bx.Inner(w, h)
	side := st.Render(border, g.Vertical)
	for range ih {
		b.WriteByte('\n')
		b.WriteString(side)
		b.WriteByte(' ')
		var line string
		line, body, _ = strings.Cut(body, "\n")
		fitLine(&b, line, iw)
		b.WriteByte(' ')
		b.WriteString(side)
	}
	b.WriteByte('\n')
	b.WriteString(bx.edge(st, w, border, g.BottomLeft, g.BottomRight, wholeHints(st, bx.Footer, w-6), "", themes.KeyHint))
	return b.String()
}

// wholeHints leaves out the last of some hints, separated by two or more spaces, so that
// the rest fits into w cells.
func wholeHints(st *style.Styles, hints string, w int) string {
	for Width(st, hints) > w {
		at := strings.LastIndex(hints, "  ")
		if at < 0 {
			break
		}
		hints = strings.TrimRight(hints[:at], " ")
	}
	return hints
}

// edge draws the top or the bottom of a box.
func (bx Box) edge(st *style.Styles, w int, border themes.Token, left, right, text, end string, t themes.Token) string {
	g := &st.Glyphs
	l := NewLine(st, w)
	l.Glyphs(border, left, 1)
	if text != "" && w > 6 {
		if Width(st, text) > w-6 {
			text = labelIn(text, w-6)
		}
		l.Glyphs(border, g.Horizontal, 1).Space(1)
		l.Column(min(Width(st, text), w-6), t, text).Space(1)
	}
	if n := Width(st, end); end != "" && l.Pos()+n+5 <= w {
		l.Glyphs(border, g.Horizontal, w-l.Pos()-n-4).Space(1).Add(themes.Dim, end).Space(1)
	}
	l.Glyphs(border, g.Horizontal, w-l.Pos()-1)
	l.Glyphs(border, right, 1)
	return l.String()
}
