package placement

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/internal/ordered"
	"github.com/placetop/placetop/model/versioned"
)

// Apply returns the Snapshot after c, and the records that c changes, sorted by kind
// and key. s stays as it is. A change that alters nothing returns s itself and no
// records. On an error nothing has changed; it wraps one of the kinds of this package
// and carries the facts.
//
// A record is changed, too, when its text is the same but it now means another class or
// trait of the same name: one deleted, one made or renamed.
//
// Apply is pure: the same Snapshot and the same Change always give the same result.
// Preview, dry run and replay use this function too.
func (s *Snapshot) Apply(c Change) (*Snapshot, []versioned.Change, error) {
	if c.Empty() {
		return s, nil, nil
	}
	e := newEdit(s, c.At)
	for _, op := range c.Ops {
		var err error
		switch op := op.(type) {
		case nil:
			return nil, nil, &InvalidError{Field: "change", Why: "contains a nil operation"}
		case PutRecords:
			err = e.putRecords(op)
		case applier:
			err = op.apply(e)
		default:
			err = &InvalidError{Field: "change", Why: "is not an operation of Placement's"}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", op, err)
		}
	}
	changes := e.changes()
	if len(changes) == 0 {
		return s, nil, nil
	}
	return snapshotOf(e.finish()), changes, nil
}

// Back returns the Snapshot before the given changes, which led to s: each record once,
// and reversed already.
//
// Errors: those of PutRecords.
func (s *Snapshot) Back(turned []versioned.Change) (*Snapshot, error) {
	b, err := batchOf(turned)
	if err != nil {
		return nil, err
	}
	e := newEdit(s, time.Time{})
	if err := e.putBatch(b, turned); err != nil {
		return nil, err
	}
	return snapshotOf(e.finish()), nil
}

// edit is a Snapshot in the making.
type edit struct {
	state
	base *Snapshot
	by   *owner
	now  int64 // Unix milliseconds

	// What the edit touched, as it was in base; nil if it was not there.
	providersWere originals[ProviderID, *ResourceProvider]
	consumersWere originals[ConsumerID, *Consumer]
	classesWere   map[uint32]string
	traitsWere    map[uint32]string

	ownChildren map[uint32]bool // providers, by number, whose list of children is the edit's own

	// Index sets under change, written back by finish.
	classSets     map[ClassID]*Set
	traitSets     map[TraitID]*Set
	aggregateSets map[AggregateID]*Set
}

// originals holds things as they were before they were first touched, in that order: a bulk
// edit goes by key, so they need no sorting afterwards.
//
// T is a pointer, so that all are compiled once.
type originals[K comparable, T any] struct {
	all  []original[K, T]
	seen map[K]bool // the ids in all; nil while they are few
}

type original[K comparable, T any] struct {
	id  K
	was T // nil if it was not there
}

// fewTouched is up to how many things a search goes through the list: as many as a claim
// touches.
const fewTouched = 8

// note remembers what a thing was, unless it is noted already.
func (t *originals[K, T]) note(id K, was T) {
	if t.has(id) {
		return
	}
	t.all = append(t.all, original[K, T]{id, was})
	switch {
	case t.seen != nil:
		t.seen[id] = true
	case len(t.all) > fewTouched:
		t.seen = make(map[K]bool, 2*fewTouched)
		for _, w := range t.all {
			t.seen[w.id] = true
		}
	}
}

func (t *originals[K, T]) has(id K) bool {
	if t.seen != nil {
		return t.seen[id]
	}
	return slices.ContainsFunc(t.all, func(w original[K, T]) bool { return w.id == id })
}

func newEdit(s *Snapshot, at time.Time) *edit {
	return &edit{state: s.forked(), base: s, by: new(owner), now: versioned.Millis(at)}
}

// forget drops what the edit touched as it was, where nobody asks for changes.
func (e *edit) forget() {
	e.providersWere, e.consumersWere = originals[ProviderID, *ResourceProvider]{}, originals[ConsumerID, *Consumer]{}
}

// finish writes the index sets back and returns the state.
func (e *edit) finish() state {
	for id, set := range e.classSets {
		putSet(e.classIndex, uint32(id), *set)
	}
	for id, set := range e.traitSets {
		putSet(e.traitIndex, uint32(id), *set)
	}
	for id, set := range e.aggregateSets {
		n, ok := e.aggregateIDs.Get(numbered{id: uuid.UUID(id)})
		switch {
		case set.Len() == 0:
			e.aggregateIDs.Delete(numbered{id: uuid.UUID(id)})
		case !ok:
			last, _, _ := e.aggregateIndex.Max()
			n = numbered{last + 1, uuid.UUID(id)}
			e.aggregateIDs.Set(n)
		}
		putSet(e.aggregateIndex, n.number, *set)
	}
	return e.state
}

