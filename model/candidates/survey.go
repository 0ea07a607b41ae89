package candidates

import (
	"math/bits"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// survey finds the fewest checks that would have to be dropped for each tree without a
// candidate to serve all needs.
type survey struct {
	*study
	costs  [64]int                 // of dropping a check, by bit
	groups []group                 // that may be dropped as a whole
	masks  map[uint64]*missing     // sets of checks that some trees miss, and no smaller ones
	limit  int                     // more expensive sets are ignored
	near   [maxNear + 1][]nearTree // by weight of what the trees fail
	best   [][]offer               // of the tree under survey, by need
	chosen []int32                 // slots of the current combination, by need
}

// maxNear is the largest weight of a tree's failed checks that is distinguished.
const maxNear = 32

// nearTree is a tree and by how much it falls short: for each amount without room, the
// fraction that is missing.
type nearTree struct {
	root  int32
	short float32
}

// dearest is the cost above which a set of relaxations is no longer offered as a way
// out.
const dearest = 5

// offer is a slot that could serve a need if the checks in mask were dropped, and that
// passes the checks about unions in brings. A slot of -1 means to drop the need.
type offer struct {
	mask, brings uint64
	slot         int32
	closeness    float64 // of the amounts that fit, 1 for those asked for
}

// replaces reports whether o misses no more than p, brings no less and, if both miss the
// same, does not change the amounts more.
func (o offer) replaces(p offer) bool {
	return o.mask&^p.mask == 0 && p.brings&^o.brings == 0 && (o.mask != p.mask || o.closeness >= p.closeness)
}

// missing is what is known about a set of checks that trees miss.
type missing struct {
	mask       uint64
	trees      int
	closeness  float64                       // of the amounts in to, 1 for the amounts asked for
	to         map[uint64]int64              // the amount that would fit one of the trees, by bit of the capacity check
	aggregates map[placement.AggregateID]int // aggregates of the trees, if they miss member_of
}

// group is a suffixed group of several classes: dropping it costs no more than dropping
// one of them.
type group struct {
	suffix string
	mask   uint64 // the checks of its inventories
}

// survey surveys all trees except those that have a candidate.
func (s *study) survey(alive bitmap) *survey {
	v := &survey{
		study: s, masks: map[uint64]*missing{}, limit: dearest,
		best: make([][]offer, len(s.needs)), chosen: make([]int32, len(s.needs)),
	}
	for i := range v.costs {
		v.costs[i] = dearest + 1
	}
	for i := range s.checks {
		if c := &s.checks[i]; c.bit != hardBit {
			v.costs[i] = c.way.cost()
		}
	}
	for n := range s.needs {
		if mask := v.dropMask(n); bits.OnesCount64(mask) > 1 {
			v.groups = append(v.groups, group{s.checks[v.ofNeed[n][0]].cond.Group, mask})
		}
	}
	for root := range s.x.isRoot.all() {
		if !alive.has(root) {
			v.tree(root)
		}
	}
	return v
}

// cost returns what it costs to drop the checks in mask. Capacity and units of one
// amount, which are adjacent, count once.
func (v *survey) cost(mask uint64) int {
	sum := 0
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		if i > 0 && v.twins(i) && mask&(1<<(i-1)) != 0 {
			continue
		}
		sum += v.costs[i]
	}
	if n := bits.OnesCount64(mask & v.givers); n > 1 { // one change is enough for all
		sum -= (n - 1) * costChange
	}
	for _, g := range v.groups {
		if mask&g.mask == g.mask {
			sum -= (bits.OnesCount64(g.mask) - 1) * costDrop
		}
	}
	return sum
}

// twins reports whether check i and the one before it are about one amount.
func (v *survey) twins(i int) bool {
	return i < len(v.checks) && v.checks[i].cond.Criterion == CriterionUnits
}

