package ops

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// WithinReach reports whether p is in the tree of root, or is a sharing pool that the
// tree may use because they have an aggregate in common.
func WithinReach(s *placement.Snapshot, p, root *placement.ResourceProvider) bool {
	if s.Root(p) == root {
		return true
	}
	if !s.Having(placement.SharesViaAggregate).Has(p.Number()) {
		return false
	}
	for _, q := range s.Tree(root) {
		if slices.ContainsFunc(q.Aggregates(), p.InAggregate) {
			return true
		}
	}
	return false
}

// homesOfHost returns the roots of a host: those of its compute nodes or, if Nova knows none,
// the one with its name.
func homesOfHost(s *cloud.Snapshot, host string) []*placement.ResourceProvider {
	return rootsOf(s, host, s.Nova().ComputeNodesOf(host))
}

// HomesOf returns the roots of the host of an instance: only that of its compute
// node where it names one.
func HomesOf(s *cloud.Snapshot, i *nova.Instance) []*placement.ResourceProvider {
	return rootsOf(s, i.Host, s.Nova().NodesOf(i))
}

// rootsOf returns the roots of compute nodes of a host or, if there are none, the root with
// the name of the host.
func rootsOf(s *cloud.Snapshot, host string, nodes iter.Seq[*nova.ComputeNode]) []*placement.ResourceProvider {
	var homes []*placement.ResourceProvider
	none := true
	for node := range nodes {
		none = false
		if root, ok := s.Placement().Provider(node.UUID); ok {
			homes = append(homes, root)
		}
	}
	if p, ok := s.Placement().ProviderByName(host); none && ok && p.IsRoot() {
		homes = append(homes, p)
	}
	return homes
}

// inTreesOf reports whether p is in the tree of one of the roots, or serves it.
func inTreesOf(s *cloud.Snapshot, p *placement.ResourceProvider, homes []*placement.ResourceProvider) bool {
	return slices.ContainsFunc(homes, func(root *placement.ResourceProvider) bool { return WithinReach(s.Placement(), p, root) })
}

// offHomes returns what a claim holds on providers of other hosts than those of the
// roots, sorted. A pool belongs to no host: one that no longer serves the host is left
// behind by a move.
func offHomes(s *cloud.Snapshot, claim Amounts, homes []*placement.ResourceProvider) []string {
	var off []string
	pools := s.Placement().Having(placement.SharesViaAggregate)
	for id, amounts := range claim {
		if p, ok := s.Placement().Provider(id); ok && !pools.Has(p.Number()) && !inTreesOf(s, p, homes) {
			off = append(off, api.Resources(amounts)+" of "+p.Name())
		}
	}
	slices.Sort(off)
	return off
}

// KeepsSource reports whether what the instance of m holds on its source stays: it was
// evacuated from there, or may still be reverted, and the migration holds nothing for that.
func KeepsSource(s *cloud.Snapshot, m *nova.Migration) bool {
	_, parked := s.Placement().Consumer(m.UUID)
	return m.Evacuating() || m.Status.UnderWay() && !parked
}

// bringHome extends the operations that make an instance hold what its flavor asks for on
// its host: it then holds nothing on other hosts. What it holds on a host that it was
// evacuated from stays until Vacate, as it may still run there, and so does what it holds on
// the source of a move that is not over and holds nothing itself.
//
// Errors: *cloud.UnknownError if it is not known whether it was evacuated.
func bringHome(s *cloud.Snapshot, i *nova.Instance, has *placement.Consumer, claim []placement.Op) ([]placement.Op, error) {
	homes := HomesOf(s, i)
	gap := s.Reading(cloud.Migrations).GapOfHolders()
	for m := range s.Nova().MigrationsOf(i.UUID) {
		if (m.Type == "" || m.Type == nova.Evacuation) && (m.Type == "" || m.Source == "" || m.Status == "") {
			gap = cmp.Or(gap, "not all of one of them is told")
		}
		if KeepsSource(s, m) {
			homes = append(homes, homesOfHost(s, m.Source)...)
		}
	}
	away := func(id placement.ProviderID, _ map[placement.ResourceClass]int64) bool {
		p, ok := s.Placement().Provider(id)
		return ok && !inTreesOf(s, p, homes)
	}
	if gap != "" {
		for id := range s.Placement().ConsumerRecord(has).Allocations {
			if away(id, nil) {
				return nil, &cloud.UnknownError{Missing: placement.NotFoundError{What: "evacuation", Name: "of " + i.Name}, Part: cloud.Migrations, Why: gap}
			}
		}
	}
	if len(claim) == 0 {
		held := s.Placement().AsHeld(has)
		before := len(held.Allocations)
		maps.DeleteFunc(held.Allocations, away)
		if len(held.Allocations) == before {
			return nil, nil
		}
		held.Project, held.User = i.Project, i.User
		return []placement.Op{placement.ReplaceClaims(held)}, nil
	}
	for _, op := range claim {
		if put, ok := op.(placement.ReplaceAllocations); ok {
			for n := range put.Consumers {
				maps.DeleteFunc(put.Consumers[n].Allocations, away)
			}
		}
	}
	return claim, nil
}
