package ops_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestCatalogPlans checks what plans say before a flavor, a device profile or a device is
// changed.
func TestCatalogPlans(t *testing.T) {
	t.Parallel()
	w := modeltest.NewVGPUWorld(t, 1).VGPUInstance("vm-1", "nova", 1).VGPUInstance("vm-2", "cyborg", 1)
	create := func(specs map[string]string) func(*cloud.Snapshot) (ops.Plan, error) {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanFlavor(s, "create flavor new", "new", modeltest.Noon(), nova.CreateFlavor{
				Flavor: &nova.Flavor{Name: "new", FlavorID: "new", VCPUs: 1, MemoryMB: 1, ExtraSpecs: specs},
			})
		}
	}
	specs := func(specs map[string]string) func(*cloud.Snapshot) (ops.Plan, error) {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanFlavor(s, "set flavor plain", "plain", modeltest.Noon(), nova.SetExtraSpecs{Flavor: "plain", ExtraSpecs: nova.KeyEdits{Set: specs}})
		}
	}
	var card uuid.UUID
	for d := range w.Cyborg().Devices() {
		card = d.UUID
	}
	for name, test := range map[string]struct {
		plan func(*cloud.Snapshot) (ops.Plan, error)
		warn string
		err  error
	}{
		"flavor":                 {plan: create(map[string]string{"accel:device_profile": "dp-vgpu"})},
		"flavor without profile": {plan: create(map[string]string{"accel:device_profile": "dp-9"}), warn: "flavor new asks for device profile dp-9, which does not exist"},
		"flavor with a group of its profile": {
			plan: create(map[string]string{"accel:device_profile": "dp-vgpu", "resources" + cyborg.GroupSuffix(0) + ":VGPU": "1"}), err: placement.ErrInvalid,
		},
		"flavor of no class":      {plan: create(map[string]string{"resources:VGPUS": "1"}), err: placement.ErrInvalid},
		"flavor of unknown class": {plan: create(map[string]string{"resources:CUSTOM_NO": "1"}), err: placement.ErrInvalid},
		"flavor of unknown trait": {plan: create(map[string]string{"trait:CUSTOM_NO": "required"}), err: placement.ErrInvalid},
		"other specs of a flavor": {plan: specs(map[string]string{"trait:OWNER_NOVA": "forbidden"})},
		"specs of unknown trait":  {plan: specs(map[string]string{"trait:CUSTOM_NO": "required"}), err: placement.ErrInvalid},
		"specs of no flavor": {plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanFlavor(s, "set flavor none", "none", modeltest.Noon(), nova.SetExtraSpecs{Flavor: "none"})
		}, err: placement.ErrNotFound},
		"delete flavor":         {plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteFlavor(s, "plain") }},
		"delete flavor in use":  {plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteFlavor(s, "nova") }, warn: "1 instance has flavor nova, and keeps it"},
		"delete no flavor":      {plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteFlavor(s, "none") }, err: placement.ErrNotFound},
		"delete profile":        {plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProfile(s, "dp-two") }, warn: "flavor cyborg.two asks for it"},
		"delete profile in use": {plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProfile(s, "dp-vgpu") }, err: placement.ErrInUse},
		"disable device":        {plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeviceStatus(s, card, true) }, warn: "VGPU of y1 will be over capacity: 1 used of 0"},
		"disable no device": {plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanDeviceStatus(s, uuid.Nil, true)
		}, err: placement.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, err := test.plan(w.Snapshot)
			must.Fail(t, err, test.err)
			if said := strings.Join(plan.Preview.Warnings, "; "); !strings.Contains(said, test.warn) || (said != "") != (test.warn != "") {
				t.Errorf("it warns %q, want %q", said, test.warn)
			}
			if err == nil && plan.Empty() {
				t.Error("it changes nothing")
			}
		})
	}
}