// putSet replaces the set of an index, which goes if there is nothing left in it.
func putSet(all ordered.Map[uint32, *index], number uint32, set Set) {
	name := indexAt(all, number).name
	if name == "" && set.Len() == 0 {
		all.Delete(number)
		return
	}
	all.Set(number, &index{name, set})
}

// mut returns the provider with the given number for writing. Its inventories
// may be changed in place; its other slices are shared and must be replaced, but
// see parentOf.
func (e *edit) mut(number uint32) *ResourceProvider {
	p := e.providers.at(number)
	if p.by == e.by {
		return p
	}
	e.providersWere.note(p.id, p)
	c := *p
	c.by = e.by
	c.inventories = slices.Clone(p.inventories)
	e.providers.set(number, &c, e.by)
	return &c
}

// bump adds one to the generation of the provider.
func (e *edit) bump(number uint32) {
	p := e.mut(number)
	p.generation++
	p.updated = e.now
}

// expect checks the generation of a provider.
func expect(p *ResourceProvider, x Expect) error {
	if x.kind == expectUnset || x.kind == expectNew {
		return Invalid("resource_provider_generation", x.String(), "a generation is required")
	}
	if !x.allows(p.generation) {
		return &ConflictError{What: "resource provider", ID: p.id.String(), Name: p.name, Expect: x, Has: p.generation}
	}
	return nil
}

// editSet returns the set that an index keeps under key, ready to be changed.
func editSet[K comparable](sets *map[K]*Set, key K, get func(K) Set) *Set {
	set, ok := (*sets)[key]
	if !ok {
		if *sets == nil {
			*sets = map[K]*Set{}
		}
		now := get(key)
		set = &now
		(*sets)[key] = set
	}
	return set
}

// setInventories replaces the inventories of p, which is the edit's own, and
// keeps the index. inv is by class, ascending, with the usage of each.
func (e *edit) setInventories(p *ResourceProvider, inv []InventoryUsage) {
	e.shape++
	diff(p.inventories, inv, func(a, b InventoryUsage) int { return cmp.Compare(a.Class, b.Class) },
		func(gone InventoryUsage) {
			editSet(&e.classSets, gone.Class, e.WithClass).remove(int(p.number), e.by)
		},
		func(come InventoryUsage) {
			editSet(&e.classSets, come.Class, e.WithClass).add(int(p.number), e.by)
		})
	p.inventories = inv
}

// setTraits replaces the traits of p, which is the edit's own, and keeps the
// index. traits is ascending.
func (e *edit) setTraits(p *ResourceProvider, traits []TraitID) {
	e.shape++
	diff(p.traits, traits, cmp.Compare[TraitID],
		func(gone TraitID) { editSet(&e.traitSets, gone, e.WithTrait).remove(int(p.number), e.by) },
		func(come TraitID) { editSet(&e.traitSets, come, e.WithTrait).add(int(p.number), e.by) })
	p.traits = traits
}

// setAggregates replaces the aggregates of p, which is the edit's own, and keeps
// the index. aggs is ascending.
func (e *edit) setAggregates(p *ResourceProvider, aggs []AggregateID) {
	e.shape++
	diff(p.aggregates, aggs, AggregateID.Compare,
		func(gone AggregateID) {
			editSet(&e.aggregateSets, gone, e.InAggregate).remove(int(p.number), e.by)
		},
		func(come AggregateID) {
			editSet(&e.aggregateSets, come, e.InAggregate).add(int(p.number), e.by)
		})
	p.aggregates = aggs
}

// diff walks two ascending slices, and calls gone with what only the old one has, come
// with what only the new one has.
func diff[T any](was, is []T, compare func(a, b T) int, gone, come func(T)) {
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0:
			gone(was[0])
			was = was[1:]
		case len(was) == 0:
			come(is[0])
			is = is[1:]
		default:
			switch c := compare(was[0], is[0]); {
			case c < 0:
				gone(was[0])
				was = was[1:]
			case c > 0:
				come(is[0])
				is = is[1:]
			default:
				was, is = was[1:], is[1:]
			}
		}
	}
}
