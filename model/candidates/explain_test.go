package candidates_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func explain(tb rapid.TB, s *placement.Snapshot, q candidates.Query) *candidates.Explanation {
	e, err := explained(candidates.NewIndex(s), q, candidates.ExplainOptions{})
	if err != nil {
		tb.Fatalf("%s: %v", q.URL(), err)
	}
	return e
}

// TestExplanationAgreesWithNaive compares the counts of an explanation, the providers
// that it excludes and the ways out with plain enumeration.
func TestExplanationAgreesWithNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		e := explain(t, s, q)
		n := naive{s, q}
		answer := n.answer()
		if e.Candidates != len(answer) {
			t.Fatalf("%s: %d candidates, not %d", q.URL(), e.Candidates, len(answer))
		}
		anchors, used := n.anchorsAndProviders()
		last := e.Stages[len(e.Stages)-1]
		if last.Trees != len(anchors) {
			t.Fatalf("%s: %d trees are left, not %d:\n%s", q.URL(), last.Trees, len(anchors), e.Words())
		}
		trees := e.Trees
		for _, st := range e.Stages {
			if st.Trees != trees-st.LostTrees || st.LostTrees < 0 || st.Ends && st.Trees > 0 {
				t.Fatalf("%s: %d trees, then %+v", q.URL(), trees, st)
			}
			trees = st.Trees
		}
		for p := range s.Providers() {
			v := e.Provider(p)
			if v.InAnswer != used[p] || v.InAnswer != (len(v.Reasons) == 0) {
				t.Fatalf("%s: %s is among the candidates: %v, said %v with %d reasons: %s", q.URL(), p.Name(), used[p], v.InAnswer, len(v.Reasons), v.Words())
			}
			for _, r := range v.Reasons {
				if r.Words() == "" || r.Condition.Words() == "" {
					t.Fatalf("%s: %s: a reason without words: %+v", q.URL(), p.Name(), r)
				}
			}
		}
		for _, m := range e.Misses {
			if len(m.Reasons) == 0 || anchors[m.Anchor] {
				t.Fatalf("%s: %s is no miss for %s: %+v", q.URL(), m.Provider.Name(), m.Anchor.Name(), m.Reasons)
			}
		}
		for _, w := range e.Ways {
			if err := w.Query.Validate(s); err != nil {
				t.Fatalf("%s: %s: %v", q.URL(), w.Words(), err)
			}
			if got := len(naive{s, w.Query}.answer()); got != w.Gives || got <= len(answer) {
				t.Fatalf("%s: %s (%s) gives %d, said %d", q.URL(), w.Words(), w.Query.URL(), got, w.Gives)
			}
			if relaxed, _ := q.Relax(w.Relaxations...); relaxed.URL() != w.Query.URL() {
				t.Fatalf("%s: %s makes %s, not %s", q.URL(), w.Words(), relaxed.URL(), w.Query.URL())
			}
		}
	})
}

// anchorsAndProviders returns the roots that some candidate is for, and the
// providers that some candidate uses or maps.
func (n naive) anchorsAndProviders() (anchors, used map[*placement.ResourceProvider]bool) {
	anchors, used = map[*placement.ResourceProvider]bool{}, map[*placement.ResourceProvider]bool{}
	for root := range n.s.Roots() {
		for _, s := range n.solutions(root) {
			anchors[root] = true
			for _, c := range s {
				used[c.provider] = true
			}
		}
	}
	return anchors, used
}

// TestEveryConditionIsRelaxed compares the ways out with each condition of the query dropped
// by itself, and, where none of these helps, with each pair: nothing that gives a candidate
// is missing.
func TestEveryConditionIsRelaxed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		if len(naive{s, q}.answer()) > 0 {
			t.Skip("nothing to get out of")
		}
		e := must.Get(explained(candidates.NewIndex(s), q, candidates.ExplainOptions{Ways: 1000}))(t)
		has := map[string]bool{}
		singles := 0
		for _, w := range e.Ways {
			has[words(w.Relaxations)] = true
			if len(w.Relaxations) == 1 {
				singles++
			}
		}
		x := candidates.NewIndex(s)
		all := droppedConditions(q)
		for _, a := range all {
			if gives(x, q, a) && !has[a.Words()] && !smaller(e, a) {
				t.Fatalf("%s: %s would do:\n%s", q.URL(), a.Words(), e.Words())
			}
		}
		if singles > 0 {
			return
		}
		for i, a := range all {
			for _, b := range all[:i] {
				if gives(x, q, a, b) && len(e.Ways) == 0 {
					t.Fatalf("%s: %s would do, and there is no way", q.URL(), words([]candidates.Relaxation{b, a}))
				}
			}
		}
	})
}

