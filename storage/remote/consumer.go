package remote

import (
	"cmp"
	"context"
	"maps"
	"net/url"
	"slices"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/placement"
)

// whoHolds finds out, for each consumer that is new or was written again, its project and
// user. Asking about a consumer also returns its allocations on providers whose
// allocations have not been read yet; they are used if they add up to the usage in seen.
// Asked are the consumers of some providers; with none, all.
func (r *reader) whoHolds(ctx context.Context, seen map[placement.ProviderID]*summary, of ...placement.ProviderID) error {
	holders := r.m.holders()
	var ask []placement.ConsumerID
	for id := range r.m.holders(of...) {
		generation := holders[id]
		c := r.m.consumers[id]
		if c == nil || !c.known || c.partly || c.generation != generation {
			ask = append(ask, id)
		}
	}
	for id := range r.m.consumers {
		if _, ok := holders[id]; !ok {
			delete(r.m.consumers, id)
		}
	}
	slices.SortStableFunc(ask, placement.ConsumerID.Compare)
	ask = r.guess(ask, holders)
	r.steps.of += max(len(ask)-r.steps.guess, 0)
	r.steps.guess = max(r.steps.guess-len(ask), 0)
	return r.ask(ctx, ask, holders, seen)
}

// ask asks Placement about consumers, one by one, for their project and user.
func (r *reader) ask(ctx context.Context, ids []placement.ConsumerID, holders map[placement.ConsumerID]int64, seen map[placement.ProviderID]*summary) error {
	return inTurn(ctx, r, ids, func(ctx context.Context, id placement.ConsumerID) error {
		r.mu.Lock()
		is := r.m.consumers[id]
		known := is != nil && is.known && !is.guessed && !is.partly && is.generation == holders[id]
		if known { // it was read meanwhile, for providers that a user looks at
			r.step()
		}
		r.mu.Unlock()
		if known {
			return nil
		}
		var answer struct {
			Project     string                           `json:"project_id"`
			User        string                           `json:"user_id"`
			Generation  int64                            `json:"consumer_generation"`
			Type        placement.ConsumerType           `json:"consumer_type"`
			Allocations map[placement.ProviderID]holding `json:"allocations"`
		}
		if err := r.placement(ctx, "/allocations/"+id.String(), &answer); err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.step()
		c := &consumer{consumerOwner: consumerOwner{answer.Project, answer.User}, typ: typed(answer.Type), generation: answer.Generation, known: answer.Project != "" && answer.User != ""}
		for at := range answer.Allocations {
			c.partly = c.partly || r.m.providers[at] == nil
		}
		r.m.consumers[id] = c
		if !c.known || c.generation != holders[id] { // it was deleted or written meanwhile
			for _, p := range r.m.providers {
				if _, ok := p.held[id]; ok {
					p.again = true
				}
			}
			return nil
		}
		for at, h := range answer.Allocations {
			p := r.m.providers[at]
			if p == nil || seen[at] == nil || p.have[itsAllocations] {
				continue
			}
			if p.held == nil {
				p.held = map[placement.ConsumerID]holding{}
			}
			p.held[id] = holding{Resources: h.Resources, Generation: answer.Generation}
		}
		return nil
	})
}

// typed returns a consumer type as it is stored: empty if it is unknown.
func typed(t placement.ConsumerType) placement.ConsumerType {
	if t == "unknown" {
		return ""
	}
	return t
}

// consumerOwner is the project and user of a consumer.
type consumerOwner struct{ project, user string }

// guess takes the project and user of consumers from Nova's servers and migrations, to be
// confirmed later. It returns the consumers that Nova does not know.
func (r *reader) guess(ids []placement.ConsumerID, holders map[placement.ConsumerID]int64) (ask []placement.ConsumerID) {
	if r.trees {
		return ids // what is stored must be certain
	}
	of := map[placement.ConsumerID]consumerOwner{}
	servers, migrations := r.m.servers()
	for _, s := range servers {
		of[s.ID] = consumerOwner{s.Project, s.User}
	}
	for _, g := range migrations {
		if is, ok := of[g.Instance]; ok {
			of[g.UUID] = is
		}
	}
	for _, id := range ids {
		if is := of[id]; is.project != "" && is.user != "" {
			r.m.consumers[id] = &consumer{consumerOwner: is, generation: holders[id], known: true, guessed: true}
		} else {
			ask = append(ask, id)
		}
	}
	return ask
}

// confirm asks Placement what each user of a project with guessed consumers holds. If
// that is not the sum of their consumers, all of one type, it asks about each guessed
// one.
func (r *reader) confirm(ctx context.Context) error {
	theirs := map[consumerOwner][]placement.ConsumerID{}
	for id, c := range r.m.consumers {
		if c.guessed {
			theirs[c.consumerOwner] = append(theirs[c.consumerOwner], id)
		}
	}
	all := slices.SortedStableFunc(maps.Keys(theirs), func(a, b consumerOwner) int {
		return cmp.Or(cmp.Compare(a.project, b.project), cmp.Compare(a.user, b.user))
	})
	sums, counts := r.m.sums()
	var doubted []placement.ConsumerID
	err := each(ctx, r.call.inFlight, all, func(ctx context.Context, is consumerOwner) error {
		typ, usage, count, err := r.usageOf(ctx, is)
		if err != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if !maps.Equal(sums[is], usage) || count >= 0 && count != counts[is] {
			doubted = append(doubted, theirs[is]...)
			return nil
		}
		for _, id := range theirs[is] {
			c := r.m.consumers[id]
			c.typ, c.guessed = typ, false
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(doubted, placement.ConsumerID.Compare)
	r.steps.of += len(doubted)
	return r.ask(ctx, doubted, r.m.holders(), nil)
}

// usageOf reads what a user of a project holds, and by how many consumers, below 0 if
// that is not reported. It returns no usage if the consumers are of several types.
func (r *reader) usageOf(ctx context.Context, is consumerOwner) (placement.ConsumerType, map[placement.ResourceClass]int64, int64, error) {
	path := "/usages?project_id=" + url.QueryEscape(is.project) + "&user_id=" + url.QueryEscape(is.user)
	if r.call.services[api.Placement].newest() < int(microversion.ConsumerType) {
		var answer struct {
			Usages map[placement.ResourceClass]int64 `json:"usages"`
		}
		err := r.placement(ctx, path, &answer)
		return "", answer.Usages, -1, err
	}
	var answer struct {
		Usages map[placement.ConsumerType]map[placement.ResourceClass]int64 `json:"usages"`
	}
	if err := r.placement(ctx, path, &answer); err != nil || len(answer.Usages) != 1 {
		return "", nil, 0, err
	}
	const count = "consumer_count" // listed like a class
	for typ, usage := range answer.Usages {
		n := usage[count]
		delete(usage, count)
		return typed(typ), usage, n, nil
	}
	return "", nil, 0, nil
}
