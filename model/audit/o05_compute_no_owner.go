package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// RuleComputeNoOwner is "compute without owner".
const RuleComputeNoOwner RuleID = "o05"

// computeNoOwner finds compute nodes that Nova has not marked as its own although it has
// marked others: those of an old nova-compute, or those whose traits were replaced. If it
// has marked none, none is an exception.
func computeNoOwner() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleComputeNoOwner, Title: "compute without owner", Severity: Warning,
			Also:   "owner_nova missing compute rolling upgrade",
			Why:    "Once requests ask for OWNER_NOVA on the root, this host gets nothing.",
			Advice: "Upgrade its nova-compute, which sets the trait at its next report.",
		},
		cloud: func(a *auditor) {
			marked, unmarked := 0, []*placement.ResourceProvider(nil)
			for n := range a.Ledger.Having(placement.ComputeNode).All() {
				p := a.Ledger.ProviderAt(n)
				switch {
				case !p.IsRoot():
				case a.Nova.Has(n):
					marked++
				default:
					unmarked = append(unmarked, p)
				}
			}
			if marked == 0 {
				return
			}
			for _, p := range unmarked {
				a.found(Finding{
					Provider: p.ID(), Subject: p.Name(),
					Text:  fmt.Sprintf("compute node without OWNER_NOVA, which %d others have", marked),
					Brief: fmt.Sprintf("%d others have OWNER_NOVA", marked),
				})
			}
		},
		people: "only nova-compute knows whether it is new enough: added by others, the trait would open the gate",
	}
}
