package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
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
			for d := range a.cloud.Cyborg().Deployables() {
				if p, ok := a.ledger.Provider(d.Provider); ok {
					a.drift(d, p)
				}
			}
		},
		fixes: driftFixes,
	}
}

// drift reports what does not agree about one card.
func (a *auditor) drift(d *cyborg.Deployable, p *placement.ResourceProvider) {
	iu, ok := a.accelerators.any(p)
	if !ok {
		return
	}
	text := a.takenDrift(d, p, iu)
	if has := a.handlesOf(d); has != iu.Total {
		text = fmt.Sprintf("%s %d in the inventory, and the card has %s", a.ledger.ClassName(iu.Class), iu.Total, words.Count(int(has), "attach handle"))
	}
	if text != "" {
		a.found(Finding{Provider: p.ID(), Class: a.ledger.ClassName(iu.Class), Subject: p.Name(), Text: text})
	}
}

// handlesOf returns how many attach handles a card has.
func (a *auditor) handlesOf(d *cyborg.Deployable) (n int64) {
	for range a.cloud.Cyborg().AttachHandlesOf(d.UUID) {
		n++
	}
	return n
}

// takenDrift says what does not agree about how much of a card is taken, or can be;
// "" where all does.
func (a *auditor) takenDrift(d *cyborg.Deployable, p *placement.ResourceProvider, iu placement.InventoryUsage) string {
	use := a.deviceUse(d, p)
	switch {
	case !use.handlesAgree():
		return fmt.Sprintf("%s, %s in use", words.Count(use.bound+use.stuck, "bound request"), words.Count(use.handles, "attach handle"))
	case !use.unitsAgree(iu.Used):
		text := fmt.Sprintf("%s, and %s %d is allocated", words.Count(use.bound+use.starting, "bound request"), a.ledger.ClassName(iu.Class), iu.Used)
		if use.parked > 0 {
			text += fmt.Sprintf(", %d of it parked", use.parked)
		}
		return text
	default:
		if !a.cloud.Cyborg().Disabled(d) || iu.Reserved == iu.Total {
			return ""
		}
		return fmt.Sprintf("the device is disabled, and %s %d of it can be allocated", a.ledger.ClassName(iu.Class), iu.Total-iu.Reserved)
	}
}

// deviceUse is how much of a card is taken.
type deviceUse struct {
	bound    int   // requests that are bound
	starting int   // requests that are about to be, with or without a handle yet
	stuck    int   // requests whose handle is not let go
	handles  int   // attach handles in use
	parked   int64 // units that failed migrations hold, so that nobody else gets a device that is stuck
	underWay int64 // units claimed before the device is bound, or not yet released after it was given back
}

// handlesAgree reports whether just the requests have attach handles.
func (u deviceUse) handlesAgree() bool {
	have := u.handles - u.bound - u.stuck
	return have >= 0 && have <= u.starting
}

// unitsAgree reports whether used units are those of requests, and parked ones. The
// claim comes before the device and goes after it, so that what is under way may hold
// more.
func (u deviceUse) unitsAgree(used int64) bool {
	more := used - int64(u.bound) - int64(u.starting)
	return more >= 0 && more <= u.parked+u.underWay
}

func (a *auditor) deviceUse(d *cyborg.Deployable, p *placement.ResourceProvider) deviceUse {
	var use deviceUse
	for r := range a.cloud.Cyborg().ARQsAt(p.ID()) {
		switch r.State {
		case cyborg.ARQBound:
			use.bound++
		case cyborg.ARQBindStarted:
			use.starting++
		case cyborg.ARQUnbindFailed:
			use.stuck++
		default:
		}
	}
	for h := range a.cloud.Cyborg().AttachHandlesOf(d.UUID) {
		if h.InUse {
			use.handles++
		}
	}
	if iu, _ := a.accelerators.any(p); use.unitsAgree(iu.Used) {
		return use
	}
	for c := range a.ledger.ConsumersOf(p) {
		m, moves := a.cloud.Nova().Migration(c.ID())
		parked := moves && m.Status == nova.Error
		if !parked && !a.underWay(c.ID()) {
			continue
		}
		for class, amount := range a.ledger.UsedBy(c, p) {
			switch {
			case !a.accelerators.has(class):
			case parked:
				use.parked += amount
			default:
				use.underWay += amount
			}
		}
	}
	return use
}

// underWay reports whether an instance, or that of a migration, is between two
// states of rest: booted, moved, confirmed, reverted or deleted.
func (a *auditor) underWay(id placement.ConsumerID) bool {
	if m, ok := a.cloud.Nova().Migration(id); ok {
		if m.Status.UnderWay() && !m.Status.Waits() {
			return true
		}
		id = m.Instance
	}
	if i, ok := a.cloud.Nova().Instance(id); ok && i.Live() && i.TaskState != "" {
		return true
	}
	for m := range a.cloud.Nova().MigrationsOf(id) {
		if m.Status.UnderWay() && !m.Status.Waits() {
			return true
		}
	}
	return false
}

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
			for r := range a.cloud.Cyborg().ARQs() {
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
					Provider: id, Subject: a.cloud.Placement().ProviderName(id),
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
			for node := range a.cloud.Nova().ComputeNodes() {
				if len(node.GPUs) == 0 {
					continue
				}
				root, ok := a.ledger.Provider(node.UUID)
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
	for _, p := range a.ledger.Tree(root) {
		address, _, ok := pci.OfProvider(root.Name(), p.Name())
		if !ok || a.cyborg.Has(p.Number()) {
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
	for _, p := range a.ledger.Tree(root) {
		most, known := totals[p.ID()]
		iu, has := a.accelerators.any(p)
		if !known || !has || iu.Used <= most {
			continue
		}
		class := a.ledger.ClassName(iu.Class)
		a.found(Finding{
			Provider: p.ID(), Class: class, Subject: p.Name(),
			Text: fmt.Sprintf("%s %d is allocated, and the card has %s", class, iu.Used, words.Count(int(most), "mediated device")),
			Size: iu.Used - most,
		})
	}
}
