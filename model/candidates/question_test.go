package candidates_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// TestQuestionAgrees holds the answers of one Question against each other: who is in the
// search is not explained away, everybody else is, copies fit just where there is a
// candidate, and the count is that of the search.
func TestQuestionAgrees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		k, err := candidates.NewIndex(s).Ask(q)
		if err != nil {
			t.Fatal(err)
		}
		r, fit := k.Search(candidates.Options{Limit: -1}), k.Fit() // which must leave the question as it was
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

// TestOffers holds what each tree offers against plain enumeration: a tree has reasons
// just where it has no candidate, and what it offers is one.
func TestOffers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		k, err := candidates.NewIndex(s).Ask(q)
		if err != nil {
			t.Fatal(err)
		}
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
	r, err := searched(candidates.NewIndex(s), q, candidates.Options{Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLost compares all candidates of two questions one by one, also over Snapshots of
// which the later one has other providers.
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
		k, err := x.Ask(q)
		if err != nil {
			t.Fatal(err)
		}
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
		for _, p := range got.Cards {
			if used[p.ID()] {
				t.Fatalf("%s: %s is in a candidate", then.URL(), p.Name())
			}
		}
	})
}

// takes says what a candidate takes from whom, whatever its groups.
func takes(r *candidates.Result, i int) string {
	var parts []string
	for _, u := range r.At(i).Uses {
		parts = append(parts, u.Provider.ID().String()+" "+string(r.Snapshot().ClassName(u.Class)))
	}
	slices.Sort(parts)
	return sorted(parts)
}
