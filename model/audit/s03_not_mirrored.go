package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleNotMirrored is "aggregate not mirrored".
const RuleNotMirrored RuleID = "s03"

// notMirrored finds hosts that are in a host aggregate of Nova's, but not in the same
// aggregate of Placement.
//
// Source: nova/cmd/manage.py, sync_aggregates.
func notMirrored() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleNotMirrored, Title: "aggregate not mirrored", Severity: Info,
			Also:   "aggregate sync_aggregates missing mirror availability zone az not synced",
			Why:    "Requests for its zone, or from its tenants, skip this host.",
			Advice: "Put the provider into the aggregate, as nova-manage placement sync_aggregates does.",
		},
		reads: []cloud.Part{cloud.HostAggregates, cloud.Hypervisors},
		cloud: func(a *auditor) {
			for agg := range a.Cloud.Nova().Aggregates() {
				a.mirror(agg)
			}
		},
		about: func(a *auditor, f Finding) {
			if agg, ok := a.Cloud.Nova().Aggregate(f.Aggregate); ok {
				a.mirror(agg)
			}
		},
		fixes: mirrorFixes,
	}
}

// mirror reports the hosts of a host aggregate that are not in its aggregate in
// Placement.
func (a *auditor) mirror(agg *nova.HostAggregate) {
	for _, host := range agg.Hosts {
		a.anew()
		p, ok := a.hostProvider(host)
		if !ok || p.InAggregate(agg.UUID) {
			continue
		}
		a.found(Finding{
			Provider: p.ID(), Aggregate: agg.UUID, Subject: p.Name(),
			Text:  fmt.Sprintf("is in the host aggregate %s, and not in %s", agg.Name, agg.UUID),
			Brief: "host aggregate " + agg.Name,
		})
	}
}

// mirrorFixes add a host to the aggregate in Placement.
func mirrorFixes(_ *cloud.Snapshot, f Finding) []Fix {
	return []Fix{{
		Name: "mirror", Title: fmt.Sprintf("put %s into the aggregate %s", f.Subject, f.Aggregate),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return ops.PlanAggregates(s, f.Provider, []placement.AggregateID{f.Aggregate}, nil)
		},
	}}
}
