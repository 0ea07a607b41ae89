package list

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/describe"
	"github.com/placetop/placetop/tui/screen"
)

// told returns the keys for details of the row under the cursor, except those that the
// list itself uses.
func (s *Screen) told(own []action.Action) []action.Action {
	if s.form.kind == nil {
		return nil
	}
	at, i, ok := s.current()
	nothing := ""
	if !ok {
		nothing = "no " + s.form.Thing + " under the cursor"
	}
	all := describe.Actions(s.form.Name, s.env, s.form.kind, own, nothing, func() describe.Subject { return s.thing(i, at) })
	if s.grid.Marked() == 2 && !action.Has(own, "=") {
		all = append(all, s.comparing())
	}
	return all
}

// comparing is the key that compares two marked rows.
func (s *Screen) comparing() action.Action {
	return action.Action{ID: action.ID(s.form.Name + ".diff"), Keys: "=", Title: "diff", Help: "compare the two marked rows", Priority: 22, Request: func() tea.Msg {
		var two []describe.Subject
		at, _, _ := s.current()
		for _, id := range s.grid.Chosen() {
			if i := s.src.find(id); i >= 0 {
				two = append(two, s.thing(i, at))
			}
		}
		if len(two) < 2 {
			return screen.Warning(notListed)
		}
		return screen.PushMsg{Screen: describe.Compare(s.env.Styles, two[0], two[1])}
	}}
}
