package candidates

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Stage is a step of the funnel: what one Condition leaves of what the conditions
// before it have left.
type Stage struct {
	Condition Condition
	Trees     int // trees that may still be anchors: each need asked so far has a provider that serves them
	LostTrees int
	Providers int  // that pass all conditions of the same need up to this one; 0 for conditions not about single providers
	Alone     int  // trees that would pass this condition if it were the only one; 0 for conditions about several groups
	Ends      bool // no provider of the whole cloud passes, so that upstream ends the search here
	Causes    []Cause
}

// Cause says why some of the trees were lost in a Stage, the most frequent cause
// first.
type Cause struct {
	Trees     int
	Refusal   placement.Refusal // of capacity and units
	Value     int64             // of capacity: the most that one provider has free; of units: the limit that is violated
	Aggregate AggregateText     // for member_of: the aggregate that they are in instead; "" if none
}

// Words describes c in a few words, such as "29 have 1".
func (c Cause) Words() string {
	have := "have"
	if c.Trees == 1 {
		have = "has"
	}
	switch {
	case c.Refusal == placement.NoRoom && c.Value == 0:
		return fmt.Sprintf("%d full", c.Trees)
	case c.Refusal == placement.NoRoom:
		return fmt.Sprintf("%d %s %d", c.Trees, have, c.Value)
	case c.Refusal != "":
		return fmt.Sprintf("%d %s %s %d", c.Trees, have, c.Refusal, c.Value)
	case c.Aggregate != "":
		return fmt.Sprintf("%d in %s", c.Trees, c.Aggregate)
	}
	return fmt.Sprintf("%d in no aggregate", c.Trees)
}

// mostCauses is how many causes of a stage are listed.
const mostCauses = 4

// funnelRun is one run of study.funnel.
type funnelRun struct {
	*study
	own    []bitmap // by need: the providers that pass all checks so far
	others []bitmap
	alive  bitmap // roots of the trees that are left
	stages []Stage
}

// funnel applies the checks one after another. It returns the stages, and the roots of
// the trees that have a candidate.
func (s *study) funnel() ([]Stage, bitmap) {
	f := &funnelRun{study: s, alive: s.x.isRoot.clone()}
	for range s.needs {
		f.own = append(f.own, full(s.x))
		f.others = append(f.others, s.shares.providers.clone())
	}
	for i := range s.checks {
		if c := &s.checks[i]; !c.quiet {
			f.ask(c)
		}
	}
	f.together()
	return f.stages, f.alive
}

// ask narrows the funnel by one check.
func (f *funnelRun) ask(c *check) {
	before := f.alive.clone()
	st := Stage{Condition: c.cond, Ends: f.ends(c)}
	switch {
	case len(c.needs) == 0:
		f.alive.and(c.root)
		st.Alone = c.root.countIn(f.x.isRoot)
	case c.union:
		f.askUnion(c)
		st.Alone = f.treesServed(c.own, f.sharing(c), f.x.isRoot).count()
	default:
		for _, n := range c.needs {
			f.own[n].and(c.own)
			f.others[n].and(c.forOthers())
		}
		st.Providers = f.union(c.needs).count()
		alone := f.treesServed(c.own, f.sharing(c), f.x.isRoot)
		if c.root != nil {
			f.alive.and(c.root)
			alone.and(c.root)
		}
		st.Alone = alone.count()
		for _, n := range c.needs {
			f.alive = f.treesServed(f.own[n], f.others[n], f.alive)
		}
	}
	st.Trees = f.alive.count()
	before.andNot(f.alive)
	st.LostTrees = before.count()
	st.Causes = f.causes(c, before)
	f.stages = append(f.stages, st)
}

func (c *check) forOthers() bitmap {
	if c.others != nil {
		return c.others
	}
	return c.own
}

// sharing returns the sharing providers that pass c for other trees.
func (f *funnelRun) sharing(c *check) bitmap {
	b := f.shares.providers.clone()
	b.and(c.forOthers())
	return b
}

