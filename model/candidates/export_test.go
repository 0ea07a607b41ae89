package candidates

import (
	"iter"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// AllocationRequest is one candidate: allocations that would be accepted now,
// for one consumer.
type AllocationRequest struct {
	Anchor   *placement.ResourceProvider // root of the tree that it is for
	Uses     []Use                       // in the order of the providers in their trees
	Mappings []Mapping                   // in the order of the groups of the query
}

// Mapping says which providers serve a group: one for a suffixed group.
type Mapping struct {
	Suffix    string
	Providers []*placement.ResourceProvider
}

// At returns candidate i, from 0 to Len()-1.
func (r *Result) At(i int) AllocationRequest {
	return AllocationRequest{Anchor: r.Anchor(i), Uses: r.AppendUses(nil, i), Mappings: r.mappings(i)}
}

// All yields the candidates in order.
func (r *Result) All() iter.Seq2[int, AllocationRequest] {
	return func(yield func(int, AllocationRequest) bool) {
		for i := range r.Len() {
			if !yield(i, r.At(i)) {
				return
			}
		}
	}
}

func (r *Result) mappings(i int) []Mapping {
	picks := r.of(i)
	out := make([]Mapping, 0, len(r.plan.q.Groups))
	for k := 0; k < len(picks); {
		group := r.plan.needs[k].group
		m := Mapping{Suffix: r.plan.q.Groups[group].Suffix}
		from := k
		for ; k < len(picks) && r.plan.needs[k].group == group; k++ {
			m.Providers = r.addProvider(m.Providers, picks[from:k], picks[k])
		}
		out = append(out, m)
	}
	return out
}

// Query returns the query that r answers.
func (r *Result) Query() Query { return r.plan.q }

// Amount returns how much of class the group asks for, 0 for none.
func (g Group) Amount(class placement.ResourceClass) int64 {
	for _, r := range g.Resources {
		if r.Class == class {
			return r.Amount
		}
	}
	return 0
}

// Needs returns the oldest microversion that can express q.
func (q Query) Needs() microversion.Placement {
	v := microversion.Candidates
	need := func(use bool, since microversion.Placement) {
		if use {
			v = max(v, since)
		}
	}
	for _, g := range q.Groups {
		need(g.Suffix != "" && !validSuffix(g.Suffix, microversion.Groups), microversion.TextSuffix)
		need(g.Suffix != "", microversion.Groups)
		need(len(g.Resources) == 0, microversion.SameSubtree)
		need(len(g.Required) > 0, microversion.Required)
		for _, t := range g.Required {
			need(len(t.Names) > 1, microversion.AnyTrait)
		}
		need(len(g.Forbidden) > 0, microversion.Forbidden)
		need(len(g.MemberOf) > 0, microversion.MemberOf)
		need(len(g.MemberOf) > 1, microversion.RepeatedMemberOf)
		need(len(g.ForbiddenAggregates) > 0, microversion.ForbiddenMemberOf)
		need(g.InTree != "", microversion.InTree)
	}
	need(q.GroupPolicy != "", microversion.Groups)
	need(len(q.SameSubtree) > 0, microversion.SameSubtree)
	need(!q.Root.Empty(), microversion.RootRequired)
	need(q.Limit > 0, microversion.Limit)
	return v
}
