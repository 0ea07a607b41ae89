package ops_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// accounted is a cloud that checks the account of every card after every write.
type accounted struct {
	*store
	rt    *rapid.T
	last  string // the current operation
	moves int
	now   int // seconds since the beginning
}

func (a *accounted) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	out := a.store.Apply(ctx, c)
	if out.Err() == nil {
		a.check(c.Note)
	}
	return out
}

// check fails if a unit of a card is not accounted for.
func (a *accounted) check(note string) {
	s := a.Snapshot()
	for _, err := range slices.Concat(s.Check(), s.Cyborg().Check()) {
		a.rt.Fatalf("%s: after %q: %v", a.last, note, err)
	}
	for _, c := range modeltest.CardAccounts(s) {
		if c.Faults() != 0 {
			a.rt.Fatalf("%s: after %q: %s has %d in the inventory, %d allocated, %d of %d attach handles in use, and of each: %+v",
				a.last, note, c.Provider.Name(), c.Inventory.Total, c.Inventory.Used, c.InUse, c.Handles, c.Uses)
		}
		// The same by plain counting: units without an attach handle are claimed by a
		// consumer that is busy, has failed, or was evacuated.
		handles, _ := s.Cyborg().Units(c.Card)
		loose := c.Inventory.Used - handles
		if loose < 0 || loose > 0 && !slices.ContainsFunc(slices.Collect(s.Placement().ConsumersOf(c.Provider)), a.mayBeLoose) {
			a.rt.Fatalf("%s: after %q: %s has %d allocated and %d attach handles in use", a.last, note, c.Provider.Name(), c.Inventory.Used, handles)
		}
	}
}

func (a *accounted) mayBeLoose(c *placement.Consumer) bool {
	s := a.Snapshot()
	if m, ok := s.Nova().Migration(c.ID()); ok && m.Status == nova.Error {
		return true
	}
	for m := range s.Nova().MigrationsOf(s.HolderOf(c.ID())) {
		if m.Status.UnderWay() && m.Status != nova.Finished || m.Type == nova.Evacuation && m.Status == nova.Done {
			return true
		}
	}
	i, ok := s.Nova().Instance(s.HolderOf(c.ID()))
	return ok && i.TaskState != ""
}

// clock advances by a second at every call.
func (a *accounted) clock() time.Time {
	a.now++
	return modeltest.At(a.now)
}

// run runs a course as far as it goes: some acts fail, and some processes are killed on
// the way.
func (a *accounted) run(what string, c ops.Task) {
	a.last = what
	g := &guests{bad: map[ops.ActKind]error{}}
	if kind := rapid.SampledFrom([]ops.ActKind{"", "", "", ops.StartGuest, ops.StopGuest, ops.BindDevice, ops.UnbindDevice, ops.UnbindDevice}).Draw(a.rt, "fails"); kind != "" {
		g.bad[kind] = errors.New("no")
	}
	ctx, kill := context.WithCancel(a.TB.Context())
	defer kill()
	steps := rapid.SampledFrom([]int{0, 0, 0, 1, 2, 3, 4, 5, 6}).Draw(a.rt, "killed after")
	taken := 0
	_ = ops.Runner{Guests: g, Now: a.clock, Report: func(ops.StepDone) {
		if taken++; taken == steps {
			kill()
		}
	}}.Run(ctx, a, c)
}

// migration returns a uuid for another migration.
func (a *accounted) migration() placement.ConsumerID {
	a.moves++
	return vm(fmt.Sprint("m", a.moves))
}

// fix applies a random fix of a random finding.
func (a *accounted) fix() {
	found := audit.Find(a.Snapshot())
	if len(found) == 0 {
		return
	}
	f := rapid.SampledFrom(found).Draw(a.rt, "finding")
	fixes := audit.Fixes(a.Snapshot(), f)
	if len(fixes) == 0 {
		return
	}
	x := rapid.SampledFrom(fixes).Draw(a.rt, "fix")
	what := fmt.Sprintf("fix %s of %s %q", x.Name, f, x.Title)
	if c := x.Course(); c != nil {
		a.run(what, c)
		return
	}
	a.last = what
	plan, err := x.Plan(a.Snapshot())
	if err != nil {
		return
	}
	if _, err := (ops.Runner{Shown: plan.Shown()}).Write(a.TB.Context(), a, plan); err != nil {
		a.rt.Fatalf("%s was planned: %v", what, err)
	}
	must.Succeed(a.rt, x.Outcome(a.Snapshot()))
}

