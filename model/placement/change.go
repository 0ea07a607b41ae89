package placement

import (
	"fmt"

	"github.com/placetop/placetop/model/intent"
	"github.com/placetop/placetop/model/internal/words"
)

// Change is what to write: operations that are applied in order, all or none.
type Change = intent.Change

// Op is one operation of a Change: one of the types of this package that embed verb,
// each a verb of the Placement API, or PutRecords.
type Op = intent.Op

// verb makes what embeds it an Op.
type verb struct{ intent.Verb }

// applier is implemented by each verb of this package.
type applier interface{ apply(e *edit) error }

// Owns reports whether op is a verb of this package.
func Owns(op Op) bool {
	_, is := op.(applier)
	return is
}

// Expect is the generation at which a writer expects a provider or a consumer to be.
// The zero value expects nothing, and is refused.
type Expect struct {
	kind expectKind
	n    int64
}

type expectKind uint8

const (
	expectUnset expectKind = iota
	expectAny
	expectNew
	expectGeneration
)

// AnyGeneration is the Expect of a writer that does not care what it overwrites, like
// clients below the microversion that introduced the check.
func AnyGeneration() Expect { return Expect{kind: expectAny} }

// NewConsumer is the Expect of a writer that expects the consumer not to exist yet:
// consumer_generation null in the API.
func NewConsumer() Expect { return Expect{kind: expectNew} }

// Generation is the Expect of a writer that has seen generation n.
func Generation(n int64) Expect { return Expect{kind: expectGeneration, n: n} }

// String returns the generation, "null" or "any".
func (x Expect) String() string {
	switch x.kind {
	case expectAny:
		return "any"
	case expectNew:
		return "null"
	case expectGeneration:
		return fmt.Sprint(x.n)
	default:
		return "none given"
	}
}

// allows reports whether x agrees with generation has, which is -1 if the thing does not
// exist.
func (x Expect) allows(has int64) bool {
	switch x.kind {
	case expectAny:
		return true
	case expectNew:
		return has < 0
	case expectGeneration:
		return has >= 0 && x.n == has
	default:
		return false
	}
}

// CreateProvider makes a provider of generation 0 without inventory.
//
// Errors: ErrInvalid for a bad name, a nil uuid or an unknown parent; ErrExists
// for a name or uuid that is taken.
//
// Source: placement/objects/resource_provider.py, _create_in_db.
type CreateProvider struct {
	verb
	ID     ProviderID
	Name   string     // 1 to 200 characters
	Parent ProviderID // the zero id for a root
}

// UpdateProvider renames a provider and, if Reparent is set, moves it with all
// below it under another parent. The generation stays as it is.
//
// Errors: ErrNotFound; ErrInvalid for a bad name, an unknown parent or a loop;
// ErrExists for a name that is taken.
//
// Source: placement/objects/resource_provider.py, _update_in_db.
type UpdateProvider struct {
	verb
	ID       ProviderID
	Name     string
	Reparent bool
	Parent   ProviderID // with Reparent: the zero id makes the provider a root
}

// DeleteProvider removes a provider with its inventories, traits and aggregates.
//
// Errors: ErrNotFound; ErrInUse while it has children or allocations, checked in this
// order.
//
// Source: placement/objects/resource_provider.py, _delete.
type DeleteProvider struct {
	verb
	ID ProviderID
}

// SetInventories replaces the whole set of inventories of a provider; classes that are
// left out are removed. The generation always grows.
//
// Totals below what is in use are legal and leave the provider over-full; only
// removing a class that is in use is not.
//
// Errors: ErrNotFound; ErrConflict; ErrInvalid for an unknown class or a bad field;
// ErrInUse for a removed class with allocations.
//
// Source: placement/objects/resource_provider.py, _set_inventory.
type SetInventories struct {
	verb
	Provider    ProviderID
	Generation  Expect
	Inventories map[ResourceClass]Inventory
}

