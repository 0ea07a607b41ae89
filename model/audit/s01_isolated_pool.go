package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleIsolatedPool is "sharing pool isolated".
const RuleIsolatedPool RuleID = "s01"

// isolatedPool finds sharing providers that no compute node can reach.
func isolatedPool() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleIsolatedPool, Title: "sharing pool isolated", Severity: Info,
			Why:    "No request can ever use what it has.",
			Advice: "Put the compute nodes that may use it into one of its aggregates.",
		},
		cloud: func(a *auditor) {
			pools := a.Ledger.Having(placement.SharesViaAggregate)
			reached := map[placement.AggregateID]reach{}
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
		fixes: poolFixes,
	}
}

// poolFixes link a pool to the hosts of a host aggregate with the uuid of one of its own,
// or else make it an ordinary provider.
func poolFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, ok := s.Placement().Provider(f.Provider)
	if !ok {
		return nil
	}
	var out []Fix
	for _, id := range p.Aggregates() {
		agg, ok := s.Nova().Aggregate(id)
		if !ok || len(agg.Hosts) == 0 {
			continue
		}
		out = append(out, Fix{
			Name: "link", Title: fmt.Sprintf("put the %s of the host aggregate %s into the aggregate of the pool", words.Count(len(agg.Hosts), "host"), agg.Name),
			plan: change(func(s *cloud.Snapshot) (cloud.Change, error) { return linkHosts(s, id) }),
		})
	}
	if len(out) == 0 {
		out = append(out, joinFixes(s, p)...)
	}
	out = append(out, choices(Fix{
		Name: "unshare", Title: fmt.Sprintf("stop sharing %s: remove %s", p.Name(), placement.SharesViaAggregate),
		plan: traitsPlan(f.Provider, "", placement.SharesViaAggregate),
	})...)
	return numbered(out)
}

// mostJoins is how many host aggregates are offered for a pool: if there are more, the
// operator has to name one.
const mostJoins = 5

// joinFixes offer to share a pool with the hosts of a host aggregate.
func joinFixes(s *cloud.Snapshot, pool *placement.ResourceProvider) []Fix {
	var out []Fix
	for agg := range s.Nova().Aggregates() {
		if len(agg.Hosts) == 0 || pool.InAggregate(agg.UUID) || len(out) == mostJoins {
			continue
		}
		x := Fix{
			Name: "link-" + agg.Name, Title: fmt.Sprintf("let the %s of the host aggregate %s use %s", words.Count(len(agg.Hosts), "host"), agg.Name, pool.Name()),
			plan: func(s *cloud.Snapshot) (ops.Plan, error) {
				return ops.PlanPool(s, pool.ID(), ops.PoolWish{Link: agg.UUID})
			},
		}
		if _, err := x.plan(s); err == nil {
			out = append(out, x)
		}
	}
	return choices(out...)
}

// linkHosts adds the roots of the hosts of a host aggregate to its aggregate in
// Placement.
func linkHosts(s *cloud.Snapshot, id placement.AggregateID) (cloud.Change, error) {
	agg, ok := s.Nova().Aggregate(id)
	if !ok {
		return cloud.Change{}, &placement.NotFoundError{What: "host aggregate", Name: id.String()}
	}
	c := cloud.Change{Note: "mirror the host aggregate " + agg.Name}
	a := newAuditor(s)
	for _, host := range agg.Hosts {
		p, ok := a.HostProvider(host)
		if !ok {
			continue
		}
		one, err := ops.PlanAggregates(s, p.ID(), []placement.AggregateID{id}, nil)
		if err != nil {
			return cloud.Change{}, err
		}
		c.Ops = append(c.Ops, one.Change.Ops...)
	}
	if len(c.Ops) == 0 {
		return cloud.Change{}, &placement.NotFoundError{What: "resource provider of a host of the aggregate", Name: agg.Name}
	}
	return c, nil
}

// reach says which trees can use a pool in an aggregate: the root number of one provider
// that is not a pool itself, and whether there is one in another tree.
type reach struct {
	root   int // -1 if there is none
	others bool
}

// reachesAnybody reports whether a provider of another tree that is not a pool itself is
// in an aggregate of p. It caches what it finds about an aggregate in reached, as many
// pools may be in one.
func (a *auditor) reachesAnybody(p *placement.ResourceProvider, pools placement.Set, reached map[placement.AggregateID]reach) bool {
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

func (a *auditor) reachOf(agg placement.AggregateID, pools placement.Set) reach {
	r := reach{root: -1}
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
