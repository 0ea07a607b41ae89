// Package sections is the page of one thing with several lists: its facts at the top, and
// below them titled sections, each with lines or a small table.
//
// Tab goes from section to section; keys move in the focused one. If they do not all fit,
// the focused one gets most of the room, and on the smallest terminals the whole body. On
// large ones sections may be to the right of the others.
//
// A Page is only the layout, for a screen that does the rest itself. A Screen follows one
// thing through the Snapshots, and is made from a declaration:
//
//	sections.New(sections.Spec[*nova.Instance]{
//		Name:  "instance",
//		Find:  func(s *cloud.Snapshot) (*nova.Instance, bool) { return s.Nova().Instance(id) },
//		Title: func(i *nova.Instance, _ list.At) string { return i.Name },
//		Facts: func(i *nova.Instance, _ list.At) []panel.Fact {
//			return []panel.Fact{{Name: "flavor", Text: i.Flavor}, {Name: "host", Text: i.Host}}
//		},
//		Parts: []sections.Part[*nova.Instance]{
//			sections.Lines("NOTES", notes),
//			sections.Table("HOLDS", columns(), holdings, holding.id, func(h holding) place.Place {
//				return place.Provider{ID: h.provider}
//			}),
//		},
//	}, env, snap, name)
package sections

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Section is a part of a Page: lines, or a table.
type Section struct {
	// Title is above it: "TRAITS 5".
	Title string
	// Lines draws it, lines of w cells; Grid is its table. One of them is set. A
	// section without lines is not shown.
	Lines func(w int) []string
	Grid  *component.Grid
	// Spare draws more lines below Lines, which get room only once everything else has
	// it.
	Spare func(w int) []string
	// Bare is set for a section without a title as long as there is room for all
	// sections: the facts.
	Bare bool
	// Side puts it to the right of the others if there is room.
	Side bool
	// Keys are at the bottom of the box of a section at the side.
	Keys string
	// Late is set for a table that is shown only if it has rows, or says why it has none
	// (then Told is set), and only once everything else has all the room that it needs. It is
	// the last one, and not at the side.
	Late, Told bool

	off   bool     // it is Late, and there was no room at the last View
	drawn []string // by Lines and Spare
	spare int      // how many of them by Spare
	width int      // that it was drawn for; 0 to draw it again
	top   int      // the first visible line
	room  int      // visible lines at the last View
	at    rect     // where it was then drawn
}

// rect is a rectangle, in cells.
type rect struct{ x, y, w, h int }

// Page is the layout of sections, with one that has the focus. Its fields are set before
// the first View; when what Lines draws changes, call Invalidate.
type Page struct {
	Styles *style.Styles
	// Title is the title of the box around the sections that are not at the side.
	Title    string
	Sections []*Section
	// Focus is the index in Sections of the one that gets the keys.
	Focus int

	styled uint64 // the version of the drawn styles
	whole  bool   // one section had the whole body at the last View
	roomy  bool   // there was room then for one that is Late, if there is one
	buf    []byte
}

// Sizes from which sections are in boxes side by side, in cells.
const (
	boxesFromW = 150
	boxesFromH = 20
)

// Invalidate makes all lines be drawn again.
func (p *Page) Invalidate() {
	for _, s := range p.Sections {
		s.width = 0
	}
}

// need returns how many lines a section would like.
func (s *Section) need(w int) int {
	if s.Grid != nil {
		rows := max(s.Grid.Len(), 1) // or one line with the reason
		if !s.Grid.NoHeader {
			rows++
		}
		return rows
	}
	if s.width != w {
		s.drawn, s.spare, s.width = s.Lines(w), 0, w
		if s.Spare != nil {
			more := s.Spare(w)
			s.drawn, s.spare = append(s.drawn, more...), len(more)
		}
	}
	return len(s.drawn)
}

// there reports whether a section has anything to show, which does not depend on the
// width.
func (s *Section) there(w int) bool {
	if s.Late && s.Grid.Len() == 0 && !s.Told {
		return false
	}
	return s.Grid != nil || s.width > 0 && len(s.drawn) > 0 || s.width == 0 && s.need(w) > 0
}

