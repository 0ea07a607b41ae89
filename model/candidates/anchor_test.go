package candidates_test

import (
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestAnchorsTakeSoMany fits copies into trees that take only a few each, though they
// have room for more: what they share is left to the others.
func TestAnchorsTakeSoMany(t *testing.T) {
	t.Parallel()
	agg := []placement.AggregateID{modeltest.AggregateID("1")}
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
		{Name: "cn3", Inventories: inventories{placement.VCPU: upTo(1)}, Aggregates: agg},
		{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(70)}, Aggregates: agg, Traits: []placement.Trait{placement.SharesViaAggregate}},
	})
	q := parse(t, s, "resources=VCPU:1,DISK_GB:10")
	q.Anchors = candidates.AnchorTerm{Name: "a host with a card", Most: map[placement.ProviderID]int{}}
	for name, most := range map[string]int{"cn1": 2, "cn2": 3, "cn3": 5} {
		q.Anchors.Roots = append(q.Anchors.Roots, modeltest.ProviderID(name))
		q.Anchors.Most[modeltest.ProviderID(name)] = most
	}
	f := fit(t, s, q)
	got := map[string]int{}
	for _, tree := range f.Trees {
		got[tree.Anchor.Name()+": "+tree.Words()] = tree.Copies
	}
	must.Match(t, map[string]int{"cn1: on a host with a card": 2, "cn2: on a host with a card": 3, "cn3: VCPU: 1 free": 1}, got)
	if f.Copies != 6 {
		t.Errorf("%d copies, want 6", f.Copies)
	}
}

// A query for some trees is answered like the whole one, without the other trees:
// providers that share with them may serve it, unlike with in_tree. All questions to an
// Index observe it.
func TestAnchors(t *testing.T) {
	t.Parallel()
	agg := []placement.AggregateID{modeltest.AggregateID("1")}
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8), placement.DiskGB: upTo(100)}, Aggregates: agg},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(2)}, Aggregates: agg},
		{Name: "cn3", Inventories: inventories{placement.VCPU: upTo(8)}},
		{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(1000)}, Aggregates: agg, Traits: []placement.Trait{placement.SharesViaAggregate}},
	})
	for _, c := range []struct {
		name  string
		roots []placement.ProviderID
		want  []string
		fit   int
		none  string // the condition that removes the last tree
	}{
		{
			"any",
			nil,
			[]string{
				"[cn1 pool] cn1:VCPU=1 pool:DISK_GB=10", "[cn1] cn1:DISK_GB=10 cn1:VCPU=1", "[cn2 pool] cn2:VCPU=1 pool:DISK_GB=10",
			},
			10, "",
		},
		{"one that a pool serves", []placement.ProviderID{modeltest.ProviderID("cn2")}, []string{"[cn2 pool] cn2:VCPU=1 pool:DISK_GB=10"}, 2, ""},
		{"one that no pool serves", []placement.ProviderID{modeltest.ProviderID("cn3")}, nil, 0, "DISK_GB: has inventory"},
		{
			"two",
			[]placement.ProviderID{modeltest.ProviderID("cn3"), modeltest.ProviderID("cn2")},
			[]string{"[cn2 pool] cn2:VCPU=1 pool:DISK_GB=10"},
			2, "",
		},
		{"none", []placement.ProviderID{}, nil, 0, "on the host"},
		{"one that is not there", []placement.ProviderID{modeltest.ProviderID("cn9")}, nil, 0, "on the host"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			q := parse(t, s, "resources=VCPU:1,DISK_GB:10")
			q.Anchors = candidates.AnchorTerm{Roots: c.roots, Name: "the host"}
			must.Match(t, c.want, short(search(t, s, q, candidates.Options{})))
			fit, err := fitted(candidates.NewIndex(s), q)
			if err != nil || fit.Copies != c.fit {
				t.Errorf("%d copies fit, not %d; error %v", fit.Copies, c.fit, err)
			}
			got := ""
			if st, ok := explain(t, s, q).First(); ok {
				got = st.Condition.Words()
			}
			if got != c.none {
				t.Errorf("%q removes the last tree, not %q", got, c.none)
			}
		})
	}
}
