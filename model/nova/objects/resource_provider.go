package objects

import (
	"errors"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/versioned/object"
)

// ResourceProvider is something that provides resources, as Nova knew it while
// Placement was a part of it: by its name and its generation, which lets writers
// notice each other.
//
// Source: nova/objects/resource_provider.py of Ocata, as the three classes below.
type ResourceProvider struct {
	object.Header
	ID         object.Field[int64]     `field:"id,once"`
	UUID       object.Field[uuid.UUID] `field:"uuid"`
	Name       object.Field[string]    `field:"name"`
	Generation object.Field[int64]     `field:"generation"`
}

// ResourceProviderList is a list of resource providers.
type ResourceProviderList struct {
	object.Sequence[*ResourceProvider]
}

// NewResourceProviderList returns an empty list.
func NewResourceProviderList() *ResourceProviderList {
	return object.MakeList[ResourceProviderList]()
}

// Inventory is how much of one resource class a provider has.
type Inventory struct {
	object.Header
	ID               object.Field[int64]             `field:"id,once"`
	ResourceProvider object.Field[*ResourceProvider] `field:"resource_provider"`
	ResourceClass    object.Field[string]            `field:"resource_class,once"`
	Total            object.Field[int64]             `field:"total"` // units of the class, as all but the ratio
	Reserved         object.Field[int64]             `field:"reserved,default=0"`
	MinUnit          object.Field[int64]             `field:"min_unit,default=1"`
	MaxUnit          object.Field[int64]             `field:"max_unit,default=1"`
	StepSize         object.Field[int64]             `field:"step_size,default=1"`
	AllocationRatio  object.Field[float64]           `field:"allocation_ratio,default=1"`
}

// NewInventory returns an Inventory with nothing set.
func NewInventory() *Inventory {
	i := new(Inventory)
	i.ResourceClass.Of(resourceClass())
	i.Total.Of(new(nonNegative))
	i.Reserved.Of(new(nonNegative))
	i.MinUnit.Of(new(nonNegative))
	i.MaxUnit.Of(new(nonNegative))
	i.StepSize.Of(new(nonNegative))
	i.AllocationRatio.Of(new(nonNegativeFloat))
	return object.Bind(i, "Inventory")
}

// InventoryList is a list of inventories.
type InventoryList struct{ object.Sequence[*Inventory] }

// NewInventoryList returns an empty list.
func NewInventoryList() *InventoryList { return object.MakeList[InventoryList]() }

// Allocation is how much of one resource class of a provider a consumer has.
type Allocation struct {
	object.Header
	ID               object.Field[int64]             `field:"id"`
	ResourceProvider object.Field[*ResourceProvider] `field:"resource_provider"`
	ConsumerID       object.Field[uuid.UUID]         `field:"consumer_id"`
	ResourceClass    object.Field[string]            `field:"resource_class"`
	Used             object.Field[int64]             `field:"used"` // units of the class
}

// NewAllocation returns an Allocation with nothing set.
func NewAllocation() *Allocation {
	a := new(Allocation)
	a.ResourceClass.Of(resourceClass())
	return object.Bind(a, "Allocation")
}

// AllocationList is a list of allocations.
type AllocationList struct{ object.Sequence[*Allocation] }

// NewAllocationList returns an empty list.
func NewAllocationList() *AllocationList { return object.MakeList[AllocationList]() }

// nonNegative is the type of integers that are not negative.
//
// Source: nova/objects/fields.py, NonNegativeInteger.
type nonNegative struct{ object.Integer }

func (*nonNegative) Describe() string { return "NonNegativeInteger" }

func (t *nonNegative) Coerce(v any) (any, error) {
	n, err := t.Integer.Coerce(v)
	if err == nil && n.(int64) < 0 {
		err = errNegative
	}
	return n, err
}

// nonNegativeFloat is the type of floats that are not negative.
//
// Source: nova/objects/fields.py, NonNegativeFloat.
type nonNegativeFloat struct{ object.Float }

func (*nonNegativeFloat) Describe() string { return "NonNegativeFloat" }

func (t *nonNegativeFloat) Coerce(v any) (any, error) {
	f, err := t.Float.Coerce(v)
	if err == nil && f.(float64) < 0 {
		err = errNegative
	}
	return f, err
}

// errNegative is the error about a negative number.
var errNegative = errors.New("must not be negative")

//nolint:gochecknoglobals // tables that nothing writes
var (
	resourceProviderHistory = []object.Note{
		first(),
		why("added destroy"),
		why("added get_aggregates and set_aggregates"),
		why("no method is called from afar"),
	}
	resourceProviderListHistory = []object.Note{
		first(),
		why("no method is called from afar"),
	}
	inventoryHistory = []object.Note{
		first(),
		{Why: "resource_class may be a custom one", Lower: refuseClasses},
		why("no method is called from afar"),
	}
	inventoryListHistory = []object.Note{
		pins("Inventory", "1.0"),
		pins("Inventory", "1.2"),
	}
	allocationHistory = []object.Note{
		first(),
		{Why: "resource_class may be a custom one", Lower: refuseClasses},
		why("no method is called from afar"),
	}
	allocationListHistory = []object.Note{
		pins("Allocation", "1.0"),
		why("added create_all and delete_all"),
		pins("Allocation", "1.2"),
	}
)

func resourceProviderClasses() []object.Class {
	return []object.Class{
		plain[*ResourceProvider](1, resourceProviderHistory...),
		list[*ResourceProviderList](1, resourceProviderListHistory...),
		class(NewInventory, "Inventory", 1, inventoryHistory...),
		list[*InventoryList](1, inventoryListHistory...),
		class(NewAllocation, "Allocation", 1, allocationHistory...),
		list[*AllocationList](1, allocationListHistory...),
	}
}

// refuseClasses refuses to lower an object to readers that have resource classes as an
// enumeration, if its class was not in it yet.
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
