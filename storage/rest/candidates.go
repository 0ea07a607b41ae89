package rest

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/placement"
)

// listCandidates answers GET /allocation_candidates.
//
// Source: placement/handlers/allocation_candidate.py.
func listCandidates(r *request) *fault {
	s := r.placement()
	q, err := candidates.ParseURL(r.URL.RawQuery, r.version, s)
	if err != nil {
		return badQuery(err)
	}
	asked, err := r.h.indexer.Index(s).Ask(q)
	if err != nil {
		return badQuery(err)
	}
	found := asked.Search(candidates.Options{})
	r.answer(http.StatusOK, r.appendCandidates(found), time.Time{})
	return nil
}

// appendCandidates appends the complete answer.
func (r *request) appendCandidates(found *candidates.Result) jsonText {
	shape := candidates.ShapeAt(r.version)
	s := found.Snapshot()
	w := &candidateWriter{s: s, shape: shape}
	b := r.text(`{"allocation_requests": [`)
	for i := range found.Len() {
		b = b.comma(i > 0)
		b = w.request(b, found, i)
	}
	b = b.raw(`], "provider_summaries": {`)
	first := true
	for sum := range found.Summaries() {
		b = b.comma(!first)
		first = false
		b = w.summary(b, sum)
	}
	return b.raw("}}")
}

// candidateWriter appends the parts of an answer. It caches what repeats.
type candidateWriter struct {
	s      *placement.Snapshot
	shape  candidates.Shape
	uses   []candidates.Use
	traits map[string]jsonText // by trait numbers
	key    []byte
}

// request appends candidate i.
func (w *candidateWriter) request(b jsonText, found *candidates.Result, i int) jsonText {
	w.uses = found.AppendUses(w.uses[:0], i)
	opening, closing, done := `{"allocations": {`, "}}", "}"
	if !w.shape.ByProvider {
		opening, closing, done = `{"allocations": [`, "}}", "]"
	}
	b = b.raw(opening)
	for j, use := range w.uses {
		switch {
		case j > 0 && w.uses[j-1].Provider == use.Provider:
			b = b.raw(", ")
		default:
			if j > 0 {
				b = b.raw(closing).raw(", ")
			}
			b = w.opens(b, use.Provider)
		}
		b = b.raw(`"`).raw(string(w.s.ClassName(use.Class))).raw(`": `).num(use.Amount)
	}
	b = b.raw(closing).raw(done)
	if w.shape.Mappings {
		b = b.raw(`, "mappings": {`)
		first := true
		for suffix, providers := range found.Mappings(i) {
			b = b.comma(!first)
			first = false
			b = b.str(suffix).raw(": [")
			for j, p := range providers {
				b = b.comma(j > 0)
				b = b.id(p.ID())
			}
			b = b.raw("]")
		}
		b = b.raw("}")
	}
	return b.raw("}")
}

// opens appends what comes before the amounts of a provider.
func (w *candidateWriter) opens(b jsonText, p *placement.ResourceProvider) jsonText {
	if w.shape.ByProvider {
		return b.id(p.ID()).raw(`: {"resources": {`)
	}
	return b.raw(`{"resource_provider": {"uuid": `).id(p.ID()).raw(`}, "resources": {`)
}

// summary appends the summary of a provider.
func (w *candidateWriter) summary(b jsonText, sum candidates.ProviderSummary) jsonText {
	b = b.id(sum.Provider.ID()).raw(`: {"resources": {`)
	for i, iu := range sum.Resources {
		b = b.comma(i > 0)
		b = b.raw(`"`).raw(string(w.s.ClassName(iu.Class))).raw(`": {"capacity": `).num(iu.Capacity()).raw(`, "used": `).num(iu.Used).raw("}")
	}
	b = b.raw("}")
	if w.shape.Traits {
		b = append(b.raw(`, "traits": `), w.traitsOf(sum.Provider)...)
	}
	if w.shape.Trees {
		b = b.raw(`, "parent_provider_uuid": `)
		if sum.Parent == nil {
			b = b.raw("null")
		} else {
			b = b.id(sum.Parent.ID())
		}
		b = b.raw(`, "root_provider_uuid": `).id(sum.Root.ID())
	}
	return b.raw("}")
}

// traitsOf returns the traits of a provider as JSON, which many providers share.
func (w *candidateWriter) traitsOf(p *placement.ResourceProvider) jsonText {
	w.key = w.key[:0]
	for _, id := range p.TraitIDs() {
		w.key = append(w.key, byte(id), byte(id>>8), byte(id>>16), byte(id>>24))
	}
	if text, ok := w.traits[string(w.key)]; ok {
		return text
	}
	if w.traits == nil {
		w.traits = map[string]jsonText{}
	}
	text := jsonText(nil).appendTraits(traitsByNumber(w.s, p))
	w.traits[string(w.key)] = text
	return text
}

// badQuery is the answer to a query that candidates refuses.
func badQuery(err error) *fault {
	var parse *candidates.ParseError
	if !errors.As(err, &parse) {
		return badRequest("Invalid query string parameters: %s", err)
	}
	f := badRequest("Invalid query string parameters: %s", cmp.Or(parse.Upstream, err.Error()))
	f.code = api.Code(parse.Code)
	return f
}