// TestAmountBesideAnotherGroup lowers the amount of one group, but not by more than
// another group on the same cards requires.
func TestAmountBesideAnotherGroup(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Children: []tree{
			{Name: "card1", Inventories: inventories{placement.VGPU: upTo(4)}},
			{Name: "card2", Inventories: inventories{placement.VGPU: upTo(8)}},
		}},
		{Name: "cn2", Inventories: inventories{placement.VGPU: upTo(9)}},
	})
	for _, tt := range []struct{ url, want string }{
		{"resources=VGPU:4&resources1=VGPU:20", "VGPU 20 > 8 in group 1"},
		{"resources=VGPU:5&resources1=VGPU:20", "VGPU 20 > 4 in group 1"},
		{"resources=VGPU:1&resources1=VGPU:9", "VGPU 9 > 8 in group 1"},
	} {
		e := explain(t, s, parse(t, s, tt.url))
		if len(e.Ways) == 0 || e.Ways[0].Words() != tt.want {
			t.Errorf("%s: want %q first:\n%s", tt.url, tt.want, e.Words())
		}
	}
}

// TestWaysOut says which ways are offered, in this order: one change, then two, and what asks
// for less last.
func TestWaysOut(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.VGPU: upTo(2), placement.VCPU: upTo(4)}},
		{Name: "cn2", Traits: traits{"HW_NUMA_ROOT"}, Inventories: inventories{placement.VCPU: upTo(3)}},
	})
	for _, tt := range []struct {
		url  string
		want []string
	}{
		{"resources=VCPU:8", []string{"VCPU 8 > 4"}},
		{"resources=VCPU:4&required=HW_NUMA_ROOT", []string{"VCPU 4 > 3", "drop HW_NUMA_ROOT"}},
		{"resources=VCPU:4,VGPU:1&required=HW_NUMA_ROOT", []string{"drop HW_NUMA_ROOT"}},
		{"resources=VCPU:8,VGPU:1&required=HW_NUMA_ROOT", []string{"VCPU 8 > 4 and drop HW_NUMA_ROOT", "VCPU 8 > 3 and without VGPU"}},
		{"resources=VCPU:4&resources1=VGPU:4,FPGA:1", []string{"leave out group 1"}},
		{"resources=VGPU:2&resources1=VGPU:1&resources2=VGPU:1&group_policy=none", []string{"without VGPU", "without VGPU in group 1 and without VGPU in group 2"}},
		{"resources1=VGPU:1&resources2=VGPU:1&group_policy=isolate", []string{"group_policy none", "without VGPU in group 1", "without VGPU in group 2"}},
	} {
		e := explain(t, s, parse(t, s, tt.url))
		var got []string
		for _, w := range e.Ways {
			got = append(got, w.Words())
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.url, got, tt.want)
		}
	}
}

// TestWaysWithoutWhatTheGiverHas drops the class for which a provider was picked: the
// rest of the group may then come from other providers.
func TestWaysWithoutWhatTheGiverHas(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []tree{{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(1)}, Children: []tree{
		{Name: "cn1_gpu", Inventories: inventories{placement.VGPU: upTo(4)}},
	}}})
	q := parse(t, s, "resources1=VCPU:2,VGPU:1&group_policy=none")
	picked, ok := s.ProviderByName("cn1")
	if !ok {
		t.Fatal("no provider cn1")
	}
	q.Giver = candidates.GiverTerm{Provider: picked.ID(), Name: "cn1"}
	e := explain(t, s, q)
	if len(e.Ways) == 0 || e.Ways[0].Words() != "without VCPU in group 1" {
		t.Errorf("%s", e.Words())
	}
}

// smaller reports whether a smaller change of what r drops is a way out, so that dropping it
// is none.
func smaller(e *candidates.Explanation, r candidates.Relaxation) bool {
	return slices.ContainsFunc(e.Ways, func(w candidates.Way) bool {
		l := w.Relaxations[0]
		of := l.Criterion == candidates.CriterionCapacity && l.Class == r.Class || r.Criterion == candidates.CriterionGroup
		return len(w.Relaxations) == 1 && of && l.Group == r.Group
	})
}

// words joins the words of relaxations.
func words(list []candidates.Relaxation) string { return candidates.Way{Relaxations: list}.Words() }

// gives reports whether the relaxed query has a candidate.
func gives(x *candidates.Index, q candidates.Query, list ...candidates.Relaxation) bool {
	relaxed, ok := q.Relax(list...)
	if !ok {
		return false
	}
	r, err := searched(x, relaxed, candidates.Options{Most: 1})
	return err == nil && r.Len() > 0
}

