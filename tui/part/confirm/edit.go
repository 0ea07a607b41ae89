package confirm

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/screen"
)

// Edit returns the page that shows an edit of anything, as the last of steps. Where
// somebody else changes the thing meanwhile, it offers theirs, yours or both. Word is what
// must be typed to write it, "" for nothing.
func Edit(env screen.Env, snap *cloud.Snapshot, title string, e ops.Edit, steps []string, word string) *Page {
	var page *Page
	var shown *cloud.Snapshot
	var clash bool // in shown
	plan := func(e ops.Edit) ops.Planner {
		return func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanEdit(s, e) }
	}
	page = New(env, snap, Spec{
		Title: title, Verb: "write", Steps: steps, At: max(len(steps)-1, 0),
		Plan: plan(e),
		Word: func(*cloud.Snapshot, ops.Preview) string { return word },
		Keys: func() []Key {
			if now := page.Snapshot(); now != shown { // the keys are asked for all the time
				shown, clash = now, len(e.Since(now)) > 0
			}
			if !clash {
				return nil
			}
			key := func(c ops.ConflictPolicy, key, title, help string) Key {
				if e.Clash == c {
					title += ", shown"
				}
				return Key{Key: key, Title: title, Help: help, Set: func() ops.Planner {
					e.Clash = c
					return plan(e)
				}}
			}
			return []Key{
				key(ops.KeepTheirs, "t", "theirs", "keep their version, and write nothing"),
				key(ops.KeepYours, "u", "yours", "write your whole version over theirs"),
				key(ops.KeepBoth, "b", "both", "keep their version, with your changes on top"),
			}
		},
	})
	return page
}
