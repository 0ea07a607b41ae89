package placement

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/internal/ordered"
)

// Check walks the whole Snapshot and returns every inconsistency: an index that does
// not match the providers, a usage that is not the sum of the allocations, a broken
// tree. A Snapshot made by Apply or Load has none; stores call it when told to verify
// a file, tests after each case.
func (s *Snapshot) Check() []error {
	c := checker{
		Snapshot: s, used: map[slot]int64{}, classes: map[ClassID]int{}, traits: map[TraitID]int{}, aggregates: map[AggregateID]int{},
	}
	c.checkNames()
	c.checkConsumers()
	c.checkProviders()
	c.checkIndexes()
	return c.errs
}

// checker is a Check in progress.
type checker struct {
	*Snapshot
	errs []error
	used map[slot]int64 // what consumers hold, less what has been found at a provider

	// How many providers have each.
	classes    map[ClassID]int
	traits     map[TraitID]int
	aggregates map[AggregateID]int
}

func (c *checker) bad(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// checkNames compares names and numbers of custom classes and traits.
func (c *checker) checkNames() {
	classes := len(StandardClasses()) + c.checkNumbers("class", c.classIndex, c.classIDs)
	traits := len(StandardTraits()) + c.checkNumbers("trait", c.traitIndex, c.traitIDs)
	if c.classIDs.Len() != classes || c.traitIDs.Len() != traits {
		c.bad("%d classes and %d traits by name, %d and %d by number", c.classIDs.Len(), c.traitIDs.Len(), classes, traits)
	}
}

// checkNumbers compares the custom names of one kind with their numbers, and returns how
// many there are.
func (c *checker) checkNumbers(what string, all ordered.Map[uint32, *index], ids ordered.Map[string, uint32]) int {
	count := 0
	customNames(all, func(id int32, name string) bool {
		count++
		if got, ok := ids.Get(name); !ok || int32(got) != id {
			c.bad("%s %s: number %d by name, %d by number", what, name, got, id)
		}
		return true
	})
	return count
}

// checkConsumers adds up what consumers hold.
func (c *checker) checkConsumers() {
	held := 0
	tallies := tallyMap{}
	for con := range c.Consumers() {
		tallies.count(con)
		if len(con.allocations) == 0 {
			c.bad("consumer %s holds nothing", con.id)
		}
		if !slices.IsSortedFunc(con.allocations, func(a, b allocation) int {
			return cmp.Or(cmp.Compare(a.provider, b.provider), cmp.Compare(a.class, b.class))
		}) {
			c.bad("consumer %s: allocations out of order", con.id)
		}
		last := noProvider
		for _, a := range con.allocations {
			c.used[slot{a.provider, a.class}] += a.used
			if a.used < 1 {
				c.bad("consumer %s holds %d of class %d on provider %d", con.id, a.used, a.class, a.provider)
			}
			if a.provider == last {
				continue
			}
			held++
			last = a.provider
			if _, ok := c.holdings.Get(numbered{a.provider, uuid.UUID(con.id)}); !ok {
				c.bad("consumer %s is not listed on provider %d", con.id, a.provider)
			}
		}
	}
	for _, t := range tallies {
		if has, ok := c.tallies.Get(t); !ok || has.Consumers != t.Consumers || !slices.Equal(has.used, t.used) {
			c.bad("project %s, user %s: the usage kept for the %d consumers of type %s is not what they hold", t.Project, t.User, t.Consumers, t.Type)
		}
	}
	if len(tallies) != c.tallies.Len() {
		c.bad("%d combinations of project, user and type have consumers, %d are counted", len(tallies), c.tallies.Len())
	}
	if held != c.holdings.Len() {
		c.bad("%d consumers are listed on providers, %d hold allocations there", c.holdings.Len(), held)
	}
}

// checkProviders checks each provider, its place in its tree, and its entries in the
// indexes.
func (c *checker) checkProviders() {
	count, roots, reached := 0, 0, 0
	for p := range c.Providers() {
		count++
		c.checkProvider(p)
		if p.IsRoot() {
			roots++
			c.walk(p, 0, func(depth int, _ *ResourceProvider) bool {
				reached++
				return reached <= c.all.Len()
			})
		}
	}
	for sl := range c.used {
		c.bad("class %d on provider %d has allocations but no inventory", sl.class, sl.provider)
	}
	if count != c.all.Len() || count != c.byID.Len() || roots != c.roots.Len() || count != reached {
		c.bad("%d providers by name, %d by uuid, %d in the set, %d below the roots; %d roots, %d in the set",
			count, c.byID.Len(), c.all.Len(), reached, roots, c.roots.Len())
	}
	for n := range c.free.All() {
		if c.all.Has(n) {
			c.bad("number %d is both in use and free", n)
		}
	}
}

func (c *checker) checkProvider(p *ResourceProvider) {
	number := int(p.number)
	if q, ok := c.Provider(p.id); !ok || q != p {
		c.bad("provider %s: found by name but not by uuid", p.name)
	}
	if q, ok := c.ProviderByName(p.name); !ok || q != p {
		c.bad("provider %s: listed by name under another", p.name)
	}
	for _, iu := range p.inventories {
		sl := slot{p.number, iu.Class}
		if iu.Used != c.used[sl] {
			c.bad("provider %s: %s used %d, the allocations add up to %d", p.name, c.ClassName(iu.Class), iu.Used, c.used[sl])
		}
		delete(c.used, sl)
		c.classes[iu.Class]++
		if !c.WithClass(iu.Class).Has(number) {
			c.bad("provider %s is missing from the set of %s", p.name, c.ClassName(iu.Class))
		}
		if c.ClassName(iu.Class) == "" {
			c.bad("provider %s has an inventory of class %d, which has no name", p.name, iu.Class)
		}
	}
	for _, t := range p.traits {
		c.traits[t]++
		if !c.WithTrait(t).Has(number) {
			c.bad("provider %s is missing from the set of %s", p.name, c.TraitName(t))
		}
		if c.TraitName(t) == "" {
			c.bad("provider %s has trait %d, which has no name", p.name, t)
		}
	}
	for _, a := range p.aggregates {
		c.aggregates[a]++
		if !c.InAggregate(a).Has(number) {
			c.bad("provider %s is missing from the set of aggregate %s", p.name, a)
		}
	}
	if !c.all.Has(number) || c.roots.Has(number) != p.IsRoot() {
		c.bad("provider %s: the sets of providers and roots do not agree with it", p.name)
	}
	c.checkPlace(p)
	if !slices.IsSortedFunc(p.inventories, func(a, b InventoryUsage) int { return cmp.Compare(a.Class, b.Class) }) ||
		!slices.IsSorted(p.traits) || !slices.IsSortedFunc(p.aggregates, AggregateID.Compare) || !slices.IsSorted(p.children) {
		c.bad("provider %s: inventories, traits, aggregates or children out of order", p.name)
	}
}

// checkPlace checks the parent, the root and the children of a provider.
func (c *checker) checkPlace(p *ResourceProvider) {
	if p.IsRoot() {
		if p.root != p.number {
			c.bad("provider %s: it has no parent, but another provider as its root", p.name)
		}
	} else {
		up := c.providers.at(p.parent)
		known := false
		if up != nil { // its children are in order, or that is reported
			_, known = slices.BinarySearch(up.children, p.number)
		}
		if !known || up.root != p.root {
			c.bad("provider %s: its parent does not list it as a child", p.name)
		}
	}
	for _, n := range p.children {
		if child := c.providers.at(n); child == nil || child.parent != p.number {
			c.bad("provider %s: lists a child that is not its own", p.name)
		}
	}
}

// checkIndexes compares the sizes of the sets with the counts of providers.
func (c *checker) checkIndexes() {
	c.classIndex.Scan(func(n uint32, ix *index) bool {
		if id := ClassID(n); ix.of.Len() != c.classes[id] {
			c.bad("class %s: %d providers have it, %d are in its set", c.ClassName(id), c.classes[id], ix.of.Len())
		}
		return true
	})
	c.traitIndex.Scan(func(n uint32, ix *index) bool {
		if id := TraitID(n); ix.of.Len() != c.traits[id] {
			c.bad("trait %s: %d providers have it, %d are in its set", c.TraitName(id), c.traits[id], ix.of.Len())
		}
		return true
	})
	if ids, sets := c.aggregateIDs.Len(), c.aggregateIndex.Len(); ids != sets {
		c.bad("%d aggregates by uuid, %d by number", ids, sets)
	}
	for id, set := range c.Aggregates() {
		if set.Len() != c.aggregates[id] || set.Len() == 0 {
			c.bad("aggregate %s: %d providers are in it, %d are in its set", id, c.aggregates[id], set.Len())
		}
	}
}
