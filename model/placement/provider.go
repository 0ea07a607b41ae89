package placement

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/versioned"
)

// ResourceProvider is something that has resources: a compute node, a card in it, a
// pool of storage. It is immutable; the methods that answer about its neighbours in
// the tree are those of Snapshot.
type ResourceProvider struct {
	id          ProviderID
	name        string
	number      uint32
	parent      uint32 // number of the parent; noProvider for a root
	root        uint32 // number of the root; its own for a root
	by          *owner
	children    []uint32 // numbers, ascending
	generation  int64
	inventories []InventoryUsage // by class number, ascending
	traits      []TraitID        // ascending
	aggregates  []AggregateID    // ascending
	created     int64            // Unix milliseconds, 0 if unknown
	updated     int64
}

// noProvider is the number of a parent that does not exist.
const noProvider = ^uint32(0)

// maxProviderName is the longest provider name, in characters.
//
// Source: placement/schemas/resource_provider.py.
const maxProviderName = 200

// ID returns the uuid.
func (p *ResourceProvider) ID() ProviderID { return p.id }

// Name returns the name, unique in its cloud.
func (p *ResourceProvider) Name() string { return p.name }

// Number returns the number under which Sets know the provider. It is valid for the
// Snapshot that the provider comes from, and never shown to users.
func (p *ResourceProvider) Number() int { return int(p.number) }

// RootNumber returns the number of the root of the provider's tree.
func (p *ResourceProvider) RootNumber() int { return int(p.root) }

// ParentNumber returns the number of the provider's parent, and false for a
// root.
func (p *ResourceProvider) ParentNumber() (int, bool) {
	return int(p.parent), p.parent != noProvider
}

// IsRoot reports whether the provider has no parent.
func (p *ResourceProvider) IsRoot() bool { return p.parent == noProvider }

// Generation returns the generation, which grows with every write that a reader of the
// provider must know about.
func (p *ResourceProvider) Generation() int64 { return p.generation }

// ByName orders providers by their names, which differ.
func ByName(a, b *ResourceProvider) int { return strings.Compare(a.name, b.name) }

// Expect is the Expect of a writer that has read p.
func (p *ResourceProvider) Expect() Expect { return Generation(p.generation) }

// Inventories returns the inventories with their usage, by class number. The
// slice is shared and must not be changed.
func (p *ResourceProvider) Inventories() []InventoryUsage { return p.inventories }

// Inventory returns the inventory of a class with its usage.
func (p *ResourceProvider) Inventory(c ClassID) (InventoryUsage, bool) {
	for i := range p.inventories {
		if p.inventories[i].Class == c {
			return p.inventories[i], true
		}
	}
	return InventoryUsage{}, false
}

// TraitIDs returns the numbers of the traits, ascending. The slice is shared and
// must not be changed.
func (p *ResourceProvider) TraitIDs() []TraitID { return p.traits }

// HasTrait reports whether the provider has the trait of the given number.
func (p *ResourceProvider) HasTrait(t TraitID) bool {
	_, ok := slices.BinarySearch(p.traits, t)
	return ok
}

// Aggregates returns the aggregates, ascending. The slice is shared and must not
// be changed.
func (p *ResourceProvider) Aggregates() []AggregateID { return p.aggregates }

// InAggregate reports whether the provider itself is in a. Whether its root is matters
// only in the un-suffixed group of a query.
func (p *ResourceProvider) InAggregate(a AggregateID) bool {
	_, ok := slices.BinarySearchFunc(p.aggregates, a, AggregateID.Compare)
	return ok
}

// Created returns when the provider was made; the zero time when unknown.
func (p *ResourceProvider) Created() time.Time { return versioned.Time(p.created) }

// Updated returns when the provider was last written; the zero time when
// unknown.
func (p *ResourceProvider) Updated() time.Time { return versioned.Time(p.updated) }

// Owner says which service put a provider into Placement, by the owner traits of the
// provider itself.
type Owner uint8

