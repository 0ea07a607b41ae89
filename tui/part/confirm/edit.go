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
				{Key: "t", Title: "theirs", Help: "keep their version, and write nothing", Set: set(ops.KeepTheirs)},
				{Key: "u", Title: "yours", Help: "write your whole version over theirs", Set: set(ops.KeepYours)},
				{Key: "b", Title: "both", Help: "keep their version, with your changes on top", Set: set(ops.KeepBoth)},
			}
		},
	})
	return page
}
