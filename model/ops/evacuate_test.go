package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestEvacuate(t *testing.T) {
	t.Parallel()
	broken := errors.New("no")
	for _, tt := range []struct {
		name, flavor string
		given        func(*trip)
		steps, acts  string
		status       nova.MigrationStatus
		want         error
	}{
		{name: "Nova's VGPU", flavor: "nova", steps: "record claim spawn start", acts: "start guest compute2", status: nova.Done},
		{
			name: "Cyborg's VGPU", flavor: "cyborg", steps: "record claim request bind attach spawn start",
			acts: "bind device compute2, start guest compute2", status: nova.Done,
		},
		{
			name: "a guest that was stopped stays so", flavor: "nova",
			given: func(tr *trip) {
				tr.Record(tr.instance().Edit(func(i *nova.Instance) { i.VMState = nova.Stopped }))
			},
			steps: "record claim spawn start", status: nova.Done,
		},
		{
			name: "no valid host", flavor: "nova", given: func(tr *trip) { fill(tr.world, "n2") },
			steps: "record fail restore", status: nova.Error, want: placement.ErrCapacity,
		},
		{
			name: "the only other host is down", flavor: "nova", given: func(tr *trip) { down(tr.world, "compute2", true) },
			steps: "record fail restore", status: nova.Error, want: placement.ErrCapacity,
		},
		{
			name: "the guest does not start", flavor: "both",
			given: func(tr *trip) { tr.guests.bad = map[ops.ActKind]error{ops.StartGuest: broken} },
			steps: "record claim request bind attach spawn start stop unbind restore",
			acts:  "bind device compute2, start guest compute2, stop guest compute2, unbind device compute2", status: nova.Error, want: broken,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newDead(t, tt.flavor)
			if tt.given != nil {
				tt.given(tr)
			}
			was, before := tr.instance(), holds(tr.Snapshot(), vm("i"))
			if err := tr.advance(t.Context(), evacuation()); !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("error %v, want %v", err, tt.want)
			}
			must.Be(t, tr.names(), tt.steps)
			must.Be(t, tr.acts(), tt.acts)
			must.Be(t, tr.status(), tt.status)
			i, host := tr.instance(), "compute2"
			if tt.want != nil {
				host = "compute1"
				must.Match(t, before, holds(tr.Snapshot(), vm("i")))
			}
			if i.Host != host || i.VMState != was.VMState || i.TaskState != "" {
				t.Errorf("the instance is %s %q on %s, want it on %s", i.VMState, i.TaskState, i.Host, host)
			}
			forgetOthers(tr.world)
			modeltest.CheckInvariants(t, tr.Snapshot())
		})
	}
}

// What is left on the dead host stays allocated until the host is back.
func TestVacate(t *testing.T) {
	t.Parallel()
	tr := newDead(t, "both")
	tr.mustEnd(t, evacuation())
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
	modeltest.CheckInvariants(t, tr.Snapshot())
}

// The last claim of a running instance is kept, wherever it is: the audit reports it.
func TestVacateKeepsTheLastClaim(t *testing.T) {
	t.Parallel()
	tr := newDead(t, "plain")
	tr.mustEnd(t, evacuation())
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

// A pool that both hosts share is claimed once, and kept.
func TestEvacuateKeepsTheSharedPool(t *testing.T) {
	t.Parallel()
	tr := &trip{store: &store{world: newWorld(t)}}
	f := nova.Flavor{Name: "f", FlavorID: "f", VCPUs: 1, MemoryMB: 1, RootGB: 7}
	tr.Record(&f)
	tr.Provider("pool", "", resources{placement.DiskGB: 20}, placement.SharesViaAggregate).Aggregates("pool", "x")
	for _, host := range []string{"a", "b"} {
		tr.Provider(host, "", resources{placement.VCPU: 8, placement.MemoryMB: 64}, placement.OwnerNova).Aggregates(host, "x")
		tr.Record(&nova.Service{Host: host, Binary: nova.Compute, Version: 73})
	}
	tr.mustEnd(t, newBoot("f"))
	down(tr.world, "a", true)
	tr.mustEnd(t, evacuation())
	one := resources{placement.VCPU: 1, placement.MemoryMB: 1}
	want := ops.Amounts{rp("a"): one, rp("b"): one, rp("pool"): {placement.DiskGB: 7}}
	must.Match(t, want, holds(tr.Snapshot(), vm("i")))
	down(tr.world, "a", false)
	tr.mustEnd(t, ops.Vacate{Migration: vm("m")})
	delete(want, rp("a"))
	must.Match(t, want, holds(tr.Snapshot(), vm("i")))
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
		{"busy", func(tr *trip) {
			tr.Record(tr.instance().Edit(func(i *nova.Instance) { i.TaskState = nova.Deleting }))
		}, placement.ErrState, "it is deleting"},
		{"evacuated before", func(tr *trip) {
			tr.mustEnd(t, ops.Evacuate{Migration: vm("first"), Instance: vm("i")})
			down(tr.world, "compute2", true)
		}, placement.ErrState, "its evacuation from compute1 is done"},
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