// SetInventory changes the inventory of one class that the provider already has.
//
// Errors: as SetInventories; ErrInvalid if the provider does not have the class.
//
// Source: placement/objects/resource_provider.py, _update_inventory.
type SetInventory struct {
	verb
	Provider   ProviderID
	Generation Expect
	Class      ResourceClass
	Inventory  Inventory
}

// AddInventory gives a provider the inventory of a class that it does not have.
//
// Errors: as SetInventories; ErrExists if it has the class.
//
// Source: placement/objects/resource_provider.py, _add_inventory.
type AddInventory struct {
	verb
	Provider   ProviderID
	Generation Expect
	Class      ResourceClass
	Inventory  Inventory
}

// DeleteInventory removes the inventory of one class.
//
// Errors: ErrNotFound for the provider or the inventory; ErrInUse.
//
// Source: placement/objects/resource_provider.py, _delete_inventory.
type DeleteInventory struct {
	verb
	Provider ProviderID
	Class    ResourceClass
}

// SetTraits replaces the traits of a provider. The generation grows only when the set
// changes.
//
// Errors: ErrNotFound; ErrConflict; ErrInvalid for an unknown or repeated trait.
//
// Source: placement/objects/resource_provider.py, _set_traits.
type SetTraits struct {
	verb
	Provider   ProviderID
	Generation Expect
	Traits     []Trait
}

// SetAggregates replaces the aggregates of a provider. The generation grows even when
// the set is the same, unless KeepGeneration is set, as for clients below microversion
// 1.19.
//
// Errors: ErrNotFound; ErrConflict; ErrInvalid for a repeated or nil uuid.
//
// Source: placement/objects/resource_provider.py, _set_aggregates.
type SetAggregates struct {
	verb
	Provider       ProviderID
	Generation     Expect
	Aggregates     []AggregateID
	KeepGeneration bool
}

// ReplaceAllocations replaces everything that each of the named consumers holds, at once:
// what they held is dropped first, then the sum of what they get is checked, so that a
// claim may move from one consumer to another on a full provider. If a provider is
// already over-full, a sum is accepted that does not exceed what these and all other
// consumers used before.
//
// The generation of each provider named in the new allocations, or left by a consumer,
// grows by one, and so does that of each consumer.
//
// Errors: ErrConflict; ErrInvalid for an unknown provider or class, a bad project,
// user or type, an amount out of 1 to MaxInt, a consumer named twice; ErrCapacity.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded and
// replace_all.
type ReplaceAllocations struct {
	verb
	Consumers []Claim
}

// Claim is everything that one consumer shall hold. Without Allocations the consumer
// no longer holds anything and is gone.
type Claim struct {
	Consumer    ConsumerID
	Generation  Expect
	Type        ConsumerType // empty keeps the current type, or leaves it unknown
	Project     string       // 1 to 255 characters
	User        string       // 1 to 255 characters
	Allocations Amounts
}

// ReplaceClaims is the operation that writes claims together.
func ReplaceClaims(claims ...Claim) ReplaceAllocations { return ReplaceAllocations{Consumers: claims} }

// DeleteAllocations drops everything that a consumer holds. It does not check the
// consumer's generation, nor raise those of the providers. ReplaceAllocations without
// Allocations is the safer way.
//
// Errors: ErrNotFound if the consumer holds nothing.
//
// Source: placement/handlers/allocation.py, delete_allocations.
type DeleteAllocations struct {
	verb
	Consumer ConsumerID
}

// Reshape moves inventories and their allocations between providers in one step: each
// named provider first gets the union of its old and its new inventories, then the
// allocations are replaced, then the inventories are set to the new ones.
//
// Errors: ErrNotFound for an unknown provider in Inventories; those of SetInventories
// and ReplaceAllocations.
//
// Source: placement/objects/reshaper.py, reshape.
type Reshape struct {
	verb
	Inventories []SetInventories
	Allocations []Claim
}

// CreateClass makes a custom resource class; with IfAbsent it does nothing if the class
// exists, including standard classes.
//
// Errors: ErrInvalid for a name that is not CUSTOM_ followed by allowed characters;
// ErrExists.
//
// Source: placement/objects/resource_class.py, create.
type CreateClass struct {
	verb
	Name     ResourceClass
	IfAbsent bool
}

