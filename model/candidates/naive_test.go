package candidates_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// naive answers a query by enumeration: it tries every provider for every part, and
// checks every rule for every result. It knows the ledger, but not how the search works.
type naive struct {
	s *placement.Snapshot
	q candidates.Query
}

// choice is a provider for one class of the un-suffixed group, or for one suffixed group.
type choice struct {
	group    candidates.Group
	resource []candidates.Resource
	provider *placement.ResourceProvider
}

// answer returns the candidates as lines of text, sorted, without duplicates.
func (n naive) answer() []string {
	found := map[string]bool{}
	for root := range n.s.Roots() {
		for _, s := range n.solutions(root) {
			found[describe(s)] = true
		}
	}
	var out []string
	for line := range found {
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// solutions returns every way to serve all groups for the tree of root.
func (n naive) solutions(root *placement.ResourceProvider) [][]choice {
	if _, ok := n.s.Provider(n.q.Giver.Provider); !n.rootAllowed(root) || !n.q.Giver.Empty() && !ok {
		return nil
	}
	solutions := [][]choice{nil}
	for _, g := range n.q.Groups {
		var next [][]choice
		for _, s := range solutions {
			for _, more := range n.serve(g, root) {
				next = append(next, slices.Concat(s, more))
			}
		}
		solutions = next
	}
	return slices.DeleteFunc(solutions, func(s []choice) bool {
		return !(n.apart(s) && n.underOne(s) && n.fits(s) && n.oneEach(s))
	})
}

func (n naive) has(p *placement.ResourceProvider, t placement.Trait) bool {
	id, ok := n.s.TraitID(t)
	return ok && p.HasTrait(id)
}

func (n naive) rootAllowed(root *placement.ResourceProvider) bool {
	if only := n.q.Anchors; !only.Empty() && !slices.Contains(only.Roots, root.ID()) {
		return false
	}
	for _, t := range n.q.Root.Required {
		if !n.has(root, t.Name) {
			return false
		}
	}
	for _, t := range n.q.Root.Forbidden {
		if n.has(root, t.Name) {
			return false
		}
	}
	return true
}

// anchored reports whether p may be used for the tree of root.
func (n naive) anchored(p, root *placement.ResourceProvider) bool {
	return n.s.Root(p) == root || n.sharesWith(p, root)
}

// sharesWith reports whether p is a sharing provider and some provider of the
// tree of root is in one of its aggregates.
func (n naive) sharesWith(p, root *placement.ResourceProvider) bool {
	if !n.s.Shares(p) {
		return false
	}
	for _, member := range n.s.Tree(root) {
		if slices.ContainsFunc(p.Aggregates(), member.InAggregate) {
			return true
		}
	}
	return false
}

func (n naive) memberOfAll(p *placement.ResourceProvider, terms []candidates.AnyAggregate) bool {
	for _, t := range terms {
		if !slices.ContainsFunc(t.IDs, func(a candidates.AggregateText) bool { return n.member(p, a) }) {
			return false
		}
	}
	return true
}

func (n naive) member(p *placement.ResourceProvider, a candidates.AggregateText) bool {
	id, ok := a.ID()
	return ok && p.InAggregate(id)
}

func (n naive) inForbidden(p *placement.ResourceProvider, list []candidates.Aggregate) bool {
	return slices.ContainsFunc(list, func(a candidates.Aggregate) bool { return n.member(p, a.ID) })
}

func (n naive) hasForbidden(p *placement.ResourceProvider, list []candidates.Trait) bool {
	return slices.ContainsFunc(list, func(t candidates.Trait) bool { return n.has(p, t.Name) })
}

func (n naive) inTree(p *placement.ResourceProvider, t candidates.ProviderText) bool {
	if t == "" {
		return true
	}
	of, ok := n.provider(t)
	return ok && n.s.Root(of) == n.s.Root(p)
}

func (n naive) provider(t candidates.ProviderText) (*placement.ResourceProvider, bool) {
	id, ok := t.ID()
	if !ok {
		return nil, false
	}
	return n.s.Provider(id)
}

func (n naive) takes(p *placement.ResourceProvider, r candidates.Resource) bool {
	id, ok := n.s.ClassID(r.Class)
	if !ok {
		return false
	}
	iu, ok := p.Inventory(id)
	return ok && iu.Fits(iu.Used, r.Amount) == ""
}

// serve returns every way to serve g for the tree of root.
func (n naive) serve(g candidates.Group, root *placement.ResourceProvider) [][]choice {
	if g.InTree != "" {
		if _, ok := n.provider(g.InTree); !ok {
			return nil
		}
	}
	if g.Suffix == "" {
		return n.serveSpread(g, root)
	}
	if len(g.Resources)+len(g.Required)+len(g.MemberOf) == 0 {
		return nil
	}
	var out [][]choice
	for p := range n.s.Providers() {
		if n.anchored(p, root) && n.servesAlone(g, p) {
			out = append(out, []choice{{group: g, resource: g.Resources, provider: p}})
		}
	}
	return out
}

// given reports whether p may give resources: no other provider was picked for that.
func (n naive) given(p *placement.ResourceProvider, resources ...candidates.Resource) bool {
	picked, ok := n.s.Provider(n.q.Giver.Provider)
	return !ok || p == picked || !slices.ContainsFunc(resources, func(r candidates.Resource) bool {
		id, _ := n.s.ClassID(r.Class)
		_, has := picked.Inventory(id)
		return has
	})
}

func (n naive) servesAlone(g candidates.Group, p *placement.ResourceProvider) bool {
	if !n.given(p, g.Resources...) {
		return false
	}
	for _, r := range g.Resources {
		if !n.takes(p, r) {
			return false
		}
	}
	for _, t := range g.Required {
		if !slices.ContainsFunc(t.Names, func(name placement.Trait) bool { return n.has(p, name) }) {
			return false
		}
	}
	return !n.hasForbidden(p, g.Forbidden) && n.memberOfAll(p, g.MemberOf) && !n.inForbidden(p, g.ForbiddenAggregates) &&
		(len(g.Resources) == 0 || n.inTree(p, g.InTree))
}

func (n naive) serveSpread(g candidates.Group, root *placement.ResourceProvider) [][]choice {
	solutions := [][]choice{nil}
	for _, r := range g.Resources {
		var next [][]choice
		for p := range n.s.Providers() {
			if n.servesClass(g, r, p, root) {
				for _, s := range solutions {
					next = append(next, append(slices.Clone(s), choice{group: g, resource: []candidates.Resource{r}, provider: p}))
				}
			}
		}
		solutions = next
	}
	return slices.DeleteFunc(solutions, func(s []choice) bool {
		for _, t := range g.Required {
			if !slices.ContainsFunc(s, func(c choice) bool {
				return slices.ContainsFunc(t.Names, func(name placement.Trait) bool { return n.has(c.provider, name) })
			}) {
				return true
			}
		}
		return false
	})
}

func (n naive) servesClass(g candidates.Group, r candidates.Resource, p, root *placement.ResourceProvider) bool {
	if !n.anchored(p, root) || !n.takes(p, r) || !n.given(p, r) || n.hasForbidden(p, g.Forbidden) || !n.inTree(p, g.InTree) {
		return false
	}
	if n.inForbidden(p, g.ForbiddenAggregates) || n.inForbidden(root, g.ForbiddenAggregates) {
		return false
	}
	if n.s.Root(p) == root {
		return n.memberOfAll(p, g.MemberOf) || n.memberOfAll(root, g.MemberOf)
	}
	return g.InTree == "" && n.memberOfAll(p, g.MemberOf)
}

// apart is the rule of group_policy=isolate.
func (n naive) apart(s []choice) bool {
	if n.q.GroupPolicy != candidates.PolicyIsolate {
		return true
	}
	taken := map[*placement.ResourceProvider]bool{}
	for _, c := range s {
		if c.group.Suffix == "" {
			continue
		}
		if taken[c.provider] {
			return false
		}
		taken[c.provider] = true
	}
	return true
}

// underOne is the rule of same_subtree.
func (n naive) underOne(s []choice) bool {
	for _, t := range n.q.SameSubtree {
		var of []*placement.ResourceProvider
		for _, c := range s {
			if c.group.Suffix != "" && slices.Contains(t.Suffixes, c.group.Suffix) {
				of = append(of, c.provider)
			}
		}
		if !slices.ContainsFunc(of, func(top *placement.ResourceProvider) bool {
			return !slices.ContainsFunc(of, func(p *placement.ResourceProvider) bool { return !n.isAbove(top, p) })
		}) {
			return false
		}
	}
	return true
}

func (n naive) isAbove(top, p *placement.ResourceProvider) bool {
	for p != top {
		up, ok := n.s.Parent(p)
		if !ok {
			return false
		}
		p = up
	}
	return true
}

func (n naive) fits(s []choice) bool {
	for key, sum := range sums(s) {
		id, _ := n.s.ClassID(key.class)
		iu, _ := key.provider.Inventory(id)
		if !iu.HasRoom(iu.Used, sum) || sum > iu.MaxUnit {
			return false
		}
	}
	return true
}

// oneEach is the rule for clients that do not know trees.
func (n naive) oneEach(s []choice) bool {
	if n.q.Version() >= 29 {
		return true
	}
	giver := map[*placement.ResourceProvider]*placement.ResourceProvider{} // by root
	for key := range sums(s) {
		root := n.s.Root(key.provider)
		if giver[root] != nil && giver[root] != key.provider {
			return false
		}
		giver[root] = key.provider
	}
	return true
}

type sumKey struct {
	provider *placement.ResourceProvider
	class    placement.ResourceClass
}

func sums(s []choice) map[sumKey]int64 {
	out := map[sumKey]int64{}
	for _, c := range s {
		for _, r := range c.resource {
			out[sumKey{c.provider, r.Class}] += r.Amount
		}
	}
	return out
}

// describe is the identity of a candidate: its resources and its mappings.
func describe(s []choice) string {
	var parts []string
	for key, sum := range sums(s) {
		parts = append(parts, fmt.Sprintf("%s:%s=%d", key.provider.Name(), key.class, sum))
	}
	for _, c := range s {
		parts = append(parts, fmt.Sprintf("[%s]%s", c.group.Suffix, c.provider.Name()))
	}
	slices.Sort(parts)
	return strings.Join(slices.Compact(parts), " ")
}

// lines returns a Result as naive.answer does.
func lines(r *candidates.Result) []string {
	var out []string
	for _, a := range r.All() {
		var parts []string
		for _, u := range a.Uses {
			parts = append(parts, fmt.Sprintf("%s:%s=%d", u.Provider.Name(), r.Snapshot().ClassName(u.Class), u.Amount))
		}
		for _, m := range a.Mappings {
			for _, p := range m.Providers {
				parts = append(parts, fmt.Sprintf("[%s]%s", m.Suffix, p.Name()))
			}
		}
		slices.Sort(parts)
		out = append(out, strings.Join(parts, " "))
	}
	return out
}

func itoa(n int64) string { return fmt.Sprint(n) }

// sorted sorts and joins parts.
func sorted(parts []string) string {
	slices.Sort(parts)
	return strings.Join(parts, " ")
}
