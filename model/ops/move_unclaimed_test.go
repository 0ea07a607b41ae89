package ops_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// A move whose migration loses the old claim at any step of its revert still ends: the
// instance claims its old place again.
func TestRevertWithoutTheOldClaim(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"nova", "cyborg", "both"} {
		to := "cyborg"
		if from == "cyborg" {
			to = "nova"
		}
		for k := 1; ; k++ {
			tr := newMove(t, from)
			tr.mustEnd(t, move(to))
			tr.killedAfter(t, k, ops.Revert{Migration: vm("m")})
			i, _ := tr.Nova().Instance(vm("i"))
			if i.TaskState == nova.ResizeFinish || i.TaskState == "" {
				if k == 1 {
					t.Fatal("the revert was not left unfinished")
				}
				break // it has its claim back
			}
			releases("m")(tr.world)
			left := ops.Unfinished(tr.Snapshot(), late, 0)
			if len(left) != 1 {
				t.Fatalf("from %s, step %d: %d are unfinished, want 1", from, k, len(left))
			}
			tr.mustEnd(t, left[0].Finish)
			for _, fault := range restFaults(tr.Snapshot(), from, "compute1") {
				t.Errorf("from %s, lost after step %d: %s", from, k, fault)
			}
			if tr.status() != nova.Reverted {
				t.Errorf("from %s, step %d: the migration is %s", from, k, tr.status())
			}
		}
	}
}

// The claim vanishes during the revert: after the try-out, before the write that would
// restore it.
func TestRevertLosesTheOldClaim(t *testing.T) {
	t.Parallel()
	for step := range 4 {
		tr := newMove(t, "nova")
		tr.mustEnd(t, move("cyborg"))
		tr.before = slices.Repeat([]func(*world){func(*world) {}}, step+1)
		tr.before[step] = releases("m")
		if err := tr.advance(t.Context(), ops.Revert{Migration: vm("m")}); err != nil {
			t.Errorf("lost before write %d: %v", step+1, err)
		}
		atRest(t, tr.Snapshot(), "nova", "compute1")
	}
}

// If its old place has no room any more the instance comes back with nothing, and is
// healed once there is room.
func TestRevertUnclaimed(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "nova")
	tr.mustEnd(t, move("cyborg"))
	tr.killedAfter(t, 2, ops.Revert{Migration: vm("m")})
	releases("m")(tr.world)
	tr.Claim("filler", placement.InstanceConsumer, map[string]resources{"n1": {placement.VGPU: 4}})
	err := tr.advance(t.Context(), ops.Revert{Migration: vm("m")})
	var unclaimed *ops.UnclaimedError
	var failed *ops.FailedError
	if !errors.As(err, &unclaimed) || !errors.As(err, &failed) || failed.Stuck != nil || !errors.Is(err, placement.ErrCapacity) {
		t.Errorf("the error is %v", err)
	}
	i, _ := tr.Nova().Instance(vm("i"))
	m, _ := tr.Nova().Migration(vm("m"))
	if i.Host != "compute1" || i.Flavor != "nova" || i.VMState != nova.Active || i.TaskState != "" || !strings.Contains(i.Fault, "has no allocations") {
		t.Errorf("the instance is %+v", i)
	}
	if m.Status != nova.Error || holds(tr.Snapshot(), vm("m")) != nil || holds(tr.Snapshot(), vm("i")) != nil {
		t.Errorf("the migration is %+v", m)
	}
	if left := ops.Unfinished(tr.Snapshot(), late, 0); len(left) > 0 {
		t.Errorf("it is unfinished: %s", left[0].Words)
	}
	releases("filler")(tr.world)
	heals, err := ops.PlanHeal(tr.Snapshot(), ops.HealOptions{Instance: vm("i")})
	if err != nil || heals[0].Outcome != ops.HealClaim {
		t.Fatalf("healing comes to %+v, %v", heals, err)
	}
	tr.Change(heals[0].Plan.Change)
	for _, fault := range restFaults(tr.Snapshot(), "nova", "compute1") {
		t.Error(fault)
	}
}

// A move that has lost its old claim cannot be undone: it continues to its end, or comes
// back if there is no place to go to.
func TestMoveWithoutTheOldClaim(t *testing.T) {
	t.Parallel()
	for k := 1; k <= 7; k++ {
		tr := newMove(t, "nova")
		tr.killedAfter(t, k, move("cyborg"))
		releases("m")(tr.world)
		left := ops.Unfinished(tr.Snapshot(), late, 0)
		if len(left) != 1 || left[0].Undo != nil {
			t.Fatalf("after step %d: unfinished are %v", k, left)
		}
		tr.mustEnd(t, left[0].Finish)
		tr.mustEnd(t, ops.Confirm{Migration: vm("m")})
		for _, fault := range restFaults(tr.Snapshot(), "cyborg", "compute2") {
			t.Errorf("after step %d: %s", k, fault)
		}
	}
}
