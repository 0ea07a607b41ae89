package candidates_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func search(tb rapid.TB, s *placement.Snapshot, q candidates.Query, o candidates.Options) *candidates.Result {
	r, err := searched(candidates.NewIndex(s), q, o)
	if err != nil {
		tb.Fatalf("%s: %v", q.URL(), err)
	}
	return r
}

// TestSearchEqualsNaive compares the search with plain enumeration, for random queries
// and clouds.
func TestSearchEqualsNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := randomCloud(t)
		x := candidates.NewIndex(s)
		for range 3 {
			q := randomQuery(t)
			r, err := searched(x, q, candidates.Options{})
			if err != nil {
				t.Fatalf("%s: %v", q.URL(), err)
			}
			got := lines(r)
			want := naive{s, q}.answer()
			inOrder := slices.Clone(got)
			slices.Sort(got)
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%s:\n%s", q.URL(), d)
			}
			if r.Truncated || len(r.GaveUp) > 0 {
				t.Fatalf("%s: truncated %v, gave up %v", q.URL(), r.Truncated, r.GaveUp)
			}
			deep, _ := searched(x, q, candidates.Options{DepthFirst: true})
			dd := lines(deep)
			slices.Sort(dd)
			if d := cmp.Diff(want, dd); d != "" {
				t.Fatalf("%s depth first:\n%s", q.URL(), d)
			}
			if len(want) > 0 {
				q.Limit = rapid.IntRange(1, len(want)).Draw(t, "limit")
				few, _ := searched(x, q, candidates.Options{})
				if d := cmp.Diff(inOrder[:q.Limit], lines(few)); d != "" {
					t.Fatalf("%s is not the start of the whole answer:\n%s", q.URL(), d)
				}
			}
		}
	})
}

// TestResultViews uses all methods of a Result.
func TestResultViews(t *testing.T) {
	t.Parallel()
	s := twoOwners(t)
	q := parse(t, s, "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20&resources1=VGPU:1&resources2=VGPU:1&group_policy=none")
	r := search(t, s, q, candidates.Options{})
	if r.Snapshot() != s || r.Query().URL() != q.URL() || r.Len() != 4 {
		t.Fatalf("%d candidates for %s", r.Len(), r.Query().URL())
	}
	var uses []candidates.Use
	for i, a := range r.All() {
		uses = r.AppendUses(uses[:0], i)
		must.Match(t, a.Uses, uses, cmp.Comparer(func(a, b *placement.ResourceProvider) bool { return a == b }))
		k := 0
		for suffix, of := range r.Mappings(i) {
			if m := a.Mappings[k]; m.Suffix != suffix || !slices.Equal(m.Providers, of) {
				t.Errorf("candidate %d: group %q has %d providers, not as %+v", i, suffix, len(of), m)
			}
			k++
		}
		for range r.Mappings(i) {
			break
		}
		if k != 3 {
			t.Errorf("candidate %d has %d mappings", i, k)
		}
	}
}

// TestSearchAllocatesLittle counts the allocations of a search: some for each term and
// each doubling of the answer, none for each tree or candidate.
func TestSearchAllocatesLittle(t *testing.T) { // counts allocations
	var trees []tree
	for i := range 1000 {
		trees = append(trees, tree{Name: fmt.Sprintf("cn%04d", i), Inventories: inventories{placement.VCPU: upTo(8), placement.MemoryMB: upTo(8)}})
	}
	s := modeltest.Ledger(t, trees)
	x := candidates.NewIndex(s)
	q := parse(t, s, "resources=VCPU:1,MEMORY_MB:1")
	var uses []candidates.Use
	var r *candidates.Result
	if n := testing.AllocsPerRun(10, func() { r, _ = searched(x, q, candidates.Options{}) }); n > 80 || r.Len() != 1000 {
		t.Errorf("a search for %d candidates allocates %v times", r.Len(), n)
	}
	if n := testing.AllocsPerRun(10, func() { uses = r.AppendUses(uses[:0], 999) }); n != 0 {
		t.Errorf("reading the uses of a candidate allocates %v times", n)
	}
}

