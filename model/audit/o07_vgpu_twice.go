package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
)

// RuleVGPUTwice is "VGPU on root and card".
const RuleVGPUTwice RuleID = "o07"

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
