package candidates

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// maxSteps is how many picks a walker tries between two candidates before it gives up its
// tree. Real clouds are far below it; a malicious query could otherwise run practically
// forever.
const maxSteps = 1 << 22

// walker finds the candidates of one tree: a provider for each need, in the
// order of the needs and, for each need, of the slots, the tree's own before
// those that share with it.
//
// It is a depth-first search that prunes early: a pick which no later pick can complete
// is not followed.
type walker struct {
	p     *plan
	root  int32
	ids   []int32 // the slots that may serve each need, need after need
	from  []int32 // where the slots of each need begin in ids
	to    []int32 // where they end
	at    []int32 // index in ids of the pick for each need
	last  []int32 // the last need of the un-suffixed group that may bring each required term
	begun bool
	done  bool
	gone  bool // given up
}

// arena hands out small runs of numbers.
type arena struct{ free []int32 }

func (a *arena) take(n int) []int32 {
	const block = 4096
	if n > len(a.free) {
		a.free = make([]int32, max(block, n))
	}
	out := a.free[:n:n]
	a.free = a.free[n:]
	return out
}

// newScratch returns a walker to be used for one tree after another.
func (p *plan) newScratch() *walker {
	n := len(p.needs)
	return &walker{p: p, from: make([]int32, n), to: make([]int32, n), at: make([]int32, n), last: make([]int32, len(p.terms))}
}

// keep returns a copy of w that stays valid when w moves to another tree.
func (w *walker) keep(a *arena) walker {
	k := *w
	put := func(list []int32) []int32 {
		out := a.take(len(list))
		copy(out, list)
		return out
	}
	k.ids, k.from, k.to, k.at, k.last = put(w.ids), put(w.from), put(w.to), put(w.at), put(w.last)
	return k
}

// begin moves w to the tree of root. It returns false if the tree certainly has no
// candidate.
func (w *walker) begin(root int32) bool {
	p := w.p
	w.root, w.begun, w.done, w.gone = root, false, false, false
	w.ids = w.ids[:0]
	end := p.x.ends[root]
	for i := range p.needs {
		n := &p.needs[i]
		w.from[i] = int32(len(w.ids))
		w.ids = n.own.appendIn(w.ids, root, end)
		if n.lists != nil && n.lists[p.shares.listOf[root]] {
			for _, s := range p.shares.serving(root) {
				if (s < root || s >= end) && n.others.has(s) {
					w.ids = append(w.ids, s)
				}
			}
		}
		w.to[i] = int32(len(w.ids))
		if w.from[i] == w.to[i] {
			return false
		}
	}
	return w.promising()
}

// only restricts need i to a single slot, one of those that may serve it. It returns
// false if the tree then certainly has no candidate.
func (w *walker) only(i int, slot int32) bool {
	w.ids[w.from[i]], w.to[i] = slot, w.from[i]+1
	return w.promising()
}

// promising returns false if no choice of the slots of w can be a candidate. Every need
// has a slot.
func (w *walker) promising() bool {
	p := w.p
	for t, has := range p.terms {
		w.last[t] = -1
		for i := p.spread - 1; i >= 0 && w.last[t] < 0; i-- {
			for _, s := range w.options(i) {
				if has.has(s) {
					w.last[t] = int32(i)
					break
				}
			}
		}
		if w.last[t] < 0 {
			return false
		}
	}
	if len(p.needs) < many {
		return true
	}
	return w.enough() && (!p.isolate || w.apart(p.spread))
}

// many is from how many needs on it pays to check whether they can be served together at
// all, before trying.
const many = 4

// options returns the slots that may serve need i.
func (w *walker) options(i int) []int32 { return w.ids[w.from[i]:w.to[i]] }

// pick returns the slot that serves need i.
func (w *walker) pick(i int) int32 { return w.ids[w.at[i]] }

// next finds the next candidate, and returns false if there is none.
func (w *walker) next() bool {
	if w.done {
		return false
	}
	most := len(w.p.needs) - 1
	i := most
	if !w.begun {
		w.begun = true
		i, w.at[0] = 0, w.from[0]-1
	}
	for steps := 0; ; {
		w.at[i]++
		if w.at[i] == w.to[i] {
			if i--; i < 0 {
				w.done = true
				return false
			}
			continue
		}
		if steps++; steps > maxSteps {
			w.done, w.gone = true, true
			return false
		}
		switch {
		case !w.allows(i):
		case i == most:
			return true
		default:
			i++
			w.at[i] = w.from[i] - 1
		}
	}
}

