package placement

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/versioned"
)

// changes compares what the edit touched with what was there before.
func (e *edit) changes() []versioned.Change {
	var out []versioned.Change
	for id, was := range e.classesWere {
		is := indexAt(e.classIndex, id).name
		out = appendChange(out, was != is, was != "", is != "",
			func() versioned.Record { return &ClassRecord{ID: ClassID(id), Name: ResourceClass(was)} },
			func() versioned.Record { return &ClassRecord{ID: ClassID(id), Name: ResourceClass(is)} })
	}
	for id, was := range e.traitsWere {
		is := indexAt(e.traitIndex, id).name
		out = appendChange(out, was != is, was != "", is != "",
			func() versioned.Record { return &TraitRecord{ID: TraitID(id), Name: Trait(was)} },
			func() versioned.Record { return &TraitRecord{ID: TraitID(id), Name: Trait(is)} })
	}
	for _, p := range e.providersWere.all {
		was := p.was
		is, _ := e.Provider(p.id)
		if e.providerChanged(was, is) {
			out = append(out, e.providerChange(was, is))
		}
		had, has := was != nil && len(was.traits) > 0, is != nil && len(is.traits) > 0
		out = appendChange(out, e.traitsChanged(was, is), had, has,
			func() versioned.Record { return e.base.ProviderTraitsRecord(was) },
			func() versioned.Record { return e.ProviderTraitsRecord(is) })
	}
	for _, c := range e.consumersWere.all {
		was := c.was
		is, _ := e.Consumer(c.id)
		out = appendChange(out, e.consumerChanged(was, is), was != nil, is != nil,
			func() versioned.Record { return e.base.ConsumerRecord(was) },
			func() versioned.Record { return e.ConsumerRecord(is) })
	}
	sortChanges(out)
	return out
}

// sortChanges sorts by kind, in the order of Schemas, and key. A change makes its
// key again each time it is asked for, so each is asked once.
func sortChanges(changes []versioned.Change) {
	type ranked struct {
		rank   int
		key    string
		change versioned.Change
	}
	all := make([]ranked, len(changes))
	for i, c := range changes {
		all[i] = ranked{rankOf(c.Kind()), string(c.Key()), c}
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.key, b.key))
	})
	for i := range all {
		changes[i] = all[i].change
	}
}

func appendChange(out []versioned.Change, changed, was, is bool, before, after func() versioned.Record) []versioned.Change {
	if !changed || !was && !is {
		return out
	}
	var c versioned.Change
	if was {
		c.Before = before()
	}
	if is {
		c.After = after()
	}
	return append(out, c)
}

// providerChanged reports whether the record of a provider, without its traits, has
// changed. Usage is not part of the record: it follows from the consumers.
func (e *edit) providerChanged(was, is *ResourceProvider) bool {
	if was == nil || is == nil {
		return was != is
	}
	return was.name != is.name || was.generation != is.generation || was.parentID(&e.base.state) != is.parentID(&e.state) ||
		was.created != is.created || was.updated != is.updated ||
		!slices.Equal(was.aggregates, is.aggregates) || !e.sameInventories(was, is)
}

// sameInventories reports whether a provider still has the inventories that it had,
// whatever is used of them.
func (e *edit) sameInventories(was, is *ResourceProvider) bool {
	return slices.EqualFunc(was.inventories, is.inventories, func(a, b InventoryUsage) bool {
		return a.Class == b.Class && a.Inventory == b.Inventory &&
			(len(e.classesWere) == 0 || e.base.ClassName(a.Class) == e.ClassName(b.Class))
	})
}

// providerChange returns the change of a provider, nil for one that was not there, or
// is not. A claim leaves the inventories as they are: the two records share them then.
func (e *edit) providerChange(was, is *ResourceProvider) (c versioned.Change) {
	var inventories map[ResourceClass]Inventory
	if was != nil {
		inventories = e.base.inventoriesOf(was)
		c.Before = e.base.providerRecord(was, inventories)
	}
	if is != nil {
		if was == nil || !e.sameInventories(was, is) {
			inventories = e.inventoriesOf(is)
		}
		c.After = e.providerRecord(is, inventories)
	}
	return c
}

// traitsChanged reports whether the traits of a provider have changed, or the name of one
// of their numbers has.
func (e *edit) traitsChanged(was, is *ResourceProvider) bool {
	var before, after []TraitID
	if was != nil {
		before = was.traits
	}
	if is != nil {
		after = is.traits
	}
	return !slices.Equal(before, after) ||
		len(e.traitsWere) > 0 && slices.ContainsFunc(after, func(t TraitID) bool {
			return e.base.TraitName(t) != e.TraitName(t)
		})
}

// consumerChanged reports whether the record of a consumer has changed, or the name of
// one of its class numbers has.
func (e *edit) consumerChanged(was, is *Consumer) bool {
	switch {
	case was == is:
		return false
	case was == nil || is == nil || was.generation != is.generation || was.typ != is.typ ||
		was.project != is.project || was.user != is.user || was.created != is.created || was.updated != is.updated:
		return true
	}
	return !reflect.DeepEqual(e.base.ConsumerRecord(was), e.ConsumerRecord(is)) ||
		len(e.classesWere) > 0 && slices.ContainsFunc(is.allocations, func(a allocation) bool {
			return e.base.ClassName(a.class) != e.ClassName(a.class)
		})
}

func (p *ResourceProvider) parentID(s *state) ProviderID {
	if p.parent == noProvider {
		return ProviderID{}
	}
	return s.providers.at(p.parent).id
}
