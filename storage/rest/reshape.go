package rest

import (
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
		words:  notFitting,
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
	if f := beyondAll(list); f != nil {
		return nil, f
	}
	op.Allocations = list
	return op, nil
}
