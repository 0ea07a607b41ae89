package audit

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// RuleNoOwner is "missing owner".
const RuleNoOwner RuleID = "o02"

// noOwner finds accelerators without an owner.
func noOwner() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleNoOwner, Title: "missing owner", Severity: Warning,
			Also:   "no owner unowned missing trait handover",
			Why:    "Once requests ask for an owner, it is never chosen; until then, it is chosen for both.",
			Advice: "Add the OWNER_ trait of the service that hands it out.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			iu, ok := a.Accelerators.Any(p)
			if !ok || a.Nova.Has(p.Number()) || a.Cyborg.Has(p.Number()) {
				return
			}
			class := a.Ledger.ClassName(iu.Class)
			a.found(Finding{
				Provider: p.ID(), Class: class, Subject: p.Name(),
				Text:  "has neither OWNER_NOVA nor OWNER_CYBORG" + a.usageOf(p),
				Brief: strings.TrimPrefix(a.usageOf(p), ", "),
			})
		},
		fixes: ownerFixes,
	}
}

// ownerFixes decide who owns a provider without an owner.
func ownerFixes(s *cloud.Snapshot, f Finding) []Fix { return choices(perOwner(s, f)...) }
