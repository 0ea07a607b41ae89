package exchange

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// PlacementClasses returns the names of the classes whose objects are Placement's,
// from when it was a part of Nova, sorted.
func PlacementClasses() []string {
	return []string{"Allocation", "AllocationList", "Inventory", "InventoryList", "ResourceProvider", "ResourceProviderList"}
}

// ResourceProviders returns providers as objects. Their place in a tree, their traits
// and aggregates no class of that time has.
func ResourceProviders(providers ...*placement.ResourceProvider) (*objects.ResourceProviderList, error) {
	list := objects.NewResourceProviderList()
	for _, p := range providers {
		o := objects.NewResourceProvider()
		if err := object.Fill(o, object.Values{"uuid": p.ID().String(), "name": p.Name(), "generation": p.Generation()}); err != nil {
			return nil, err
		}
		if err := list.Append(o); err != nil {
			return nil, err
		}
	}
	list.ResetAllChanges()
	return list, nil
}

// Inventories returns what a provider has as objects, by class.
func Inventories(s *placement.Snapshot, p *placement.ResourceProvider) (*objects.InventoryList, error) {
	of, err := ResourceProviders(p)
	if err != nil {
		return nil, err
	}
	list := objects.NewInventoryList()
	for _, iu := range p.Inventories() {
		o := objects.NewInventory()
		if err := object.Fill(o, object.Values{
			"resource_provider": of.All()[0], "resource_class": string(s.ClassName(iu.Class)), "total": iu.Total, "reserved": iu.Reserved,
			"min_unit": iu.MinUnit, "max_unit": iu.MaxUnit, "step_size": iu.StepSize, "allocation_ratio": iu.AllocationRatio,
		}); err != nil {
			return nil, err
		}
		if err := list.Append(o); err != nil {
			return nil, err
		}
	}
	list.ResetAllChanges()
	return list, nil
}

// Allocations returns what a consumer has as objects, by provider and class.
func Allocations(s *placement.Snapshot, c *placement.Consumer) (*objects.AllocationList, error) {
	list := objects.NewAllocationList()
	for a := range s.Allocations(c) {
		of, err := ResourceProviders(a.Provider)
		if err != nil {
			return nil, err
		}
		o := objects.NewAllocation()
		if err := object.Fill(o, object.Values{
			"resource_provider": of.All()[0], "consumer_id": c.ID().String(), "resource_class": string(s.ClassName(a.Class)), "used": a.Used,
		}); err != nil {
			return nil, err
		}
		if err := list.Append(o); err != nil {
			return nil, err
		}
	}
	list.ResetAllChanges()
	return list, nil
}

// Writes takes over Placement's objects that one writer has sent. Each says at which
// generation its writer saw the provider: who sends several wrote them at the same time,
// so that what one of them does to a generation is no news to the next.
type Writes struct {
	seen map[placement.ProviderID]int64
}

// Ops returns the operations by which the ledgers, as those before have left them, have
// what an object says, and false where it is none of Placement's. A provider that is new
// begins at generation 0 whatever it was elsewhere. An Allocation is one class of what
// a consumer has; an AllocationList, like an InventoryList, is all of it.
//
// Errors: placement.ErrInvalid for what an operation needs and the object does not say;
// placement.ErrNotFound for a provider; placement.ErrConflict for another generation than
// the writer saw.
//
// Source: nova/objects/resource_provider.py of Ocata.
func (w *Writes) Ops(p *placement.Snapshot, n *nova.Snapshot, o object.Object) ([]placement.Op, bool, error) {
	var ops []placement.Op
	var err error
	switch o := o.(type) {
	case *objects.ResourceProvider:
		ops, err = w.provider(p, o)
	case *objects.ResourceProviderList:
		for _, one := range o.All() {
			op, wrong := w.provider(p, one)
			ops, err = append(ops, op...), cmp.Or(err, wrong)
		}
	case *objects.Inventory:
		ops, err = w.inventory(p, o)
	case *objects.InventoryList:
		ops, err = w.inventories(p, o)
	case *objects.Allocation:
		ops, err = w.allocations(p, n, true, o)
	case *objects.AllocationList:
		ops, err = w.allocations(p, n, false, o.All()...)
	default:
		return nil, false, nil
	}
	return ops, true, err
}

