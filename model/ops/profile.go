package ops

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
)

// PlanProfile plans to create a device profile at the given time, and warns of
// classes and traits in it that nothing has.
//
// Errors: those of cyborg.CreateDeviceProfile.
func PlanProfile(s *cloud.Snapshot, p *cyborg.DeviceProfile, at time.Time) (Plan, error) {
	return Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		return cloud.Change{Note: "create device profile " + p.Name, At: at, Ops: []cloud.Op{cyborg.CreateDeviceProfile{Profile: p}}}, nil
	}).With(func(plan Plan) []string {
		var out []string
		for _, text := range p.Remarks(plan.On.Placement()) {
			out = append(out, fmt.Sprintf("device profile %s: %s", p.Name, text))
		}
		return out
	}).Plan(s)
}

// PlanDeleteProfile plans to delete a device profile by name, and warns of each flavor
// that asks for it.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while an accelerator request
// is of it.
func PlanDeleteProfile(s *cloud.Snapshot, name string) (Plan, error) {
	return Decider(func(*cloud.Snapshot) (cloud.Change, error) {
		return cloud.Change{Note: "delete device profile " + name, Ops: []cloud.Op{cyborg.DeleteDeviceProfile{Profile: name}}}, nil
	}).With(func(p Plan) []string {
		var out []string
		for f := range p.On.Nova().CurrentFlavors() {
			if f.DeviceProfile() == name {
				out = append(out, fmt.Sprintf("flavor %s asks for it: nothing can be booted with that flavor any more", f.Name))
			}
		}
		return out
	}).Plan(s)
}
