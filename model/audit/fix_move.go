package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// move is a claim that can go from one provider to another of the tree.
type move struct {
	consumer placement.ConsumerID
	amount   int64
	to       placement.ProviderID
}

// relief returns the move that relieves p of usage beyond the capacity of iu, and false
// if there is none: to a provider of the same tree with the same owner, the traits and
// enough room. It prefers the smallest claim that is enough.
func relief(s *cloud.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage) (move, bool) {
	var moves []move
	for c := range s.Placement().ConsumersOf(p) {
		for class, amount := range s.Placement().UsedBy(c, p) {
			if class == iu.Class && attached(s, c.ID(), p) == nil {
				moves = append(moves, move{consumer: c.ID(), amount: amount})
			}
		}
	}
	over := iu.Used - iu.Capacity()
	slices.SortStableFunc(moves, func(x, y move) int {
		enough := func(m move) int {
			if m.amount >= over {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(enough(x), enough(y)), cmp.Compare(x.amount, y.amount), x.consumer.Compare(y.consumer))
	})
	for _, m := range moves {
		if q, ok := takeoverTarget(s, m.consumer, p, iu.Class, m.amount, s.Placement().Owner(p)); ok {
			m.to = q.ID()
			return m, true
		}
	}
	return move{}, false
}

// takeoverTarget returns the first provider of the tree of p that belongs to owner and can
// take over an amount that a consumer holds on p.
func takeoverTarget(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider, class placement.ClassID, amount int64, owner placement.Owner) (*placement.ResourceProvider, bool) {
	t := &takeoverSearch{s: s, consumer: consumer, from: p, class: class, amount: amount, owner: owner}
	for _, q := range s.Placement().Offers(p, class, owner).Room {
		if q != p && t.refuses(q) == nil {
			return q, true
		}
	}
	return nil, false
}

// attached returns an error if the claim of a consumer on p cannot move by itself, as
// Cyborg has bound a request for it there.
func attached(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider) error {
	for r := range s.Cyborg().ARQsAt(p.ID()) {
		if s.HolderOf(r.Instance) == s.HolderOf(consumer) && r.State.HoldsHandle() {
			return placement.Invalid(
				"consumer", ops.ConsumerName(s, consumer), "has an accelerator request bound to "+p.Name()+": resize or rebuild the instance instead")
		}
	}
	return nil
}

// takeoverSearch is the search for a provider of owner that can take over an amount of a class
// which a consumer holds on from.
type takeoverSearch struct {
	s        *cloud.Snapshot
	consumer placement.ConsumerID
	from     *placement.ResourceProvider
	class    placement.ClassID
	amount   int64
	owner    placement.Owner

	wanted []candidates.AnyTrait // traits; see wantedTraits
	asked  bool                  // whether wanted is set
}

// refuses returns why q cannot take it over: it is in another tree, it does not belong to
// the owner, it lacks a wanted trait, or it has no room.
func (t *takeoverSearch) refuses(q *placement.ResourceProvider) error {
	ledger := t.s.Placement()
	refuse := func(why string, args ...any) error {
		return placement.Invalid("provider", q.Name(), fmt.Sprintf(why, args...))
	}
	switch {
	case t.from.RootNumber() != q.RootNumber():
		return refuse("is not in the tree of %s", t.from.Name())
	case ledger.Owner(q) != t.owner:
		return refuse("has owner %s, not %s", ledger.Owner(q), t.owner)
	}
	if !t.asked {
		t.wanted, t.asked = wantedTraits(t.s, t.consumer, t.from, t.class, t.owner), true
	}
	has := ledger.TraitsOf(q)
	for _, wanted := range t.wanted {
		if !slices.ContainsFunc(wanted.Names, func(t placement.Trait) bool { return slices.Contains(has, t) }) {
			return refuse("lacks %s, which %s", wanted.Names[0], wanted.Origin)
		}
	}
	iu, ok := q.Inventory(t.class)
	if !ok {
		return refuse("has no %s", ledger.ClassName(t.class))
	}
	if r := iu.Fits(iu.Used, t.amount); r != "" {
		return refuse("cannot take %s %d: %s", ledger.ClassName(t.class), t.amount, r)
	}
	return nil
}

// PlanMoveClaim plans to move what a consumer holds of a class to another provider of
// the tree, such as from one card to the next, which must belong to owner. The new
// provider then serves the request groups of the old one. The devices of the guest are
// not moved.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid if the other provider cannot take
// it over, or Cyborg has attached the device.
func PlanMoveClaim(s *cloud.Snapshot, consumer placement.ConsumerID, class placement.ResourceClass, from, to placement.ProviderID, owner placement.Owner) (ops.Plan, error) {
	return ops.Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, err := s.Placement().FindConsumer(consumer)
		if err != nil {
			return cloud.Change{}, err
		}
		p, err := s.Placement().FindProvider(from)
		if err != nil {
			return cloud.Change{}, err
		}
		q, err := s.Placement().FindProvider(to)
		if err != nil {
			return cloud.Change{}, err
		}
		claim := s.Placement().AsHeld(c)
		amount := claim.Allocations[from][class]
		number, _ := s.Placement().ClassID(class)
		if amount == 0 {
			return cloud.Change{}, placement.NotFound("allocation", fmt.Sprintf("%s of %s on %s", class, ops.ConsumerName(s, consumer), p.Name()))
		}
		t := &takeoverSearch{s: s, consumer: consumer, from: p, class: number, amount: amount, owner: owner}
		if err := t.refuses(q); err != nil {
			return cloud.Change{}, err
		}
		if err := attached(s, consumer, p); err != nil {
			return cloud.Change{}, err
		}
		claim.Allocations.Move(class, from, to)
		change := cloud.Change{
			Note: fmt.Sprintf("move %s %d of %s from %s to %s", class, amount, ops.ConsumerName(s, consumer), p.Name(), q.Name()),
			Ops:  []placement.Op{placement.ReplaceClaims(claim)},
		}
		if _, still := claim.Allocations[from]; !still {
			remap(s, &change, consumer, from, to)
		}
		return change, nil
	}).Plan(s)
}

// remap adds to c that request groups of an instance, or of the old claim of a migration,
// are mapped to the provider to instead of from. Without that the resource tracker would
// undo the change.
func remap(s *cloud.Snapshot, c *cloud.Change, consumer placement.ConsumerID, from, to placement.ProviderID) {
	mapped := func(was map[string][]placement.ProviderID) (map[string][]placement.ProviderID, bool) {
		now, differs := map[string][]placement.ProviderID{}, false
		for suffix, ids := range was {
			now[suffix] = slices.Clone(ids)
			for n, id := range ids {
				if id == from {
					now[suffix][n], differs = to, true
				}
			}
		}
		return now, differs
	}
	if i, ok := s.Nova().Instance(consumer); ok {
		if now, differs := mapped(i.Mappings); differs {
			c.Ops = append(c.Ops, i.To(i.Edit(func(i *nova.Instance) { i.Mappings = now }))...)
		}
	}
	if m, ok := s.Nova().Migration(consumer); ok {
		if now, differs := mapped(m.Mappings); differs {
			c.Ops = append(c.Ops, nova.PlaceMigration{Migration: m.UUID, From: m.Dest, To: m.Dest, Mappings: now})
		}
	}
}
