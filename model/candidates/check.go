package candidates

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/placetop/placetop/model/placement"
)

// check is a condition prepared for an Index: which providers pass it. The plan combines
// conditions; the checks keep them apart.
type check struct {
	cond   Condition
	needs  []int  // the provider of each of these must pass it
	own    bitmap // the providers that pass it for the tree that they are in
	others bitmap // the providers that pass it for other trees; nil for own
	root   bitmap // which anchors pass it; nil for all
	union  bool   // one pick of the needs must pass it, not each
	quiet  bool   // no provider can fail it: only its way out needs it
	bit    uint64 // in masks of failed checks
}

// passes reports whether the provider in slot passes c for the tree of root.
func (c *check) passes(slot, root, end int32) bool {
	if c.root != nil && !c.root.has(root) {
		return false
	}
	if c.others != nil && (slot < root || slot >= end) {
		return c.others.has(slot)
	}
	return c.own == nil || c.own.has(slot)
}

// study is a query split into checks for an explanation.
type study struct {
	*plan
	checks []check
	ofNeed [][]int    // checks by need, except those about unions
	failed [][]uint64 // checks that a slot fails for its own tree, by need and slot
	rooted bool       // some check of a need is also about roots
	ofRoot []int      // checks about anchors
	unions []int      // checks about unions
	joints func() []*joint
	lacks  uint64 // the checks about inventories and givers
	rooms  uint64 // the checks about capacity
}

// hardBit is the bit in masks for all checks beyond the 63rd, for which there are no ways
// out.
const hardBit = uint64(1) << 63

func newStudy(p *plan) *study {
	s := &study{plan: p}
	x, q := p.x, p.q
	if t := q.Anchors; !t.Empty() {
		s.add(check{cond: Condition{Criterion: CriterionAnchor, Anchor: t.Name, Origin: t.Origin}, root: x.rootsAmong(t.Roots)})
	}
	for n := 0; n < len(s.needs); {
		first, group := n, s.needs[n].group
		var of []int
		for ; n < len(s.needs) && s.needs[n].group == group; n++ {
			of = append(of, n)
		}
		s.addGroup(q.Groups[group], of, first)
	}
	s.addRoot(q.Root)
	s.ofNeed = make([][]int, len(s.needs))
	for i := range s.checks {
		c := &s.checks[i]
		c.bit = hardBit
		if i < 63 {
			c.bit = 1 << i
		}
		switch {
		case c.bit == hardBit:
		case c.cond.Criterion == CriterionInventory:
			s.lacks |= c.bit
		case c.cond.Criterion == CriterionGiver:
			s.lacks |= c.bit
		case c.cond.Criterion == CriterionCapacity:
			s.rooms |= c.bit
		}
		switch {
		case len(c.needs) == 0:
			s.ofRoot = append(s.ofRoot, i)
		case c.union:
			s.unions = append(s.unions, i)
		default:
			for _, n := range c.needs {
				s.ofNeed[n] = append(s.ofNeed[n], i)
			}
			s.rooted = s.rooted || c.root != nil
		}
	}
	s.joints = sync.OnceValue(s.findJoints)
	for _, of := range s.ofNeed {
		s.failed = append(s.failed, s.failedOwn(of))
	}
	return s
}

// failedOwn returns which of the checks each slot fails for the tree that it is in,
// ignoring conditions on the root.
func (s *study) failedOwn(checks []int) []uint64 {
	out := make([]uint64, s.x.len())
	for _, i := range checks {
		c := &s.checks[i]
		if c.own == nil {
			continue
		}
		for w, word := range c.own {
			of := out[w<<6 : min(w<<6+64, len(out))]
			switch lacks := ^word; lacks {
			case 0:
			case ^uint64(0):
				for b := range of {
					of[b] |= c.bit
				}
			default:
				for ; lacks != 0; lacks &= lacks - 1 {
					if b := bits.TrailingZeros64(lacks); b < len(of) {
						of[b] |= c.bit
					}
				}
			}
		}
	}
	return out
}

// named returns s with the names of its aggregates and trees according to name; nil
// leaves the uuids.
func (s *study) named(name func(uuid string) string) *study {
	if name == nil {
		return s
	}
	to := *s
	to.checks = slices.Clone(s.checks)
	for i := range to.checks {
		to.checks[i].cond = to.checks[i].cond.named(name)
	}
	return &to
}

