package confirm

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/screen"
)

// Edit returns the page that shows an edit of any thing, as the last of steps. Where
// somebody else changes the thing meanwhile, it offers theirs, yours or both. Word is what
// must be typed to write it, "" for nothing.
func Edit(env screen.Env, snap *cloud.Snapshot, title string, e ops.Edit, steps []string, word string) *Page {
	var page *Page
	page = New(env, snap, Spec{
		Title: title, Verb: "write", Steps: steps, At: max(len(steps)-1, 0),
		Plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanEdit(s, e) },
		Word: func(*cloud.Snapshot, ops.Preview) string { return word },
		Keys: func() []Key {
			if len(e.Since(page.Snapshot())) == 0 {
				return nil
			}
			set := func(c ops.Clash) func() { return func() { e.Clash = c } }
			return []Key{
				{Key: "t", Title: "theirs", Help: "keep what they wrote, and write nothing", Set: set(ops.KeepTheirs)},
				{Key: "u", Title: "yours", Help: "write it all as you left it, over what they wrote", Set: set(ops.KeepYours)},
				{Key: "b", Title: "both", Help: "keep what they wrote, and write what you changed", Set: set(ops.KeepBoth)},
			}
		},
	})
	return page
}
