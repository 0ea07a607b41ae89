package ops_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// terminate returns the delete of instance i.
func terminate() ops.Terminate { return ops.Terminate{Instance: vm("i")} }

// gone fails unless only the record of instance i is left.
func gone(t *testing.T, tr *trip, when string) {
	t.Helper()
	s := tr.Snapshot()
	if i := tr.instance(); i.Live() || i.VMState != nova.Deleted || i.TaskState != "" {
		t.Errorf("%s: the instance is %s %q", when, i.VMState, i.TaskState)
	}
	if n := s.Placement().ConsumerCount(); n != 0 {
		t.Errorf("%s: %d consumers hold something", when, n)
	}
	for a := range s.Cyborg().ARQs() {
		t.Errorf("%s: accelerator request %s is %s", when, a.UUID, a.State)
	}
	for m := range s.Nova().Migrations() {
		if m.Status.UnderWay() {
			t.Errorf("%s: the %s is %s", when, m.Type, m.Status)
		}
	}
	for _, text := range broken(s) {
		t.Errorf("%s: %s", when, text)
	}
}

// The order of a delete: the guest, the device, the claim, the record.
func TestTerminate(t *testing.T) {
	t.Parallel()
	tr := newBooted(t, "both")
	must.Succeed(t, tr.advance(t.Context(), terminate()))
	must.Be(t, tr.names(), "mark stop unbind release delete")
	must.Be(t, tr.acts(), "stop guest compute1, unbind device compute1")
	gone(t, tr, "deleted")
	if err := tr.advance(t.Context(), terminate()); err != nil || len(tr.lines) != 5 {
		t.Errorf("deleting it again: %v, %d steps", err, len(tr.lines))
	}
	must.Fail(t, tr.advance(t.Context(), ops.Terminate{Instance: vm("nobody")}), placement.ErrNotFound)
}

// An instance can be deleted at every point of every other course.
func TestTerminateAnywhere(t *testing.T) {
	t.Parallel()
	for _, v := range voyages() {
		if strings.HasPrefix(v.name, "delete") {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			steps := v.start(t).killedAfter(t, -1, v.course)
			for k := 1; k <= steps; k++ {
				tr := v.start(t)
				tr.killedAfter(t, k, v.course)
				tr.mustEnd(t, terminate())
				gone(t, tr, v.name+" stopped after a step")
				if err := tr.advance(t.Context(), v.course); err == nil && tr.instance().VMState != nova.Deleted {
					t.Error("the course goes on with a deleted instance")
				}
			}
		})
	}
}

// During a move the guest may be on two hosts: it is removed from both, except from one
// that is down.
func TestTerminateStopsEverywhere(t *testing.T) {
	t.Parallel()
	tr := newBooted(t, "plain")
	tr.mustEnd(t, move("nova"))
	tr.guests.did = nil
	tr.mustEnd(t, terminate())
	must.Be(t, tr.acts(), "stop guest compute1, stop guest compute2")
	tr = newDead(t, "cyborg")
	tr.mustEnd(t, terminate())
	if got := tr.acts(); got != "" {
		t.Errorf("on a host that is down: %s", got)
	}
	gone(t, tr, "on a host that is down")
}

// A stuck device keeps its unit, and the instance, until the operator has freed it by
// hand.
func TestTerminateStuck(t *testing.T) {
	t.Parallel()
	tr := newBooted(t, "cyborg.two")
	no := errors.New("in use")
	tr.guests.bad = map[ops.ActKind]error{ops.UnbindDevice: no}
	err := tr.advance(t.Context(), terminate())
	var failed *ops.FailedError
	if !errors.Is(err, no) || !errors.As(err, &failed) || !errors.As(failed.Stuck, new(*ops.StuckDeviceError)) || !strings.Contains(err.Error(), "free it on the host") {
		t.Fatalf("error %v", err)
	}
	i := tr.instance()
	if !i.Live() || i.TaskState != nova.Deleting || !strings.Contains(i.Fault, "in use") || used(t, tr.Snapshot(), "y1", placement.VGPU) != 2 {
		t.Errorf("the instance is %s %q with fault %q, the card has %d in use", i.VMState, i.TaskState, i.Fault, used(t, tr.Snapshot(), "y1", placement.VGPU))
	}
	if err := tr.advance(t.Context(), terminate()); !errors.As(err, new(*ops.StuckDeviceError)) || !errors.Is(err, placement.ErrState) {
		t.Errorf("again: %v", err)
	}
	for a := range tr.Cyborg().ARQs() {
		change := cyborg.ForceUnbind{ARQs: []uuid.UUID{a.UUID}}
		tr.Change(cloud.Change{Ops: []cloud.Op{change}})
	}
	left := ops.Unfinished(tr.Snapshot(), late, 0)
	if len(left) != 1 || !strings.HasPrefix(left[0].Words, "the delete of i stopped: unbind device on compute1: in use") {
		t.Fatalf("unfinished: %v", left)
	}
	tr.mustEnd(t, left[0].Finish)
	gone(t, tr, "after the force")
}
