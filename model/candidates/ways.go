package candidates

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// Way is a way out: a smallest set of relaxations with which there are
// candidates, or more of them.
type Way struct {
	Relaxations []Relaxation
	Query       Query // with the relaxations applied
	Gives       int   // candidates of Query, without its limit; MostCounted means that many or more
	Cost        int   // 1 for each changed condition or amount, 2 for each class or group that is dropped
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

// MostCounted is the number up to which an explanation counts candidates.
const MostCounted = 20_000

// mostEffort limits how many sets of relaxations are tried by actually asking the relaxed
// query: their number times the number of the query's conditions, which determines the
// cost. In a small cloud it costs less, and more are tried: up to mostTimes as many if
// there are at most effortProviders/mostTimes providers.
const (
	mostEffort      = 8000
	mostTimes       = 10
	effortProviders = 5000
)

// escape is a search for ways out in progress.
//
// If the needs of a query can be served independently, the survey knows what each tree
// misses, and its cheapest sets are the cheapest ways out. Conditions about several needs
// together couple them, and a giver couples the classes of one need: then single
// relaxations and pairs of them, including dropped classes and groups, are tried too. So
// are single ones if there are candidates, since they may give more in the same trees.
type escape struct {
	*survey
	now   int // candidates without relaxing anything
	most  int // how many ways to find
	found []Way
	tried map[triedQuery]bool
	tries int
	// coupled says that what one need takes may keep another from what it could have.
	coupled bool
}

// triedQuery identifies a relaxed query.
type triedQuery struct {
	url     string
	version Microversion
	anyTree bool // Anchors is dropped
	giver   bool // Giver is not
}

// ways returns up to most ways out, the cheapest first, and among those of equal cost the
// one that gives most.
func (v *survey) ways(most, now int) []Way {
	e := &escape{survey: v, now: now, most: most, tried: map[triedQuery]bool{}}
	masks := slices.Collect(maps.Values(v.masks))
	masks = slices.DeleteFunc(masks, func(m *missing) bool { return m.mask == 0 || v.cost(m.mask) > v.limit })
	sorted.By(masks, func(a, b *missing) int {
		return cmp.Or(cmp.Compare(v.cost(a.mask), v.cost(b.mask)), cmp.Compare(b.trees, a.trees), cmp.Compare(a.mask, b.mask))
	})
	e.coupled = v.sharesGiver() || slices.ContainsFunc(v.joints(), func(j *joint) bool { return j.cond.Criterion != CriterionTraitsTogether })
	for cost := 1; cost <= v.limit || e.coupled && cost <= 2*costDrop && len(e.found) == 0; cost++ {
		for _, m := range masks {
			if v.cost(m.mask) == cost && !e.enough() {
				e.follow(m)
			}
		}
		if e.coupled && cost <= 2 || now > 0 && cost == 1 {
			e.single(cost)
		}
		if e.coupled && len(e.found) == 0 {
			e.pairs(masks, cost)
		}
	}
	if e.coupled && len(e.found) == 0 {
		e.further(masks)
	}
	sorted.By(e.found, func(a, b Way) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(b.Gives, a.Gives))
	})
	for i, w := range e.found {
		if w.Cost > e.found[0].Cost+1 { // too expensive to be offered
			return e.found[:i]
		}
	}
	return e.found
}

// enough reports whether the search is over.
func (e *escape) enough() bool {
	times := min(max(effortProviders/max(e.x.len(), 1), 1), mostTimes)
	return len(e.found) >= e.most || e.tries*len(e.checks) >= mostEffort*times
}

// follow tries the sets of relaxations that give the trees of m what they miss. If needs
// are coupled, the amounts may have to be lower than each need by itself allows.
func (e *escape) follow(m *missing) {
	done := false
	for _, list := range e.relaxations(m) {
		allowsAny := slices.ContainsFunc(list, func(r Relaxation) bool { return r.Criterion == CriterionMemberOf && r.Aggregate == "" })
		if allowsAny && done { // a single aggregate is less
			continue
		}
		if e.try(list) || e.coupled && e.tryAmounts(reopened(list)) {
			done = true
		}
	}
}

