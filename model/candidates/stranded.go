package candidates

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// stops returns the first condition that keeps the tree of root from taking a
// copy more.
func (s *study) stops(root int32) Condition {
	for n := range s.needs {
		slot, mask := s.nearest(n, root)
		if mask != 0 {
			return s.reasons(nil, n, slot, root)[0].Condition
		}
	}
	return s.stuck(s.x.provider(root)).Condition
}

// stranded returns what is free of the classes that the query asks for, where
// nobody can take a copy of it any more, by what is wanting.
func (s *study) stranded() []Stranded {
	var out []Stranded
	seen := map[placement.ResourceClass]bool{}
	for _, g := range s.q.Groups {
		for _, r := range g.Resources {
			if !seen[r.Class] {
				seen[r.Class] = true
				out = append(out, s.strandedOf(r.Class)...)
			}
		}
	}
	return out
}

// strandedOf returns what is free of one class, most units first.
func (s *study) strandedOf(class placement.ResourceClass) []Stranded {
	var needs []int // those that use the class
	id, _ := s.x.snap.ClassID(class)
	for n := range s.needs {
		if s.needs[n].amount(id) > 0 {
			needs = append(needs, n)
		}
	}
	type cause struct {
		words           string
		rest, elsewhere bool
	}
	sums := map[cause]*Stranded{}
	column := s.x.column(id)
	for i, slot := range column.slots {
		free := column.pages[i/pageCells][i%pageCells].free
		if free <= 0 {
			continue
		}
		one := s.why(needs, slot)
		key := cause{one.Because.Words(), one.Rest, one.Elsewhere}
		sum := sums[key]
		if sum == nil {
			one.Class = class
			sum = &one
			sums[key] = sum
		}
		sum.Units += int64(free)
		sum.Providers++
	}
	out := make([]Stranded, 0, len(sums))
	for _, sum := range sums {
		out = append(out, *sum)
	}
	slices.SortFunc(out, func(a, b Stranded) int {
		return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Because.Words(), b.Because.Words()), cmp.Compare(a.Providers, b.Providers), cmp.Compare(a.Words(), b.Words()))
	})
	return out
}

// why says why slot serves none of the needs any more.
func (s *study) why(needs []int, slot int32) Stranded {
	root := s.x.roots[slot]
	if s.shares.providers.has(slot) {
		root = s.nearestServed(slot, root)
	}
	need, least := needs[0], ^uint64(0)
	for _, n := range needs {
		if mask := s.fails(n, slot, root); s.nearer(mask, least) {
			need, least = n, mask
		}
	}
	if own := s.reasons(nil, need, slot, root); len(own) > 0 {
		short := !slices.ContainsFunc(own, func(r Reason) bool { return r.Condition.Rule != RuleCapacity && r.Condition.Rule != RuleUnits })
		return Stranded{Because: own[0].Condition, Rest: short && own[0].Condition.Rule == RuleCapacity}
	}
	for n := range s.needs {
		if other, mask := s.nearest(n, root); mask != 0 {
			return Stranded{Because: s.reasons(nil, n, other, root)[0].Condition, Elsewhere: true}
		}
	}
	for _, i := range s.ofRoot {
		if c := &s.checks[i]; !c.root.has(root) {
			return Stranded{Because: c.cond, Elsewhere: true}
		}
	}
	for _, i := range s.unions {
		if c := &s.checks[i]; !s.offered(c, root) {
			return Stranded{Because: c.cond, Elsewhere: true}
		}
	}
	return Stranded{Because: s.stuckWith(need, slot, root).Condition, Elsewhere: true}
}
