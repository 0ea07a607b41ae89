package insight

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/placement"
)

// HostSummary is a tree in numbers: what it has itself, and what it can reach of
// the pools that share with it.
type HostSummary struct {
	Classes []ClassTotal  // of the providers of the tree, by class number
	Shared  []SharedTotal // of the pools that serve it, by name of the pool, then class number
}

// Class returns the total of class c; the zero value where the tree has none.
func (h HostSummary) Class(c placement.ResourceClass) ClassTotal { return find(h.Classes, c) }

// SharedTotal is a class of a pool as a host sees it, in units of the class. The
// pool is the same for every host that it serves: of all hosts only Here and Held
// may be added up.
type SharedTotal struct {
	Pool     placement.ProviderID
	Name     string // of the pool
	Class    placement.ResourceClass
	Capacity int64 // of the pool
	Used     int64 // of the pool, by consumers of any host
	Here     int64 // the part of Used of consumers that hold something of the tree
	Held     int64 // the part of Here that migrations hold
}

// Free returns the capacity less what is used of the pool, in units of the class.
func (t SharedTotal) Free() int64 { return t.Capacity - t.Used }

// HostTotals adds up the tree of a provider.
//
// Errors: placement.ErrNotFound.
func HostTotals(s *cloud.Snapshot, id placement.ProviderID) (HostSummary, error) {
	p, err := s.Placement().FindProvider(id)
	if err != nil {
		return HostSummary{}, err
	}
	shares := NewShares(s)
	var own sums
	for _, q := range s.Placement().Tree(s.Placement().Root(p)) {
		for _, iu := range q.Inventories() {
			own.add(iu, shares.view.OneTime.Has(q.Number()))
		}
		for c := range s.Placement().ConsumersOf(q) {
			if !shares.view.IsMigration(c) {
				continue
			}
			for class, amount := range s.Placement().UsedBy(c, q) {
				own.at(class).Held += amount
			}
		}
	}
	return HostSummary{Classes: own.list(s.Placement()), Shared: shares.Of(p)}, nil
}

// Shares tells what hosts have of the pools of a cloud.
type Shares struct{ view *survey.View }

// NewShares returns the Shares of s.
func NewShares(s *cloud.Snapshot) Shares { return Shares{survey.New(s)} }

// Of returns the classes of the pools that serve the tree of p, by name of the pool,
// then class number: none where p is such a pool itself.
//
// Source: the Nova bugs 1493760 and 1414432, in which the pool's own figures stood for
// those of each host.
func (s Shares) Of(p *placement.ResourceProvider) []SharedTotal {
	root := s.view.Ledger.Root(p)
	users := map[placement.ConsumerID]*placement.Consumer{}
	pools := map[int]bool{}
	for _, q := range s.view.Ledger.Tree(root) {
		for c := range s.view.Ledger.ConsumersOf(q) {
			users[c.ID()] = c
		}
		for n := range s.view.Sharing.All() {
			if pools[n] || s.view.Ledger.ProviderAt(n).RootNumber() == root.Number() {
				continue
			}
			pools[n] = slices.ContainsFunc(q.Aggregates(), s.view.Ledger.ProviderAt(n).InAggregate)
		}
	}
	var out []SharedTotal
	for n, serves := range pools {
		if serves {
			out = append(out, s.sharedTotals(s.view.Ledger.ProviderAt(n), users)...)
		}
	}
	slices.SortStableFunc(out, func(x, y SharedTotal) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

// sharedTotals returns the classes of a pool with what some consumers use of them.
func (s Shares) sharedTotals(pool *placement.ResourceProvider, users map[placement.ConsumerID]*placement.Consumer) []SharedTotal {
	here, held := map[placement.ClassID]int64{}, map[placement.ClassID]int64{}
	for _, c := range users {
		for class, amount := range s.view.Ledger.UsedBy(c, pool) {
			here[class] += amount
			if s.view.IsMigration(c) {
				held[class] += amount
			}
		}
	}
	var out []SharedTotal
	for _, iu := range pool.Inventories() {
		out = append(out, SharedTotal{
			Pool: pool.ID(), Name: pool.Name(), Class: s.view.Ledger.ClassName(iu.Class),
			Capacity: iu.Capacity(), Used: iu.Used, Here: here[iu.Class], Held: held[iu.Class],
		})
	}
	return out
}