// add adds c, unless there is an equal check: a pre-filter may ask for what a flavor asks
// for already.
func (s *study) add(c check) {
	for i := range s.checks {
		has := &s.checks[i].cond
		if has.Criterion == c.cond.Criterion && has.Group == c.cond.Group && has.Class == c.cond.Class && slices.Equal(has.Traits, c.cond.Traits) {
			has.Origin = joinOrigins(has.Origin, c.cond.Origin)
			return
		}
	}
	s.checks = append(s.checks, c)
}

func joinOrigins(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return a + ", " + b
}

// addGroup adds the checks of a request group, in the order of the funnel. of are its
// needs.
func (s *study) addGroup(g Group, of []int, first int) {
	x := s.x
	spread := g.Suffix == ""
	if t := s.members(g.MemberOf); t != nil {
		c := check{cond: s.memberCondition(g), needs: of, own: t}
		if spread {
			c.own, c.others = t.clone(), t
			for root := range t.all() {
				if x.isRoot.has(root) {
					c.own.setRange(root, x.ends[root])
				}
			}
		}
		s.add(c)
	}
	if bad := s.banned(g.ForbiddenAggregates); bad != nil {
		c := check{cond: s.banCondition(g), needs: of, own: full(x)}
		c.own.andNot(bad)
		if spread {
			c.root = x.isRoot.clone()
			c.root.andNot(bad)
		}
		s.add(c)
	}
	if in := s.tree(g.InTree); in != nil {
		c := check{cond: Condition{Criterion: CriterionInTree, Group: g.Suffix, InTree: g.InTree, Origin: g.InTreeOrigin}, needs: of, own: in}
		switch {
		case spread: // no other tree, so nothing shared
			c.others = x.bitmap()
		case len(g.Resources) == 0 && !in.empty():
			c.own = full(x)
		}
		s.add(c)
	}
	for _, n := range of {
		if only, ok := s.given(s.q.Giver, n); ok {
			c := Condition{Criterion: CriterionGiver, Group: g.Suffix, Anchor: s.q.Giver.Name, Origin: s.q.Giver.Origin}
			for _, u := range s.needs[n].uses[:min(len(s.needs[n].uses), 1)] {
				c.Class = x.snap.ClassName(u.class)
			}
			s.add(check{cond: c, needs: []int{n}, own: only})
		}
	}
	for i, r := range g.Resources {
		needs := of
		if spread {
			needs = []int{first + i}
		}
		s.addResource(g, r, needs)
	}
	for _, t := range g.Forbidden {
		c := check{
			cond:  Condition{Criterion: CriterionForbiddenTrait, Group: g.Suffix, Traits: []placement.Trait{t.Name}, Origin: t.Origin},
			needs: of, own: full(x),
		}
		c.own.andNot(s.trait(t.Name))
		s.add(c)
	}
	for _, t := range g.Required {
		s.add(check{
			cond:  Condition{Criterion: CriterionRequiredTrait, Group: g.Suffix, Traits: t.Names, Origin: t.Origin},
			needs: of, own: s.anyTrait(t.Names), union: spread,
		})
	}
	if len(g.Resources) == 0 {
		c := check{cond: Condition{Criterion: CriterionOpenGroup, Group: g.Suffix}, needs: of, own: full(x)}
		if c.quiet = g.open(); !c.quiet {
			c.own = x.bitmap()
		}
		s.add(c)
	}
}

func (s *study) memberCondition(g Group) Condition {
	c := Condition{Criterion: CriterionMemberOf, Group: g.Suffix}
	for _, t := range g.MemberOf {
		c.Aggregates = append(c.Aggregates, t.IDs)
		c.Origin = joinOrigins(c.Origin, t.Origin)
	}
	return c
}

func (s *study) banCondition(g Group) Condition {
	c := Condition{Criterion: CriterionForbiddenAggregate, Group: g.Suffix, Aggregates: [][]AggregateText{nil}}
	for _, a := range g.ForbiddenAggregates {
		c.Aggregates[0] = append(c.Aggregates[0], a.ID)
		c.Origin = joinOrigins(c.Origin, a.Origin)
	}
	return c
}

