package ops_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// evacuated makes what Nova leaves of an evacuation of instance i from compute1, which is
// down, by migration m: a boot of its flavor on the other host becomes its second half.
func evacuated(t *testing.T, tr *trip) {
	t.Helper()
	f, _ := tr.Snapshot().Nova().Flavor(tr.instance().Flavor)
	other := newBootOf("j", f.Name)
	tr.mustEnd(t, other)
	s := tr.Snapshot()
	i, _ := s.Nova().Instance(vm("i"))
	j, _ := s.Nova().Instance(vm("j"))
	var c cloud.Change
	rekey := func(from, to string) {
		for a := range s.Cyborg().ARQsOf(vm(from)) {
			modeltest.PutIn(&c, s, a.Edit(func(a *cyborg.ARQ) { a.Instance = vm(to) }))
		}
	}
	rekey("i", "m")
	rekey("j", "i")
	modeltest.PutIn(&c, s, i.Edit(func(i *nova.Instance) { i.Host, i.Mappings = j.Host, j.Mappings }))
	modeltest.DeleteIn(&c, s, j)
	modeltest.PutIn(&c, s, &nova.Migration{
		UUID: vm("m"), Instance: vm("i"), Type: nova.Evacuation, Status: nova.Done, Source: i.Host, Dest: j.Host,
		OldFlavor: i.Flavor, NewFlavor: i.Flavor, OldState: i.VMState, Mappings: i.Mappings,
	})
	both := holds(s, vm("i"))
	maps.Copy(both, holds(s, vm("j")))
	has, _ := s.Placement().Consumer(vm("i"))
	gone, _ := s.Placement().Consumer(vm("j"))
	c.Ops = append(c.Ops, placement.ReplaceAllocations{Consumers: []placement.Claim{
		{Consumer: vm("i"), Generation: placement.Generation(has.Generation()), Type: has.Type(), Project: "p", User: "u", Allocations: both},
		{Consumer: vm("j"), Generation: placement.Generation(gone.Generation())},
	}})
	tr.Change(c)
}

// What is left on the dead host stays allocated until the host is back.
func TestVacate(t *testing.T) {
	t.Parallel()
	tr := newDead(t, "both")
	evacuated(t, tr)
	for _, card := range []string{"n1", "y1", "n2", "y2"} {
		if got := used(t, tr.Snapshot(), card, placement.VGPU); got != 1 {
			t.Errorf("evacuated: %s has %d in use", card, got)
		}
	}
	tr.guests.did, tr.lines = nil, nil
	if err := tr.advance(t.Context(), ops.Vacate{Migration: vm("m")}); err != nil || len(tr.lines) != 0 {
		t.Errorf("the host is down: %v, steps %s", err, tr.names())
	}
	down(tr.world, "compute1", false)
	must.Succeed(t, tr.advance(t.Context(), ops.Vacate{Migration: vm("m")}))
	must.Be(t, tr.names(), "unbind release")
	must.Be(t, tr.acts(), "stop guest compute1, unbind device compute1, stop guest compute1")
	for card, want := range map[string]int64{"n1": 0, "y1": 0, "n2": 1, "y2": 1} {
		if got := used(t, tr.Snapshot(), card, placement.VGPU); got != want {
			t.Errorf("vacated: %s has %d in use, want %d", card, got, want)
		}
	}
	must.Be(t, tr.status(), nova.Completed)
	checkInvariants(t, tr.Snapshot())
}

// The last claim of a running instance is kept, wherever it is: the audit reports it.
func TestVacateKeepsTheLastClaim(t *testing.T) {
	t.Parallel()
	tr := newDead(t, "plain")
	evacuated(t, tr)
	only := ops.Amounts{rp("compute1"): holds(tr.Snapshot(), vm("i"))[rp("compute1")]}
	tr.Claim("i", placement.InstanceConsumer, map[string]resources{"compute1": only[rp("compute1")]})
	down(tr.world, "compute1", false)
	tr.mustEnd(t, ops.Vacate{Migration: vm("m")})
	if d := cmp.Diff(only, holds(tr.Snapshot(), vm("i"))); d != "" || tr.status() != nova.Completed {
		t.Errorf("vacated, %s (-want +got):\n%s", tr.status(), d)
	}
	if got := audit.Find(tr.Snapshot()); !slices.ContainsFunc(got, func(f audit.Finding) bool { return f.Rule == audit.RuleOffHost && f.Subject == "i" }) {
		t.Errorf("findings %v", got)
	}
}

func TestEvacuateRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		given func(*trip)
		want  error
		says  string
	}{
		{"no instance", func(tr *trip) { tr.mustEnd(t, terminate()) }, placement.ErrNotFound, "instance"},
		{"the host is up", func(tr *trip) { down(tr.world, "compute1", false) }, placement.ErrState, "its host compute1 is not known to be down"},
		{"paused", func(tr *trip) {
			tr.Record(tr.instance().Edit(func(i *nova.Instance) { i.VMState = nova.Paused }))
		}, placement.ErrState, "it is paused, and must be"},
		// LP 1978983: its task does not matter, nor does a move that the host died in.
		{"it is powering off", func(tr *trip) {
			tr.Record(tr.instance().Edit(func(i *nova.Instance) { i.TaskState = "powering-off" }))
		}, placement.ErrUnsupported, "that needs a running Nova"},
		{"nothing is wrong", func(*trip) {}, placement.ErrUnsupported, "that needs a running Nova"},
		{"evacuated before", func(tr *trip) {
			evacuated(t, tr)
			down(tr.world, "compute2", true)
		}, placement.ErrUnsupported, "that needs a running Nova"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newDead(t, "plain")
			tt.given(tr)
			before := tr.Snapshot()
			err := tr.advance(t.Context(), evacuation())
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) || tr.Snapshot() != before {
				t.Errorf("%v", err)
			}
		})
	}
}
