package page

import (
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/style"
)

// Section is a part of a Page: lines, a table, or a list.
type Section struct {
	// Title is above it: "TRAITS 5". That of a list gets the number of its rows.
	Title string
	// Note returns a text for the end of its title; it may be nil.
	Note func() string
	// Keys are at the bottom of its box.
	Keys string

	// Lines draws it, lines of w cells; Grid is its table, List its list, which keeps its
	// own keys: filter, order, marks. One of them is set. A section without lines is not
	// shown.
	Lines func(w int) []string
	Grid  *component.Grid
	List  *list.Screen
	// Columns returns the columns of the table for its width, if they depend on it.
	Columns func(w int) []component.Column
	// Key handles a key in place of the table, or of lines with a cursor of their own.
	Key func(key string)
	// About returns lines of w cells about the row under the cursor, nil if there is none:
	// everything if they have the whole body.
	About func(w int, whole bool) (title string, lines []string)

	// Least is the fewest lines that make sense; 0 for a heading and a row.
	Least int
	// Uncounted is set if the number of rows of a list means nothing.
	Uncounted bool
	// Bare is set for a section without a title as long as there is room for all
	// sections: the facts.
	Bare bool
	// Turn is a number for a section that takes turns with those of other numbers, unless
	// each has its box. The last one that had the focus is shown, with those of its number.
	Turn int
	// Filled is set for a table that is shown only if it has rows, or says why it has none:
	// then Told is set. Late is the same for one that is shown only once everything else has
	// all the room that it needs. It is the last one of its box.
	Filled, Late, Told bool

	aside  bool     // it is about the row under the cursor
	below  bool     // and shown where there are no boxes, too
	shown  int      // when it got the focus last
	off    bool     // it is Late, and there was no room at the last View
	drawn  []string // by Lines
	width  int      // that it was drawn for; 0 before it is drawn for a View
	scroll panel.Scroll
	most   room // what it needed so far, if it is about a row
	at     rect // where it was drawn at the last View
}

// rect is a rectangle, in cells.
type rect struct{ x, y, w, h int }

// room is the most lines that were needed in a body of some size with the focus somewhere.
type room struct{ w, h, focus, lines int }

// Words is a paragraph in one colour. Without text it is an empty line.
type Words struct {
	Token themes.Token
	Text  string
}

// Wrap breaks words into lines of w cells.
func Wrap(st *style.Styles, words []Words, w int) []string {
	var lines []string
	for _, p := range words {
		if p.Text == "" {
			lines = append(lines, panel.Text(st, w, themes.Text, ""))
			continue
		}
		indent := len(p.Text) - len(strings.TrimLeft(p.Text, " "))
		lines = append(lines, component.Paragraph(st, w, 1+indent, p.Token, p.Text[indent:])...)
	}
	return lines
}

// title returns the title, that of a list with the number of its rows.
func (s *Section) title() string {
	if s.List == nil || s.Uncounted {
		return s.Title
	}
	shown, all := s.List.Counts()
	if s.List.Expr() != "" {
		return s.Title + " " + component.Count(shown) + " of " + component.Count(all)
	}
	return s.Title + " " + component.Count(all)
}

// note returns the text at the end of the title.
func (s *Section) note() string {
	if s.Note == nil {
		return ""
	}
	return s.Note()
}

// need returns how many lines a section would like.
func (s *Section) need(w int) int {
	switch {
	case s.List != nil:
		return s.List.Need()
	case s.Grid != nil:
		return max(s.Grid.Len(), 1) + s.heads() // or one line with the reason
	case s.width != w:
		s.drawn, s.width = s.Lines(w), w
	}
	return len(s.drawn)
}

// heads returns how many lines the headings of a table take.
func (s *Section) heads() int {
	if s.Grid.NoHeader {
		return 0
	}
	return 1
}

// there reports whether a section has anything to show, which does not depend on the
// width.
func (s *Section) there(w int) bool {
	switch {
	case s.List != nil:
		return true
	case s.Grid != nil:
		return !s.Late && !s.Filled || s.Grid.Len() > 0 || s.Told
	}
	return s.width > 0 && len(s.drawn) > 0 || s.width == 0 && s.need(w) > 0
}

// movable reports whether the focus can be on a section. Whole is set if one has the whole
// body.
func (s *Section) movable(whole bool) bool {
	switch {
	case s.aside, s.off, s.Late && s.Grid.Len() == 0, s.Filled && s.Grid.Len() == 0:
		return false
	case s.Key != nil:
		return true
	case s.Lines != nil:
		return (s.width == 0 || len(s.drawn) > 0) && (!s.Bare || whole)
	}
	return true
}

// least returns the fewest lines that make sense.
func (s *Section) least(w int) int {
	switch {
	case s.Least > 0:
		return s.Least
	case s.Bare:
		return s.need(w)
	case s.Grid != nil:
		return 1 + s.heads()
	case s.List != nil:
		return 2
	}
	return 1
}

// body draws h lines of w cells.
func (s *Section) body(w, h int, focused bool) []string {
	switch {
	case h <= 0:
		return nil
	case s.List != nil:
		s.List.Blur(!focused)
		return strings.Split(s.List.View(w, h), "\n")
	case s.Grid != nil:
		if s.Columns != nil {
			s.Grid.SetColumns(s.Columns(w))
		}
		s.Grid.Blurred = !focused
		return strings.Split(s.Grid.View(w, h), "\n")
	}
	s.need(w)
	return s.scroll.Window(h, s.drawn)
}

// cursorID returns the id of the row under the cursor, "" if there is none.
func (s *Section) cursorID() (id string) {
	switch {
	case s.List != nil:
		return s.List.CursorID()
	case s.Grid != nil:
		_, id = s.Grid.Cursor()
	}
	return id
}

// hasRow reports whether there is a row with that id.
func (s *Section) hasRow(id string) bool {
	if s.List != nil {
		return s.List.HasRow(id)
	}
	for r := range s.Grid.Len() {
		if s.Grid.Rows().Name(r) == id {
			return true
		}
	}
	return false
}
