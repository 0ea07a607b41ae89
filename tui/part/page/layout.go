package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// View draws h lines of w cells.
func (p *Page) View(w, h int) string {
	p.whole = false
	for _, s := range p.Sections {
		s.at, s.width = rect{}, 0
	}
	if p.zoomed {
		return p.fit(p.alone([]int{p.aside()}, w, h), w, h)
	}
	p.shown(w)
	if rows := p.rows(w, h); rows != nil {
		return p.wide(rows, w, h)
	}
	var all []int
	for i, s := range p.Sections {
		if s.there(w) && (!s.aside || s.below) {
			all = append(all, i)
		}
	}
	lines, ok := p.stack(p.inTurn(all), w, h, false)
	if !ok {
		lines = p.alone(slices.DeleteFunc(all, func(i int) bool { return p.Sections[i].aside }), w, h)
	}
	return p.fit(lines, w, h)
}

func (p *Page) fit(lines []string, w, h int) string {
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// inTurn returns those of some sections that are shown: of those that take turns, the ones with
// the number of the one that had the focus last.
func (p *Page) inTurn(which []int) []int {
	last, turn := -1, 0
	for _, i := range which {
		if s := p.Sections[i]; s.Turn > 0 && s.shown > last {
			last, turn = s.shown, s.Turn
		}
	}
	return slices.DeleteFunc(slices.Clone(which), func(i int) bool { return p.Sections[i].Turn != turn && p.Sections[i].Turn > 0 })
}

// box is a Slot with the numbers of its sections that are shown, those that are Late last.
type box struct {
	Slot
	which []int
}

// boxes is a Row with the boxes that are shown.
type boxes struct {
	row   []box
	fits  bool
	least int
}

// rows returns the boxes on a large terminal, nil if there is no room for them, or only one.
func (p *Page) rows(w, h int) []boxes {
	rows := p.Rows
	if p.rules = w < p.WideW || h < p.WideH; p.rules {
		if rows = p.Ruled; w < p.RuledW || h < p.RuledH {
			return nil
		}
	}
	var out []boxes
	n := 0
	for _, row := range rows {
		line := boxes{fits: row.Fits, least: cmp.Or(row.Least, leastUseful+1+p.frame())}
		for _, slot := range row.Slots {
			var which []int
			for i, s := range p.Sections {
				if slices.Contains(slot.Sections, s) && (s.aside && !s.below || s.there(w)) {
					which = append(which, i)
				}
			}
			if len(which) > 0 {
				line.row = append(line.row, box{slot, p.inTurn(which)})
			}
		}
		if n += len(line.row); len(line.row) > 0 {
			out = append(out, line)
		}
	}
	if n < 2 {
		return nil
	}
	return out
}

// wide draws all sections in boxes.
func (p *Page) wide(rows []boxes, w, h int) string {
	heights := p.heights(rows, w, h)
	var drawn []string
	y := 0
	for n, row := range rows {
		x := 0
		panes := make([]panel.Pane, len(row.row))
		for i, width := range p.widths(row.row, w) {
			panes[i] = p.box(row.row[i], x, y, width, heights[n])
			x += width + 1
		}
		switch {
		case p.rules && heights[n] > 0:
			drawn = append(drawn, p.below(panes, heights[n]))
		case heights[n] > 0:
			drawn = append(drawn, panel.Lay(p.Styles, heights[n], panes...))
		}
		y += heights[n]
	}
	return strings.Join(drawn, "\n")
}

// frame returns how many lines the frame of a box takes.
func (p *Page) frame() int {
	if p.rules {
		return 1
	}
	return 2
}

// below draws panes below rules, side by side.
func (p *Page) below(panes []panel.Pane, h int) string {
	drawn := make([]string, len(panes))
	for i, b := range panes {
		head := component.Titled(p.Styles, b.Width, b.Title, b.Right)
		drawn[i] = component.Fit(component.Stack(head, strings.Join(b.Lines, "\n")), b.Width, h)
	}
	return component.Beside(1, drawn...)
}

// box draws a box that begins at a cell.
func (p *Page) box(b box, x, y, w, h int) panel.Pane {
	first := p.Sections[b.which[0]]
	frame := component.Box{Title: b.Title, Footer: first.Keys, Focused: slices.Contains(b.which, p.Focus)}
	iw, ih := frame.Inner(w, h)
	if p.rules {
		iw, ih = w, h-1
	}
	lines, ok := p.stack(b.which, iw, ih, b.Title == "")
	if !ok {
		lines = p.alone(b.which, iw, ih)
	}
	if b.Title == "" {
		frame.Title, frame.Right = first.title(), p.note(first, b.Sections)
		if first.Lines != nil && !first.aside {
			frame.Right = strings.TrimSpace(first.scroll.Position(false, frame.Focused) + "  " + frame.Right)
		}
	}
	if more := len(first.drawn) - len(lines); first.aside && more > 0 {
		frame.Footer = "W " + component.Plural(more, "more line")
	}
	for _, i := range b.which {
		s := p.Sections[i]
		s.at.x, s.at.y = s.at.x+x+(w-iw)/2, s.at.y+y+1
	}
	return panel.Pane{Box: frame, Width: w, Lines: lines}
}

// widths divides the width of a row. The last box gets more than its share if its tables would
// lose a column that they have when sections are one below the other, and the others would not.
func (p *Page) widths(row []box, w int) []int {
	all, out := 0, make([]int, len(row))
	for _, b := range row {
		all += b.Share
	}
	room, last := w-(len(row)-1), len(row)-1
	rest := room
	for i, b := range row {
		out[i] = room * b.Share / all
		rest -= out[i]
	}
	out[last] += rest
	if most := p.leastWidth(row[last]); last == 1 && most > out[1] && room-most >= p.leastWidth(row[0]) {
		out[0], out[1] = room-most, most
	}
	return out
}

// leastWidth returns the least width of a box in which no table loses a column.
func (p *Page) leastWidth(b box) int {
	w := 0
	for _, i := range b.which {
		if s := p.Sections[i]; s.Grid != nil && !s.Late {
			w = max(w, s.Grid.Least(p.WideW-1)+4)
		}
	}
	return w
}

// leastUseful is how many rows a list is assumed to have at least: the reason why it is empty
// takes as many lines.
const leastUseful = 3

// useful returns how many lines a row of boxes can use in a body of w by h cells; false if it
// can use all there are. Rows hidden by a filter count, so that nothing moves while one is typed.
func (p *Page) useful(row []box, w, h int) (int, bool) {
	n, bounded := 0, true
	for _, b := range row {
		switch s := p.Sections[b.which[0]]; {
		case s.aside && len(row) == 1:
			n = p.mostAside(s, w, h) + p.frame()
		case len(b.which) > 1 || s.Lines != nil:
			bounded = false
		case s.List != nil:
			_, all := s.List.Counts()
			n = max(n, max(all, leastUseful)+s.List.Heads()+1+p.frame()) // with the filter
		default:
			n = max(n, max(s.Grid.Len(), leastUseful)+s.heads()+p.frame())
		}
	}
	return n, bounded && n < h
}

// mostAside returns how many lines the section about a row needs: the most for any row that the
// cursor was on since the focus and the size are these, so that moving it moves no box, and at
// most a third.
func (p *Page) mostAside(s *Section, w, h int) int {
	if now := (room{w, h, p.Focus, s.most.lines}); now != s.most {
		s.most = room{w, h, p.Focus, 0}
	}
	s.most.lines = max(s.most.lines, min(s.need(w-4), h/3))
	return s.most.lines
}

// heights divides the lines of the body among the rows: first those that fit get what they need,
// then the others at most what they can use, those first that need least; those that can use all
// there are get the rest.
func (p *Page) heights(rows []boxes, w, h int) []int {
	out := make([]int, len(rows))
	left, flexible, kept := h, 0, 0
	for _, row := range rows {
		if !row.fits {
			flexible++
			kept += row.least
		}
	}
	for n, row := range rows {
		if !row.fits {
			continue
		}
		need := 0
		for _, b := range row.row {
			lines := 0
			for _, i := range b.which {
				lines += p.Sections[i].need(w)
			}
			need = max(need, lines)
		}
		out[n] = max(min(need+p.frame(), h/2, left-kept), 1+p.frame())
		left -= out[n]
	}
	var bounded, needs []int
	for n, row := range rows {
		if most, ok := p.useful(row.row, w, h); ok && !row.fits {
			bounded, needs = append(bounded, n), append(needs, max(most, row.least))
		}
	}
	for i, lines := range component.Share(left*len(bounded)/max(flexible, 1), needs...) {
		out[bounded[i]] = lines
		left -= lines
	}
	flexible -= len(bounded)
	for n, row := range rows {
		if !row.fits && !slices.Contains(bounded, n) {
			out[n] = left / flexible
			left -= out[n]
			flexible--
		}
	}
	out[len(out)-1] += max(left, 0)
	return out
}

// stack draws sections one below the other, in at most h lines; false if there is no room for
// the least of each. Titled says that the first one has its title elsewhere.
func (p *Page) stack(which []int, w, h int, titled bool) ([]string, bool) {
	which = p.spared(which, w, h, titled)
	heights, ok := p.share(which, w, h, titled)
	if !ok {
		return nil, false
	}
	var lines []string
	for n, i := range which {
		s := p.Sections[i]
		body := s.body(w, heights[n], i == p.Focus)
		if p.ruled(n, s, titled) {
			lines = append(lines, p.rule(i, w, ""))
		}
		s.at = rect{0, len(lines), w, heights[n]}
		lines = append(lines, body...)
	}
	return lines, true
}

// ruled reports whether the n-th section of a stack has a line with its title.
func (p *Page) ruled(n int, s *Section, titled bool) bool { return !s.Bare && (n > 0 || !titled) }

// leastLate is how many lines must be left for a Late section: its title, the head of its
// table, and some rows.
const leastLate = 5

// spared returns the sections without those that are Late and have no room beside others; the
// focus leaves them.
func (p *Page) spared(which []int, w, h int, titled bool) []int {
	left := h
	for n, i := range which {
		s := p.Sections[i]
		if s.Late {
			continue
		}
		left -= s.need(w)
		if p.ruled(n, s, titled) {
			left--
		}
	}
	out := slices.DeleteFunc(slices.Clone(which), func(i int) bool {
		s := p.Sections[i]
		s.off = s.Late && left < leastLate && len(which) > 1
		return s.off
	})
	if !titled { // it is the box that may have one
		p.roomy = left >= leastLate
	}
	if p.Focused().off && len(out) > 0 {
		p.Focus = out[max(slices.IndexFunc(out, func(i int) bool { return p.Sections[i].Grid != nil }), 0)]
	}
	return out
}

// share returns how many lines each section gets, without its title; false if they do not
// suffice for the least of each. If there are many lines and texts can be complete while
// tables, which scroll, get a fifth each, that comes first. Then the focused section gets
// up to a third if it needs that, then each of the others in order up to a quarter; the
// rest goes to the focused one, then to the others, then to those that are Late, and last to
// a list at the end, which may have to say why it is empty.
func (p *Page) share(which []int, w, h int, titled bool) ([]int, bool) {
	left := h
	out := make([]int, len(which))
	for n, i := range which {
		s := p.Sections[i]
		out[n] = min(s.least(w), s.need(w))
		left -= out[n]
		if p.ruled(n, s, titled) {
			left--
		}
	}
	if left < 0 {
		return nil, false
	}
	give := func(n, most int) {
		more := min(max(most-out[n], 0), left)
		out[n] += more
		left -= more
	}
	whole, over := make([]int, len(which)), left
	for n, i := range which {
		s := p.Sections[i]
		if s.Late {
			continue
		}
		if whole[n] = s.need(w); s.Grid != nil {
			whole[n] = min(whole[n], h/5)
		}
		over -= max(whole[n]-out[n], 0)
	}
	if over >= 0 && h >= wholeFrom {
		for n := range which {
			give(n, whole[n])
		}
	}
	for _, round := range []struct {
		focus bool
		most  int
	}{{true, h / 3}, {false, h / 4}, {true, h}, {false, h}} {
		for n, i := range which {
			if (i == p.Focus) == round.focus && !p.Sections[i].Late {
				give(n, min(round.most, p.Sections[i].need(w)))
			}
		}
	}
	for n, i := range which {
		give(n, p.Sections[i].need(w))
	}
	if last := len(which) - 1; p.Sections[which[last]].List != nil {
		out[last] += left
	}
	return out, true
}

// wholeFrom is from how many lines a fifth of them is enough for a table.
const wholeFrom = 28

// alone draws the focused section, or else the first, in all of the room.
func (p *Page) alone(which []int, w, h int) []string {
	p.whole = !p.zoomed
	n := max(slices.Index(which, p.Focus), 0)
	s := p.Sections[which[n]]
	room := max(h-1, 0)
	s.at = rect{0, 1, w, room}
	note := "esc back"
	switch {
	case h < 3 && s.List != nil:
		return s.body(w, h, true)
	case !p.zoomed:
		note = fmt.Sprintf("%d/%d tab", n+1, len(which))
	}
	body := s.body(w, room, true)
	return append([]string{p.rule(which[n], w, note)}, body...)
}
