package candidates_test

import (
	"fmt"
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
		r, fit := k.Search(candidates.Options{Limit: -1}), k.Fit() // neither may change the question
		n, more := k.Count()
		if more || n != r.Len() || k.Explain(candidates.ExplainOptions{}).Candidates != n {
			t.Fatalf("%s: %d are counted, %d found", q.URL(), n, r.Len())
		}
		if (fit.Copies > 0) != (n > 0) || (fit.AtMost > 0) != (n > 0) {
			t.Fatalf("%s: %d candidates, %d copies fit, at most %d", q.URL(), n, fit.Copies, fit.AtMost)
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

// TestLost compares all candidates of two questions one by one, also for two Snapshots
// with different providers.
func TestLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		next, then := s, q
		for range rapid.IntRange(0, 3).Draw(t, "writes") {
			next = randomWrite(t, next, s.ProviderCount())
		}
		if len(q.Groups) > 0 && rapid.Bool().Draw(t, "stricter") {
			then = q.Clone()
			for i := range then.Groups {
				then.Groups[i].Required = append(then.Groups[i].Required, candidates.AnyTrait{Names: []placement.Trait{placement.OwnerNova}})
			}
		}
		x := candidates.NewIndex(s)
		k := must.Get(x.Ask(q))(t)
		other, err := x.Next(next).Ask(then)
		if err != nil {
			t.Skip("the later cloud does not know what is asked")
		}
		got := k.Lost(other, 1000)
		was, is := k.Search(candidates.Options{Limit: -1}), other.Search(candidates.Options{Limit: -1})
		count := func(r *candidates.Result) (of map[string]int, roots, cards map[placement.ProviderID]bool) {
			of, roots, cards = map[string]int{}, map[placement.ProviderID]bool{}, map[placement.ProviderID]bool{}
			for i, c := range r.All() {
				of[takes(r, i)]++
				roots[c.Anchor.ID()] = true
				for _, u := range c.Uses {
					cards[u.Provider.ID()] = true
				}
			}
			return of, roots, cards
		}
		before, roots, _ := count(was)
		after, left, used := count(is)
		lost := 0
		for name, n := range before {
			lost += max(n-after[name], 0)
		}
		if got.Now != was.Len() || got.Then != is.Len() || got.Lost != lost || got.NowTrees != len(roots) || got.ThenTrees != len(left) || got.More {
			t.Fatalf("%s and %s: %+v, want %d of %d lost, then %d", q.URL(), then.URL(), got, lost, was.Len(), is.Len())
		}
		for _, p := range got.Roots {
			if !roots[p.ID()] || left[p.ID()] {
				t.Fatalf("%s: tree %s is not lost", then.URL(), p.Name())
			}
			delete(roots, p.ID())
		}
		for id := range roots {
			if !left[id] {
				t.Fatalf("%s: tree %s is lost, and not told", then.URL(), id)
			}
		}
		cards := map[placement.ProviderID]bool{}
		for i, c := range was.All() {
			if name := takes(was, i); before[name] > after[name] && left[c.Anchor.ID()] {
				for _, u := range c.Uses {
					if !used[u.Provider.ID()] {
						cards[u.Provider.ID()] = true
					}
				}
			}
		}
		for _, p := range got.Cards {
			if !cards[p.ID()] {
				t.Fatalf("%s and %s: %s is told, and not lost", q.URL(), then.URL(), p.Name())
			}
			delete(cards, p.ID())
		}
		if len(cards) > 0 {
			t.Fatalf("%s and %s: %v are lost, and not told", q.URL(), then.URL(), cards)
		}
	})
}

// TestGroupsWithoutResources checks what is offered and lost if a group takes nothing.
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
	for _, c := range []struct {
		name, now, then, offer, lost string
	}{
		{"each tree has candidates", url, url, "cn1 cn2", "0 of 4, trees [], cards []"},
		{"in_tree may name another tree", url + "&in_tree1=" + modeltest.ProviderID("large").String(), url, "cn1 cn2", "0 of 4, trees [], cards []"},
		{"in_tree must name a provider", url + "&in_tree1=" + modeltest.ProviderID("nobody").String(), url, "", "0 of 0, trees [], cards []"},
		{
			"what one tree takes, another one may take too", url + "&root_required=!OWNER_NOVA", url + "&root_required=OWNER_NOVA",
			"cn1", "0 of 2, trees [cn1], cards []",
		},
		{
			"a card is lost to any of the trees", url, "resources=DISK_GB:2" + group + "&root_required=OWNER_NOVA",
			"cn1 cn2", "3 of 4, trees [cn1], cards [small]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := candidates.NewIndex(s)
			k := must.Get(x.Ask(parse(t, s, c.now)))(t)
			then := must.Get(x.Ask(parse(t, s, c.then)))(t)
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
			names := func(list []*placement.ResourceProvider) []string {
				out := []string{}
				for _, p := range list {
					out = append(out, p.Name())
				}
				return out
			}
			l := k.Lost(then, 1000)
			must.Be(t, fmt.Sprintf("%d of %d, trees %v, cards %v", l.Lost, l.Now, names(l.Roots), names(l.Cards)), c.lost)
		})
	}
}

// takes says what a candidate takes from which provider, regardless of groups.
func takes(r *candidates.Result, i int) string {
	var parts []string
	for _, u := range r.At(i).Uses {
		parts = append(parts, u.Provider.ID().String()+" "+string(r.Snapshot().ClassName(u.Class)))
	}
	slices.Sort(parts)
	return sorted(parts)
}
