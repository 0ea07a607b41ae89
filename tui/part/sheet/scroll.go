package sheet

import (
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

// View returns the h lines of w cells that the window shows; the last one says how
// much more there is.
func (s *Scroll) View(st *style.Styles, w, h int, lines []string) string {
	s.rows, s.shown = len(lines), h
	if s.rows > h && h > 1 {
		s.shown = h - 1
	}
	s.top = max(min(s.top, s.rows-s.shown), 0)
	shown := lines[s.top:min(s.top+s.shown, s.rows)]
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
