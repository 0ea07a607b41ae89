package audit_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// An unfinished move, after any of its steps, can be finished or undone, and either fix
// clears the finding.
func TestHalfwayMoveHasItsFixes(t *testing.T) {
	t.Parallel()
	start := modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1)
	m := ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "cyborg"}
	all := must.Get(ops.Rehearse(start.Snapshot, m, modeltest.Noon()))(t)
	for n := range len(all.Steps) - 1 {
		w := &world{TB: t, Snapshot: start.Snapshot}
		for _, step := range all.Steps[:n+1] {
			w.Change(step.Change)
		}
		at := modeltest.Noon().Add(time.Hour)
		w.Later(time.Hour)
		found := audit.FindAll(w.Snapshot)
		i := slices.IndexFunc(found, func(f audit.Finding) bool { return f.Rule == audit.RuleBrokenMove })
		if i < 0 {
			t.Fatalf("after step %d (%s) nothing is found", n+1, all.Steps[n].Name)
		}
		var names []string
		for _, fix := range audit.Fixes(w.Snapshot, found[i]) {
			names = append(names, fix.Name)
			if fix.Course() == nil {
				continue
			}
			r, err := ops.Rehearse(w.Snapshot, fix.Course(), at)
			if _, stands := found[i].StandsOn(r.Final); err != nil || stands {
				t.Errorf("after step %d: %s: stands %t, %v", n+1, fix.Title, stands, err)
			}
			i, _ := r.Final.Nova().Instance(vm("i"))
			if want := map[string]nova.VMState{"finish": nova.Resized, "undo": nova.Active}[fix.Name]; i.VMState != want {
				t.Errorf("after step %d: %s leaves it %s", n+1, fix.Name, i.VMState)
			}
		}
		want := []string{"[finish undo]", "[put-back finish undo]"}
		if all.Steps[n].Name == "bind" {
			want = []string{"[undo]"} // Nova no longer waits for Cyborg
		}
		if got := fmt.Sprint(names); !slices.Contains(want, got) {
			t.Errorf("after step %d (%s): fixes %s", n+1, all.Steps[n].Name, got)
		}
	}
}

// A move that is being reverted but holds nothing to return to is found at once, however
// recently it was updated, and can be finished.
func TestRevertWithoutClaimHasItsFix(t *testing.T) {
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
		found := broken(lost)
		if len(found) != 1 {
			t.Fatalf("after %s without the old claim: %d are found", step.Name, len(found))
		}
		tryFixes(t, lost, found[0], []string{"finish?"})
	}
}
