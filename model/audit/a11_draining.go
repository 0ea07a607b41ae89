package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleDraining is "draining".
const RuleDraining RuleID = "a11"

// draining finds inventories that are reserved to keep new claims away without
// overcommitting any unit: the provider is not over-full, and nothing has to be raised.
// If nothing is in use any more, the reservation was probably forgotten.
func draining() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleDraining, Title: "draining", Severity: Info,
			Also:   "drain drained disabled reserved closed",
			Why:    "It is reserved: nothing new lands here, and what is held stays until it is released.",
			Advice: "Once nothing is used, do what it was drained for, then remove the reservation.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if !a.drains(p, iu) {
					continue
				}
				class := a.Ledger.ClassName(iu.Class)
				used := "none used"
				if iu.Used > 0 {
					used = fmt.Sprintf("%d still used", iu.Used)
				}
				a.found(Finding{
					Provider: p.ID(), Class: class, Subject: p.Name(), Size: iu.Used,
					Text:  fmt.Sprintf("%s %d of %d reserved, %s", class, iu.Reserved, iu.Total, used),
					Brief: fmt.Sprintf("%s, %s", class, used),
				})
			}
		},
		fixes: drainingFixes,
	}
}

// drainingFixes remove the reservation, or move what is still there.
func drainingFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	if err != nil {
		return nil
	}
	var out []Fix
	if iu.Used > 0 {
		out = moveAway(s, f, p, iu)
		for n := range out {
			out[n].Prepares = true // the reservation stays
		}
	}
	return append(out, choices(Fix{
		Name: "unreserve", Title: fmt.Sprintf("stop reserving %s of %s, so that instances land there again", f.Class, p.Name()),
		plan: unreserve(f.Provider, f.Class),
	})...)
}

// unreserve plans to end the reservation of a class of a provider.
func unreserve(id placement.ProviderID, class placement.ResourceClass) func(*cloud.Snapshot) (ops.Plan, error) {
	return editInventory(id, class, func(iu placement.InventoryUsage) placement.Inventory {
		inv := iu.Inventory
		inv.Reserved = 0
		return inv
	})
}
