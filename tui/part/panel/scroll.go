package panel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// Scroll is a window over a page that may be longer than the screen. The zero
// value shows its start.
type Scroll struct {
	top   int // the first visible line
	rows  int // lines at the last View
	shown int // lines that were visible then
}

// Home returns to the start of the page.
func (s *Scroll) Home() { s.top = 0 }

// Key moves the window by the keys that ScrollAction names.
func (s *Scroll) Key(key string) {
	half := max(s.shown/2, 1)
	switch key {
	case "j", "down":
		s.top++
	case "k", "up":
		s.top--
	case "ctrl+d":
		s.top += half
	case "ctrl+u":
		s.top -= half
	case "pgdown":
		s.top += 2 * half
	case "pgup":
		s.top -= 2 * half
	case "g", "home":
		s.top = 0
	case "G", "end":
		s.top = s.rows
	}
	s.top = max(min(s.top, s.rows-s.shown), 0)
}

// ScrollAction names the keys of Key for help.
func ScrollAction(id action.ID) action.Action {
	return action.Action{
		ID: id, Keys: "j k up down ctrl+d ctrl+u pgup pgdown g G home end",
		Title: "scroll", Group: action.Move,
	}
}

// Window returns at most h lines: those that the window shows.
func (s *Scroll) Window(h int, lines []string) []string {
	s.rows, s.shown = len(lines), h
	s.top = max(min(s.top, s.rows-s.shown), 0)
	return lines[s.top:min(s.top+s.shown, s.rows)]
}

// Position says how much is in view, "" for all of it: brief beside another note, and how
// much more there is if the keys move something else.
func (s *Scroll) Position(brief, moves bool) string {
	last := s.top + s.shown
	switch {
	case s.rows <= s.shown:
		return ""
	case brief:
		return fmt.Sprintf("%d-%d/%d", s.top+1, last, s.rows)
	case moves:
		return fmt.Sprintf("lines %d to %d of %d", s.top+1, last, s.rows)
	}
	return component.Plural(s.rows-s.shown, "more line")
}

// View returns the h lines of w cells that the window shows; the last one says how
// much more there is.
func (s *Scroll) View(st *style.Styles, w, h int, lines []string) string {
	room := h
	if len(lines) > h && h > 1 {
		room = h - 1
	}
	shown := s.Window(room, lines)
	if s.shown < h {
		shown = append(slices.Clip(shown), s.more(st, w))
	}
	return strings.Join(shown, "\n")
}

// more says how much of the page is below the window.
func (s *Scroll) more(st *style.Styles, w int) string {
	l := component.NewLine(st, w).Space(1).Add(themes.Faint, st.Glyphs.More)
	if below := s.rows - s.top - s.shown; below > 0 {
		return l.Add(themes.Dim, " "+component.Count(below)+" more lines").Add(themes.Faint, "   j k scroll").String()
	}
	return l.Add(themes.Dim, " end").Add(themes.Faint, "   k scrolls back").String()
}
