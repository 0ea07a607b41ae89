package ops_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// voyage is a course with its initial state, for tests that stop it anywhere.
type voyage struct {
	name   string
	start  func(*testing.T) *trip
	course ops.Task
	undo   bool // it can be undone until the last step is taken
}

// evacuation returns the evacuation of instance i.
func evacuation() ops.Evacuate { return ops.Evacuate{Instance: vm("i")} }

func voyages() []voyage {
	var out []voyage
	for _, flavor := range []string{"plain", "nova", "cyborg", "both", "cyborg.two"} {
		out = append(out,
			voyage{"boot " + flavor, newTrip, newBoot(flavor), true},
			voyage{"delete " + flavor, func(t *testing.T) *trip { t.Helper(); return newBooted(t, flavor) }, ops.Terminate{Instance: vm("i")}, false},
			voyage{"delete resized " + flavor, func(t *testing.T) *trip {
				t.Helper()
				tr := newBooted(t, flavor)
				tr.mustEnd(t, move("nova.big"))
				return tr
			}, ops.Terminate{Instance: vm("i")}, false},
			voyage{"vacate " + flavor, func(t *testing.T) *trip {
				t.Helper()
				tr := newDead(t, flavor)
				evacuated(t, tr)
				down(tr.world, "compute1", false)
				return tr
			}, ops.Vacate{Migration: vm("m")}, false},
		)
	}
	return append(out, voyage{"resize", func(t *testing.T) *trip { t.Helper(); return newBooted(t, "both") }, move("cyborg.two"), true})
}

// newBooted returns a cloud of two hosts, with instance i active on the first.
func newBooted(t *testing.T, flavor string) *trip {
	t.Helper()
	tr := newTrip(t)
	tr.mustEnd(t, newBoot(flavor))
	tr.guests.did = nil
	return tr
}

// newDead is newBooted, with the first host down.
func newDead(t *testing.T, flavor string) *trip {
	t.Helper()
	tr := newBooted(t, flavor)
	down(tr.world, "compute1", true)
	return tr
}

// late is long after everything that tests do.
var late = modeltest.At(100_000)

// A process that is killed after any step, or after the acts of any step, leaves
// something that Unfinished finds, that can be finished, and undone if possible.
func TestUnfinishedAfterAKill(t *testing.T) {
	t.Parallel()
	for _, v := range voyages() {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			steps := v.start(t).killedAfter(t, -1, v.course)
			if steps < 3 && !strings.HasPrefix(v.name, "vacate") {
				t.Errorf("only %d steps", steps)
			}
			for k := 1; k < steps; k++ {
				for _, inAct := range []bool{false, true} {
					for _, undo := range []bool{false, true} {
						tr := v.start(t)
						if inAct {
							err := ops.Runner{Guests: &tr.guests, Now: clock()}.Run(t.Context(), &locked{tr.store, k}, v.course)
							if err == nil {
								t.Fatal("it was not killed")
							}
						} else {
							tr.killedAfter(t, k, v.course)
						}
						v.recover(t, tr, fmt.Sprintf("killed after step %d of %d, in act %t, undo %t", k, steps, inAct, undo), undo)
					}
				}
			}
			tr := v.start(t)
			tr.mustEnd(t, v.course)
			if left := ops.Unfinished(tr.Snapshot(), late, 0); len(left) > 0 {
				t.Errorf("after its end: %s", left[0].Words)
			}
			checkInvariants(t, tr.Snapshot())
		})
	}
}

// recover finishes or undoes what was interrupted.
func (v voyage) recover(t *testing.T, tr *trip, when string, undo bool) {
	t.Helper()
	left := ops.Unfinished(tr.Snapshot(), late, time.Minute)
	if len(left) != 1 || left[0].Instance != vm("i") || left[0].Words == "" {
		t.Fatalf("%s: found %v", when, left)
	}
	course := left[0].Finish
	if undo {
		course = left[0].Undo
		if (course != nil) != v.undo {
			t.Fatalf("%s: that it can be undone is %t", when, course != nil)
		}
		if course == nil {
			return
		}
	}
	tr.mustEnd(t, course)
	if left := ops.Unfinished(tr.Snapshot(), late, 0); len(left) > 0 {
		t.Errorf("%s: still there: %s", when, left[0].Words)
	}
	for _, text := range broken(tr.Snapshot()) {
		t.Errorf("%s: %s", when, text)
	}
}

// What was updated recently may still be in progress.
func TestUnfinishedIsOld(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	tr.killedAfter(t, 1, newBoot("cyborg"))
	touched := versioned.Time(tr.instance().Updated)
	if got := ops.Unfinished(tr.Snapshot(), touched.Add(time.Minute), time.Hour); len(got) != 0 {
		t.Errorf("after a minute: %v", got)
	}
	got := ops.Unfinished(tr.Snapshot(), touched.Add(time.Hour), time.Hour)
	if len(got) != 1 || !got[0].Since.Equal(touched) || got[0].Words != "the boot of i stopped at scheduling" {
		t.Errorf("after an hour: %v", got)
	}
}

