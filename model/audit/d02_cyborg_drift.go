package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleCyborgDrift is "device drift".
const RuleCyborgDrift RuleID = "d02"

// cyborgDrift finds cards of Cyborg about which Placement, the accelerator requests and
// the attach handles disagree: how many units there are, and how many are in use.
//
// Source: cyborg/conductor/manager.py, provider_report: an inventory has as many
// units as the deployable has attach handles.
func cyborgDrift() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleCyborgDrift, Title: "device drift", Severity: Warning,
			Also:   "cyborg inventory differs stale deployable",
			Why:    "Placement gives out a unit that is taken, or keeps one that is free.",
			Advice: "Find out on the host which guests have the card; then release the extra allocation, set the total to the number of attach handles, and have Cyborg delete the extra request or free the extra handle.",
		},
		reads: []cloud.Part{cloud.Devices, cloud.Deployables, cloud.ARQs, cloud.Instances, cloud.Migrations},
		cloud: func(a *auditor) {
			for d := range a.Cloud.Cyborg().Deployables() {
				a.driftOf(d)
			}
		},
		about: func(a *auditor, f Finding) {
			if d, ok := a.Cloud.Cyborg().DeployableAt(f.Provider); ok {
				a.driftOf(d)
			}
		},
		people: "only the host knows which guest has the device",
	}
}

// driftOf reports what disagrees about one card.
func (a *auditor) driftOf(d *cyborg.Deployable) {
	a.anew()
	c, ok := a.Cloud.CardAccount(d)
	if !ok {
		return
	}
	// Whatever disagrees may be explained by a request, a handle or a move that is not there.
	a.lacks(cloud.Devices, cloud.ARQs, cloud.Instances, cloud.Migrations)
	for _, u := range c.Uses {
		a.unsettled(u.Holder)
	}
	class := a.Ledger.ClassName(c.Inventory.Class)
	text, brief := a.takenDrift(c, class)
	if c.Handles != c.Inventory.Total {
		text = fmt.Sprintf("%s %d in the inventory, and the card has %s", class, c.Inventory.Total, words.Count(int(c.Handles), "attach handle"))
		brief = fmt.Sprintf("%s %d, %s", class, c.Inventory.Total, words.Count(int(c.Handles), "handle"))
	}
	if text != "" {
		a.found(Finding{Provider: c.Provider.ID(), Class: class, Subject: c.Provider.Name(), Text: text, Brief: brief})
	}
}

// takenDrift says what disagrees about how much of a card is, or can be, in use; "" if
// everything agrees.
func (a *auditor) takenDrift(c cloud.CardAccount, class placement.ResourceClass) (text, brief string) {
	sum := c.Sum()
	switch iu := c.Inventory; {
	case !c.HandlesAgree() && c.InUse != sum.Bound+sum.Stuck:
		return fmt.Sprintf("%s, %s in use", requests(sum.Bound+sum.Stuck, sum.Stuck), words.Count(int(c.InUse), "attach handle")),
			fmt.Sprintf("%s, %d handles in use", words.Count(int(sum.Bound+sum.Stuck), "request"), c.InUse)
	case len(c.Without) > 0:
		return fmt.Sprintf("%s without an attach handle of its own, and %s in use that no request has", words.Count(len(c.Without), "request"), words.Count(len(c.Idle), "attach handle")),
			words.Count(len(c.Without), "request") + " without a handle"
	case sum.Off() != 0:
		text = fmt.Sprintf("%s, and %s %d is allocated", requests(sum.Bound+sum.Starting+sum.Stuck, sum.Stuck), class, iu.Used)
		if sum.Kept > 0 {
			text += fmt.Sprintf(", %d of it held for a revert", sum.Kept)
		}
		return text, fmt.Sprintf("%s, %s %d held", words.Count(int(sum.Bound+sum.Starting+sum.Stuck), "request"), class, iu.Used)
	case !c.UnitsAgree():
		return a.notTheirs(c, class), "held by others than its requests"
	case a.Cloud.Cyborg().Disabled(c.Card) && iu.Reserved != iu.Total:
		return fmt.Sprintf("the device is disabled, and %s %d of it can be allocated", class, iu.Total-iu.Reserved), fmt.Sprintf("disabled, %s %d left open", class, iu.Total-iu.Reserved)
	default:
		return "", ""
	}
}

// notTheirs says which consumers hold units that do not match their requests.
func (a *auditor) notTheirs(c cloud.CardAccount, class placement.ResourceClass) string {
	var parts []string
	for _, u := range c.Uses {
		if u.Off() != 0 {
			parts = append(parts, fmt.Sprintf("%s holds %s %d and has %s", ops.ConsumerName(a.Cloud, u.Holder), class, u.Units, requests(int64(len(u.Requests)), u.Stuck)))
		}
	}
	return words.First(parts, mostHolders)
}

// mostHolders is how many of them are named.
const mostHolders = 3
