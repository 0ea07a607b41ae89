package ops

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// capacityFixes are the ways out of an over-full provider: a claim moves to
// another card of the host, or the inventory covers what is used.
func capacityFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	if err != nil {
		return nil
	}
	var out []Fix
	if m, ok := relief(s, p, iu); ok {
		out = append(out, Fix{
			Name:  "move",
			Title: fmt.Sprintf("move the %s %d of %s to %s", f.Class, m.amount, titleOf(s, m.consumer), nameOf(s, m.to)),
			// One claim may not be enough: the next one can follow.
			Prepares: m.amount < iu.Used-iu.Capacity(),
			plan: func(s *cloud.Snapshot) (Plan, error) {
				return PlanMoveClaim(s, m.consumer, f.Class, f.Provider, m.to, s.Placement().Owner(p))
			},
		})
	}
	raised := covering(iu)
	out = append(out, Fix{
		Name:  "raise",
		Title: fmt.Sprintf("raise the total of %s from %d to %d, if the hardware is there", f.Class, iu.Total, raised.Total),
		plan:  editInventory(f.Provider, f.Class, covering),
	})
	if iu.Reserved < iu.Total {
		out = append(out, drainFix(f.Provider, p.Name(), f.Class))
	}
	return choices(out...)
}

// covering returns the inventory with the least total that covers what is used.
func covering(iu placement.InventoryUsage) placement.Inventory {
	inv := iu.Inventory
	least := int64(math.Ceil(float64(iu.Used)/inv.AllocationRatio)) + inv.Reserved
	inv.Total = min(max(inv.Total, least), placement.MaxInt)
	inv.MaxUnit = max(inv.MaxUnit, min(inv.Total, iu.MaxUnit+inv.Total-iu.Total))
	return inv
}

// move is a claim that can go from one provider to another of the tree.
type move struct {
	consumer placement.ConsumerID
	amount   int64
	to       placement.ProviderID
}

// relief returns the move that relieves p of what is used beyond the capacity of
// iu, and false where there is none: to a provider of the same tree with the same
// owner and traits and room for it. The smallest claim that is enough goes first.
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
	slices.SortFunc(moves, func(x, y move) int {
		enough := func(m move) int {
			if m.amount >= over {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(enough(x), enough(y)), cmp.Compare(x.amount, y.amount), x.consumer.Compare(y.consumer))
	})
	for _, m := range moves {
		if q, ok := taker(s, m.consumer, p, iu.Class, m.amount, s.Placement().Owner(p)); ok {
			m.to = q.ID()
			return m, true
		}
	}
	return move{}, false
}

// taker returns the first provider of the tree of p that belongs to owner and can
// take over an amount that a consumer holds on p.
func taker(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider, class placement.ClassID, amount int64, owner placement.Owner) (*placement.ResourceProvider, bool) {
	for _, q := range s.Placement().Tree(s.Placement().Root(p)) {
		if q != p && takes(s, consumer, p, q, class, amount, owner) == nil {
			return q, true
		}
	}
	return nil, false
}

// attached returns why the claim of a consumer on p cannot move by itself: Cyborg
// has bound a request for it there.
func attached(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider) error {
	for r := range s.Cyborg().ARQsAt(p.ID()) {
		if r.Instance == consumer {
			return &placement.InvalidError{
				Field: "consumer", Value: titleOf(s, consumer), Why: "has an accelerator request bound to " + p.Name() + ": resize or rebuild the instance instead",
			}
		}
	}
	return nil
}

// takes returns why q cannot take over an amount that a consumer holds on p: it is
// of another tree, it does not belong to owner, it lacks a trait that is wanted, or
// it has no room.
func takes(s *cloud.Snapshot, consumer placement.ConsumerID, p, q *placement.ResourceProvider, class placement.ClassID, amount int64, owner placement.Owner) error {
	ledger := s.Placement()
	refuse := func(why string, args ...any) error {
		return &placement.InvalidError{Field: "provider", Value: q.Name(), Why: fmt.Sprintf(why, args...)}
	}
	switch {
	case p.RootNumber() != q.RootNumber():
		return refuse("is not of the tree of %s", p.Name())
	case ledger.Owner(q) != owner:
		return refuse("has owner %s, not %s", ledger.Owner(q), owner)
	}
	has := ledger.TraitsOf(q)
	for _, wanted := range wantedTraits(s, consumer, p, class, owner) {
		if !slices.ContainsFunc(wanted.Names, func(t placement.Trait) bool { return slices.Contains(has, t) }) {
			return refuse("lacks %s, which %s", wanted.Names[0], wanted.Origin)
		}
	}
	iu, ok := q.Inventory(class)
	if !ok {
		return refuse("has no %s", ledger.ClassName(class))
	}
	if r := iu.Fits(iu.Used, amount); r != "" {
		return refuse("cannot take %s %d: %s", ledger.ClassName(class), amount, r)
	}
	return nil
}

