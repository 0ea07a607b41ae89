package providers

import (
	"context"
	"strings"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
)

// row is one provider on the screen.
type row struct {
	last   uint64 // bit d: the ancestor at depth d is the last of its siblings
	number uint32
	below  uint32 // how many are folded away
	depth  uint32
	fold   component.Fold
	dim    bool // shown only because something below it matches
}

// wish is all that decides which rows there are and in which order.
type wish struct {
	tree  bool
	class placement.ResourceClass
	owner int // a step of the owner key; 0 shows all
	sort  order
	desc  bool
	expr  string // the filter as it was typed
}

// owners is how many steps the owner key has.
const owners = 5

// ownerName is what a step of the owner key shows.
func ownerName(step int) string {
	return [owners]string{"any", "nova", "cyborg", "both", "none"}[step]
}

// narrow reports whether w may leave providers out.
func (w wish) narrow() bool { return w.owner > 0 || strings.TrimSpace(w.expr) != "" }

// byValue reports whether claims can change which rows there are, or their order.
// A filter is only looked at for the names of the fields that claims change.
func (w wish) byValue() bool {
	if w.sort == byUsed || w.sort == byFree || w.sort == byGeneration {
		return true
	}
	for _, field := range []string{"used", "free", "gen"} {
		if strings.Contains(w.expr, field) {
			return true
		}
	}
	return false
}

// byProblem reports whether an audit can change which rows there are.
func (w wish) byProblem() bool { return strings.Contains(w.expr, "problem") }

// index is what lists need of a Snapshot beside itself: every provider by name,
// with its name in lower case, and the children of each by name. It is good for
// all Snapshots of one Shape.
type index struct {
	shape   uint64
	numbers []uint32 // by name
	keys    []string // lower-case name of each of numbers
	first   []uint32 // by number: where in kids its children begin; one more at the end
	kids    []uint32
}

func newIndex(s *placement.Snapshot) *index {
	n, bound := s.ProviderCount(), s.NumberBound()
	ix := &index{
		shape:   s.Shape(),
		numbers: make([]uint32, 0, n),
		keys:    make([]string, 0, n),
		first:   make([]uint32, bound+1),
	}
	for p := range s.Providers() {
		ix.numbers = append(ix.numbers, uint32(p.Number())) //nolint:gosec // numbers are dense
		ix.keys = append(ix.keys, strings.ToLower(p.Name()))
		if up, ok := p.ParentNumber(); ok {
			ix.first[up+1]++
		}
	}
	for i := range bound {
		ix.first[i+1] += ix.first[i]
	}
	ix.kids = make([]uint32, ix.first[bound])
	next := append([]uint32(nil), ix.first...)
	for _, number := range ix.numbers {
		if up, ok := s.ProviderAt(int(number)).ParentNumber(); ok {
			ix.kids[next[up]] = number
			next[up]++
		}
	}
	return ix
}

// children returns the numbers of the children of a provider, by name.
func (ix *index) children(number uint32) []uint32 {
	return ix.kids[ix.first[number]:ix.first[number+1]]
}

// leaf is how many providers a part of a filter lets pass.
type leaf struct {
	part string
	n    int
}

// listing is the rows of a Snapshot for a wish.
type listing struct {
	snap    *cloud.Snapshot
	wish    wish
	ix      *index
	class   placement.ClassID
	rows    []row
	at      []int32 // by number: its row, counted from 1
	wanted  []bool  // by number: has a row, unless it is folded away
	match   []bool  // by number: passes the filter; rows of others stand for context
	matched int
	leaves  []leaf // where nothing matches: what each part of the filter lets pass
	fault   error  // the filter cannot be read; all rows are there then
}

// folds are the providers that hide what is below them.
type folds map[placement.ProviderID]bool

// request is all that a list is made of.
type request struct {
	snap  *cloud.Snapshot
	ix    *index // of an older Snapshot, may be nil
	wish  wish
	folds folds
	found map[placement.ProviderID][]audit.Finding
}

