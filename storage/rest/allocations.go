package rest

import (
	"net/http"
	"time"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// modifiedOfConsumer returns when a consumer was last written.
func modifiedOfConsumer(c *placement.Consumer) time.Time {
	if at := c.Updated(); !at.IsZero() {
		return at
	}
	return c.Created()
}

// listAllocations answers GET /allocations/{consumer_uuid}. An unknown consumer holds
// nothing.
//
// Source: placement/handlers/allocation.py, _serialize_allocations_for_consumer.
func listAllocations(r *request) *fault {
	s := r.placement()
	id, ok := exactUUID(r.args[0])
	var c *placement.Consumer
	if ok {
		c, ok = s.Consumer(placement.ConsumerID(id))
	}
	if !ok {
		r.answer(http.StatusOK, []byte(`{"allocations": {}}`), time.Time{})
		return nil
	}
	b := r.text(`{"allocations": {`)
	var last *placement.ResourceProvider
	for a := range s.Allocations(c) {
		switch {
		case a.Provider == last:
			b = b.raw(", ")
		case last != nil:
			b = b.raw(`}, "generation": `).num(last.Generation()).raw("}, ")
			fallthrough
		default:
			b = b.id(a.Provider.ID()).raw(`: {"resources": {`)
			last = a.Provider
		}
		b = b.str(string(s.ClassName(a.Class))).raw(": ").num(a.Used)
	}
	if last != nil {
		b = b.raw(`}, "generation": `).num(last.Generation()).raw("}")
	}
	b = b.raw("}")
	if r.at(microversion.ByProvider) {
		b = b.raw(`, "project_id": `).str(c.Project()).raw(`, "user_id": `).str(c.User())
	}
	if r.at(microversion.ConsumerGeneration) {
		b = b.raw(`, "consumer_generation": `).num(c.Generation())
	}
	if r.at(microversion.ConsumerType) {
		b = b.raw(`, "consumer_type": `).str(c.Type().String())
	}
	r.answer(http.StatusOK, b.raw("}"), modifiedOfConsumer(c))
	return nil
}

// listProviderAllocations answers GET /resource_providers/{uuid}/allocations.
func listProviderAllocations(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return notFound("Resource provider '%s' not found: No resource provider with uuid %s found", r.args[0], r.args[0])
	}
	b := r.text(`{"allocations": {`)
	var newest time.Time
	first := true
	for c := range s.ConsumersOf(p) {
		b = b.comma(!first)
		first = false
		b = b.id(c.ID()).raw(`: {"resources": {`)
		inner := true
		for class, used := range s.UsedBy(c, p) {
			b = b.comma(!inner)
			inner = false
			b = b.str(string(s.ClassName(class))).raw(": ").num(used)
		}
		b = b.raw("}")
		if r.at(microversion.ConsumerGeneration) {
			b = b.raw(`, "consumer_generation": `).num(c.Generation())
		}
		b = b.raw("}")
		if at := modifiedOfConsumer(c); at.After(newest) {
			newest = at
		}
	}
	b = b.raw(`}, "resource_provider_generation": `).num(p.Generation())
	r.answer(http.StatusOK, b.raw("}"), newest)
	return nil
}

// deleteAllocations answers DELETE /allocations/{consumer_uuid}.
func deleteAllocations(r *request) *fault {
	return r.applyAndDone(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		id, ok := exactUUID(r.args[0])
		if ok {
			_, ok = s.Consumer(placement.ConsumerID(id))
		}
		if !ok {
			return nil, notFound("No allocations for consumer '%s'", r.args[0])
		}
		return placement.DeleteAllocations{Consumer: placement.ConsumerID(id)}, nil
	}})
}
