package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// overCapacity finds providers of which more is used than they have. A device for
// one time use is exempt: Nova reserves the whole of it as soon as it is given
// out. So is one that is disabled in Cyborg: what is there stays until it goes. What
// people reserve to drain it is told by RuleDraining.
func overCapacity() rule {
	return rule{
		Rule: Rule{
			ID: RuleOverCapacity, Title: "over capacity", Severity: Critical,
			Why:    "Nothing new fits here until enough is released; what runs goes on.",
			Advice: "Move or release consumers, or raise the inventory again if the hardware is there.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if !iu.OverCapacity() || iu.Reserved == iu.Total && a.OneTime.Has(p.Number()) || a.disabled(p, iu) && !beyondTotal(iu) || a.drains(p, iu) {
					continue
				}
				capacity, class := iu.Capacity(), a.Ledger.ClassName(iu.Class)
				a.found(Finding{
					Provider: p.ID(), Class: class, Subject: p.Name(),
					Text: fmt.Sprintf("%s %d/%d used, over by %d", class, iu.Used, capacity, iu.Used-capacity),
					Size: iu.Used - capacity,
				})
			}
		},
		fixes: capacityFixes,
	}
}

// disabled reports whether all of a card is reserved as its device is out of
// service in Cyborg. Where Cyborg's records are not known, its cards say so by
// the reservation alone.
func (a *auditor) disabled(p *placement.ResourceProvider, iu placement.InventoryUsage) bool {
	if iu.Reserved != iu.Total || a.Ledger.Owner(p) != placement.OwnedByCyborg {
		return false
	}
	d, known := a.Cloud.Cyborg().DeployableAt(p.ID())
	return !known || a.Cloud.Cyborg().Disabled(d)
}

// beyondTotal reports whether more is used than there would be with nothing
// reserved.
func beyondTotal(iu placement.InventoryUsage) bool {
	iu.Reserved = 0
	return iu.OverCapacity()
}
