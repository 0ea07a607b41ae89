package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// all reads what is not known yet of many providers, tree by tree: their parts, their
// consumers, and the project and user of these. Aggregates come last, as most providers
// have none. If it is interrupted, the next reading continues there. Until Nova, which
// knows the owners of most allocations, was read, it reads the traits and inventories of
// the next trees.
func (r *reader) all(ctx context.Context, ids []placement.ProviderID, seen map[placement.ProviderID]*summary) error {
	guess := len(ids) / 2 // of consumers
	r.steps = steps{of: int(parts-1)*len(ids) + guess, guess: guess}
	for _, id := range ids {
		p := r.m.providers[id]
		if p.again || p.at != p.Generation {
			*p = provider{listed: p.listed, at: p.Generation}
		}
		if s := seen[id]; s != nil {
			p.traits, p.have[itsTraits] = s.traits, true
		}
	}
	r.show()
	r.ahead = func(ctx context.Context) error { return r.readAhead(ctx, seen) }
	defer func() { r.ahead = nil }()
	const block, blocks = 192, 32
	all := slices.Collect(slices.Chunk(r.m.byTree(ids), max(block, len(ids)/blocks)))
	ahead := 0
	for ; !r.trees && ahead < len(all) && !r.knowsServers(); ahead++ {
		if err := r.stage(ctx, all[ahead], seen, itsTraits, itsInventories); err != nil {
			return err
		}
		r.show()
	}
	r.awaitServers(ctx)
	for i, some := range all {
		if i >= ahead {
			if err := r.stage(ctx, some, seen, itsTraits, itsInventories); err != nil {
				return err
			}
		}
		if err := r.block(ctx, r.m.there(some), seen); err != nil {
			return err
		}
		r.show()
	}
	if err := r.confirm(ctx); err != nil {
		return err
	}
	return r.stage(ctx, r.m.there(ids), seen, itsAggregates)
}

// knowsServers reports whether Nova was asked for its servers, or there is no Nova.
func (r *reader) knowsServers() bool {
	select {
	case <-r.novaRead:
		return true
	default:
		return r.call.services[api.Compute] == nil
	}
}

// awaitServers waits until Nova was asked for its servers, but not for long: without
// them each consumer costs a request, and with a Nova that does not answer Placement is
// read all the same.
func (r *reader) awaitServers(ctx context.Context) {
	const most = 5 * time.Second
	if r.knowsServers() || r.trees {
		return
	}
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-r.novaRead:
	case <-late.C:
		r.onceNova.Do(func() { close(r.novaRead) }) // it is not waited for again
	case <-ctx.Done():
	}
}

// readAhead reads the trees of the providers that a user looks at before the rest, and
// once more if the user looks at others by then.
func (r *reader) readAhead(ctx context.Context, seen map[placement.ProviderID]*summary) error {
	again := r.ahead
	r.ahead = nil
	defer func() { r.ahead = again }()
	for r.looked.Load() != r.served {
		r.served = r.looked.Load()
		ids := r.m.treesOf(*r.served)
		if len(ids) == 0 {
			continue
		}
		if err := r.stage(ctx, ids, seen, itsTraits, itsInventories); err != nil {
			return err
		}
		r.show()
		r.awaitServers(ctx)
		if err := r.block(ctx, r.m.there(ids), seen); err != nil {
			return err
		}
		if err := r.stage(ctx, r.m.there(ids), seen, itsAggregates); err != nil {
			return err
		}
		r.show()
	}
	return nil
}

