package insight

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/placement"
)

// HostSummary is a tree in numbers: what it has itself, and what it can reach of
// the pools that share with it.
type HostSummary struct {
	Classes []ClassTotal  // of the providers of the tree, by class number
	Shared  []kinds.Share // of the pools that serve it, by name of the pool, then class number
}

// Class returns the total of class c; the zero value where the tree has none.
func (h HostSummary) Class(c placement.ResourceClass) ClassTotal { return find(h.Classes, c) }

// HostTotals adds up the tree of a provider.
//
// Errors: placement.ErrNotFound.
func HostTotals(s *cloud.Snapshot, id placement.ProviderID) (HostSummary, error) {
	p, err := s.Placement().FindProvider(id)
	if err != nil {
		return HostSummary{}, err
	}
	view := survey.New(s)
	var own sums
	for _, q := range s.Placement().Tree(s.Placement().Root(p)) {
		for _, iu := range q.Inventories() {
			own.add(iu, view.OneTime.Has(q.Number()))
		}
		for c := range s.Placement().ConsumersOf(q) {
			if !view.IsMigration(c) {
				continue
			}
			for class, amount := range s.Placement().UsedBy(c, q) {
				own.at(class).Held += amount
			}
		}
	}
	return HostSummary{Classes: own.list(s.Placement()), Shared: kinds.NewShares(s).Of(p)}, nil
}
