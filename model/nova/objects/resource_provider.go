package objects

import (
	"errors"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// ResourceProvider is something that provides resources, as Nova knew it while
// Placement was a part of it: by its name and the generation by which writers notice
// each other.
//
// Source: nova/objects/resource_provider.py of Ocata, as the three classes below.
type ResourceProvider struct {
	object.Header
	ID         object.Field[int64]
	UUID       object.Field[uuid.UUID]
	Name       object.Field[string]
	Generation object.Field[int64]
}

// NewResourceProvider returns a ResourceProvider with nothing set.
func NewResourceProvider() *ResourceProvider {
	p := new(ResourceProvider)
	p.Bind("ResourceProvider",
		p.ID.As("id", object.Integer{}, object.ReadOnly),
		p.UUID.As("uuid", object.UUID{}),
		p.Name.As("name", object.String{}),
		p.Generation.As("generation", object.Integer{}))
	return p
}

// ResourceProviderList is a list of resource providers.
type ResourceProviderList struct {
	object.Sequence[*ResourceProvider]
}

// NewResourceProviderList returns an empty list.
func NewResourceProviderList() *ResourceProviderList {
	return object.NewList[*ResourceProviderList]("ResourceProvider")
}

// Inventory is how much of one resource class a provider has.
type Inventory struct {
	object.Header
	ID               object.Field[int64]
	ResourceProvider object.Field[*ResourceProvider]
	ResourceClass    object.Field[string]
	Total            object.Field[int64] // units of the class, as all but the ratio
	Reserved         object.Field[int64]
	MinUnit          object.Field[int64]
	MaxUnit          object.Field[int64]
	StepSize         object.Field[int64]
	AllocationRatio  object.Field[float64]
}

// NewInventory returns an Inventory with nothing set.
func NewInventory() *Inventory {
	i := new(Inventory)
	i.Bind("Inventory",
		i.ID.As("id", object.Integer{}, object.ReadOnly),
		i.ResourceProvider.As("resource_provider", one[*ResourceProvider]("ResourceProvider")),
		i.ResourceClass.As("resource_class", resourceClass(), object.ReadOnly),
		i.Total.As("total", nonNegative{}),
		i.Reserved.AsDefault("reserved", nonNegative{}, 0),
		i.MinUnit.AsDefault("min_unit", nonNegative{}, 1),
		i.MaxUnit.AsDefault("max_unit", nonNegative{}, 1),
		i.StepSize.AsDefault("step_size", nonNegative{}, 1),
		i.AllocationRatio.AsDefault("allocation_ratio", nonNegativeFloat{}, 1.0))
	return i
}

// InventoryList is a list of inventories.
type InventoryList struct{ object.Sequence[*Inventory] }

// NewInventoryList returns an empty list.
func NewInventoryList() *InventoryList { return object.NewList[*InventoryList]("Inventory") }

// Allocation is how much of one resource class of a provider a consumer has.
type Allocation struct {
	object.Header
	ID               object.Field[int64]
	ResourceProvider object.Field[*ResourceProvider]
	ConsumerID       object.Field[uuid.UUID]
	ResourceClass    object.Field[string]
	Used             object.Field[int64] // units of the class
}

// NewAllocation returns an Allocation with nothing set.
func NewAllocation() *Allocation {
	a := new(Allocation)
	a.Bind("Allocation",
		a.ID.As("id", object.Integer{}),
		a.ResourceProvider.As("resource_provider", one[*ResourceProvider]("ResourceProvider")),
		a.ConsumerID.As("consumer_id", object.UUID{}),
		a.ResourceClass.As("resource_class", resourceClass()),
		a.Used.As("used", object.Integer{}))
	return a
}

// AllocationList is a list of allocations.
type AllocationList struct{ object.Sequence[*Allocation] }

// NewAllocationList returns an empty list.
func NewAllocationList() *AllocationList { return object.NewList[*AllocationList]("Allocation") }

// nonNegative holds whole numbers that are not negative.
//
// Source: nova/objects/fields.py, NonNegativeInteger.
type nonNegative struct{ object.Integer }

func (nonNegative) Describe() string { return "NonNegativeInteger" }

func (t nonNegative) Coerce(v any) (any, error) {
	n, err := t.Integer.Coerce(v)
	if err == nil && n.(int64) < 0 {
		err = errNegative
	}
	return n, err
}

// nonNegativeFloat holds numbers that are not negative.
//
// Source: nova/objects/fields.py, NonNegativeFloat.
type nonNegativeFloat struct{ object.Float }

func (nonNegativeFloat) Describe() string { return "NonNegativeFloat" }

func (t nonNegativeFloat) Coerce(v any) (any, error) {
	f, err := t.Float.Coerce(v)
	if err == nil && f.(float64) < 0 {
		err = errNegative
	}
	return f, err
}

// errNegative is what is wrong with a number below zero.
var errNegative = errors.New("must not be negative")

func resourceProviderClasses() []object.Class {
	return []object.Class{
		class(NewResourceProvider, "ResourceProvider", 1,
			first(),
			why("added destroy"),
			why("added get_aggregates and set_aggregates"),
			why("no method is called from afar"),
		),
		list[*ResourceProviderList]("ResourceProvider", 1, first(), why("no method is called from afar")),
		class(NewInventory, "Inventory", 1,
			first(),
			object.Note{Why: "resource_class may be a custom one", Lower: refuseClasses},
			why("no method is called from afar"),
		),
		list[*InventoryList]("Inventory", 1, pins("Inventory", "1.0"), pins("Inventory", "1.2")),
		class(NewAllocation, "Allocation", 1,
			first(),
			object.Note{Why: "resource_class may be a custom one", Lower: refuseClasses},
			why("no method is called from afar"),
		),
		list[*AllocationList]("Allocation", 1,
			pins("Allocation", "1.0"),
			why("added create_all and delete_all"),
			pins("Allocation", "1.2"),
		),
	}
}

// refuseClasses refuses to lower an object of a resource class to readers that have
// them as an enumeration, which it was not yet in.
//
// Source: nova/objects/fields.py, ResourceClass.V1_0.
func refuseClasses(data map[string]any, l object.Lowering) error {
	switch data["resource_class"] {
	case nil, "VCPU", "MEMORY_MB", "DISK_GB", "PCI_DEVICE", "SRIOV_NET_VF", "NUMA_SOCKET", "NUMA_CORE", "NUMA_THREAD", "NUMA_MEMORY_MB", "IPV4_ADDRESS":
		return nil
	default:
		return l.Refuse("resource_class", data["resource_class"])
	}
}
