package ops_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// A course that would be stuck halfway is refused before its first step, and so is one
// that was left unfinished: neither an act nor a write is done.
func TestAdvanceIsTriedOut(t *testing.T) {
	t.Parallel()
	unconfirmed := func(tr *trip) { tr.mustEnd(t, move("cyborg")) }
	turning := func(tr *trip) { // it is being undone, and only its first step is written
		unconfirmed(tr)
		tr.killedAfter(t, 1, ops.Revert{Migration: vm("m")})
	}
	for _, tt := range []struct {
		name   string
		before func(*trip)
		course ops.Task
	}{
		{"begun", unconfirmed, ops.Revert{Migration: vm("m")}},
		{"taken up", turning, ops.Revert{Migration: vm("m")}},
		{"taken up by the move", turning, move("cyborg")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newMove(t, "nova")
			tt.before(tr)
			tightenVCPU(tr.world)
			before, did := tr.Snapshot(), len(tr.guests.did)
			must.Fail(t, tr.advance(t.Context(), tt.course), placement.ErrCapacity)
			if tr.Snapshot() != before || len(tr.guests.did) != did {
				t.Errorf("it did %v", tr.guests.did[did:])
			}
		})
	}
}

// One that turns round and undoes everything is started: its records say what failed.
func TestAdvanceMayTurnRound(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	tr.Claim("filler", "", map[string]resources{"y2": {placement.VGPU: 4}})
	var refused *ops.RefusedError
	if err := tr.advance(t.Context(), move("cyborg")); err == nil || errors.As(err, &refused) {
		t.Errorf("the error is %v, want that there is no place", err)
	}
	must.Be(t, tr.status(), nova.Error)
}

// The refusal after a try-out says where the course would be stuck.
func TestRefusedError(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	tr.mustEnd(t, move("cyborg"))
	tr.killedAfter(t, 1, ops.Revert{Migration: vm("m")})
	tightenVCPU(tr.world)
	err := tr.advance(t.Context(), ops.Revert{Migration: vm("m")})
	var refused *ops.RefusedError
	if !errors.As(err, &refused) || refused.Step.Name != "restore" ||
		!strings.HasSuffix(err.Error(), "VCPU on compute1: 2 is above max_unit 1; raise max_unit of VCPU on compute1 to 2 first") {
		t.Errorf("the error is %v", err)
	}
	if r := ops.Unfinished(tr.Snapshot(), late, 0); len(r) != 1 {
		t.Errorf("%d are unfinished, want the one", len(r))
	}
	tr.Change(cloud.Change{Ops: []placement.Op{placement.SetInventory{
		Provider: rp("compute1"), Generation: placement.AnyGeneration(), Class: placement.VCPU, Inventory: placement.NewInventory(16),
	}}})
	tr.mustEnd(t, ops.Revert{Migration: vm("m")})
	atRest(t, tr.Snapshot(), "nova", "compute1")
}

// A delete that has to wait for a stuck device, with the guest stopped, is started.
func TestAdvanceMayWaitForADevice(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "cyborg")
	var c cloud.Change
	for a := range tr.Cyborg().ARQs() {
		modeltest.PutIn(&c, tr, a.Edit(func(a *cyborg.ARQ) { a.State = cyborg.ARQUnbindFailed }))
	}
	tr.Change(c)
	var waits *ops.StuckDeviceError
	if err := tr.advance(t.Context(), terminate()); !errors.As(err, &waits) {
		t.Errorf("the error is %v", err)
	}
	if i, _ := tr.Snapshot().Nova().Instance(vm("i")); i.TaskState != nova.Deleting {
		t.Errorf("the instance is %s", i.TaskState)
	}
}