// TestCandidatesCanBeClaimed writes each candidate as the claim of a new consumer.
// min_unit and step_size are checked for each group and not for sums, so that a sum may
// still be refused for its step.
func TestCandidatesCanBeClaimed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := randomCloud(t)
		q := randomQuery(t)
		r := search(t, s, q, candidates.Options{Most: 50})
		for i := range r.Len() {
			_, _, err := s.Apply(placement.Change{Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: modeltest.ConsumerID("claims it"), Generation: placement.NewConsumer(), Project: "p", User: "u",
				Allocations: r.Allocations(i),
			}}}}})
			if err != nil && !refusesOnlySums(q, err) {
				t.Fatalf("%s: %s: %v", q.URL(), lines(r)[i], err)
			}
		}
	})
}

// refusesOnlySums reports whether err is about the step_size of a class that several
// groups of q use.
func refusesOnlySums(q candidates.Query, err error) bool {
	var e *placement.CapacityError
	if !errors.As(err, &e) || e.Rule != placement.OffStep {
		return false
	}
	groups := 0
	for _, g := range q.Groups {
		if g.Amount(e.Class) > 0 {
			groups++
		}
	}
	return groups > 1
}

// TestNextIndexEqualsNewIndex takes an Index through random writes.
func TestNextIndexEqualsNewIndex(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := randomCloud(t)
		first, q := s, randomQuery(t)
		var r candidates.Indexer
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			got := must.Get(searched(r.Index(s), q, candidates.Options{}))(t)
			if d := cmp.Diff(lines(search(t, s, q, candidates.Options{})), lines(got)); d != "" {
				t.Fatalf("%s:\n%s", q.URL(), d)
			}
			s = randomWrite(t, s, 9)
		}
		got, _ := searched(r.Index(first), q, candidates.Options{}) // and back to the first
		if d := cmp.Diff(lines(search(t, first, q, candidates.Options{})), lines(got)); d != "" {
			t.Fatalf("%s back at the start:\n%s", q.URL(), d)
		}
	})
}

// TestIndexIsShared has many goroutines use one Indexer for two Snapshots at once.
func TestIndexIsShared(t *testing.T) {
	t.Parallel()
	s := twoOwners(t)
	q := parse(t, s, "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20,VGPU:1&required=OWNER_NOVA")
	first := search(t, s, q, candidates.Options{})
	full := modeltest.Apply(t, s, modeltest.Allocate(modeltest.Claim("vm3", map[string]modeltest.Resources{"Y1": {placement.VGPU: 2}})))
	var r candidates.Indexer
	var readers sync.WaitGroup
	for i := range 8 {
		readers.Go(func() {
			for range 20 {
				at, want := s, first.Len()
				if i%2 == 1 {
					at, want = full, first.Len()-1
				}
				x := r.Index(at)
				got, err := searched(x, q, candidates.Options{})
				if err != nil || got.Len() != want || x.Snapshot() != at {
					t.Errorf("%d candidates, not %d: %v", got.Len(), want, err)
				}
				e, err := explained(x, q, candidates.ExplainOptions{})
				if err != nil || e.Candidates != want {
					t.Errorf("%d candidates explained, not %d: %v", e.Candidates, want, err)
				}
				if _, err := fitted(x, q); err != nil {
					t.Error(err)
				}
			}
		})
	}
	readers.Wait()
}

