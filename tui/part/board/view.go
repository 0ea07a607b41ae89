package board

import (
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// Sizes from which panes are one above the other, and in boxes side by side, in cells.
const (
	normalFromW, normalFromH = 60, 16
	boxesFromW, boxesFromH   = 120, 34
)

// leastBelow is how many lines the pane below the fixed ones keeps, without its title;
// focusBelow the same if that pane has the focus.
const leastBelow, focusBelow = 4, 6

// View draws h lines of w cells.
func (b *Board) View(w, h int) string {
	switch {
	case b.words:
		return b.page(w, h)
	case b.boxes(w, h):
		return b.wide(w, h)
	case w >= normalFromW && h >= normalFromH:
		return b.normal(w, h)
	}
	return b.alone(w, h)
}

// boxes reports whether there is room for boxes.
func (b *Board) boxes(w, h int) bool { return w >= boxesFromW && h >= boxesFromH && len(b.Rows) > 0 }

// need returns how many lines a pane would like, without its title.
func (b *Board) need(i int) int {
	shown, _ := b.Panes[i].Panel.Counts()
	n := max(shown, 1) + b.Panes[i].Heads
	if b.Panes[i].Panel.Typing() {
		n++
	}
	return n
}

// rule draws the title of a pane, with the cursor sign if it has the focus.
func (b *Board) rule(i, w int, note string) string {
	title := b.Panes[i].title()
	if i == b.focus {
		title = b.Styles.Glyphs.RowCursor + " " + title
	}
	return component.Titled(b.Styles, w, title, note)
}

// alone draws only the focused pane.
func (b *Board) alone(w, h int) string {
	if h < 3 {
		return b.Panel().View(w, h)
	}
	note := ""
	if len(b.Panes) > 1 {
		note = string(rune('1'+b.focus)) + "/" + string(rune('0'+len(b.Panes))) + " tab"
	}
	return component.Stack(component.Titled(b.Styles, w, b.Panes[b.focus].title(), note), b.Panel().View(w, h-1))
}

// page draws the words about the row under the cursor in the whole body.
func (b *Board) page(w, h int) string {
	title, words := b.about()
	var lines []string
	for _, l := range b.wrap(words, w-2) {
		lines = append(lines, " "+l+" ")
	}
	return component.Fit(component.Stack(component.Titled(b.Styles, w, title, "esc back"), b.text.View(b.Styles, w, max(h-1, 0), lines)), w, h)
}

// wrap breaks words into lines of w cells.
func (b *Board) wrap(words []Words, w int) []string {
	var lines []string
	for _, p := range words {
		if p.Text == "" {
			lines = append(lines, panel.Text(b.Styles, w, themes.Text, ""))
			continue
		}
		indent := len(p.Text) - len(strings.TrimLeft(p.Text, " "))
		for _, part := range component.Wrap(b.Styles, p.Text, w-indent) {
			lines = append(lines, component.NewLine(b.Styles, w).Space(indent).Add(p.Token, strings.TrimLeft(part, " ")).String())
		}
	}
	return lines
}

// normal draws the fixed panes one above the other, and one of the others below.
func (b *Board) normal(w, h int) string {
	heights := b.share(h)
	var blocks []string
	for i, height := range heights[:b.Fixed] {
		blocks = append(blocks, b.rule(i, w, b.Panes[i].note()), b.Panes[i].Panel.View(w, height))
	}
	if b.below >= b.Fixed {
		blocks = append(blocks, b.rule(b.below, w, b.others()), b.Panes[b.below].Panel.View(w, heights[b.Fixed]))
	}
	return component.Fit(component.Stack(blocks...), w, h)
}

// share divides the lines of the body among the fixed panes and the one below them,
// without titles. Each gets its minimum, then the focused one what it needs, then the
// others in order; the pane below gets the rest.
func (b *Board) share(h int) []int {
	shown := make([]int, 0, b.Fixed+1)
	for i := range b.Fixed {
		shown = append(shown, i)
	}
	if b.below >= b.Fixed {
		shown = append(shown, b.below)
	}
	left := h - len(shown)
	heights := make([]int, len(shown))
	give := func(n, most int) {
		more := min(max(min(most, b.need(shown[n]))-heights[n], 0), max(left, 0))
		heights[n] += more
		left -= more
	}
	for n, i := range shown {
		switch {
		case i >= b.Fixed && i == b.focus:
			give(n, focusBelow)
		case i >= b.Fixed:
			give(n, leastBelow)
		case b.Panes[i].Short > 0:
			give(n, b.Panes[i].Short)
		default:
			give(n, h)
		}
	}
	for n, i := range shown {
		if i == b.focus {
			give(n, h)
		}
	}
	for n := range shown {
		give(n, h)
	}
	heights[len(heights)-1] += max(left, 0)
	return heights
}

// others returns the note of the pane below, with the names of those that share its
// place.
func (b *Board) others() string {
	var names []string
	if note := b.Panes[b.below].note(); note != "" {
		names = append(names, note)
	}
	for i := b.Fixed; i < len(b.Panes); i++ {
		if i != b.below {
			names = append(names, strings.ToLower(b.Panes[i].title()))
		}
	}
	return strings.Join(names, "   ")
}

// wide draws all panes in boxes.
func (b *Board) wide(w, h int) string {
	heights := b.rowHeights(h)
	b.buf = b.buf[:0]
	for n, row := range b.Rows {
		if n > 0 {
			b.buf = append(b.buf, '\n')
		}
		all := 0
		for _, s := range row.Slots {
			all += s.Share
		}
		left := w - (len(row.Slots) - 1)
		panes := make([]panel.Pane, len(row.Slots))
		rest := left
		for i, s := range row.Slots {
			width := left * s.Share / all
			if i == len(row.Slots)-1 {
				width = rest
			}
			rest -= width
			panes[i] = b.box(s.Pane, width, heights[n])
		}
		b.buf = panel.Lay(b.buf, b.Styles, heights[n], panes...)
	}
	return string(b.buf)
}

// leastUseful is how many rows a pane is assumed to have at least: the reason why it is
// empty takes as many lines.
const leastUseful = 3

// useful returns how many lines a row can use; false if words about a row take all there
// is. Rows hidden by a filter count, so that nothing moves while one is typed.
func (b *Board) useful(row Row) (int, bool) {
	n, bounded := 0, true
	for _, s := range row.Slots {
		if s.Pane == About {
			bounded = false
			continue
		}
		p := b.Panes[s.Pane]
		_, all := p.Panel.Counts()
		n = max(n, max(all, leastUseful)+p.Heads+3) // with its box and the filter
	}
	return n, bounded
}

// rowHeights divides the lines of the body among the rows: first those that fit get what
// they need, then the others at most what they can use; the words get the rest.
func (b *Board) rowHeights(h int) []int {
	heights := make([]int, len(b.Rows))
	left, flexible := h, 0
	for n, row := range b.Rows {
		if !row.Fits {
			flexible++
			continue
		}
		need := 0
		for _, s := range row.Slots {
			if s.Pane != About {
				need = max(need, b.need(s.Pane))
			}
		}
		heights[n] = min(need+2, h*2/5)
		left -= heights[n]
	}
	for _, words := range []bool{false, true} {
		for n, row := range b.Rows {
			most, bounded := b.useful(row)
			if row.Fits || bounded == words {
				continue
			}
			heights[n] = left / flexible
			if bounded {
				heights[n] = min(heights[n], most)
			}
			left -= heights[n]
			flexible--
		}
	}
	heights[len(heights)-1] += max(left, 0)
	return heights
}

// box draws one pane, or the words about the row under the cursor.
func (b *Board) box(i, w, h int) panel.Pane {
	if i == About {
		title, words := b.about()
		box := component.Box{Title: "ABOUT  " + title}
		if title == "" {
			box.Title = "ABOUT"
		}
		iw, ih := box.Inner(w, h)
		lines := b.wrap(words, iw)
		if len(lines) > ih {
			box.Footer = "W " + component.Plural(len(lines)-ih, "more line")
			lines = lines[:ih]
		}
		return panel.Pane{Box: box, Width: w, Lines: lines}
	}
	p := b.Panes[i]
	box := component.Box{Title: p.title(), Right: p.note(), Footer: p.Keys, Focused: i == b.focus}
	iw, ih := box.Inner(w, h)
	return panel.Pane{Box: box, Width: w, Lines: strings.Split(p.Panel.View(iw, ih), "\n")}
}
