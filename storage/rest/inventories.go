package rest

import (
	"math"
	"net/http"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// appendInventory appends the fields of an inventory, without the braces around them.
//
// Source: placement/handlers/inventory.py, _serialize_inventory.
func (b jsonText) appendInventory(inv placement.Inventory) jsonText {
	b = b.raw(`"total": `).num(inv.Total).raw(`, "reserved": `).num(inv.Reserved).raw(`, "min_unit": `).num(inv.MinUnit)
	b = b.raw(`, "max_unit": `).num(inv.MaxUnit).raw(`, "step_size": `).num(inv.StepSize)
	return b.raw(`, "allocation_ratio": `).float(inv.AllocationRatio)
}

// appendSent is appendInventory with the numbers as the client wrote them: the service
// returns them unchanged.
func (b jsonText) appendSent(v body.Value, inv placement.Inventory) jsonText {
	number := func(b jsonText, name string, or func(jsonText) jsonText) jsonText {
		sent, ok := v.Get(name)
		b = b.raw(`"` + name + `": `)
		switch {
		case !ok:
			return or(b)
		case sent.Kind == body.Float:
			return b.float(sent.Float)
		case sent.Big != nil: // a ratio that was written without a point
			return b.raw(sent.Big.String())
		}
		return b.num(sent.Int)
	}
	for name, n := range inv.Whole() {
		b = number(b, name, func(b jsonText) jsonText { return b.num(*n) }).raw(", ")
	}
	return number(b, placement.Ratio, func(b jsonText) jsonText { return b.float(inv.AllocationRatio) })
}

// readInventory returns the inventory in a body, with defaults for what it leaves out.
func readInventory(v body.Value) (placement.Inventory, *fault) {
	inv := placement.NewInventory(0)
	for name, to := range inv.Whole() {
		if n, ok := v.Get(name); ok {
			*to, _ = n.Whole() // the schema bounds it
		}
	}
	if ratio, ok := v.Get(placement.Ratio); ok {
		inv.AllocationRatio, _ = ratio.Number()
	}
	if r := inv.AllocationRatio; math.IsNaN(r) || r < -placement.MaxRatio {
		return inv, badRequest("allocation_ratio %s is no ratio", body.Float64(r))
	}
	return inv, nil
}

// checkCapacity returns why an inventory with these numbers is refused at this version.
//
// Source: placement/handlers/inventory.py, _validate_inventory_capacity.
func (r *request) checkCapacity(class string, p *placement.ResourceProvider, inv placement.Inventory) string {
	switch n := inv.Capacity(); {
	case n < 0 && r.at(sinceDrained):
		return "Invalid inventory for '" + class + "' on resource provider '" + p.ID().String() + "'. The reserved value is greater than total."
	case n <= 0 && !r.at(sinceDrained):
		return "Invalid inventory for '" + class + "' on resource provider '" + p.ID().String() + "'. The reserved value is greater than or equal to total."
	}
	return ""
}

// missingTwice is the answer for an unknown provider in the path, in places where the
// service repeats its text.
func missingTwice(text string) *fault {
	return notFound("No resource provider with uuid %s found : No resource provider with uuid %s found", text, text)
}

// listInventories answers GET /resource_providers/{uuid}/inventories.
func listInventories(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return missingTwice(r.args[0])
	}
	b := r.text(`{"resource_provider_generation": `).num(p.Generation()).raw(`, "inventories": {`)
	for i, iu := range p.Inventories() {
		b = b.comma(i > 0)
		b = b.str(string(s.ClassName(iu.Class))).raw(": {").appendInventory(iu.Inventory).raw("}")
	}
	r.answer(http.StatusOK, b.raw("}}"), modifiedOf(p))
	return nil
}

// appendGeneration appends the generation of the provider of one inventory: the service
// leaves out a 0.
func (b jsonText) appendGeneration(p *placement.ResourceProvider) jsonText {
	if g := p.Generation(); g != 0 {
		b = b.raw(`, "resource_provider_generation": `).num(g)
	}
	return b.raw("}")
}

// showInventory answers GET /resource_providers/{uuid}/inventories/{resource_class}.
func showInventory(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return missingTwice(r.args[0])
	}
	id, known := s.ClassID(placement.ResourceClass(r.args[1]))
	iu, has := p.Inventory(id)
	if !known || !has {
		return notFound("No inventory of class %s for %s", r.args[1], r.args[0])
	}
	r.answer(http.StatusOK, jsonText("{").appendInventory(iu.Inventory).appendGeneration(p), modifiedOf(p))
	return nil
}

// inventoryMoved is the answer to an outdated generation.
func inventoryMoved() *fault {
	return conflict(wire.ConcurrentUpdate, "resource provider generation conflict")
}

// addInventory answers POST /resource_providers/{uuid}/inventories. It ignores a
// generation in the body.
func addInventory(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	v, f := r.read(newInventoryBody)
	if f != nil {
		return f
	}
	class, _ := v.Get("resource_class")
	inv, f := readInventory(v)
	if f != nil {
		return f
	}
	refused := func(why string) *fault {
		return badRequest("Unable to create inventory for resource provider %s: %s", r.args[0], why)
	}
	_, p, f := r.applyTo(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, ok := r.provider(s)
			if !ok {
				return nil, noProvider(r.args[0])
			}
			if why := r.checkCapacity(class.Str, p, inv); why != "" {
				return nil, refused(why)
			}
			if _, ok := s.ClassID(placement.ResourceClass(class.Str)); !ok {
				return nil, refused("No such resource class " + class.Str + ".")
			}
			return placement.AddInventory{
				Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: placement.ResourceClass(class.Str), Inventory: inv,
			}, nil
		},
		words: when(placement.ErrExists, wire.ConcurrentUpdate, "Update conflict: there is an inventory of class %s already", class.Str),
	})
	if f != nil {
		return f
	}
	r.location("/resource_providers/" + r.args[0] + "/inventories/" + class.Str)
	r.answer(http.StatusCreated, jsonText("{").appendSent(v, inv).appendGeneration(p), modifiedOf(p))
	return nil
}

