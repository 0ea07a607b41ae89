package rest

import (
	"math/bits"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
)

// provider returns the provider that the path names. Its uuid counts in the form in
// which it is kept only.
func (r *request) provider(s *placement.Snapshot) (*placement.ResourceProvider, bool) {
	return providerOf(s, r.args[0])
}

func providerOf(s *placement.Snapshot, text string) (*placement.ResourceProvider, bool) {
	id, ok := exactUUID(text)
	if !ok {
		return nil, false
	}
	return s.Provider(placement.ProviderID(id))
}

// exactUUID reads a uuid in lower case with dashes, and nothing else.
func exactUUID(text string) (uuid.UUID, bool) {
	if len(text) != 36 {
		return uuid.UUID{}, false
	}
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return uuid.UUID{}, false
	}
	return id, true
}

// modifiedOf returns when a provider was written last.
func modifiedOf(p *placement.ResourceProvider) time.Time {
	if at := p.Updated(); !at.IsZero() {
		return at
	}
	return p.Created()
}

// appendProvider appends a provider.
//
// Source: placement/handlers/resource_provider.py, _serialize_provider.
func (r *request) appendProvider(b jsonText, s *placement.Snapshot, p *placement.ResourceProvider) jsonText {
	id := p.ID()
	b = b.raw(`{"uuid": `).id(id).raw(`, "name": `).str(p.Name()).raw(`, "generation": `).num(p.Generation())
	b = b.raw(`, "links": [{"rel": "self", "href": "`).raw(r.h.o.Prefix).raw("/resource_providers/").hex(id).raw(`"}`)
	for _, rel := range linksOf(r) {
		b = b.raw(`, {"rel": "`).raw(rel).raw(`", "href": "`).raw(r.h.o.Prefix).raw("/resource_providers/").hex(id).raw("/").raw(rel).raw(`"}`)
	}
	b = b.raw("]")
	if r.at(sinceTrees) {
		b = b.raw(`, "parent_provider_uuid": `)
		if parent, ok := s.Parent(p); ok {
			b = b.id(parent.ID())
		} else {
			b = b.raw("null")
		}
		b = b.raw(`, "root_provider_uuid": `).id(s.Root(p).ID())
	}
	return b.raw("}")
}

// linksOf returns what of a provider has a path of its own.
func linksOf(r *request) []string {
	all := [...]string{"inventories", "usages", "aggregates", "traits", "allocations"}
	switch {
	case r.at(sinceAllocationLink):
		return all[:5]
	case r.at(sinceTraits):
		return all[:4]
	case r.at(sinceAggregates):
		return all[:3]
	}
	return all[:2]
}

// showProvider answers GET /resource_providers/{uuid}.
func showProvider(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return noProvider(r.args[0])
	}
	r.answer(http.StatusOK, r.appendProvider(nil, s, p), modifiedOf(p))
	return nil
}

// noProvider is for a path that names no provider.
func noProvider(text string) *fault { return notFound("No resource provider with uuid %s found", text) }

// listProviders answers GET /resource_providers.
func listProviders(r *request) *fault {
	q, f := r.readProviderFilter()
	if f != nil {
		return f
	}
	s := r.placement()
	found, f := q.find(s)
	if f != nil {
		return f
	}
	b := r.text(`{"resource_providers": [`)
	var newest time.Time
	first := true
	for i, word := range found {
		for ; word != 0; word &= word - 1 {
			p := s.ProviderAt(64*i + bits.TrailingZeros64(word))
			if !first {
				b = b.raw(", ")
			}
			first = false
			b = r.appendProvider(b, s, p)
			if at := modifiedOf(p); at.After(newest) {
				newest = at
			}
		}
	}
	r.answer(http.StatusOK, b.raw("]}"), newest)
	return nil
}
