package candidates

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/placement"
)

// Criterion names a kind of condition that a query sets.
type Criterion string

// The criteria, in the order in which a funnel applies them: which trees are asked for,
// those about single providers, group by group, those about trees, and those about what
// several groups pick together.
const (
	CriterionAnchor             Criterion = "anchor"              // the tree is one of those asked for
	CriterionMemberOf           Criterion = "member_of"           // is in one aggregate of each term
	CriterionForbiddenAggregate Criterion = "forbidden_aggregate" // is in none of the aggregates
	CriterionInTree             Criterion = "in_tree"             // is of the tree
	CriterionGiver              Criterion = "giver"               // is the provider that is asked for, and has the class
	CriterionInventory          Criterion = "inventory"           // has an inventory of the class
	CriterionCapacity           Criterion = "capacity"            // has room for the amount
	CriterionUnits              Criterion = "units"               // min_unit, max_unit and step_size allow the amount
	CriterionForbiddenTrait     Criterion = "forbidden_trait"     // does not have the trait
	CriterionRequiredTrait      Criterion = "required_trait"      // has one of the traits; in the un-suffixed group: one of those used has
	CriterionOpenGroup          Criterion = "open_group"          // the group asks for resources, traits or aggregates: otherwise no provider serves it
	CriterionRootRequired       Criterion = "root_required"       // the root has the trait
	CriterionRootForbidden      Criterion = "root_forbidden"      // the root does not have the trait
	CriterionTraitsTogether     Criterion = "traits_together"     // the providers used by the un-suffixed group have all traits, together
	CriterionOneProvider        Criterion = "one_provider"        // one provider of a tree, below microversion 1.29
	CriterionSameSubtree        Criterion = "same_subtree"        // one provider of the groups is above the others
	CriterionIsolate            Criterion = "isolate"             // each suffixed group has a different provider
	CriterionSum                Criterion = "sum"                 // room and max_unit allow what several groups take of one provider
	CriterionLimit              Criterion = "limit"               // is among the first Amount candidates
	CriterionGroup              Criterion = "group"               // the group is asked for: of ways out only
)

// Condition is one thing that a query asks for, with its values.
type Condition struct {
	Criterion  Criterion               `json:"rule"`
	Group      string                  `json:"group"`                    // suffix; "" also if the condition is not of a group
	Class      placement.ResourceClass `json:"resource_class,omitempty"` // of inventory, capacity, units, sum; "" for a sum of several classes, and for an inventory of any class that is asked for
	Amount     int64                   `json:"amount,omitempty"`         // units of Class; of limit: candidates
	Traits     []placement.Trait       `json:"traits,omitempty"`         // one of several for required_trait
	Aggregates [][]AggregateText       `json:"-"`                        // one of each inner list; one list for forbidden_aggregate
	InTree     ProviderText            `json:"-"`
	Anchor     string                  `json:"-"` // Name of the AnchorTerm, or of the GiverTerm
	Suffixes   []string                `json:"-"` // of same_subtree
	Origin     string                  `json:"-"` // where the term of the query comes from
}

// OfGroup reports whether c is a condition of one request group, as opposed to
// one of the whole query.
func (c Condition) OfGroup() bool {
	switch c.Criterion {
	case CriterionRootRequired, CriterionRootForbidden, CriterionAnchor, CriterionOneProvider, CriterionSameSubtree, CriterionIsolate, CriterionSum, CriterionLimit:
		return false
	default:
		return true
	}
}

// named returns c with the names of its aggregates and its tree, which name returns for
// their uuids.
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

// Words describes c in a few words, such as "VGPU: 2 free".
func (c Condition) Words() string {
	words := c.bare()
	if c.OfGroup() && c.Group != "" {
		words += " (group " + c.Group + ")"
	}
	return words
}

