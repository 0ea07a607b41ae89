package candidates

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Miss is a provider that comes near to serving a query, and what prevents it, or its
// tree, from doing so.
type Miss struct {
	Anchor   *placement.ResourceProvider // root of the tree
	Provider *placement.ResourceProvider // the provider that fails the first reason; the root if the tree as a whole does
	Reasons  []Reason                    // in the order of the funnel; at least one

	weight int // of the reasons
}

// nearTree is a tree without a candidate, and by how much it falls short: for each amount
// without room, the fraction that is missing.
type nearTree struct {
	root  int32
	short float32
}

// maxNear is the largest weight of a tree's failed checks that is distinguished.
const maxNear = 32

// misses returns up to most of the providers that fail least, of the trees other than those
// in alive.
func (s *study) misses(alive bitmap, most int) []Miss {
	var near [maxNear + 1][]nearTree // by weight of what the trees fail
	for root := range s.x.isRoot.all() {
		if !alive.has(root) {
			weight, short := s.distance(root)
			near[weight] = append(near[weight], nearTree{root, short})
		}
	}
	var out []Miss
	for weight, trees := range near {
		if len(out) >= most {
			break
		}
		slices.SortStableFunc(trees, func(a, b nearTree) int { return cmp.Or(cmp.Compare(a.short, b.short), cmp.Compare(a.root, b.root)) })
		for _, tree := range trees {
			if weight > 0 {
				out = s.missesOf(out, tree.root)
			} else {
				root := s.x.provider(tree.root)
				out = append(out, Miss{Anchor: root, Provider: root, Reasons: []Reason{s.stuck(tree.root)}})
			}
			if len(out) >= 2*most { // a tree may give several, some of them far
				break
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Miss) int { return cmp.Compare(a.weight, b.weight) })
	return out[:min(len(out), most)]
}

// distance returns the weight of what the best providers of the tree of root fail together,
// and the sum of what fractions of the amounts they lack.
func (s *study) distance(root int32) (weight int, short float32) {
	var failed uint64
	for _, i := range s.ofRoot {
		if c := &s.checks[i]; !c.root.has(root) {
			failed |= c.bit
		}
	}
	for n := range s.needs {
		best, mask := s.nearest(n, root)
		failed |= mask
		short += s.shortage(n, best, mask)
	}
	for _, i := range s.unions {
		if c := &s.checks[i]; !s.brought(c, root) {
			failed |= c.bit
		}
	}
	return min(s.weight(failed), maxNear), short
}

// nearest returns the slot that fails the least of need n's checks for the tree of root,
// and which; -1 if the tree has no provider.
func (s *study) nearest(n int, root int32) (slot int32, mask uint64) {
	slot, mask = -1, ^uint64(0)
	s.each(root, func(at int32) {
		if m := s.fails(n, at, root); slot < 0 || s.nearer(m, mask) {
			slot, mask = at, m
		}
	})
	return slot, mask
}

// missesOf appends the providers of the tree of root that might serve the first unserved
// need, or the tree as a whole if each need could be served.
func (s *study) missesOf(out []Miss, root int32) []Miss {
	blamed := -1
	var others []Reason // of the other needs, and of the tree
	weight := 0         // of them
	for n := range s.needs {
		slot, mask := s.nearest(n, root)
		switch {
		case mask == 0:
		case blamed < 0:
			blamed = n
		default:
			others = s.reasons(others, n, slot, root)
			weight += s.weight(mask)
		}
	}
	has := len(others)
	others = s.treeReasons(others, root)
	weight += len(others) - has
	anchor := s.x.provider(root)
	if blamed < 0 {
		if len(others) == 0 {
			return out
		}
		return append(out, Miss{Anchor: anchor, Provider: anchor, Reasons: others, weight: weight})
	}
	best, least := s.nearest(blamed, root)
	without := s.dropMask(blamed)
	s.each(root, func(slot int32) {
		mask := s.fails(blamed, slot, root)
		if slot != best && (mask&without != 0 || s.weight(mask) > s.weight(least)+1) {
			return // has not even the class, or fails by far more
		}
		m := Miss{Anchor: anchor, Provider: s.x.provider(slot), weight: weight + s.weight(mask)}
		m.Reasons = append(s.reasons(nil, blamed, slot, root), others...)
		out = append(out, m)
	})
	return out
}

// treeReasons appends what the tree of root as a whole fails: conditions about roots, and
// traits that nothing in it has.
func (s *study) treeReasons(out []Reason, root int32) []Reason {
	for _, i := range s.ofRoot {
		if c := &s.checks[i]; !c.root.has(root) {
			out = append(out, s.reason(c, -1, root))
		}
	}
	for _, i := range s.unions {
		if c := &s.checks[i]; !s.brought(c, root) {
			out = append(out, s.reason(c, -1, root))
		}
	}
	return out
}

// stuck returns the first condition about several providers together that the tree of
// root fails, if each need by itself could be served.
func (s *study) stuck(root int32) Reason {
	for _, i := range s.unions {
		if c := &s.checks[i]; !s.offered(c, root) {
			return s.reason(c, -1, root)
		}
	}
	var last Reason
	for _, j := range s.joints() {
		last = Reason{Condition: j.cond}
		if w := j.plan.newScratch(); !w.begin(root) || !w.next() {
			break
		}
	}
	return last
}

// offered reports whether a provider that may serve one of the needs of c for the tree of
// root passes c.
func (s *study) offered(c *check, root int32) bool {
	found := false
	s.each(root, func(slot int32) {
		if found || !c.own.has(slot) {
			return
		}
		for _, n := range c.needs {
			found = found || s.fails(n, slot, root) == 0
		}
	})
	return found
}

// shortage returns the fraction of the amounts of need n that the provider of slot lacks;
// mask has the checks that it fails.
func (s *study) shortage(n int, slot int32, mask uint64) float32 {
	short := float32(0)
	k := 0 // use of the need
	for _, i := range s.ofNeed[n] {
		c := &s.checks[i]
		if c.cond.Criterion != CriterionCapacity {
			continue
		}
		u := s.needs[n].uses[k]
		k++
		if has := u.column.at(slot); mask&c.bit != 0 && has != nil {
			short += 1 - float32(has.free)/float32(u.amount)
		}
	}
	return short
}

// each calls do for every slot that could serve the tree of root: those in it, and those
// that share with it.
func (s *study) each(root int32, do func(slot int32)) {
	end := s.x.ends[root]
	for slot := root; slot < end; slot++ {
		do(slot)
	}
	for _, slot := range s.shares.serving(root) {
		if slot < root || slot >= end {
			do(slot)
		}
	}
}

// dropMask returns the checks whose way out is to drop need n: those of its inventories,
// or that of a group without resources. It is 0 if one of them has hardBit.
func (s *study) dropMask(n int) uint64 {
	var mask uint64
	for _, i := range s.ofNeed[n] {
		if c := &s.checks[i]; c.cond.Criterion == CriterionInventory || c.cond.Criterion == CriterionOpenGroup {
			if c.bit == hardBit {
				return 0
			}
			mask |= c.bit
		}
	}
	return mask
}

// brought reports whether a slot that has the class of one of the needs of c, and could
// serve the tree of root, passes c.
func (s *study) brought(c *check, root int32) bool {
	found := false
	s.each(root, func(slot int32) {
		if found || !c.own.has(slot) {
			return
		}
		for _, n := range c.needs {
			found = found || s.needs[n].uses[0].column.has.has(slot)
		}
	})
	return found
}
