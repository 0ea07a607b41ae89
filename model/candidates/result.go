package candidates

import (
	"iter"
	"slices"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// Result is the answer to a Query. It holds four bytes for each pick of a candidate;
// AllocationRequests are assembled when they are asked for. Any goroutine may read it.
type Result struct {
	// Truncated says that there are more candidates than Options.Most, and the
	// query did not ask for fewer.
	Truncated bool
	// GaveUp are the roots of the trees that were not searched to the end, because the
	// query was such that finding the next candidate would take practically for ever.
	GaveUp []*placement.ResourceProvider

	plan    *plan
	picks   []int32 // a slot for each need, candidate after candidate
	anchors []int32 // slot of the root, by candidate
}

// Use is an amount of one class on one provider.
type Use struct {
	Provider *placement.ResourceProvider
	Class    placement.ClassID
	Amount   int64 // units of the class, summed over the groups
}

// ProviderSummary is a provider of a tree that an allocation request uses.
type ProviderSummary struct {
	Provider     *placement.ResourceProvider
	Parent, Root *placement.ResourceProvider // Parent is nil for a root
	Resources    []placement.InventoryUsage  // the classes to show
}

// Len returns how many candidates there are.
func (r *Result) Len() int { return len(r.anchors) }

// Snapshot returns the Snapshot that was searched.
func (r *Result) Snapshot() *placement.Snapshot { return r.plan.x.snap }

// Anchor returns the root of the tree that candidate i is for.
func (r *Result) Anchor(i int) *placement.ResourceProvider {
	return r.plan.x.provider(r.anchors[i])
}

// of returns the picks of candidate i, one for each need.
func (r *Result) of(i int) []int32 {
	n := len(r.plan.needs)
	return r.picks[i*n : (i+1)*n]
}

// AppendUses appends what candidate i allocates to out: by provider, in the order of
// their trees, and for each provider in the order of the query.
func (r *Result) AppendUses(out []Use, i int) []Use {
	start := len(out)
	picks := r.of(i)
	for k, slot := range picks {
		for _, u := range r.plan.needs[k].uses {
			out = r.addUse(out, start, slot, u)
		}
	}
	return out
}

func (r *Result) addUse(out []Use, start int, slot int32, u use) []Use {
	p := r.plan.x.provider(slot)
	at := len(out)
	for j := start; j < len(out); j++ {
		if out[j].Provider == p && out[j].Class == u.class {
			out[j].Amount += u.amount
			return out
		}
	}
	for at > start && r.plan.x.slots[out[at-1].Provider.Number()] > slot {
		at--
	}
	out = append(out, Use{})
	copy(out[at+1:], out[at:])
	out[at] = Use{Provider: p, Class: u.class, Amount: u.amount}
	return out
}

// addProvider appends the provider of slot unless it is in before.
func (r *Result) addProvider(out []*placement.ResourceProvider, before []int32, slot int32) []*placement.ResourceProvider {
	if slices.Contains(before, slot) {
		return out
	}
	return append(out, r.plan.x.provider(slot))
}

// Mappings yields for candidate i each group's suffix with the providers that serve
// it, in the order of the query. The slice is valid until the next step.
func (r *Result) Mappings(i int) iter.Seq2[string, []*placement.ResourceProvider] {
	return func(yield func(string, []*placement.ResourceProvider) bool) {
		var room [8]*placement.ResourceProvider
		picks := r.of(i)
		for k := 0; k < len(picks); {
			group, from, of := r.plan.needs[k].group, k, room[:0]
			for ; k < len(picks) && r.plan.needs[k].group == group; k++ {
				of = r.addProvider(of, picks[from:k], picks[k])
			}
			if !yield(r.plan.q.Groups[group].Suffix, of) {
				return
			}
		}
	}
}

// Allocations returns candidate i in the form of a Claim, ready to be written.
func (r *Result) Allocations(i int) placement.Amounts {
	out := placement.Amounts{}
	for _, u := range r.AppendUses(nil, i) {
		out.Add(u.Provider.ID(), r.plan.x.snap.ClassName(u.Class), u.Amount)
	}
	return out
}

// Summaries yields the provider summaries of the answer, in the order of their trees:
// every provider of each tree that a candidate takes something from, those that give
// nothing included. Below 1.29 only the providers that give something are shown, of these
// trees also those of the candidates that the limit leaves out; below 1.27 only the
// classes that the query asks for.
//
// Source: placement/objects/allocation_candidate.py, _merge_candidates;
// placement/objects/research_context.py, exclude_nested_providers and limit_results;
// placement/handlers/allocation_candidate.py, _transform_provider_summaries.
func (r *Result) Summaries() iter.Seq[ProviderSummary] {
	return func(yield func(ProviderSummary) bool) {
		x, version := r.plan.x, r.plan.q.Version()
		shown := x.bitmap()
		for slot := range r.used().all() {
			root := x.roots[slot]
			shown.setRange(root, x.ends[root])
		}
		switch {
		case version >= microversion.NestedCandidates:
		case r.plan.q.Limit > 0:
			shown.and(r.plan.answer())
		default:
			shown = r.used()
		}
		var asked map[placement.ClassID]bool
		if version < microversion.AllClasses {
			asked = map[placement.ClassID]bool{}
			for i := range r.plan.needs {
				for _, u := range r.plan.needs[i].uses {
					asked[u.class] = true
				}
			}
		}
		for slot := range shown.all() {
			p := x.provider(slot)
			s := ProviderSummary{Provider: p, Root: x.snap.Root(p), Resources: p.Inventories()}
			s.Parent, _ = x.snap.Parent(p)
			if asked != nil {
				s.Resources = nil
				for _, iu := range p.Inventories() {
					if asked[iu.Class] {
						s.Resources = append(s.Resources, iu)
					}
				}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// used returns the providers that a candidate takes something from.
func (r *Result) used() bitmap {
	out := r.plan.x.bitmap()
	needs := r.plan.needs
	for at, slot := range r.picks {
		if len(needs[at%len(needs)].uses) > 0 {
			out.set(slot)
		}
	}
	return out
}

// Shape says what an answer at a microversion shows.
type Shape struct {
	ByProvider bool // allocations as an object keyed by provider; below 1.12 a list
	Traits     bool // traits in provider summaries
	Trees      bool // parent and root in provider summaries
	Mappings   bool // which providers serve which group
}

// ShapeAt returns what answers at a microversion show.
//
// Source: placement/handlers/allocation_candidate.py.
func ShapeAt(v microversion.Placement) Shape {
	return Shape{ByProvider: v >= microversion.ByProvider, Traits: v >= microversion.Required, Trees: v >= microversion.NestedCandidates, Mappings: v >= microversion.Mappings}
}
