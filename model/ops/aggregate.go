package ops

import (
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// PlanAggregates plans to add a provider to aggregates and to remove it from others;
// it stays in the rest.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for an aggregate that is
// both added and removed.
func PlanAggregates(s *cloud.Snapshot, id placement.ProviderID, add, remove []placement.AggregateID) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: editNote(p.Name(), "aggregate", aggregateNames(s, add), aggregateNames(s, remove))}
		want, err := edited(p.Aggregates(), add, remove, "aggregate")
		if err != nil {
			return cloud.Change{}, err
		}
		slices.SortStableFunc(want, placement.AggregateID.Compare)
		if !slices.Equal(want, p.Aggregates()) {
			c.Ops = append(c.Ops, placement.SetAggregates{
				Provider: id, Generation: p.Expect(), Aggregates: want,
			})
		}
		return c, nil
	})
}

// aggregateNames returns the names of aggregates, or the uuids of those without.
func aggregateNames(s *cloud.Snapshot, all []placement.AggregateID) []string {
	names := QueryNames(s)
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = names(a.String())
	}
	return out
}
