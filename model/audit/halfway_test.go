package audit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// An unfinished move is found after any of its steps.
func TestHalfwayMoveIsFound(t *testing.T) {
	t.Parallel()
	start := modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1)
	m := ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "cyborg"}
	all := must.Get(ops.Rehearse(start.Snapshot, m, modeltest.Noon()))(t)
	for n := range len(all.Steps) - 1 {
		w := &world{TB: t, Snapshot: start.Snapshot}
		for _, step := range all.Steps[:n+1] {
			w.Change(step.Change)
		}
		later(w, time.Hour)
		if !slices.ContainsFunc(audit.FindAll(w.Snapshot), func(f audit.Finding) bool { return f.Rule == audit.RuleBrokenMove }) {
			t.Fatalf("after step %d (%s) nothing is found", n+1, all.Steps[n].Name)
		}
	}
}

// A move that is being reverted but holds nothing to return to is found at once, however
// recently it was updated.
func TestRevertWithoutClaimIsFound(t *testing.T) {
	t.Parallel()
	start := modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1)
	there := must.Get(ops.Rehearse(start.Snapshot, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "cyborg"}, modeltest.Noon()))(t)
	back := must.Get(ops.Rehearse(there.Final, ops.Revert{Migration: vm("m")}, modeltest.Noon()))(t)
	broken := func(w *world) []audit.Finding {
		return slices.DeleteFunc(audit.FindAll(w.Snapshot), func(f audit.Finding) bool { return f.Rule != audit.RuleBrokenMove })
	}
	w := &world{TB: t, Snapshot: there.Final}
	for _, step := range back.Steps {
		w.Change(step.Change)
		if found := broken(w); len(found) > 0 {
			t.Errorf("after %s: %v", step.Name, found)
		}
		if step.Name == "restore" || step.Name == "start" {
			continue
		}
		lost := &world{TB: t, Snapshot: w.Snapshot}
		lost.Do(placement.DeleteAllocations{Consumer: vm("m")})
		if found := broken(lost); len(found) != 1 {
			t.Errorf("after %s without the old claim: %d are found", step.Name, len(found))
		}
	}
}
