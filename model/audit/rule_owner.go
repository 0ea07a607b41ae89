package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// bothOwners finds providers with the owner traits of both services.
func bothOwners() rule {
	return rule{
		Rule: Rule{
			ID: RuleBothOwners, Title: "both owners", Severity: Critical,
			Why:    "Requests of Nova and of Cyborg both land here, and the second one fails on the host.",
			Advice: "Decide who owns it and remove the other OWNER_ trait.",
		},
		cloud: func(a *auditor) {
			for n := range a.Nova.All() {
				if !a.Cyborg.Has(n) {
					continue
				}
				p := a.Ledger.ProviderAt(n)
				a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: "has OWNER_NOVA and OWNER_CYBORG" + a.usageOf(p)})
			}
		},
		fixes: oneOwnerFixes,
	}
}

// noOwner finds accelerators that nobody owns.
func noOwner() rule {
	return rule{
		Rule: Rule{
			ID: RuleNoOwner, Title: "missing owner", Severity: Warning,
			Why:    "Once requests ask for an owner, this is never chosen; until then, it is chosen for either.",
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
				Text: "has neither OWNER_NOVA nor OWNER_CYBORG" + a.usageOf(p),
			})
		},
		fixes: ownerFixes,
	}
}

// computeNoOwner finds compute nodes that Nova has not marked as its own while
// it has marked others: those of an old nova-compute, or those of which somebody
// has replaced the traits. In a cloud where it has marked none, nothing is odd.
func computeNoOwner() rule {
	return rule{
		Rule: Rule{
			ID: RuleComputeNoOwner, Title: "compute without owner", Severity: Warning,
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
					Text: fmt.Sprintf("compute node without OWNER_NOVA, which %d others have", marked),
				})
			}
		},
		fixes: rootTraitFix(placement.OwnerNova),
	}
}

// usageOf returns how full the accelerators of p are, as ", VGPU 4/7 used", or ""
// where it has none.
func (a *auditor) usageOf(p *placement.ResourceProvider) string {
	iu, ok := a.Accelerators.Any(p)
	if !ok {
		return ""
	}
	if a.drains(p, iu) {
		return fmt.Sprintf(", %s %d/%d used, %d reserved", a.Ledger.ClassName(iu.Class), iu.Used, iu.Total, iu.Reserved)
	}
	return fmt.Sprintf(", %s %d/%d used", a.Ledger.ClassName(iu.Class), iu.Used, iu.Capacity())
}
