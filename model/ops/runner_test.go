package ops_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// After a refusal of any kind that a newer Snapshot may lift, the whole check is done
// again.
func TestRunnerChecksAgainWhateverTheRefusal(t *testing.T) {
	t.Parallel()
	tree := func(t *testing.T) *world {
		return newWorld(t).Provider("h", "", resources{placement.VCPU: 4}).Provider("a", "h", nil).Provider("b", "h", nil)
	}
	gone := func(w *world) { w.Do(placement.DeleteProvider{ID: rp("b")}) }
	for _, tc := range []struct {
		name string
		plan ops.Planner
		want error
	}{
		{"one of what is deleted is gone", func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProvider(s, rp("h"), true) }, nil},
		{"all that is deleted is gone", func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProvider(s, rp("b"), false) }, placement.ErrNotFound},
	} {
		s := &store{world: tree(t), before: []func(*world){gone}}
		tries := 0
		o := ops.Runner{Again: func(int, error) { tries++ }}
		_, err := o.Write(t.Context(), s, planned(t)(tc.plan.Plan(s.Snapshot())))
		if !errors.Is(err, tc.want) || tries != 1 {
			t.Errorf("%s: %v after %d more tries, want %v", tc.name, err, tries, tc.want)
		}
	}
}

// A planner that finds nothing to do leaves the cloud as it is.
func TestRunnerOfAnEmptyPlan(t *testing.T) {
	t.Parallel()
	s := &store{world: newWorld(t).Provider("h", "", nil)}
	p := planned(t)(ops.Planner(func(*cloud.Snapshot) (ops.Plan, error) { return ops.Plan{}, nil }).Plan(s.Snapshot()))
	if p.After != s.Snapshot() || !p.Empty() {
		t.Errorf("it leads to %v", p.After)
	}
	if commit, err := (ops.Runner{Shown: p.Shown()}).Write(t.Context(), s, p); err != nil || len(commit.Event.Changes) > 0 || s.writes > 0 {
		t.Errorf("%v after %d writes", err, s.writes)
	}
}

// A claim that was decided beforehand is checked again after a race like any other.
func TestRunnerPlansAGivenClaimAnew(t *testing.T) {
	t.Parallel()
	claim := func(s *cloud.Snapshot) ops.Plan {
		return planned(t)(ops.PlanChange(s, cloud.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: vm("new"), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "p", User: "u",
			Allocations: map[placement.ProviderID]resources{rp("h"): {placement.VCPU: 3}},
		}}}}}))
	}
	for took, want := range map[int64]error{2: placement.ErrCapacity, 1: nil} {
		s := &store{world: newWorld(t).Provider("h", "", resources{placement.VCPU: 4}), before: []func(*world){
			func(w *world) { w.Claim("other", "", map[string]resources{"h": {placement.VCPU: took}}) },
		}}
		p := claim(s.Snapshot())
		_, err := ops.Runner{Shown: p.Shown()}.Write(t.Context(), s, p)
		var changed *ops.ChangedError
		if !errors.Is(err, want) || errors.As(err, &changed) != (want != nil) || want != nil && changed.Now == nil {
			t.Errorf("somebody else took %d: %v", took, err)
		}
	}
}

// The warnings of a plan are not lost when it is made again.
func TestWarningsOfAPlanMadeAnew(t *testing.T) {
	t.Parallel()
	w := modeltest.NewVGPUWorld(t, 1)
	f := nova.NewFlavor()
	f.Name, f.FlavorID, f.ExtraSpecs = "new", "new", map[string]string{"accel:device_profile": "none"}
	p := planned(t)(ops.PlanFlavor(w.Snapshot, "make it", "new", time.Time{}, nova.CreateFlavor{Flavor: &f}))
	if !slices.ContainsFunc(p.Preview.Warnings, func(text string) bool { return strings.Contains(text, "does not exist") }) {
		t.Fatalf("warnings: %q", p.Preview.Warnings)
	}
	w.Do(placement.CreateTrait{Name: "CUSTOM_NEW"})
	r, err := ops.Rehearse(w.Snapshot, p, time.Time{})
	must.Succeed(t, err)
	if got := r.Outcome().Warnings; !slices.Equal(got, p.Preview.Warnings) {
		t.Errorf("on a newer cloud it warns of %q, before of %q", got, p.Preview.Warnings)
	}
}

// carrier is a store that carries out boots itself.
type carrier struct {
	*store
	err     error
	carried []ops.Task
}

func (c *carrier) Carry(_ context.Context, t ops.Task, _ *cloud.Snapshot, report func(ops.StepDone)) (bool, error) {
	if _, ok := t.(ops.Boot); !ok {
		return false, nil
	}
	c.carried = append(c.carried, t)
	report(ops.StepDone{Number: 1, Name: "boot", Title: "let Nova boot it"})
	return true, c.err
}

// A store that can carry out a task itself does so; of other tasks the Runner takes the
// steps.
func TestRunnerLetsAStoreCarryOutWhatItCan(t *testing.T) {
	t.Parallel()
	tr := newTrip(t)
	st := &carrier{store: tr.store}
	var told []string
	o := ops.Runner{Report: func(d ops.StepDone) { told = append(told, d.Name) }}
	before := st.writes
	if err := o.Run(t.Context(), st, newBoot("plain")); err != nil || len(st.carried) != 1 || st.writes != before {
		t.Errorf("%v, carried %d, wrote %d", err, len(st.carried), st.writes-before)
	}
	if !slices.Equal(told, []string{"boot"}) {
		t.Errorf("told of %q", told)
	}
	st.err = placement.ErrUnavailable
	if err := o.Run(t.Context(), st, newBoot("plain")); !errors.Is(err, placement.ErrUnavailable) || st.writes != before {
		t.Errorf("its own failure: %v, and %d writes", err, st.writes-before)
	}
	if _, err := o.Write(t.Context(), st, planned(t)(ops.PlanTraits(st.Snapshot(), rp("compute1"), []placement.Trait{"CUSTOM_X"}, nil))); err != nil || st.writes != before+1 {
		t.Errorf("what it does not do itself: %v, and %d writes", err, st.writes-before)
	}
}