// Whatever courses meet on one instance, in any order, killed anywhere: once everything
// unfinished is finished, the cloud is as it should be.
func TestCoursesAmongEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		flavors := []string{"plain", "nova", "cyborg", "both"}
		tr := newTrip(t)
		other := newBoot(rapid.SampledFrom(flavors).Draw(rt, "other"))
		other.Instance, other.Wish.Name = vm("other"), "other"
		to := rapid.SampledFrom([]string{"nova.big", "cyborg.two"}).Draw(rt, "to")
		courses := []ops.Task{
			newBoot(rapid.SampledFrom(flavors).Draw(rt, "flavor")),
			other,
			move(to),
			ops.Confirm{Migration: vm("m")},
			ops.Revert{Migration: vm("m")},
			terminate(),
		}
		for range rapid.IntRange(5, 60).Draw(rt, "steps") {
			if modeltest.Roll(rt, 10) == 0 {
				down(tr.world, "compute1", rapid.Bool().Draw(rt, "down"))
			}
			tr.takeStep(rt, courses[modeltest.Roll(rt, len(courses))])
		}
		down(tr.world, "compute1", false)
		down(tr.world, "compute2", false)
		for range 10 {
			for _, x := range ops.Unfinished(tr.Snapshot(), late, 0) {
				tr.mustFinish(rt, x)
			}
		}
		if left := ops.Unfinished(tr.Snapshot(), late, 0); len(left) > 0 {
			rt.Errorf("still there: %s", left[0].Words)
		}
		for _, text := range broken(tr.Snapshot()) {
			rt.Error(text)
		}
	})
}

// takeStep takes one step of a course, if it has one; now and then it goes wrong.
func (tr *trip) takeStep(rt *rapid.T, c ops.Task) {
	s := tr.Snapshot()
	step, ok, err := c.Next(s, time.Time{})
	if err != nil || !ok {
		return
	}
	change := step.Change
	if modeltest.Roll(rt, 12) == 0 {
		if change, err = c.Failed(s, time.Time{}, step, errWrong); err != nil {
			rt.Fatalf("%s: %v", step.Title, err)
		}
	}
	if err := tr.Apply(rt.Context(), change).Err(); err != nil && !errors.Is(err, placement.ErrConflict) && !errors.Is(err, placement.ErrCapacity) {
		rt.Fatalf("%s: %v", step.Title, err)
	}
}

func (tr *trip) mustFinish(rt *rapid.T, x ops.InterruptedTask) {
	for range 100 {
		s := tr.Snapshot()
		step, ok, err := x.Finish.Next(s, time.Time{})
		if err != nil {
			rt.Fatalf("%s: %v", x.Words, err)
		}
		if !ok {
			return
		}
		if err := tr.Apply(rt.Context(), step.Change).Err(); err != nil {
			rt.Fatalf("%s: %s: %v", x.Words, step.Title, err)
		}
	}
	rt.Fatalf("%s: no end", x.Words)
}

// Undoing what is unfinished, as the operator wants, is not a failure.
func TestGivingUpIsNoFailure(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	tr.killedAfter(t, 3, move("cyborg"))
	undo := ops.Unfinished(tr.Snapshot(), late, 0)[0].Undo
	if r, err := ops.Rehearse(tr.Snapshot(), undo, late); err != nil || len(r.Steps) == 0 {
		t.Errorf("rehearsed %d steps: %v", len(r.Steps), err)
	}
	if err := tr.advance(t.Context(), undo); err != nil {
		t.Error(err)
	}
	atRest(t, tr.Snapshot(), "nova", "compute1")
}

// TestInterruptedIsOf distinguishes courses for what was interrupted from others.
func TestInterruptedIsOf(t *testing.T) {
	t.Parallel()
	x := ops.InterruptedTask{Instance: vm("i"), Migration: vm("m")}
	about := []ops.Task{
		ops.Boot{Instance: vm("i")},
		ops.Terminate{Instance: vm("i")},
		ops.Move{Instance: vm("i")},
		ops.Move{Migration: vm("m")},
		ops.Evacuate{Instance: vm("i")},
		ops.Confirm{Migration: vm("m")},
		ops.Revert{Migration: vm("m")},
		ops.Vacate{Migration: vm("m")},
	}
	for _, c := range about {
		if !x.IsOf(c) {
			t.Errorf("%T is not about it", c)
		}
	}
	boot := ops.InterruptedTask{Instance: vm("i")} // not a move
	for _, c := range []ops.Task{ops.Boot{Instance: vm("other")}, ops.Confirm{}, ops.Revert{Migration: vm("m")}, hop{}} {
		if boot.IsOf(c) {
			t.Errorf("%T is about it", c)
		}
	}
}

// TestAdvanceBegins checks that the begin and the end of a run are reported.
func TestAdvanceBegins(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	var began, ended, steps int
	o := ops.Runner{
		Begin: func(c ops.Task) func() {
			if _, ok := c.(ops.Boot); !ok || steps > 0 {
				t.Errorf("%T begins after %d steps", c, steps)
			}
			began++
			return func() { ended++ }
		},
		Report: func(ops.StepDone) {
			if steps++; began != 1 || ended != 0 {
				t.Errorf("step %d: began %d, ended %d", steps, began, ended)
			}
		},
	}
	must.Succeed(t, o.Run(t.Context(), tr.store, newBoot("plain")))
	if began != 1 || ended != 1 || steps == 0 {
		t.Errorf("began %d, ended %d, %d steps", began, ended, steps)
	}
}
