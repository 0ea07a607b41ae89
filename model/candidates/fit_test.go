package candidates_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func fit(tb rapid.TB, s *placement.Snapshot, q candidates.Query) *candidates.Fit {
	f, err := fitted(candidates.NewIndex(s), q)
	if err != nil {
		tb.Fatalf("%s: %v", q.URL(), err)
	}
	return f
}

// TestFitIsBetweenPackings compares the copies with the best packing that a plain search
// finds.
func TestFitIsBetweenPackings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		f := fit(t, s, q)
		if (f.Copies > 0) != (len(naive{s, q}.answer()) > 0) {
			t.Fatalf("%s: %d copies, %d candidates", q.URL(), f.Copies, len(naive{s, q}.answer()))
		}
		sum := 0
		for _, tree := range f.Trees {
			sum += tree.Copies
		}
		if sum != f.Copies {
			t.Fatalf("%s: %d copies, %d in trees", q.URL(), f.Copies, sum)
		}
		best, several, ok := naive{s, q}.bestPacking()
		if !ok {
			return // too many to try
		}
		if f.Copies > best {
			t.Fatalf("%s: %d copies, the best packing has %d", q.URL(), f.Copies, best)
		}
		if !several && f.Copies != best {
			t.Fatalf("%s: %d copies where each tree has one candidate and the best packing has %d", q.URL(), f.Copies, best)
		}
	})
}

// TestFitOfPartsIsBetweenPackings asks for the trees of a cloud in two questions: what they
// share is given out once.
func TestFitOfPartsIsBetweenPackings(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		q.Anchors = candidates.AnchorTerm{}
		x, parts := candidates.NewIndex(s), [2]candidates.AnchorTerm{{Name: "one"}, {Name: "other"}}
		for root := range s.Roots() {
			of := &parts[rapid.IntRange(0, 1).Draw(t, "part")]
			of.Roots = append(of.Roots, root.ID())
		}
		var asked []*candidates.Question
		for _, anchors := range parts {
			one := q.Clone()
			one.Anchors = anchors
			if k, err := x.Ask(one); err == nil && !anchors.Empty() {
				asked = append(asked, k)
			}
		}
		if len(asked) < 2 {
			return
		}
		f := candidates.FitOf(asked...)
		sum := 0
		for i, tree := range f.Trees {
			sum += tree.Copies
			for _, other := range f.Trees[:i] {
				if other.Anchor == tree.Anchor {
					t.Fatalf("%s: %s twice", q.URL(), tree.Anchor.Name())
				}
			}
		}
		if sum != f.Copies {
			t.Fatalf("%s: %d copies, %d in trees", q.URL(), f.Copies, sum)
		}
		best, several, ok := naive{s, q}.bestPacking()
		if ok && (f.Copies > best || !several && f.Copies != best) {
			t.Fatalf("%s: %d copies, the best packing has %d", q.URL(), f.Copies, best)
		}
	})
}

// TestFitOfSharesOnePool has hosts of two kinds beside one pool.
func TestFitOfSharesOnePool(t *testing.T) {
	t.Parallel()
	agg := []placement.AggregateID{modeltest.AggregateID("1")}
	s := modeltest.Ledger(t, []tree{
		{Name: "p", Inventories: inventories{placement.PCPU: upTo(8)}, Aggregates: agg},
		{Name: "v", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
		{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(50)}, Aggregates: agg, Traits: []placement.Trait{placement.SharesViaAggregate}},
	})
	x := candidates.NewIndex(s)
	pinned, err := x.Ask(parse(t, s, "resources=PCPU:2,DISK_GB:10"))
	must.Succeed(t, err)
	shared, err := x.Ask(parse(t, s, "resources=VCPU:2,DISK_GB:10"))
	must.Succeed(t, err)
	f := candidates.FitOf(pinned, shared)
	got := map[string]int{}
	for _, tree := range f.Trees {
		got[tree.Anchor.Name()+": "+tree.Words()] = tree.Copies
	}
	must.Match(t, map[string]int{"p: PCPU: 2 free": 4, "v: DISK_GB: 10 free": 1}, got)
	if again := candidates.FitOf(pinned, shared); again.Copies != f.Copies {
		t.Errorf("%d copies when asked again", again.Copies)
	}
}