// TestBreadthFirst has a host with many candidates before two with few: a limit must not
// hide those.
func TestBreadthFirst(t *testing.T) {
	t.Parallel()
	wide := modeltest.Provider{Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}}
	for i := range 100 {
		wide.Children = append(wide.Children, modeltest.Provider{
			Name: fmt.Sprintf("compute1_card%02d", i), Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)},
		})
	}
	narrow := func(name string) modeltest.Provider {
		return modeltest.Provider{
			Name: name, Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)},
			Children: []modeltest.Provider{{Name: name + "_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}}},
		}
	}
	s := modeltest.Ledger(t, []modeltest.Provider{wide, narrow("compute2"), narrow("compute3")})
	q := must.Get(candidates.ParseURL("resources=VCPU:1&resources1=VGPU:1&resources2=VGPU:1&group_policy=none&limit=5", 0, s))(t)
	anchors := func(r *candidates.Result) (out []string) {
		for i := range r.Len() {
			out = append(out, r.Anchor(i).Name())
		}
		return out
	}
	for _, c := range []struct {
		name string
		o    candidates.Options
		want []string
	}{
		{"in breadth", candidates.Options{}, []string{"compute1", "compute2", "compute3", "compute1", "compute1"}},
		{"in depth", candidates.Options{DepthFirst: true}, []string{"compute1", "compute1", "compute1", "compute1", "compute1"}},
	} {
		r := search(t, s, q, c.o)
		if d := cmp.Diff(c.want, anchors(r)); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
		if r.Truncated {
			t.Errorf("%s: a limit is no truncation", c.name)
		}
	}
	q.Limit = 0
	if r := search(t, s, q, candidates.Options{Most: 10_001}); r.Len() != 10_001 || !r.Truncated {
		t.Errorf("%d candidates, truncated %v, not 10001 of 10002", r.Len(), r.Truncated)
	}
	if r := search(t, s, q, candidates.Options{}); r.Len() != 10_002 || r.Truncated {
		t.Errorf("%d candidates, truncated %v, not all 10002", r.Len(), r.Truncated)
	}
}

// TestHardQueries asks queries that plain enumeration would not finish: groups that
// cannot all be served, although any smaller number of them can.
func TestHardQueries(t *testing.T) {
	t.Parallel()
	host := modeltest.Provider{Name: "compute1"}
	for i := range 15 {
		host.Children = append(host.Children, modeltest.Provider{
			Name: fmt.Sprintf("compute1_pf%02d", i), Inventories: modeltest.Inventories{"SRIOV_NET_VF": placement.NewInventory(8)},
			Traits: []placement.Trait{placement.Trait(fmt.Sprintf("CUSTOM_NET_%d", i%2))},
		})
	}
	s := modeltest.Ledger(t, []modeltest.Provider{host})
	query := func(groups int, policy string, amount int) candidates.Query {
		url := "group_policy=" + policy
		for i := range groups {
			url += fmt.Sprintf("&resources%d=SRIOV_NET_VF:%d", i+1, amount)
		}
		q := must.Get(candidates.ParseURL(url, 0, s))(t)
		return q
	}
	for _, c := range []struct {
		name string
		q    candidates.Query
		none bool
	}{
		{"as many groups as providers", query(15, "isolate", 1), false},
		{"one group too many", query(16, "isolate", 1), true},
		{"all units", query(15, "none", 8), false},
		{"one unit too many", query(31, "none", 4), true},
	} {
		r := search(t, s, c.q, candidates.Options{Most: 1000})
		if (r.Len() == 0) != c.none || len(r.GaveUp) > 0 {
			t.Errorf("%s: %d candidates, gave up %d trees", c.name, r.Len(), len(r.GaveUp))
		}
	}
	// The last group fits only one provider, which all groups before it would take first.
	q := query(12, "isolate", 1)
	for i := range q.Groups[:11] {
		q.Groups[i].Required = all("CUSTOM_NET_0")
	}
	if r := search(t, s, q, candidates.Options{Most: 10}); r.Len() != 0 || len(r.GaveUp) > 0 {
		t.Errorf("11 groups on 8 providers: %d candidates, gave up %d trees", r.Len(), len(r.GaveUp))
	}
}

func TestSearchRefusesWhatIsNotValid(t *testing.T) {
	t.Parallel()
	x := candidates.NewIndex(placement.Empty())
	for _, q := range []candidates.Query{
		{}, {Groups: []candidates.Group{{Resources: []resource{{Class: "CUSTOM_NONE", Amount: 1}}}}},
	} {
		if _, err := searched(x, q, candidates.Options{}); !errors.Is(err, placement.ErrInvalid) {
			t.Errorf("%v: %v does not match ErrInvalid", q, err)
		}
	}
	q := candidates.Query{Groups: []candidates.Group{{Resources: []resource{{Class: placement.VCPU, Amount: 1}}}}}
	if r, err := searched(x, q, candidates.Options{}); err != nil || r.Len() != 0 {
		t.Errorf("an empty cloud gives %d candidates, %v", r.Len(), err)
	}
}
