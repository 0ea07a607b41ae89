package candidates_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestQuestionAgrees compares the answers of one Question: exactly the providers that are
// in no candidate have reasons, copies fit exactly if there is a candidate, and the count
// is that of the search.
func TestQuestionAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		k := must.Get(candidates.NewIndex(s).Ask(q))(t)
		r, fit := k.Search(candidates.Options{Limit: -1}), candidates.FitOf(k) // neither may change the question
		n, more := k.Count()
		if more || n != r.Len() || k.Explain(candidates.ExplainOptions{}).Candidates != n {
			t.Fatalf("%s: %d are counted, %d found", q.URL(), n, r.Len())
		}
		if (fit.Copies > 0) != (n > 0) {
			t.Fatalf("%s: %d candidates, %d copies fit", q.URL(), n, fit.Copies)
		}
		if d := cmp.Diff(lines(searchAll(t, s, q)), lines(r)); d != "" {
			t.Fatalf("%s: after packing copies it finds something else (-want +got):\n%s", q.URL(), d)
		}
		in := map[*placement.ResourceProvider]bool{}
		for _, c := range r.All() {
			for _, m := range c.Mappings {
				for _, p := range m.Providers {
					in[p] = true
				}
			}
		}
		out := map[*placement.ResourceProvider]bool{}
		for v := range k.Verdicts(nil).Excluded() {
			if out[v.Provider] = true; len(v.Reasons) == 0 {
				t.Fatalf("%s: nobody says why %s is excluded", q.URL(), v.Provider.Name())
			}
		}
		for p := range s.Providers() {
			if in[p] == out[p] {
				t.Fatalf("%s: %s is in the search: %v, excluded: %v", q.URL(), p.Name(), in[p], out[p])
			}
		}
	})
}

// TestOffers compares what each tree offers with plain enumeration: a tree has reasons
// exactly if it has no candidate, and otherwise offers one.
func TestOffers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		k := must.Get(candidates.NewIndex(s).Ask(q))(t)
		seen := map[*placement.ResourceProvider]bool{}
		for _, o := range k.Offers() {
			seen[o.Anchor] = true
			all := naive{s, q}.solutions(o.Anchor)
			if o.Fits() != (len(all) > 0) || k.Holds(o) != o.Fits() {
				t.Fatalf("%s: %s has %d candidates, offers %v with %q, which holds: %v", q.URL(), o.Anchor.Name(), len(all), o.Parts, o.Why(), k.Holds(o))
			}
			for _, r := range o.Reasons {
				if r.Words() == "" {
					t.Fatalf("%s: %s: a reason without words: %+v", q.URL(), o.Anchor.Name(), r)
				}
			}
			if !o.Fits() {
				continue
			}
			offered := sums(nil)
			for _, p := range o.Parts {
				offered[sumKey{p.Provider, p.Class}] += p.Amount
			}
			if !slices.ContainsFunc(all, func(c []choice) bool { return maps.Equal(sums(c), offered) }) {
				t.Fatalf("%s: %s offers %v, which is no candidate", q.URL(), o.Anchor.Name(), o.Parts)
			}
		}
		for root := range s.Roots() {
			if want := q.Anchors.Empty() || slices.Contains(q.Anchors.Roots, root.ID()); seen[root] != want {
				t.Fatalf("%s: %s is asked: %v, want %v", q.URL(), root.Name(), seen[root], want)
			}
		}
	})
}

func searchAll(t *rapid.T, s *placement.Snapshot, q candidates.Query) *candidates.Result {
	r := must.Get(searched(candidates.NewIndex(s), q, candidates.Options{Limit: -1}))(t)
	return r
}

// TestServed compares the trees and providers of a question with those of all its
// candidates.
func TestServed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		roots, providers := must.Get(candidates.NewIndex(s).Ask(q))(t).Served()
		anchors, used := naive{s, q}.anchorsAndProviders()
		for _, c := range []struct {
			got  []*placement.ResourceProvider
			want map[*placement.ResourceProvider]bool
		}{{roots, anchors}, {providers, used}} {
			if len(c.got) != len(c.want) || slices.ContainsFunc(c.got, func(p *placement.ResourceProvider) bool { return !c.want[p] }) {
				t.Fatalf("%s: %v, want %v", q.URL(), c.got, c.want)
			}
		}
	})
}

// TestGroupsWithoutResources checks what is offered if a group takes nothing.
func TestGroupsWithoutResources(t *testing.T) {
	t.Parallel()
	in, numa := []placement.AggregateID{modeltest.AggregateID("1")}, placement.Trait("HW_NUMA_ROOT")
	pool := func(name string, most int64) tree {
		return tree{Name: name, Aggregates: in, Traits: []placement.Trait{placement.SharesViaAggregate}, Inventories: inventories{placement.DiskGB: upTo(most)}}
	}
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Aggregates: in, Traits: []placement.Trait{numa}},
		{Name: "cn2", Aggregates: in, Traits: []placement.Trait{numa, placement.OwnerNova}},
		pool("large", 8), pool("small", 1),
	})
	const group = "&required1=HW_NUMA_ROOT&same_subtree=1"
	const url = "resources=DISK_GB:1" + group
	for _, c := range []struct{ name, query, offer string }{
		{"each tree has candidates", url, "cn1 cn2"},
		{"in_tree may name another tree", url + "&in_tree1=" + modeltest.ProviderID("large").String(), "cn1 cn2"},
		{"in_tree must name a provider", url + "&in_tree1=" + modeltest.ProviderID("nobody").String(), ""},
		{"one of the trees only", url + "&root_required=!OWNER_NOVA", "cn1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := candidates.NewIndex(s)
			k := must.Get(x.Ask(parse(t, s, c.query)))(t)
			var fit []string
			for _, o := range k.Offers() {
				if o.Fits() {
					fit = append(fit, o.Anchor.Name())
				}
				if k.Holds(o) != o.Fits() {
					t.Errorf("what %s offers holds: %v", o.Anchor.Name(), !o.Fits())
				}
			}
			must.Be(t, sorted(fit), c.offer)
		})
	}
}