// The owners. Both is a mistake: either service may hand the device out. None is
// right for what operators make, and wrong for accelerators.
const (
	OwnedByNone Owner = iota
	OwnedByNova
	OwnedByCyborg
	OwnedByBoth
)

// String returns "none", "nova", "cyborg" or "both".
func (o Owner) String() string {
	switch o {
	case OwnedByNova:
		return "nova"
	case OwnedByCyborg:
		return "cyborg"
	case OwnedByBoth:
		return "both"
	default:
		return "none"
	}
}

// MarshalText implements encoding.TextMarshaler.
func (o Owner) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Trait returns the trait that marks a provider as o's, "" for none and for both.
func (o Owner) Trait() Trait {
	switch o {
	case OwnedByNova:
		return OwnerNova
	case OwnedByCyborg:
		return OwnerCyborg
	default:
		return ""
	}
}

// ParseOwner is the inverse of Owner.String. The error matches ErrInvalid.
func ParseOwner(s string) (Owner, error) {
	for _, o := range []Owner{OwnedByNone, OwnedByNova, OwnedByCyborg, OwnedByBoth} {
		if o.String() == s {
			return o, nil
		}
	}
	return OwnedByNone, Invalid("owner", s, "must be nova, cyborg, both or none")
}

// Consumer is what holds allocations: an instance, a migration, anything with a
// uuid. It exists as long as it holds something.
type Consumer struct {
	id          ConsumerID
	typ         ConsumerType
	project     string
	user        string
	generation  int64
	created     int64
	updated     int64
	allocations []allocation // by provider number, then class
}

// ProviderNumbers yields the numbers of the providers on which c has allocations,
// ascending. It does not read the providers themselves, which makes walks over all
// consumers cheap.
func (c *Consumer) ProviderNumbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		last := noProvider
		for _, a := range c.allocations {
			if a.provider != last {
				if !yield(int(a.provider)) {
					return
				}
				last = a.provider
			}
		}
	}
}

// NumberedAllocation is an Allocation with the number of its provider in place of the provider.
type NumberedAllocation struct {
	Number int
	Class  ClassID
	Used   int64 // units of the class, at least 1
}

// Held yields what c holds, by number of the provider, then class. Like
// ProviderNumbers it does not read the providers.
func (c *Consumer) Held() iter.Seq[NumberedAllocation] {
	return func(yield func(NumberedAllocation) bool) {
		for _, a := range c.allocations {
			if !yield(NumberedAllocation{int(a.provider), a.class, a.used}) {
				return
			}
		}
	}
}

// allocation is an Allocation as a Snapshot keeps it.
type allocation struct {
	provider uint32
	class    ClassID
	used     int64
}

// ConsumerType says what a consumer is. The empty type is that of consumers
// written below microversion 1.38, and is shown as "unknown".
type ConsumerType string

// The types that this program writes itself.
const (
	InstanceConsumer  ConsumerType = "INSTANCE"
	MigrationConsumer ConsumerType = "MIGRATION"
)

// String returns the type, "unknown" if there is none.
func (t ConsumerType) String() string {
	if t == "" {
		return "unknown"
	}
	return string(t)
}

// ID returns the uuid.
func (c *Consumer) ID() ConsumerID { return c.id }

// Type returns the type.
func (c *Consumer) Type() ConsumerType { return c.typ }

// Project returns the project id, 1 to 255 characters.
func (c *Consumer) Project() string { return c.project }

// User returns the user id, 1 to 255 characters.
func (c *Consumer) User() string { return c.user }

// Generation returns the consumer generation: 1 after the first write.
func (c *Consumer) Generation() int64 { return c.generation }

// Expect is the Expect of a writer that has read c.
func (c *Consumer) Expect() Expect { return Generation(c.generation) }

// Created returns when the consumer first held something; the zero time when
// unknown.
func (c *Consumer) Created() time.Time { return versioned.Time(c.created) }

// Updated returns when the consumer was last written; the zero time when
// unknown.
func (c *Consumer) Updated() time.Time { return versioned.Time(c.updated) }
