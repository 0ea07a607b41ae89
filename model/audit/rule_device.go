package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// cyborgDrift finds cards of Cyborg of which Placement, the accelerator requests
// and the attach handles tell different things: how much there is, and how much of
// it is taken.
//
// Source: cyborg/conductor/manager.py, provider_report: an inventory has as many
// units as the deployable has attach handles.
func cyborgDrift() rule {
	return rule{
		Rule: Rule{
			ID: RuleCyborgDrift, Title: "device drift", Severity: Warning,
			Why:    "Placement gives out a unit that is taken, or keeps one that is free.",
			Advice: "Find out which guests have the card; then free the attach handle, delete the request or release the claim that is too many.",
		},
		cloud: func(a *auditor) {
			for d := range a.Cloud.Cyborg().Deployables() {
				if account, ok := a.Cloud.CardAccount(d); ok {
					a.drift(account)
				}
			}
		},
		fixes: driftFixes,
	}
}

// drift reports what does not agree about one card.
func (a *auditor) drift(c cloud.CardAccount) {
	class := a.Ledger.ClassName(c.Inventory.Class)
	text := a.takenDrift(c, class)
	if c.Handles != c.Inventory.Total {
		text = fmt.Sprintf("%s %d in the inventory, and the card has %s", class, c.Inventory.Total, words.Count(int(c.Handles), "attach handle"))
	}
	if text != "" {
		a.found(Finding{Provider: c.Provider.ID(), Class: class, Subject: c.Provider.Name(), Text: text})
	}
}

// takenDrift says what does not agree about how much of a card is taken, or can be;
// "" where all does.
func (a *auditor) takenDrift(c cloud.CardAccount, class placement.ResourceClass) string {
	sum := c.Sum()
	switch iu := c.Inventory; {
	case !c.HandlesAgree() && c.InUse != sum.Bound+sum.Stuck:
		return fmt.Sprintf("%s, %s in use", requests(sum.Bound+sum.Stuck, sum.Stuck), words.Count(int(c.InUse), "attach handle"))
	case len(c.Without) > 0:
		return fmt.Sprintf("%s without an attach handle of its own, and %s in use that nobody has", words.Count(len(c.Without), "request"), words.Count(len(c.Idle), "attach handle"))
	case sum.Off() != 0:
		text := fmt.Sprintf("%s, and %s %d is allocated", requests(sum.Bound+sum.Starting+sum.Stuck, sum.Stuck), class, iu.Used)
		if sum.Kept > 0 {
			text += fmt.Sprintf(", %d of it parked", sum.Kept)
		}
		return text
	case !c.UnitsAgree():
		return a.notTheirs(c, class)
	case a.Cloud.Cyborg().Disabled(c.Card) && iu.Reserved != iu.Total:
		return fmt.Sprintf("the device is disabled, and %s %d of it can be allocated", class, iu.Total-iu.Reserved)
	default:
		return ""
	}
}

// requests counts bound requests, and those of them that are stuck.
func requests(n, stuck int64) string {
	text := words.Count(int(n), "bound request")
	if stuck > 0 {
		text += fmt.Sprintf(" (%d stuck)", stuck)
	}
	return text
}

// notTheirs says who holds units for which others have the requests.
func (a *auditor) notTheirs(c cloud.CardAccount, class placement.ResourceClass) string {
	var parts []string
	for _, u := range c.Uses {
		if u.Off() != 0 {
			parts = append(parts, fmt.Sprintf("%s holds %s %d and has %s", ops.ConsumerName(a.Cloud, u.Holder), class, u.Units, requests(int64(len(u.Requests)), u.Stuck)))
		}
	}
	return words.First(parts, mostHolders)
}

// mostHolders is how many holders are named whose units and requests do not agree.
const mostHolders = 3

// stuckDevice finds units of cards that Cyborg could not take from a guest.
func stuckDevice() rule {
	return rule{
		Rule: Rule{
			ID: RuleStuckDevice, Title: "device not let go", Severity: Warning,
			Why:    "Nobody gets the unit until somebody has freed it on the host.",
			Advice: "Free the device on the host, then say so.",
		},
		cloud: func(a *auditor) {
			stuck := map[placement.ProviderID][]*cyborg.ARQ{}
			for r := range a.Cloud.Cyborg().ARQs() {
				if r.State == cyborg.ARQUnbindFailed {
					stuck[r.Provider] = append(stuck[r.Provider], r)
				}
			}
			for id, rs := range stuck {
				why := rs[0].Fault
				if why == "" {
					why = "the unbind failed"
				}
				a.found(Finding{
					Provider: id, Subject: a.Cloud.Placement().ProviderName(id),
					Text: fmt.Sprintf("keeps %s of a guest that has left: %s", words.Count(len(rs), "unit"), why),
				})
			}
		},
		fixes: stuckFixes,
	}
}

// mdevDrift finds cards of Nova's of which more is allocated than mediated devices
// exist or can be made.
func mdevDrift() rule {
	return rule{
		Rule: Rule{
			ID: RuleMdevDrift, Title: "more vGPUs than the card has", Severity: Warning,
			Why:    "The last instances to start on the card fail on the host.",
			Advice: "Move the instances that are too many, or enable another mdev type for the card.",
		},
		cloud: func(a *auditor) {
			for node := range a.Cloud.Nova().ComputeNodes() {
				if len(node.GPUs) == 0 {
					continue
				}
				root, ok := a.Ledger.Provider(node.UUID)
				if !ok {
					continue
				}
				a.mdevs(node, root)
			}
		},
		fixes: mdevFixes,
	}
}

// cardTotals returns how many mediated devices the cards of a compute node can make,
// by the provider that a card is. Cards of Cyborg's are left out.
func (a *auditor) cardTotals(node *nova.ComputeNode, root *placement.ResourceProvider) map[placement.ProviderID]int64 {
	total := make(map[string]int64, len(node.GPUs))
	for _, g := range node.GPUs {
		total[g.Address] = g.Total
	}
	out := make(map[placement.ProviderID]int64, len(node.GPUs))
	for _, p := range a.Ledger.Tree(root) {
		address, _, ok := pci.OfProvider(root.Name(), p.Name())
		if !ok || a.Cyborg.Has(p.Number()) {
			continue
		}
		if most, known := total[address.String()]; known {
			out[p.ID()] = most
		}
	}
	return out
}

// mdevs compares the cards of a compute node with what is allocated of them.
func (a *auditor) mdevs(node *nova.ComputeNode, root *placement.ResourceProvider) {
	totals := a.cardTotals(node, root)
	for _, p := range a.Ledger.Tree(root) {
		most, known := totals[p.ID()]
		iu, has := a.Accelerators.Any(p)
		if !known || !has || iu.Used <= most {
			continue
		}
		class := a.Ledger.ClassName(iu.Class)
		a.found(Finding{
			Provider: p.ID(), Class: class, Subject: p.Name(),
			Text: fmt.Sprintf("%s %d is allocated, and the card has %s", class, iu.Used, words.Count(int(most), "mediated device")),
			Size: iu.Used - most,
		})
	}
}
