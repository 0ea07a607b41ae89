package ops_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Moving a claim attaches no device to a running guest, and its preview says so; that of
// a course, which attaches the device, does not.
func TestClaimAttachesNoDevice(t *testing.T) {
	t.Parallel()
	warned := func(p ops.Preview) bool {
		return strings.Contains(strings.Join(p.Warnings, "\n"), "that attaches no device")
	}
	w := modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1)
	c, _ := w.Snapshot.Placement().Consumer(vm("i"))
	for to, want := range map[string]bool{"y1": true, "n1": false} {
		claim := w.Snapshot.Placement().AsHeld(c)
		claim.Allocations[rp(to)] = map[placement.ResourceClass]int64{placement.VGPU: 1}
		if to != "n1" {
			delete(claim.Allocations, rp("n1"))
		}
		plan, err := ops.PlanChange(w.Snapshot, cloud.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}}})
		if err != nil || warned(plan.Preview) != want {
			t.Errorf("moved to %s: %v, warnings %q", to, err, plan.Preview.Warnings)
		}
	}
	for name, course := range map[string]ops.Task{"move": move("cyborg"), "boot": newBoot("both")} {
		start := w
		if name == "boot" {
			start = modeltest.NewVGPUWorld(t, 2)
		}
		r := must.Get(ops.Rehearse(start.Snapshot, course, modeltest.Noon()))(t)
		for _, step := range r.Steps {
			if warned(step.Preview) {
				t.Errorf("%s, step %s: %q", name, step.Name, step.Preview.Warnings)
			}
		}
		if warned(r.Outcome()) {
			t.Errorf("%s as a whole: %q", name, r.Outcome().Warnings)
		}
	}
}

// A new version of a nova-compute sets no traits by itself: there is a warning until its
// report has come.
func TestVersionTagsNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		was, is int
		owned   bool
		want    bool
	}{
		{"the version of the tags", 66, nova.VersionOwnerNova, false, true},
		{"an older one", 64, 66, false, false},
		{"what is tagged already", 66, nova.VersionOwnerNova, true, false},
	} {
		traits := []placement.Trait{"COMPUTE_NODE"}
		if tt.owned {
			traits = append(traits, placement.OwnerNova)
		}
		w := newWorld(t).Provider("h", "", resources{placement.VCPU: 1}, traits...)
		w.Record(&nova.Service{Host: "h", Binary: nova.Compute, Version: tt.was})
		w.Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h"})
		plan := must.Get(ops.PlanNova(w.Snapshot, "upgrade", modeltest.Noon(), nova.UpgradeService{Host: "h", Binary: nova.Compute, Version: tt.is}))(t)
		if got := strings.Contains(strings.Join(plan.Preview.Warnings, "\n"), "the version tags nothing: OWNER_NOVA comes with the next report of nova-compute on h"); got != tt.want {
			t.Errorf("%s: warnings %q", tt.name, plan.Preview.Warnings)
		}
	}
}

// TestForcedDownForGood forces a compute down that could not be brought up again.
func TestForcedDownForGood(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		version, others int
		down            bool // already
		want            bool
	}{
		{"older than all others", 66, 73, false, true},
		{"as old as another", 66, 66, false, false},
		{"forced down already", 66, 73, true, false},
	} {
		w := newWorld(t)
		w.Record(&nova.Service{Host: "h", Binary: nova.Compute, Version: tt.version, ForcedDown: tt.down})
		w.Record(&nova.Service{Host: "other", Binary: nova.Compute, Version: tt.others})
		plan := must.Get(ops.PlanNova(w.Snapshot, "force down", modeltest.Noon(), nova.ForceDownService{Host: "h", Binary: nova.Compute, Down: true}))(t)
		if got := strings.Contains(strings.Join(plan.Preview.Warnings, "\n"), "this cannot be undone"); got != tt.want {
			t.Errorf("%s: warnings %q", tt.name, plan.Preview.Warnings)
		}
	}
}
