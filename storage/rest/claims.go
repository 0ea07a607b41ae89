package rest

import (
	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// nobody is the project and the user of claims written below 1.8.
//
// Source: placement/conf/placement.py, incomplete_consumer_project_id.
const nobody = "00000000-0000-0000-0000-000000000000"

// sentClaim is the claim of one consumer, as in a body.
type sentClaim struct {
	consumer   placement.ConsumerID
	name       string // the uuid as it was sent
	generation body.Value
	project    string
	user       string
	kind       placement.ConsumerType
	providers  []sentProvider // in the order of the body
}

// sentProvider is what a claim takes from one provider.
type sentProvider struct {
	uuid      string
	resources []body.Member
}

// readClaim reads the claim of one consumer.
func (r *request) readClaim(name string, v body.Value) sentClaim {
	c := sentClaim{name: name, consumer: placement.ConsumerID(uuid.MustParse(body.NormalUUID(name))), project: nobody, user: nobody}
	for _, m := range v.Members {
		switch m.Key {
		case "consumer_generation":
			c.generation = m.Value
		case "project_id":
			c.project = m.Value.Str
		case "user_id":
			c.user = m.Value.Str
		case "consumer_type":
			c.kind = placement.ConsumerType(m.Value.Str)
		case "allocations":
			c.providers = readProviders(m.Value)
		}
	}
	return c
}

// readProviders reads the amounts by provider, in either form; of several entries for one
// provider in a list, the last counts.
func readProviders(v body.Value) []sentProvider {
	list := make([]sentProvider, 0, max(len(v.Members), len(v.Items)))
	for _, m := range v.Members {
		resources, _ := m.Value.Get("resources")
		list = append(list, sentProvider{m.Key, resources.Members})
	}
	at := map[string]int{}
	for _, item := range v.Items {
		provider, _ := item.Get("resource_provider")
		id, _ := provider.Get("uuid")
		resources, _ := item.Get("resources")
		if i, ok := at[id.Str]; ok {
			list[i].resources = resources.Members
			continue
		}
		at[id.Str] = len(list)
		list = append(list, sentProvider{id.Str, resources.Members})
	}
	return list
}

// readClaims reads the claims of several consumers.
func (r *request) readClaims(v body.Value) ([]sentClaim, *fault) {
	list := make([]sentClaim, 0, len(v.Members))
	for _, m := range v.Members {
		if !body.UUIDLike(m.Key) {
			return nil, badRequest("Malformed consumer_uuid: %s", m.Key)
		}
		list = append(list, r.readClaim(m.Key, m.Value))
	}
	return list, nil
}

// claims converts the claims that were sent for the ledger. It checks them in the
// service's order: generations, providers, classes. Unknown returns the error for an
// unknown class.
func (r *request) claims(s *placement.Snapshot, sent []sentClaim, unknown func(sentClaim, string) *fault) ([]placement.Claim, *fault) {
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
			list[i].Allocations[at.ID()] = make(map[placement.ResourceClass]int64, len(p.resources))
		}
	}
	for i, c := range sent {
		for _, p := range c.providers {
			id, _ := exactUUID(p.uuid)
			amounts := list[i].Allocations[placement.ProviderID(id)]
			for _, m := range p.resources {
				class := placement.ResourceClass(m.Key)
				if _, ok := s.ClassID(class); !ok {
					return nil, unknown(c, m.Key)
				}
				amounts[class] = units(m.Value)
			}
		}
	}
	return list, nil
}

// units returns an amount, capped above what any inventory can have.
func units(v body.Value) int64 {
	if n, ok := v.Whole(); ok && n <= placement.MaxInt {
		return n
	}
	return placement.MaxInt + 1
}

// consumerAt returns the generation that a claim is decided on.
//
// Source: placement/handlers/util.py, ensure_consumer.
func (r *request) consumerAt(s *placement.Snapshot, c sentClaim) (placement.Expect, *fault) {
	if !r.at(sinceConsumerGen) {
		return placement.AnyGeneration(), nil
	}
	given, isNumber := c.generation.Whole()
	has, ok := s.Consumer(c.consumer)
	switch {
	case ok && isNumber && given == has.Generation():
		return placement.Generation(given), nil
	case ok:
		return placement.Expect{}, conflict(wire.ConcurrentUpdate, "consumer generation conflict - expected %d but got %s", has.Generation(), c.generation.String())
	case c.generation.Kind != body.Null:
		return placement.Expect{}, conflict(wire.ConcurrentUpdate, "consumer generation conflict - expected null but got %s", c.generation.String())
	}
	return placement.NewConsumer(), nil
}

// setAllocations answers PUT /allocations/{consumer_uuid}.
func setAllocations(r *request) *fault {
	if !body.UUIDLike(r.args[0]) {
		return badRequest("Malformed consumer_uuid: %s", r.args[0])
	}
	v, f := r.read(claimBody.at(r.version))
	if f != nil {
		return f
	}
	sent := []sentClaim{r.readClaim(r.args[0], v)}
	return r.replace(sent, func(c sentClaim, class string) *fault {
		return badRequest("Unable to allocate inventory for consumer %s: No such resource class %s.", c.consumer, class)
	})
}

// replaceAllocations answers POST /allocations.
func replaceAllocations(r *request) *fault {
	v, f := r.read(claimsBody.at(r.version))
	if f != nil {
		return f
	}
	sent, f := r.readClaims(v)
	if f != nil {
		return f
	}
	return r.replace(sent, func(_ sentClaim, class string) *fault {
		return badRequest("Unable to allocate inventory No such resource class %s.", class)
	})
}

// replace replaces the allocations of consumers by what was sent.
func (r *request) replace(sent []sentClaim, unknown func(sentClaim, string) *fault) *fault {
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
					return conflict(wire.Undefined, "Unable to allocate inventory: no inventory of '%s' on resource provider '%s' can have that much.", class, id)
				}
			}
		}
	}
	return nil
}