// setInventories answers PUT /resource_providers/{uuid}/inventories.
func setInventories(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	v, f := r.read(inventoriesBody)
	if f != nil {
		return f
	}
	given, _ := v.Get("resource_provider_generation")
	list, _ := v.Get("inventories")
	set, f := readInventories(list)
	if f != nil {
		return f
	}
	_, p, f := r.applyTo(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, f := r.providerAt(s, given, inventoryMoved)
			if f != nil {
				return nil, f
			}
			for _, m := range list.Members {
				if why := r.checkCapacity(m.Key, p, set[placement.ResourceClass(m.Key)]); why != "" {
					return nil, badRequest("Unable to update inventory for resource provider %s: %s", r.args[0], why)
				}
			}
			if class, ok := unknownClass(s, list); ok {
				return nil, badRequest("Unknown resource class in inventory for resource provider %s: No such resource class %s.", r.args[0], class)
			}
			return placement.SetInventories{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Inventories: set}, nil
		},
		words: r.inUse,
	})
	if f != nil {
		return f
	}
	b := r.text(`{"resource_provider_generation": `).num(p.Generation()).raw(`, "inventories": {`)
	for i, m := range list.Members {
		b = b.comma(i > 0)
		b = b.str(m.Key).raw(": {").appendSent(m.Value, set[placement.ResourceClass(m.Key)]).raw("}")
	}
	r.answer(http.StatusOK, b.raw("}}"), modifiedOf(p))
	return nil
}

// readInventories returns the inventories in a body by class. The value of a key that
// cannot be the name of a class is not checked: the class is unknown.
func readInventories(list body.Value) (map[placement.ResourceClass]placement.Inventory, *fault) {
	set := make(map[placement.ResourceClass]placement.Inventory, len(list.Members))
	for _, m := range list.Members {
		class := placement.ResourceClass(m.Key)
		if class.Validate() != nil {
			set[class] = placement.NewInventory(1)
			continue
		}
		inv, f := readInventory(m.Value)
		if f != nil {
			return nil, f
		}
		set[class] = inv
	}
	return set, nil
}

// unknownClass returns the first key of an object that is not a class.
func unknownClass(s *placement.Snapshot, list body.Value) (string, bool) {
	for _, m := range list.Members {
		if _, ok := s.ClassID(placement.ResourceClass(m.Key)); !ok {
			return m.Key, true
		}
	}
	return "", false
}

// deleteInventories answers DELETE /resource_providers/{uuid}/inventories.
func deleteInventories(r *request) *fault {
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, ok := r.provider(s)
			if !ok {
				return nil, noProvider(r.args[0])
			}
			return placement.SetInventories{Provider: p.ID(), Generation: placement.Generation(p.Generation())}, nil
		},
		words: r.inUse,
	})
}

// setInventory answers PUT /resource_providers/{uuid}/inventories/{resource_class}.
func setInventory(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	v, f := r.read(inventoryBody)
	if f != nil {
		return f
	}
	given, _ := v.Get("resource_provider_generation")
	inv, f := readInventory(v)
	if f != nil {
		return f
	}
	class := placement.ResourceClass(r.args[1])
	_, p, f := r.applyTo(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		p, f := r.providerAt(s, given, inventoryMoved)
		if f != nil {
			return nil, f
		}
		if why := r.checkCapacity(r.args[1], p, inv); why != "" {
			return nil, badRequest("Unable to update inventory for resource provider %s: %s", r.args[0], why)
		}
		id, ok := s.ClassID(class)
		if !ok {
			return nil, noClass(r.args[1])
		}
		if _, ok := p.Inventory(id); !ok {
			return nil, badRequest("No inventory record with resource class for resource provider %s: No inventory of class %s found.", r.args[0], class)
		}
		return placement.SetInventory{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: class, Inventory: inv}, nil
	}})
	if f != nil {
		return f
	}
	r.answer(http.StatusOK, jsonText("{").appendSent(v, inv).appendGeneration(p), modifiedOf(p))
	return nil
}

// deleteInventory answers DELETE /resource_providers/{uuid}/inventories/{resource_class}.
func deleteInventory(r *request) *fault {
	class := placement.ResourceClass(r.args[1])
	missing := func(why string) *fault {
		return notFound("No inventory of class %s found for delete: %s", class, why)
	}
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, ok := r.provider(s)
			if !ok {
				return nil, noProvider(r.args[0])
			}
			id, ok := s.ClassID(class)
			if !ok {
				return nil, missing("No such resource class " + r.args[1] + ".")
			}
			if _, ok := p.Inventory(id); !ok {
				return nil, missing("No inventory of class " + r.args[1] + " found for delete")
			}
			return placement.DeleteInventory{Provider: p.ID(), Class: class}, nil
		},
		words: when(placement.ErrInUse, wire.ConcurrentUpdate, "Unable to delete inventory of class %s: Inventory for '%s' on resource provider '%s' in use.", class, class, r.args[0]),
	})
}