// block reads the allocations on the providers of some trees, and the project and user of
// their consumers. A consumer that must be asked for that returns all it holds, so those
// of the roots cover most of what is below them.
func (r *reader) block(ctx context.Context, ids []placement.ProviderID, seen map[placement.ProviderID]*summary) error {
	var roots, below []placement.ProviderID
	servers, _ := r.m.servers()
	for _, id := range ids {
		if s := seen[id]; s != nil && len(s.used) > 0 && r.m.providers[id].Parent != nil && len(servers) == 0 {
			below = append(below, id)
		} else {
			roots = append(roots, id)
		}
	}
	for _, do := range []func() error{
		func() error { return r.stage(ctx, r.m.there(roots), seen, itsAllocations) },
		func() error { return r.whoHolds(ctx, seen, ids...) },
		func() error { return r.stage(ctx, r.m.there(below), seen, itsAllocations) },
		func() error { return r.whoHolds(ctx, nil, ids...) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	if !r.trees {
		return nil
	}
	return r.stage(ctx, r.m.there(ids), seen, itsAggregates)
}

// stage reads parts of providers.
func (r *reader) stage(ctx context.Context, ids []placement.ProviderID, seen map[placement.ProviderID]*summary, what ...part) error {
	return inTurn(ctx, r, ids, func(ctx context.Context, id placement.ProviderID) error {
		r.mu.Lock()
		if r.m.providers[id] == nil { // it is gone now
			r.mu.Unlock()
			return nil
		}
		p := *r.m.providers[id]
		r.mu.Unlock()
		if p.whole() {
			return nil
		}
		for _, w := range what {
			if err := r.part(ctx, w, id, &p, seen[id]); err != nil {
				return r.unlessGone(id, err)
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		*r.m.providers[id] = p
		r.step()
		return nil
	})
}

// unlessGone returns err about a provider, or nil if the provider no longer exists: then
// it is forgotten.
func (r *reader) unlessGone(id placement.ProviderID, err error) error {
	if !gone(err) {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.m.providers, id)
	return nil
}

// changed reads all of each provider that has changed, first those that a user looks at.
func (r *reader) changed(ctx context.Context, ids []placement.ProviderID, seen map[placement.ProviderID]*summary) error {
	r.steps = steps{of: len(ids)}
	if looked := r.looked.Load(); looked != nil {
		slices.SortStableFunc(ids, func(a, b placement.ProviderID) int {
			return cmp.Compare(slices.Index(*looked, b), slices.Index(*looked, a)) // -1 for the others
		})
	}
	return each(ctx, r.call.inFlight, ids, func(ctx context.Context, id placement.ProviderID) error {
		r.mu.Lock()
		p := &provider{listed: r.m.providers[id].listed}
		r.mu.Unlock()
		p.at = p.Generation
		for w := range parts {
			if err := r.part(ctx, w, id, p, seen[id]); err != nil {
				return r.unlessGone(id, err)
			}
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		*r.m.providers[id] = *p
		r.step()
		return nil
	})
}

// part reads a part of a provider, unless it is known or a summary has it.
func (r *reader) part(ctx context.Context, w part, id placement.ProviderID, p *provider, s *summary) error {
	if p.have[w] {
		return nil
	}
	at := "/resource_providers/" + id.String()
	var err error
	var answer struct {
		Generation  int64                                           `json:"resource_provider_generation"`
		Traits      []placement.Trait                               `json:"traits"`
		Inventories map[placement.ResourceClass]placement.Inventory `json:"inventories"`
		Aggregates  []placement.AggregateID                         `json:"aggregates"`
	}
	answer.Generation = p.at
	switch w {
	case itsTraits:
		if s != nil {
			p.traits = s.traits
			break
		}
		err = r.placement(ctx, at+"/traits", &answer)
		err, p.traits = unlessNull(err, answer.Traits == nil, at, "traits"), answer.Traits
	case itsInventories:
		if s != nil && s.empty {
			break
		}
		err = r.placement(ctx, at+"/inventories", &answer)
		err, p.inventories = unlessNull(err, answer.Inventories == nil, at, "inventories"), answer.Inventories
	case itsAllocations:
		switch {
		case len(p.inventories) == 0: // every allocation has an inventory
			p.held = nil
		case s != nil && s.accountsFor(p.held):
		default:
			p.held, answer.Generation, err = r.allocationsOf(ctx, id)
		}
	case itsAggregates:
		err = r.placement(ctx, at+"/aggregates", &answer)
		err, p.aggregates = unlessNull(err, answer.Aggregates == nil, at, "aggregates"), answer.Aggregates
	case parts:
	}
	if err != nil {
		return err
	}
	p.of(answer.Generation)
	p.have[w] = true
	return nil
}

// unlessNull returns err, or an error if an answer that was read lacks what it was asked for:
// that says nothing about what there is, and a write would remove it.
func unlessNull(err error, null bool, at, what string) error {
	if err != nil || !null {
		return err
	}
	return &FaultError{Service: string(api.Placement), Call: "GET " + at + "/" + what, Why: "the answer cannot be read: " + what + " is missing", final: true}
}

// allocationsOf reads the allocations on a provider.
func (r *reader) allocationsOf(ctx context.Context, id placement.ProviderID) (map[placement.ConsumerID]holding, int64, error) {
	var answer struct {
		Generation  int64                            `json:"resource_provider_generation"`
		Allocations map[placement.ConsumerID]holding `json:"allocations"`
	}
	at := "/resource_providers/" + id.String()
	err := unlessNull(r.placement(ctx, at+"/allocations", &answer), answer.Allocations == nil, at, "allocations")
	if err == nil && r.held.Add(int64(len(answer.Allocations))) > mostHeld {
		err = &FaultError{Service: string(api.Placement), Why: fmt.Sprintf("there are more than %d allocations, the most that are read", mostHeld), Hint: hintLong, final: true}
	}
	return answer.Allocations, answer.Generation, err
}

// summary is what an allocation candidates query reports of a provider.
type summary struct {
	traits []placement.Trait
	used   map[placement.ResourceClass]int64 // not 0
	empty  bool                              // it has no inventory
}

// accountsFor reports whether held adds up to all that is used.
func (s *summary) accountsFor(held map[placement.ConsumerID]holding) bool {
	sum := map[placement.ResourceClass]int64{}
	for _, h := range held {
		for class, n := range h.Resources {
			sum[class] += n
		}
	}
	for class, n := range s.used {
		if sum[class] != n {
			return false
		}
	}
	return len(sum) == len(s.used)
}

// summaries queries the candidates for one unit of a class, for several classes: each
// answer has the traits and usage of whole trees. Trees without room for any of them are
// missing. It does not query for only a few providers.
func (r *reader) summaries(ctx context.Context, ids []placement.ProviderID) (map[placement.ProviderID]*summary, error) {
	const most = 8 // requests
	if len(ids) <= few || r.call.services[api.Placement].newest() < int(microversion.NestedCandidates) {
		return nil, nil
	}
	classes := []placement.ResourceClass{placement.VCPU, placement.MemoryMB, placement.DiskGB, placement.VGPU, placement.PCPU}
	classes = append(classes, slices.Sorted(maps.Keys(r.m.classes.of))...)
	out := map[placement.ProviderID]*summary{}
	for _, class := range classes[:min(most, len(classes))] {
		missing := false
		for _, id := range ids {
			missing = missing || out[id] == nil
		}
		if !missing {
			break
		}
		if err := r.summarise(ctx, class, out); refused(err) {
			continue // the class does not exist there, or no longer does
		} else if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// summarise adds what the candidates for one unit of a class report to out.
func (r *reader) summarise(ctx context.Context, class placement.ResourceClass, out map[placement.ProviderID]*summary) error {
	return r.placement(ctx, "/allocation_candidates?resources="+string(class)+":1", summaries(out))
}

// summaries decodes what a list of candidates reports of providers.
type summaries map[placement.ProviderID]*summary

func (out summaries) take(in *json.Decoder) error {
	return eachField(in, func(name string) error {
		if name != "provider_summaries" {
			return skip(in)
		}
		return eachField(in, func(name string) error {
			var id placement.ProviderID
			if err := id.UnmarshalText([]byte(name)); err != nil {
				return err
			}
			var of struct {
				Traits    []placement.Trait `json:"traits"`
				Resources map[placement.ResourceClass]struct {
					Used int64 `json:"used"`
				} `json:"resources"`
			}
			if err := in.Decode(&of); err != nil {
				return err
			}
			s := &summary{traits: of.Traits, used: map[placement.ResourceClass]int64{}, empty: len(of.Resources) == 0}
			for class, n := range of.Resources {
				if n.Used != 0 {
					s.used[class] = n.Used
				}
			}
			out[id] = s
			if len(out) > mostRows {
				return &FaultError{Why: fmt.Sprintf("the answer has more than %d providers; it was not read", mostRows), Hint: hintLong, final: true}
			}
			return nil
		})
	})
}

// refused reports whether err means that the service rejects the request as invalid.
func refused(err error) bool { return withStatus(err, http.StatusBadRequest) != nil }
