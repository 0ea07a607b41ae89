package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleBelowUsage is "inventory below usage".
const RuleBelowUsage RuleID = "t01"

// belowUsage finds inventories whose limits no longer allow what is allocated of them.
// Unlike on an over-full provider, upstream does not accept such an allocation again,
// even unchanged.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func belowUsage() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleBelowUsage, Title: "inventory below usage", Severity: Critical,
			Also:   "below usage shrunk reduced total",
			Why:    "The allocation can no longer be written as it is: its instance cannot be moved, confirmed or reverted.",
			Advice: "Edit the inventory: max_unit, min_unit and step_size have to admit what is allocated.",
		},
		suspect: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if !mayRefuse(iu) {
					continue
				}
				c, amount, why := a.refused(p, iu)
				if why == "" {
					continue
				}
				class := a.Ledger.ClassName(iu.Class)
				limit := map[placement.Refusal]int64{
					placement.AboveMaxUnit: iu.MaxUnit, placement.BelowMinUnit: iu.MinUnit, placement.OffStep: iu.StepSize,
				}[why]
				a.found(Finding{
					Provider: p.ID(), Class: class, Subject: p.Name(),
					Text:  fmt.Sprintf("%s %s %d does not admit the %d that %s holds", class, why, limit, amount, ops.ConsumerName(a.Cloud, c.ID())),
					Brief: fmt.Sprintf("%s %s %d, %d held", class, why, limit, amount),
				})
			}
		},
		people: "edit the inventory: `:providers`, `e`",
	}
}

// refused returns the consumer with the largest allocation that the limits of an
// inventory refuse, and which limit does; "" if they allow all.
func (a *auditor) refused(p *placement.ResourceProvider, iu placement.InventoryUsage) (worst *placement.Consumer, most int64, why placement.Refusal) {
	for c := range a.Ledger.ConsumersOf(p) {
		for class, amount := range a.Ledger.UsedBy(c, p) {
			if class != iu.Class || amount <= most {
				continue
			}
			if r := iu.CheckUnits(amount); r != "" {
				worst, most, why = c, amount, r
			}
		}
	}
	return worst, most, why
}