// bestPacking returns the most copies that fit, and whether a tree has several candidates
// or a provider serves several trees. It gives up if there is too much to try.
func (n naive) bestPacking() (best int, several, ok bool) {
	var all []map[sumKey]int64
	seen := map[string]bool{}
	owner := map[*placement.ResourceProvider]*placement.ResourceProvider{}
	for root := range n.s.Roots() {
		solutions := n.solutions(root)
		several = several || len(solutions) > 1
		for _, s := range solutions {
			of := sums(s)
			for key := range of {
				several = several || owner[key.provider] != nil && owner[key.provider] != root
				owner[key.provider] = root
			}
			if line := fmt.Sprint(describe(s)); !seen[line] {
				seen[line] = true
				all = append(all, of)
			}
		}
	}
	if len(all) > 6 {
		return 0, several, false
	}
	free := map[sumKey]int64{}
	for _, of := range all {
		for key := range of {
			id, _ := n.s.ClassID(key.class)
			iu, _ := key.provider.Inventory(id)
			free[key] = iu.Free()
		}
	}
	steps := 0
	var place func(from, copies int)
	place = func(from, copies int) {
		best = max(best, copies)
		if steps++; steps > 20_000 {
			return
		}
		for i := from; i < len(all); i++ {
			fits := true
			for key, sum := range all[i] {
				fits = fits && free[key] >= sum
			}
			if !fits {
				continue
			}
			for key, sum := range all[i] {
				free[key] -= sum
			}
			place(i, copies+1)
			for key, sum := range all[i] {
				free[key] += sum
			}
		}
	}
	place(0, 0)
	return best, several, steps <= 20_000
}

// TestFitTwoOwners packs instances with VGPUs into a small cloud.
func TestFitTwoOwners(t *testing.T) {
	t.Parallel()
	zone := func(n int) []placement.AggregateID {
		return []placement.AggregateID{modeltest.AggregateID(fmt.Sprint("zone", n))}
	}
	host := func(name string, z int, memory int64, cards ...tree) tree {
		return tree{
			Name: name, Traits: []placement.Trait{placement.OwnerNova}, Aggregates: zone(z), Children: cards,
			Inventories: inventories{placement.VCPU: upTo(32), placement.MemoryMB: upTo(memory)},
		}
	}
	card := func(name string, units int64, owner ...placement.Trait) tree {
		return tree{Name: name, Inventories: inventories{placement.VGPU: upTo(units)}, Traits: owner}
	}
	s := modeltest.Ledger(t, []tree{
		host("cn1", 1, 4096, card("N1", 8, placement.OwnerNova), card("Y1", 8, placement.OwnerCyborg)), // memory for 4
		host("cn2", 2, 65536, card("N2", 5, placement.OwnerNova)),                                      // VGPUs for 2, 1 is left
		host("cn3", 2, 65536),              // no VGPU
		host("cn4", 2, 512, card("N4", 8)), // no memory, and no owner
	})
	for _, c := range []struct {
		name, url string
		copies    int
		trees     []string
	}{
		{
			"any card", "resources=MEMORY_MB:1024,VGPU:2", 6,
			[]string{"cn1 4 then MEMORY_MB: 1024 free", "cn2 2 then VGPU: 2 free"},
		},
		{
			"a card of Nova's", "resources=VCPU:1&resources1=VGPU:2&required1=OWNER_NOVA", 6,
			[]string{"cn1 4 then VGPU: 2 free (group 1)", "cn2 2 then VGPU: 2 free (group 1)"},
		},
		{
			"both owners' cards", "resources1=VGPU:1&required1=OWNER_NOVA&resources2=VGPU:2&required2=OWNER_CYBORG&group_policy=none", 4,
			[]string{"cn1 4 then VGPU: 2 free (group 2)"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := fit(t, s, parse(t, s, c.url))
			must.Be(t, f.Copies, c.copies)
			var trees []string
			for _, tree := range f.Trees {
				trees = append(trees, fmt.Sprintf("%s %d then %s", tree.Anchor.Name(), tree.Copies, tree.Stops.Words()))
			}
			must.Match(t, c.trees, trees)
		})
	}
}

