package audit

import (
	"github.com/placetop/placetop/model/cloud"
)

// RuleDeadService is "dead service record".
const RuleDeadService RuleID = "v02"

// deadService finds records of computes that are gone and still keep the owner
// filter off.
func deadService() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleDeadService, Title: "dead service record", Severity: Warning,
			Also:   "dead stale service record deleted host blocks upgrade gate",
			Why:    "A record that will never be upgraded keeps every request from asking for an owner.",
			Advice: "Delete the record of the service if the host is gone, or force it down.",
		},
		reads: []cloud.Part{cloud.Services, cloud.Hypervisors},
		cloud: func(a *auditor) {
			a.lacks(cloud.Services, cloud.Hypervisors) // the gate is that of all services, by their roots
			for svc, dead := range a.holdingGate() {
				if dead != "" {
					a.found(Finding{Service: svc.Host, Subject: svc.Host, Text: a.gateText(svc) + ", and " + dead, Brief: versionBrief(svc)})
				}
			}
		},
		people: "only people know whether the host is gone: `:services`",
	}
}
