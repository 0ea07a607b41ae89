package kinds

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/placement"
)

// Share is a class of a pool from the point of view of a host, in units of the class.
// All hosts see the same pool: only Here and Held may be added up over hosts.
type Share struct {
	Pool     placement.ProviderID    `json:"pool_uuid"`
	Name     string                  `json:"pool"`
	Class    placement.ResourceClass `json:"resource_class"`
	Here     int64                   `json:"used_by_host"`               // the part of Used of consumers that are of the tree
	Held     int64                   `json:"held_by_migrations_of_host"` // the part of Here that migrations hold
	Used     int64                   `json:"pool_used"`                  // by consumers of any host
	Capacity int64                   `json:"pool_capacity"`
	Free     int64                   `json:"pool_free"` // Capacity less Used
}

// String returns the share in words: "ceph DISK_GB 20 of 60/100".
func (s Share) String() string {
	return fmt.Sprintf("%s %s %d of %d/%d", s.Name, s.Class, s.Here, s.Used, s.Capacity)
}

// Shares computes what hosts have of the pools of a cloud.
type Shares struct{ view *survey.View }

// NewShares returns the Shares of s.
func NewShares(s *cloud.Snapshot) Shares { return Shares{survey.New(s)} }

// Of returns the classes of the pools that serve the tree of p, by name of the pool,
// then class number: none if p is such a pool itself.
//
// Each unit is counted on one host, even if its consumer holds something on several, like
// an instance that was evacuated from a host which is not back yet: it counts where Nova
// has the instance, and what a migration holds on the host that it leaves. Where Nova
// knows neither, the first of the hosts by uuid counts it.
//
// Source: the Nova bugs 1493760 and 1414432, in which the pool's own figures stood for
// those of each host.
func (s Shares) Of(p *placement.ResourceProvider) []Share {
	root := s.view.Ledger.Root(p)
	users := map[*placement.Consumer]bool{}
	pools := map[int]bool{}
	for _, q := range s.view.Ledger.Tree(root) {
		for c := range s.view.Ledger.ConsumersOf(q) {
			users[c] = true
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
			for _, of := range s.ofPool(s.view.Ledger.ProviderAt(n), maps.Keys(users), root) {
				out = append(out, of.Share)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Share) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

// home returns the root of the tree that counts what a consumer holds of a pool, which is
// one that the pool serves.
func (s Shares) home(c *placement.Consumer, pool *placement.ResourceProvider) *placement.ResourceProvider {
	host := ""
	if i, ok := s.view.Cloud.Nova().Instance(c.ID()); ok {
		host = i.Host
	} else if m, ok := s.view.Cloud.Nova().Migration(c.ID()); ok {
		host = m.Source
	}
	var best *placement.ResourceProvider
	rank := func(root *placement.ResourceProvider) bool {
		if n, ok := s.view.Cloud.Nova().ComputeNode(root.ID()); ok {
			return host != "" && n.Host == host
		}
		return root.Name() == host
	}
	for a := range s.view.Ledger.Allocations(c) {
		root := s.view.Ledger.Root(a.Provider)
		if root.Number() == pool.RootNumber() || !s.serves(pool, root) {
			continue
		}
		if own := best != nil && rank(root) != rank(best); best == nil || own && rank(root) || !own && root.ID().Compare(best.ID()) < 0 {
			best = root
		}
	}
	return best
}

// serves reports whether a provider of a tree is in an aggregate of a pool.
func (s Shares) serves(pool, root *placement.ResourceProvider) bool {
	for _, q := range s.view.Ledger.Tree(root) {
		if slices.ContainsFunc(q.Aggregates(), pool.InAggregate) {
			return true
		}
	}
	return false
}

// ofHost returns the shares of pools of the host with the root p; none if p is not a
// root.
func (s Shares) ofHost(p *provider) []Share {
	if p == nil || !p.IsRoot() {
		return nil
	}
	return s.Of(p)
}
