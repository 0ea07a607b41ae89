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

// mostLinks is how many sub-resources of a provider have a path.
const mostLinks = 5

// links are the links from a provider to its sub-resources.
type links struct {
	before []string // each precedes a uuid
	end    string
}

// linksTo returns links to the first n sub-resources, in the order in which they got a
// path, of an API below a prefix.
func linksTo(n int, prefix string) links {
	related := [mostLinks]string{"inventories", "usages", "aggregates", "traits", "allocations"}
	path := prefix + "/resource_providers/"
	l := links{before: []string{`, "links": [{"rel": "self", "href": "` + path}, end: `"}`}
	for _, rel := range related[:n] {
		l.before = append(l.before, l.end+`, {"rel": "`+rel+`", "href": "`+path)
		l.end = "/" + rel + `"}`
	}
	l.end += "]"
	return l
}

// links returns the links for the version of the request.
func (r *request) links() *links {
	n := 2
	for _, since := range []microversion.Placement{microversion.Aggregates, microversion.Traits, microversion.AllocationLink} {
		if r.at(since) {
			n++
		}
	}
	return &r.h.links[n]
}

// providerWriter appends providers.
type providerWriter struct {
	*links
	s     *placement.Snapshot
	trees bool
}

func (r *request) providerWriter(s *placement.Snapshot) *providerWriter {
	return &providerWriter{links: r.links(), s: s, trees: r.at(microversion.NestedProviders)}
}

// provider appends a provider.
//
// Source: placement/handlers/resource_provider.py, _serialize_provider.
func (w *providerWriter) provider(b jsonText, p *placement.ResourceProvider) jsonText {
	id := hexOf(p.ID())
	b = append(b.raw(`{"uuid": "`), id[:]...)
	b = b.raw(`", "name": `).str(p.Name()).raw(`, "generation": `).num(p.Generation())
	for _, link := range w.before {
		b = append(b.raw(link), id[:]...)
	}
	b = b.raw(w.end)
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
