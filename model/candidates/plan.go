package candidates

import (
	"math"
	"slices"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// plan is a query prepared for an Index: which providers may serve each need, and which
// conditions the picks of all needs must meet together.
type plan struct {
	x       *Index
	q       Query
	shares  *sharing
	needs   []need
	spread  int      // how many of the needs belong to the un-suffixed group; they come first
	terms   []bitmap // required traits of the un-suffixed group: by term, the providers with one
	anchors bitmap   // roots of the trees that may be anchors; nil for all

	isolate  bool
	oneEach  bool    // at most one provider of a tree, as before nested providers
	subtrees [][]int // needs, ascending, of each same_subtree
	shared   bool    // whether a candidate may consist only of sharing providers
}

// need is what one provider must serve: a class of the un-suffixed group, or a suffixed
// group.
type need struct {
	group  int // index in Query.Groups
	uses   []use
	own    bitmap // providers that may serve it for their own tree
	others bitmap // sharing providers that may serve it for other trees; nil for none
	lists  []bool // by list of the sharing, whether it has one of others; nil for none
	meets  bool   // whether an earlier need uses one of the classes too
}

// use is an amount of a class.
type use struct {
	class  placement.ClassID
	column *column
	amount int64
}

// newPlan compiles q, which must be valid.
func newPlan(x *Index, q Query) *plan {
	p := &plan{
		x: x, q: q, shares: x.sharing(),
		isolate: q.GroupPolicy == PolicyIsolate, oneEach: q.Version() < microversion.NestedCandidates,
	}
	p.root(q.Root)
	p.anchor(q.Anchors)
	for i, g := range q.Groups {
		if g.Suffix == "" {
			p.spreadGroup(i)
		}
	}
	p.spread = len(p.needs)
	for i, g := range q.Groups {
		if g.Suffix != "" {
			p.singleGroup(i)
		}
	}
	for _, t := range q.SameSubtree {
		var of []int
		for i, n := range p.needs {
			for _, s := range t.Suffixes {
				if i >= p.spread && q.Groups[n.group].Suffix == s {
					of = append(of, i)
				}
			}
		}
		p.subtrees = append(p.subtrees, of)
	}
	p.giver(q.Giver)
	p.shared = true
	for i := range p.needs {
		p.finish(i)
	}
	return p
}

// root compiles root_required.
func (p *plan) root(t RootTerms) {
	if t.Empty() {
		return
	}
	p.anchors = p.x.isRoot.clone()
	for _, r := range t.Required {
		p.anchors.and(p.trait(r.Name))
	}
	for _, f := range t.Forbidden {
		p.anchors.andNot(p.trait(f.Name))
	}
}

// anchor compiles which trees are asked for.
func (p *plan) anchor(t AnchorTerm) {
	if t.Empty() {
		return
	}
	of := p.x.rootsAmong(t.Roots)
	if p.anchors != nil {
		of.and(p.anchors)
	}
	p.anchors = of
}

// giver restricts needs that use a class which the picked provider has to that provider.
func (p *plan) giver(t GiverTerm) {
	for i := range p.needs {
		if only, ok := p.given(t, i); ok {
			p.needs[i].own.and(only)
			if p.needs[i].others != nil {
				p.needs[i].others.and(only)
			}
		}
	}
}

// given returns the only provider that may serve need i according to t, and false if t
// does not restrict it. A provider that does not exist serves nothing.
func (p *plan) given(t GiverTerm, i int) (only bitmap, ok bool) {
	if t.Empty() {
		return nil, false
	}
	slot, there := p.x.slot(t.Provider)
	if !there {
		return p.x.bitmap(), true
	}
	has := func(u use) bool { return u.column.has.has(slot) }
	if !slices.ContainsFunc(p.needs[i].uses, has) {
		return nil, false
	}
	only = p.x.bitmap()
	only.set(slot)
	return only, true
}

// trait returns the providers with a trait.
func (p *plan) trait(name placement.Trait) bitmap {
	id, ok := p.x.snap.TraitID(name)
	if !ok {
		return p.x.bitmap()
	}
	return p.x.withTrait(id)
}

// anyTrait returns the providers with at least one of the traits.
func (p *plan) anyTrait(names []placement.Trait) bitmap {
	if len(names) == 1 {
		return p.trait(names[0])
	}
	out := p.x.bitmap()
	for _, n := range names {
		out.or(p.trait(n))
	}
	return out
}

// members returns the providers that are themselves in one aggregate of every term; nil
// if there are no terms.
func (p *plan) members(terms []AnyAggregate) bitmap {
	var out bitmap
	for _, t := range terms {
		some := p.x.bitmap()
		for _, a := range t.IDs {
			if id, ok := a.ID(); ok {
				some.or(p.x.inAggregate(id))
			}
		}
		if out == nil {
			out = some
		} else {
			out.and(some)
		}
	}
	return out
}

// banned returns the providers that are themselves in a forbidden aggregate; nil if none
// is forbidden.
func (p *plan) banned(list []Aggregate) bitmap {
	if len(list) == 0 {
		return nil
	}
	out := p.x.bitmap()
	for _, a := range list {
		if id, ok := a.ID.ID(); ok {
			out.or(p.x.inAggregate(id))
		}
	}
	return out
}

// tree returns the slots of the tree that in_tree names; nil if it is not given. If there
// is no provider with the uuid, it also allows no tree as an anchor, since a group
// without resources is not restricted to the slots.
func (p *plan) tree(t ProviderText) bitmap {
	if t == "" {
		return nil
	}
	out := p.x.bitmap()
	id, ok := t.ID()
	if ok {
		var slot int32
		if slot, ok = p.x.slot(id); ok {
			root := p.x.roots[slot]
			out.setRange(root, p.x.ends[root])
		}
	}
	if !ok {
		p.anchors = p.x.bitmap()
	}
	return out
}

// spreadGroup compiles the un-suffixed group: a need for each class.
//
// Source: placement/objects/research_context.py, get_trees_matching_all.
func (p *plan) spreadGroup(i int) {
	g := p.q.Groups[i]
	in, good, bad := p.tree(g.InTree), p.members(g.MemberOf), p.banned(g.ForbiddenAggregates)
	var tree bitmap // good, and the trees of good roots
	if good != nil {
		tree = good.clone()
		for root := range good.all() {
			if p.x.isRoot.has(root) {
				tree.setRange(root, p.x.ends[root])
			}
		}
	}
	if bad != nil {
		if p.anchors == nil {
			p.anchors = p.x.isRoot.clone()
		}
		p.anchors.andNot(bad)
	}
	for _, r := range g.Resources {
		u := p.use(r)
		able := p.x.bitmap()
		u.column.takers(able, u.amount)
		if bad != nil {
			able.andNot(bad)
		}
		for _, t := range g.Forbidden {
			able.andNot(p.trait(t.Name))
		}
		n := need{group: i, uses: []use{u}, own: able}
		if in != nil { // no other tree, so nothing shared
			n.own.and(in)
		} else {
			n.others = p.sharers(able)
			if n.others != nil && good != nil {
				n.others.and(good)
			}
		}
		if tree != nil {
			n.own.and(tree)
		}
		p.needs = append(p.needs, n)
	}
	for _, t := range g.Required {
		p.terms = append(p.terms, p.anyTrait(t.Names))
	}
}

// singleGroup compiles a suffixed group: one need for all of it.
//
// No provider serves a group without resources and without required traits or
// aggregates, and in_tree of a group without resources only has to name a provider.
//
// Source: placement/objects/research_context.py, get_provider_ids_matching.
func (p *plan) singleGroup(i int) {
	g := p.q.Groups[i]
	n := need{group: i}
	in, good, bad := p.tree(g.InTree), p.members(g.MemberOf), p.banned(g.ForbiddenAggregates)
	for _, r := range g.Resources {
		u := p.use(r)
		able := p.x.bitmap()
		u.column.takers(able, u.amount)
		n.uses = append(n.uses, u)
		narrow(&n.own, able)
	}
	if len(g.Resources) > 0 && in != nil {
		narrow(&n.own, in)
	}
	if good != nil {
		narrow(&n.own, good)
	}
	for _, t := range g.Required {
		if has := p.anyTrait(t.Names); n.own == nil {
			n.own = has.clone()
		} else {
			n.own.and(has)
		}
	}
	if n.own == nil {
		n.own = p.x.bitmap()
	}
	if bad != nil {
		n.own.andNot(bad)
	}
	for _, t := range g.Forbidden {
		n.own.andNot(p.trait(t.Name))
	}
	n.others = p.sharers(n.own)
	p.needs = append(p.needs, n)
}

// narrow removes from *b what is not in o; a nil *b has everything.
func narrow(b *bitmap, o bitmap) {
	if *b == nil {
		*b = o
		return
	}
	b.and(o)
}

// sharers returns the sharing providers among able, or nil if there is none.
func (p *plan) sharers(able bitmap) bitmap {
	out := able.clone()
	out.and(p.shares.providers)
	if out.empty() {
		return nil
	}
	return out
}

func (p *plan) use(r Resource) use {
	id, ok := p.x.snap.ClassID(r.Class)
	if !ok {
		id = -1 // has no inventory
	}
	return use{class: id, column: p.x.column(id), amount: r.Amount}
}

// finish computes the fields of need i that the search uses.
func (p *plan) finish(i int) {
	n := &p.needs[i]
	if n.others != nil && n.others.empty() {
		n.others = nil
	}
	if n.others == nil {
		p.shared = false
	} else {
		n.lists = p.shares.listsWith(n.others)
	}
	for j := range i {
		for _, u := range p.needs[j].uses {
			n.meets = n.meets || n.amount(u.class) > 0
		}
	}
}

// amount returns how much of a class n uses.
func (n *need) amount(class placement.ClassID) int64 {
	for _, u := range n.uses {
		if u.class == class {
			return u.amount
		}
	}
	return 0
}

// served reports whether any provider may serve n for the tree of root.
func (p *plan) served(n *need, root int32) bool {
	return n.own.anyIn(root, p.x.ends[root]) || n.lists != nil && n.lists[p.shares.listOf[root]]
}

// possible reports whether the tree of root may be an anchor, and each need has a
// provider that may serve it for the tree.
func (p *plan) possible(root int32) bool {
	if p.anchors != nil && !p.anchors.has(root) {
		return false
	}
	for i := range p.needs {
		if !p.served(&p.needs[i], root) {
			return false
		}
	}
	return true
}

// trees yields the roots of the trees that have providers for each need, in order. It
// iterates over the need with the fewest providers, and checks the other needs for each
// tree.
func (p *plan) trees(yield func(root int32) bool) {
	if len(p.needs) == 0 {
		return
	}
	least, driver := math.MaxInt, 0
	for i := range p.needs {
		n := &p.needs[i]
		trees := n.own.count()
		if n.others != nil {
			trees = p.x.isRoot.count() // any of them
		}
		if trees < least {
			least, driver = trees, i
		}
	}
	if n := &p.needs[driver]; n.others != nil {
		for root := range p.x.isRoot.all() {
			if p.possible(root) && !yield(root) {
				return
			}
		}
		return
	}
	next := int32(0) // first slot after the trees seen
	for slot := range p.needs[driver].own.all() {
		if slot < next {
			continue
		}
		root := p.x.roots[slot]
		next = p.x.ends[root]
		if p.possible(root) && !yield(root) {
			return
		}
	}
}
