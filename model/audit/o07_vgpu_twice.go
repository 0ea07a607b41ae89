package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleVGPUTwice is "VGPU on root and card".
const RuleVGPUTwice RuleID = "o07"

// vgpuTwice finds hosts with VGPU on the root and on a card below it, as after an
// unfinished move of the inventory to the cards.
//
// Source: nova/virt/libvirt/driver.py, _ensure_traits_for_vgpu and
// _update_provider_tree_for_vgpu.
func vgpuTwice() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleVGPUTwice, Title: "VGPU on root and card", Severity: Critical,
			Also:   "reshape vgpu on root move inventory double counted",
			Why:    "The virtual GPUs of the host count twice.",
			Advice: "Move the allocations of the root to the cards, then remove the inventory of the root.",
		},
		tree: func(a *auditor, t *survey.CardTree) {
			if !t.OnRoot || !t.Below {
				return
			}
			iu, _ := a.Ledger.InventoryOf(t.Root, placement.VGPU)
			a.found(Finding{
				Provider: t.Root.ID(), Class: placement.VGPU, Subject: t.Root.Name(),
				Text:  fmt.Sprintf("has VGPU %d/%d itself, and more on the cards below it", iu.Used, iu.Capacity()),
				Brief: fmt.Sprintf("VGPU %d/%d on the root", iu.Used, iu.Capacity()),
			})
		},
		fixes: vgpuTwiceFixes,
	}
}

// vgpuTwiceFixes ask an operator which guest has which card, as only its host knows that.
// They do the same as the reshape of an upgraded nova-compute, if the cards
// have room for what is held on the root; otherwise they keep new claims away, or remove
// what is not in use.
func vgpuTwiceFixes(s *cloud.Snapshot, f Finding) []Fix {
	rest := unusedInventoryFixes(s, f)
	x := Fix{
		Name: "reshape", Choice: true, Title: fmt.Sprintf("move the allocations of %s of %s to its cards, and remove that inventory, in one write", f.Class, f.Subject),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) { return reshape(s, f) },
	}
	if _, iu, err := inventoryOf(s, f.Provider, f.Class); err != nil || iu.Used == 0 {
		return rest
	}
	if _, err := x.plan(s); err != nil {
		return rest
	}
	return append([]Fix{x}, rest...)
}

// reshape moves each claim on a class of a root to the first card that can take it, and
// removes the inventory.
func reshape(s *cloud.Snapshot, f Finding) (ops.Plan, error) {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	if err != nil {
		return ops.Plan{}, err
	}
	var wishes []ops.Planner
	for c := range s.Placement().ConsumersOf(p) {
		for class, amount := range s.Placement().UsedBy(c, p) {
			if class != iu.Class {
				continue
			}
			wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) {
				root, err := s.Placement().FindProvider(f.Provider)
				if err != nil {
					return ops.Plan{}, err
				}
				to, ok := takeoverTarget(s, c.ID(), root, iu.Class, amount, s.Placement().Owner(root))
				if !ok {
					return ops.Plan{}, fmt.Errorf("%s %d of %s: no card of %s can take it: %w", f.Class, amount, ops.ConsumerName(s, c.ID()), root.Name(), placement.ErrInvalid)
				}
				return PlanMoveClaim(s, c.ID(), f.Class, f.Provider, to.ID(), s.Placement().Owner(root))
			})
		}
	}
	wishes = append(wishes, func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDropInventory(s, f.Provider, f.Class) })
	return ops.PlanAll(s, fmt.Sprintf("reshape %s of %s", f.Class, p.Name()), wishes...)
}
