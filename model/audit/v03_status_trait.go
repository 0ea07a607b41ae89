package audit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// RuleStatusTrait is "trait contradicts service".
const RuleStatusTrait RuleID = "v03"

// statusTrait finds compute nodes whose trait in Placement disagrees with their service
// about whether new instances may land there: requests forbid the trait, and check
// nothing else.
//
// Source: nova/compute/manager.py, update_compute_provider_status.
func statusTrait() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleStatusTrait, Title: "trait contradicts service", Severity: Warning,
			Also:   "unlike disabled compute_status_disabled trait enable",
			Why:    "The trait decides whether new instances land here, whatever the service was set to.",
			Advice: "Set the trait as the service says, or disable or enable the service.",
		},
		reads: []cloud.Part{cloud.Services, cloud.Hypervisors},
		cloud: func(a *auditor) {
			for svc := range a.Cloud.Nova().Services() {
				a.unlikeTrait(svc)
			}
		},
		about: func(a *auditor, f Finding) {
			if svc, ok := a.Cloud.Nova().Service(f.Service, nova.Compute); ok {
				a.unlikeTrait(svc)
			}
		},
		fixes: statusTraitFixes,
	}
}

// unlikeTrait reports a compute service that is disabled without the trait, or the other
// way round.
func (a *auditor) unlikeTrait(svc *nova.Service) {
	a.anew()
	root, ok := a.hostProvider(svc.Host)
	if svc.Binary != nova.Compute || !ok || a.Ledger.Having(placement.ComputeStatusDisabled).Has(root.Number()) == svc.Disabled {
		return
	}
	if svc.Told != nova.ServiceUp {
		a.lacks(cloud.Services) // it may be another record that counts
	}
	text, brief := "nova-compute is enabled, and "+string(placement.ComputeStatusDisabled)+" keeps every request away", "enabled, with the trait"
	if svc.Disabled {
		brief = "disabled, without the trait"
		text = "nova-compute is disabled, and without " + string(placement.ComputeStatusDisabled) + " new instances land here"
	}
	a.found(Finding{Provider: root.ID(), Service: svc.Host, Subject: root.Name(), Text: text, Brief: brief})
}

// statusTraitFixes set the trait to match the service.
func statusTraitFixes(s *cloud.Snapshot, f Finding) []Fix {
	svc, ok := s.Nova().Service(f.Service, nova.Compute)
	if !ok {
		return nil
	}
	x := Fix{
		Name: "trait", Title: "remove " + string(placement.ComputeStatusDisabled) + " from " + f.Subject,
		plan: traitsPlan(f.Provider, "", placement.ComputeStatusDisabled),
	}
	if svc.Disabled {
		x.Title, x.plan = "add "+string(placement.ComputeStatusDisabled)+" to "+f.Subject, traitsPlan(f.Provider, placement.ComputeStatusDisabled, "")
	}
	return []Fix{x}
}