// droppedConditions returns a relaxation for each condition of q but its amounts.
func droppedConditions(q candidates.Query) []candidates.Relaxation {
	var out []candidates.Relaxation
	for _, g := range q.Groups {
		for _, r := range g.Resources {
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionInventory, Group: g.Suffix, Class: r.Class})
		}
		for _, r := range g.Required {
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionRequiredTrait, Group: g.Suffix, Traits: r.Names})
		}
		for _, f := range g.Forbidden {
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionForbiddenTrait, Group: g.Suffix, Traits: traits{f.Name}})
		}
		if len(g.MemberOf) > 0 {
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionMemberOf, Group: g.Suffix})
		}
		if len(g.ForbiddenAggregates) > 0 {
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionForbiddenAggregate, Group: g.Suffix})
		}
		switch {
		case len(g.Resources) == 0:
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionOpenGroup, Group: g.Suffix})
		case g.Suffix != "" && len(g.Resources) > 1:
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionGroup, Group: g.Suffix})
		}
		if g.InTree != "" {
			out = append(out, candidates.Relaxation{Criterion: candidates.CriterionInTree, Group: g.Suffix})
		}
	}
	for _, r := range q.Root.Required {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionRootRequired, Traits: traits{r.Name}})
	}
	for _, f := range q.Root.Forbidden {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionRootForbidden, Traits: traits{f.Name}})
	}
	if !q.Anchors.Empty() {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionAnchor})
	}
	if !q.Giver.Empty() {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionGiver})
	}
	for _, t := range q.SameSubtree {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionSameSubtree, Suffixes: t.Suffixes})
	}
	if q.GroupPolicy == candidates.PolicyIsolate {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionIsolate})
	}
	if q.Version() < 29 {
		out = append(out, candidates.Relaxation{Criterion: candidates.CriterionOneProvider})
	}
	return out
}

// fails reports whether r is true, by asking the ledger directly.
func (n naive) fails(r candidates.Reason, anchor *placement.ResourceProvider) bool {
	c, p := r.Condition, r.Provider
	g, _ := n.q.Group(c.Group)
	id, _ := n.s.ClassID(c.Class)
	has, _ := p.Inventory(id)
	switch c.Criterion {
	case candidates.CriterionMemberOf:
		return !n.memberOfAll(p, g.MemberOf) && (g.Suffix != "" || n.s.Root(p) != anchor || !n.memberOfAll(anchor, g.MemberOf))
	case candidates.CriterionForbiddenAggregate:
		return n.inForbidden(p, g.ForbiddenAggregates) || g.Suffix == "" && n.inForbidden(anchor, g.ForbiddenAggregates)
	case candidates.CriterionInTree:
		_, known := n.provider(c.InTree)
		return !known || len(g.Resources) > 0 && !n.inTree(p, c.InTree) || g.Suffix == "" && n.s.Root(p) != anchor
	case candidates.CriterionInventory:
		for _, class := range n.q.Groups {
			for _, r := range class.Resources {
				if id, _ := n.s.ClassID(r.Class); c.Class == "" && !n.lacks(p, id) {
					return false
				}
			}
		}
		return c.Class == "" || n.lacks(p, id)
	case candidates.CriterionCapacity:
		return r.Has == has && !has.HasRoom(has.Used, c.Amount)
	case candidates.CriterionUnits:
		return r.Has == has && r.Refusal != "" && has.CheckUnits(c.Amount) == r.Refusal
	case candidates.CriterionForbiddenTrait, candidates.CriterionRootForbidden:
		return n.has(p, c.Traits[0])
	case candidates.CriterionRequiredTrait, candidates.CriterionRootRequired:
		return !slices.ContainsFunc(c.Traits, func(t placement.Trait) bool { return n.has(p, t) })
	case candidates.CriterionGiver:
		asked := g.Resources
		if g.Suffix == "" {
			asked = []candidates.Resource{{Class: c.Class}}
		}
		_, known := n.s.Provider(n.q.Giver.Provider)
		return !known || !n.given(p, asked...)
	case candidates.CriterionAnchor:
		return !slices.Contains(n.q.Anchors.Roots, p.ID())
	case candidates.CriterionOpenGroup:
		return len(g.Resources)+len(g.Required)+len(g.MemberOf) == 0
	default:
		return false
	}
}

func (n naive) lacks(p *placement.ResourceProvider, id placement.ClassID) bool {
	_, ok := p.Inventory(id)
	return !ok
}

