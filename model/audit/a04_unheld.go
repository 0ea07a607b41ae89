package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
)

// RuleUnheld is "no allocations".
const RuleUnheld RuleID = "a04"

// runningWithoutClaim finds instances that run on a host and hold nothing.
func runningWithoutClaim() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleUnheld, Title: "no allocations", Severity: Warning,
			Also:   "instance without claim missing lost nothing allocated unaccounted nova-manage placement heal_allocations heal running unknown database lost",
			Why:    "It runs on capacity that Placement believes is free.",
			Advice: "Heal the allocations of the instance from its flavor.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Migrations},
		instance: func(a *auditor, i *nova.Instance) {
			rightly := i.Host == "" || i.VMState == nova.Building || i.VMState == nova.ShelvedOffloaded
			if _, holds := a.consumerOf(i.UUID); holds || rightly || i.VMState == nova.Resized {
				return
			}
			for m := range a.migrationsOf(i.UUID) {
				if _, holds := a.consumerOf(m.UUID); holds && m.Status.HoldsClaim() {
					return // its claim is parked on the migration; see brokenMove
				}
			}
			a.found(Finding{
				Consumer: i.UUID, Subject: i.Name,
				Text:  fmt.Sprintf("%s (%s) is %s on %s and holds nothing", i.Name, nova.FlavorName(i.Flavor), i.VMState, i.Host),
				Brief: fmt.Sprintf("%s on %s", i.VMState, i.Host),
			})
		},
		fixes: healFixes,
	}
}
