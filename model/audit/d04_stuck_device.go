package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleStuckDevice is "device not freed".
const RuleStuckDevice RuleID = "d04"

// stuckDevice finds units of cards that Cyborg could not detach from a guest.
func stuckDevice() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleStuckDevice, Title: "device not freed", Severity: Warning,
			Also:   "stuck mdev device not freed leaked vgpu still bound failed error unbindfailed freed",
			Why:    "Nobody gets the unit until somebody has freed it on the host.",
			Advice: "Free the device on the host, then confirm that here.",
		},
		reads: []cloud.Part{cloud.ARQs},
		cloud: func(a *auditor) {
			stuck := map[placement.ProviderID][]*cyborg.ARQ{}
			for r := range a.Cloud.Cyborg().ARQs() {
				if r.State == cyborg.ARQUnbindFailed {
					stuck[r.Provider] = append(stuck[r.Provider], r)
				}
			}
			for id, rs := range stuck {
				why := rs[0].Fault
				if why == "" {
					why = "the unbind failed"
				}
				a.found(Finding{
					Provider: id, Subject: a.Cloud.Placement().ProviderName(id),
					Text:  fmt.Sprintf("%s still bound to a deleted guest: %s", units(len(rs)), why),
					Brief: units(len(rs)) + " still bound",
				})
			}
		},
		fixes: stuckFixes,
	}
}

// units says of how many units something is so.
func units(n int) string {
	if n == 1 {
		return "1 unit is"
	}
	return fmt.Sprintf("%d units are", n)
}

// stuckFixes trust an operator that a device has been freed.
func stuckFixes(_ *cloud.Snapshot, f Finding) []Fix {
	return choices(Fix{
		Name: "freed", Title: "the device was freed on the host: unbind the requests that were stuck, and free what was held for them",
		plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanFreed(s, f.Provider) },
	})
}