// tree surveys the tree of root.
func (v *survey) tree(root int32) {
	fixed := v.rootMask(root)
	fewest := fixed // what the best providers fail together
	short := float32(0)
	for n := range v.needs {
		v.best[n] = v.best[n][:0]
		least, best, drop := ^uint64(0), int32(-1), v.dropMask(n)
		v.each(root, func(slot int32) {
			mask := v.fails(n, slot, root)
			if v.nearer(mask, least) {
				least, best = mask, slot
			}
			if drop != 0 && mask&drop == drop { // dropping the need costs no more
				return
			}
			if mask = v.solvable(n, slot, mask); drop == 0 || mask&drop != drop {
				v.best[n] = keepLeast(v.best[n], offer{mask, v.brings(n, slot), slot, v.amounts(n, slot, mask, nil)})
			}
		})
		fewest |= least
		short += v.shortage(n, best, least)
		if drop != 0 {
			v.best[n] = keepLeast(v.best[n], offer{mask: drop, slot: -1})
		}
	}
	for _, i := range v.unions {
		if c := &v.checks[i]; !v.brought(c, root) {
			fewest |= c.bit
		}
	}
	weight := min(v.weight(fewest), maxNear)
	v.near[weight] = append(v.near[weight], nearTree{root, short})
	v.combine(0, fixed, 0, root)
}

// shortage returns the fraction of the amounts of need n that the provider of slot lacks;
// mask has the checks that it fails.
func (v *survey) shortage(n int, slot int32, mask uint64) float32 {
	short := float32(0)
	k := 0 // use of the need
	for _, i := range v.ofNeed[n] {
		c := &v.checks[i]
		if c.cond.Criterion != CriterionCapacity {
			continue
		}
		u := v.needs[n].uses[k]
		k++
		if has := u.column.at(slot); mask&c.bit != 0 && has != nil {
			short += 1 - float32(has.free)/float32(u.amount)
		}
	}
	return short
}

// brings returns the checks about unions that slot passes when it serves need n.
func (v *survey) brings(n int, slot int32) uint64 {
	var mask uint64
	if n < v.spread {
		for _, i := range v.unions {
			if c := &v.checks[i]; c.own.has(slot) {
				mask |= c.bit
			}
		}
	}
	return mask
}

