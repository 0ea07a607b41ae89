package audit

import (
	"fmt"
	"math"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// capacityFixes are the ways out of an over-full provider: a claim moves to
// another card of the host, or an instance to another host, or the inventory covers
// what is used. The inventory of a
// device that is disabled is not raised: that would make units that no card has.
func capacityFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	if err != nil {
		return nil
	}
	out := relieve(s, f, p, iu)
	if raised := covering(iu); !newAuditor(s).disabled(p, iu) && mayHave(s, p, raised.Total) {
		out = append(out, Fix{
			Name:  "raise",
			Title: fmt.Sprintf("raise the total of %s from %d to %d, if the hardware is there", f.Class, iu.Total, raised.Total),
			plan:  editInventory(f.Provider, f.Class, covering),
		})
	}
	if iu.Reserved < iu.Total && beyondTotal(iu) {
		out = append(out, drainFix(f.Provider, p.Name(), f.Class))
	}
	return choices(out...)
}

// moveAway offers to move the claim of a consumer to another card of the host, where
// there is one that takes it.
func moveAway(s *cloud.Snapshot, f Finding, p *placement.ResourceProvider, iu placement.InventoryUsage) []Fix {
	m, ok := relief(s, p, iu)
	if !ok {
		return nil
	}
	return choices(Fix{
		Name:  "move",
		Title: fmt.Sprintf("move the claim of %s %d of %s to %s; the guest keeps the device that it has", f.Class, m.amount, ops.ConsumerName(s, m.consumer), s.Placement().ProviderName(m.to)),
		// One claim may not be enough: the next one can follow.
		Prepares: m.amount < iu.Used-iu.Capacity(),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return PlanMoveClaim(s, m.consumer, f.Class, f.Provider, m.to, s.Placement().Owner(p))
		},
	})
}

// mayHave reports whether a provider may have so many units: a card of Cyborg's has as
// many as it has attach handles.
func mayHave(s *cloud.Snapshot, p *placement.ResourceProvider, total int64) bool {
	c, ok := accountOf(s, p.ID())
	return !ok || total <= max(c.Handles, c.Inventory.Total)
}

// covering returns the inventory with the least total that covers what is used.
func covering(iu placement.InventoryUsage) placement.Inventory {
	inv := iu.Inventory
	least := int64(math.Ceil(float64(iu.Used)/inv.AllocationRatio)) + inv.Reserved
	inv.Total = min(max(inv.Total, least), placement.MaxInt)
	inv.MaxUnit = max(inv.MaxUnit, min(inv.Total, iu.MaxUnit+inv.Total-iu.Total))
	return inv
}

// admitFixes make the limits of an inventory admit what is allocated of it.
func admitFixes(s *cloud.Snapshot, f Finding) []Fix {
	admit := func(s *cloud.Snapshot) (ops.Plan, error) {
		p, iu, err := inventoryOf(s, f.Provider, f.Class)
		if err != nil {
			return ops.Plan{}, err
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
		return ops.PlanInventory(s, f.Provider, f.Class, inv)
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
			plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDropInventory(s, f.Provider, f.Class) },
		}}
	case iu.Reserved < iu.Total:
		return []Fix{drainFix(f.Provider, p.Name(), f.Class)}
	default:
		return nil
	}
}