// TestReasonsHold checks each reason of each verdict and miss against the ledger.
func TestReasonsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, q := randomCloud(t), randomQuery(t)
		e := explain(t, s, q)
		n := naive{s, q}
		for v := range e.Excluded() {
			for _, r := range v.Reasons {
				if r.Provider != nil && !n.fails(r, v.Anchor) {
					t.Fatalf("%s: %s for %s: %s does not fail %s: %s", q.URL(), v.Provider.Name(), v.Anchor.Name(), r.Provider.Name(), r.Condition.Words(), r.Words())
				}
			}
			for _, test := range v.Tests {
				if test.Provider != nil && !test.Moot && test.Pass == n.fails(test.Reason, v.Anchor) {
					t.Fatalf("%s: %s for %s: %s passes %s: not %v", q.URL(), v.Provider.Name(), v.Anchor.Name(), test.Provider.Name(), test.Condition.Words(), test.Pass)
				}
			}
		}
		for _, m := range e.Misses {
			for _, r := range m.Reasons {
				if r.Provider != nil && !n.fails(r, m.Anchor) {
					t.Fatalf("%s: miss %s: %s does not fail %s", q.URL(), m.Provider.Name(), r.Provider.Name(), r.Condition.Words())
				}
			}
		}
	})
}

// TestFunnelUnderALimit has two hosts that fit, and a limit of one.
func TestFunnelUnderALimit(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8)}},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8)}},
		{Name: "cn3", Inventories: inventories{placement.VCPU: {Total: 8, MinUnit: 2, MaxUnit: 8, StepSize: 1, AllocationRatio: 1}}},
	})
	e := explain(t, s, parse(t, s, "resources=VCPU:1&limit=1"))
	last := e.Stages[len(e.Stages)-1]
	if last.Condition.Words() != "limit 1" || last.Trees != 1 || last.LostTrees != 1 || e.Candidates != 2 {
		t.Errorf("%s", e.Words())
	}
	if st, ok := e.First(); ok {
		t.Errorf("no tree is left after %s, though there are candidates", st.Condition.Words())
	}
	if units := e.Stages[2]; len(units.Causes) != 1 || units.Causes[0].Words() != "1 has min_unit 2" {
		t.Errorf("causes: %+v", units.Causes)
	}
	e = explain(t, s, parse(t, s, "resources=VCPU:1&root_required=OWNER_NOVA,!OWNER_CYBORG&required=HW_NUMA_ROOT"))
	if st, ok := e.First(); !ok || st.Condition.Words() != "trait HW_NUMA_ROOT" {
		t.Errorf("%v %s", ok, st.Condition.Words())
	}
	alone := map[string]int{}
	for _, st := range e.Stages {
		alone[st.Condition.Words()] = st.Alone
		if st.Ends != (st.Condition.Criterion == candidates.CriterionRootRequired) {
			t.Errorf("%s ends the search: %v", st.Condition.Words(), st.Ends)
		}
	}
	want := map[string]int{
		"VCPU: has inventory": 3, "VCPU: 1 free": 3, "VCPU: 1 at once": 2, "trait HW_NUMA_ROOT": 0, "root has OWNER_NOVA": 0, "root has no OWNER_CYBORG": 3,
	}
	must.Match(t, want, alone)
}

// TestNames has a query with the uuids of an aggregate and a tree, which have other
// names.
func TestNames(t *testing.T) {
	t.Parallel()
	s := twoOwners(t)
	cn1, _ := s.ProviderByName("cn1")
	a := modeltest.AggregateID("A").String()
	q := parse(t, s, "resources=VCPU:29&member_of="+a+"&in_tree="+cn1.ID().String())
	e, err := explained(candidates.NewIndex(s), q, candidates.ExplainOptions{Name: func(id string) string {
		return map[string]string{a: "az-1", cn1.ID().String(): "cn1"}[id]
	}})
	must.Succeed(t, err)
	var all strings.Builder
	for _, st := range e.Stages {
		all.WriteString(st.Condition.Words() + "\n")
	}
	for v := range e.Excluded() {
		all.WriteString(v.Words() + "\n")
	}
	for _, want := range []string{"in aggregate az-1\n", "in the tree of cn1\n", "is not in the tree of cn1, asked for"} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("no %q in\n%s", want, &all)
		}
	}
	if strings.Contains(all.String(), a) || strings.Contains(all.String(), cn1.ID().String()) {
		t.Errorf("a uuid in\n%s", &all)
	}
}