func (c Condition) bare() string {
	switch c.Criterion {
	case CriterionMemberOf:
		return "in aggregate " + joinAggregates(c.Aggregates)
	case CriterionForbiddenAggregate:
		return "not in aggregate " + joinAggregates(c.Aggregates)
	case CriterionInTree:
		return "in the tree of " + string(c.InTree)
	case CriterionInventory:
		return string(c.Class) + ": has inventory"
	case CriterionCapacity:
		return fmt.Sprintf("%s: %d free", c.Class, c.Amount)
	case CriterionUnits:
		return fmt.Sprintf("%s: %d at once", c.Class, c.Amount)
	case CriterionForbiddenTrait:
		return "no trait " + joinTraits(c.Traits, " or ")
	case CriterionRequiredTrait:
		return "trait " + joinTraits(c.Traits, " or ")
	case CriterionOpenGroup:
		return "the group asks for something, not only forbids"
	case CriterionRootRequired:
		return "root has " + joinTraits(c.Traits, " or ")
	case CriterionRootForbidden:
		return "root has no " + joinTraits(c.Traits, " or ")
	case CriterionAnchor:
		return "on " + c.Anchor
	case CriterionGiver:
		return string(c.Class) + " from " + c.Anchor
	case CriterionTraitsTogether:
		return "all traits together"
	case CriterionOneProvider:
		return "one provider of a tree (microversion below 1.29)"
	case CriterionSameSubtree:
		return "same subtree: groups " + strings.Join(c.Suffixes, ", ")
	case CriterionIsolate:
		return "each group on its own provider"
	case CriterionSum:
		if c.Class == "" {
			return "amounts of all groups together"
		}
		return string(c.Class) + ": all groups together"
	case CriterionLimit:
		return fmt.Sprintf("limit %d", c.Amount)
	case CriterionGroup: // of ways out
	}
	return string(c.Criterion)
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
	Provider  *placement.ResourceProvider // the provider that fails: the root for conditions about roots; nil if it is about several, or none
	Refusal   placement.Refusal           // of inventory, capacity and units
	Has       placement.InventoryUsage    // what there is of the class; the zero value if there is none
}

// Words describes r in a few words, such as "needs 2 VGPU, has 1 free of 8".
func (r Reason) Words() string {
	c := r.Condition
	group := ""
	if c.OfGroup() && c.Group != "" {
		group = " in group " + c.Group
	}
	switch c.Criterion {
	case CriterionMemberOf:
		if c.Group == "" {
			return "neither it nor its root is in aggregate " + joinAggregates(c.Aggregates)
		}
		return "is not itself in aggregate " + joinAggregates(c.Aggregates) + ", asked for" + group
	case CriterionForbiddenAggregate:
		if c.Group == "" {
			return "it or its root is in the forbidden aggregate " + joinAggregates(c.Aggregates)
		}
		return "is in aggregate " + joinAggregates(c.Aggregates) + ", forbidden" + group
	case CriterionInTree:
		return "is not in the tree of " + string(c.InTree) + ", asked for" + group
	case CriterionInventory:
		if c.Class == "" {
			return "has none of the classes asked for"
		}
		return "has no inventory of " + string(c.Class)
	case CriterionCapacity:
		if r.Has.OverCapacity() {
			return fmt.Sprintf("needs %d %s, but is over capacity: %d of %d used", c.Amount, c.Class, r.Has.Used, r.Has.Capacity())
		}
		return fmt.Sprintf("needs %d %s, has %d free of %d", c.Amount, c.Class, r.Has.Free(), r.Has.Capacity())
	case CriterionUnits:
		return r.unitWords()
	case CriterionForbiddenTrait:
		return "has " + joinTraits(c.Traits, " or ") + ", which is forbidden" + group
	case CriterionRequiredTrait:
		if c.Group == "" {
			return "no usable provider has " + joinTraits(c.Traits, " or ")
		}
		return "lacks " + joinTraits(c.Traits, " or ") + group
	case CriterionOpenGroup:
		return "group " + c.Group + " only forbids, so no provider can serve it"
	case CriterionRootRequired:
		return "its root " + r.root() + " lacks " + joinTraits(c.Traits, " or ")
	case CriterionRootForbidden:
		if len(c.Traits) == 1 && c.Traits[0] == placement.ComputeStatusDisabled {
			return "compute " + r.root() + " is disabled"
		}
		return "its root " + r.root() + " has " + joinTraits(c.Traits, " or ") + ", which is forbidden"
	case CriterionAnchor:
		return "is not part of " + c.Anchor + ", asked for"
	case CriterionGiver:
		return "is not " + c.Anchor + ", asked for " + string(c.Class) + group
	case CriterionTraitsTogether:
		return "no choice of providers has " + joinTraits(c.Traits, ", ") + " together"
	case CriterionOneProvider:
		return "needs several providers of one tree, which takes microversion 1.29"
	case CriterionSameSubtree:
		return "no choice of providers for groups " + strings.Join(c.Suffixes, ", ") + " has one that is above all the others"
	case CriterionIsolate:
		return "two groups need the same provider, but group_policy is isolate"
	case CriterionSum:
		if c.Class == "" {
			return "the groups together need more of one provider than it has"
		}
		return "the groups together need more " + string(c.Class) + " of one provider than it has"
	case CriterionGroup: // of ways out
	case CriterionLimit:
		return fmt.Sprintf("fits, but is not among the first %d", c.Amount)
	}
	return string(c.Criterion)
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
