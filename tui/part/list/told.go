package list

import (
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/panel"
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
	return panel.Describing(s.form.Name, s.env, s.form.kind, own, nothing, func() panel.Subject { return s.thing(i, at) })
}
