package placement

import (
	"bytes"
	"encoding/binary"
	"iter"

	"github.com/placetop/placetop/model/versioned"
)

// The kinds of Placement's records, in the order in which they may refer to each
// other.
const (
	KindClass          versioned.Kind = "resource_class"
	KindTrait          versioned.Kind = "trait"
	KindProvider       versioned.Kind = "resource_provider"
	KindProviderTraits versioned.Kind = "resource_provider_traits"
	KindConsumer       versioned.Kind = "consumer"
)

// ClassRecord is a custom resource class. Standard classes have no record.
type ClassRecord struct {
	ID   ClassID       `json:"id" cbor:"1,keyasint"`
	Name ResourceClass `json:"name" cbor:"2,keyasint"`
}

// TraitRecord is a custom trait. Standard traits have no record.
type TraitRecord struct {
	ID   TraitID `json:"id" cbor:"1,keyasint"`
	Name Trait   `json:"name" cbor:"2,keyasint"`
}

// ProviderRecord is a resource provider with its inventories and aggregates, but
// without its traits, which are many, the same for many providers, and seldom change.
type ProviderRecord struct {
	UUID        ProviderID                  `json:"uuid" cbor:"1,keyasint"`
	Name        string                      `json:"name" cbor:"2,keyasint"`
	Parent      *ProviderID                 `json:"parent_provider_uuid,omitempty" cbor:"3,keyasint,omitempty"`
	Generation  int64                       `json:"generation" cbor:"4,keyasint"`
	Inventories map[ResourceClass]Inventory `json:"inventories,omitempty" cbor:"5,keyasint,omitempty"`
	Aggregates  []AggregateID               `json:"aggregates,omitempty" cbor:"6,keyasint,omitempty"`
	Created     int64                       `json:"created_at_ms,omitempty" cbor:"7,keyasint,omitempty"`
	Updated     int64                       `json:"updated_at_ms,omitempty" cbor:"8,keyasint,omitempty"`
}

// ProviderTraitsRecord is the traits of a provider, sorted by name. A provider
// without traits has no such record.
type ProviderTraitsRecord struct {
	Provider ProviderID `json:"resource_provider_uuid" cbor:"1,keyasint"`
	Traits   []Trait    `json:"traits" cbor:"2,keyasint"`
}

// ConsumerRecord is a consumer with its allocations: class to units, by
// provider.
type ConsumerRecord struct {
	UUID        ConsumerID   `json:"uuid" cbor:"1,keyasint"`
	Type        ConsumerType `json:"consumer_type,omitempty" cbor:"2,keyasint,omitempty"`
	Project     string       `json:"project_id" cbor:"3,keyasint"`
	User        string       `json:"user_id" cbor:"4,keyasint"`
	Generation  int64        `json:"generation" cbor:"5,keyasint"`
	Allocations Amounts      `json:"allocations" cbor:"6,keyasint"`
	Created     int64        `json:"created_at_ms,omitempty" cbor:"7,keyasint,omitempty"`
	Updated     int64        `json:"updated_at_ms,omitempty" cbor:"8,keyasint,omitempty"`
}

// Schemas returns how Placement's records are written and read, in an order in which
// records only refer to kinds before their own.
func Schemas() []versioned.Schema {
	first := func(why string) []versioned.Note {
		return []versioned.Note{{Version: versioned.Version{Major: 1}, Date: "2026-11-20", Why: why}}
	}
	v1 := versioned.Version{Major: 1}
	return []versioned.Schema{
		{Kind: KindClass, Version: v1, New: func() versioned.Record { return new(ClassRecord) }, History: first("custom resource classes")},
		{Kind: KindTrait, Version: v1, New: func() versioned.Record { return new(TraitRecord) }, History: first("custom traits")},
		{Kind: KindProvider, Version: v1, New: func() versioned.Record { return new(ProviderRecord) }, History: first("providers with inventories and aggregates")},
		{Kind: KindProviderTraits, Version: v1, New: func() versioned.Record { return new(ProviderTraitsRecord) }, History: first("traits of a provider")},
		{Kind: KindConsumer, Version: v1, New: func() versioned.Record { return new(ConsumerRecord) }, History: first("consumers with allocations")},
	}
}

// RecordKind implements versioned.Record.
func (*ClassRecord) RecordKind() versioned.Kind { return KindClass }

// RecordKind implements versioned.Record.
func (*TraitRecord) RecordKind() versioned.Kind { return KindTrait }

// RecordKind implements versioned.Record.
func (*ProviderRecord) RecordKind() versioned.Kind { return KindProvider }

// RecordKind implements versioned.Record.
func (*ProviderTraitsRecord) RecordKind() versioned.Kind { return KindProviderTraits }

// RecordKind implements versioned.Record.
func (*ConsumerRecord) RecordKind() versioned.Kind { return KindConsumer }

// RecordKey implements versioned.Record.
func (r *ClassRecord) RecordKey() []byte { return numberKey(int32(r.ID)) }

// RecordName implements versioned.Named.
func (r *ClassRecord) RecordName() string { return string(r.Name) }

// RecordKey implements versioned.Record.
func (r *TraitRecord) RecordKey() []byte { return numberKey(int32(r.ID)) }

// RecordName implements versioned.Named.
func (r *TraitRecord) RecordName() string { return string(r.Name) }

