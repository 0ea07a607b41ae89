package candidates

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Fit is how many copies of a query fit into the cloud now, each for its own consumer.
//
// The copies are really packed: candidates are claimed one after another on a scratch
// account, tree by tree, until there is none left. A tree's own providers are used
// before those that share with it, and of several that share the one with most room.
// Where suffixed groups compete for the same providers, those with most room come
// first too.
//
// Copies is what this packing placed. No other places more where each need has one
// provider in a tree, or where only one need has several; with a pool that several trees
// share, or groups that compete, there may be a better one. At most mostCopies are packed
// into a tree: totals that include a tree at this limit have More set.
type Fit struct {
	Query  Query
	Copies int
	More   bool      // Copies or more: some tree takes more than were packed
	Trees  []TreeFit // those with at least one copy, in order
}

// TreeFit is how many copies fit into a tree, and what prevents one more.
type TreeFit struct {
	Anchor *placement.ResourceProvider
	Copies int
	More   bool      // no more were packed, and one more may fit
	Stops  Condition // the zero value where More
}

// Words says what prevents one more copy in t.
func (t TreeFit) Words() string {
	if t.More {
		return fmt.Sprintf("nothing: counting stopped at %d", t.Copies)
	}
	return t.Stops.Words()
}

// mostCopies is how many copies are packed into one tree at most: with competing groups,
// which are packed little by little, more would take too long.
const mostCopies = 1 << 20

// FitOf packs copies of what is asked, one question after the other: each finds the room
// that those before it left, so that a pool which serves several is counted once. The
// questions must be of one Index, and no candidate may answer two. The limits of the
// queries are ignored.
func FitOf(questions ...*Question) *Fit {
	x := questions[0].plan.x.scratch()
	f := &Fit{Query: questions[0].plan.q}
	beyond := map[*inventoryCell]int64{}
	packings := make([]*packing, len(questions))
	for i, k := range questions {
		packings[i] = newPacking(k.plan.on(x), beyond)
	}
	for i, pk := range packings {
		if i > 0 {
			pk = newPacking(newPlan(x, pk.q).on(x), beyond)
			packings[i] = pk
		}
		pk.pack()
		if f.Copies == 0 && pk.copies > 0 {
			f.Query = pk.q
		}
		f.Copies += pk.copies
	}
	var all []treeCopies
	for _, pk := range packings {
		after := newStudy(newPlan(x, pk.unfilled()))
		for _, t := range pk.placed {
			if !t.more {
				t.stops = after.stops(t.root)
			}
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b treeCopies) int { return cmp.Compare(a.root, b.root) })
	f.Trees = make([]TreeFit, 0, len(all))
	for _, t := range all {
		f.Trees, f.More = append(f.Trees, TreeFit{Anchor: x.provider(t.root), Copies: t.copies, More: t.more, Stops: t.stops}), f.More || t.more
	}
	return f
}

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

// on returns a copy of p with provider sets that may be changed, and with the columns of
// a scratch Index, which gets those that it lacks.
func (p *plan) on(scratch *Index) *plan {
	out := *p
	out.x = scratch
	out.needs = slices.Clone(p.needs)
	for i := range out.needs {
		n := &out.needs[i]
		n.own, n.others, n.uses = n.own.clone(), n.others.clone(), slices.Clone(n.uses)
		for j := range n.uses {
			u := &n.uses[j]
			c, ok := out.x.columns[u.class]
			if !ok {
				c = u.column.clone()
				out.x.columns[u.class] = c
			}
			u.column = c
		}
	}
	return &out
}

// scratch returns an Index of the same Snapshot without columns.
func (x *Index) scratch() *Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	return &Index{
		snap: x.snap, layout: x.layout, shares: x.shares,
		columns: map[placement.ClassID]*column{}, traits: maps.Clone(x.traits), aggregates: maps.Clone(x.aggregates),
	}
}

// packing places copies, and subtracts them from scratch columns.
type packing struct {
	*plan
	compete bool // several needs use the same classes, or must have separate providers
	copies  int
	placed  []treeCopies // by tree
	// beyond is what is really free, if that is more than a cell can hold. Packings into
	// the same columns share it.
	beyond map[*inventoryCell]int64
}

// treeCopies is how many copies are placed in the tree of a root.
type treeCopies struct {
	root   int32
	copies int
	more   bool      // it has room for more
	stops  Condition // what prevents one more, once all are packed
}

