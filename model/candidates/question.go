package candidates

import (
	"sync"

	"github.com/placetop/placetop/model/placement"
)

// Question is a Query put to a Snapshot. It is compiled once, and answers everything
// consistently: which candidates there are (Search, Trees), how many (Count), why
// other providers are not among them (Explain), and how many copies fit (FitOf). Any
// goroutine may use it.
type Question struct {
	plan   *plan
	study  func() *study
	all    func() tally  // candidates, ignoring the limit
	answer func() bitmap // providers in any candidate, ignoring the limit
}

// tally is how many candidates there are; more is set if there may be more.
type tally struct {
	n    int
	more bool
}

// Ask prepares q to be answered. It must be valid for the Snapshot of x: otherwise the
// error is a *ParseError.
func (x *Index) Ask(q Query) (*Question, error) {
	if err := q.Validate(x.snap); err != nil {
		return nil, err
	}
	return ask(newPlan(x, q)), nil
}

func ask(p *plan) *Question {
	return &Question{
		plan:  p,
		study: sync.OnceValue(func() *study { return newStudy(p) }),
		all: sync.OnceValue(func() tally {
			n, all := p.counted(MostCounted)
			return tally{n, !all}
		}),
		answer: sync.OnceValue(p.answer),
	}
}

// Query returns what is asked.
func (k *Question) Query() Query { return k.plan.q }

// Count returns how many candidates there are without the limit of the query, and
// whether there may be more: MostCounted were counted, or not everything was tried.
func (k *Question) Count() (n int, more bool) {
	t := k.all()
	return t.n, t.more
}

// Served returns the roots of the trees that have a candidate, less those that take no copy
// by the Anchors of the query, and the providers that some candidate uses, in no order and
// without the limit of the query.
func (k *Question) Served() (roots, providers []*placement.ResourceProvider) {
	p := k.plan
	trees := p.x.bitmap()
	w := p.newScratch()
	for root := range p.trees {
		if p.most(root) > 0 && w.begin(root) && w.next() {
			trees.set(root)
		}
	}
	return p.x.providers(trees), p.x.providers(k.answer())
}

// providers returns the providers in some slots.
func (x *Index) providers(slots bitmap) []*placement.ResourceProvider {
	var out []*placement.ResourceProvider
	for slot := range slots.all() {
		out = append(out, x.provider(slot))
	}
	return out
}

// answer returns the providers in any candidate, ignoring the limit.
func (p *plan) answer() bitmap {
	out := p.x.bitmap()
	w, fixed := p.newScratch(), p.newScratch()
	for root := range p.trees {
		if !w.begin(root) {
			continue
		}
		free := w.free()
		for n := range p.needs {
			for _, slot := range w.options(n) {
				if !out.has(slot) && (free || fixed.begin(root) && fixed.only(n, slot) && fixed.next()) {
					out.set(slot)
				}
			}
		}
	}
	return out
}
