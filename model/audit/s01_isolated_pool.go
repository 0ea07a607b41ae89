package audit

import (
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/placement"
)

// RuleIsolatedPool is "sharing pool isolated".
const RuleIsolatedPool RuleID = "s01"

// isolatedPool finds sharing providers that no compute node can reach.
func isolatedPool() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleIsolatedPool, Title: "sharing pool isolated", Severity: Info,
			Also:   "shared storage ceph pool aggregate isolated",
			Why:    "No request can ever use what it has.",
			Advice: "Let the hosts of a host aggregate use it, with p on the page of F, or put them into one of its aggregates; if it is not to be shared, remove MISC_SHARES_VIA_AGGREGATE.",
		},
		cloud: func(a *auditor) {
			pools := a.Ledger.Having(placement.SharesViaAggregate)
			reached := map[placement.AggregateID]poolReach{}
			for n := range pools.All() {
				p := a.Ledger.ProviderAt(n)
				if len(p.Inventories()) == 0 || a.reachesAnybody(p, pools, reached) {
					continue
				}
				text, brief := "shares its inventory but is in no aggregate", "in no aggregate"
				if k := len(p.Aggregates()); k > 0 {
					brief = "nobody else in " + words.Count(k, "aggregate")
					text = "shares its inventory, but nobody else is in its " + words.Count(k, "aggregate")
				}
				a.found(Finding{Provider: p.ID(), Subject: p.Name(), Text: text, Brief: brief})
			}
		},
		people: "only people know who may use it: `p` on the page of `F`",
	}
}

// poolReach says which trees can use a pool in an aggregate: the root number of one provider
// that is not a pool itself, and whether there is one in another tree.
type poolReach struct {
	root   int // -1 if there is none
	others bool
}

// reachesAnybody reports whether a provider of another tree that is not a pool itself is
// in an aggregate of p. It caches what it finds about an aggregate in reached, as many
// pools may be in one.
func (a *auditor) reachesAnybody(p *placement.ResourceProvider, pools placement.Set, reached map[placement.AggregateID]poolReach) bool {
	for _, agg := range p.Aggregates() {
		r, ok := reached[agg]
		if !ok {
			r = a.reachOf(agg, pools)
			reached[agg] = r
		}
		if r.others || r.root >= 0 && r.root != p.RootNumber() {
			return true
		}
	}
	return false
}

func (a *auditor) reachOf(agg placement.AggregateID, pools placement.Set) poolReach {
	r := poolReach{root: -1}
	for n := range a.Ledger.InAggregate(agg).All() {
		if pools.Has(n) {
			continue
		}
		root := a.Ledger.ProviderAt(n).RootNumber()
		if r.root >= 0 && r.root != root {
			r.others = true
			return r
		}
		r.root = root
	}
	return r
}
