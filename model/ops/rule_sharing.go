package ops

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// isolatedPool finds sharing providers that no compute node can reach.
func isolatedPool() rule {
	return rule{
		Rule: Rule{
			ID: RuleIsolatedPool, Title: "sharing pool isolated", Severity: Info,
			Why:    "No request can ever use what it has.",
			Advice: "Put the compute nodes that may use it into one of its aggregates.",
		},
		cloud: func(a *auditor) {
			pools := withTrait(a.ledger, placement.SharesViaAggregate)
			for n := range pools.All() {
				p := a.ledger.ProviderAt(n)
				if len(p.Inventories()) == 0 || a.reachesAnybody(p, pools) {
					continue
				}
				text := "shares its inventory but is in no aggregate"
				if k := len(p.Aggregates()); k > 0 {
					text = fmt.Sprintf("shares its inventory, but nobody else is in its %s", countOf(k, "aggregate"))
				}
				a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: text})
			}
		},
	}
}

// reachesAnybody reports whether a provider of another tree that is no pool itself
// is in an aggregate of p.
func (a *auditor) reachesAnybody(p *placement.ResourceProvider, pools placement.Set) bool {
	for _, agg := range p.Aggregates() {
		for n := range a.ledger.InAggregate(agg).All() {
			if !pools.Has(n) && a.ledger.ProviderAt(n).RootNumber() != p.RootNumber() {
				return true
			}
		}
	}
	return false
}

// countOf returns "1 noun" or "n nouns".
func countOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
