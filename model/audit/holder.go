package audit

import (
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// stuckOnly reports whether a consumer only holds units of stuck devices, which rightly
// stay, as far as is known.
func (a *auditor) stuckOnly(h *holder) bool {
	if ops.HoldsOnlyStuck(a.Cloud, h.Consumer) {
		return true
	}
	for held := range h.Held() {
		if !a.Accelerators.Has(held.Class) {
			return false
		}
	}
	a.lacks(cloud.Deployables, cloud.ARQs)
	return false
}

// holds says what a consumer holds and where, as ops.ClaimLine does, with the first
// of the providers.
func (a *auditor) holds(c *placement.Consumer) (string, placement.ProviderID) {
	var first placement.ProviderID
	for al := range a.Ledger.Allocations(c) {
		first = al.Provider.ID()
		break
	}
	return ops.ClaimLine(a.Ledger, c), first
}