// rootMask returns the checks about anchors that root fails.
func (v *survey) rootMask(root int32) uint64 {
	var mask uint64
	for _, i := range v.ofRoot {
		if c := &v.checks[i]; !c.root.has(root) {
			mask |= c.bit
		}
	}
	return mask
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

// keepLeast adds o to list unless another offer replaces it, and removes those that o
// replaces.
func keepLeast(list []offer, o offer) []offer {
	const most = 8 // ways to serve one need that are considered
	for _, has := range list {
		if has.replaces(o) {
			return list
		}
	}
	list = slices.DeleteFunc(list, o.replaces)
	if len(list) == most {
		return list
	}
	return append(list, o)
}

// dropMask returns the checks whose way out is to drop need n: those of its inventories,
// or that of a group without resources. It is 0 if one of them has hardBit.
func (v *survey) dropMask(n int) uint64 {
	var mask uint64
	for _, i := range v.ofNeed[n] {
		if c := &v.checks[i]; c.cond.Criterion == CriterionInventory || c.cond.Criterion == CriterionOpenGroup {
			if c.bit == hardBit {
				return 0
			}
			mask |= c.bit
		}
	}
	return mask
}

// solvable returns mask with a failed amount turned into a missing class if no other
// amount would fit. Otherwise both checks of the amount are set, whichever of them fails.
func (v *survey) solvable(n int, slot int32, mask uint64) uint64 {
	for k, i := range v.ofNeed[n] {
		c := &v.checks[i]
		if c.cond.Criterion != CriterionInventory || mask&c.bit != 0 {
			continue
		}
		room, units := v.checks[v.ofNeed[n][k+1]].bit, v.checks[v.ofNeed[n][k+2]].bit
		switch {
		case mask&(room|units) == 0:
		case v.fitting(n, c.cond.Class, slot) == 0:
			mask = mask&^(room|units) | c.bit
		default:
			mask |= room | units
		}
	}
	return mask
}

// fitting returns the amount of a class that fits the provider of slot: the largest below
// what need n asks for, or else the smallest above; 0 if there is none.
func (v *survey) fitting(n int, class placement.ResourceClass, slot int32) int64 {
	id, _ := v.x.snap.ClassID(class)
	for _, u := range v.needs[n].uses {
		if u.class != id {
			continue
		}
		has := u.column.at(slot)
		if has == nil {
			return 0
		}
		most, step := int64(min(has.free, has.max)), int64(has.step)
		if below := min(u.amount, most) / step * step; below >= int64(has.min) {
			return below
		}
		if above := (int64(has.min) + step - 1) / step * step; above <= most {
			return above
		}
	}
	return 0
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

// combine goes through the ways to serve the needs from n on.
func (v *survey) combine(n int, mask, brings uint64, root int32) {
	if n == v.spread && n > 0 && slices.Max(v.chosen[:n]) >= 0 { // no other provider can bring a trait to the un-suffixed group
		for _, i := range v.unions {
			mask |= v.checks[i].bit &^ brings
		}
	}
	if mask != 0 && v.cost(mask) > v.limit {
		return
	}
	if n < len(v.needs) {
		for _, o := range v.best[n] {
			v.chosen[n] = o.slot
			v.combine(n+1, mask|o.mask, brings|o.brings, root)
		}
		return
	}
	m := v.masks[mask]
	if m == nil {
		m = &missing{mask: mask}
		v.masks[mask] = m
	}
	m.trees++
	if mask != 0 {
		v.limit = min(v.limit, v.cost(mask)+2)
		v.learn(m, root)
	}
}

// learn notes what the current combination says about m: the amounts that would fit, and
// the aggregates that it is in.
func (v *survey) learn(m *missing, root int32) {
	closeness := 1.0
	for n, slot := range v.chosen {
		if slot < 0 {
			continue
		}
		closeness = min(closeness, v.amounts(n, slot, m.mask, nil))
		for _, i := range v.ofNeed[n] {
			if c := &v.checks[i]; c.cond.Criterion == CriterionMemberOf && m.mask&c.bit != 0 {
				v.learnAggregates(m, c, slot, root)
			}
		}
	}
	if closeness <= m.closeness {
		return
	}
	m.to, m.closeness = map[uint64]int64{}, closeness
	for n, slot := range v.chosen {
		if slot >= 0 {
			v.amounts(n, slot, m.mask, m.to)
		}
	}
}

// amounts returns how close the amounts that fit the provider of slot are to those of
// need n whose checks are in mask, and stores them in to unless that is nil.
func (v *survey) amounts(n int, slot int32, mask uint64, to map[uint64]int64) float64 {
	closeness := 1.0
	for k, i := range v.ofNeed[n] {
		c := &v.checks[i]
		if c.cond.Criterion != CriterionCapacity || mask&(c.bit|v.checks[v.ofNeed[n][k+1]].bit) == 0 {
			continue
		}
		amount := v.fitting(n, c.cond.Class, slot)
		if to != nil {
			to[c.bit] = amount
		}
		a, b := float64(amount), float64(c.cond.Amount)
		closeness = min(closeness, min(a, b)/max(a, b))
	}
	return closeness
}

func (v *survey) learnAggregates(m *missing, c *check, slot, root int32) {
	if m.aggregates == nil {
		m.aggregates = map[placement.AggregateID]int{}
	}
	for _, a := range v.x.provider(slot).Aggregates() {
		m.aggregates[a]++
	}
	if c.cond.Group == "" && slot != root && v.x.roots[slot] == root {
		for _, a := range v.x.provider(root).Aggregates() {
			m.aggregates[a]++
		}
	}
}
