package kinds

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/placement"
)

// Share is a class of a pool as a host sees it, in units of the class. The pool is the
// same for every host that it serves: of all hosts only Here and Held may be added up.
type Share struct {
	Pool     placement.ProviderID    `json:"pool_uuid"`
	Name     string                  `json:"pool"`
	Class    placement.ResourceClass `json:"resource_class"`
	Here     int64                   `json:"used_by_host"`               // the part of Used of consumers that hold something of the tree
	Held     int64                   `json:"held_by_migrations_of_host"` // the part of Here that migrations hold
	Used     int64                   `json:"pool_used"`                  // by consumers of any host
	Capacity int64                   `json:"pool_capacity"`
	Free     int64                   `json:"pool_free"` // Capacity less Used
}

// String returns the share in words: "ceph DISK_GB 20 of 60/100".
func (s Share) String() string {
	return fmt.Sprintf("%s %s %d of %d/%d", s.Name, s.Class, s.Here, s.Used, s.Capacity)
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
func (s Shares) Of(p *placement.ResourceProvider) []Share {
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
	var out []Share
	for n, serves := range pools {
		if serves {
			out = append(out, s.ofPool(s.view.Ledger.ProviderAt(n), users)...)
		}
	}
	slices.SortStableFunc(out, func(x, y Share) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

// ofPool returns the classes of a pool with what some consumers use of them.
func (s Shares) ofPool(pool *placement.ResourceProvider, users map[placement.ConsumerID]*placement.Consumer) []Share {
	here, held := map[placement.ClassID]int64{}, map[placement.ClassID]int64{}
	for _, c := range users {
		for class, amount := range s.view.Ledger.UsedBy(c, pool) {
			here[class] += amount
			if s.view.IsMigration(c) {
				held[class] += amount
			}
		}
	}
	var out []Share
	for _, iu := range pool.Inventories() {
		capacity := iu.Capacity()
		out = append(out, Share{
			Pool: pool.ID(), Name: pool.Name(), Class: s.view.Ledger.ClassName(iu.Class),
			Here: here[iu.Class], Held: held[iu.Class], Used: iu.Used, Capacity: capacity, Free: capacity - iu.Used,
		})
	}
	return out
}

// ofHost returns what the host whose root p is has of pools; none for another provider.
func (s Shares) ofHost(p *provider) []Share {
	if p == nil || !p.IsRoot() {
		return nil
	}
	return s.Of(p)
}
