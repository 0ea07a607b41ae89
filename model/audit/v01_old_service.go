package audit

import "github.com/placetop/placetop/model/cloud"

// RuleOldService is "old compute".
const RuleOldService RuleID = "v01"

// oldService finds computes that keep the owner filter off for the whole cloud.
func oldService() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOldService, Title: "old compute", Severity: Info,
			Also:   "old version upgrade rpc minimum service level",
			Why:    "Until it is upgraded, no request in the whole cloud asks for an owner.",
			Advice: "Upgrade nova-compute on this host.",
		},
		reads: []cloud.Part{cloud.Services, cloud.Hypervisors},
		cloud: func(a *auditor) {
			a.lacks(cloud.Services, cloud.Hypervisors) // the gate is that of all services, by their roots
			for svc, dead := range a.holdingGate() {
				if dead == "" {
					a.found(Finding{Service: svc.Host, Subject: svc.Host, Text: a.gateText(svc), Brief: versionBrief(svc)})
				}
			}
		},
		people: "a service can only be upgraded on its host",
	}
}