func newPacking(scratch *plan, beyond map[*inventoryCell]int64) *packing {
	p := &packing{plan: scratch, beyond: beyond}
	suffixed := len(p.needs) - p.spread
	p.compete = p.isolate && suffixed > 1 || len(p.subtrees) > 0
	for i := range p.needs {
		p.compete = p.compete || p.needs[i].meets
		for _, u := range p.needs[i].uses {
			p.lookBeyond(u.column)
		}
	}
	return p
}

func (p *packing) lookBeyond(of *column) {
	for i, slot := range of.slots {
		c := &of.pages[i/pageCells][i%pageCells]
		if c.free != math.MaxInt32 {
			continue
		}
		if _, known := p.beyond[c]; !known {
			iu, _ := p.x.provider(slot).Inventory(of.class)
			p.beyond[c] = iu.Capacity() - iu.Used
		}
	}
}

// free returns how many units of its class a cell has left.
func (p *packing) free(c *inventoryCell) int64 {
	if n, ok := p.beyond[c]; ok {
		return n
	}
	return int64(c.free)
}

// take subtracts units from a cell.
func (p *packing) take(c *inventoryCell, units int64) {
	left := p.free(c) - units
	if _, ok := p.beyond[c]; ok {
		p.beyond[c] = left
	}
	c.free = int32(min(left, math.MaxInt32))
}

// pack places copies until no tree has room for another. Placing a copy in one tree never
// makes room in another, so one round is enough.
func (p *packing) pack() {
	w := p.newScratch()
	for _, root := range slices.Collect(p.trees) {
		t := treeCopies{root: root}
		most := int(min(p.most(root), math.MaxInt32))
		for t.copies < most && w.begin(root) {
			p.prefer(w, func(need int) bool { return p.compete && need >= p.spread }, p.portions)
			if !w.next() {
				break
			}
			if t.more = t.copies == mostCopies; t.more {
				break
			}
			n := min(p.times(w), mostCopies-t.copies, most-t.copies)
			if p.compete { // little by little, so that the room stays even
				n = max(n/8, 1)
			}
			p.place(w, n)
			t.copies += n
		}
		if t.copies > 0 {
			p.copies += t.copies
			p.placed = append(p.placed, t)
		}
	}
}

// most returns how many copies the tree of a root takes at most by the Anchors of the
// query.
func (p *plan) most(root int32) int64 {
	if n, ok := p.q.Anchors.Most[p.x.provider(root).ID()]; ok {
		return int64(n)
	}
	return mostBound
}

// unfilled returns the query without the trees that have as many copies as the Anchors
// allow.
func (p *packing) unfilled() Query {
	if p.q.Anchors.Most == nil {
		return p.q
	}
	q := p.q.Clone()
	for _, t := range p.placed {
		if int64(t.copies) >= p.most(t.root) {
			id := p.x.provider(t.root).ID()
			q.Anchors.Roots = slices.DeleteFunc(q.Anchors.Roots, func(root placement.ProviderID) bool { return root == id })
		}
	}
	return q
}

// portions returns how many times slot can serve n.
func (p *packing) portions(n *need, slot int32) int64 {
	times := int64(mostBound)
	for _, u := range n.uses {
		times = min(times, p.free(u.column.at(slot))/u.amount)
	}
	return times
}

// times returns how many copies of the current candidate of w can be placed.
func (p *packing) times(w *walker) int {
	times := int64(math.MaxInt32)
	for i := range p.needs {
		slot := w.pick(i)
		for _, u := range p.needs[i].uses {
			sum := int64(0)
			for j := range p.needs {
				if w.pick(j) == slot {
					sum += p.needs[j].amount(u.class)
				}
			}
			times = min(times, p.free(u.column.at(slot))/sum)
		}
	}
	return int(times)
}

// place places n copies of the current candidate of w.
func (p *packing) place(w *walker, n int) {
	for i := range p.needs {
		slot := w.pick(i)
		for _, u := range p.needs[i].uses {
			p.take(u.column.at(slot), u.amount*int64(n))
			p.settle(slot, u)
		}
	}
}

// settle removes slot from the needs for which it has too little left of the class of u.
func (p *packing) settle(slot int32, u use) {
	left := p.free(u.column.at(slot))
	for i := range p.needs {
		n := &p.needs[i]
		if amount := n.amount(u.class); amount > left {
			n.own.clear(slot)
			if n.others != nil {
				n.others.clear(slot)
			}
		}
	}
}

// mostBound is more than any tree has room for.
const mostBound = 1 << 50