// union returns the providers that are left for any of the needs.
func (f *funnelRun) union(needs []int) bitmap {
	b := f.own[needs[0]].clone()
	for _, n := range needs[1:] {
		b.or(f.own[n])
	}
	return b
}

// treesServed returns those roots of among whose trees have a provider in own, or are
// served by one in others.
func (f *funnelRun) treesServed(own, others, among bitmap) bitmap {
	out := f.x.bitmap()
	next := int32(0) // first slot after the trees seen
	for slot := range own.all() {
		if slot < next {
			continue
		}
		root := f.x.roots[slot]
		next = f.x.ends[root]
		out.set(root)
	}
	if lists := f.shares.listsWith(others); lists != nil {
		for root := range among.all() {
			if lists[f.shares.listOf[root]] {
				out.set(root)
			}
		}
	}
	out.and(among)
	return out
}

// askUnion keeps the trees in which one of the providers left for the needs of c passes
// it.
func (f *funnelRun) askUnion(c *check) {
	out := f.x.bitmap()
	for _, n := range c.needs {
		own, others := f.own[n].clone(), f.others[n].clone()
		own.and(c.own)
		others.and(c.own)
		out.or(f.treesServed(own, others, f.alive))
	}
	f.alive = out
}

// ends reports whether no provider at all passes c, which ends upstream's search
// regardless of everything else.
//
// Source: placement/objects/research_context.py, the places that raise
// ResourceProviderNotFound.
func (f *funnelRun) ends(c *check) bool {
	switch c.cond.Criterion {
	case CriterionMemberOf, CriterionInventory:
		return c.forOthers().empty()
	case CriterionInTree:
		return c.own.empty()
	case CriterionCapacity, CriterionUnits:
		able := f.x.bitmap()
		column := f.use(Resource{Class: c.cond.Class}).column
		if c.cond.Criterion == CriterionCapacity {
			able.or(column.has)
			able.and(c.own)
		} else {
			column.takers(able, c.cond.Amount)
		}
		return able.empty()
	case CriterionRootRequired, CriterionRootForbidden:
		return c.root.countIn(f.x.isRoot) == 0
	default:
		return false
	}
}

// causes says why the trees of lost did not pass c.
func (f *funnelRun) causes(c *check, lost bitmap) []Cause {
	count := map[Cause]int{}
	for root := range lost.all() {
		switch c.cond.Criterion {
		case CriterionCapacity:
			count[Cause{Refusal: placement.NoRoom, Value: f.mostFree(c, root)}]++
		case CriterionUnits:
			count[f.refusedUnits(c, root)]++
		case CriterionMemberOf:
			of := f.x.provider(root).Aggregates()
			if len(of) == 0 {
				count[Cause{}]++
			}
			for _, a := range of {
				count[Cause{Aggregate: TextOfAggregate(a)}]++
			}
		default:
			return nil
		}
	}
	out := make([]Cause, 0, len(count))
	for cause, n := range count {
		cause.Trees = n
		out = append(out, cause)
	}
	slices.SortStableFunc(out, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Trees, a.Trees), cmp.Compare(b.Value, a.Value), cmp.Compare(a.Refusal, b.Refusal), cmp.Compare(a.Aggregate, b.Aggregate))
	})
	return out[:min(len(out), mostCauses)]
}

// withClass calls do for the slots that the tree of root could use and that have the
// class of c.
func (f *funnelRun) withClass(c *check, root int32, do func(slot int32, has *inventoryCell)) {
	column := f.use(Resource{Class: c.cond.Class}).column
	end := f.x.ends[root]
	for slot := root; slot < end; slot++ {
		if has := column.at(slot); has != nil {
			do(slot, has)
		}
	}
	for _, slot := range f.shares.serving(root) {
		if slot < root || slot >= end {
			if has := column.at(slot); has != nil {
				do(slot, has)
			}
		}
	}
}

