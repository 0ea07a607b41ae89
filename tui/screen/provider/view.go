package provider

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/panel"
	"github.com/placetop/placetop/tui/style"
)

// Sizes from which on the screen is made of boxes, with the traits right of the
// rest, in cells.
const (
	boxesFromW = 120
	boxesFromH = 20
	lowTo      = 10 // lower has no line to spare
)

// labelGone is the state of a provider that was deleted while it was shown.
const labelGone = "GONE"

// upper is the part above the consumers: a column of lines, or two of them.
type upper struct {
	width, height int // of the screen that it was drawn for; 0 where it must be drawn anew
	columns       [2][]string
	room          int // how many lines of it are in sight
}

// lines returns how many lines the longer column has.
func (u upper) lines() int { return max(len(u.columns[0]), len(u.columns[1])) }

// hidden returns how many of them are out of sight.
func (u upper) hidden() int { return max(u.lines()-u.room, 0) }

// View implements screen.Screen.
func (s *Screen) View(w, h int) string {
	if s.p == nil {
		return screen.State(s.env.Styles, w, h, style.SeverityWarn, labelGone,
			s.title+" was deleted while it was shown, "+s.lost, "try: esc goes back")
	}
	boxes := w >= boxesFromW && h >= boxesFromH
	if s.upper.width != w || s.upper.height != h {
		s.upper = s.draw(w, h, boxes)
		s.top = min(s.top, s.upper.hidden())
	}
	if blurred := s.scrolls(); s.grid.Blurred != blurred {
		s.grid.Blurred = blurred
		s.grid.Invalidate()
	}
	if boxes {
		return s.boxes(w, h)
	}
	return s.plain(w, h)
}

// draw draws the upper part, and says how much of the screen it gets: what the
// consumers leave, which have a third of the screen if they need it.
func (s *Screen) draw(w, h int, boxes bool) upper {
	u := upper{width: w, height: h}
	written := panel.Age(s.env.Clock(), s.p.Updated())
	d := parts{st: s.env.Styles, snap: s.snap, pl: s.snap.Placement(), p: s.p, w: w}
	want := s.src.Len() + 1 // with the heads of the columns
	if boxes {
		left, right := boxWidths(w)
		d.w = left - 4
		column := append(d.head(written), d.inventory(s.found)...)
		column = append(column, d.children()...)
		u.columns[0] = append(column, d.aggregates()...)
		d.w = right - 4
		u.columns[1] = panel.Traits(d.st, d.pl, d.p, d.w)
		list := min(max(want, 2), max(h/3, 6))
		u.room = min(max(h-4-list, 1), u.lines())
		return u
	}
	column, inventory := d.head(written), d.inventory(s.found)
	if h < lowTo {
		inventory = inventory[1:] // no line for the title
	}
	column = append(append(column, inventory...), d.children()...)
	column = append(column, d.aggregates()...)
	u.columns[0] = append(column, d.traits()...)
	list := min(max(want, 2), max(h/3, 2))
	u.room = min(max(h-1-list, 0), u.lines())
	return u
}

// boxWidths returns the widths of the two upper boxes.
func boxWidths(w int) (left, right int) {
	left = w * 6 / 10
	return left, w - left - 1
}

// plain is rules without boxes.
func (s *Screen) plain(w, h int) string {
	u := s.upper
	lines := append(make([]string, 0, h), u.columns[0][s.top:s.top+u.room]...)
	if h > u.room {
		lines = append(lines, component.Titled(s.env.Styles, w, s.consumersTitle(), s.hint()))
	}
	if rest := h - u.room - 1; rest > 0 {
		lines = append(lines, s.grid.View(w, rest))
	}
	return component.Fit(strings.Join(lines, "\n"), w, h)
}

// boxes is for large terminals.
func (s *Screen) boxes(w, h int) string {
	u := s.upper
	left, right := boxWidths(w)
	// A column that is all in sight does not scroll with the other one.
	column := func(i int) []string {
		all := u.columns[i]
		top := min(s.top, max(len(all)-u.room, 0))
		return all[top:min(top+u.room, len(all))]
	}
	st := s.env.Styles
	s.buf = panel.Lay(s.buf[:0], st, u.room+2,
		panel.Pane{Box: component.Box{Title: panel.ShortName(s.snap.Placement(), s.p), Footer: s.hint(), Focused: s.scrolls()}, Width: left, Lines: column(0)},
		panel.Pane{Box: component.Box{Title: fmt.Sprintf("TRAITS %d", len(s.p.TraitIDs())), Focused: s.scrolls()}, Width: right, Lines: column(1)})
	box := component.Box{Title: s.consumersTitle(), Footer: "enter consumer   n allocate   D release", Focused: !s.scrolls()}
	iw, ih := box.Inner(w, h-u.room-2)
	s.buf = panel.Lay(append(s.buf, '\n'), st, h-u.room-2, panel.Pane{Box: box, Width: w, Lines: strings.Split(s.grid.View(iw, ih), "\n")})
	return string(s.buf)
}

func (s *Screen) consumersTitle() string {
	title := "CONSUMERS " + component.Count(int64(s.src.total))
	if s.src.total > s.src.Len() {
		title += ", " + component.Count(int64(s.src.Len())) + " of them here"
	}
	return title
}

// hint says how to see the rest of the upper part, "" where all of it is in
// sight.
func (s *Screen) hint() string {
	switch n := s.upper.hidden(); {
	case n == 0:
		return ""
	case s.inGrid:
		return "tab: " + panel.Plural(n, "more line")
	default:
		return fmt.Sprintf("lines %d to %d of %d: j k   tab consumers", s.top+1, s.top+s.upper.room, s.upper.lines())
	}
}