// addResource adds the three checks of an amount. A provider without an inventory only
// fails the first.
func (s *study) addResource(g Group, r Resource, needs []int) {
	column := s.use(r).column
	has, room, units := column.has, full(s.x), full(s.x)
	n := int32(math.MaxInt32)
	beyond := r.Amount > math.MaxInt32 // of every inventory
	if !beyond {
		n = int32(r.Amount)
	}
	for p, page := range column.pages {
		for i := range page {
			slot := column.slots[p*pageCells+i]
			if n > page[i].free {
				room.clear(slot)
			}
			if !page[i].unit(n) || beyond {
				units.clear(slot)
			}
		}
	}
	cond := Condition{Group: g.Suffix, Class: r.Class, Amount: r.Amount, Origin: r.Origin}
	for _, part := range []struct {
		rule Criterion
		own  bitmap
	}{{CriterionInventory, has}, {CriterionCapacity, room}, {CriterionUnits, units}} {
		cond.Criterion = part.rule
		s.add(check{cond: cond, needs: needs, own: part.own})
	}
}

func (s *study) addRoot(t RootTerms) {
	for _, r := range t.Required {
		s.add(check{cond: Condition{Criterion: CriterionRootRequired, Traits: []placement.Trait{r.Name}, Origin: r.Origin}, root: s.trait(r.Name)})
	}
	for _, f := range t.Forbidden {
		root := full(s.x)
		root.andNot(s.trait(f.Name))
		s.add(check{cond: Condition{Criterion: CriterionRootForbidden, Traits: []placement.Trait{f.Name}, Origin: f.Origin}, root: root})
	}
}

// full returns the set of all slots.
func full(x *Index) bitmap {
	b := x.bitmap()
	b.setRange(0, int32(x.len()))
	return b
}

// fails returns the mask of the checks that slot fails when it serves need n for the
// tree of root.
func (s *study) fails(n int, slot, root int32) uint64 {
	end := s.x.ends[root]
	if !s.rooted && slot >= root && slot < end {
		return s.failed[n][slot]
	}
	var mask uint64
	for _, i := range s.ofNeed[n] {
		if c := &s.checks[i]; !c.passes(slot, root, end) {
			mask |= c.bit
		}
	}
	return mask
}

// weight returns how bad it is to fail the checks in mask. A provider that lacks a
// class is farther away than one with too little of it in every respect.
func (s *study) weight(mask uint64) int {
	const lack = 3
	return bits.OnesCount64(mask) + (lack-1)*bits.OnesCount64(mask&s.lacks)
}

// nearer reports whether failing the checks in a is less bad than failing those in b. If
// they are equal, a provider that is only full comes first.
func (s *study) nearer(a, b uint64) bool {
	if a == b {
		return false
	}
	if x, y := s.weight(a), s.weight(b); x != y {
		return x < y
	}
	return a&s.rooms != 0 && b&s.rooms == 0
}

// reason says how slot fails c; slot is -1 if the tree as a whole does.
func (s *study) reason(c *check, slot, root int32) Reason {
	r := Reason{Condition: c.cond}
	if len(c.needs) == 0 {
		r.Provider = s.x.provider(root)
		return r
	}
	if slot < 0 || c.cond.Criterion == CriterionOpenGroup {
		return r
	}
	r.Provider = s.x.provider(slot)
	switch c.cond.Criterion {
	case CriterionInventory:
		r.Refusal = placement.NoInventory
	case CriterionCapacity, CriterionUnits:
		id, _ := s.x.snap.ClassID(c.cond.Class)
		r.Has, _ = r.Provider.Inventory(id)
		r.Refusal = placement.NoRoom
		if c.cond.Criterion == CriterionUnits {
			r.Refusal = r.Has.CheckUnits(c.cond.Amount)
		}
	default: // the provider and the condition say everything
	}
	return r
}

// reasons says how slot fails when it serves need n.
func (s *study) reasons(out []Reason, n int, slot, root int32) []Reason {
	end := s.x.ends[root]
	for _, i := range s.ofNeed[n] {
		if c := &s.checks[i]; !c.passes(slot, root, end) {
			out = append(out, s.reason(c, slot, root))
		}
	}
	return out
}
