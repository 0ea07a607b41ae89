package list

import (
	"strings"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// Sizes from which a list shares the screen, in cells.
const (
	WideFrom  = 136 // lines about a row may be to the right of the list
	BelowFrom = 16  // or a few lines below
)

// leastBeside is the least width of a list with a pane beside it, including its box: a
// wider terminal never shows fewer columns than one of 80.
const leastBeside = 84

// leastPane is the least width of the pane beside a list.
const leastPane = 40

// split is how a list and the pane about the row under its cursor share the screen: side by
// side in boxes, or one below the other without boxes, or only the list.
type split struct {
	// share is the list's part of the width when the pane is beside it, in percent, and
	// room how many lines are below it; 0 means the initial size.
	share, room int

	// At the last view:
	paned bool // there was a pane, or would have been with more room
	left  int  // the width of the list's box, 0 without one
	lines int  // the height of the list if there were lines below it, else 0
	rows  int  // how many lines are below it initially
	h     int  // the height of all
}

// The least size of the list and of the pane, in percent of the width and in lines.
const (
	leastShare = 25
	leastRows  = 3
)

// resize makes the pane one size larger: half, nearly all, none, and as it was at first.
func (s *split) resize() {
	switch {
	case s.share == 0:
		s.share, s.room = 50, max(s.h/2, s.rows)
	case s.share >= 100:
		s.share, s.room = 0, 0
	case s.share >= 50:
		s.share, s.room = leastShare, max(s.h-leastRows-1, leastRows)
	default:
		s.share, s.room = 100, 1
	}
}

// inList returns the position in the list of a cell of the last view; false if it is not
// in the list.
func (s *split) inList(x, y int) (int, int, bool) {
	switch {
	case s.left > 0:
		return x - 2, y - 1, x >= 2 && x < s.left-2 && y >= 1 && y < s.h-1
	case s.lines > 0:
		return x, y, y < s.lines
	}
	return x, y, true
}

// width returns the width of the list's box out of w cells. Least is the least of the list in
// it, unless the user has set another share.
func (s *split) width(w, least int) int {
	if s.share > 0 {
		return w * s.share / 100
	}
	return max(w*5/9, leastBeside, min(least+4, w-leastPane))
}

// lay draws the list, and the pane if there is room for it, on h lines of w cells.
func (s *Screen) lay(w, h int) string {
	p := &s.split
	// The lines about each row get the same room, so that the list does not move when the
	// cursor does.
	about := s.form.detailed && s.src != nil && len(s.src.shown) > 0
	beside := !s.full && s.form.Side && about
	*p = split{share: p.share, room: p.room, h: h, paned: about}
	if about {
		p.rows = s.belowRows(h)
	}
	switch {
	case beside && w >= WideFrom && h >= BelowFrom && p.share < 100:
		p.left = p.width(w, s.grid.Least(WideFrom-1))
		box := component.Box{Title: strings.ToUpper(s.form.Crumb), Footer: "space mark", Focused: true}
		if n := s.grid.Marked(); n > 0 {
			box.Footer = component.Count(n) + " marked   esc clear"
		} else if s.form.nested {
			box.Footer = "h l fold   " + box.Footer
		}
		list := panel.Pane{Box: box, Width: p.left, Lines: strings.Split(s.drawList(box.Inner(p.left, h)), "\n")}
		return panel.Lay(s.env.Styles, h, list, s.beside(w-p.left-1, h))
	case about && h >= BelowFrom:
		rows := p.rows
		if p.room > 0 {
			rows = min(p.room, h-leastRows-1)
		}
		p.lines = h - rows
		return s.drawList(w, p.lines) + "\n" + s.below(w, rows)
	}
	return s.drawList(w, h)
}
