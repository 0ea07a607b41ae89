package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// RuleLeftovers is "unusable remainder".
const RuleLeftovers RuleID = "u01"

// leftovers finds inventories part of which can never be allocated, because of the
// amounts that they allow.
func leftovers() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleLeftovers, Title: "unusable remainder", Severity: Info,
			Also:   "units leave leftover waste fragmentation step",
			Why:    "Part of the capacity can never be allocated.",
			Advice: "Edit the inventory: with min_unit, max_unit and step_size, amounts have to add up to the capacity.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if iu.MinUnit == 1 && iu.StepSize == 1 && iu.MaxUnit > 1 {
					continue
				}
				waste, why := unitWaste(iu.Inventory, a.Accelerators.Has(iu.Class))
				if waste == "" {
					continue
				}
				class := a.Ledger.ClassName(iu.Class)
				a.found(Finding{Provider: p.ID(), Class: class, Subject: p.Name(), Text: fmt.Sprintf("%s %s: %s", class, waste, why), Brief: fmt.Sprintf("%s %s", class, waste)})
			}
		},
		people: "edit the inventory: `:providers`, `e`",
	}
}

// unitWaste says what part of an inventory its units waste, "" if nothing, and why. A
// max_unit of 1 is fine for devices.
func unitWaste(inv placement.Inventory, device bool) (waste, why string) {
	capacity := inv.Capacity()
	first, last := inv.UsableUnits()
	switch {
	case capacity <= 0:
		return "", ""
	case first > last:
		return "can never be allocated", fmt.Sprintf("no amount from %d to %d is a multiple of %d", inv.MinUnit, inv.MaxUnit, inv.StepSize)
	case first > capacity:
		return "can never be allocated", fmt.Sprintf("the least amount is %d, of %d", first, capacity)
	case capacity%inv.StepSize != 0:
		return fmt.Sprintf("leaves %d of %d", capacity%inv.StepSize, capacity), fmt.Sprintf("amounts are multiples of %d", inv.StepSize)
	case last == 1 && inv.Total > 1 && !device:
		return "can be allocated one by one only", fmt.Sprintf("max_unit is 1, of %d", inv.Total)
	}
	return "", ""
}
