package candidates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// Relaxation is one change of a query that makes it easier to answer. Criterion says
// which condition is relaxed:
//
//   - capacity: the amount of Class becomes To;
//   - inventory: Class is no longer asked for;
//   - required_trait, forbidden_trait, root_required, root_forbidden, in_tree, member_of,
//     forbidden_aggregate, same_subtree, anchor, giver: the condition is dropped;
//   - open_group: the group, which is without resources, is no longer asked for;
//   - group: the group is no longer asked for, with all its resources;
//   - isolate: group_policy becomes none;
//   - one_provider: the query is asked at microversion 1.29.
type Relaxation struct {
	Criterion Criterion
	Group     string // suffix; "" also if the condition is not of a group
	Class     placement.ResourceClass
	From, To  int64 // units of Class
	Traits    []placement.Trait
	Suffixes  []string
	Origin    string // where the relaxed term comes from
}

// Words describes r in a few words, such as "VGPU 2 > 1 in group _GPU".
func (r Relaxation) Words() string {
	group := ""
	if r.Group != "" {
		group = " in group " + r.Group
	}
	switch r.Criterion {
	case CriterionCapacity:
		return fmt.Sprintf("%s %d > %d%s", r.Class, r.From, r.To, group)
	case CriterionInventory:
		return "without " + string(r.Class) + group
	case CriterionRequiredTrait:
		return "drop " + joinTraits(r.Traits, " or ") + group
	case CriterionForbiddenTrait:
		return "allow " + joinTraits(r.Traits, " or ") + group
	case CriterionRootRequired:
		return "drop root_required " + joinTraits(r.Traits, " or ")
	case CriterionRootForbidden:
		return "allow " + joinTraits(r.Traits, " or ") + " on the root"
	case CriterionAnchor:
		return "allow any host"
	case CriterionGiver:
		return "take from any provider"
	case CriterionMemberOf:
		return "allow any aggregate" + group
	case CriterionForbiddenAggregate:
		return "forbid no aggregate" + group
	case CriterionInTree:
		return "allow any tree" + group
	case CriterionOpenGroup, CriterionGroup:
		return "leave out group " + r.Group
	case CriterionSameSubtree:
		return "drop same_subtree " + strings.Join(r.Suffixes, ",")
	case CriterionIsolate:
		return "group_policy none"
	case CriterionOneProvider:
		return "use microversion " + microversion.NestedCandidates.String()
	default:
		return string(r.Criterion)
	}
}

// Relax returns q with the relaxations applied, and false if nothing sensible is
// left of it. Groups that no longer ask for anything are removed.
func (q Query) Relax(list ...Relaxation) (Query, bool) {
	out := q.Clone()
	for _, r := range list {
		out.relax(r)
	}
	out.Groups = slices.DeleteFunc(out.Groups, func(g Group) bool {
		if len(g.Resources) > 0 {
			return false
		}
		was, _ := q.Group(g.Suffix)
		return !out.together(g.Suffix) || !g.open() && (was.open() || len(g.Forbidden)+len(g.ForbiddenAggregates) == 0)
	})
	for i := range out.SameSubtree {
		t := &out.SameSubtree[i]
		t.Suffixes = slices.DeleteFunc(t.Suffixes, func(s string) bool { return out.find(s) < 0 })
	}
	out.SameSubtree = slices.DeleteFunc(out.SameSubtree, func(t Subtree) bool { return len(t.Suffixes) == 0 })
	return out, out.Validate(nil) == nil
}

// together reports whether some same_subtree has the suffix.
func (q Query) together(suffix string) bool {
	return slices.ContainsFunc(q.SameSubtree, func(t Subtree) bool { return slices.Contains(t.Suffixes, suffix) })
}

// open reports whether any provider can serve g: it asks for more than what it
// forbids.
func (g Group) open() bool { return len(g.Resources)+len(g.Required)+len(g.MemberOf) > 0 }

// relax applies r in place.
func (q *Query) relax(r Relaxation) {
	sameTraits := func(t placement.Trait) bool { return len(r.Traits) == 1 && r.Traits[0] == t }
	switch r.Criterion {
	case CriterionRootRequired:
		q.Root.Required = slices.DeleteFunc(q.Root.Required, func(t Trait) bool { return sameTraits(t.Name) })
		return
	case CriterionRootForbidden:
		q.Root.Forbidden = slices.DeleteFunc(q.Root.Forbidden, func(t Trait) bool { return sameTraits(t.Name) })
		return
	case CriterionAnchor:
		q.Anchors = AnchorTerm{}
		return
	case CriterionGiver:
		q.Giver = GiverTerm{}
		return
	case CriterionIsolate:
		q.GroupPolicy = PolicyNone
		return
	case CriterionOneProvider:
		q.Microversion = max(q.Version(), microversion.NestedCandidates)
		return
	case CriterionSameSubtree:
		q.SameSubtree = slices.DeleteFunc(q.SameSubtree, func(t Subtree) bool { return slices.Equal(t.Suffixes, r.Suffixes) })
		return
	default: // of a group
	}
	i := q.find(r.Group)
	if i < 0 {
		return
	}
	g := &q.Groups[i]
	switch r.Criterion {
	case CriterionCapacity:
		for j := range g.Resources {
			if g.Resources[j].Class == r.Class {
				g.Resources[j].Amount = r.To
			}
		}
	case CriterionInventory:
		g.Resources = slices.DeleteFunc(g.Resources, func(a Resource) bool { return a.Class == r.Class })
	case CriterionRequiredTrait:
		g.Required = slices.DeleteFunc(g.Required, func(t AnyTrait) bool { return slices.Equal(t.Names, r.Traits) })
	case CriterionForbiddenTrait:
		g.Forbidden = slices.DeleteFunc(g.Forbidden, func(t Trait) bool { return sameTraits(t.Name) })
	case CriterionMemberOf:
		g.MemberOf = nil
	case CriterionForbiddenAggregate:
		g.ForbiddenAggregates = nil
	case CriterionInTree:
		g.InTree, g.InTreeOrigin = "", ""
	case CriterionOpenGroup, CriterionGroup:
		*g = Group{Suffix: g.Suffix}
	default: // no way out
	}
}
