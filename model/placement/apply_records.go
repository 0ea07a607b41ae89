package placement

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/placetop/placetop/model/versioned"
)

// recordBatch holds the changes of a PutRecords by kind.
type recordBatch struct {
	classes   []versioned.Change
	traits    []versioned.Change
	providers []versioned.Change
	tags      []versioned.Change // traits of providers
	consumers []versioned.Change
}

// putRecords applies a PutRecords.
func (e *edit) putRecords(op PutRecords) error {
	b, err := batchOf(op.Records)
	if err != nil {
		return err
	}
	seen := make(map[string]bool, len(op.Records))
	for _, c := range op.Records {
		key := string(c.Kind()) + " " + string(c.Key())
		if seen[key] {
			return Invalid("records", c.Title(), "given twice")
		}
		seen[key] = true
	}
	return e.putBatch(b, op.Records)
}

// batchOf returns changes by kind.
func batchOf(changes []versioned.Change) (b recordBatch, err error) {
	for _, c := range changes {
		if c.Before == nil && c.After == nil {
			return b, &InvalidError{Field: "records", Why: "the change has no record, neither before nor after"}
		}
		if c.Before != nil && c.After != nil && (c.Before.RecordKind() != c.After.RecordKind() || !slices.Equal(c.Before.RecordKey(), c.After.RecordKey())) {
			return b, Invalid("records", string(c.Kind()), "the records before and after are not the same one")
		}
		switch c.Kind() {
		case KindClass:
			b.classes = append(b.classes, c)
		case KindTrait:
			b.traits = append(b.traits, c)
		case KindProvider:
			b.providers = append(b.providers, c)
		case KindProviderTraits:
			b.tags = append(b.tags, c)
		case KindConsumer:
			b.consumers = append(b.consumers, c)
		default:
			return b, Invalid("records", string(c.Kind()), "no kind of Placement's records")
		}
	}
	return b, nil
}

// putBatch puts changes, of which b has each record once, if all are as they found it.
func (e *edit) putBatch(b recordBatch, changes []versioned.Change) error {
	if err := e.guard(changes); err != nil {
		return err
	}
	for _, step := range []func(*edit) error{
		b.putNames, b.dropConsumers, b.putProviders, b.putParents, b.putTraits, b.deleteProviders, b.putConsumers, b.deleteNames,
	} {
		if err := step(e); err != nil {
			return err
		}
	}
	return nil
}

// guard checks that every record of the batch is as its change found it, before
// the first of them is put.
func (e *edit) guard(changes []versioned.Change) error {
	for _, c := range changes {
		now := e.Held(c.Record())
		if versioned.Alike(c.Before, now) {
			continue
		}
		return conflictOf(c, now)
	}
	return nil
}

// conflictOf is the error about a record that is not as its change says: now is the
// record there is, nil if there is none.
func conflictOf(c versioned.Change, now versioned.Record) error {
	has := func(r versioned.Record) (generation int64, ok bool) {
		switch r := r.(type) {
		case *ProviderRecord:
			return r.Generation, true
		case *ConsumerRecord:
			return r.Generation, true
		}
		return -1, r == nil
	}
	before, known := has(c.Before)
	after, alsoKnown := has(now)
	if !known || !alsoKnown || before == after {
		return &StaleError{Change: c}
	}
	expect := Generation(before)
	if c.Before == nil {
		expect = NewConsumer()
	}
	return &ConflictError{What: c.Kind().Words(), ID: versioned.KeyText(c.Key()), Expect: expect, Has: after}
}

