package candidates

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
)

// Way is a way out: one relaxation of a query, or two, with which there are candidates, or
// more of them.
type Way struct {
	Relaxations []Relaxation
	Query       Query // with the relaxations applied
	Gives       int   // candidates of Query, without its limit; MostCounted means that many or more
}

// Words describes w in a few words.
func (w Way) Words() string {
	parts := make([]string, len(w.Relaxations))
	for i, r := range w.Relaxations {
		parts[i] = r.Words()
	}
	return strings.Join(parts, " and ")
}

// More reports whether Query may have more candidates than Gives.
func (w Way) More() bool { return w.Gives >= MostCounted }

// Counted says how many candidates Query has: "3", "20000 or more".
func (w Way) Counted() string { return counted(w.Gives, w.More()) }

// cost orders ways: what asks for less comes after what asks for the same more loosely.
func (w Way) cost() int {
	n := 0
	for _, r := range w.Relaxations {
		n += r.cost()
	}
	return n
}

// MostCounted is the number up to which an explanation counts candidates.
const MostCounted = 20_000

// mostPairs is how many pairs of relaxations are asked at most.
const mostPairs = 500

// ways asks the query again with each of its conditions relaxed and, if there are no
// candidates and no single relaxation that keeps all classes gives any, with each pair of
// them. now is how many candidates there are. It returns up to most ways, the smallest
// changes first, and of those the ones that give most.
func (s *study) ways(most, now int) []Way {
	list := s.relaxations()
	slices.SortStableFunc(list, func(a, b Relaxation) int { return cmp.Compare(a.cost(), b.cost()) })
	var found []Way
	try := func(relaxations ...Relaxation) {
		if slices.ContainsFunc(found, func(w Way) bool { return w.covers(relaxations) }) {
			return
		}
		if list, ok := s.lower(relaxations, now); ok {
			q, _ := s.q.Relax(list...)
			found = append(found, Way{Relaxations: list, Query: q, Gives: newPlan(s.x, q).count(MostCounted)})
		}
	}
	for _, r := range list {
		try(r)
	}
	if now == 0 && (len(found) == 0 || found[0].cost() > 1) {
		tried := 0
		for i, b := range list {
			for _, a := range list[:i] {
				if tried++; tried <= mostPairs && !a.sameTarget(b) {
					try(a, b)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Way) int {
		return cmp.Or(cmp.Compare(a.cost(), b.cost()), cmp.Compare(b.Gives, a.Gives))
	})
	return found[:min(len(found), most)]
}

// covers reports whether w changes no other parts of the query than list does.
func (w Way) covers(list []Relaxation) bool {
	return !slices.ContainsFunc(w.Relaxations, func(a Relaxation) bool { return !slices.ContainsFunc(list, a.sameTarget) })
}

// lower returns list with an amount for each class whose amount is to be changed, and
// reports whether there are more than now candidates then. Amounts are as high as they can
// be, those of the first relaxations first.
func (s *study) lower(list []Relaxation, now int) ([]Relaxation, bool) {
	i := slices.IndexFunc(list, func(r Relaxation) bool { return r.Criterion == CriterionCapacity && r.To == 0 })
	if i < 0 {
		q, ok := s.q.Relax(list...)
		return list, ok && newPlan(s.x, q).count(now+1) > now
	}
	var best []Relaxation
	works := func(amount int64) bool {
		try := slices.Clone(list)
		try[i].To = amount
		out, ok := s.lower(try, now)
		if ok {
			best = out
		}
		return ok
	}
	amounts, above := s.amounts(list[i])
	if n := len(amounts); n > 0 && works(amounts[n-1]) {
		sort.Search(n-1, func(k int) bool { return works(amounts[k]) }) // the last that works is the highest
	}
	return best, best != nil || above > 0 && works(above)
}

// amounts returns the amounts below that of r that some provider has room for, also beside
// what other groups take of the class, in descending order, and the smallest amount above
// it, for providers with a higher min_unit; 0 if there is none.
func (s *study) amounts(r Relaxation) (below []int64, above int64) {
	others := int64(0)
	for _, g := range s.q.Groups {
		for _, other := range g.Resources {
			if other.Class == r.Class && g.Suffix != r.Group {
				others += other.Amount
			}
		}
	}
	seen := map[int64]bool{}
	above = math.MaxInt64
	for _, page := range s.use(Resource{Class: r.Class}).column.pages {
		for _, has := range page {
			step, least := int64(max(has.step, 1)), int64(has.min)
			most := int64(min(has.free, has.max))
			for _, n := range []int64{most, most - others} {
				n = min(n, r.From-1)
				if n -= n % step; n >= max(least, 1) {
					seen[n] = true
				}
			}
			if n := (least + step - 1) / step * step; n > r.From && n <= most {
				above = min(above, n)
			}
		}
	}
	if above == math.MaxInt64 {
		above = 0
	}
	below = slices.Sorted(maps.Keys(seen))
	slices.Reverse(below)
	return below, above
}

// relaxations returns every relaxation of the query, those of conditions about several
// needs first; amounts are still to be chosen.
func (s *study) relaxations() []Relaxation {
	var out []Relaxation
	add := func(r Relaxation) {
		if !slices.ContainsFunc(out, func(has Relaxation) bool { return has.Criterion == r.Criterion && has.sameTarget(r) }) {
			out = append(out, r)
		}
	}
	for _, j := range s.joints() {
		switch j.cond.Criterion {
		case CriterionOneProvider, CriterionSameSubtree, CriterionIsolate:
			add(Relaxation{Criterion: j.cond.Criterion, Suffixes: j.cond.Suffixes, Origin: j.cond.Origin})
		default: // of checks
		}
	}
	for i := range s.checks {
		add(s.checks[i].cond.relaxation())
	}
	for _, g := range s.q.Groups {
		if g.Suffix != "" && (len(g.Resources) > 1 || len(g.Resources) == 1 && s.q.together(g.Suffix)) { // else it is its class
			add(Relaxation{Criterion: CriterionGroup, Group: g.Suffix})
		}
	}
	return out
}

// relaxation returns how to do without c.
func (c *Condition) relaxation() Relaxation {
	r := Relaxation{Criterion: c.Criterion, Group: c.Group, Class: c.Class, From: c.Amount, Traits: c.Traits, Origin: c.Origin}
	switch r.Criterion {
	case CriterionUnits: // as for capacity
		r.Criterion = CriterionCapacity
	case CriterionGiver: // of all groups and classes
		return Relaxation{Criterion: CriterionGiver, Origin: r.Origin}
	default:
	}
	return r
}

// cost is 1, or 2 where r no longer asks for a class or a group.
func (r Relaxation) cost() int {
	if r.Criterion == CriterionInventory || r.Criterion == CriterionGroup {
		return 2
	}
	return 1
}

// sameTarget reports whether r and o change the same part of a query.
func (r Relaxation) sameTarget(o Relaxation) bool {
	amount := func(r Relaxation) bool { return r.Criterion == CriterionCapacity || r.Criterion == CriterionInventory }
	if (r.Criterion == CriterionGroup || o.Criterion == CriterionGroup) && r.Group == o.Group && r.Group != "" {
		return true // anything about a dropped group
	}
	return (r.Criterion == o.Criterion || amount(r) && amount(o)) && r.Group == o.Group && r.Class == o.Class &&
		slices.Equal(r.Traits, o.Traits) && slices.Equal(r.Suffixes, o.Suffixes)
}
