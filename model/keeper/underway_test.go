package keeper_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func bootOf(name string) ops.Boot {
	return ops.Boot{Instance: vm(name), Wish: ops.BootWish{Name: name, Flavor: "nova", Project: "p", User: "u"}}
}

// TestInterrupted finds at once what is unfinished, and leaves out what this process is
// still working on, whatever the clock says.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newRunning(t)
	s.killed(t, 2, bootOf("b"))
	now := modeltest.At(2)
	k := keeper.New(s, keeper.Options{Now: func() time.Time { return now }})
	names := func() (names []string, again time.Time) {
		found, again := k.Interrupted(s.Snapshot())
		for _, x := range found {
			names = append(names, x.Name)
		}
		return names, again
	}
	left, again := names()
	if len(left) != 1 || left[0] != "b" || again.IsZero() {
		t.Fatalf("found %v, to look again at %v", left, again)
	}
	for name, task := range map[string]ops.Task{
		"the boot itself":   ops.Boot{Instance: vm("b")},
		"a delete of it":    ops.Terminate{Instance: vm("b")},
		"a migration of it": ops.Move{Instance: vm("b"), Migration: vm("m")},
	} {
		end := k.Begin(task)
		if left, again := names(); len(left) > 0 || again.IsZero() || !again.Before(now.Add(time.Minute)) {
			t.Errorf("%s under way: found %v, to look again at %v", name, left, again)
		}
		end()
		if left, _ := names(); len(left) != 1 {
			t.Errorf("%s is over: found %v", name, left)
		}
	}
	other := placement.ConsumerID{15: 1}
	defer k.Begin(ops.Confirm{Migration: other})()
	defer k.Begin(ops.Boot{Instance: other})()
	if left, _ := names(); len(left) != 1 {
		t.Errorf("others are under way: found %v", left)
	}
}

// TestInterruptedIsOver leaves out a task that was halfway in an old Snapshot but has
// ended since.
func TestInterruptedIsOver(t *testing.T) {
	t.Parallel()
	s := newRunning(t)
	s.killed(t, 2, bootOf("b"))
	k := keeper.New(s, keeper.Options{Now: func() time.Time { return modeltest.At(2) }})
	counted := s.Snapshot()
	found, _ := k.Interrupted(counted)
	if len(found) != 1 {
		t.Fatalf("found %v", found)
	}
	s.run(t, found[0].Finish)
	if found, _ := k.Interrupted(counted); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}
