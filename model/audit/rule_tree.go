package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// mixedHost finds hosts of both services on which a request of Nova's may land on
// a card of Cyborg's, because the owner filter only looks at roots, or is off.
func mixedHost() rule {
	return rule{
		Rule: Rule{
			ID: RuleMixedHost, Title: "mixed host", Severity: Warning,
			Why:    "A flavor that asks Nova for a VGPU may be given one of Cyborg's here, with the owner filter as it is set.",
			Advice: "Let the owner filter ask every request group for its owner, or keep the cards of a host with one service.",
		},
		cloud: func(a *auditor) {
			if form, _ := a.Cloud.Nova().Config().OwnerInForce(); form == nova.OwnerOnGroups {
				return
			}
			for _, t := range a.CardTrees() {
				if !a.Mixed(t) {
					continue
				}
				f := Finding{Provider: t.Root.ID(), Subject: t.Root.Name()}
				for _, p := range t.Cyborg {
					f.Others = append(f.Others, p.ID())
				}
				f.Text = fmt.Sprintf("is Nova's, and has %s of Cyborg's below it", words.Count(len(t.Cyborg), "provider"))
				a.found(f)
			}
		},
		fixes: filterFixes,
	}
}

// vgpuTwice finds hosts with VGPU on the root and on a card below it, which is
// what is left where the move of the inventory to the cards was not finished.
//
// Source: nova/virt/libvirt/driver.py, _ensure_traits_for_vgpu and
// _update_provider_tree_for_vgpu.
func vgpuTwice() rule {
	return rule{
		Rule: Rule{
			ID: RuleVGPUTwice, Title: "VGPU on root and card", Severity: Critical,
			Why:    "The virtual GPUs of the host count twice.",
			Advice: "Move the allocations of the root to the cards, then remove the inventory of the root.",
		},
		cloud: func(a *auditor) {
			vgpu, _ := a.Ledger.ClassID(placement.VGPU)
			for _, t := range a.CardTrees() {
				if !t.OnRoot || !t.Below {
					continue
				}
				iu, _ := t.Root.Inventory(vgpu)
				a.found(Finding{
					Provider: t.Root.ID(), Class: placement.VGPU, Subject: t.Root.Name(),
					Text: fmt.Sprintf("has VGPU %d/%d itself, and more on the cards below it", iu.Used, iu.Capacity()),
				})
			}
		},
		fixes: unusedInventoryFixes,
	}
}

// noAccelerators finds compute nodes with cards of Cyborg's that Nova does not
// know how to attach.
//
// Source: nova/scheduler/request_filter.py, accelerators_filter.
func noAccelerators() rule {
	return rule{
		Rule: Rule{
			ID: RuleNoAccelerators, Title: "compute without accelerators", Severity: Warning,
			Why:    "Flavors with a device profile never land here, though the cards are here.",
			Advice: "Upgrade or enable nova-compute, which sets COMPUTE_ACCELERATORS at its next report.",
		},
		cloud: func(a *auditor) {
			able, computes := a.Ledger.Having(placement.ComputeAccelerators), a.Ledger.Having(placement.ComputeNode)
			for _, t := range a.CardTrees() {
				n := t.Root.Number()
				if len(t.Cyborg) == 0 || !computes.Has(n) || able.Has(n) {
					continue
				}
				a.found(Finding{
					Provider: t.Root.ID(), Subject: t.Root.Name(),
					Text: fmt.Sprintf("has %s of Cyborg's below it and lacks COMPUTE_ACCELERATORS", words.Count(len(t.Cyborg), "provider")),
				})
			}
		},
		fixes: rootTraitFix(placement.ComputeAccelerators),
	}
}