// TestOrigins has a pre-filter that asks for what the flavor asks for already.
func TestOrigins(t *testing.T) {
	t.Parallel()
	s := twoOwners(t)
	q := parse(t, s, "resources=VGPU:3&required=OWNER_CYBORG")
	q.Groups[0].Required[0].Origin = "flavor"
	q.Groups[0].Required = append(q.Groups[0].Required, anyTrait{Names: traits{placement.OwnerCyborg}, Origin: "pre-filter"})
	e := explain(t, s, q)
	if len(e.Ways) != 2 || e.Ways[1].Words() != "drop OWNER_CYBORG" || e.Ways[1].Relaxations[0].Origin != "flavor, pre-filter" {
		t.Errorf("ways out: %+v\n%s", e.Ways, e.Words())
	}
	if n := len(e.Stages); n != 4 {
		t.Errorf("%d stages, not 4:\n%s", n, e.Words())
	}
}

// TestFunnelOfTwoOwners reads the funnel of the worked example.
func TestFunnelOfTwoOwners(t *testing.T) {
	t.Parallel()
	s := twoOwners(t)
	x := candidates.NewIndex(s)
	a := modeltest.AggregateID("A").String()
	for _, c := range []struct {
		name, url string
		want      string
	}{
		{
			"Q3: cn2's card is full, and who gives nothing is said so",
			"resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20&required=OWNER_NOVA&resources1=VGPU:1&required1=OWNER_NOVA", `
candidates: 1
     3 trees of 6 providers
     2 left, 1 lost: VCPU: has inventory
     2 left: VCPU: 2 free
     2 left: VCPU: 2 at once
     2 left: MEMORY_MB: has inventory
     2 left: MEMORY_MB: 4096 free
     2 left: MEMORY_MB: 4096 at once
     2 left: DISK_GB: has inventory
     2 left: DISK_GB: 20 free
     2 left: DISK_GB: 20 at once
     2 left: trait OWNER_NOVA
     2 left: VGPU: has inventory (group 1)
     1 left, 1 lost: VGPU: 1 free (group 1) (1 full)
     1 left: VGPU: 1 at once (group 1)
     1 left: trait OWNER_NOVA (group 1)
way out 1: drop OWNER_NOVA in group 1 gives 2
way out 2: without VGPU in group 1 gives 2
near: N2: needs 1 VGPU, has 0 free of 4
near: ss1: has no inventory of VCPU; has no inventory of MEMORY_MB; has no inventory of VGPU; lacks OWNER_NOVA in group 1; no usable provider has OWNER_NOVA
`,
		},
		{
			"Q6: the host is too full", "resources=VCPU:29,MEMORY_MB:4096,DISK_GB:20&resources1=VGPU:1&required1=OWNER_NOVA", `
candidates: 0
     3 trees of 6 providers
     2 left, 1 lost: VCPU: has inventory
     1 left, 1 lost: VCPU: 29 free (1 has 28)
     1 left: VCPU: 29 at once
     1 left: MEMORY_MB: has inventory
     1 left: MEMORY_MB: 4096 free
     1 left: MEMORY_MB: 4096 at once
     1 left: DISK_GB: has inventory
     1 left: DISK_GB: 20 free
     1 left: DISK_GB: 20 at once
     1 left: VGPU: has inventory (group 1)
     0 left, 1 lost: VGPU: 1 free (group 1) (1 full)
     0 left: VGPU: 1 at once (group 1)
     0 left: trait OWNER_NOVA (group 1)
way out 1: VCPU 29 > 28 gives 1
way out 2: without VGPU in group 1 gives 1
near: cn1: needs 29 VCPU, has 28 free of 32
near: N2: needs 1 VGPU, has 0 free of 4
near: ss1: has no inventory of VCPU; has no inventory of MEMORY_MB; has no inventory of VGPU; lacks OWNER_NOVA in group 1
`,
		},
		{
			"Q7: the root's membership does not count in a group", "resources1=VGPU:3&member_of1=" + a, `
candidates: 0
     3 trees of 6 providers
     3 left: in aggregate ` + a + ` (group 1)
     0 left, 3 lost: VGPU: has inventory (group 1)
     0 left: VGPU: 3 free (group 1)
     0 left: VGPU: 3 at once (group 1)
way out 1: allow any aggregate in group 1 gives 1
near: N1: is not itself in aggregate ` + a + `, asked for in group 1
near: N2: is not itself in aggregate ` + a + `, asked for in group 1; needs 3 VGPU, has 0 free of 4
near: ss1: has no inventory of VGPU
`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := must.Get(explained(x, parse(t, s, c.url), candidates.ExplainOptions{}))(t)
			_, got, _ := strings.Cut(e.Words(), "\n")
			must.Match(t, strings.TrimPrefix(c.want, "\n"), got)
		})
	}
}
