package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"sync"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/wire"
)

// reader reads a cloud into a mirror. One goroutine uses it; those that it starts end
// before its methods return.
type reader struct {
	call *caller
	mu   sync.Mutex // guards m while several answers come in at a time
	m    *mirror
	// tell is told what is being read; show that something can be looked at.
	tell func(what string, done, of int)
	show func()
	// lost is why a part could not be read, by its name.
	lost map[string]error
}

// read brings the mirror up to date. What it could not read stands in lost where the rest
// is worth having without it.
func (r *reader) read(ctx context.Context) error {
	first := len(r.m.providers) == 0
	r.tell("providers", 0, 0)
	var list struct {
		Providers []listed `json:"resource_providers"`
	}
	if err := r.placement(ctx, "/resource_providers", &list); err != nil {
		return err
	}
	r.m.list(list.Providers)
	if err := r.names(ctx); err != nil {
		return err
	}
	if first {
		r.show()
	}
	r.readNova(ctx)
	if first {
		r.show()
	}
	if err := r.details(ctx, r.m.stale()); err != nil {
		return err
	}
	if err := r.whoHolds(ctx); err != nil || first {
		return err
	}
	if err := r.deleted(ctx); err != nil {
		return err
	}
	return r.whoHolds(ctx)
}

// placement reads from Placement, at the newest microversion.
func (r *reader) placement(ctx context.Context, path string, into any) error {
	return r.call.get(ctx, wire.Placement, path, r.call.services[wire.Placement].minor, into)
}

// names reads the custom classes and traits.
func (r *reader) names(ctx context.Context) error {
	var classes struct {
		All []struct {
			Name placement.ResourceClass `json:"name"`
		} `json:"resource_classes"`
	}
	var traits struct {
		Names []placement.Trait `json:"traits"`
	}
	if err := r.placement(ctx, "/resource_classes", &classes); err != nil {
		return err
	}
	if err := r.placement(ctx, "/traits?name=startswith:CUSTOM_", &traits); err != nil {
		return err
	}
	var names []placement.ResourceClass
	for _, c := range classes.All {
		names = append(names, c.Name)
	}
	sorted.Ascending(names)
	sorted.Ascending(traits.Names)
	r.m.classes.list(names, placement.ResourceClass.IsCustom)
	r.m.traits.list(traits.Names, placement.Trait.IsCustom)
	return nil
}

// details reads all of some providers.
func (r *reader) details(ctx context.Context, ids []placement.ProviderID) error {
	byTrait, err := r.traits(ctx, ids)
	if err != nil {
		return err
	}
	done := 0
	return each(ctx, cap(r.call.turns), ids, func(ctx context.Context, id placement.ProviderID) error {
		fresh, err := r.provider(ctx, id, byTrait)
		r.mu.Lock()
		defer r.mu.Unlock()
		p := r.m.providers[id]
		switch {
		case gone(err):
			delete(r.m.providers, id)
		case err != nil:
			return err
		default:
			fresh.listed, fresh.whole = p.listed, true
			*p = *fresh
		}
		done++
		r.tell("providers", done, len(ids))
		return nil
	})
}

