package audit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleDeadService is "dead service record".
const RuleDeadService RuleID = "v02"

// deadService finds records of computes that are no more and still keep the owner
// filter off.
func deadService() rule {
	return rule{
		Rule: Rule{
			ID: RuleDeadService, Title: "dead service record", Severity: Warning,
			Why:    "A record that nobody upgrades any more keeps every request from asking for an owner.",
			Advice: "Delete the record of the service if the host is gone, or force it down.",
		},
		cloud: func(a *auditor) {
			for svc, dead := range a.holdingGate() {
				if dead != "" {
					a.found(Finding{Service: svc.Host, Subject: svc.Host, Text: a.gateText(svc) + ", and " + dead})
				}
			}
		},
		fixes: serviceFixes,
	}
}

// serviceFixes take a dead service out of what is asked for its version.
func serviceFixes(_ *cloud.Snapshot, f Finding) []Fix {
	record := func(s *cloud.Snapshot) (*nova.Service, error) {
		svc, ok := s.Nova().Service(f.Service, nova.Compute)
		if !ok {
			return nil, &placement.NotFoundError{What: "service", Name: nova.Compute + " on " + f.Service}
		}
		return svc, nil
	}
	return choices(
		Fix{
			Name: "delete", Title: "delete the record of nova-compute on " + f.Service + ", if the host is gone",
			plan: change(func(s *cloud.Snapshot) (cloud.Change, error) {
				svc, err := record(s)
				c := cloud.Change{Note: "delete nova-compute on " + f.Service}
				if err == nil {
					c.Delete(s, svc)
				}
				return c, err
			}),
		},
		Fix{
			Name: "force-down", Title: "force nova-compute on " + f.Service + " down, so that its version is not asked",
			plan: change(func(s *cloud.Snapshot) (cloud.Change, error) {
				svc, err := record(s)
				c := cloud.Change{Note: "force down nova-compute on " + f.Service}
				if err == nil {
					c.Put(s, svc.Edit(func(svc *nova.Service) { svc.ForcedDown = true }))
				}
				return c, err
			}),
		},
	)
}
