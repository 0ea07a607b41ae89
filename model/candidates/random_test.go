package candidates_test

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// The vocabulary of random clouds: small, so that things match.
var (
	someClasses = []placement.ResourceClass{placement.VCPU, placement.MemoryMB, placement.VGPU}
	someTraits  = []placement.Trait{"CUSTOM_A", "CUSTOM_B", placement.OwnerNova, placement.SharesViaAggregate}
	someAggs    = []placement.AggregateID{modeltest.AggregateID("1"), modeltest.AggregateID("2"), modeltest.AggregateID("3")}
)

// chance draws true once in n times.
func chance(t *rapid.T, n int) bool { return rapid.IntRange(1, n).Draw(t, "chance") == n }

// some draws a subset of list.
func some[T any](t *rapid.T, list []T, label string) []T {
	mask := rapid.IntRange(0, 1<<len(list)-1).Draw(t, label)
	var out []T
	for i, x := range list {
		if mask>>i&1 != 0 {
			out = append(out, x)
		}
	}
	return out
}

func apply(t *rapid.T, s *placement.Snapshot, ops ...placement.Op) *placement.Snapshot {
	next, _, err := s.Apply(placement.Change{Ops: ops})
	must.Succeed(t, err)
	return next
}

// randomCloud draws three to nine providers in trees of up to three levels, with partly
// used inventories, some over capacity.
func randomCloud(t *rapid.T) *placement.Snapshot {
	var ops []placement.Op
	for _, name := range someTraits {
		if name.IsCustom() {
			ops = append(ops, placement.CreateTrait{Name: name})
		}
	}
	n := rapid.IntRange(3, 9).Draw(t, "providers")
	for i := range n {
		id := providerID(i)
		op := placement.CreateProvider{ID: id, Name: fmt.Sprintf("p%d", (i*7)%10)} // names in another order than numbers
		if i > 0 && !chance(t, 3) {
			op.Parent = providerID(rapid.IntRange(max(0, i-3), i-1).Draw(t, "parent"))
		}
		ops = append(ops, op)
		if inv := randomInventories(t); len(inv) > 0 {
			ops = append(ops, placement.SetInventories{Provider: id, Generation: placement.AnyGeneration(), Inventories: inv})
		}
		ops = append(ops, placement.SetTraits{Provider: id, Generation: placement.AnyGeneration(), Traits: some(t, someTraits, "traits")})
		ops = append(ops, placement.SetAggregates{Provider: id, Generation: placement.AnyGeneration(), Aggregates: some(t, someAggs, "aggregates")})
	}
	s := apply(t, placement.Empty(), ops...)
	for range rapid.IntRange(0, 3).Draw(t, "writes") {
		s = randomWrite(t, s, n)
	}
	return s
}

func providerID(i int) placement.ProviderID { return modeltest.ProviderID(fmt.Sprint(i)) }

func randomInventories(t *rapid.T) modeltest.Inventories {
	set := modeltest.Inventories{}
	for _, class := range some(t, someClasses, "classes") {
		inv := placement.NewInventory(int64(rapid.IntRange(1, 9).Draw(t, "total")))
		if chance(t, 3) {
			inv.Reserved = int64(rapid.IntRange(0, int(inv.Total)).Draw(t, "reserved"))
			inv.MinUnit = int64(rapid.IntRange(1, 2).Draw(t, "min_unit"))
			inv.MaxUnit = int64(rapid.IntRange(1, 4).Draw(t, "max_unit"))
			inv.StepSize = int64(rapid.IntRange(1, 2).Draw(t, "step_size"))
			inv.AllocationRatio = rapid.SampledFrom([]float64{1, 1.5, 0.7, 4}).Draw(t, "ratio")
		}
		set[class] = inv
	}
	return set
}

// randomWrite applies one write that may change what a search finds, if the ledger
// accepts it.
func randomWrite(t *rapid.T, s *placement.Snapshot, providers int) *placement.Snapshot {
	id := providerID(rapid.IntRange(0, providers-1).Draw(t, "provider"))
	p, ok := s.Provider(id)
	if !ok {
		return s
	}
	var op placement.Op
	switch rapid.IntRange(0, 6).Draw(t, "write") {
	default:
		claim := placement.Claim{
			Consumer:   placement.ConsumerID(uuid.NewSHA1(uuid.Nil, []byte(fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "consumer"))))),
			Generation: placement.AnyGeneration(), Project: "p", User: "u",
			Allocations: placement.Amounts{},
		}
		for _, iu := range p.Inventories() {
			claim.Allocations[id] = modeltest.Resources{s.ClassName(iu.Class): int64(rapid.IntRange(1, 4).Draw(t, "used"))}
		}
		op = placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}
	case 2:
		op = placement.SetInventories{Provider: id, Generation: placement.AnyGeneration(), Inventories: randomInventories(t)}
	case 3:
		op = placement.SetTraits{Provider: id, Generation: placement.AnyGeneration(), Traits: some(t, someTraits, "traits")}
	case 4:
		op = placement.SetAggregates{Provider: id, Generation: placement.AnyGeneration(), Aggregates: some(t, someAggs, "aggregates")}
	case 5:
		op = placement.DeleteProvider{ID: id}
	case 6:
		op = placement.UpdateProvider{ID: id, Name: p.Name(), Reparent: true, Parent: providerID(rapid.IntRange(0, providers-1).Draw(t, "parent"))}
	}
	next, _, err := s.Apply(placement.Change{Ops: []placement.Op{op}})
	if err != nil {
		return s
	}
	return next
}