// allows reports whether the pick of need i is compatible with those before it, and
// leaves options for those after it.
func (w *walker) allows(i int) bool {
	p := w.p
	n, slot := &p.needs[i], w.pick(i)
	if i < p.spread {
		for t, has := range p.terms {
			if int32(i) >= w.last[t] && !w.brings(has, i) {
				return false
			}
		}
	} else if p.isolate {
		for j := p.spread; j < i; j++ {
			if w.pick(j) == slot {
				return false
			}
		}
		if len(p.needs)-i > many && !w.apart(i+1) {
			return false
		}
	}
	if n.meets && !w.room(i) {
		return false
	}
	if p.oneEach && len(n.uses) > 0 {
		for j := range i {
			if other := w.pick(j); other != slot && len(p.needs[j].uses) > 0 && p.x.roots[other] == p.x.roots[slot] {
				return false
			}
		}
	}
	for _, of := range p.subtrees {
		if of[len(of)-1] == i && !w.underOne(of) {
			return false
		}
	}
	return true
}

// brings reports whether one of the picks up to that of need i is in has.
func (w *walker) brings(has bitmap, i int) bool {
	for j := range i + 1 {
		if has.has(w.pick(j)) {
			return true
		}
	}
	return false
}

// room reports whether the pick of need i has room for it and for what the picks before
// it take from the same provider. For sums only room and max_unit are checked, not
// min_unit and step_size.
//
// Source: placement/objects/research_context.py, exceeds_capacity.
func (w *walker) room(i int) bool {
	slot := w.pick(i)
	for _, u := range w.p.needs[i].uses {
		sum := u.amount
		for j := range i {
			if w.pick(j) == slot {
				sum += w.p.needs[j].amount(u.class)
			}
		}
		if sum == u.amount {
			continue
		}
		if c := u.column.at(slot); sum > int64(c.free) || sum > int64(c.max) {
			return false
		}
	}
	return true
}

// underOne reports whether one of the picks of the given needs is an ancestor of
// all the others, or the same.
//
// Source: placement/objects/allocation_candidate.py, _check_same_subtree.
func (w *walker) underOne(of []int) bool {
	top := w.pick(of[0])
	for _, i := range of[1:] {
		top = min(top, w.pick(i)) // an ancestor comes first
	}
	for _, i := range of {
		if !w.p.x.above(top, w.pick(i)) {
			return false
		}
	}
	return true
}

// enough reports whether the providers that may serve the needs have, together, room for
// all amounts of each class that several needs use.
func (w *walker) enough() bool {
	p := w.p
	var seen []placement.ClassID
	for i := range p.needs {
		if !p.needs[i].meets {
			continue
		}
		for _, u := range p.needs[i].uses {
			if !slices.Contains(seen, u.class) {
				seen = append(seen, u.class)
				if !w.enoughOf(u) {
					return false
				}
			}
		}
	}
	return true
}

func (w *walker) enoughOf(u use) bool {
	var asked, room int64
	var counted []int32
	for i := range w.p.needs {
		amount := w.p.needs[i].amount(u.class)
		if amount == 0 {
			continue
		}
		asked += amount
		for _, slot := range w.options(i) {
			if !slices.Contains(counted, slot) {
				counted = append(counted, slot)
				room += int64(u.column.at(slot).free)
			}
		}
	}
	return asked <= room
}

// apart reports whether the suffixed groups from need i on can each have a separate
// provider that is not picked yet: whether there is a matching of needs and slots.
func (w *walker) apart(i int) bool {
	needs := len(w.p.needs)
	holder := map[int32]int{} // need, by slot
	for j := w.p.spread; j < i; j++ {
		holder[w.pick(j)] = -1 // not available
	}
	var tried map[int32]bool
	var place func(need int) bool
	place = func(need int) bool {
		for _, slot := range w.options(need) {
			if tried[slot] {
				continue
			}
			tried[slot] = true
			has, taken := holder[slot]
			if !taken || has >= 0 && place(has) {
				holder[slot] = need
				return true
			}
		}
		return false
	}
	for need := i; need < needs; need++ {
		tried = map[int32]bool{}
		if !place(need) {
			return false
		}
	}
	return true
}
