package candidates

import "encoding/binary"

// Options says how to search.
type Options struct {
	// DepthFirst gives all candidates of one tree before those of the next, as
	// upstream does by default: under a limit one wide tree may then hide all others.
	// Otherwise the trees take turns, with one candidate each.
	DepthFirst bool
	// Most is how many candidates to return if the query has no limit, or a higher one; 0
	// for DefaultMost.
	//
	// Source: placement/conf/placement.py, max_allocation_candidates.
	Most int
	// Limit replaces the limit of the query; 0 keeps that of the query, below 0 means
	// none.
	Limit int
}

// DefaultMost is how many candidates a search returns at most by default: one for each
// host of the largest cloud that placetop is made for, and few enough to be kept,
// printed and sent. Eight groups on a single host with 24 cards already have thirty
// thousand million. Upstream has no bound unless the operator sets one.
const DefaultMost = 100_000

// Search returns the candidates.
//
// The order is that of the trees' names; within a tree, that of the tree, parents
// first and siblings by name, then the providers that share with it. It is the same
// for the same cloud and query, and a limit only cuts it short.
func (k *Question) Search(o Options) *Result { return k.plan.search(o) }

// search collects candidates up to the limit.
func (p *plan) search(o Options) *Result {
	most := o.Most
	if most <= 0 {
		most = DefaultMost
	}
	limit := p.q.Limit
	if o.Limit != 0 {
		limit = max(o.Limit, 0)
	}
	limited := limit > 0 && limit <= most
	if limited {
		most = limit
	}
	f := newFinder(p, most)
	f.limited = limited
	if o.DepthFirst {
		f.depthFirst()
	} else {
		f.breadthFirst()
	}
	return f.out
}

func newFinder(p *plan, most int) *finder {
	f := &finder{p: p, most: most, out: &Result{plan: p}}
	if p.shared {
		f.seen = map[string]bool{}
	}
	return f
}

// finder is a search in progress.
type finder struct {
	p       *plan
	most    int
	limited bool // whether most is the query's limit, so that candidates beyond it do not matter
	out     *Result
	seen    map[string]bool // candidates of only sharing providers; nil if there can be none
	key     []byte
}

func (f *finder) depthFirst() {
	w := f.p.newScratch()
	for root := range f.p.trees {
		if !w.begin(root) {
			continue
		}
		for f.nextOf(w) {
			if !f.add(w) {
				return
			}
		}
	}
}

func (f *finder) breadthFirst() {
	var live []walker // at most one for each candidate
	var a arena
	w := f.p.newScratch()
	for root := range f.p.trees {
		if !w.begin(root) || !f.nextOf(w) {
			continue
		}
		if !f.add(w) {
			return
		}
		if w.more() {
			live = append(live, w.keep(&a))
		}
	}
	for len(live) > 0 {
		kept := live[:0]
		for i := range live {
			if !f.nextOf(&live[i]) {
				continue
			}
			if !f.add(&live[i]) {
				return
			}
			kept = append(kept, live[i])
		}
		live = kept
	}
}

// nextOf moves w to its next candidate that was not found in another tree.
//
// A provider that does not share has one anchor only, so only candidates that
// consist of sharing providers can come from several trees.
func (f *finder) nextOf(w *walker) bool {
	for w.next() {
		if f.seen == nil || !f.allShare(w) {
			return true
		}
		f.key = f.key[:0]
		for i := range f.p.needs {
			f.key = binary.NativeEndian.AppendUint32(f.key, uint32(w.pick(i)))
		}
		if !f.seen[string(f.key)] {
			f.seen[string(f.key)] = true
			return true
		}
	}
	if w.gone {
		f.out.GaveUp = append(f.out.GaveUp, f.p.x.provider(w.root))
	}
	return false
}

func (f *finder) allShare(w *walker) bool {
	for i := range f.p.needs {
		if !f.p.shares.providers.has(w.pick(i)) {
			return false
		}
	}
	return true
}

// add adds the current candidate of w, and returns false if there are enough.
func (f *finder) add(w *walker) bool {
	if len(f.out.anchors) == f.most {
		f.out.Truncated = true
		return false
	}
	f.out.anchors = append(f.out.anchors, w.root)
	for i := range f.p.needs {
		f.out.picks = append(f.out.picks, w.pick(i))
	}
	return !f.limited || len(f.out.anchors) < f.most
}

// more reports whether a need has another slot to try.
func (w *walker) more() bool {
	for i := range w.p.needs {
		if w.at[i]+1 < w.to[i] {
			return true
		}
	}
	return false
}

// count returns how many candidates there are, up to most.
func (p *plan) count(most int) int {
	n, _ := p.counted(most)
	return n
}

// counted is count, and reports whether these are all: whether most was not reached and
// no tree was given up.
func (p *plan) counted(most int) (n int, all bool) {
	f := newFinder(p, most)
	w := p.newScratch()
	for root := range p.trees {
		if !w.begin(root) {
			continue
		}
		if !p.shared && w.free() {
			n += w.product(most)
		} else {
			for n < most && f.nextOf(w) {
				n++
			}
		}
		if n >= most {
			return most, false
		}
	}
	return n, len(f.out.GaveUp) == 0
}

// servedTrees returns how many trees have their own candidate. It is not cut short as
// candidates are, since it needs only one of each tree.
func (p *plan) servedTrees() int {
	f := newFinder(p, 0)
	n := 0
	w := p.newScratch()
	for root := range p.trees {
		if w.begin(root) && f.nextOf(w) {
			n++
		}
	}
	return n
}

// free reports whether every choice of providers is a candidate.
func (w *walker) free() bool {
	p := w.p
	if p.oneEach || len(p.subtrees) > 0 || p.isolate && len(p.needs)-p.spread > 1 {
		return false
	}
	for i := range p.needs {
		if p.needs[i].meets && len(w.options(i)) > 0 {
			return false
		}
	}
	for t, has := range p.terms {
		for _, s := range w.options(int(w.last[t])) {
			if !has.has(s) {
				return false
			}
		}
	}
	return true
}

// product returns how many choices of providers there are, up to most.
func (w *walker) product(most int) int {
	n := 1
	for i := range w.p.needs {
		if n *= len(w.options(i)); n >= most {
			return most
		}
	}
	return n
}
