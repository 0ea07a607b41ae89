package list

import (
	"strings"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Sizes from which on a list is not alone on the screen, in cells.
const (
	WideFrom  = 120 // what is said of a row may stand right of the list
	BelowFrom = 16  // or a few lines below
)

// Split lays out a list and what is said of the row under its cursor: side by
// side in boxes, or one below the other without, or the list alone.
type Split struct {
	// List draws the list. Box is the frame around it where there is one.
	List func(w, h int) string
	Box  func() component.Box
	// Beside draws the pane right of the list. It is nil where there is none.
	Beside func(w, h int) panel.Pane
	// Below draws the lines below the list, Rows of them. It is nil where there
	// are none.
	Below func(w, h int) string
	Rows  int

	buf []byte // of the last view
}

// View draws h lines of w cells.
func (s *Split) View(st *style.Styles, w, h int) string {
	switch {
	case w >= WideFrom && h >= BelowFrom && s.Beside != nil:
		left := w * 5 / 9
		box := s.Box()
		pane := panel.Pane{Box: box, Width: left, Lines: strings.Split(s.List(box.Inner(left, h)), "\n")}
		s.buf = panel.Lay(s.buf[:0], st, h, pane, s.Beside(w-left-1, h))
		return string(s.buf)
	case h >= BelowFrom && s.Below != nil:
		return component.Stack(s.List(w, h-s.Rows), s.Below(w, s.Rows))
	}
	return s.List(w, h)
}

// Box is the frame around a list: its title, and at the foot keys, or how many
// rows are marked.
func Box(g *component.Grid, title, keys string) component.Box {
	box := component.Box{Title: title, Footer: keys, Focused: true}
	if n := g.Marked(); n > 0 {
		box.Footer = component.Count(int64(n)) + " marked   ^\\ clear"
	}
	return box
}
