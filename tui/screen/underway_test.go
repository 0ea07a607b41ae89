package screen_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
)

// TestInterrupted finds at once what stands half-way, and leaves out what is under
// way here until nobody takes it further, whatever the clock says.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	c := screentest.Fleet(t)
	env := screentest.Env(c, screentest.Plain())
	names := func() (names []string, again time.Time) {
		found, again := env.Interrupted(c.Snapshot())
		for _, x := range found {
			names = append(names, x.Name)
		}
		return names, again
	}
	left, again := names()
	if len(left) != 1 || left[0] != "infer-2" || again.IsZero() {
		t.Fatalf("found %v, to look again at %v", left, again)
	}
	env.UnderWay = &screen.UnderWay{}
	for name, course := range map[string]ops.Task{
		"the boot itself":   ops.Boot{Instance: modeltest.ConsumerID("infer-2")},
		"a delete of it":    ops.Terminate{Instance: modeltest.ConsumerID("infer-2")},
		"a migration of it": ops.Move{Instance: modeltest.ConsumerID("infer-2"), Migration: modeltest.ConsumerID("m")},
	} {
		end := env.UnderWay.Begin(course)
		soon := env.Clock().Add(time.Minute)
		if left, again := names(); len(left) > 0 || again.IsZero() || !again.Before(soon) {
			t.Errorf("%s under way: found %v, to look again at %v", name, left, again)
		}
		end()
		if left, _ := names(); len(left) != 1 {
			t.Errorf("%s is over: found %v", name, left)
		}
	}
	other := placement.ConsumerID{15: 1}
	defer env.UnderWay.Begin(ops.Confirm{Migration: other})()
	defer env.UnderWay.Begin(ops.Boot{Instance: other})()
	if left, _ := names(); len(left) != 1 {
		t.Errorf("others are under way: found %v", left)
	}
}

// TestInterruptedIsOver leaves out what was half-way in a Snapshot that is counted
// late: its course has come to its end since.
func TestInterruptedIsOver(t *testing.T) {
	t.Parallel()
	c := screentest.Fleet(t)
	env := screentest.Env(c, screentest.Plain())
	counted := c.Snapshot()
	found, _ := env.Interrupted(counted)
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	r, err := ops.Rehearse(counted, found[0].Finish, env.Clock())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range r.Steps {
		if err := c.Change(step.Change); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ := env.Interrupted(counted); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
