package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// moveAway offers to move the claim of a consumer to another card of the host, if there
// is one that can take it.
func moveAway(s *cloud.Snapshot, f Finding, p *placement.ResourceProvider, iu placement.InventoryUsage) []Fix {
	m, ok := relief(s, p, iu)
	if !ok {
		return nil
	}
	return choices(Fix{
		Name:  "move",
		Title: fmt.Sprintf("move the allocation of %s %d of %s to %s; the guest keeps its device", f.Class, m.amount, ops.ConsumerName(s, m.consumer), s.Placement().ProviderName(m.to)),
		// One claim may not be enough: the next one can follow.
		Prepares: m.amount < iu.Used-iu.Capacity(),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return PlanMoveClaim(s, m.consumer, f.Class, f.Provider, m.to, s.Placement().Owner(p))
		},
	})
}

// unusedInventoryFixes remove an inventory if it is not in use, and otherwise drain it.
func unusedInventoryFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	switch {
	case err != nil:
		return nil
	case iu.Used == 0:
		return []Fix{{
			Name: "remove", Title: fmt.Sprintf("remove the unused inventory of %s from %s", f.Class, p.Name()),
			plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDropInventory(s, f.Provider, f.Class) },
		}}
	case iu.Reserved < iu.Total:
		return []Fix{drainFix(f.Provider, p.Name(), f.Class)}
	default:
		return nil
	}
}
