package candidates

import (
	"cmp"
	"math"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Offer is one tree's answer to a question: what it would give, or why it cannot.
type Offer struct {
	Anchor  *placement.ResourceProvider // root of the tree
	Parts   []Part                      // in the order of the query; if there are Reasons, only of the needs that could be served
	Reasons []Reason                    // what the nearest providers fail; none if the tree has a candidate
}

// Fits reports whether the tree has a candidate; Parts then is one.
func (o Offer) Fits() bool { return len(o.Reasons) == 0 }

// Why returns the Reasons as one line, or "" if there is none.
func (o Offer) Why() string { return ReasonWords(o.Reasons, o.Anchor) }

// Offers returns each tree's answer to the question, in order: all trees, or those of
// Anchors. If a tree has several candidates, Offers prefers those that take from its
// own providers over those that share with it, and among these the providers with most
// room.
func (k *Question) Offers() []Offer {
	p := k.plan
	asked := p.x.isRoot
	if !p.q.Anchors.Empty() {
		asked = p.x.rootsAmong(p.q.Anchors.Roots)
	}
	out := make([]Offer, 0, asked.count())
	w := p.newScratch()
	for root := range asked.all() {
		o := Offer{Anchor: p.x.provider(root)}
		fits := false
		if p.possible(root) && w.begin(root) {
			p.prefer(w, func(int) bool { return true }, (*need).portions)
			fits = w.next()
		}
		for n := range p.needs {
			var slot int32
			var mask uint64
			if fits {
				slot = w.pick(n)
			} else {
				slot, mask = k.study().roomiest(n, root)
			}
			if mask == 0 {
				o.Parts = p.parts(o.Parts, n, slot)
			} else {
				o.Reasons = k.study().reasonsOnce(o.Reasons, n, slot, root)
			}
		}
		if !fits {
			s := k.study()
			if o.Reasons = s.treeReasons(o.Reasons, root); len(o.Reasons) == 0 {
				o.Reasons = append(o.Reasons, s.stuck(root))
			}
		}
		out = append(out, o)
	}
	return out
}

// roomiest is nearest, but of equally near slots it returns the one with most room.
func (s *study) roomiest(n int, root int32) (slot int32, mask uint64) {
	slot, mask = s.nearest(n, root)
	free := func(slot int32) int32 {
		if uses := s.needs[n].uses; slot >= 0 && len(uses) > 0 {
			if c := uses[0].column.at(slot); c != nil {
				return c.free
			}
		}
		return 0
	}
	most := free(slot)
	s.each(root, func(at int32) {
		if f := free(at); f > most && s.fails(n, at, root) == mask {
			slot, most = at, f
		}
	})
	return slot, mask
}

// reasonsOnce is reasons with one reason for each amount: if both capacity and units
// refuse it, the units, as releasing something would not help.
func (s *study) reasonsOnce(out []Reason, n int, slot, root int32) []Reason {
	for _, r := range s.reasons(nil, n, slot, root) {
		if last := len(out) - 1; r.Condition.Criterion == CriterionUnits && last >= 0 && out[last].Condition.Criterion == CriterionCapacity && out[last].Condition.Class == r.Condition.Class {
			out = out[:last]
		}
		out = append(out, r)
	}
	return out
}

// Holds reports whether the parts of an offer, which may be of an older Snapshot, are
// still a candidate for its tree.
func (k *Question) Holds(o Offer) bool {
	p := k.plan
	root, ok := p.x.slot(o.Anchor.ID())
	w := p.newScratch()
	if !ok || !p.x.isRoot.has(root) || !p.possible(root) || !w.begin(root) {
		return false
	}
	parts := o.Parts
	for n := range p.needs {
		for _, u := range p.needs[n].uses {
			if len(parts) == 0 || parts[0].Amount != u.amount || parts[0].Class != p.x.snap.ClassName(u.class) {
				return false
			}
			slot, ok := p.x.slot(parts[0].Provider.ID())
			if !ok || !w.takes(n, slot) || !w.only(n, slot) {
				return false
			}
			parts = parts[1:]
		}
	}
	return len(parts) == 0 && w.next()
}

// prefer sorts the slots of w by preference: those of the tree before those that share
// with it and then, if byRoom is true for the need, those with most room first. portions
// returns how often a slot can serve a need.
func (p *plan) prefer(w *walker, byRoom func(need int) bool, portions func(n *need, slot int32) int64) {
	end := p.x.ends[w.root]
	for i := range p.needs {
		n := &p.needs[i]
		if len(n.uses) == 0 || w.to[i]-w.from[i] == 1 {
			continue
		}
		slices.SortStableFunc(w.options(i), func(a, b int32) int {
			ownA, ownB := a >= w.root && a < end, b >= w.root && b < end
			switch {
			case ownA != ownB && ownA:
				return -1
			case ownA != ownB:
				return 1
			case ownA && !byRoom(i): // any order will do
				return 0
			}
			return cmp.Compare(portions(n, b), portions(n, a))
		})
	}
}

// portions returns how many times slot can serve n.
func (n *need) portions(slot int32) int64 {
	times := int64(math.MaxInt32)
	for _, u := range n.uses {
		times = min(times, int64(u.column.at(slot).free)/u.amount)
	}
	return times
}