// traits reads the traits of providers by trait, where that takes fewer requests than by
// provider. It returns which, nil for none, for those that the mirror has.
func (r *reader) traits(ctx context.Context, ids []placement.ProviderID) (map[placement.ProviderID][]placement.Trait, error) {
	var inUse struct {
		Names []placement.Trait `json:"traits"`
	}
	const few = 8
	if len(ids) <= few {
		return nil, nil
	}
	if err := r.placement(ctx, "/traits?associated=true", &inUse); err != nil || len(inUse.Names) >= len(ids) {
		return nil, err
	}
	out := make(map[placement.ProviderID][]placement.Trait, len(ids))
	for _, id := range ids {
		out[id] = nil
	}
	done := 0
	err := each(ctx, cap(r.call.turns), inUse.Names, func(ctx context.Context, t placement.Trait) error {
		var list struct {
			Providers []listed `json:"resource_providers"`
		}
		if err := r.placement(ctx, "/resource_providers?required="+url.QueryEscape(string(t)), &list); err != nil {
			if gone(err) || isBadRequest(err) {
				return nil // it was deleted meanwhile
			}
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, l := range list.Providers {
			if p := r.m.providers[l.UUID]; p != nil && p.Generation == l.Generation {
				out[l.UUID] = append(out[l.UUID], t)
			} else {
				delete(out, l.UUID) // somebody wrote meanwhile: it is asked by itself
			}
		}
		done++
		r.tell("traits", done, len(inUse.Names))
		return nil
	})
	for id, traits := range out {
		if p := r.m.providers[id]; p != nil && !p.whole {
			p.traits = traits
		}
	}
	return out, err
}

func isBadRequest(err error) bool {
	var f *FaultError
	return errors.As(err, &f) && f.Status == http.StatusBadRequest
}

// provider reads all that is below a provider.
func (r *reader) provider(ctx context.Context, id placement.ProviderID, byTrait map[placement.ProviderID][]placement.Trait) (*provider, error) {
	at := "/resource_providers/" + id.String()
	r.mu.Lock()
	p := &provider{at: r.m.providers[id].Generation}
	r.mu.Unlock()
	of := func(generation int64) {
		p.again = p.again || generation != p.at
		p.at = min(p.at, generation)
	}
	var inventories struct {
		Generation  int64                                           `json:"resource_provider_generation"`
		Inventories map[placement.ResourceClass]placement.Inventory `json:"inventories"`
	}
	if err := r.placement(ctx, at+"/inventories", &inventories); err != nil {
		return nil, err
	}
	of(inventories.Generation)
	p.inventories = inventories.Inventories
	var aggregates struct {
		Generation int64                   `json:"resource_provider_generation"`
		Aggregates []placement.AggregateID `json:"aggregates"`
	}
	if err := r.placement(ctx, at+"/aggregates", &aggregates); err != nil {
		return nil, err
	}
	of(aggregates.Generation)
	p.aggregates = aggregates.Aggregates
	traits, known := byTrait[id]
	if !known {
		var own struct {
			Generation int64             `json:"resource_provider_generation"`
			Traits     []placement.Trait `json:"traits"`
		}
		if err := r.placement(ctx, at+"/traits", &own); err != nil {
			return nil, err
		}
		of(own.Generation)
		traits = own.Traits
	}
	p.traits = traits
	if len(p.inventories) == 0 {
		return p, nil // what is allocated has an inventory
	}
	held, generation, err := r.allocations(ctx, id)
	if err != nil {
		return nil, err
	}
	of(generation)
	p.held = held
	return p, nil
}

// allocations reads who holds what of a provider.
func (r *reader) allocations(ctx context.Context, id placement.ProviderID) (map[placement.ConsumerID]holding, int64, error) {
	var answer struct {
		Generation  int64                            `json:"resource_provider_generation"`
		Allocations map[placement.ConsumerID]holding `json:"allocations"`
	}
	err := r.placement(ctx, "/resource_providers/"+id.String()+"/allocations", &answer)
	return answer.Allocations, answer.Generation, err
}

// deleted finds what was released without moving a generation, as DELETE /allocations
// does: the usage of its project is another then. Where it is, who holds what of the
// providers that the project has something of is read again.
func (r *reader) deleted(ctx context.Context) error {
	usage := r.m.usage()
	projects := sorted.Keys(usage)
	again := map[placement.ProviderID]bool{}
	err := each(ctx, cap(r.call.turns), projects, func(ctx context.Context, project string) error {
		var answer struct {
			Usages map[placement.ResourceClass]int64 `json:"usages"`
		}
		const flat = 37 // from 1.38 on they are by type of consumer
		minor := min(flat, r.call.services[wire.Placement].minor)
		if err := r.call.get(ctx, wire.Placement, "/usages?project_id="+url.QueryEscape(project), minor, &answer); err != nil {
			return err
		}
		if maps.Equal(answer.Usages, usage[project]) {
			return nil
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for id, p := range r.m.providers {
			for who := range p.held {
				if c := r.m.consumers[who]; c != nil && c.project == project {
					again[id] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, cap(r.call.turns), sorted.Seq(maps.Keys(again), placement.ProviderID.Compare), func(ctx context.Context, id placement.ProviderID) error {
		held, _, err := r.allocations(ctx, id)
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case gone(err):
			delete(r.m.providers, id)
		case err != nil:
			return err
		default:
			r.m.providers[id].held = held
		}
		return nil
	})
}

// whoHolds reads of each consumer that is new or was written again whose it is.
func (r *reader) whoHolds(ctx context.Context) error {
	holders := r.m.holders()
	var ask []placement.ConsumerID
	for id, generation := range holders {
		c := r.m.consumers[id]
		if c == nil || !c.known || c.generation != generation {
			ask = append(ask, id)
		}
	}
	for id := range r.m.consumers {
		if _, ok := holders[id]; !ok {
			delete(r.m.consumers, id)
		}
	}
	sorted.By(ask, placement.ConsumerID.Compare)
	done := 0
	return each(ctx, cap(r.call.turns), ask, func(ctx context.Context, id placement.ConsumerID) error {
		var answer struct {
			Project    string                 `json:"project_id"`
			User       string                 `json:"user_id"`
			Generation int64                  `json:"consumer_generation"`
			Type       placement.ConsumerType `json:"consumer_type"`
		}
		if err := r.placement(ctx, "/allocations/"+id.String(), &answer); err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		done++
		r.tell("consumers", done, len(ask))
		c := &consumer{project: answer.Project, user: answer.User, typ: answer.Type, generation: answer.Generation, known: answer.Project != "" && answer.User != ""}
		if c.typ == "unknown" {
			c.typ = "" // as it is without a type
		}
		r.m.consumers[id] = c
		if !c.known || c.generation != holders[id] { // it was released or written meanwhile
			for _, p := range r.m.providers {
				if _, ok := p.held[id]; ok {
					p.again = true
				}
			}
		}
		return nil
	})
}

// each calls do with each of some things, several at a time, until one fails: that error
// is returned. All calls have ended then.
func each[T any](ctx context.Context, workers int, all []T, do func(context.Context, T) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	next := make(chan T)
	var wg sync.WaitGroup
	for range min(workers, len(all)) {
		wg.Go(func() {
			for one := range next {
				if ctx.Err() != nil {
					continue
				}
				if err := do(ctx, one); err != nil {
					stop(err)
				}
			}
		})
	}
	for _, one := range all {
		next <- one
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}

// sayHow returns how far a reading is, in words.
func sayHow(what string, done, of int) string {
	if of == 0 {
		return "reading " + what
	}
	return fmt.Sprintf("reading %s %d of %d", what, done, of)
}
