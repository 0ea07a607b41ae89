package placement

import (
	"bytes"

	"github.com/placetop/placetop/model/versioned"
)

// A draft is a record as Load takes it: with lists for its maps, which need more memory.
// It is read from CBOR whose map keys are in order, as every record is written.
var (
	_ versioned.Draft = (*providerDraft)(nil)
	_ versioned.Draft = (*consumerDraft)(nil)
)

// providerDraft is a ProviderRecord.
type providerDraft struct {
	id          ProviderID
	name        string
	parent      ProviderID
	child       bool // whether it has a parent
	generation  int64
	inventories []inventoryDraft // of different classes
	aggregates  []AggregateID
	created     int64
	updated     int64
}

// inventoryDraft is an inventory of a class that has no number yet.
type inventoryDraft struct {
	class ResourceClass
	Inventory
}

// consumerDraft is a ConsumerRecord.
type consumerDraft struct {
	id          ConsumerID
	typ         ConsumerType
	project     string
	user        string
	generation  int64
	allocations []allocationDraft // grouped by provider, of different classes within one
	created     int64
	updated     int64
}

// allocationDraft is an allocation from a provider and of a class that have no
// number yet.
type allocationDraft struct {
	provider ProviderID
	class    ResourceClass
	used     int64
}

func (*providerDraft) RecordKind() versioned.Kind { return KindProvider }
func (*consumerDraft) RecordKind() versioned.Kind { return KindConsumer }

func (d *providerDraft) RecordKey() []byte { return bytes.Clone(d.id[:]) }
func (d *consumerDraft) RecordKey() []byte { return bytes.Clone(d.id[:]) }

// draft returns r as a draft.
func (r *ProviderRecord) draft() *providerDraft {
	d := &providerDraft{id: r.UUID, name: r.Name, generation: r.Generation, aggregates: r.Aggregates, created: r.Created, updated: r.Updated}
	if r.Parent != nil {
		d.parent, d.child = *r.Parent, true
	}
	for class, inv := range r.Inventories {
		d.inventories = append(d.inventories, inventoryDraft{class, inv})
	}
	return d
}

func (d *providerDraft) Full() versioned.Record { return d.record() }
func (d *consumerDraft) Full() versioned.Record { return d.record() }

func (d *providerDraft) record() *ProviderRecord {
	r := &ProviderRecord{UUID: d.id, Name: d.name, Generation: d.generation, Aggregates: d.aggregates, Created: d.created, Updated: d.updated}
	if d.child {
		r.Parent = &d.parent
	}
	if d.inventories != nil {
		r.Inventories = make(map[ResourceClass]Inventory, len(d.inventories))
	}
	for _, inv := range d.inventories {
		r.Inventories[inv.class] = inv.Inventory
	}
	return r
}

// draft returns r as a draft; nil if r has a provider without allocations, which a draft
// cannot express.
func (r *ConsumerRecord) draft() *consumerDraft {
	d := &consumerDraft{
		id: r.UUID, typ: r.Type, project: r.Project, user: r.User, generation: r.Generation, created: r.Created, updated: r.Updated,
	}
	for provider, of := range r.Allocations {
		if len(of) == 0 {
			return nil
		}
		for class, used := range of {
			d.allocations = append(d.allocations, allocationDraft{provider, class, used})
		}
	}
	return d
}

func (d *consumerDraft) record() *ConsumerRecord {
	r := &ConsumerRecord{
		UUID: d.id, Type: d.typ, Project: d.project, User: d.user, Generation: d.generation, Created: d.created, Updated: d.updated,
		Allocations: map[ProviderID]map[ResourceClass]int64{},
	}
	for _, a := range d.allocations {
		of := r.Allocations[a.provider]
		if of == nil {
			of = map[ResourceClass]int64{}
			r.Allocations[a.provider] = of
		}
		of[a.class] = a.used
	}
	return r
}
