package rest

import (
	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/placement"
)

// reshape answers POST /reshaper.
//
// Source: placement/handlers/reshaper.py.
func reshape(r *request) *fault {
	in, f := read(r, r.readReshape)
	if f == nil {
		f = checkConsumers(in.claims)
	}
	if f != nil {
		return f
	}
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) { return r.decideReshape(s, in) },
		words:  notFitting,
	})
}

// decideReshape returns the operation for a reshape on s.
func (r *request) decideReshape(s *placement.Snapshot, body reshapeBody) (placement.Op, *fault) {
	var op placement.Reshape
	for _, in := range body.inventories {
		p, ok := providerOf(s, in.uuid)
		if !ok {
			f := badRequest("Resource provider %s in inventories not found: No resource provider with uuid %s found", in.uuid, in.uuid)
			f.code = api.ProviderNotFound
			return nil, f
		}
		if in.generation != p.Generation() {
			return nil, conflict(api.ConcurrentUpdate, "resource provider generation conflict for provider %s: actual: %d, given: %d", in.uuid, p.Generation(), in.generation)
		}
		op.Inventories = append(op.Inventories, placement.SetInventories{
			Provider: p.ID(), Generation: placement.Generation(p.Generation()), Inventories: in.set(),
		})
	}
	malformed := func(_ sentClaim, class placement.ResourceClass) *fault {
		return badRequest("malformed reshaper data: No such resource class %s.", class)
	}
	list, f := r.claims(s, body.claims, malformed)
	if f != nil {
		return nil, f
	}
	for _, in := range body.inventories {
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
