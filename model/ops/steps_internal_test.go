package ops

import (
	"slices"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// TestTablesGoBack checks that each step of a course is undone by a step back, unless it
// leaves nothing to undo or turns the course round, and that no table has two steps with
// one name that are due at once.
func TestTablesGoBack(t *testing.T) {
	t.Parallel()
	stays := []string{
		"spawn",                    // only notes the progress
		"retry", "give up", "fail", // turn round
	}
	s := cloud.Empty()
	for name, at := range map[string]work{
		"boot": {s: s, i: &nova.Instance{VMState: nova.Building}},
		"move": {s: s, i: &nova.Instance{}, m: &nova.Migration{Type: nova.Resize}},
	} {
		var there, back []row
		if name == "boot" {
			u := boot{work: at}
			there, back = u.there(), u.back()
		} else {
			there, back = at.there(Move{}), at.back()
		}
		for i, r := range there {
			if r.undo == "" && !slices.Contains(stays, r.name) {
				t.Errorf("%s: nothing takes back %s", name, r.name)
			}
			if r.undo != "" && !slices.ContainsFunc(back, func(b row) bool { return b.name == r.undo }) {
				t.Errorf("%s: %s is to be taken back by %s, which is no step of the way back", name, r.name, r.undo)
			}
			if slices.ContainsFunc(there[:i], func(b row) bool { return b.name == r.name }) {
				t.Errorf("%s: there are two steps %s", name, r.name)
			}
		}
	}
}