// RecordKey implements versioned.Record.
func (r *ProviderRecord) RecordKey() []byte { return bytes.Clone(r.UUID[:]) }

// RecordName implements versioned.Named.
func (r *ProviderRecord) RecordName() string { return r.Name }

// RecordKey implements versioned.Record.
func (r *ProviderTraitsRecord) RecordKey() []byte { return bytes.Clone(r.Provider[:]) }

// RecordKey implements versioned.Record.
func (r *ConsumerRecord) RecordKey() []byte { return bytes.Clone(r.UUID[:]) }

const numberSize = 4

func numberKey(n int32) []byte { return binary.BigEndian.AppendUint32(nil, uint32(n)) }

// ProviderRecord returns p as a record.
func (s *state) ProviderRecord(p *ResourceProvider) *ProviderRecord {
	return s.providerRecord(p, s.inventoriesOf(p))
}

// providerRecord is ProviderRecord with the inventories given.
func (s *state) providerRecord(p *ResourceProvider, inventories map[ResourceClass]Inventory) *ProviderRecord {
	r := &ProviderRecord{
		UUID: p.id, Name: p.name, Generation: p.generation, Inventories: inventories,
		Aggregates: append([]AggregateID(nil), p.aggregates...), Created: p.created, Updated: p.updated,
	}
	if p.parent != noProvider {
		id := s.providers.at(p.parent).id
		r.Parent = &id
	}
	return r
}

// inventoriesOf returns the inventories of p by the names of their classes, nil if it
// has none.
func (s *state) inventoriesOf(p *ResourceProvider) map[ResourceClass]Inventory {
	if len(p.inventories) == 0 {
		return nil
	}
	out := make(map[ResourceClass]Inventory, len(p.inventories))
	for _, iu := range p.inventories {
		out[s.ClassName(iu.Class)] = iu.Inventory
	}
	return out
}

// ProviderTraitsRecord returns the traits of p as a record, nil if it has
// none.
func (s *state) ProviderTraitsRecord(p *ResourceProvider) *ProviderTraitsRecord {
	if len(p.traits) == 0 {
		return nil
	}
	return &ProviderTraitsRecord{Provider: p.id, Traits: s.TraitsOf(p)}
}

// ConsumerRecord returns c as a record.
func (s *state) ConsumerRecord(c *Consumer) *ConsumerRecord {
	r := &ConsumerRecord{
		UUID: c.id, Type: c.typ, Project: c.project, User: c.user, Generation: c.generation,
		Allocations: Amounts{}, Created: c.created, Updated: c.updated,
	}
	for a := range s.Allocations(c) {
		r.Allocations.Add(a.Provider.id, s.ClassName(a.Class), a.Used)
	}
	return r
}

// Held implements intent.Holder.
func (s *state) Held(r versioned.Record) versioned.Record {
	key := r.RecordKey()
	switch kind := r.RecordKind(); {
	case kind == KindClass && len(key) == numberSize:
		id := binary.BigEndian.Uint32(key)
		if name := indexAt(s.classIndex, id).name; name != "" {
			return &ClassRecord{ID: ClassID(id), Name: ResourceClass(name)}
		}
	case kind == KindTrait && len(key) == numberSize:
		id := binary.BigEndian.Uint32(key)
		if name := indexAt(s.traitIndex, id).name; name != "" {
			return &TraitRecord{ID: TraitID(id), Name: Trait(name)}
		}
	case len(key) != len(ProviderID{}):
	case kind == KindProvider:
		if p, ok := s.Provider(ProviderID(key)); ok {
			return s.ProviderRecord(p)
		}
	case kind == KindProviderTraits:
		if p, ok := s.Provider(ProviderID(key)); ok && len(p.traits) > 0 {
			return s.ProviderTraitsRecord(p)
		}
	case kind == KindConsumer:
		if c, ok := s.Consumer(ConsumerID(key)); ok {
			return s.ConsumerRecord(c)
		}
	}
	return nil
}

// AsHeld returns the claim that would leave c unchanged, to be edited.
func (s *state) AsHeld(c *Consumer) Claim {
	return Claim{
		Consumer: c.ID(), Generation: Generation(c.Generation()), Type: c.Type(),
		Project: c.Project(), User: c.User(), Allocations: s.ConsumerRecord(c).Allocations,
	}
}

// Records yields the whole ledger as records, in the order of Schemas, and by key
// within a kind: the order in which stores keep them. Two Snapshots with equal
// records are equal.
func (s *Snapshot) Records() iter.Seq[versioned.Record] {
	return func(yield func(versioned.Record) bool) {
		ok := true
		customNames(s.classIndex, func(id int32, name string) bool {
			ok = yield(&ClassRecord{ID: ClassID(id), Name: ResourceClass(name)})
			return ok
		})
		if ok {
			customNames(s.traitIndex, func(id int32, name string) bool {
				ok = yield(&TraitRecord{ID: TraitID(id), Name: Trait(name)})
				return ok
			})
		}
		if !ok {
			return
		}
		for p := range s.providersByID() {
			if !yield(s.ProviderRecord(p)) {
				return
			}
		}
		for p := range s.providersByID() {
			if r := s.ProviderTraitsRecord(p); r != nil && !yield(r) {
				return
			}
		}
		for c := range s.Consumers() {
			if !yield(s.ConsumerRecord(c)) {
				return
			}
		}
	}
}
