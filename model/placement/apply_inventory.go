package placement

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// inventoryList turns a set of inventories into the form that a provider keeps,
// with the usage that p has of each class.
func (e *edit) inventoryList(p *ResourceProvider, set map[ResourceClass]Inventory) ([]InventoryUsage, error) {
	out := make([]InventoryUsage, 0, len(set))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		id, err := e.class(name)
		if err != nil {
			return nil, err
		}
		inv := set[name]
		if err := inv.Validate(); err != nil {
			return nil, inClass(err, name)
		}
		has, _ := p.Inventory(id)
		out = append(out, InventoryUsage{Inventory: inv, Class: id, Used: has.Used})
	}
	slices.SortStableFunc(out, func(a, b InventoryUsage) int { return cmp.Compare(a.Class, b.Class) })
	return out, nil
}

// inClass names the class in an error about a field of its inventory.
func inClass(err error, c ResourceClass) error {
	if inv, ok := err.(*InvalidError); ok { //nolint:errorlint // made by Validate just now
		inv.Field = string(c) + "." + inv.Field
	}
	return err
}

// replaceInventories sets the whole list and bumps the generation.
func (e *edit) replaceInventories(p *ResourceProvider, list []InventoryUsage) error {
	if err := e.inventoriesInUse(p, list); err != nil {
		return err
	}
	e.setInventories(e.mut(p.number), list)
	e.bump(p.number)
	return nil
}

// inventoriesInUse is the error about replacing the inventories of p by a list, if some of
// those that are not in it have allocations.
func (e *edit) inventoriesInUse(p *ResourceProvider, list []InventoryUsage) error {
	var classes []ClassID
	for _, has := range p.inventories {
		if has.Used != 0 && !slices.ContainsFunc(list, func(iu InventoryUsage) bool { return iu.Class == has.Class }) {
			classes = append(classes, has.Class)
		}
	}
	if len(classes) == 0 {
		return nil
	}
	return e.inUse(p, classes...)
}

// inUse is the error about removing inventories that have allocations.
func (e *edit) inUse(p *ResourceProvider, classes ...ClassID) error {
	use := e.usedBy(p, func(of ClassID) bool { return slices.Contains(classes, of) })
	if use == nil {
		use = &InUseError{}
	}
	var names []string
	for _, c := range classes {
		use.Classes = append(use.Classes, e.ClassName(c))
		names = append(names, string(e.ClassName(c)))
	}
	use.What, use.Name = "inventory", strings.Join(names, ", ")+" of "+p.name
	return use
}

func (op SetInventories) apply(e *edit) error {
	p, err := e.FindProvider(op.Provider)
	if err != nil {
		return err
	}
	if err := expect(p, op.Generation); err != nil {
		return err
	}
	list, err := e.inventoryList(p, op.Inventories)
	if err != nil {
		return err
	}
	return e.replaceInventories(p, list)
}

// expected returns a provider, if it is at the generation that its writer saw, and a
// class. A conflict comes before an unknown class.
//
// Source: placement/handlers/inventory.py, update_inventory.
func (e *edit) expected(provider ProviderID, class ResourceClass, at Expect) (*ResourceProvider, ClassID, error) {
	p, err := e.FindProvider(provider)
	if err != nil {
		return nil, 0, err
	}
	if err := expect(p, at); err != nil {
		return nil, 0, err
	}
	id, err := e.class(class)
	return p, id, err
}

func (op SetInventory) apply(e *edit) error {
	p, id, err := e.expected(op.Provider, op.Class, op.Generation)
	if err != nil {
		return err
	}
	if _, ok := p.Inventory(id); !ok {
		return Invalid("resource class", string(op.Class), p.name+" has no inventory of it")
	}
	if err := op.Inventory.Validate(); err != nil {
		return inClass(err, op.Class)
	}
	e.shape++
	m := e.mut(p.number)
	for i := range m.inventories {
		if m.inventories[i].Class == id {
			m.inventories[i].Inventory = op.Inventory
		}
	}
	e.bump(p.number)
	return nil
}

func (op AddInventory) apply(e *edit) error {
	p, id, err := e.expected(op.Provider, op.Class, op.Generation)
	if err != nil {
		return err
	}
	if err := op.Inventory.Validate(); err != nil {
		return inClass(err, op.Class)
	}
	i, has := slices.BinarySearchFunc(p.inventories, id, func(iu InventoryUsage, c ClassID) int { return cmp.Compare(iu.Class, c) })
	if has {
		return &ExistsError{What: "inventory", Field: "class", Value: string(op.Class) + " of " + p.name}
	}
	m := e.mut(p.number)
	e.setInventories(m, slices.Insert(slices.Clone(m.inventories), i, InventoryUsage{Inventory: op.Inventory, Class: id}))
	e.bump(p.number)
	return nil
}

func (op DeleteInventory) apply(e *edit) error {
	p, err := e.FindProvider(op.Provider)
	if err != nil {
		return err
	}
	id, known := e.ClassID(op.Class)
	i, has := slices.BinarySearchFunc(p.inventories, id, func(iu InventoryUsage, c ClassID) int { return cmp.Compare(iu.Class, c) })
	if !known || !has {
		return NotFound("inventory", string(op.Class)+" of "+p.name)
	}
	return e.replaceInventories(p, slices.Delete(slices.Clone(p.inventories), i, i+1))
}

func (op SetTraits) apply(e *edit) error {
	p, err := e.FindProvider(op.Provider)
	if err != nil {
		return err
	}
	if err := expect(p, op.Generation); err != nil {
		return err
	}
	ids, err := e.traitList(op.Traits)
	if err != nil {
		return err
	}
	if slices.Equal(ids, p.traits) {
		return nil
	}
	e.setTraits(e.mut(p.number), ids)
	e.bump(p.number)
	return nil
}

// traitList turns names into numbers, ascending.
func (e *edit) traitList(names []Trait) ([]TraitID, error) {
	ids := make([]TraitID, 0, len(names))
	for _, t := range names {
		id, ok := e.TraitID(t)
		if !ok {
			return nil, Invalid("trait", string(t), "no such trait"+e.TraitHint(t))
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for i := 1; i < len(ids); i++ {
		if ids[i] == ids[i-1] {
			return nil, Invalid("trait", string(e.TraitName(ids[i])), "given twice")
		}
	}
	return ids, nil
}

func (op SetAggregates) apply(e *edit) error {
	p, err := e.FindProvider(op.Provider)
	if err != nil {
		return err
	}
	if err := expect(p, op.Generation); err != nil {
		return err
	}
	aggs, err := aggregateList(op.Aggregates)
	if err != nil {
		return err
	}
	if !slices.Equal(aggs, p.aggregates) {
		e.setAggregates(e.mut(p.number), aggs)
	}
	if !op.KeepGeneration {
		e.bump(p.number)
	}
	return nil
}

// aggregateList returns the ids ascending.
func aggregateList(ids []AggregateID) ([]AggregateID, error) {
	out := slices.Clone(ids)
	slices.SortStableFunc(out, AggregateID.Compare)
	for i, id := range out {
		if id.IsZero() {
			return nil, Invalid("aggregate", id.String(), "the nil uuid names no aggregate")
		}
		if i > 0 && id == out[i-1] {
			return nil, Invalid("aggregate", id.String(), "given twice")
		}
	}
	return out, nil
}
