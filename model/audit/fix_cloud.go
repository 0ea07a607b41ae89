package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

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
					c.Nova.Delete(s.Nova(), svc)
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
					c.Nova.Put(s.Nova(), svc.Edit(func(svc *nova.Service) { svc.ForcedDown = true }))
				}
				return c, err
			}),
		},
	)
}

// poolFixes link a pool to the hosts of a host aggregate that has the uuid of one
// of its own, or else make it no pool any more.
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
		Name: "unshare", Title: fmt.Sprintf("make %s no pool any more: remove %s", p.Name(), placement.SharesViaAggregate),
		plan: traitsPlan(f.Provider, "", placement.SharesViaAggregate),
	})...)
	return numbered(out)
}

// mostJoins is how many host aggregates a pool is offered to: of more, an operator
// names one.
const mostJoins = 5

// joinFixes offer to let the hosts of a host aggregate use a pool.
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

// linkHosts puts the roots of the hosts of a host aggregate into the aggregate of
// Placement that stands for it.
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
		c.Placement = append(c.Placement, one.Change.Placement...)
	}
	if len(c.Placement) == 0 {
		return cloud.Change{}, &placement.NotFoundError{What: "resource provider of a host of the aggregate", Name: agg.Name}
	}
	return c, nil
}

// mirrorFixes put a host into the aggregate that stands for a host aggregate.
func mirrorFixes(_ *cloud.Snapshot, f Finding) []Fix {
	return []Fix{{
		Name: "mirror", Title: fmt.Sprintf("put %s into the aggregate %s", f.Subject, f.Aggregate),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanAggregates(s, f.Provider, []placement.AggregateID{f.Aggregate}, nil)
		},
	}}
}

// diskFixes keep the disk of a pool from counting with a host too.
func diskFixes(s *cloud.Snapshot, f Finding) []Fix {
	out := choices(unusedInventoryFixes(s, f)...)
	if len(f.Others) == 0 {
		return out
	}
	pool, ok := s.Placement().Provider(f.Others[0])
	if !ok {
		return out
	}
	return append(out, choices(Fix{
		Name: "unlink", Title: fmt.Sprintf("take %s out of the aggregates of %s", f.Subject, pool.Name()),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			pool, err := s.Placement().FindProvider(f.Others[0])
			if err != nil {
				return ops.Plan{}, err
			}
			return ops.PlanAggregates(s, f.Provider, nil, pool.Aggregates())
		},
	})...)
}