// chunk is after how many rows a filter looks whether anybody still waits.
const chunk = 2048

// build makes the rows. It stops early when ctx ends, with a list that is not
// whole.
func build(ctx context.Context, r request) *listing {
	s := r.snap.Placement()
	l := &listing{snap: r.snap, wish: r.wish, ix: r.ix}
	if l.ix == nil || l.ix.shape != s.Shape() {
		l.ix = newIndex(s)
	}
	b := builder{listing: l, s: s, folds: r.folds}
	b.resolve()
	f := fieldsOf(&b, r.found, r.snap)
	filter, err := filter.Compile(r.wish.expr, f)
	if err != nil {
		l.fault, filter = err, nil
	}
	l.match = make([]bool, s.NumberBound())
	l.matched = b.accept(ctx, filter, r.wish.owner, l.match)
	if l.matched == 0 && r.wish.narrow() {
		l.leaves = b.leaves(ctx, f)
	}
	if ctx.Err() != nil {
		return l
	}
	if r.wish.tree {
		b.tree()
	} else {
		b.flat()
	}
	l.place()
	return l
}

// accept marks in match the providers that pass, and returns how many.
func (b *builder) accept(ctx context.Context, filter *filter.Filter, owner int, match []bool) int {
	n := 0
	var passed []int32
	for from := 0; from < len(b.ix.keys); from += chunk {
		if ctx.Err() != nil {
			return n
		}
		passed = filter.Append(passed[:0], b.ix.keys, from, from+chunk)
		for _, i := range passed {
			number := b.ix.numbers[i]
			if owner > 0 && b.owner(number).String() != ownerName(owner) {
				continue
			}
			if match != nil {
				match[number] = true
			}
			n++
		}
	}
	return n
}

// mostLeaves bounds how many parts of a filter are tried one by one.
const mostLeaves = 6

// leaves returns what each part of a filter lets pass by itself, so that one sees
// which of them leaves nothing.
func (b *builder) leaves(ctx context.Context, f fields) []leaf {
	var out []leaf
	parts := strings.Fields(b.wish.expr)
	if strings.ContainsAny(b.wish.expr, `()|"/`) || strings.Contains(b.wish.expr, "-f ") {
		parts = []string{b.wish.expr}
	}
	for _, part := range parts[:min(len(parts), mostLeaves)] {
		if filter, err := filter.Compile(part, f); err == nil && !filter.Empty() {
			out = append(out, leaf{part, b.accept(ctx, filter, 0, nil)})
		}
	}
	if b.wish.owner > 0 {
		out = append(out, leaf{"owner:" + ownerName(b.wish.owner), b.accept(ctx, nil, b.wish.owner, nil)})
	}
	return out
}

// place notes where each provider stands.
func (l *listing) place() {
	l.at = make([]int32, len(l.ix.first))
	for i, r := range l.rows {
		l.at[r.number] = int32(i + 1) //nolint:gosec // fewer rows than numbers
	}
}

// end returns the row after the last one below row r.
func (l *listing) end(r int) int {
	e := r + 1
	for e < len(l.rows) && l.rows[e].depth > l.rows[r].depth {
		e++
	}
	return e
}

// refolded returns the list with row r and what is below it as folds have it.
// Other rows stay as they are, which is much quicker than a new list.
func (l *listing) refolded(r int, f folds) *listing {
	next := *l
	b := builder{listing: &next, s: l.snap.Placement(), folds: f}
	b.resolve()
	end := l.end(r)
	next.rows = make([]row, r, len(l.rows)+64)
	copy(next.rows, l.rows[:r])
	old := l.rows[r]
	b.walk(old.number, old.depth, old.last&^(1<<old.bit()), old.last>>old.bit()&1 == 1)
	next.rows = append(next.rows, l.rows[end:]...)
	next.place()
	return &next
}

// bit is which bit of last is about the row itself.
func (r row) bit() uint32 { return min(r.depth, 63) }