// PlanMoveClaim plans to move what a consumer holds of a class on one provider to
// another of the same tree, such as from a card to the next, which must belong to
// owner. What the guest has of the old card is not moved by it.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid where the other provider
// cannot take it over, or where Cyborg has attached the device.
func PlanMoveClaim(s *cloud.Snapshot, consumer placement.ConsumerID, class placement.ResourceClass, from, to placement.ProviderID, owner placement.Owner) (Plan, error) {
	return planner(func(s *cloud.Snapshot) (cloud.Change, error) {
		c, ok := s.Placement().Consumer(consumer)
		if !ok {
			return cloud.Change{}, &placement.NotFoundError{What: "consumer", Name: consumer.String()}
		}
		p, err := found(s, from)
		if err != nil {
			return cloud.Change{}, err
		}
		q, err := found(s, to)
		if err != nil {
			return cloud.Change{}, err
		}
		claim := claimAsHeld(s, c)
		amount := claim.Allocations[from][class]
		number, _ := s.Placement().ClassID(class)
		if amount == 0 {
			return cloud.Change{}, &placement.NotFoundError{What: "allocation", Name: fmt.Sprintf("%s of %s on %s", class, titleOf(s, consumer), p.Name())}
		}
		if err := takes(s, consumer, p, q, number, amount, owner); err != nil {
			return cloud.Change{}, err
		}
		if err := attached(s, consumer, p); err != nil {
			return cloud.Change{}, err
		}
		delete(claim.Allocations[from], class)
		if len(claim.Allocations[from]) == 0 {
			delete(claim.Allocations, from)
		}
		if claim.Allocations[to] == nil {
			claim.Allocations[to] = map[placement.ResourceClass]int64{}
		}
		claim.Allocations[to][class] += amount
		return cloud.Change{
			Note:      fmt.Sprintf("move %s %d of %s from %s to %s", class, amount, titleOf(s, consumer), p.Name(), q.Name()),
			Placement: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{claim}}},
		}, nil
	}).plan(s)
}

// claimAsHeld returns the claim that leaves c as it is.
func claimAsHeld(s *cloud.Snapshot, c *placement.Consumer) placement.Claim {
	return placement.Claim{
		Consumer: c.ID(), Generation: placement.Generation(c.Generation()), Type: c.Type(),
		Project: c.Project(), User: c.User(), Allocations: s.Placement().ConsumerRecord(c).Allocations,
	}
}

// admitFixes make the limits of an inventory admit what is allocated of it.
func admitFixes(s *cloud.Snapshot, f Finding) []Fix {
	admit := func(s *cloud.Snapshot) (Plan, error) {
		p, iu, err := inventoryOf(s, f.Provider, f.Class)
		if err != nil {
			return Plan{}, err
		}
		inv := iu.Inventory
		for c := range s.Placement().ConsumersOf(p) {
			for class, amount := range s.Placement().UsedBy(c, p) {
				if class != iu.Class {
					continue
				}
				inv.MaxUnit, inv.MinUnit = max(inv.MaxUnit, amount), min(inv.MinUnit, amount)
				if amount%inv.StepSize != 0 {
					inv.StepSize = 1
				}
			}
		}
		return PlanInventory(s, f.Provider, f.Class, inv)
	}
	return []Fix{{Name: "admit", Title: fmt.Sprintf("set max_unit, min_unit and step_size of %s so that they admit what is held", f.Class), plan: admit}}
}

// unitFixes let the whole of an inventory be allocated.
func unitFixes(_ *cloud.Snapshot, f Finding) []Fix {
	return []Fix{{
		Name: "units", Title: fmt.Sprintf("let every amount of %s be allocated: min_unit 1, step_size 1, max_unit as the total", f.Class),
		plan: editInventory(f.Provider, f.Class, func(iu placement.InventoryUsage) placement.Inventory {
			inv := iu.Inventory
			inv.MinUnit, inv.StepSize = 1, 1
			inv.MaxUnit = max(inv.MaxUnit, inv.Total)
			return inv
		}),
	}}
}

// unusedInventoryFixes remove an inventory of which nothing is used, and else
// drain it.
func unusedInventoryFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	switch {
	case err != nil:
		return nil
	case iu.Used == 0:
		return []Fix{{
			Name: "remove", Title: fmt.Sprintf("remove the inventory of %s from %s, of which nothing is used", f.Class, p.Name()),
			plan: func(s *cloud.Snapshot) (Plan, error) { return PlanDropInventory(s, f.Provider, f.Class) },
		}}
	case iu.Reserved < iu.Total:
		return []Fix{drainFix(f.Provider, p.Name(), f.Class)}
	default:
		return nil
	}
}