// TestFitKeepsRoomEven has three cards for pairs: always taking the first two would
// strand the third.
func TestFitKeepsRoomEven(t *testing.T) {
	t.Parallel()
	for _, units := range []int64{3, 64} {
		host := tree{Name: "cn"}
		for i := range 3 {
			host.Children = append(host.Children, tree{Name: fmt.Sprint("card", i), Inventories: inventories{placement.VGPU: upTo(units)}})
		}
		s := modeltest.Ledger(t, []tree{host})
		f := fit(t, s, parse(t, s, "resources1=VGPU:1&resources2=VGPU:1&group_policy=isolate"))
		must.Be(t, f.Copies, int(units*3/2))
	}
}

// TestFitCountsAPoolOnce has two hosts that share a pool for three copies.
func TestFitCountsAPoolOnce(t *testing.T) {
	t.Parallel()
	agg := []placement.AggregateID{modeltest.AggregateID("1")}
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(2), placement.DiskGB: upTo(10)}, Aggregates: agg},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
		{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(35)}, Aggregates: agg, Traits: []placement.Trait{placement.SharesViaAggregate}},
	})
	f := fit(t, s, parse(t, s, "resources=VCPU:1,DISK_GB:10"))
	must.Be(t, f.Copies, 4) // one on cn1's disk, three on the pool
}

// A cloud with room for more than is packed says so.
func TestFitSaysWhenThereIsMore(t *testing.T) {
	t.Parallel()
	vast := placement.Inventory{Total: math.MaxInt32, MaxUnit: math.MaxInt32, MinUnit: 1, StepSize: 1, AllocationRatio: 16}
	host := func(name string, of placement.Inventory) tree {
		return tree{Name: name, Aggregates: []placement.AggregateID{modeltest.AggregateID("1")}, Inventories: inventories{"VCPU": of, "MEMORY_MB": upTo(1 << 30)}}
	}
	s := modeltest.Ledger(t, []tree{host("vast", vast), host("small", upTo(8))})
	const most = 1 << 20
	for _, tt := range []struct {
		query  string
		copies int
		more   bool
		words  []string // what keeps each tree from more
	}{
		{"resources=VCPU:1", most + 8, true, []string{"VCPU: 1 free", "nothing: counting stopped at 1048576"}},
		{"resources=VCPU:4,MEMORY_MB:512", most + 2, true, []string{
			"VCPU: 4 free", "nothing: counting stopped at 1048576",
		}},
		{"resources=VCPU:4,MEMORY_MB:1024", most + 2, false, []string{
			"VCPU: 4 free", "MEMORY_MB: 1024 free",
		}},
		{"resources=VCPU:2147483647", 16, false, []string{"VCPU: 2147483647 free"}},
		{"resources1=VCPU:1&resources2=VCPU:1&group_policy=none", most + 4, true, []string{
			"VCPU: 1 free (group 1)", "nothing: counting stopped at 1048576",
		}},
	} {
		f := fit(t, s, parse(t, s, tt.query))
		var words []string
		for _, tree := range f.Trees {
			words = append(words, tree.Words())
		}
		if f.Copies != tt.copies || f.More != tt.more {
			t.Errorf("%s: %d copies, more %v", tt.query, f.Copies, f.More)
		}
		if d := cmp.Diff(tt.words, words); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.query, d)
		}
	}
}

func TestFitRefusesWhatIsNotValid(t *testing.T) {
	t.Parallel()
	if _, err := fitted(candidates.NewIndex(placement.Empty()), candidates.Query{}); err == nil {
		t.Error("an empty query fits")
	}
	if _, err := explained(candidates.NewIndex(placement.Empty()), candidates.Query{}, candidates.ExplainOptions{}); err == nil {
		t.Error("an empty query is explained")
	}
}