// Whatever instances, hosts, devices and operators do, and whatever is fixed in between,
// every unit of every card is accounted for at every revision.
func TestEveryUnitIsAccountedFor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := modeltest.NewVGPUWorld(t, 3)
		a := &accounted{store: &store{world: w}, rt: rt}
		flavors := []string{"nova", "cyborg", "cyborg.small", "both", "cyborg.two", "plain"}
		names := []string{"i0"}
		instance := rapid.Custom(func(rt *rapid.T) string { return rapid.SampledFrom(names).Draw(rt, "of") })
		host := rapid.SampledFrom([]string{"compute1", "compute2", "compute3"})
		waiting := func(s *cloud.Snapshot, who string) placement.ConsumerID {
			m, err := ops.WaitingMigration(s, vm(who))
			if err != nil {
				return vm("none")
			}
			return m.UUID
		}
		rt.Repeat(map[string]func(*rapid.T){
			"boot": func(rt *rapid.T) {
				who := fmt.Sprint("i", len(names))
				names = append(names, who)
				b := newBootOf(who, rapid.SampledFrom(flavors).Draw(rt, "flavor"))
				a.run("boot "+who, b)
			},
			"resize": func(rt *rapid.T) {
				who := instance.Draw(rt, "instance")
				a.run("resize "+who, ops.Move{Migration: a.migration(), Instance: vm(who), Flavor: rapid.SampledFrom(flavors).Draw(rt, "flavor"), SameHost: rapid.Bool().Draw(rt, "same host")})
			},
			"migrate": func(rt *rapid.T) {
				who := instance.Draw(rt, "instance")
				a.run("migrate "+who, ops.Move{Migration: a.migration(), Instance: vm(who)})
			},
			"confirm": func(rt *rapid.T) {
				who := instance.Draw(rt, "instance")
				a.run("confirm "+who, ops.Confirm{Migration: waiting(a.Snapshot(), who)})
			},
			"revert": func(rt *rapid.T) {
				who := instance.Draw(rt, "instance")
				a.run("revert "+who, ops.Revert{Migration: waiting(a.Snapshot(), who)})
			},
			"terminate": func(rt *rapid.T) {
				who := instance.Draw(rt, "instance")
				a.run("terminate "+who, ops.Terminate{Instance: vm(who)})
			},
			"recover": func(rt *rapid.T) {
				open := ops.Unfinished(a.Snapshot(), a.clock().Add(time.Hour), 0)
				if len(open) == 0 {
					return
				}
				x := rapid.SampledFrom(open).Draw(rt, "unfinished")
				if x.Undo != nil && rapid.Bool().Draw(rt, "undo") {
					a.run("undo: "+x.Words, x.Undo)
				} else {
					a.run("finish: "+x.Words, x.Finish)
				}
			},
			"host": func(rt *rapid.T) {
				a.last = "host"
				down(w, host.Draw(rt, "host"), rapid.Bool().Draw(rt, "down"))
			},
			"device": func(rt *rapid.T) {
				a.last = "device"
				d, _ := w.Cyborg().DeployableAt(rp(rapid.SampledFrom([]string{"y1", "y2", "y3"}).Draw(rt, "card")))
				plan := must.Get(ops.PlanDeviceStatus(a.Snapshot(), d.Device, rapid.Bool().Draw(rt, "disable")))(rt)
				must.Get((ops.Runner{Shown: plan.Shown()}).Write(t.Context(), a, plan))(rt)
			},
			"fix":     func(*rapid.T) { a.fix() },
			"fix too": func(*rapid.T) { a.fix() },
			"":        func(*rapid.T) { a.check("all") },
		})
	})
}
