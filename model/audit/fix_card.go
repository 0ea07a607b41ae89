package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// accountOf returns the account of Cyborg's card for a provider.
func accountOf(s *cloud.Snapshot, provider placement.ProviderID) (cloud.CardAccount, bool) {
	d, ok := s.Cyborg().DeployableAt(provider)
	if !ok {
		return cloud.CardAccount{}, false
	}
	return s.CardAccount(d)
}

// noDriftFix says why a card has no fix: which consumer has what.
func noDriftFix(s *cloud.Snapshot, f Finding) string {
	why := "claims, requests and attach handles all disagree: only its host can say which guest has the card"
	c, ok := accountOf(s, f.Provider)
	switch {
	case !ok:
		return why
	case c.UnitsAgree() && len(c.Without) > 0:
		r := c.Without[0]
		return fmt.Sprintf("request %s of %s has no attach handle of its own (%s): only its host can say which guest has the device", r.UUID, ops.ConsumerName(s, r.Instance), r.AttachHandle)
	}
	return why
}

// withTotal returns an inventory with another total: its limits do not exceed that, and
// all of it is reserved if all of it was.
func withTotal(iu placement.InventoryUsage, total int64) placement.Inventory {
	inv := iu.Inventory
	inv.Total = total
	inv.Reserved, inv.MaxUnit = min(inv.Reserved, total), min(inv.MaxUnit, total)
	if iu.Reserved == iu.Total {
		inv.Reserved = total
	}
	return inv
}

// requests counts bound requests, and those of them that are stuck.
func requests(n, stuck int64) string {
	text := words.Count(int(n), "bound request")
	if stuck > 0 {
		text += fmt.Sprintf(" (%d stuck)", stuck)
	}
	return text
}
