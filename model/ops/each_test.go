package ops_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
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

// about is a Task about an instance that fails.
type about struct {
	ops.Each
	instance placement.ConsumerID
	why      string
}

func (a about) About() ops.Description { return ops.Description{Instance: a.instance} }

func (a about) Next(*cloud.Snapshot, time.Time) (ops.Step, bool, error) {
	return ops.Step{}, false, errors.New(a.why)
}

// TestEachNamesTheInstance checks that errors of one of several instances say of which,
// once: the name of another may begin or end with its own.
func TestEachNamesTheInstance(t *testing.T) {
	t.Parallel()
	id := placement.ConsumerID(uuid.New())
	s, _, err := cloud.Empty().Apply(cloud.PutRecords("", "", []versioned.Change{
		{After: &nova.Flavor{Name: "plain", FlavorID: "1", VCPUs: 1, MemoryMB: 512}},
		{After: &nova.Instance{UUID: id, Name: "vm-1", Flavor: "plain", VMState: nova.Active}},
	}))
	must.Succeed(t, err)
	for why, want := range map[string]string{
		"it is gone":              "vm-1: it is gone",
		"vm-1 is gone":            "vm-1 is gone",
		"(vm-1)":                  "(vm-1)",
		"there is no vm-1.":       "there is no vm-1.",
		"vm-10 is in the way":     "vm-1: vm-10 is in the way",
		"my-vm-1 is in the way":   "vm-1: my-vm-1 is in the way",
		"vm-1.example is there":   "vm-1: vm-1.example is there",
		"vm-10 is as large, vm-1": "vm-10 is as large, vm-1",
	} {
		_, _, err := ops.Each{about{instance: id, why: why}, ops.Each{}}.Next(s, time.Time{})
		must.Be(t, err.Error(), want)
	}
}

// frees is a Task that releases what a consumer holds, planned when its turn comes.
type frees placement.ConsumerID

func (f frees) About() ops.Description {
	return ops.Description{Name: "free", Subject: f.id().String()}
}

func (f frees) id() placement.ConsumerID { return placement.ConsumerID(f) }

func (f frees) Next(s *cloud.Snapshot, at time.Time) (ops.Step, bool, error) {
	if _, holds := s.Placement().Consumer(f.id()); !holds {
		return ops.Step{}, false, nil
	}
	plan, err := ops.PlanRelease(s, f.id(), placement.ProviderID{})
	if err != nil {
		return ops.Step{}, false, err
	}
	return plan.Next(s, at)
}

func (frees) Failed(*cloud.Snapshot, time.Time, ops.Step, error) (cloud.Change, error) {
	return cloud.Change{}, nil
}

// TestEachGoesOn has three tasks of which the second comes to release more than was shown,
// as another writer adds to it while the first is done: that one is not done, and with GoOn
// the third is.
func TestEachGoesOn(t *testing.T) {
	t.Parallel()
	for goOn, left := range map[bool]string{false: "b c", true: "b"} {
		w := newWorld(t).Provider("h", "", resources{placement.VCPU: 16}).Provider("k", "", resources{placement.VCPU: 16})
		all := ops.Each{}
		for _, name := range []string{"a", "b", "c"} {
			w.Claim(name, "", map[string]resources{"h": {placement.VCPU: 2}})
			all = append(all, frees(vm(name)))
		}
		s := &store{world: w, before: []func(*world){func(w *world) {
			w.Claim("b", "", map[string]resources{"h": {placement.VCPU: 2}, "k": {placement.VCPU: 1}})
		}}}
		shown := must.Get(ops.Rehearse(s.Snapshot(), all, time.Time{}))(t)
		err := ops.Runner{GoOn: goOn, Shown: &ops.ExpectedOutcome{On: shown.Start, Outcome: shown.Outcome()}}.Run(t.Context(), s, all)
		must.Fail(t, err, placement.ErrConflict)
		var holds []string
		for _, name := range []string{"a", "b", "c"} {
			if _, still := s.Snapshot().Placement().Consumer(vm(name)); still {
				holds = append(holds, name)
			}
		}
		must.Be(t, strings.Join(holds, " "), left)
	}
}

// claims is a Task that gives a consumer a CPU of k, or of h once others have some of k.
type claims struct{ frees }

func (c claims) Next(s *cloud.Snapshot, at time.Time) (ops.Step, bool, error) {
	if _, holds := s.Placement().Consumer(c.id()); holds {
		return ops.Step{}, false, nil
	}
	on := rp("k")
	if _, others := s.Placement().Consumer(vm("other")); others {
		on = rp("h")
	}
	plan, err := ops.PlanChange(s, cloud.Change{Ops: []cloud.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: c.id(), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "p", User: "u",
		Allocations: placement.Amounts{on: {placement.VCPU: 1}},
	}}}}})
	if err != nil {
		return ops.Step{}, false, err
	}
	return plan.Next(s, at)
}

// TestEachDoesWhatWasShown has the second of two tasks come to claim something else than was
// shown, as another writer is there first: it is only done if nobody has looked at it.
func TestEachDoesWhatWasShown(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{true, false} {
		w := newWorld(t).Provider("h", "", resources{placement.VCPU: 16}).Provider("k", "", resources{placement.VCPU: 16})
		all := ops.Each{claims{frees(vm("a"))}, claims{frees(vm("b"))}}
		s := &store{world: w, before: []func(*world){func(w *world) { w.Claim("other", "", map[string]resources{"k": {placement.VCPU: 1}}) }}}
		var r ops.Runner
		if seen {
			shown := must.Get(ops.Rehearse(s.Snapshot(), all, time.Time{}))(t)
			r.Shown = &ops.ExpectedOutcome{On: shown.Start, Outcome: shown.Outcome()}
		}
		err := r.Run(t.Context(), s, all)
		must.Be(t, errors.Is(err, placement.ErrConflict), seen)
		must.Be(t, len(holds(s.Snapshot(), vm("b"))[rp("h")]) == 0, seen)
	}
}