// randomQuery draws a valid query in the vocabulary of randomCloud.
func randomQuery(t *rapid.T) candidates.Query {
	var q candidates.Query
	suffixes := []string{"", "1", "_B", "c-3"}[:rapid.SampledFrom([]int{1, 1, 2, 2, 2, 3, 3, 4}).Draw(t, "groups")]
	if len(suffixes) > 1 && chance(t, 3) {
		suffixes = suffixes[1:]
	}
	var together []string
	for i, suffix := range suffixes {
		g := candidates.Group{Suffix: suffix}
		if i == 0 || !chance(t, 4) {
			of := some(t, someClasses, "classes")
			if suffix != "" || len(of) == 0 {
				of = []placement.ResourceClass{rapid.SampledFrom(someClasses).Draw(t, "class")}
			}
			for _, c := range of {
				g.Resources = append(g.Resources, resource{Class: c, Amount: int64(rapid.IntRange(1, 3).Draw(t, "amount"))})
			}
			if suffix != "" && chance(t, 5) && of[0] != placement.VGPU {
				g.Resources = append(g.Resources, resource{Class: placement.VGPU, Amount: 1})
			}
		}
		randomTerms(t, &g)
		if len(g.Resources) == 0 {
			if len(g.Required)+len(g.Forbidden)+len(g.MemberOf) == 0 {
				g.Required = all("CUSTOM_A")
			}
			together = append(together, suffix)
		}
		q.Groups = append(q.Groups, g)
	}
	if n := len(suffixes); suffixes[n-1] != "" && (len(together) > 0 || chance(t, 3)) {
		of := some(t, suffixes, "subtree")
		for _, s := range together {
			if !slices.Contains(of, s) {
				of = append(of, s)
			}
		}
		if of = slices.DeleteFunc(of, func(s string) bool { return s == "" }); len(of) > 0 {
			q.SameSubtree = append(q.SameSubtree, candidates.Subtree{Suffixes: of})
		}
		if chance(t, 4) {
			q.SameSubtree = append(q.SameSubtree, candidates.Subtree{Suffixes: []string{suffixes[n-1]}})
		}
	}
	q.GroupPolicy = rapid.SampledFrom([]candidates.GroupPolicy{candidates.PolicyNone, candidates.PolicyIsolate}).Draw(t, "policy")
	if chance(t, 8) {
		q.Root.Required = none(rapid.SampledFrom(someTraits).Draw(t, "root_required"))
	}
	if chance(t, 8) {
		if f := rapid.SampledFrom(someTraits).Draw(t, "root_forbidden"); len(q.Root.Required) == 0 || q.Root.Required[0].Name != f {
			q.Root.Forbidden = none(f)
		}
	}
	if chance(t, 8) {
		q.Anchors.Roots = []placement.ProviderID{}
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 0, 3).Draw(t, "anchors") {
			q.Anchors.Roots = append(q.Anchors.Roots, providerID(n))
		}
	}
	if chance(t, 8) {
		q.Giver = candidates.GiverTerm{Provider: providerID(rapid.IntRange(0, 9).Draw(t, "giver")), Name: "the giver"}
	}
	if chance(t, 8) {
		q.Microversion = 28
		if q.Needs() > 28 {
			q.Microversion = 0
		}
	}
	return q
}

// randomTerms draws what a group asks of its providers in addition to resources.
func randomTerms(t *rapid.T, g *candidates.Group) {
	for range max(rapid.IntRange(0, 5).Draw(t, "required")-3, 0) {
		if names := some(t, someTraits, "any of"); len(names) > 0 {
			g.Required = append(g.Required, anyTrait{Names: names[:min(len(names), 2)]})
		}
	}
	if chance(t, 6) {
		g.Forbidden = none(rapid.SampledFrom(someTraits).Draw(t, "forbidden"))
		g.Required = slices.DeleteFunc(g.Required, func(r anyTrait) bool { return len(r.Names) == 1 && r.Names[0] == g.Forbidden[0].Name })
	}
	for range max(rapid.IntRange(0, 7).Draw(t, "member_of")-5, 0) {
		var term candidates.AnyAggregate
		for _, a := range some(t, someAggs, "aggregates") {
			term.IDs = append(term.IDs, candidates.TextOfAggregate(a))
		}
		if len(term.IDs) > 0 {
			g.MemberOf = append(g.MemberOf, term)
		}
	}
	if chance(t, 10) {
		g.ForbiddenAggregates = []candidates.Aggregate{{ID: candidates.TextOfAggregate(rapid.SampledFrom(someAggs).Draw(t, "not in"))}}
	}
	if chance(t, 10) {
		g.InTree = candidates.TextOfProvider(providerID(rapid.IntRange(0, 9).Draw(t, "in_tree")))
	}
}