// putNames makes and renames classes and traits. Names may be swapped within one
// batch, or pass from one that is removed to one that is made, so all names of
// the batch are given up before the first is given out.
func (b *recordBatch) putNames(e *edit) error {
	for _, c := range b.classes {
		if r, ok := c.Before.(*ClassRecord); ok {
			e.classIDs.Delete(string(r.Name))
		}
	}
	for _, c := range b.traits {
		if r, ok := c.Before.(*TraitRecord); ok {
			e.traitIDs.Delete(string(r.Name))
		}
	}
	for _, c := range b.classes {
		if r, ok := c.After.(*ClassRecord); ok {
			if err := giveName("resource class", r.ID, r.Name, e.ClassID, e.putClass); err != nil {
				return err
			}
		}
	}
	for _, c := range b.traits {
		if r, ok := c.After.(*TraitRecord); ok {
			if err := giveName("trait", r.ID, r.Name, e.TraitID, e.putTrait); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveName gives id a name that is not taken.
func giveName[ID ~int32, N ~string](what string, id ID, name N, holder func(N) (ID, bool), put func(ID, N)) error {
	if err := validCustomRecord(what, int32(id), string(name)); err != nil {
		return err
	}
	if _, taken := holder(name); taken {
		return &ExistsError{What: what, Field: "name", Value: string(name)}
	}
	put(id, name)
	return nil
}

// validCustomRecord checks the number and the name of a custom class or trait.
func validCustomRecord(what string, id int32, name string) error {
	if id < CustomID {
		return Invalid(what+" id", strconv.Itoa(int(id)), "custom ones start at "+strconv.Itoa(CustomID))
	}
	return validCustomName(what, name)
}

// deleteNames removes classes and traits, which must no longer be in use.
func (b *recordBatch) deleteNames(e *edit) error {
	for _, c := range b.classes {
		if r, ok := c.Before.(*ClassRecord); ok && c.After == nil {
			if err := e.deleteClass(r.ID); err != nil {
				return err
			}
		}
	}
	for _, c := range b.traits {
		if r, ok := c.Before.(*TraitRecord); ok && c.After == nil {
			if err := e.deleteTrait(r.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropConsumers removes consumers that are changed or removed, with what they hold.
func (b *recordBatch) dropConsumers(e *edit) error {
	for _, c := range b.consumers {
		if was, ok := e.Consumer(ConsumerID(c.Key())); ok {
			e.drop(was)
		}
	}
	return nil
}

// putProviders makes and changes providers, except for their parents and traits.
func (b *recordBatch) putProviders(e *edit) error {
	for _, c := range b.providers {
		// Names may be swapped within one batch.
		if was, ok := e.Provider(ProviderID(c.Key())); ok {
			if r, stays := c.After.(*ProviderRecord); !stays || r.Name != was.name {
				e.byName.Delete(was.name)
			}
		}
	}
	for _, c := range b.providers {
		r, ok := c.After.(*ProviderRecord)
		if !ok {
			continue
		}
		if err := e.putProvider(r); err != nil {
			return fmt.Errorf("resource provider %s: %w", r.UUID, err)
		}
	}
	return nil
}

func (e *edit) putProvider(r *ProviderRecord) error {
	e.shape++
	if r.UUID.IsZero() {
		return Invalid("uuid", r.UUID.String(), "the nil uuid names no provider")
	}
	if err := validProviderName(r.Name); err != nil {
		return err
	}
	if r.Generation < 0 {
		return Invalid("generation", fmt.Sprint(r.Generation), "below zero")
	}
	var p *ResourceProvider
	if was, ok := e.Provider(r.UUID); ok {
		p = e.mut(was.number)
		if was.name != r.Name {
			if holder, taken := e.ProviderByName(r.Name); taken {
				return &ExistsError{What: "resource provider", Field: "name", Value: r.Name, Holder: holder.id}
			}
			p.name = r.Name
			e.byName.Set(r.Name, p.number)
		}
	} else {
		made, err := e.insert(r.UUID, r.Name)
		if err != nil {
			return err
		}
		p = made
	}
	p.generation, p.created, p.updated = r.Generation, r.Created, r.Updated
	list, err := e.inventoryList(p, r.Inventories)
	if err != nil {
		return err
	}
	if err := e.inventoriesInUse(p, list); err != nil {
		return err
	}
	e.setInventories(p, list)
	aggs, err := aggregateList(r.Aggregates)
	if err != nil {
		return err
	}
	e.setAggregates(p, aggs)
	return nil
}

// putParents links the providers of the batch, once all of them exist.
func (b *recordBatch) putParents(e *edit) error {
	for _, c := range b.providers {
		if p, ok := e.Provider(ProviderID(c.Key())); ok && p.parentID(&e.state) != parentOf(c.After) {
			e.detach(e.mut(p.number))
		}
	}
	for _, c := range b.providers {
		r, ok := c.After.(*ProviderRecord)
		if !ok || r.Parent == nil {
			continue
		}
		p, _ := e.Provider(r.UUID)
		if p.parent != noProvider {
			continue
		}
		parent, ok := e.Provider(*r.Parent)
		if !ok {
			return Invalid("parent_provider_uuid", r.Parent.String(), "no such resource provider; it is the parent of "+r.Name)
		}
		if e.below(parent.number, p.number) {
			return Invalid("parent_provider_uuid", r.Parent.String(), "the provider tree would loop at "+r.Name)
		}
		e.attach(e.mut(p.number), parent.number)
	}
	return nil
}

func parentOf(r versioned.Record) ProviderID {
	if p, ok := r.(*ProviderRecord); ok && p.Parent != nil {
		return *p.Parent
	}
	return ProviderID{}
}

// putTraits sets and removes traits of providers.
func (b *recordBatch) putTraits(e *edit) error {
	leaving := map[string]bool{}
	for _, c := range b.providers {
		if c.After == nil {
			leaving[string(c.Key())] = true
		}
	}
	for _, c := range b.tags {
		r, stays := c.After.(*ProviderTraitsRecord)
		if !stays {
			r = &ProviderTraitsRecord{Provider: ProviderID(c.Key())}
		}
		if stays && leaving[string(c.Key())] {
			return nobodysTraits(r.Provider)
		}
		if err := e.putTraits(r); err != nil {
			return err
		}
	}
	return nil
}

func (e *edit) putTraits(r *ProviderTraitsRecord) error {
	p, ok := e.Provider(r.Provider)
	if !ok {
		return nobodysTraits(r.Provider)
	}
	ids, err := e.traitList(r.Traits)
	if err != nil {
		return fmt.Errorf("traits of %s: %w", p.name, err)
	}
	e.setTraits(e.mut(p.number), ids)
	return nil
}

func nobodysTraits(id ProviderID) error {
	return Invalid("resource_provider_uuid", id.String(), "they belong to a provider that does not exist")
}

// deleteProviders removes providers, children before their parents.
func (b *recordBatch) deleteProviders(e *edit) error {
	var gone []*ResourceProvider
	for _, c := range b.providers {
		if c.After == nil {
			p, _ := e.Provider(ProviderID(c.Key()))
			gone = append(gone, p)
		}
	}
	for _, p := range gone {
		if err := e.deleteProvider(p); err != nil {
			return err
		}
	}
	return nil
}

// putConsumers makes the consumers of the batch.
func (b *recordBatch) putConsumers(e *edit) error {
	for _, c := range b.consumers {
		r, ok := c.After.(*ConsumerRecord)
		if !ok {
			continue
		}
		if err := e.putConsumer(r); err != nil {
			return fmt.Errorf("consumer %s: %w", r.UUID, err)
		}
	}
	return nil
}

func (e *edit) putConsumer(r *ConsumerRecord) error {
	if r.Generation < 0 {
		return Invalid("generation", fmt.Sprint(r.Generation), "below zero")
	}
	n := 0
	for _, id := range slices.SortedStableFunc(maps.Keys(r.Allocations), ProviderID.Compare) {
		of := r.Allocations[id]
		if len(of) == 0 {
			return Invalid("allocations", id.String(), "no resources given")
		}
		n += len(of)
	}
	if n == 0 {
		return &InvalidError{Field: "allocations", Why: "a consumer must have at least one"}
	}
	rs, err := e.resolve(Claim{
		Consumer: r.UUID, Generation: AnyGeneration(), Type: r.Type, Project: r.Project, User: r.User, Allocations: r.Allocations,
	})
	if err != nil {
		return err
	}
	for _, a := range rs.new {
		p := e.providers.at(a.provider)
		if _, ok := p.Inventory(a.class); !ok {
			return Invalid("allocations", string(e.ClassName(a.class)), p.name+" has no inventory of it")
		}
	}
	e.put(&Consumer{
		id: r.UUID, typ: r.Type, project: r.Project, user: r.User, generation: r.Generation,
		created: r.Created, updated: r.Updated, allocations: rs.new,
	})
	return nil
}
