package ops

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// overCapacity finds providers of which more is used than they have. A device for
// one time use is exempt: Nova reserves the whole of it as soon as it is given
// out.
func overCapacity() rule {
	return rule{
		Rule: Rule{
			ID: RuleOverCapacity, Title: "over capacity", Severity: Critical,
			Why:    "Nothing new fits here until enough is released; what runs goes on.",
			Advice: "Move or release consumers, or raise the inventory again if the hardware is there.",
		},
		provider: func(a *auditor, p *placement.ResourceProvider) {
			for _, iu := range p.Inventories() {
				if !iu.OverCapacity() || iu.Reserved == iu.Total && a.oneTime.Has(p.Number()) {
					continue
				}
				capacity, class := iu.Capacity(), a.ledger.ClassName(iu.Class)
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
