package candidates

import (
	"cmp"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// Miss is a provider that comes near to serving a query, and what prevents it, or its
// tree, from doing so.
type Miss struct {
	Anchor   *placement.ResourceProvider // root of the tree
	Provider *placement.ResourceProvider // the provider that fails the first reason; the root if the tree as a whole does
	Reasons  []Reason                    // in the order of the funnel; at least one

	weight int // of the reasons
}

// misses returns up to most of the providers that fail least.
func (v *survey) misses(most int) []Miss {
	var out []Miss
	for weight, trees := range v.near {
		if len(out) >= most {
			break
		}
		sorted.By(trees, func(a, b nearTree) int { return cmp.Or(cmp.Compare(a.short, b.short), cmp.Compare(a.root, b.root)) })
		for _, tree := range trees {
			if weight > 0 {
				out = v.missesOf(out, tree.root)
			} else {
				root := v.x.provider(tree.root)
				out = append(out, Miss{Anchor: root, Provider: root, Reasons: []Reason{v.stuck(tree.root)}})
			}
			if len(out) >= 2*most { // a tree may give several, some of them far
				break
			}
		}
	}
	sorted.By(out, func(a, b Miss) int { return cmp.Compare(a.weight, b.weight) })
	return out[:min(len(out), most)]
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
func (v *survey) missesOf(out []Miss, root int32) []Miss {
	blamed := -1
	var others []Reason // of the other needs, and of the tree
	weight := 0         // of them
	for n := range v.needs {
		slot, mask := v.nearest(n, root)
		switch {
		case mask == 0:
		case blamed < 0:
			blamed = n
		default:
			others = v.reasons(others, n, slot, root)
			weight += v.weight(mask)
		}
	}
	has := len(others)
	others = v.treeReasons(others, root)
	weight += len(others) - has
	anchor := v.x.provider(root)
	if blamed < 0 {
		if len(others) == 0 {
			return out
		}
		return append(out, Miss{Anchor: anchor, Provider: anchor, Reasons: others, weight: weight})
	}
	best, least := v.nearest(blamed, root)
	without := v.dropMask(blamed)
	v.each(root, func(slot int32) {
		mask := v.fails(blamed, slot, root)
		if slot != best && (mask&without != 0 || v.weight(mask) > v.weight(least)+1) {
			return // has not even the class, or fails by far more
		}
		m := Miss{Anchor: anchor, Provider: v.x.provider(slot), weight: weight + v.weight(mask)}
		m.Reasons = append(v.reasons(nil, blamed, slot, root), others...)
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
