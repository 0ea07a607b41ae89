package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// RuleMdevDrift is "too many vGPUs for a card".
const RuleMdevDrift RuleID = "d03"

// mdevDrift finds cards of Nova's with more allocated than there are, or can be, mediated
// devices.
func mdevDrift() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleMdevDrift, Title: "too many vGPUs for a card", Severity: Warning,
			Also:   "mdev mediated device vgpu uuid max_instances",
			Why:    "The last instances to start on the card fail on the host.",
			Advice: "Lower the total so that nothing more lands there, and migrate the surplus instances; or enable another mdev type for the card.",
		},
		reads: []cloud.Part{cloud.Hypervisors},
		cloud: func(a *auditor) {
			for node := range a.Cloud.Nova().ComputeNodes() {
				a.mdevs(node)
			}
		},
		about: func(a *auditor, f Finding) {
			if p, ok := a.Ledger.Provider(f.Provider); ok {
				if node, ok := a.Cloud.Nova().ComputeNode(a.Ledger.Root(p).ID()); ok {
					a.mdevs(node)
				}
			}
		},
		people: "only people know which guest should leave",
	}
}

// cardTotals returns how many mediated devices the cards of a compute node can make, by
// the provider of the card. Cards of Cyborg's are left out.
func (a *auditor) cardTotals(node *nova.ComputeNode, root *placement.ResourceProvider) map[placement.ProviderID]int64 {
	total := make(map[string]int64, len(node.GPUs))
	for _, g := range node.GPUs {
		total[g.Address] = g.Total
	}
	out := make(map[placement.ProviderID]int64, len(node.GPUs))
	for _, p := range a.Ledger.Tree(root) {
		address, _, ok := pci.OfProvider(p.Name())
		if !ok || a.Cyborg.Has(p.Number()) {
			continue
		}
		if most, known := total[address.String()]; known {
			out[p.ID()] = most
		}
	}
	return out
}

// mdevs compares the cards of a compute node with their usage.
func (a *auditor) mdevs(node *nova.ComputeNode) {
	root, ok := a.Ledger.Provider(node.UUID)
	if !ok || len(node.GPUs) == 0 {
		return
	}
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
			Text:  fmt.Sprintf("%s %d is allocated, and the card has %s", class, iu.Used, words.Count(int(most), "mediated device")),
			Brief: fmt.Sprintf("%s %d, the card has %d", class, iu.Used, most),
			Size:  iu.Used - most,
		})
	}
}
