package rest

import (
	"net/http"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// appendInventory appends the fields of an inventory, without the braces around them.
//
// Source: placement/handlers/inventory.py, _serialize_inventory.
func (b jsonText) appendInventory(inv placement.Inventory) jsonText {
	return b.appendWhole(inv).float(inv.AllocationRatio)
}

// appendWhole appends all fields of an inventory but the value of the last, the ratio.
func (b jsonText) appendWhole(inv placement.Inventory) jsonText {
	b = b.raw(`"total": `).num(inv.Total).raw(`, "reserved": `).num(inv.Reserved).raw(`, "min_unit": `).num(inv.MinUnit)
	return b.raw(`, "max_unit": `).num(inv.MaxUnit).raw(`, "step_size": `).num(inv.StepSize).raw(`, "allocation_ratio": `)
}

// appendSent is appendInventory with the ratio as the client wrote it: the service returns
// it unchanged.
func (b jsonText) appendSent(in sentInventory) jsonText {
	if in.ratio == "" {
		return b.appendInventory(in.Inventory)
	}
	return b.appendWhole(in.Inventory).raw(in.ratio)
}

// checkCapacity returns why an inventory with these numbers is refused at this version.
//
// Source: placement/handlers/inventory.py, _validate_inventory_capacity.
func (r *request) checkCapacity(class string, p *placement.ResourceProvider, inv placement.Inventory) string {
	switch n := inv.Capacity(); {
	case n < 0 && r.at(microversion.Drained):
		return "Invalid inventory for '" + class + "' on resource provider '" + p.ID().String() + "'. The reserved value is greater than total."
	case n <= 0 && !r.at(microversion.Drained):
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
	return conflict(api.ConcurrentUpdate, "resource provider generation conflict")
}

// addInventory answers POST /resource_providers/{uuid}/inventories. It ignores a
// generation in the body.
func addInventory(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	in, f := read(r, readNewInventory)
	if f != nil {
		return f
	}
	class := string(in.class)
	refused := func(why string) *fault {
		return badRequest("Unable to create inventory for resource provider %s: %s", r.args[0], why)
	}
	_, p, f := r.applyTo(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, ok := r.provider(s)
			if !ok {
				return nil, noProvider(r.args[0])
			}
			if why := r.checkCapacity(class, p, in.Inventory); why != "" {
				return nil, refused(why)
			}
			if _, ok := s.ClassID(in.class); !ok {
				return nil, refused("No such resource class " + class + ".")
			}
			return placement.AddInventory{
				Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: in.class, Inventory: in.Inventory,
			}, nil
		},
		words: when(placement.ErrExists, api.ConcurrentUpdate, "Update conflict: there is an inventory of class %s already", class),
	})
	if f != nil {
		return f
	}
	r.location("/resource_providers/" + r.args[0] + "/inventories/" + class)
	r.answer(http.StatusCreated, jsonText("{").appendSent(in).appendGeneration(p), modifiedOf(p))
	return nil
}

// setInventories answers PUT /resource_providers/{uuid}/inventories.
func setInventories(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	in, f := read(r, readInventories)
	if f != nil {
		return f
	}
	set := in.set()
	_, p, f := r.applyTo(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			p, f := r.providerAt(s, in.generation, inventoryMoved)
			if f != nil {
				return nil, f
			}
			for _, i := range in.list {
				if why := r.checkCapacity(string(i.class), p, i.Inventory); why != "" {
					return nil, badRequest("Unable to update inventory for resource provider %s: %s", r.args[0], why)
				}
			}
			if class, ok := unknownClass(s, in.list); ok {
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
	for n, i := range in.list {
		b = b.comma(n > 0)
		b = b.str(string(i.class)).raw(": {").appendSent(i).raw("}")
	}
	r.answer(http.StatusOK, b.raw("}}"), modifiedOf(p))
	return nil
}

// unknownClass returns the first of the classes in a body that does not exist.
func unknownClass(s *placement.Snapshot, list []sentInventory) (placement.ResourceClass, bool) {
	for _, i := range list {
		if _, ok := s.ClassID(i.class); !ok {
			return i.class, true
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
	in, f := read(r, readInventoryOf)
	if f != nil {
		return f
	}
	class := placement.ResourceClass(r.args[1])
	_, p, f := r.applyTo(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		p, f := r.providerAt(s, in.generation, inventoryMoved)
		if f != nil {
			return nil, f
		}
		if why := r.checkCapacity(r.args[1], p, in.Inventory); why != "" {
			return nil, badRequest("Unable to update inventory for resource provider %s: %s", r.args[0], why)
		}
		id, ok := s.ClassID(class)
		if !ok {
			return nil, noClass(r.args[1])
		}
		if _, ok := p.Inventory(id); !ok {
			return nil, badRequest("No inventory record with resource class for resource provider %s: No inventory of class %s found.", r.args[0], class)
		}
		return placement.SetInventory{Provider: p.ID(), Generation: placement.Generation(p.Generation()), Class: class, Inventory: in.Inventory}, nil
	}})
	if f != nil {
		return f
	}
	r.answer(http.StatusOK, jsonText("{").appendSent(in).appendGeneration(p), modifiedOf(p))
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
		words: when(placement.ErrInUse, api.ConcurrentUpdate, "Unable to delete inventory of class %s: Inventory for '%s' on resource provider '%s' in use.", class, class, r.args[0]),
	})
}
