package rest

import (
	"errors"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// sentInventories are the new inventories of one provider in a reshape.
type sentInventories struct {
	uuid       string
	generation body.Value
	list       body.Value
	set        map[placement.ResourceClass]placement.Inventory
}

// reshape answers POST /reshaper.
//
// Source: placement/handlers/reshaper.py.
func reshape(r *request) *fault {
	v, f := r.read(reshapeBody.at(r.version))
	if f != nil {
		return f
	}
	inventories, _ := v.Get("inventories")
	var sent []sentInventories
	for _, m := range inventories.Members {
		in := sentInventories{uuid: m.Key}
		in.generation, _ = m.Value.Get("resource_provider_generation")
		in.list, _ = m.Value.Get("inventories")
		if in.set, f = readInventories(in.list); f != nil {
			return f
		}
		sent = append(sent, in)
	}
	allocations, _ := v.Get("allocations")
	claims, f := r.readClaims(allocations)
	if f != nil {
		return f
	}
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) { return r.decideReshape(s, sent, claims) },
		words: func(s *placement.Snapshot, err error) *fault {
			switch {
			case errors.Is(err, placement.ErrCapacity):
				return tooMuch(s, claims, reshaped(sent))
			case errors.Is(err, placement.ErrInUse):
				return leftInUse(s, sent, claims)
			}
			return nil
		},
	})
}

// decideReshape returns the operation for a reshape on s.
func (r *request) decideReshape(s *placement.Snapshot, sent []sentInventories, claims []sentClaim) (placement.Op, *fault) {
	var op placement.Reshape
	for _, in := range sent {
		p, ok := providerOf(s, in.uuid)
		if !ok {
			f := badRequest("Resource provider %s in inventories not found: No resource provider with uuid %s found", in.uuid, in.uuid)
			f.code = wire.ProviderNotFound
			return nil, f
		}
		if n, ok := in.generation.Whole(); !ok || n != p.Generation() {
			return nil, conflict(wire.ConcurrentUpdate, "resource provider generation conflict for provider %s: actual: %d, given: %s", in.uuid, p.Generation(), in.generation.String())
		}
		op.Inventories = append(op.Inventories, placement.SetInventories{
			Provider: p.ID(), Generation: placement.Generation(p.Generation()), Inventories: in.set,
		})
	}
	malformed := func(_ sentClaim, class string) *fault {
		return badRequest("malformed reshaper data: No such resource class %s.", class)
	}
	list, f := r.claims(s, claims, malformed)
	if f != nil {
		return nil, f
	}
	for _, in := range sent {
		if class, ok := unknownClass(s, in.list); ok {
			return nil, malformed(sentClaim{}, class)
		}
	}
	if beyondAll(list) {
		return nil, tooMuch(s, claims, reshaped(sent))
	}
	op.Allocations = list
	return op, nil
}

// reshaped returns a function that returns the inventories in a reshape.
func reshaped(sent []sentInventories) func(stock) (placement.Inventory, bool) {
	return func(at stock) (placement.Inventory, bool) {
		for _, in := range sent {
			if in.uuid == at.provider.String() {
				inv, ok := in.set[at.class]
				return inv, ok
			}
		}
		return placement.Inventory{}, false
	}
}

// leftInUse returns which inventories a reshape removes although a consumer would still
// hold some of them; nil if none.
func leftInUse(s *placement.Snapshot, sent []sentInventories, claims []sentClaim) *fault {
	used := map[stock]int64{}
	for _, c := range claims {
		if held, ok := s.Consumer(c.consumer); ok {
			for a := range s.Allocations(held) {
				used[stock{a.Provider.ID(), s.ClassName(a.Class)}] -= a.Used
			}
		}
	}
	eachSent(claims, func(at stock, n int64) bool {
		used[at] += n
		return true
	})
	for _, in := range sent {
		p, ok := providerOf(s, in.uuid)
		if !ok {
			continue
		}
		names := ""
		for _, iu := range p.Inventories() {
			class := s.ClassName(iu.Class)
			if _, kept := in.set[class]; kept || iu.Used+used[stock{p.ID(), class}] == 0 {
				continue
			}
			if names != "" {
				names += ", "
			}
			names += string(class)
		}
		if names != "" {
			return conflict(wire.InventoryInUse, "update conflict: Inventory for '%s' on resource provider '%s' in use.", names, p.ID())
		}
	}
	return nil
}
