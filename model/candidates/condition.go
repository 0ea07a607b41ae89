package candidates

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Rule names a kind of condition that a query sets.
type Rule string

// The rules, in the order in which a funnel asks them: which trees are asked for, then
// those about single providers, group by group, then those about trees, then those
// about the picks of several groups together.
const (
	RuleAnchor             Rule = "anchor"              // the tree is one of those asked for
	RuleMemberOf           Rule = "member_of"           // is in one aggregate of each term
	RuleForbiddenAggregate Rule = "forbidden_aggregate" // is in none of the aggregates
	RuleInTree             Rule = "in_tree"             // is of the tree
	RuleGiver              Rule = "giver"               // is the provider that is asked for, and has the class
	RuleInventory          Rule = "inventory"           // has an inventory of the class
	RuleCapacity           Rule = "capacity"            // has room for the amount
	RuleUnits              Rule = "units"               // min_unit, max_unit and step_size allow the amount
	RuleForbiddenTrait     Rule = "forbidden_trait"     // does not have the trait
	RuleRequiredTrait      Rule = "required_trait"      // has one of the traits; in the un-suffixed group: one of those used has
	RuleOpenGroup          Rule = "open_group"          // the group asks for resources, traits or aggregates: else nobody serves it
	RuleRootRequired       Rule = "root_required"       // the root has the trait
	RuleRootForbidden      Rule = "root_forbidden"      // the root does not have the trait
	RuleTraitsTogether     Rule = "traits_together"     // the providers used by the un-suffixed group have all traits, together
	RuleOneProvider        Rule = "one_provider"        // one provider of a tree, below microversion 1.29
	RuleSameSubtree        Rule = "same_subtree"        // one provider of the groups is above the others
	RuleIsolate            Rule = "isolate"             // each suffixed group has a provider of its own
	RuleSum                Rule = "sum"                 // room and max_unit allow what several groups take of one provider
	RuleLimit              Rule = "limit"               // is among the first so many
	RuleGroup              Rule = "group"               // the group is asked for: of ways out only
)

// Condition is one thing that a query asks, with its values.
type Condition struct {
	Rule       Rule
	Group      string                  // suffix; "" also where the condition is not of a group
	Class      placement.ResourceClass // of inventory, capacity, units, sum; "" of sums of several classes, and of the inventory of who has no class that is asked for
	Amount     int64                   // units of Class; of limit: candidates
	Traits     []placement.Trait       // one of several for required_trait
	Aggregates [][]AggregateText       // one of each inner list; one list for forbidden_aggregate
	InTree     ProviderText
	Anchor     string   // Name of the AnchorTerm, or of the GiverTerm
	Suffixes   []string // of same_subtree
	Origin     string   // where the term of the query comes from
}

// OfGroup reports whether c is a condition of one request group, as opposed to
// one of the whole query.
func (c Condition) OfGroup() bool {
	switch c.Rule {
	case RuleRootRequired, RuleRootForbidden, RuleAnchor, RuleOneProvider, RuleSameSubtree, RuleIsolate, RuleSum, RuleLimit:
		return false
	default:
		return true
	}
}

// named returns c with its aggregates and its tree as name calls them by their uuids.
func (c Condition) named(name func(string) string) Condition {
	if c.InTree != "" {
		c.InTree = ProviderText(name(string(c.InTree)))
	}
	terms := make([][]AggregateText, len(c.Aggregates))
	for i, t := range c.Aggregates {
		for _, id := range t {
			terms[i] = append(terms[i], AggregateText(name(string(id))))
		}
	}
	c.Aggregates = terms
	return c
}

// Words says c in a few words, such as "VGPU: 2 free".
func (c Condition) Words() string {
	words := c.bare()
	if c.OfGroup() && c.Group != "" {
		words += " (group " + c.Group + ")"
	}
	return words
}

func (c Condition) bare() string {
	switch c.Rule {
	case RuleMemberOf:
		return "in aggregate " + joinAggregates(c.Aggregates)
	case RuleForbiddenAggregate:
		return "not in aggregate " + joinAggregates(c.Aggregates)
	case RuleInTree:
		return "in the tree of " + string(c.InTree)
	case RuleInventory:
		return string(c.Class) + ": has inventory"
	case RuleCapacity:
		return fmt.Sprintf("%s: %d free", c.Class, c.Amount)
	case RuleUnits:
		return fmt.Sprintf("%s: %d at once", c.Class, c.Amount)
	case RuleForbiddenTrait:
		return "no trait " + joinTraits(c.Traits, " or ")
	case RuleRequiredTrait:
		return "trait " + joinTraits(c.Traits, " or ")
	case RuleOpenGroup:
		return "the group asks for more than what it forbids"
	case RuleRootRequired:
		return "root has " + joinTraits(c.Traits, " or ")
	case RuleRootForbidden:
		return "root has no " + joinTraits(c.Traits, " or ")
	case RuleAnchor:
		return "on " + c.Anchor
	case RuleGiver:
		return string(c.Class) + " from " + c.Anchor
	case RuleTraitsTogether:
		return "all traits together"
	case RuleOneProvider:
		return "one provider of a tree (microversion below 1.29)"
	case RuleSameSubtree:
		return "same subtree: groups " + strings.Join(c.Suffixes, ", ")
	case RuleIsolate:
		return "each group on its own provider"
	case RuleSum:
		if c.Class == "" {
			return "amounts of all groups together"
		}
		return string(c.Class) + ": all groups together"
	case RuleLimit:
		return fmt.Sprintf("limit %d", c.Amount)
	case RuleGroup: // of ways out
	}
	return string(c.Rule)
}

