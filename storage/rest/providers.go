package rest

import (
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// provider returns the provider in the path. Only a uuid in canonical form matches.
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

// exactUUID parses only a uuid in lower case with dashes.
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

// modifiedOf returns when a provider was last written.
func modifiedOf(p *placement.ResourceProvider) time.Time {
	if at := p.Updated(); !at.IsZero() {
		return at
	}
	return p.Created()
}

// related returns the sub-resources of a provider that have a path at the version of the
// request, in the order in which they got one.
func (r *request) related() []string {
	names := []string{"inventories", "usages"}
	for _, of := range []struct {
		since microversion.Placement
		name  string
	}{{microversion.Aggregates, "aggregates"}, {microversion.Traits, "traits"}, {microversion.AllocationLink, "allocations"}} {
		if r.at(of.since) {
			names = append(names, of.name)
		}
	}
	return names
}

// providerWriter appends providers.
type providerWriter struct {
	s       *placement.Snapshot
	path    string // of a provider, without its uuid
	related []string
	trees   bool
}

func (r *request) providerWriter(s *placement.Snapshot) *providerWriter {
	return &providerWriter{s, r.h.o.Prefix + "/resource_providers/", r.related(), r.at(microversion.NestedProviders)}
}

// provider appends a provider.
//
// Source: placement/handlers/resource_provider.py, _serialize_provider.
func (w *providerWriter) provider(b jsonText, p *placement.ResourceProvider) jsonText {
	id := p.ID().String()
	b = b.raw(`{"uuid": "`).raw(id).raw(`", "name": `).str(p.Name()).raw(`, "generation": `).num(p.Generation())
	b = b.raw(`, "links": [{"rel": "self", "href": "`).raw(w.path).raw(id).raw(`"}`)
	for _, rel := range w.related {
		b = b.raw(`, {"rel": "`).raw(rel).raw(`", "href": "`).raw(w.path).raw(id).raw("/").raw(rel).raw(`"}`)
	}
	b = b.raw("]")
	if w.trees {
		b = b.raw(`, "parent_provider_uuid": `)
		if parent, ok := w.s.Parent(p); ok {
			b = b.id(parent.ID())
		} else {
			b = b.raw("null")
		}
		b = b.raw(`, "root_provider_uuid": `).id(w.s.Root(p).ID())
	}
	return b.raw("}")
}

// showProvider answers GET /resource_providers/{uuid}.
func showProvider(r *request) *fault {
	s := r.placement()
	p, ok := r.provider(s)
	if !ok {
		return noProvider(r.args[0])
	}
	r.answer(http.StatusOK, r.providerWriter(s).provider(nil, p), modifiedOf(p))
	return nil
}

// noProvider is the answer for an unknown provider in the path.
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
	w := r.providerWriter(s)
	const usual = 900 // bytes of a provider, rarely more
	b := slices.Grow(r.text(`{"resource_providers": [`), usual*len(found))
	var newest time.Time
	for i, p := range found {
		b = w.provider(b.comma(i > 0), p)
		if at := modifiedOf(p); at.After(newest) {
			newest = at
		}
	}
	r.answer(http.StatusOK, b.raw("]}"), newest)
	return nil
}