// RenameClass gives a custom class another name; everything that uses it follows.
//
// Errors: ErrNotFound; ErrInvalid; ErrExists.
//
// Source: placement/objects/resource_class.py, save.
type RenameClass struct {
	verb
	Name, To ResourceClass
}

// DeleteClass removes a custom class.
//
// Errors: ErrInvalid for a standard class; ErrNotFound; ErrInUse while a provider
// has an inventory of it.
//
// Source: placement/objects/resource_class.py, destroy.
type DeleteClass struct {
	verb
	Name ResourceClass
}

// CreateTrait creates a custom trait, or does nothing if it exists.
//
// Errors: ErrInvalid.
//
// Source: placement/handlers/trait.py, put_trait.
type CreateTrait struct {
	verb
	Name Trait
}

// DeleteTrait removes a custom trait.
//
// Errors: ErrInvalid for a standard trait; ErrNotFound; ErrInUse while a provider
// has it.
//
// Source: placement/objects/trait.py, destroy.
type DeleteTrait struct {
	verb
	Name Trait
}

// PutRecords sets whole records. It enforces the rules about the ledger's shape: names
// are unique, parents and classes exist, there is no loop, nothing in use is removed.
// It does not enforce those about single writes: generations are set as given, and
// usage may be above capacity, as it legally may be in the state that the records
// describe.
type PutRecords = intent.PutRecords

func (op CreateProvider) String() string { return "create resource provider " + op.Name }

func (op UpdateProvider) String() string {
	switch {
	case op.Reparent && op.Parent.IsZero():
		return fmt.Sprintf("update resource provider %s: name %s, no parent", op.ID, op.Name)
	case op.Reparent:
		return fmt.Sprintf("update resource provider %s: name %s, parent %s", op.ID, op.Name, op.Parent)
	}
	return fmt.Sprintf("update resource provider %s: name %s", op.ID, op.Name)
}

func (op DeleteProvider) String() string { return "delete resource provider " + op.ID.String() }

func (op SetInventories) String() string {
	return fmt.Sprintf("set %s of %s", words.Count(len(op.Inventories), "inventory"), op.Provider)
}

func (op SetInventory) String() string {
	return fmt.Sprintf("set inventory %s of %s", op.Class, op.Provider)
}

func (op AddInventory) String() string {
	return fmt.Sprintf("add inventory %s to %s", op.Class, op.Provider)
}

func (op DeleteInventory) String() string {
	return fmt.Sprintf("delete inventory %s of %s", op.Class, op.Provider)
}

func (op SetTraits) String() string {
	return fmt.Sprintf("set %s of %s", words.Count(len(op.Traits), "trait"), op.Provider)
}

func (op SetAggregates) String() string {
	return fmt.Sprintf("set %s of %s", words.Count(len(op.Aggregates), "aggregate"), op.Provider)
}

func (op ReplaceAllocations) String() string {
	if len(op.Consumers) == 1 {
		c := op.Consumers[0]
		if len(c.Allocations) == 0 {
			return "release all allocations of " + c.Consumer.String()
		}
		return "set allocations of " + c.Consumer.String()
	}
	return "set allocations of " + words.Count(len(op.Consumers), "consumer")
}

func (op DeleteAllocations) String() string {
	return "delete allocations of " + op.Consumer.String()
}

func (op Reshape) String() string {
	return "reshape " + words.Count(len(op.Inventories), "provider") + " and " + words.Count(len(op.Allocations), "consumer")
}

func (op CreateClass) String() string { return "create resource class " + string(op.Name) }

func (op RenameClass) String() string {
	return "rename resource class " + string(op.Name) + " to " + string(op.To)
}

func (op DeleteClass) String() string { return "delete resource class " + string(op.Name) }
func (op CreateTrait) String() string { return "create trait " + string(op.Name) }
func (op DeleteTrait) String() string { return "delete trait " + string(op.Name) }
