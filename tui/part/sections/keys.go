package sections

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
)

// Next gives the focus to the next section, or with a negative by to the previous one. It
// skips sections that are not shown, or that cannot be moved in.
func (p *Page) Next(by int) {
	n := len(p.Sections)
	for step := 1; step <= n; step++ {
		i := ((p.Focus+by*step)%n + n) % n
		s := p.Sections[i]
		if s.off || s.Late && s.Grid.Len() == 0 || s.Grid == nil && (s.width > 0 && len(s.drawn) == 0 || s.Bare && !p.whole) {
			continue
		}
		p.Focus = i
		return
	}
}

// Key moves in the focused section.
func (p *Page) Key(key string) bool {
	if len(p.Sections) == 0 {
		return false
	}
	s := p.Sections[p.Focus]
	if s.Grid != nil {
		return s.Grid.Key(key)
	}
	page := max(s.room-1, 1)
	top := s.top
	switch key {
	case "j", "down":
		top++
	case "k", "up":
		top--
	case "ctrl+d":
		top += max(page/2, 1)
	case "ctrl+u":
		top -= max(page/2, 1)
	case "pgdown":
		top += page
	case "pgup":
		top -= page
	case "g", "home":
		top = 0
	case "G", "end":
		top = s.hidden()
	default:
		return false
	}
	s.top = min(max(top, 0), s.hidden())
	return true
}

// Actions returns the keys that move the focus. Scope begins the ids of the screen's
// actions.
func (p *Page) Actions(scope string) []action.Action {
	next := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			p.Next(by)
			return nil
		}
	}
	return []action.Action{
		{ID: action.ID(scope + ".section"), Keys: "tab", Title: "section", Help: "the next section", Priority: 60, Group: action.Move, Run: next(1)},
		{ID: action.ID(scope + ".section.back"), Keys: "shift+tab", Title: "previous section", Help: "the previous section", Group: action.Move, Run: next(-1)},
	}
}
