package object

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Provider returns a provider as an object. Its place in a tree, its traits and aggregates
// no class of that time has.
func Provider(p *placement.ResourceProvider) *Object {
	return New("ResourceProvider", Fields{"uuid": p.ID(), "name": p.Name(), "generation": p.Generation()})
}

// Inventories returns what a provider has as objects, by the name of the class.
func Inventories(s *placement.Snapshot, p *placement.ResourceProvider) []*Object {
	named := func(a, b placement.InventoryUsage) int {
		return cmp.Compare(s.ClassName(a.Class), s.ClassName(b.Class))
	}
	var out []*Object
	for _, iu := range slices.SortedStableFunc(slices.Values(p.Inventories()), named) {
		out = append(out, New("Inventory", Fields{
			"resource_provider": Provider(p), "resource_class": s.ClassName(iu.Class), "total": iu.Total, "reserved": iu.Reserved,
			"min_unit": iu.MinUnit, "max_unit": iu.MaxUnit, "step_size": iu.StepSize, "allocation_ratio": iu.AllocationRatio,
		}))
	}
	return out
}

// Allocations returns what a consumer has as objects, by the names of provider and class:
// numbers are others in another cloud.
func Allocations(s *placement.Snapshot, c *placement.Consumer) []*Object {
	named := func(a, b placement.Allocation) int {
		return cmp.Or(cmp.Compare(a.Provider.Name(), b.Provider.Name()), cmp.Compare(s.ClassName(a.Class), s.ClassName(b.Class)))
	}
	var out []*Object
	for _, a := range slices.SortedStableFunc(s.Allocations(c), named) {
		out = append(out, New("Allocation", Fields{
			"resource_provider": Provider(a.Provider), "consumer_id": c.ID(), "resource_class": s.ClassName(a.Class), "used": a.Used,
		}))
	}
	return out
}

// Writes takes over Placement's objects that one writer has sent. Each says at which
// generation its writer saw the provider: who sends several wrote them at the same time,
// so that what one of them does to a generation is no news to the next.
//
// What the writer knows of and the ledger does not is no write, but a copy: a provider is
// as the writer saw it, with its generation and all its inventories, and so is a consumer
// of such providers, even of more than their capacity, as after that has shrunk.
type Writes struct {
	seen   map[placement.ProviderID]int64 // the generation of the writer
	fresh  map[placement.ProviderID]bool  // copied
	copied map[placement.ConsumerID]bool
}

// NewWrites returns the Writes of what one writer has sent.
func NewWrites() *Writes {
	return &Writes{map[placement.ProviderID]int64{}, map[placement.ProviderID]bool{}, map[placement.ConsumerID]bool{}}
}

func idOf(o *Object) placement.ProviderID { return placement.ProviderID(get[uuid.UUID](o, "uuid")) }

// of returns the provider that an inventory or an allocation is of.
func of(o *Object) *Object { return inner(o, "resource_provider") }

func consumerOf(o *Object) placement.ConsumerID {
	return placement.ConsumerID(get[uuid.UUID](o, "consumer_id"))
}

// Ops returns the operations by which the ledgers, as those before have left them, have
// what an object says, and false if it is none of Placement's. An Allocation is one class
// of what a consumer has. An unknown custom class is created, as Nova does.
//
// Errors: placement.ErrInvalid for what an operation needs and the object does not say;
// placement.ErrNotFound for a provider; placement.ErrConflict for another generation than
// the writer saw.
//
// Source: nova/objects/resource_provider.py of Ocata.
func (w *Writes) Ops(p *placement.Snapshot, n *nova.Snapshot, o *Object) (ops []placement.Op, ofPlacement bool, err error) {
	switch o.Class {
	case "ResourceProvider":
		ops, err = w.provider(p, o)
	case "Inventory":
		ops, err = w.inventory(p, o)
	case "Allocation":
		ops, err = w.allocation(p, n, o)
	default:
		return nil, false, nil
	}
	return ops, true, err
}

// provider creates a provider, or renames it.
func (w *Writes) provider(p *placement.Snapshot, o *Object) ([]placement.Op, error) {
	if err := needs(o, "uuid", "name"); err != nil {
		return nil, err
	}
	id, name := idOf(o), get[string](o, "name")
	if _, ok := p.Provider(id); !ok {
		w.seen[id], w.fresh[id] = get[int64](o, "generation"), true
		return put(nil, &placement.ProviderRecord{UUID: id, Name: name, Generation: w.seen[id]}), nil
	}
	is, err := w.find(p, o)
	if err != nil || is.Name() == name {
		return nil, err
	}
	return []placement.Op{placement.UpdateProvider{ID: id, Name: name}}, nil
}