// least returns of list, which is a way out, what is needed, and with amounts of which none
// alone can be higher.
// The survey looks at each need by itself: where needs are coupled, one that takes less
// than it could may leave the room to another, and what else is relaxed may let in a
// provider that gives more.
func (e *escape) least(list []Relaxation) []Relaxation {
	list = slices.Clone(list)
	for i := len(list) - 1; i >= 0 && len(list) > 1; i-- {
		if without := slices.Delete(slices.Clone(list), i, i+1); e.tryAmountsQuietly(without) {
			list = without
		}
	}
	for again := true; again; { // where an amount goes elsewhere, there may be room for one before it
		again = false
		for i, r := range list {
			if r.Criterion == CriterionCapacity && e.raise(list, i) {
				again = true
			}
		}
	}
	return list
}

// raise gives the relaxation i of list, which is a way out, the highest amount with which
// it is one, and reports whether that is more than it has.
func (e *escape) raise(list []Relaxation, i int) bool {
	low := list[i].To
	amounts, even := e.limits(list, i)
	works := func(n int) bool {
		list[i].To = amounts[n]
		return e.tryAmountsQuietly(list)
	}
	best := 0
	if even || len(amounts) > mostAmounts { // what works with an amount works with any lower one, or nearly
		best = sort.Search(len(amounts), works)
	} else {
		for best < len(amounts) && !works(best) {
			best++
		}
	}
	if list[i].To = low; best < len(amounts) {
		list[i].To = amounts[best]
	}
	return list[i].To > low
}

// mostAmounts is up to how many amounts are all tried where providers differ in their
// steps, and mostSums how many sums of what other groups take are looked at.
const (
	mostAmounts = 64
	mostSums    = 1000
)

// limits returns the amounts above that of the relaxation i of list that may be the highest
// with which list is a way out, in descending order: what some provider gives at most,
// beside what other groups of the relaxed query take of it. even says that each provider
// gives any amount from that of the relaxation up to its highest.
func (e *escape) limits(list []Relaxation, i int) (amounts []int64, even bool) {
	r := list[i]
	q, _ := e.q.Relax(list...)
	sums := map[int64]bool{0: true}
	for _, g := range q.Groups {
		for _, other := range g.Resources {
			if g.Suffix == r.Group || other.Class != r.Class {
				continue
			}
			for sum := range maps.Clone(sums) {
				if len(sums) < mostSums {
					sums[sum+other.Amount] = true
				}
			}
		}
	}
	beside, seen, last := sorted.Keys(sums), map[int64]bool{}, int64(0)
	even = true
	for _, page := range e.use(Resource{Class: r.Class}).column.pages {
		for _, has := range page {
			even = even && has.step == 1 && int64(has.min) <= r.To
			for _, sum := range beside {
				n := min(min(int64(has.free), int64(has.max))-sum, r.From-1)
				if n -= n % int64(has.step); n > r.To && n != last {
					seen[n], last = true, n
				}
			}
		}
	}
	amounts = sorted.Keys(seen)
	slices.Reverse(amounts)
	return amounts, even
}

// reopened returns list without its amounts, which are to be chosen again.
func reopened(list []Relaxation) []Relaxation {
	list = slices.Clone(list)
	for i := range list {
		list[i].To = 0
	}
	return list
}

// single tries each relaxation of the given cost by itself. If there are candidates
// amounts are skipped: the survey has covered those of the other trees, and the trees
// with candidates need no way out.
func (e *escape) single(cost int) {
	for _, r := range e.singles() {
		if r.cost() == cost && !e.enough() && (e.now == 0 || r.Criterion != CriterionCapacity) {
			e.tryAmounts([]Relaxation{r})
		}
	}
}

// pairs tries the pairs of relaxations of a cost that may give some tree what it
// misses. What is dearer than the limit was not surveyed.
func (e *escape) pairs(masks []*missing, cost int) {
	list := e.withAggregates(masks)
	cures := make([]uint64, len(list))
	for i, r := range list {
		cures[i] = e.cures(r)
	}
	may := func(cured uint64) bool {
		return e.masks[0] != nil || cost > e.limit || slices.ContainsFunc(masks, func(m *missing) bool { return m.mask&^cured == 0 })
	}
	for i, a := range list {
		for j, b := range list[:i] {
			if e.enough() {
				return
			}
			if a.cost()+b.cost() == cost && !sameTarget(a, b) && may(cures[i]|cures[j]) {
				e.tryAmounts([]Relaxation{b, a})
			}
		}
	}
}

