package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// RuleNoAccelerators is "compute without accelerators".
const RuleNoAccelerators RuleID = "o08"

// noAccelerators finds compute nodes with cards of Cyborg's that Nova does not
// know how to attach.
//
// Source: nova/scheduler/request_filter.py, accelerators_filter.
func noAccelerators() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleNoAccelerators, Title: "compute without accelerators", Severity: Warning,
			Also:   "compute_accelerators missing",
			Why:    "Flavors with a device profile never land here, though the cards are here.",
			Advice: "Upgrade or enable nova-compute, which sets COMPUTE_ACCELERATORS at its next report.",
		},
		tree: func(a *auditor, t *survey.CardTree) {
			able, computes := a.Ledger.Having(placement.ComputeAccelerators), a.Ledger.Having(placement.ComputeNode)
			if n := t.Root.Number(); len(t.Cyborg) == 0 || !computes.Has(n) || able.Has(n) {
				return
			}
			a.found(Finding{
				Provider: t.Root.ID(), Subject: t.Root.Name(),
				Text:  fmt.Sprintf("has %s of Cyborg's below it and lacks COMPUTE_ACCELERATORS", words.Count(len(t.Cyborg), "provider")),
				Brief: words.Count(len(t.Cyborg), "provider") + " of Cyborg's",
			})
		},
		people: "only nova-compute knows whether it can attach them",
	}
}
