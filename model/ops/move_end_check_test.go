package ops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// tightenVCPU sets max_unit below what instance i holds on compute1.
func tightenVCPU(w *world) {
	inv := placement.NewInventory(16)
	inv.MaxUnit, inv.AllocationRatio = 1, 4
	w.Inventory("compute1", placement.VCPU, inv)
}

// releases returns a function that releases what a consumer holds.
func releases(name string) func(*world) {
	return func(w *world) { w.Do(placement.DeleteAllocations{Consumer: vm(name)}) }
}

// If a confirm or revert could not end, it is refused before anything is written, by a
// check that names the reason and what helps.
func TestMoveEndRefusals(t *testing.T) {
	t.Parallel()
	confirm, revert := ops.Confirm{Migration: vm("m")}, ops.Revert{Migration: vm("m")}
	for _, tt := range []struct {
		name, check string
		steps       int // of the move before; 0 for all
		edits       []func(*world)
		end         ops.Checker
		words       string
	}{
		{"revert: the old claim is gone", "old place", 0, []func(*world){releases("m")}, revert, "confirm it, and i stays on compute2"},
		{"revert: both claims are gone", "old place", 0, []func(*world){releases("m"), releases("i")}, revert, "heal the instance, and confirm it then"},
		{"revert: the old claim is gone before the new", "old place", 1, []func(*world){releases("m")}, revert, "finish it, and confirm it then"},
		{"revert: the old claim is gone on the way", "old place", 6, []func(*world){releases("m")}, revert, "finish it, and confirm it then"},
		{"revert: max_unit was tightened under the claim", "old place", 0, []func(*world){tightenVCPU}, revert, "raise max_unit of VCPU on compute1 to 2 first"},
		{"revert: max_unit was tightened on the way", "old place", 6, []func(*world){tightenVCPU}, revert, "raise max_unit of VCPU on compute1 to 2 first"},
		{"confirm: the new claim is gone", "new place", 0, []func(*world){releases("i")}, confirm, "heal it first, or revert the resize"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := newMove(t, "nova")
			k := tt.steps
			if k == 0 {
				k = -1
			}
			tr.killedAfter(t, k, move("cyborg"))
			for _, edit := range tt.edits {
				edit(tr.world)
			}
			before := tr.Snapshot()
			if err := tr.advance(t.Context(), tt.end); err == nil || !strings.Contains(err.Error(), tt.words) {
				t.Errorf("error %v, want one that says %q", err, tt.words)
			}
			if tr.Snapshot() != before {
				t.Error("something was written")
			}
			var by []string
			for _, c := range tt.end.Checks(before, modeltest.At(0)) {
				if c.Refusal != nil {
					by = append(by, c.Name)
				}
			}
			if !slices.Equal(by, []string{tt.check}) {
				t.Errorf("refused by %v, want %s", by, tt.check)
			}
		})
	}
}

// How a waiting move may end depends on what is held.
func TestCheckEnd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		gone            []string
		confirm, revert bool
	}{
		"both held":             {nil, true, true},
		"the old claim is gone": {[]string{"m"}, true, false},
		"the new claim is gone": {[]string{"i"}, false, true},
		"both are gone":         {[]string{"m", "i"}, false, false},
	} {
		tr := newMove(t, "nova")
		if c, r := ops.CheckEnd(tr.Snapshot(), vm("m")); c != nil || r != nil {
			t.Errorf("%s: before it is there: %v, %v", name, c, r)
		}
		tr.mustEnd(t, move("cyborg"))
		for _, of := range tt.gone {
			releases(of)(tr.world)
		}
		if c, r := ops.CheckEnd(tr.Snapshot(), vm("m")); (c == nil) != tt.confirm || (r == nil) != tt.revert {
			t.Errorf("%s: %v, %v", name, c, r)
		}
	}
}

// An instance whose new claim was lost is healed where it is, and then confirmed; one is
// reverted after max_unit has been raised again.
func TestMoveEndRemedies(t *testing.T) {
	t.Parallel()
	t.Run("heal, then confirm", func(t *testing.T) {
		t.Parallel()
		tr := newMove(t, "nova")
		tr.mustEnd(t, move("cyborg"))
		releases("i")(tr.world)
		heals, err := ops.PlanHeal(tr.Snapshot(), ops.HealOptions{Instance: vm("i")})
		if err != nil || heals[0].Outcome != ops.HealClaim {
			t.Fatalf("healing comes to %v, %v", heals, err)
		}
		tr.Change(heals[0].Plan.Change)
		tr.mustEnd(t, ops.Confirm{Migration: vm("m")})
		atRest(t, tr.Snapshot(), "cyborg", "compute2")
	})
	t.Run("raise max_unit, then revert", func(t *testing.T) {
		t.Parallel()
		tr := newMove(t, "nova")
		tr.mustEnd(t, move("cyborg"))
		tightenVCPU(tr.world)
		inv := placement.NewInventory(16)
		inv.MaxUnit, inv.AllocationRatio = 2, 4
		tr.Inventory("compute1", placement.VCPU, inv)
		tr.mustEnd(t, ops.Revert{Migration: vm("m")})
		atRest(t, tr.Snapshot(), "nova", "compute1")
	})
}
