package candidates

import (
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// layout gives every provider a slot: trees by the name of their root, within a tree
// parents first and siblings by name. So a tree is a range of slots, and so is everything
// below a provider. A layout is valid as long as no provider comes, goes, moves or is
// renamed.
//
// It takes 20 bytes for each provider.
type layout struct {
	numbers []int32 // provider number, by slot
	slots   []int32 // slot, by provider number; -1 for a number not in use
	roots   []int32 // slot of the root, by slot
	ends    []int32 // first slot after all below, by slot
	words   int     // of a bitmap
	isRoot  bitmap
}

func newLayout(s *placement.Snapshot) *layout {
	n, bound := s.ProviderCount(), s.NumberBound()
	l := &layout{
		numbers: make([]int32, 0, n), slots: make([]int32, bound),
		roots: make([]int32, n), ends: make([]int32, n), words: (n + 63) / 64,
	}
	l.isRoot = l.bitmap()
	const none = -1
	order := make([]int32, 0, n) // numbers, by name
	parent := make([]int32, bound)
	for i := range parent {
		parent[i], l.slots[i] = none, none
	}
	for p := range s.Providers() {
		order = append(order, int32(p.Number()))
		if up, ok := p.ParentNumber(); ok {
			parent[p.Number()] = int32(up)
		}
	}
	first := make([]int32, bound+1) // first child by number; the roots at bound
	next := make([]int32, bound)    // next sibling by number
	for i := range first {
		first[i] = none
	}
	for _, number := range slices.Backward(order) { // each in front of the names after it
		up := parent[number]
		if up == none {
			up = int32(bound)
		}
		next[number], first[up] = first[up], number
	}
	for root := first[bound]; root != none; root = next[root] {
		start := int32(len(l.numbers))
		l.isRoot.set(start)
		for at := root; ; {
			slot := int32(len(l.numbers))
			l.slots[at], l.roots[slot] = slot, start
			l.numbers = append(l.numbers, at)
			if first[at] != none {
				at = first[at]
				continue
			}
			for at != root && next[at] == none {
				l.ends[l.slots[at]] = int32(len(l.numbers))
				at = parent[at]
			}
			l.ends[l.slots[at]] = int32(len(l.numbers))
			if at == root {
				break
			}
			at = next[at]
		}
	}
	return l
}

// bitmap returns an empty set of slots.
func (l *layout) bitmap() bitmap { return make(bitmap, l.words) }

// len returns how many slots there are.
func (l *layout) len() int { return len(l.numbers) }

// of returns a set of provider numbers as a set of slots.
func (l *layout) of(set placement.Set) bitmap {
	out := l.bitmap()
	for n := range set.All() {
		out.set(l.slots[n])
	}
	return out
}

// above reports whether a is b or an ancestor of b.
func (l *layout) above(a, b int32) bool { return a <= b && b < l.ends[a] }

// fits reports whether a changed provider keeps its slot.
func (l *layout) fits(was, is *placement.ResourceProvider) bool {
	if was == nil || is == nil || was.ID() != is.ID() || was.Name() != is.Name() || was.RootNumber() != is.RootNumber() {
		return false
	}
	a, hasA := was.ParentNumber()
	b, hasB := is.ParentNumber()
	return hasA == hasB && (!hasA || a == b)
}
