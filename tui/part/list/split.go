package list

import (
	"strings"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
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

// Split lays out a list and the pane about the row under its cursor: side by side in
// boxes, or one below the other without boxes, or only the list.
type Split struct {
	// List draws the list. Box is the frame around it if there is one.
	List func(w, h int) string
	Box  func() component.Box
	// Beside draws the pane to the right of the list. It is nil if there is none.
	Beside func(w, h int) panel.Pane
	// Below draws the lines below the list, Rows of them. It is nil if there are none.
	Below func(w, h int) string
	Rows  int

	// Share is the list's part of the width when the pane is beside it, in percent, and
	// Room how many lines are below it; 0 means the initial size.
	Share, Room int
	// Least is the least width of the list within its box, unless the user has set Share.
	Least int

	left  int // width of the list's pane at the last view, 0 without a box
	lines int // height of the list there if there are lines below it, else 0
	h     int // height at the last view
}

// The least size of the list and of the pane, in percent of the width and in lines.
const (
	leastShare = 25
	leastRows  = 3
)

// resize makes the pane one size larger: half, nearly all, none, and as it was at first.
func (s *Split) resize() {
	switch {
	case s.Share == 0:
		s.Share, s.Room = 50, max(s.h/2, s.Rows)
	case s.Share >= 100:
		s.Share, s.Room = 0, 0
	case s.Share >= 50:
		s.Share, s.Room = leastShare, max(s.h-leastRows-1, leastRows)
	default:
		s.Share, s.Room = 100, 1
	}
}

// inList returns the position in the list of a cell of the last view; false if it is not
// in the list.
func (s *Split) inList(x, y int) (int, int, bool) {
	switch {
	case s.left > 0:
		return x - 2, y - 1, x >= 2 && x < s.left-2 && y >= 1 && y < s.h-1
	case s.lines > 0:
		return x, y, y < s.lines
	}
	return x, y, true
}

// draw draws h lines of w cells.
func (s *Split) draw(st *style.Styles, w, h int) string {
	s.h, s.left, s.lines = h, 0, 0
	switch {
	case w >= WideFrom && h >= BelowFrom && s.Beside != nil && s.Share < 100:
		left := max(w*5/9, leastBeside, min(s.Least+4, w-leastPane))
		if s.Share > 0 {
			left = w * s.Share / 100
		}
		box := s.Box()
		rows := s.List(box.Inner(left, h))
		s.left = left
		pane := panel.Pane{Box: box, Width: left, Lines: strings.Split(rows, "\n")}
		return panel.Lay(st, h, pane, s.Beside(w-left-1, h))
	case h >= BelowFrom && s.Below != nil:
		rows := s.Rows
		if s.Room > 0 {
			rows = min(s.Room, h-leastRows-1)
		}
		s.lines = h - rows
		return s.List(w, s.lines) + "\n" + s.Below(w, rows)
	}
	return s.List(w, h)
}

// Box is the frame around a list: its title, and at the bottom keys, or how many rows are
// marked.
func Box(g *component.Grid, title, keys string) component.Box {
	box := component.Box{Title: title, Footer: keys, Focused: true}
	if n := g.Marked(); n > 0 {
		box.Footer = component.Count(n) + " marked   esc clear"
	}
	return box
}
