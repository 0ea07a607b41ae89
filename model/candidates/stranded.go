package candidates

import (
	"cmp"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// stops returns the first condition that prevents another copy in the tree of root.
func (s *study) stops(root int32) Condition {
	for n := range s.needs {
		if slot, mask := s.nearest(n, root); mask != 0 {
			return s.first(n, slot, root).cond
		}
	}
	for _, i := range s.ofRoot {
		if c := &s.checks[i]; !c.root.has(root) {
			return c.cond
		}
	}
	return s.stuck(root).Condition
}

// first returns the first check that slot fails when it serves need n for the tree of
// root, nil if there is none.
func (s *study) first(n int, slot, root int32) *check {
	end := s.x.ends[root]
	for _, i := range s.ofNeed[n] {
		if c := &s.checks[i]; !c.passes(slot, root, end) {
			return c
		}
	}
	return nil
}

// stranded returns the free capacity, of classes that the query asks for, that no copy
// can use any more, by the condition that fails. The trees of the open roots have room
// for more copies; left returns what a cell has left.
func (s *study) stranded(open map[int32]bool, left func(*cell) int64) []Stranded {
	var out []Stranded
	seen := map[placement.ResourceClass]bool{}
	for _, g := range s.q.Groups {
		for _, r := range g.Resources {
			if !seen[r.Class] {
				seen[r.Class] = true
				out = append(out, s.strandedOf(r.Class, open, left)...)
			}
		}
	}
	return out
}

// strandedOf returns what is stranded of one class, most units first.
func (s *study) strandedOf(class placement.ResourceClass, open map[int32]bool, left func(*cell) int64) []Stranded {
	var needs []int // those that use the class
	id, _ := s.x.snap.ClassID(class)
	for n := range s.needs {
		if s.needs[n].amount(id) > 0 {
			needs = append(needs, n)
		}
	}
	sums := map[cause]*Stranded{}
	column := s.x.column(id)
	for i, slot := range column.slots {
		free := left(&column.pages[i/pageCells][i%pageCells])
		if free <= 0 {
			continue
		}
		key := s.why(needs, slot, open)
		if key.cond == nil {
			continue // it may serve
		}
		sum := sums[key]
		if sum == nil {
			sum = &Stranded{Class: class, Because: *key.cond, Rest: key.rest, Elsewhere: key.elsewhere}
			sums[key] = sum
		}
		sum.Units += free
		sum.Providers++
	}
	out := make([]Stranded, 0, len(sums))
	for _, sum := range sums {
		out = append(out, *sum)
	}
	sorted.By(out, func(a, b Stranded) int {
		return cmp.Or(cmp.Compare(b.Units, a.Units), cmp.Compare(a.Because.Words(), b.Because.Words()), cmp.Compare(a.Providers, b.Providers), cmp.Compare(a.Words(), b.Words()))
	})
	return out
}

// cause is why something is Stranded; conditions of a study are compared by address.
type cause struct {
	cond            *Condition
	rest, elsewhere bool
}

// why says why slot can no longer serve any of the needs; nothing if it can.
func (s *study) why(needs []int, slot int32, open map[int32]bool) cause {
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
	if least != 0 {
		own := s.first(need, slot, root)
		return cause{cond: &own.cond, rest: own.cond.Criterion == CriterionCapacity && s.short(need, slot, root)}
	}
	if open[root] {
		return cause{}
	}
	for n := range s.needs {
		if other, mask := s.nearest(n, root); mask != 0 {
			return cause{cond: &s.first(n, other, root).cond, elsewhere: true}
		}
	}
	for _, i := range s.ofRoot {
		if c := &s.checks[i]; !c.root.has(root) {
			return cause{cond: &c.cond, elsewhere: true}
		}
	}
	for _, i := range s.unions {
		if c := &s.checks[i]; !s.offered(c, root) {
			return cause{cond: &c.cond, elsewhere: true}
		}
	}
	return cause{cond: s.stuckWith(need, slot, root), elsewhere: true}
}

// short reports whether slot, serving need n for the tree of root, only fails checks
// about how much it has.
func (s *study) short(n int, slot, root int32) bool {
	end := s.x.ends[root]
	for _, i := range s.ofNeed[n] {
		c := &s.checks[i]
		if c.cond.Criterion != CriterionCapacity && c.cond.Criterion != CriterionUnits && !c.passes(slot, root, end) {
			return false
		}
	}
	return true
}