// least returns the fewest lines that make sense.
func (s *Section) least(w int) int {
	switch {
	case s.Bare:
		return s.need(w)
	case s.Grid != nil && !s.Grid.NoHeader:
		return 2
	}
	return 1
}

// hidden returns how many lines are out of view.
func (s *Section) hidden() int {
	if s.Grid != nil {
		return 0 // a grid says so itself
	}
	return max(len(s.drawn)-s.room, 0)
}

// View draws h lines of w cells.
func (p *Page) View(w, h int) string {
	if v := p.Styles.Version(); v != p.styled {
		p.styled = v
		p.Invalidate()
	}
	p.whole = false
	for _, s := range p.Sections {
		s.at = rect{}
	}
	p.shown(w)
	var main, side, late []int
	for i, s := range p.Sections {
		switch {
		case !s.there(w):
		case s.Side:
			side = append(side, i)
		case s.Late:
			late = append(late, i)
		default:
			main = append(main, i)
		}
	}
	if w < boxesFromW || h < boxesFromH || len(main) == 0 || len(side) == 0 {
		return component.Fit(strings.Join(p.stack(slices.Concat(main, side, late), w, h, false), "\n"), w, h)
	}
	right := w - w*6/10 - 1
	if least := p.least(side); least > right && w-least-1 >= p.least(main) {
		right = least
	}
	first := p.Sections[side[0]]
	focused := p.Sections[p.Focus].Side
	boxes := [2]component.Box{
		{Title: p.Title, Focused: !focused},
		{Title: first.Title, Footer: first.Keys, Focused: focused},
	}
	rw, rh := boxes[1].Inner(right, h)
	rightLines := p.stack(side, rw, rh, true)
	left := w - right - 1
	lw, lh := boxes[0].Inner(left, h)
	leftLines := p.stack(slices.Concat(main, late), lw, lh, false)
	for _, s := range p.Sections {
		s.at.x, s.at.y = s.at.x+2, s.at.y+1 // within its box
		if s.Side {
			s.at.x += left + 1
		}
	}
	p.buf = panel.Lay(p.buf[:0], p.Styles, h,
		panel.Pane{Box: boxes[0], Width: left, Lines: leftLines},
		panel.Pane{Box: boxes[1], Width: right, Lines: rightLines})
	return string(p.buf)
}

// least returns the least width of a box in which no table loses a column that it has
// when sections are one below the other.
func (p *Page) least(which []int) int {
	w := 0
	for _, i := range which {
		if g := p.Sections[i].Grid; g != nil && !p.Sections[i].Late {
			w = max(w, g.Least(boxesFromW-1)+4)
		}
	}
	return w
}

// shown moves the focus away from a section that is not shown.
func (p *Page) shown(w int) {
	if len(p.Sections) > 0 && !p.Sections[p.Focus].there(w) {
		p.Next(1)
	}
}

// stack draws sections one below the other, in at most h lines. The first one has no
// title if its box has it.
func (p *Page) stack(which []int, w, h int, titled bool) []string {
	for _, i := range which {
		p.Sections[i].at = rect{}
	}
	which = p.spared(which, w, h, titled)
	heights, ok := p.share(which, w, h, titled)
	if !ok {
		return p.alone(which, w, h)
	}
	var lines []string
	for n, i := range which {
		s := p.Sections[i]
		s.room = heights[n]
		if !s.Bare && (n > 0 || !titled) {
			lines = append(lines, p.rule(i, w, ""))
		}
		s.at = rect{0, len(lines), w, heights[n]}
		lines = append(lines, p.body(i, w, heights[n])...)
	}
	return lines
}

// leastLate is how many lines must be left for a Late section: its title, the head of its
// table, and some rows.
const leastLate = 5