// provider makes a provider, or renames it.
func (w *Writes) provider(p *placement.Snapshot, o *objects.ResourceProvider) ([]placement.Op, error) {
	if err := needs(o, "uuid", "name"); err != nil {
		return nil, err
	}
	id := placement.ProviderID(o.UUID.Get())
	if _, ok := p.Provider(id); !ok {
		w.sees(id, o.Generation.Get())
		return []placement.Op{placement.CreateProvider{ID: id, Name: o.Name.Get()}}, nil
	}
	is, err := w.find(p, o)
	if err != nil || is.Name() == o.Name.Get() {
		return nil, err
	}
	return []placement.Op{placement.UpdateProvider{ID: id, Name: o.Name.Get()}}, nil
}

// sees remembers at which generation a provider is seen by all objects.
func (w *Writes) sees(id placement.ProviderID, generation int64) {
	if w.seen == nil {
		w.seen = map[placement.ProviderID]int64{}
	}
	if _, known := w.seen[id]; !known {
		w.seen[id] = generation
	}
}

// find returns the provider of an object, at the generation at which its writer saw it.
func (w *Writes) find(p *placement.Snapshot, o *objects.ResourceProvider) (*placement.ResourceProvider, error) {
	if err := needs(o, "uuid", "generation"); err != nil {
		return nil, err
	}
	is, err := p.FindProvider(placement.ProviderID(o.UUID.Get()))
	if err != nil {
		return nil, err
	}
	w.sees(is.ID(), is.Generation())
	if saw := o.Generation.Get(); saw != w.seen[is.ID()] {
		return nil, &placement.ConflictError{
			What: "resource provider", ID: is.ID().String(), Name: is.Name(), Expect: placement.Generation(saw), Has: w.seen[is.ID()],
		}
	}
	return is, nil
}

// inventory sets one class of what a provider has.
func (w *Writes) inventory(p *placement.Snapshot, o *objects.Inventory) ([]placement.Op, error) {
	class, inv, err := inventoryOf(o)
	if err != nil {
		return nil, err
	}
	is, err := w.find(p, o.ResourceProvider.Get())
	if err != nil {
		return nil, err
	}
	at := placement.Generation(is.Generation())
	if id, known := p.ClassID(class); known {
		switch had, ok := is.Inventory(id); {
		case ok && had.Inventory == inv:
			return nil, nil
		case ok:
			return []placement.Op{placement.SetInventory{Provider: is.ID(), Generation: at, Class: class, Inventory: inv}}, nil
		}
	}
	return []placement.Op{placement.AddInventory{Provider: is.ID(), Generation: at, Class: class, Inventory: inv}}, nil
}

// inventoryOf returns what an object says of one class, with the defaults of what it
// does not say.
func inventoryOf(o *objects.Inventory) (placement.ResourceClass, placement.Inventory, error) {
	if err := needs(o, "resource_provider", "resource_class", "total"); err != nil {
		return "", placement.Inventory{}, err
	}
	if err := o.SetDefaults(); err != nil {
		return "", placement.Inventory{}, err
	}
	return placement.ResourceClass(o.ResourceClass.Get()), placement.Inventory{
		Total: o.Total.Get(), Reserved: o.Reserved.Get(), MinUnit: o.MinUnit.Get(), MaxUnit: o.MaxUnit.Get(),
		StepSize: o.StepSize.Get(), AllocationRatio: o.AllocationRatio.Get(),
	}, nil
}

// inventories sets all that a provider has.
//
// Source: ResourceProvider.set_inventory.
func (w *Writes) inventories(p *placement.Snapshot, list *objects.InventoryList) ([]placement.Op, error) {
	var is *placement.ResourceProvider
	set := map[placement.ResourceClass]placement.Inventory{}
	for i, o := range list.All() {
		class, inv, err := inventoryOf(o)
		if err != nil {
			return nil, err
		}
		of, err := w.find(p, o.ResourceProvider.Get())
		if err != nil {
			return nil, err
		}
		path := fmt.Sprintf("InventoryList.objects[%d].", i)
		if is != nil && of != is {
			return nil, &placement.InvalidError{Field: path + "resource_provider", Value: of.Name(), Why: "must be that of the others: a list is all that one provider has"}
		}
		if _, twice := set[class]; twice {
			return nil, &placement.InvalidError{Field: path + "resource_class", Value: string(class), Why: "is in the list twice"}
		}
		is, set[class] = of, inv
	}
	if is == nil {
		return nil, &placement.InvalidError{Field: "InventoryList.objects", Why: "is empty, and names no provider"}
	}
	if same := len(set) == len(is.Inventories()); same {
		for _, had := range is.Inventories() {
			same = same && set[p.ClassName(had.Class)] == had.Inventory
		}
		if same {
			return nil, nil
		}
	}
	return []placement.Op{placement.SetInventories{Provider: is.ID(), Generation: placement.Generation(is.Generation()), Inventories: set}}, nil
}

