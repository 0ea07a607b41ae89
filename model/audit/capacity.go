package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// disabled reports whether all of a card is reserved because its device is out of service
// in Cyborg. If Cyborg's records are not known, the reservation alone means that.
func (a *auditor) disabled(p *placement.ResourceProvider, iu placement.InventoryUsage) bool {
	if iu.Reserved != iu.Total || a.Ledger.Owner(p) != placement.OwnedByCyborg {
		return false
	}
	d, known := a.Cloud.Cyborg().DeployableAt(p.ID())
	// Its device may have been disabled, or enabled, since it was read.
	for _, p := range []cloud.Part{cloud.Devices, cloud.Deployables} {
		if why := a.gap(p); why != "" {
			a.note(a.rule.ID, why)
			a.doubt(why)
		}
	}
	return !known || a.Cloud.Cyborg().Disabled(d)
}

// beyondTotal reports whether the usage would exceed the capacity even with nothing
// reserved.
func beyondTotal(iu placement.InventoryUsage) bool {
	iu.Reserved = 0
	return iu.OverCapacity()
}

// drains reports whether new claims are kept away from an inventory on purpose, by a
// reservation and not by a lack of units: all of it is reserved, or so much of a card
// that the usage exceeds the rest. In other classes a reservation is for the host itself,
// and using it makes a provider over-full. Devices that Cyborg has disabled, and
// one-time-use devices in use, are reserved by their services.
func (a *auditor) drains(p *placement.ResourceProvider, iu placement.InventoryUsage) bool {
	all, card := iu.Reserved == iu.Total, a.Accelerators.Has(iu.Class)
	switch {
	case beyondTotal(iu), a.OneTime.Has(p.Number()) && iu.Used > 0, a.disabled(p, iu):
		return false
	case card, a.OneTime.Has(p.Number()):
		return all || iu.OverCapacity()
	default:
		return all && iu.Used > 0
	}
}

// usageOf returns how full the accelerators of p are, as ", VGPU 4/7 used", or "" if it
// has none.
func (a *auditor) usageOf(p *placement.ResourceProvider) string {
	iu, ok := a.Accelerators.Any(p)
	if !ok {
		return ""
	}
	if a.drains(p, iu) {
		return fmt.Sprintf(", %s %d/%d used, %d reserved", a.Ledger.ClassName(iu.Class), iu.Used, iu.Total, iu.Reserved)
	}
	return fmt.Sprintf(", %s %d/%d used", a.Ledger.ClassName(iu.Class), iu.Used, iu.Capacity())
}
