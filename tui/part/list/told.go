package list

import (
	"slices"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/describe"
)

// told returns the keys that tell of the row under the cursor, other than those that the
// list has a meaning of its own for.
func (s *Screen) told(own []action.Action) []action.Action {
	if s.form.kind == nil {
		return nil
	}
	at, i, ok := s.current()
	nothing := ""
	if !ok {
		nothing = "no " + s.form.thing + " under the cursor"
	}
	all := describe.Actions(s.form.name, s.env, nothing, func() describe.Thing {
		return describe.Thing{Kind: s.form.kind, At: at, Row: s.src.all.rowsAt(at)(i)}
	})
	return slices.DeleteFunc(all, func(a action.Action) bool { return action.Has(own, a.Keys[0]) })
}