// withAggregates returns the singles; before one that allows any aggregate come those
// that allow a single aggregate of the trees that miss it.
func (e *escape) withAggregates(masks []*missing) []Relaxation {
	var out []Relaxation
	for _, r := range e.singles() {
		if r.Criterion == CriterionMemberOf {
			for _, m := range masks {
				for _, set := range e.relaxations(m) {
					for _, one := range set {
						if one.Aggregate != "" && sameTarget(one, r) && !slices.ContainsFunc(out, func(has Relaxation) bool { return sameTarget(has, one) && has.Aggregate == one.Aggregate }) {
							out = append(out, one)
						}
					}
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// cures returns the checks that a relaxation may make unnecessary, rather too many than
// too few.
func (e *escape) cures(r Relaxation) uint64 {
	var mask uint64
	for i := range e.checks {
		c := &e.checks[i]
		group, ofGroup := e.q.Group(c.cond.Group)
		ofGroup = ofGroup && c.cond.OfGroup()
		var cured bool
		switch r.Criterion {
		case CriterionInventory, CriterionGroup, CriterionOpenGroup: // with everything else asked of its provider
			cured = ofGroup && c.cond.Group == r.Group
		case CriterionSameSubtree: // without it, groups without resources go too
			cured = ofGroup && len(group.Resources) == 0 && slices.Contains(r.Suffixes, group.Suffix)
		case CriterionCapacity:
			cured = c.cond.Criterion != CriterionInventory && sameTarget(c.way, r)
		default:
			cured = sameTarget(c.way, r)
		}
		if cured {
			mask |= c.bit
		}
	}
	return mask
}

// further tries what the trees miss together with one more relaxation.
func (e *escape) further(masks []*missing) {
	list := e.singles()
	for _, m := range masks {
		for _, base := range e.relaxations(m) {
			for _, r := range list {
				if e.enough() {
					return
				}
				if !slices.ContainsFunc(base, func(b Relaxation) bool { return sameTarget(b, r) }) {
					e.tryAmounts(append(slices.Clone(base), r))
				}
			}
		}
	}
}

// singles returns every relaxation of the query, those of conditions about several
// needs first; amounts are still to be chosen.
func (e *escape) singles() []Relaxation {
	var out []Relaxation
	for _, j := range e.joints() {
		switch j.cond.Criterion {
		case CriterionOneProvider, CriterionSameSubtree, CriterionIsolate:
			out = append(out, Relaxation{Criterion: j.cond.Criterion, Suffixes: j.cond.Suffixes, Origin: j.cond.Origin})
		default: // of checks
		}
	}
	for i := range e.checks {
		c := &e.checks[i]
		if c.cond.Criterion != CriterionUnits { // as for capacity
			out = append(out, c.way)
		}
	}
	for _, g := range e.q.Groups {
		if g.Suffix != "" && (len(g.Resources) > 1 || len(g.Resources) == 1 && e.q.together(g.Suffix)) { // else it is its class
			out = append(out, Relaxation{Criterion: CriterionGroup, Group: g.Suffix})
		}
	}
	return out
}

// tryAmounts tries list with amounts for those of its relaxations that have none
// yet: the smallest that some provider takes; try makes them higher.
func (e *escape) tryAmounts(list []Relaxation) bool {
	if e.covered(list) {
		return false
	}
	open := slices.IndexFunc(list, func(r Relaxation) bool { return r.Criterion == CriterionCapacity && r.To == 0 })
	if open < 0 {
		return e.try(list)
	}
	list = slices.Clone(list)
	for _, amount := range e.smallest(list[open].Class) {
		if amount == list[open].From {
			continue
		}
		if list[open].To = amount; !e.tryAmountsQuietly(list) {
			continue
		}
		return e.tryAmounts(list)
	}
	return false
}

// tryAmountsQuietly reports whether list is a way out with some amounts for those
// of its relaxations that have none yet.
func (e *escape) tryAmountsQuietly(list []Relaxation) bool {
	open := slices.IndexFunc(list, func(r Relaxation) bool { return r.Criterion == CriterionCapacity && r.To == 0 })
	if open < 0 {
		e.tries++
		q, ok := e.q.Relax(list...)
		return ok && newPlan(e.x, q).count(e.now+1) > e.now
	}
	list = slices.Clone(list)
	for _, amount := range e.smallest(list[open].Class) {
		if list[open].To = amount; amount != list[open].From && e.tryAmountsQuietly(list) {
			return true
		}
	}
	return false
}

// smallest returns a few of the smallest amounts of a class that providers allow, without
// duplicates, ascending.
func (e *escape) smallest(class placement.ResourceClass) []int64 {
	const most = 4
	seen := map[int64]bool{}
	for _, page := range e.use(Resource{Class: class}).column.pages {
		for _, has := range page {
			if n := (int64(has.min) + int64(has.step) - 1) / int64(has.step) * int64(has.step); !seen[n] {
				seen[n] = true
			}
		}
	}
	amounts := sorted.Keys(seen)
	return amounts[:min(len(amounts), most)]
}

// sameTarget reports whether a and b change the same part of a query.
func sameTarget(a, b Relaxation) bool {
	amount := func(r Relaxation) bool { return r.Criterion == CriterionCapacity || r.Criterion == CriterionInventory }
	if (a.Criterion == CriterionGroup || b.Criterion == CriterionGroup) && a.Group == b.Group && a.Group != "" {
		return true // anything about a dropped group
	}
	return (a.Criterion == b.Criterion || amount(a) && amount(b)) && a.Group == b.Group && a.Class == b.Class &&
		slices.Equal(a.Traits, b.Traits) && slices.Equal(a.Suffixes, b.Suffixes)
}

// try asks the relaxed query, and keeps what is needed of it if it is a way out.
func (e *escape) try(list []Relaxation) bool {
	q, ok := e.q.Relax(list...)
	if !ok || e.covered(list) {
		return false
	}
	key := triedQuery{q.URL(), q.Version(), q.Anchors.Empty(), !q.Giver.Empty()}
	if e.tried[key] {
		return false
	}
	e.tried[key] = true
	e.tries++
	gives := newPlan(e.x, q).count(MostCounted)
	if gives <= e.now {
		return false
	}
	if least := e.least(list); !slices.EqualFunc(least, list, func(a, b Relaxation) bool { return a.To == b.To && sameTarget(a, b) }) {
		return e.try(least)
	}
	w := Way{Relaxations: slices.Clone(list), Query: q, Gives: gives}
	for _, r := range list {
		w.Cost += r.cost()
	}
	e.found = append(e.found, w)
	return true
}

// covered reports whether an already found way needs no more than list.
func (e *escape) covered(list []Relaxation) bool {
	return slices.ContainsFunc(e.found, func(w Way) bool {
		return len(w.Relaxations) <= len(list) && !slices.ContainsFunc(w.Relaxations, func(a Relaxation) bool {
			return !slices.ContainsFunc(list, func(b Relaxation) bool { return sameTarget(a, b) && (a.Aggregate == b.Aggregate || b.Aggregate == "") })
		})
	})
}

// relaxations returns the sets of relaxations that give the trees of m what they miss:
// several if an aggregate may be allowed.
func (e *escape) relaxations(m *missing) [][]Relaxation {
	var list []Relaxation
	member := -1
	whole := uint64(0)
	for _, g := range e.groups {
		if m.mask&g.mask == g.mask {
			list, whole = append(list, Relaxation{Criterion: CriterionGroup, Group: g.suffix}), whole|g.mask
		}
	}
	for rest := m.mask &^ whole; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		if i > 0 && e.twins(i) && m.mask&(1<<(i-1)) != 0 {
			continue
		}
		r := e.checks[i].way
		if r.Criterion == CriterionGiver && slices.ContainsFunc(list, func(has Relaxation) bool { return has.Criterion == CriterionGiver }) {
			continue
		}
		switch r.Criterion {
		case CriterionCapacity:
			room := e.checks[i].bit
			if e.checks[i].cond.Criterion == CriterionUnits {
				room >>= 1
			}
			r.To = m.to[room]
		case CriterionMemberOf:
			member = len(list)
		default: // already complete
		}
		list = append(list, r)
	}
	out := [][]Relaxation{list}
	if member < 0 {
		return out
	}
	const mostAggregates = 3
	for _, a := range mostFrequent(m.aggregates, mostAggregates) {
		with := slices.Clone(list)
		with[member].Aggregate = TextOfAggregate(a)
		out = append(out, with)
	}
	return append(out[1:], list) // allowing one more aggregate is less than allowing any
}

func mostFrequent(count map[placement.AggregateID]int, most int) []placement.AggregateID {
	ids := sorted.Seq(maps.Keys(count), func(a, b placement.AggregateID) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), a.Compare(b))
	})
	return ids[:min(len(ids), most)]
}
