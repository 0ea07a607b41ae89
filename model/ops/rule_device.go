package ops

import (
	"fmt"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// cyborgDrift finds cards of Cyborg of which Placement, the accelerator requests
// and the attach handles tell different things.
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
	use := a.deviceUse(d, p)
	var text string
	switch {
	case use.bound != use.handles:
		text = fmt.Sprintf("%s, %s in use", countOf(use.bound, "bound request"), countOf(use.handles, "attach handle"))
	case int64(use.bound) != iu.Used-use.parked:
		text = fmt.Sprintf("%s, and %s %d is allocated", countOf(use.bound, "bound request"), a.ledger.ClassName(iu.Class), iu.Used)
		if use.parked > 0 {
			text += fmt.Sprintf(", %d of it parked", use.parked)
		}
	default:
		dev, known := a.cloud.Cyborg().Device(d.Device)
		if !known || dev.Status != cyborg.Maintaining || iu.Reserved == iu.Total {
			return
		}
		text = fmt.Sprintf("the device is disabled, and %s %d of it can be allocated", a.ledger.ClassName(iu.Class), iu.Total-iu.Reserved)
	}
	a.found(Finding{Provider: p.ID(), Class: a.ledger.ClassName(iu.Class), Subject: p.Name(), Text: text})
}

// deviceUse is how much of a card is taken.
type deviceUse struct {
	bound   int   // requests that are bound, or about to be
	handles int   // attach handles in use
	parked  int64 // units that a failed migration keeps without a request, so that nobody else gets a device that is stuck
}

func (a *auditor) deviceUse(d *cyborg.Deployable, p *placement.ResourceProvider) deviceUse {
	var use deviceUse
	requested := map[placement.ConsumerID]bool{}
	for r := range a.cloud.Cyborg().ARQsAt(p.ID()) {
		if r.State == cyborg.ARQBound || r.State == cyborg.ARQBindStarted {
			use.bound++
			requested[r.Instance] = true
		}
	}
	for h := range a.cloud.Cyborg().AttachHandlesOf(d.UUID) {
		if h.InUse {
			use.handles++
		}
	}
	if iu, _ := a.accelerators.any(p); iu.Used == int64(use.bound) {
		return use
	}
	for c := range a.ledger.ConsumersOf(p) {
		m, ok := a.cloud.Nova().Migration(c.ID())
		if !ok || m.Status != nova.Error || requested[c.ID()] || requested[m.Instance] {
			continue
		}
		for class, amount := range a.ledger.UsedBy(c, p) {
			if a.accelerators.has(class) {
				use.parked += amount
			}
		}
	}
	return use
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
	}
}

// mdevs compares the cards of a compute node with what is allocated of them.
func (a *auditor) mdevs(node *nova.ComputeNode, root *placement.ResourceProvider) {
	total := make(map[string]int64, len(node.GPUs))
	for _, g := range node.GPUs {
		total[g.Address] = g.Total
	}
	for _, p := range a.ledger.Tree(root) {
		address, _, ok := pci.OfProvider(root.Name(), p.Name())
		if !ok || a.cyborg.Has(p.Number()) {
			continue
		}
		most, known := total[address.String()]
		iu, has := a.accelerators.any(p)
		if !known || !has || iu.Used <= most {
			continue
		}
		class := a.ledger.ClassName(iu.Class)
		a.found(Finding{
			Provider: p.ID(), Class: class, Subject: p.Name(),
			Text: fmt.Sprintf("%s %d is allocated, and the card has %s", class, iu.Used, countOf(int(most), "mediated device")),
		})
	}
}
