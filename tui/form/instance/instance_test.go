package instance_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui/form/formtest"
	"github.com/placetop/placetop/tui/form/instance"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
	"github.com/placetop/placetop/tui/tuitest"
)

type opener func(screen.Env, string) (screen.Screen, error)

func open(t *testing.T, s *formtest.Store, w, h int, arg string, f opener) *formtest.Rig {
	t.Helper()
	return formtest.Open(t, s, w, h, func(env screen.Env) screen.Screen {
		page, err := f(env, arg)
		if err != nil {
			t.Fatal(err)
		}
		return page
	})
}

func fleet(t *testing.T) *formtest.Store {
	t.Helper()
	return formtest.NewStore(memory.New(memory.Options{Clock: screentest.Now, Start: screentest.Fleet(t).Snapshot()}))
}

func id(name string) string { return modeltest.ConsumerID(name).String() }

func of(t *testing.T, s *formtest.Store, name string) *nova.Instance {
	t.Helper()
	i, ok := s.Snapshot().Nova().Instance(modeltest.ConsumerID(name))
	if !ok {
		t.Fatalf("no instance %s", name)
	}
	return i
}

func TestTerminateAsksForTheName(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		r := open(t, s, 100, 30, id("infer-1"), instance.OpenTerminate)
		r.Wants("there is no way back", "BEFORE", "AFTER  not there")
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
		if r.Host.Gone != (screen.PopMsg{}) {
			t.Errorf("then %+v", r.Host.Gone)
		}
	})
}

func TestEvacuateNeedsADeadHost(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		r := open(t, s, 100, 30, id("shop-web-1"), instance.OpenEvacuate)
		r.Advance(time.Second)
		r.Wants("REFUSED")
		r.Press("enter")
		r.Wrote(0)
	})
}

// What was refused when the page was opened, and can be done since, is shown anew: also
// where somebody writes once more before anybody has looked.
func TestEvacuateOnceItsHostIsDown(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		r := open(t, s, 100, 30, id("infer-1"), instance.OpenEvacuate)
		r.Wants("REFUSED")
		down, err := s.Snapshot().Nova().ForceDownService(of(t, s, "infer-1").Host, nova.Compute, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []cloud.Change{{Ops: []cloud.Op{down}}, {Ops: []placement.Op{placement.CreateTrait{Name: "CUSTOM_X"}}}} {
			if _, err := s.Cloud.Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			r.Follow()
			r.Wants("CHANGED", "it can be done now")
		}
		r.Press("enter")
		r.Wants("AGAIN")
		r.Wrote(0)
	})
}

// The page says what a course asks before it begins: that the old claim stays, and for
// who asks for accelerators that owners are not kept apart.
func TestEvacuateWarns(t *testing.T) {
	t.Parallel()
	const stays, gate = "stays until that host is up again", "the oldest compute has version 61"
	for name, want := range map[string][]string{"infer-1": {stays, gate}, "shop-web-1": {stays}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := fleet(t)
				var c cloud.Change
				for svc := range s.Snapshot().Nova().Services() {
					if svc.Host == of(t, s, name).Host {
						c.Put(s.Snapshot(), svc.Edit(func(svc *nova.Service) { svc.ForcedDown = true }))
					}
				}
				if _, err := s.Cloud.Apply(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				r := open(t, s, 100, 80, id(name), instance.OpenEvacuate)
				r.Wants(want...)
				if len(want) == 1 {
					r.Lacks(gate)
				}
			})
		})
	}
}

func TestHeal(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		c, _ := s.Snapshot().Placement().Consumer(modeltest.ConsumerID("shop-db-1"))
		_, err := s.Cloud.Apply(t.Context(), cloud.Change{Ops: []placement.Op{placement.DeleteAllocations{Consumer: c.ID()}}})
		if err != nil {
			t.Fatal(err)
		}
		r := open(t, s, 100, 30, id("shop-db-1"), instance.OpenHeal)
		r.Wants("AFTER", "VCPU 8")
		r.Press("enter")
		if _, ok := s.Snapshot().Placement().Consumer(c.ID()); !ok {
			t.Errorf("it holds nothing\n%s", r.Text())
		}
	})
}

func TestWhoIsNotThere(t *testing.T) {
	t.Parallel()
	env := screentest.Env(screentest.Fleet(t), screentest.Plain())
	for arg, want := range map[string]error{"x": placement.ErrInvalid, id("nobody"): placement.ErrNotFound} {
		for _, f := range []opener{instance.OpenTerminate, instance.OpenEvacuate, instance.OpenHeal} {
			if _, err := f(env, arg); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", arg, err, want)
			}
		}
	}
}

// TestUnfinishedAtOnce lists what was interrupted this moment, other than what this
// process is at, and what stops here once the dashboard says to look again.
func TestUnfinishedAtOnce(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		under := &screen.UnderWay{}
		end := under.Begin(ops.Boot{Instance: modeltest.ConsumerID("infer-2")})
		r := formtest.Open(t, s, 100, 20, func(env screen.Env) screen.Screen {
			env.UnderWay = under
			page, err := instance.OpenUnfinished(env, "")
			if err != nil {
				t.Fatal(err)
			}
			return page
		})
		r.Follow()
		r.Wants("nothing was interrupted")
		end()
		r.Follow()
		r.Wants("the boot of infer-2 stopped at spawning on cmp-1")
	})
}

// TestUnfinished undoes the boot that stands half-way in the fleet.
func TestUnfinished(t *testing.T) {
	t.Parallel()
	tuitest.Run(t, func(t *testing.T) {
		s := fleet(t)
		r := open(t, s, 100, 20, "infer-2", instance.OpenUnfinished)
		r.Wants("the boot of infer-2 stopped at spawning on cmp-1", "it can be taken to its end, or undone")
		var page screen.Screen
		r.Host.Pushed = func(p screen.Screen) { page = p }
		r.Press("enter")
		if page == nil {
			t.Fatal("nothing was opened")
		}
		r = formtest.Open(t, s, 100, 20, func(screen.Env) screen.Screen { return page })
		r.Wants("UNFINISHED", "v undoes it", "start infer-2 on cmp-1", "CHECKS")
		r.Wrote(0)
		r.Press("v")
		r.Wants("UNDONE")
		if i := of(t, s, "infer-2"); i.VMState != nova.Broken || i.TaskState != "" {
			t.Errorf("it is %s, %s", i.VMState, i.TaskState)
		}
	})
}

func TestFrames(t *testing.T) {
	t.Parallel()
	pages := map[string]struct {
		arg  string
		open opener
	}{
		"terminate":  {id("infer-1"), instance.OpenTerminate},
		"evacuate":   {id("shop-web-1"), instance.OpenEvacuate},
		"unfinished": {"", instance.OpenUnfinished},
	}
	for name, page := range pages {
		for _, size := range [][2]int{{40, 6}, {80, 20}, {160, 44}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				t.Parallel()
				tuitest.Run(t, func(t *testing.T) {
					s := fleet(t)
					time.Sleep(time.Until(screentest.Now().Add(time.Hour)))
					r := open(t, s, size[0], size[1], page.arg, page.open)
					r.Advance(time.Second)
					r.CheckFrame()
					golden.RequireEqual(t, r.Text()+"\n")
				})
			})
		}
	}
}
