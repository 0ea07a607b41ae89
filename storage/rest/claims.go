package rest

import (
	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// nobody is the project and the user of claims written below 1.8.
//
// Source: placement/conf/placement.py, incomplete_consumer_project_id.
const nobody = "00000000-0000-0000-0000-000000000000"

// claims converts the claims that were sent for the ledger. It checks them in the
// service's order: generations, providers, classes. Unknown returns the error for an
// unknown class.
func (r *request) claims(s *placement.Snapshot, sent []sentClaim, unknown func(sentClaim, placement.ResourceClass) *fault) ([]placement.Claim, *fault) {
	list := make([]placement.Claim, len(sent))
	for i, c := range sent {
		expect, f := r.consumerAt(s, c)
		if f != nil {
			return nil, f
		}
		list[i] = placement.Claim{Consumer: c.consumer, Generation: expect, Type: c.kind, Project: c.project, User: c.user}
	}
	for i, c := range sent {
		if len(c.providers) == 0 {
			continue
		}
		list[i].Allocations = make(map[placement.ProviderID]map[placement.ResourceClass]int64, len(c.providers))
		for _, p := range c.providers {
			at, ok := providerOf(s, p.uuid)
			if !ok {
				return nil, badRequest("Allocation for resource provider '%s' that does not exist.", p.uuid)
			}
			list[i].Allocations[at.ID()] = make(map[placement.ResourceClass]int64, len(p.amounts))
		}
	}
	for i, c := range sent {
		for _, p := range c.providers {
			id, _ := exactUUID(p.uuid)
			amounts := list[i].Allocations[placement.ProviderID(id)]
			for _, a := range p.amounts {
				if _, ok := s.ClassID(a.class); !ok {
					return nil, unknown(c, a.class)
				}
				amounts[a.class] = a.units
			}
		}
	}
	return list, nil
}

// consumerAt returns the generation that a claim is decided on.
//
// Source: placement/handlers/util.py, ensure_consumer.
func (r *request) consumerAt(s *placement.Snapshot, c sentClaim) (placement.Expect, *fault) {
	if !r.at(microversion.ConsumerGeneration) {
		return placement.AnyGeneration(), nil
	}
	has, ok := s.Consumer(c.consumer)
	switch {
	case ok && c.generation == nil:
		return placement.Expect{}, conflict(api.ConcurrentUpdate, "consumer generation conflict - expected %d but got null", has.Generation())
	case ok && *c.generation != has.Generation():
		return placement.Expect{}, conflict(api.ConcurrentUpdate, "consumer generation conflict - expected %d but got %d", has.Generation(), *c.generation)
	case ok:
		return placement.Generation(has.Generation()), nil
	case c.generation != nil:
		return placement.Expect{}, conflict(api.ConcurrentUpdate, "consumer generation conflict - expected null but got %d", *c.generation)
	}
	return placement.NewConsumer(), nil
}

// setAllocations answers PUT /allocations/{consumer_uuid}.
func setAllocations(r *request) *fault {
	if _, ok := body.ParseUUID(r.args[0]); !ok {
		return badRequest("Malformed consumer_uuid: %s", r.args[0])
	}
	in, f := read(r, r.readClaimOf)
	if f != nil {
		return f
	}
	return r.replace([]sentClaim{in}, func(c sentClaim, class placement.ResourceClass) *fault {
		return badRequest("Unable to allocate inventory for consumer %s: No such resource class %s.", c.consumer, class)
	})
}

// replaceAllocations answers POST /allocations.
func replaceAllocations(r *request) *fault {
	sent, f := read(r, r.readClaims)
	if f == nil {
		f = checkConsumers(sent)
	}
	if f != nil {
		return f
	}
	return r.replace(sent, func(_ sentClaim, class placement.ResourceClass) *fault {
		return badRequest("Unable to allocate inventory No such resource class %s.", class)
	})
}

// checkConsumers refuses consumers that have no uuid.
func checkConsumers(list []sentClaim) *fault {
	for _, c := range list {
		if _, ok := body.ParseUUID(c.name); !ok {
			return badRequest("Malformed consumer_uuid: %s", c.name)
		}
	}
	return nil
}

// replace replaces the allocations of consumers by what was sent.
func (r *request) replace(sent []sentClaim, unknown func(sentClaim, placement.ResourceClass) *fault) *fault {
	return r.applyAndDone(write{
		decide: func(s *placement.Snapshot) (placement.Op, *fault) {
			list, f := r.claims(s, sent, unknown)
			switch {
			case f != nil:
				return nil, f
			case nothingHeld(s, list):
				return nil, nil
			}
			if f := beyondAll(list); f != nil {
				return nil, f
			}
			return placement.ReplaceAllocations{Consumers: list}, nil
		},
		words: notFitting,
	})
}

// nothingHeld reports whether all claims are empty, and their consumers hold nothing.
func nothingHeld(s *placement.Snapshot, list []placement.Claim) bool {
	for _, c := range list {
		if _, ok := s.Consumer(c.Consumer); ok || len(c.Allocations) > 0 {
			return false
		}
	}
	return true
}

// beyondAll refuses an amount above what any inventory can have.
func beyondAll(list []placement.Claim) *fault {
	for _, c := range list {
		for id, amounts := range c.Allocations {
			for class, n := range amounts {
				if n > placement.MaxInt {
					return conflict(api.Undefined, "Unable to allocate inventory: no inventory of '%s' on resource provider '%s' can have that much.", class, id)
				}
			}
		}
	}
	return nil
}
