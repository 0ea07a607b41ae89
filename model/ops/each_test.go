package ops_test

import (
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// checked is a Task with checks.
type checked struct {
	ops.Each
	found []ops.Check
}

func (c checked) Checks(*cloud.Snapshot, time.Time) []ops.Check { return c.found }

// TestEachSaysOnceWhatHoldsOfSeveral has two tasks with a check in common, and a
// different one each.
func TestEachSaysOnceWhatHoldsOfSeveral(t *testing.T) {
	t.Parallel()
	gate := ops.Check{Name: "gate", Text: "the gate is closed", Warning: true}
	all := ops.Each{
		checked{found: []ops.Check{gate, {Name: "move", Text: "its move waits", Warning: true}}},
		checked{found: []ops.Check{gate}},
		ops.Each{},
	}
	var got []string
	for _, c := range all.Checks(nil, time.Time{}) {
		got = append(got, c.Text)
	}
	if want := "the gate is closed (2 of 3), its move waits"; strings.Join(got, ", ") != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
