package rest

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/rest/internal/body"
)

// answerAggregates answers with the aggregates of a provider.
func (r *request) answerAggregates(p *placement.ResourceProvider, ids []string) {
	b := r.text(`{"aggregates": [`)
	for i, id := range ids {
		b = b.comma(i > 0)
		b = b.str(id)
	}
	b = b.raw("]")
	if r.at(microversion.AggregateGeneration) {
		b = b.raw(`, "resource_provider_generation": `).num(p.Generation())
	}
	r.answer(http.StatusOK, b.raw("}"), time.Time{})
}

func listAggregates(r *request) *fault {
	p, ok := r.provider(r.placement())
	if !ok {
		return noProvider(r.args[0])
	}
	ids := make([]string, len(p.Aggregates()))
	for i, id := range p.Aggregates() {
		ids[i] = id.String()
	}
	r.answerAggregates(p, ids)
	return nil
}

// setAggregates answers PUT /resource_providers/{uuid}/aggregates, with the uuids as they
// were sent. They are stored in canonical form, whatever form they came in.
//
// Source: placement/handlers/aggregate.py, set_aggregates.
func setAggregates(r *request) *fault {
	if _, ok := r.provider(r.placement()); !ok {
		return noProvider(r.args[0])
	}
	in, f := read(r, r.readAggregates)
	if f != nil {
		return f
	}
	var ids []placement.AggregateID
	seen := map[uuid.UUID]bool{}
	for _, text := range in.uuids {
		if id, _ := body.ParseUUID(text); !seen[id] {
			seen[id] = true
			ids = append(ids, placement.AggregateID(id))
		}
	}
	_, p, f := r.applyTo(write{decide: func(s *placement.Snapshot) (placement.Op, *fault) {
		op := placement.SetAggregates{Aggregates: ids}
		if !r.at(microversion.AggregateGeneration) {
			p, ok := r.provider(s)
			if !ok {
				return nil, noProvider(r.args[0])
			}
			op.Provider, op.Generation, op.KeepGeneration = p.ID(), placement.AnyGeneration(), true
			return op, nil
		}
		p, f := r.providerAt(s, in.generation, generationMoved)
		if f != nil {
			return nil, f
		}
		op.Provider, op.Generation = p.ID(), placement.Generation(p.Generation())
		return op, nil
	}})
	if f != nil {
		return f
	}
	r.answerAggregates(p, in.uuids)
	return nil
}

// providerAt returns the provider in the path, with the generation that its writer gives;
// moved is the answer if that is not the current one.
func (r *request) providerAt(s *placement.Snapshot, given int64, moved func() *fault) (*placement.ResourceProvider, *fault) {
	p, ok := r.provider(s)
	if !ok {
		return nil, noProvider(r.args[0])
	}
	if given != p.Generation() {
		return nil, moved()
	}
	return p, nil
}