func joinAggregates(terms [][]AggregateText) string {
	parts := make([]string, len(terms))
	for i, t := range terms {
		ids := make([]string, len(t))
		for j, id := range t {
			ids[j] = string(id)
		}
		parts[i] = strings.Join(ids, " or ")
	}
	return strings.Join(parts, " and in ")
}

// Reason says how a provider, or a tree, fails a Condition, with the numbers.
type Reason struct {
	Condition Condition
	Provider  *placement.ResourceProvider // who fails it: the root for conditions about roots; nil where it is about several, or none
	Refusal   placement.Refusal           // of inventory, capacity and units
	Has       placement.InventoryUsage    // what there is of the class; the zero value where there is none
}

// Words says r in a few words, such as "needs 2 VGPU, has 1 free of 8".
func (r Reason) Words() string {
	c := r.Condition
	group := ""
	if c.OfGroup() && c.Group != "" {
		group = " in group " + c.Group
	}
	switch c.Rule {
	case RuleMemberOf:
		if c.Group == "" {
			return "neither it nor its root is in aggregate " + joinAggregates(c.Aggregates)
		}
		return "is not itself in aggregate " + joinAggregates(c.Aggregates) + ", asked for" + group
	case RuleForbiddenAggregate:
		if c.Group == "" {
			return "it or its root is in the forbidden aggregate " + joinAggregates(c.Aggregates)
		}
		return "is in aggregate " + joinAggregates(c.Aggregates) + ", forbidden" + group
	case RuleInTree:
		return "is not in the tree of " + string(c.InTree) + ", asked for" + group
	case RuleInventory:
		if c.Class == "" {
			return "has none of the classes asked for"
		}
		return "has no inventory of " + string(c.Class)
	case RuleCapacity:
		if r.Has.OverCapacity() {
			return fmt.Sprintf("needs %d %s, is over-full with %d of %d", c.Amount, c.Class, r.Has.Used, r.Has.Capacity())
		}
		return fmt.Sprintf("needs %d %s, has %d free of %d", c.Amount, c.Class, r.Has.Free(), r.Has.Capacity())
	case RuleUnits:
		return r.unitWords()
	case RuleForbiddenTrait:
		return "has " + joinTraits(c.Traits, " or ") + ", which is forbidden" + group
	case RuleRequiredTrait:
		if c.Group == "" {
			return "nothing that can be used has " + joinTraits(c.Traits, " or ")
		}
		return "lacks " + joinTraits(c.Traits, " or ") + group
	case RuleOpenGroup:
		return "group " + c.Group + " only forbids, so nobody serves it"
	case RuleRootRequired:
		return "its root " + r.root() + " lacks " + joinTraits(c.Traits, " or ")
	case RuleRootForbidden:
		if len(c.Traits) == 1 && c.Traits[0] == placement.ComputeStatusDisabled {
			return "compute " + r.root() + " is disabled"
		}
		return "its root " + r.root() + " has " + joinTraits(c.Traits, " or ") + ", which is forbidden"
	case RuleAnchor:
		return "is not of " + c.Anchor + ", asked for"
	case RuleGiver:
		return "is not " + c.Anchor + ", asked for " + string(c.Class) + group
	case RuleTraitsTogether:
		return "no choice of providers has " + joinTraits(c.Traits, ", ") + " together"
	case RuleOneProvider:
		return "would take several providers of one tree, which needs microversion 1.29"
	case RuleSameSubtree:
		return "no choice of providers for groups " + strings.Join(c.Suffixes, ", ") + " has one above all others"
	case RuleIsolate:
		return "two groups want the same provider under isolate"
	case RuleSum:
		if c.Class == "" {
			return "the groups together want more of one provider than it gives"
		}
		return "the groups together want more " + string(c.Class) + " of one provider than it gives"
	case RuleGroup: // of ways out
	case RuleLimit:
		return fmt.Sprintf("fits, but is not among the first %d", c.Amount)
	}
	return string(c.Rule)
}

func (r Reason) root() string {
	if r.Provider == nil {
		return ""
	}
	return r.Provider.Name()
}

func (r Reason) unitWords() string {
	c := r.Condition
	switch r.Refusal {
	case placement.BelowMinUnit:
		return fmt.Sprintf("needs %d %s, min_unit is %d", c.Amount, c.Class, r.Has.MinUnit)
	case placement.OffStep:
		return fmt.Sprintf("needs %d %s, step_size is %d", c.Amount, c.Class, r.Has.StepSize)
	default:
		return fmt.Sprintf("needs %d %s, max_unit is %d", c.Amount, c.Class, r.Has.MaxUnit)
	}
}
