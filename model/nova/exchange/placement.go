package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
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
		o := object.Make[objects.ResourceProvider]()
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

// Inventories returns what a provider has as objects, by the name of the class.
func Inventories(s *placement.Snapshot, p *placement.ResourceProvider) (*objects.InventoryList, error) {
	of, err := ResourceProviders(p)
	if err != nil {
		return nil, err
	}
	list := objects.NewInventoryList()
	named := func(a, b placement.InventoryUsage) int {
		return cmp.Compare(s.ClassName(a.Class), s.ClassName(b.Class))
	}
	for _, iu := range slices.SortedStableFunc(slices.Values(p.Inventories()), named) {
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

// Allocations returns what a consumer has as objects, by the names of provider and class:
// numbers are others in another cloud.
func Allocations(s *placement.Snapshot, c *placement.Consumer) (*objects.AllocationList, error) {
	list := objects.NewAllocationList()
	named := func(a, b placement.Allocation) int {
		return cmp.Or(cmp.Compare(a.Provider.Name(), b.Provider.Name()), cmp.Compare(s.ClassName(a.Class), s.ClassName(b.Class)))
	}
	for _, a := range slices.SortedStableFunc(s.Allocations(c), named) {
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
//
// What the writer knows of and the ledger does not is no write, but a copy: a provider is
// as the writer saw it, with its generation and all its inventories, and so is a consumer
// only of such providers, even of more than their capacity, as after that has shrunk.
type Writes struct {
	seen   map[placement.ProviderID]int64
	fresh  map[placement.ProviderID]*placement.ProviderRecord
	copied map[*objects.Inventory]bool // inventories included in a record of fresh
	claims map[placement.ConsumerID]bool
}

// NewWrites returns the Writes of what one writer has sent, in order, into p.
func NewWrites(p *placement.Snapshot, sent []object.Object) *Writes {
	w := &Writes{
		seen: map[placement.ProviderID]int64{}, fresh: map[placement.ProviderID]*placement.ProviderRecord{},
		copied: map[*objects.Inventory]bool{}, claims: map[placement.ConsumerID]bool{},
	}
	for _, o := range sent {
		switch o := o.(type) {
		case *objects.ResourceProvider:
			w.meet(p, o)
		case *objects.ResourceProviderList:
			for _, one := range o.All() {
				w.meet(p, one)
			}
		case *objects.Inventory:
			w.copy(o)
		case *objects.InventoryList:
			for n, one := range o.All() {
				if of := w.freshOf(one.ResourceProvider.Get()); n == 0 && of != nil {
					clear(of.Inventories) // a list replaces everything that the provider has
				}
				w.copy(one)
			}
		case *objects.Allocation:
			w.claim(p, o)
		case *objects.AllocationList:
			for _, one := range o.All() {
				w.claim(p, one)
			}
		}
	}
	return w
}

// meet adds the record of a new provider to fresh.
func (w *Writes) meet(p *placement.Snapshot, o *objects.ResourceProvider) {
	id := placement.ProviderID(o.UUID.Get())
	if _, known := p.Provider(id); known || w.fresh[id] != nil || needs(o, "uuid", "name") != nil {
		return
	}
	w.seen[id] = o.Generation.Get()
	w.fresh[id] = &placement.ProviderRecord{
		UUID: id, Name: o.Name.Get(), Generation: o.Generation.Get(), Inventories: map[placement.ResourceClass]placement.Inventory{},
	}
}

// copy puts an inventory in the record of its provider, if that is new. An invalid one is
// refused later, in its turn.
func (w *Writes) copy(o *objects.Inventory) {
	class, inv, err := inventoryOf(o)
	if err != nil {
		return
	}
	of := o.ResourceProvider.Get()
	record := w.freshOf(of)
	if record == nil || record.Generation != of.Generation.Get() {
		return
	}
	if _, twice := record.Inventories[class]; !twice {
		record.Inventories[class], w.copied[o] = inv, true
	}
}

// claim notes whether a consumer is new and holds only allocations on new providers.
func (w *Writes) claim(p *placement.Snapshot, o *objects.Allocation) {
	id := placement.ConsumerID(o.ConsumerID.Get())
	all, met := w.claims[id]
	_, known := p.Consumer(id)
	w.claims[id] = (all || !met) && !known && w.freshOf(o.ResourceProvider.Get()) != nil
}

// freshOf returns the record of a new provider; nil if it is not new.
func (w *Writes) freshOf(o *objects.ResourceProvider) *placement.ProviderRecord {
	if o == nil {
		return nil
	}
	return w.fresh[placement.ProviderID(o.UUID.Get())]
}

// Ops returns the operations by which the ledgers, as those before have left them, have
// what an object says, and false if it is none of Placement's. An Allocation is one class
// of what a consumer has; an AllocationList, like an InventoryList, is all of it. An
// unknown custom class is created, as Nova does.
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

// provider creates a provider, or renames it.
func (w *Writes) provider(p *placement.Snapshot, o *objects.ResourceProvider) ([]placement.Op, error) {
	if err := needs(o, "uuid", "name"); err != nil {
		return nil, err
	}
	id := placement.ProviderID(o.UUID.Get())
	if _, ok := p.Provider(id); !ok {
		var ops []placement.Op
		for _, class := range slices.Sorted(maps.Keys(w.fresh[id].Inventories)) {
			ops = append(ops, newClass(p, class)...)
		}
		return append(ops, placement.PutRecords{Records: []versioned.Change{{After: w.fresh[id]}}}), nil
	}
	is, err := w.find(p, o)
	if err != nil || is.Name() == o.Name.Get() {
		return nil, err
	}
	return []placement.Op{placement.UpdateProvider{ID: id, Name: o.Name.Get()}}, nil
}

// sees remembers the generation at which the writer saw a provider.
func (w *Writes) sees(id placement.ProviderID, generation int64) {
	if _, known := w.seen[id]; !known {
		w.seen[id] = generation
	}
}

// find returns the provider of an object, if it is at the generation that the writer saw.
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

// inventory sets the inventory of one class of a provider.
func (w *Writes) inventory(p *placement.Snapshot, o *objects.Inventory) ([]placement.Op, error) {
	class, inv, err := inventoryOf(o)
	if err != nil || w.copied[o] {
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
	return append(newClass(p, class), placement.AddInventory{Provider: is.ID(), Generation: at, Class: class, Inventory: inv}), nil
}

// newClass creates a custom class unless it exists.
//
// Source: nova/scheduler/client/report.py of Pike, _ensure_resource_class.
func newClass(p *placement.Snapshot, class placement.ResourceClass) []placement.Op {
	if _, known := p.ClassID(class); known || !class.IsCustom() {
		return nil
	}
	return []placement.Op{placement.CreateClass{Name: class, IfAbsent: true}}
}

// inventoryOf returns the inventory in an object, with defaults for unset fields.
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

// inventories sets all inventories of a provider.
//
// Source: ResourceProvider.set_inventory.
func (w *Writes) inventories(p *placement.Snapshot, list *objects.InventoryList) ([]placement.Op, error) {
	if all := list.All(); len(all) > 0 && !slices.ContainsFunc(all, func(o *objects.Inventory) bool { return !w.copied[o] }) {
		return nil, nil
	}
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
			return nil, &placement.InvalidError{Field: path + "resource_provider", Value: of.Name(), Why: "must be the same for the whole list: it is everything one provider has"}
		}
		if _, twice := set[class]; twice {
			return nil, &placement.InvalidError{Field: path + "resource_class", Value: string(class), Why: "is given twice"}
		}
		is, set[class] = of, inv
	}
	if is == nil {
		return nil, &placement.InvalidError{Field: "InventoryList.objects", Why: "is empty, so it names no provider"}
	}
	if same := len(set) == len(is.Inventories()); same {
		for _, had := range is.Inventories() {
			same = same && set[p.ClassName(had.Class)] == had.Inventory
		}
		if same {
			return nil, nil
		}
	}
	var ops []placement.Op
	for _, class := range slices.Sorted(maps.Keys(set)) {
		ops = append(ops, newClass(p, class)...)
	}
	return append(ops, placement.SetInventories{Provider: is.ID(), Generation: placement.Generation(is.Generation()), Inventories: set}), nil
}

// allocations sets everything that consumers hold or, with beside, only what is in the
// list.
//
// Source: AllocationList.create_all.
func (w *Writes) allocations(p *placement.Snapshot, n *nova.Snapshot, beside bool, list ...*objects.Allocation) ([]placement.Op, error) {
	if len(list) == 0 {
		return nil, &placement.InvalidError{Field: "AllocationList.objects", Why: "is empty, so it names no consumer: release the consumer's allocations instead"}
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
			return nil, &placement.InvalidError{Field: "Allocation.resource_class", Value: string(class), Why: "is given twice for one provider and consumer"}
		}
		claim.Allocations[is.ID()][class] = o.Used.Get()
		claims[id] = claim
	}
	op, copied := placement.ReplaceAllocations{}, placement.PutRecords{}
	for _, id := range order {
		c, ok := p.Consumer(id)
		switch {
		case ok && sameClaim(p.AsHeld(c), claims[id]):
		case w.claims[id]:
			change := versioned.Change{After: recordOf(claims[id])}
			if ok {
				change.Before = p.ConsumerRecord(c)
			}
			copied.Records = append(copied.Records, change)
		default:
			op.Consumers = append(op.Consumers, claims[id])
		}
	}
	var ops []placement.Op
	if len(copied.Records) > 0 {
		ops = append(ops, copied)
	}
	if len(op.Consumers) > 0 {
		ops = append(ops, op)
	}
	return ops, nil
}

// recordOf returns the record of a new consumer.
func recordOf(c placement.Claim) *placement.ConsumerRecord {
	return &placement.ConsumerRecord{UUID: c.Consumer, Type: c.Type, Project: c.Project, User: c.User, Generation: 1, Allocations: c.Allocations}
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

// claimOf returns the claim of a consumer, with what it holds or empty. The objects have
// no project and user: these stay as they were, or are those of the instance or
// migration.
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
	nobody := uuid.Nil.String() // the default of [placement]incomplete_consumer_project_id
	claim.Project, claim.User = cmp.Or(claim.Project, nobody), cmp.Or(claim.User, nobody)
	return claim
}

// Order returns the names of the classes that together say all of a cloud that objects
// can say, each after those that its objects refer to. Lists say nothing more.
func Order() []string {
	return []string{"ResourceProvider", "Inventory", "Flavor", "Service", "ComputeNode", "Instance", "Migration", "Allocation"}
}

// AllClasses returns the names of all classes that can be given and taken, sorted.
func AllClasses() []string {
	all := append(Classes(), PlacementClasses()...)
	slices.Sort(all)
	return all
}
