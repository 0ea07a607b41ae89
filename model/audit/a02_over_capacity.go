package audit

import (
	"fmt"
	"math"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// RuleOverCapacity is "over capacity".
const RuleOverCapacity RuleID = "a02"

// overCapacity finds providers with more usage than capacity. A one-time-use device is
// exempt: Nova reserves all of it as soon as it is allocated. So is a device that is
// disabled in Cyborg, as its consumers stay until they leave by themselves. What an
// operator reserves to drain it is reported by RuleDraining.
func overCapacity() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleOverCapacity, Title: "over capacity", Severity: Critical,
			Also:   "overcommitted overcommit overallocated oversubscribed full exceeds more used than there is",
			Why:    "Nothing new fits here until enough is released; what runs keeps running.",
			Advice: "Move or release consumers, or raise the inventory if the hardware is there.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if !iu.OverCapacity() || iu.Reserved == iu.Total && a.OneTime.Has(p.Number()) || a.disabled(p, iu) && !beyondTotal(iu) || a.drains(p, iu) {
					continue
				}
				capacity, class := iu.Capacity(), a.Ledger.ClassName(iu.Class)
				a.found(Finding{
					Provider: p.ID(), Class: class, Subject: p.Name(),
					Text:  fmt.Sprintf("%s %d/%d used, over by %d", class, iu.Used, capacity, iu.Used-capacity),
					Brief: fmt.Sprintf("%s %d/%d", class, iu.Used, capacity),
					Size:  iu.Used - capacity,
				})
			}
		},
		fixes: capacityFixes,
	}
}

// capacityFixes returns the fixes for an over-full provider: move a claim to another card
// of the host, or an instance to another host, or raise the inventory to what is used.
// The inventory of a disabled device is not raised: that would create units that no card
// has.
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

// mayHave reports whether a provider may have total units: a card of Cyborg's has as many
// as it has attach handles.
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