// mostFree returns the most units of the class of c that one provider has free
// for the tree of root.
func (f *funnelRun) mostFree(c *check, root int32) int64 {
	most := int64(0)
	f.withClass(c, root, func(_ int32, has *inventoryCell) { most = max(most, int64(has.free)) })
	return most
}

// refusedUnits returns what refuses the amount of c on the first provider of the
// tree of root that has room for it.
func (f *funnelRun) refusedUnits(c *check, root int32) (cause Cause) {
	f.withClass(c, root, func(slot int32, has *inventoryCell) {
		if cause.Refusal != "" || int64(has.free) < c.cond.Amount {
			return
		}
		iu, _ := f.x.provider(slot).Inventory(f.use(Resource{Class: c.cond.Class}).class)
		switch cause.Refusal = iu.CheckUnits(c.cond.Amount); cause.Refusal {
		case placement.BelowMinUnit:
			cause.Value = iu.MinUnit
		case placement.OffStep:
			cause.Value = iu.StepSize
		default:
			cause.Value = iu.MaxUnit
		}
	})
	return cause
}

// together applies the conditions about the picks of several needs to the trees that are
// left.
func (f *funnelRun) together() {
	for _, j := range f.joints() {
		st := Stage{Condition: j.cond}
		w := j.plan.newScratch()
		for root := range f.alive.clone().all() {
			if !w.begin(root) || !w.next() {
				f.alive.clear(root)
				st.LostTrees++
			}
		}
		st.Trees = f.alive.count()
		if j.cond.Criterion != CriterionTraitsTogether || len(f.unions) > 1 { // a single one has been applied before
			f.stages = append(f.stages, st)
		}
	}
}

// joint is a condition about the picks of several needs, with a plan that has it and
// those before it.
type joint struct {
	cond Condition
	plan *plan
}

// findJoints returns the conditions about the picks of several needs, in the order
// of the funnel.
func (s *study) findJoints() []*joint {
	var out []*joint
	p := *s.plan
	p.terms, p.oneEach, p.isolate, p.subtrees = nil, false, false, nil
	p.needs = slices.Clone(s.needs)
	for i := range p.needs {
		p.needs[i].meets = false
	}
	next := func(c Condition) {
		q := p
		out = append(out, &joint{c, &q})
	}
	if p.terms = s.terms; len(p.terms) > 0 {
		c := Condition{Criterion: CriterionTraitsTogether}
		for _, i := range s.unions {
			c.Traits = append(c.Traits, s.checks[i].cond.Traits...)
		}
		next(c)
	}
	if p.oneEach = s.oneEach; p.oneEach {
		next(Condition{Criterion: CriterionOneProvider})
	}
	for i, t := range s.q.SameSubtree {
		p.subtrees = s.subtrees[:i+1]
		if slices.ContainsFunc(s.q.SameSubtree[:i], func(o Subtree) bool { return slices.Equal(o.Suffixes, t.Suffixes) }) {
			continue
		}
		next(Condition{Criterion: CriterionSameSubtree, Suffixes: t.Suffixes, Origin: t.Origin})
	}
	if p.isolate = s.isolate; p.isolate && len(p.needs)-p.spread > 1 {
		next(Condition{Criterion: CriterionIsolate})
	}
	if classes := s.metClasses(); len(classes) > 0 {
		p.needs = s.needs
		c := Condition{Criterion: CriterionSum}
		if len(classes) == 1 {
			c.Class = classes[0]
		}
		next(c)
	}
	return out
}

// metClasses returns the classes that several needs ask for.
func (p *plan) metClasses() []placement.ResourceClass {
	var out []placement.ResourceClass
	for i := range p.needs {
		if !p.needs[i].meets {
			continue
		}
		for _, u := range p.needs[i].uses {
			name := p.x.snap.ClassName(u.class)
			earlier := slices.ContainsFunc(p.needs[:i], func(n need) bool { return n.amount(u.class) > 0 })
			if earlier && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