// find returns the provider of an object, if it is at the generation that the writer saw.
func (w *Writes) find(p *placement.Snapshot, o *Object) (*placement.ResourceProvider, error) {
	if err := needs(o, "uuid", "generation"); err != nil {
		return nil, err
	}
	is, err := p.FindProvider(idOf(o))
	if err != nil {
		return nil, err
	}
	if _, known := w.seen[is.ID()]; !known {
		w.seen[is.ID()] = is.Generation()
	}
	if saw := get[int64](o, "generation"); saw != w.seen[is.ID()] {
		return nil, &placement.ConflictError{
			What: "resource provider", ID: is.ID().String(), Name: is.Name(), Expect: placement.Generation(saw), Has: w.seen[is.ID()],
		}
	}
	return is, nil
}

// inventory sets the inventory of one class of a provider.
func (w *Writes) inventory(p *placement.Snapshot, o *Object) ([]placement.Op, error) {
	class, inv, err := inventoryOf(o)
	if err != nil {
		return nil, err
	}
	is, err := w.find(p, of(o))
	if err != nil {
		return nil, err
	}
	at, record := placement.Generation(is.Generation()), p.ProviderRecord(is)
	switch had, ok := record.Inventories[class]; {
	case ok && had == inv:
		return nil, nil
	case ok:
		return []placement.Op{placement.SetInventory{Provider: is.ID(), Generation: at, Class: class, Inventory: inv}}, nil
	case w.fresh[is.ID()]:
		with := p.ProviderRecord(is)
		with.Inventories = map[placement.ResourceClass]placement.Inventory{class: inv}
		maps.Copy(with.Inventories, record.Inventories)
		return append(newClass(p, class), put(record, with)...), nil
	}
	return append(newClass(p, class), placement.AddInventory{Provider: is.ID(), Generation: at, Class: class, Inventory: inv}), nil
}

// put replaces a record, nil for none.
func put(was, is versioned.Record) []placement.Op {
	return []placement.Op{placement.PutRecords{Records: []versioned.Change{{Before: was, After: is}}}}
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

// inventoryOf returns the inventory in an object, with the defaults of its class for unset
// fields.
func inventoryOf(o *Object) (placement.ResourceClass, placement.Inventory, error) {
	inv := placement.Inventory{MinUnit: 1, MaxUnit: 1, StepSize: 1, AllocationRatio: 1}
	for name, to := range map[string]*int64{
		"total": &inv.Total, "reserved": &inv.Reserved, "min_unit": &inv.MinUnit, "max_unit": &inv.MaxUnit, "step_size": &inv.StepSize,
	} {
		if err := take(o, []column{{name, to}}); err != nil {
			return "", inv, err
		}
		if *to < 0 {
			return "", inv, &placement.InvalidError{Field: "Inventory." + name, Value: fmt.Sprint(*to), Why: "must not be negative"}
		}
	}
	err := take(o, []column{{"allocation_ratio", &inv.AllocationRatio}})
	return placement.ResourceClass(get[string](o, "resource_class")), inv, cmp.Or(err, needs(o, "resource_provider", "resource_class", "total"))
}

// allocation sets what a consumer holds of one class of a provider.
//
// Source: AllocationList.create_all.
func (w *Writes) allocation(p *placement.Snapshot, n *nova.Snapshot, o *Object) ([]placement.Op, error) {
	if err := needs(o, "resource_provider", "consumer_id", "resource_class", "used"); err != nil {
		return nil, err
	}
	is, err := w.find(p, of(o))
	if err != nil {
		return nil, err
	}
	id, class, used := consumerOf(o), placement.ResourceClass(get[string](o, "resource_class")), get[int64](o, "used")
	claim := claimOf(p, n, id)
	if held, ok := claim.Allocations[is.ID()][class]; ok && held == used {
		return nil, nil
	}
	if claim.Allocations[is.ID()] == nil {
		claim.Allocations[is.ID()] = map[placement.ResourceClass]int64{}
	}
	claim.Allocations[is.ID()][class] = used
	c, known := p.Consumer(id)
	if w.copied[id] = w.fresh[is.ID()] && (!known || w.copied[id]); !w.copied[id] {
		return []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}}, nil
	}
	var was versioned.Record
	if known {
		was = p.ConsumerRecord(c)
	}
	return put(was, recordOf(claim)), nil
}

// recordOf returns the record of a new consumer.
func recordOf(c placement.Claim) *placement.ConsumerRecord {
	return &placement.ConsumerRecord{UUID: c.Consumer, Type: c.Type, Project: c.Project, User: c.User, Generation: 1, Allocations: c.Allocations}
}

// claimOf returns the claim of a consumer, with what it holds. The objects have no project
// and user: these stay as they were, or are those of the instance or migration.
func claimOf(p *placement.Snapshot, n *nova.Snapshot, id placement.ConsumerID) placement.Claim {
	claim := placement.Claim{Consumer: id, Generation: placement.NewConsumer()}
	if c, ok := p.Consumer(id); ok {
		claim = p.AsHeld(c)
	}
	if claim.Allocations == nil {
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
