package candidates

import (
	"iter"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Verdict is what an Explanation says about one provider.
type Verdict struct {
	Provider *placement.ResourceProvider
	Anchor   *placement.ResourceProvider // root of the tree that it is judged for: its own, or the nearest that it serves
	InAnswer bool                        // some candidate uses it, ignoring the limit
	Serves   []string                    // what it could serve by itself: classes of the un-suffixed group, suffixes of others
	Tests    []Test                      // every condition of the funnel, in its order
	Reasons  []Reason                    // the conditions that it fails, then those that its tree fails; none if InAnswer
}

// Test is a condition as tested for a provider. Conditions of the need that the
// provider comes nearest to are tested on the provider itself; those of the other
// needs, on the provider of the same tree that comes nearest to them.
type Test struct {
	Reason // Provider is the one that was tested; of classes it says what there is, passed or not
	Pass   bool
	Moot   bool // not tested: a provider without the class is not tested for room
}

// First returns the first reason that removed the provider, and false if it is in
// the answer.
func (v Verdict) First() (Reason, bool) {
	if len(v.Reasons) == 0 {
		return Reason{}, false
	}
	return v.Reasons[0], true
}

// Words returns v in a sentence.
func (v Verdict) Words() string {
	name := v.Provider.Name()
	serves := ""
	if len(v.Serves) > 0 {
		serves = " for " + strings.Join(v.Serves, ", ")
	}
	switch {
	case v.InAnswer:
		return name + " is among the candidates" + serves
	case serves != "":
		return name + " would fit" + serves + ", but " + ReasonWords(v.Reasons, v.Provider)
	}
	return name + ": " + ReasonWords(v.Reasons, v.Provider)
}

// Verdicts say why each provider is in the answer, or why not. Any goroutine may use
// them.
type Verdicts struct {
	study  *study
	answer func() bitmap
}

// Verdicts returns the verdicts on providers; name is that of ExplainOptions.
func (k *Question) Verdicts(name func(uuid string) string) Verdicts {
	return Verdicts{k.study().named(name), k.answer}
}

// Provider returns the verdict on p.
func (e Verdicts) Provider(p *placement.ResourceProvider) Verdict {
	s := e.study
	slot := s.x.slots[p.Number()]
	root := s.x.roots[slot]
	v := Verdict{Provider: p, InAnswer: e.answer().has(slot)}
	if s.shares.providers.has(slot) {
		root = s.nearestServed(slot, root)
	}
	v.Anchor = s.x.provider(root)
	need, least := 0, ^uint64(0)
	for n := range s.needs {
		mask := s.fails(n, slot, root)
		if s.nearer(mask, least) {
			need, least = n, mask
		}
		if mask == 0 {
			v.Serves = append(v.Serves, s.needName(n))
		}
	}
	v.Tests = s.tests(need, slot, root)
	if !v.InAnswer {
		v.Reasons = s.removed(need, slot, root, v.Tests)
	}
	return v
}

// Excluded yields the verdict on every provider that is not in the answer, in
// the order of the trees.
func (e Verdicts) Excluded() iter.Seq[Verdict] {
	return func(yield func(Verdict) bool) {
		in := e.answer()
		for slot := range int32(e.study.x.len()) {
			if !in.has(slot) && !yield(e.Provider(e.study.x.provider(slot))) {
				return
			}
		}
	}
}

// needName returns the name of need n: a class of the un-suffixed group, or the suffix.
func (p *plan) needName(n int) string {
	if n < p.spread {
		return string(p.x.snap.ClassName(p.needs[n].uses[0].class))
	}
	return "group " + p.q.Groups[p.needs[n].group].Suffix
}

// nearestServed returns the tree, its own or one that it serves, for which a sharing
// provider together with the tree fails the least.
func (s *study) nearestServed(slot, own int32) int32 {
	best, least := own, s.misfit(slot, own)
	for root := range s.x.isRoot.all() {
		if least == 0 {
			break
		}
		for _, server := range s.shares.serving(root) {
			if server == slot {
				if n := s.misfit(slot, root); n < least {
					best, least = root, n
				}
			}
		}
	}
	return best
}

// misfit returns the weight of the checks that fail if slot serves the need for which it
// fails the least, and the tree of root the others.
func (s *study) misfit(slot, root int32) int {
	fewest := -1
	for n := range s.needs {
		sum := s.weight(s.fails(n, slot, root))
		for other := range s.needs {
			if other != n {
				_, mask := s.nearest(other, root)
				sum += s.weight(mask)
			}
		}
		if fewest < 0 || sum < fewest {
			fewest = sum
		}
	}
	for _, i := range s.ofRoot {
		if !s.checks[i].root.has(root) {
			fewest++
		}
	}
	return fewest
}

// tests applies every check to the tree of root, with slot serving need.
func (s *study) tests(need int, slot, root int32) []Test {
	asked := make([]int32, len(s.needs))
	for n := range s.needs {
		asked[n] = slot
		if n != need {
			asked[n], _ = s.nearest(n, root)
		}
	}
	end := s.x.ends[root]
	out := make([]Test, 0, len(s.checks))
	for i := range s.checks {
		c := &s.checks[i]
		t := Test{}
		switch {
		case c.quiet:
			continue
		case len(c.needs) == 0:
			t.Reason, t.Pass = s.reason(c, -1, root), c.root.has(root)
		case c.union:
			t.Reason, t.Pass = s.reason(c, -1, root), s.offered(c, root)
		default:
			who := asked[c.needs[0]]
			for _, n := range c.needs { // in the un-suffixed group, the provider that fails, if there is one
				if n == need || !c.passes(asked[n], root, end) && c.passes(who, root, end) {
					who = asked[n]
				}
			}
			t.Reason, t.Pass = s.reason(c, who, root), c.passes(who, root, end)
			t.Moot = (c.cond.Criterion == CriterionCapacity || c.cond.Criterion == CriterionUnits) && t.Has == (placement.InventoryUsage{})
		}
		out = append(out, t)
	}
	return out
}

// removed says why slot, serving need for the tree of root, is in no candidate.
func (s *study) removed(need int, slot, root int32, tests []Test) []Reason {
	if s.hasNone(slot) {
		return []Reason{{Condition: Condition{Criterion: CriterionInventory}, Provider: s.x.provider(slot), Refusal: placement.NoInventory}}
	}
	out := s.reasons(nil, need, slot, root)
	for n := range s.needs {
		if n != need {
			if other, mask := s.nearest(n, root); mask != 0 {
				out = s.reasons(out, n, other, root)
			}
		}
	}
	for _, t := range tests {
		switch t.Condition.Criterion {
		case CriterionRootRequired, CriterionRootForbidden, CriterionAnchor:
			if !t.Pass {
				out = append(out, t.Reason)
			}
		default: // of providers
		}
	}
	for _, i := range s.unions {
		if c := &s.checks[i]; !s.offered(c, root) {
			out = append(out, s.reason(c, -1, root))
		}
	}
	if len(out) > 0 {
		return out
	}
	return []Reason{{Condition: *s.stuckWith(need, slot, root)}}
}

// hasNone reports whether the provider of slot has none of the classes that the
// query asks for, and no group asks for a provider without resources.
func (s *study) hasNone(slot int32) bool {
	for i := range s.needs {
		if len(s.needs[i].uses) == 0 {
			return false
		}
		for _, u := range s.needs[i].uses {
			if u.column.has.has(slot) {
				return false
			}
		}
	}
	return true
}

// stuckWith returns the first condition about several providers together that no choice
// with slot for need meets.
func (s *study) stuckWith(need int, slot, root int32) *Condition {
	last := new(Condition)
	for _, j := range s.joints() {
		last = &j.cond
		if w := j.plan.newScratch(); !w.begin(root) || !w.takes(need, slot) || !w.only(need, slot) || !w.next() {
			break
		}
	}
	return last
}

// takes reports whether slot may serve need i.
func (w *walker) takes(i int, slot int32) bool {
	return slices.Contains(w.options(i), slot)
}