// allocations sets what consumers have: all of it, or with beside what is named of it.
//
// Source: AllocationList.create_all.
func (w *Writes) allocations(p *placement.Snapshot, n *nova.Snapshot, beside bool, list ...*objects.Allocation) ([]placement.Op, error) {
	if len(list) == 0 {
		return nil, &placement.InvalidError{Field: "AllocationList.objects", Why: "is empty, and names no consumer: release it instead"}
	}
	claims := map[placement.ConsumerID]placement.Claim{}
	var order []placement.ConsumerID
	for _, o := range list {
		if err := needs(o, "resource_provider", "consumer_id", "resource_class", "used"); err != nil {
			return nil, err
		}
		is, err := w.find(p, o.ResourceProvider.Get())
		if err != nil {
			return nil, err
		}
		id := placement.ConsumerID(o.ConsumerID.Get())
		claim, known := claims[id]
		if !known {
			claim = claimOf(p, n, id, beside)
			order = append(order, id)
		}
		if claim.Allocations[is.ID()] == nil {
			claim.Allocations[is.ID()] = map[placement.ResourceClass]int64{}
		}
		class := placement.ResourceClass(o.ResourceClass.Get())
		if _, twice := claim.Allocations[is.ID()][class]; twice && !beside {
			return nil, &placement.InvalidError{Field: "Allocation.resource_class", Value: string(class), Why: "is there twice of one provider and consumer"}
		}
		claim.Allocations[is.ID()][class] = o.Used.Get()
		claims[id] = claim
	}
	op := placement.ReplaceAllocations{}
	for _, id := range order {
		if c, ok := p.Consumer(id); !ok || !sameClaim(p.AsHeld(c), claims[id]) {
			op.Consumers = append(op.Consumers, claims[id])
		}
	}
	if len(op.Consumers) == 0 {
		return nil, nil
	}
	return []placement.Op{op}, nil
}

// sameClaim reports whether a consumer holds what a claim says.
func sameClaim(held, claim placement.Claim) bool {
	if len(held.Allocations) != len(claim.Allocations) {
		return false
	}
	for id, classes := range held.Allocations {
		if len(classes) != len(claim.Allocations[id]) {
			return false
		}
		for class, used := range classes {
			if claim.Allocations[id][class] != used {
				return false
			}
		}
	}
	return true
}

// claimOf returns the claim of a consumer, with what it holds or with nothing. Whose it
// is the objects do not say: it is whose it was, or that of the instance or migration.
func claimOf(p *placement.Snapshot, n *nova.Snapshot, id placement.ConsumerID, holding bool) placement.Claim {
	claim := placement.Claim{Consumer: id, Generation: placement.NewConsumer()}
	if c, ok := p.Consumer(id); ok {
		claim = p.AsHeld(c)
	}
	if !holding || claim.Allocations == nil {
		claim.Allocations = map[placement.ProviderID]map[placement.ResourceClass]int64{}
	}
	of := id
	if m, ok := n.Migration(id); ok {
		of, claim.Type = m.Instance, cmp.Or(claim.Type, placement.MigrationConsumer)
	}
	if i, ok := n.Instance(of); ok {
		claim.Project, claim.User = cmp.Or(claim.Project, i.Project), cmp.Or(claim.User, i.User)
		claim.Type = cmp.Or(claim.Type, placement.InstanceConsumer)
	}
	nobody := uuid.Nil.String() // as [placement]incomplete_consumer_project_id has it
	claim.Project, claim.User = cmp.Or(claim.Project, nobody), cmp.Or(claim.User, nobody)
	return claim
}

// AllClasses returns the names of all classes that can be given and taken, sorted.
func AllClasses() []string {
	all := append(Classes(), PlacementClasses()...)
	slices.Sort(all)
	return all
}
