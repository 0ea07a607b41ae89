package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// belowUsage finds inventories whose limits do not admit any more what is
// allocated of them. Unlike an over-full provider, upstream lets nobody write such
// an allocation again, be it as it is.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded.
func belowUsage() rule {
	return rule{
		Rule: Rule{
			ID: RuleBelowUsage, Title: "inventory below usage", Severity: Critical,
			Why:    "The claim can no longer be written as it is, so that its instance cannot be moved, confirmed or put back.",
			Advice: "Set max_unit, min_unit and step_size so that they admit what is allocated.",
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
					Text: fmt.Sprintf("%s %s %d does not admit the %d that %s holds", class, why, limit, amount, ops.ConsumerName(a.Cloud, c.ID())),
				})
			}
		},
		fixes: admitFixes,
	}
}

// mayRefuse reports whether some of what is allocated of an inventory may be
// refused by its limits, going by the sum of it.
func mayRefuse(iu placement.InventoryUsage) bool {
	return iu.Used > 0 && (iu.Used > iu.MaxUnit || iu.MinUnit > 1 || iu.StepSize > 1)
}

// unitLimit says which allocations of a provider may be refused: those of one
// class above an amount, or any. Most are not, so that a walk over all allocations
// need not look at their providers.
type unitLimit struct {
	class placement.ClassID
	most  int32 // units of class that are not refused; 0 where nothing may be refused
	any   bool  // any allocation may be refused
}

// limitOf returns the limit of p.
func limitOf(p *placement.ResourceProvider) unitLimit {
	var l unitLimit
	for _, iu := range p.Inventories() {
		switch {
		case !mayRefuse(iu):
		case l.most > 0 || iu.MinUnit > 1 || iu.StepSize > 1:
			l.any = true
		default:
			l.class, l.most = iu.Class, int32(min(iu.MaxUnit, placement.MaxInt)) //nolint:gosec // within MaxInt
		}
	}
	return l
}

// refuses reports whether an allocation may be refused.
func (l unitLimit) refuses(h placement.Held) bool {
	return l.any || l.most > 0 && h.Class == l.class && h.Used > int64(l.most)
}

// refused returns the consumer with the largest allocation of an inventory that
// its limits refuse, and which of them does; "" where they admit all.
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

// leftovers finds inventories of which a part can never be allocated, because of
// the amounts that they allow.
func leftovers() rule {
	return rule{
		Rule: Rule{
			ID: RuleLeftovers, Title: "units make leftovers", Severity: Info,
			Why:    "A part of the capacity can never be allocated.",
			Advice: "Set min_unit, max_unit and step_size so that amounts add up to the capacity.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if iu.MinUnit == 1 && iu.StepSize == 1 && iu.MaxUnit > 1 {
					continue
				}
				text := unitWaste(iu.Inventory, a.Accelerators.Has(iu.Class))
				if text == "" {
					continue
				}
				class := a.Ledger.ClassName(iu.Class)
				a.found(Finding{Provider: p.ID(), Class: class, Subject: p.Name(), Text: fmt.Sprintf("%s %s", class, text)})
			}
		},
		fixes: unitFixes,
	}
}

// unitWaste says what of an inventory its units waste, "" for nothing. Devices may
// be handed out one by one: each is a whole.
func unitWaste(inv placement.Inventory, device bool) string {
	capacity := inv.Capacity()
	first, last := inv.UsableUnits()
	switch {
	case capacity <= 0:
		return ""
	case first > last:
		return fmt.Sprintf("can never be allocated: no amount from %d to %d is a multiple of %d", inv.MinUnit, inv.MaxUnit, inv.StepSize)
	case first > capacity:
		return fmt.Sprintf("can never be allocated: the least amount is %d, of %d", first, capacity)
	case capacity%inv.StepSize != 0:
		return fmt.Sprintf("leaves %d of %d: amounts are multiples of %d", capacity%inv.StepSize, capacity, inv.StepSize)
	case last == 1 && inv.Total > 1 && !device:
		return fmt.Sprintf("can be allocated one by one only: max_unit is 1, of %d", inv.Total)
	}
	return ""
}
