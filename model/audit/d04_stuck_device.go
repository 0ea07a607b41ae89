package audit

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/kinds"
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
					Text:  fmt.Sprintf("%s still bound to %s: %s", units(len(rs)), a.guestsOf(rs), why),
					Brief: fmt.Sprintf("%s bound to %s", units(len(rs)), a.guestsOf(rs)),
				})
			}
		},
		fixes: stuckFixes,
	}
}

// guestsOf names the instances that requests are for, also of those that a move holds.
func (a *auditor) guestsOf(requests []*cyborg.ARQ) string {
	var names []string
	for _, r := range requests {
		name := "a deleted guest"
		if i := kinds.ARQInstance(a.Cloud, r); i != nil && i.Live() {
			name = i.Name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return words.First(names, 2)
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
