package audit

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// RuleDeadService is "dead service record".
const RuleDeadService RuleID = "v02"

// deadService finds records of computes that are gone and still keep the owner
// filter off.
func deadService() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleDeadService, Title: "dead service record", Severity: Warning,
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
		fixes: serviceFixes,
	}
}

// serviceFixes remove a dead service from those whose version counts.
func serviceFixes(_ *cloud.Snapshot, f Finding) []Fix {
	verb := func(note string, op nova.Op) func(*cloud.Snapshot) (ops.Plan, error) {
		return func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanNova(s, note+" nova-compute on "+f.Service, time.Time{}, op)
		}
	}
	return choices(
		Fix{
			Name: "delete", Title: "delete the record of nova-compute on " + f.Service + ", if the host is gone",
			plan: verb("delete", nova.DeleteService{Host: f.Service, Binary: nova.Compute}),
		},
		Fix{
			Name: "force-down", Title: "force nova-compute on " + f.Service + " down, so that its version does not count",
			plan: verb("force down", nova.ForceDownService{Host: f.Service, Binary: nova.Compute, Down: true}),
		},
	)
}
