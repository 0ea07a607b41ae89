package instances_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

func id(name string) placement.ConsumerID { return modeltest.ConsumerID(name) }

func of(t *testing.T, s *tuitest.Cloud, name string) *nova.Instance {
	t.Helper()
	i, ok := s.Snapshot().Nova().Instance(modeltest.ConsumerID(name))
	if !ok {
		t.Fatalf("no instance %s", name)
	}
	return i
}

func TestTerminateAsksForTheName(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := tuitest.LiveAt(t, s, 100, 30, place.Terminate{Instance: id("infer-1")}, instances.OpenTerminate)
		r.Wants("this cannot be undone", "BEFORE", "AFTER  not there")
		r.Press("enter")
		r.Wants("type infer-1 to terminate it")
		r.Type("infer")
		r.Press("enter")
		r.Wants("type infer-1, or esc")
		r.Wrote(0)
		r.Type("-1")
		r.Press("enter")
		if i := of(t, s, "infer-1"); i.Live() {
			t.Errorf("it lives, %s\n%s", i.VMState, r.Text())
		}
		if _, ok := s.Snapshot().Placement().Consumer(modeltest.ConsumerID("infer-1")); ok {
			t.Error("it still holds something")
		}
		must.Be[any](t, r.Last(), (screen.PopMsg{}))
	})
}

// TestEvacuateIsNovas opens an evacuation in a cloud without a Nova.
func TestEvacuateIsNovas(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := tuitest.LiveAt(t, s, 100, 30, place.Evacuate{Instance: id("shop-web-1")}, instances.OpenEvacuate)
		r.Advance(time.Second)
		r.Wants("REFUSED", "that needs a running Nova")
		r.Press("enter")
		r.Wrote(0)
	})
}

func TestHeal(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		c, _ := s.Snapshot().Placement().Consumer(modeltest.ConsumerID("shop-db-1"))
		err := s.Store.Apply(t.Context(), cloud.Change{Ops: []placement.Op{placement.DeleteAllocations{Consumer: c.ID()}}}).Err()
		must.Succeed(t, err)
		r := tuitest.LiveAt(t, s, 100, 30, place.Heal{Instance: id("shop-db-1")}, instances.OpenHeal)
		r.Wants("AFTER", "VCPU 8")
		r.Press("enter")
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); !ok {
			t.Errorf("it holds nothing\n%s", r.Text())
		}
	})
}

func TestWhoIsNotThere(t *testing.T) {
	t.Parallel()
	env := tuitest.Env(tuitest.Fleet(t), tuitest.Plain())
	for _, who := range []placement.ConsumerID{{}, id("nobody")} {
		_, terminate := instances.OpenTerminate(env, place.Terminate{Instance: who})
		_, evacuate := instances.OpenEvacuate(env, place.Evacuate{Instance: who})
		_, heal := instances.OpenHeal(env, place.Heal{Instance: who})
		for _, err := range []error{terminate, evacuate, heal} {
			if !errors.Is(err, placement.ErrNotFound) {
				t.Errorf("%s: %v", who, err)
			}
		}
	}
}

// TestUnfinishedAtOnce lists what was just interrupted, except what this process is
// working on, and what stops here once the dashboard says to look again.
func TestUnfinishedAtOnce(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		k := keeper.New(s, keeper.Options{Now: time.Now})
		end := k.Begin(ops.Boot{Instance: modeltest.ConsumerID("infer-2")})
		r := tuitest.Live(t, s, 100, 20, func(env screen.Env) screen.Screen {
			env.Keeper = k
			page := must.Get(instances.OpenUnfinished(env, place.Unfinished{}))(t)
			return page
		})
		r.Follow()
		r.Wants("nothing was interrupted")
		end()
		r.Follow()
		r.Wants("the boot of infer-2 stopped at spawning on cmp-1")
	})
}

// TestUnfinished undoes the unfinished boot in the fleet.
func TestUnfinished(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := tuitest.SoundFleet(t)
		r := tuitest.LiveAt(t, s, 100, 20, place.Unfinished{Filter: "infer-2"}, instances.OpenUnfinished)
		r.Wants("the boot of infer-2 stopped at spawning on cmp-1", "it can be finished or undone")
		r = r.Opens("enter")
		r.Wants("UNFINISHED", "v undoes it", "next: start infer-2 on cmp-1", "start infer-2 on cmp-1", "CHECKS")
		r.Wrote(0)
		r.Press("v")
		r.Wants("UNDONE")
		if i := of(t, s, "infer-2"); i.VMState != nova.Broken || i.TaskState != "" {
			t.Errorf("it is %s, %s", i.VMState, i.TaskState)
		}
	})
}

// TestUnfinishedIsFinishedElsewhere has another session finish or undo what a page would
// resume: the page says that it is over.
func TestUnfinishedIsFinishedElsewhere(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		for _, undo := range []bool{false, true} {
			s := tuitest.SoundFleet(t)
			r := tuitest.LiveAt(t, s, 100, 20, place.Unfinished{Filter: "infer-2"}, instances.OpenUnfinished)
			r = r.Opens("enter")
			r.Wants("UNFINISHED")
			must.Succeed(t, ops.Runner{Now: time.Now}.Run(t.Context(), s, ops.Boot{Instance: of(t, s, "infer-2").UUID, Undo: undo}))
			r.Follow()
			r.Wants("OVER", "someone else has finished or undone it")
			r.Lacks("UNFINISHED", "v undoes")
		}
	})
}

func TestEndFrames(t *testing.T) {
	t.Parallel()
	pages := map[string]struct {
		at   place.Place
		open screen.Opener
	}{
		"terminate":  {place.Terminate{Instance: id("infer-1")}, screen.Declare(instances.OpenTerminate).Open},
		"evacuate":   {place.Evacuate{Instance: id("shop-web-1")}, screen.Declare(instances.OpenEvacuate).Open},
		"unfinished": {place.Unfinished{}, screen.Declare(instances.OpenUnfinished).Open},
	}
	for name, page := range pages {
		for _, size := range [][2]int{{40, 6}, {80, 20}, {160, 44}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				tuitest.Run(t, func(t *testing.T) {
					s := tuitest.SoundFleet(t)
					time.Sleep(time.Until(tuitest.Now().Add(time.Hour)))
					r := tuitest.LiveAt(t, s, size[0], size[1], page.at, page.open)
					r.Advance(time.Second)
					r.Text()
				})
			})
		}
	}
}
