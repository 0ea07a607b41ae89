package candidates

import (
	"math"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// Loss is what one Question has and another lacks. Candidates that take the same from
// the same providers count as the same, whichever groups they serve.
type Loss struct {
	NowTrees, ThenTrees int // trees with a candidate
	Now, Then           int // candidates
	Lost                int // candidates that exist now and not then
	More                bool
	Roots               []*placement.ResourceProvider // roots of the trees that have a candidate now and none then, by name
	Cards               []*placement.ResourceProvider // providers of other trees that are in a candidate now and in none then, by name
}

// Lost returns what k has and then has not, ignoring the limits. then is of the same
// Snapshot, or of another one of the same cloud. At least the first most candidates of
// each are looked at, and More says that there are others: the trees take turns, so
// that none is left out.
func (k *Question) Lost(then *Question, most int) Loss {
	x := k.plan.x
	most = max(most, x.isRoot.count(), then.plan.x.isRoot.count())
	width := max(k.plan.uses(), then.plan.uses())
	// Otherwise a candidate of one tree now may be one of another tree then.
	apart := x.layout == then.plan.x.layout && slices.Equal(k.plan.shares.providers, then.plan.shares.providers)
	was, is := k.sample(x, most, width, apart), then.sample(x, most, width, apart)
	out := Loss{
		NowTrees: was.trees.count(), ThenTrees: is.trees.count(), Now: was.found.Len(), Then: is.found.Len(),
		More: was.more() || is.more(),
	}
	cards := x.bitmap()
	for tree := range was.from[1:] {
		was.less(is, tree, func(alike []int32, gone int) {
			out.Lost += gone
			if slices.ContainsFunc(alike, func(c int32) bool { return is.trees.has(was.found.anchors[c]) }) {
				for _, u := range was.key(alike[0]) {
					if u != nothing {
						cards.set(int32(u >> 32)) // it is a slot
					}
				}
			}
		})
	}
	was.trees.andNot(is.trees)
	cards.andNot(is.used)
	out.Roots, out.Cards = x.byName(was.trees), x.byName(cards)
	return out
}

// byName returns the providers in some slots.
func (x *Index) byName(slots bitmap) []*placement.ResourceProvider {
	var out []*placement.ResourceProvider
	for slot := range slots.all() {
		out = append(out, x.provider(slot))
	}
	slices.SortFunc(out, func(a, b *placement.ResourceProvider) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// uses returns how many amounts a candidate has.
func (p *plan) uses() int {
	n := 0
	for i := range p.needs {
		n += len(p.needs[i].uses)
	}
	return n
}

// nothing fills up a key with fewer uses.
const nothing = math.MaxInt64

// sample is candidates by tree, with keys to compare them. Slots are those of another
// Index of the same cloud.
type sample struct {
	found *Result
	trees bitmap  // roots with a candidate
	used  bitmap  // providers that a candidate takes something from
	width int     // of a key
	keys  []int64 // by candidate: slot and class of what it takes, ascending
	order []int32 // candidates by tree; last those that other trees may have too
	from  []int32 // where the tree of a slot begins in order, and where the last one ends
}

// sample searches k and converts the candidates to slots of x, grouped by tree if apart
// is set.
func (k *Question) sample(x *Index, most, width int, apart bool) *sample {
	r := k.Search(Options{Limit: -1, Most: most})
	of := k.plan.x
	in := func(slot int32) (int32, bool) {
		if of.layout == x.layout {
			return slot, true
		}
		return x.slot(of.provider(slot).ID())
	}
	s := &sample{found: r, trees: x.bitmap(), used: x.bitmap(), width: width, keys: make([]int64, 0, r.Len()*width)}
	trees := make([]int32, r.Len())
	for i := range r.Len() {
		alone := true
		start := len(s.keys)
		for n, slot := range r.of(i) {
			at, ok := in(slot)
			alone = alone && (len(k.plan.needs[n].uses) == 0 || k.plan.shares.providers.has(slot)) // a key only has what is taken
			for _, u := range k.plan.needs[n].uses {
				key := int64(x.len()+1+int(slot))<<32 | int64(u.class) // a provider that x does not have
				if ok {
					s.used.set(at)
					key = int64(at)<<32 | int64(u.class)
				}
				s.keys = append(s.keys, key)
			}
		}
		s.keys = tidy(s.keys, start, start+width)
		root, ok := in(r.anchors[i])
		if ok {
			s.trees.set(root)
		}
		if trees[i] = root; alone || !apart {
			trees[i] = int32(x.len())
		}
	}
	s.group(trees, x.len()+1)
	return s
}

// tidy sorts the key from start, removes duplicates, and fills it up to end.
func tidy(keys []int64, start, end int) []int64 {
	sorted.Ascending(keys[start:])
	keys = keys[:start+len(slices.Compact(keys[start:]))]
	for len(keys) < end {
		keys = append(keys, nothing)
	}
	return keys
}

// group sorts the candidates by tree.
func (s *sample) group(trees []int32, n int) {
	s.from = make([]int32, n+1)
	for _, t := range trees {
		s.from[t+1]++
	}
	for i := range n {
		s.from[i+1] += s.from[i]
	}
	s.order = make([]int32, len(trees))
	next := slices.Clone(s.from)
	for i, t := range trees {
		s.order[next[t]] = int32(i) // a search returns no more
		next[t]++
	}
}

func (s *sample) more() bool { return s.found.Truncated || len(s.found.GaveUp) > 0 }

// key returns the key of a candidate.
func (s *sample) key(candidate int32) []int64 {
	return s.keys[int(candidate)*s.width : (int(candidate)+1)*s.width]
}

// of returns the candidates of a tree, sorted by their keys.
func (s *sample) of(tree int) []int32 {
	out := s.order[s.from[tree]:s.from[tree+1]]
	if len(out) > 1 {
		slices.SortFunc(out, func(a, b int32) int { return slices.Compare(s.key(a), s.key(b)) })
	}
	return out
}

// less calls lost with each group of equal candidates of which a tree has more in s than
// in then, and with the difference.
func (s *sample) less(then *sample, tree int, lost func(alike []int32, gone int)) {
	left := then.of(tree)
	for all := s.of(tree); len(all) > 0; {
		alike := func(k *sample, list []int32) int {
			n := 0
			for n < len(list) && slices.Equal(k.key(list[n]), s.key(all[0])) {
				n++
			}
			return n
		}
		for len(left) > 0 && slices.Compare(then.key(left[0]), s.key(all[0])) < 0 {
			left = left[1:]
		}
		n, stay := alike(s, all), alike(then, left)
		if n > stay {
			lost(all[:n], n-stay)
		}
		all, left = all[n:], left[stay:]
	}
}