// spared returns the sections without those that are Late and have no room; the focus
// leaves them.
func (p *Page) spared(which []int, w, h int, titled bool) []int {
	left := h
	for n, i := range which {
		s := p.Sections[i]
		if s.Late {
			continue
		}
		left -= s.need(w)
		if !s.Bare && (n > 0 || !titled) {
			left--
		}
	}
	out := slices.DeleteFunc(slices.Clone(which), func(i int) bool {
		s := p.Sections[i]
		s.off = s.Late && left < leastLate
		return s.off
	})
	p.roomy = left >= leastLate
	if p.Sections[p.Focus].off && len(out) > 0 {
		p.Focus = out[0]
		for _, i := range out {
			if p.Sections[i].Grid != nil {
				p.Focus = i
				break
			}
		}
	}
	return out
}

// share returns how many lines each section gets, without its title; false if they do not
// suffice for the least of each. If there are many lines and texts can be complete while
// tables, which scroll, get a fifth each, that comes first. Then the focused section gets
// up to a third if it needs that, then each of the others in order up to a quarter; the
// rest goes to the focused one, then to the others, then to spare lines, and last to those
// that are Late.
func (p *Page) share(which []int, w, h int, titled bool) ([]int, bool) {
	left := h
	out := make([]int, len(which))
	for n, i := range which {
		s := p.Sections[i]
		out[n] = min(s.least(w), s.need(w))
		left -= out[n]
		if !s.Bare && (n > 0 || !titled) {
			left--
		}
	}
	if left < 0 {
		return nil, false
	}
	give := func(n, most int) {
		more := max(most-out[n], 0)
		more = min(more, left)
		out[n] += more
		left -= more
	}
	whole, over := make([]int, len(which)), left
	for n, i := range which {
		s := p.Sections[i]
		if s.Late {
			continue
		}
		if whole[n] = s.need(w) - s.spare; s.Grid != nil {
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
				give(n, min(round.most, p.Sections[i].need(w)-p.Sections[i].spare))
			}
		}
	}
	for n, i := range which {
		give(n, p.Sections[i].need(w))
	}
	return out, true
}

// wholeFrom is from how many lines a fifth of them is enough for a table.
const wholeFrom = 28

// alone draws the focused section in all of the room.
func (p *Page) alone(which []int, w, h int) []string {
	at := which[0]
	for _, i := range which {
		if i == p.Focus {
			at = i
		}
	}
	p.whole = true
	s := p.Sections[at]
	s.room = max(h-1, 0)
	s.at = rect{0, 1, w, s.room}
	n := 0
	for k, i := range which {
		if i == at {
			n = k + 1
		}
	}
	return append([]string{p.rule(at, w, fmt.Sprintf("%d/%d tab", n, len(which)))}, p.body(at, w, s.room)...)
}

// body draws h lines of a section.
func (p *Page) body(i, w, h int) []string {
	s := p.Sections[i]
	if h <= 0 {
		return nil
	}
	if s.Grid != nil {
		if blurred := p.Focus != i; s.Grid.Blurred != blurred {
			s.Grid.Blurred = blurred
			s.Grid.Invalidate()
		}
		return strings.Split(s.Grid.View(w, h), "\n")
	}
	s.top = max(min(s.top, len(s.drawn)-h), 0)
	return s.drawn[s.top:min(s.top+h, len(s.drawn))]
}

// rule draws the title of a section, with the cursor sign if it has the focus, and how
// much of it is in view.
func (p *Page) rule(i, w int, note string) string {
	s := p.Sections[i]
	title := s.Title
	if i == p.Focus && note == "" {
		title = p.Styles.Glyphs.RowCursor + " " + title
	}
	if n := s.hidden(); n > 0 {
		more := component.Plural(n, "more line")
		switch {
		case note != "":
			more = fmt.Sprintf("%d-%d/%d", s.top+1, s.top+s.room, len(s.drawn))
		case i == p.Focus:
			more = fmt.Sprintf("lines %d to %d of %d", s.top+1, s.top+s.room, len(s.drawn))
		}
		note = strings.TrimSpace(more + "  " + note)
	}
	return component.Titled(p.Styles, w, title, note)
}
