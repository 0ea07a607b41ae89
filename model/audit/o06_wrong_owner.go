package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleWrongOwner is "device of the wrong owner".
const RuleWrongOwner RuleID = "o06"

// ofWrongOwner finds instances that hold devices of another service than the one that
// their flavor asks for. Of a split claim, only the part on the host of the instance is
// checked. What a move has left behind until it is confirmed is ignored.
func ofWrongOwner() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleWrongOwner, Title: "device of the wrong owner", Severity: Critical,
			Also:   "wrong owner handover",
			Why:    "No boot ends like this (it fails with ComputeResourcesUnavailable): the allocation was moved, or the card changed owner.",
			Advice: "Move the allocation to the card whose device the guest uses: the device does not move. If it uses none, migrate or rebuild the instance.",
		},
		reads: []cloud.Part{cloud.Instances, cloud.Flavors, cloud.Profiles, cloud.Migrations},
		consumer: func(a *auditor, h *holder) {
			of := func(*placement.ResourceProvider) bool { return true }
			if h.moves != nil && h.moves.Status == nova.Finished {
				return
			}
			switch {
			case h.split && h.wanted != nil && h.live() && h.is.Host != "":
				of = func(p *placement.ResourceProvider) bool { return a.hostOf(p.RootNumber()) == h.is.Host }
			case h.mismatch != wrongOwner:
				return
			}
			p, class, right := a.misplaced(h, of)
			if p == nil || a.betweenFlavors(h) {
				return
			}
			a.found(Finding{
				Provider: p.ID(), Consumer: h.ID(), Class: class, Subject: h.name(),
				Text: fmt.Sprintf("holds %s of %s, which is %s's, and its flavor %s asks %s for it",
					class, p.Name(), a.Ledger.Owner(p), h.wanted.Flavor, right),
				Brief: fmt.Sprintf("holds %s's on %s", a.Ledger.Owner(p), a.Ledger.Root(p).Name()),
			})
		},
		fixes: rightOwnerFixes,
	}
}

// rightOwnerFixes move a claim to a device of the owner that the flavor asks for: on the
// same host or, with the instance, on another.
func rightOwnerFixes(s *cloud.Snapshot, f Finding) []Fix {
	p, iu, err := inventoryOf(s, f.Provider, f.Class)
	c, ok := s.Placement().Consumer(f.Consumer)
	if err != nil || !ok || attached(s, f.Consumer, p) != nil {
		return nil
	}
	right := otherOwner(s.Placement().Owner(p))
	for class, amount := range s.Placement().UsedBy(c, p) {
		if class != iu.Class {
			continue
		}
		if q, ok := takeoverTarget(s, f.Consumer, p, class, amount, right); ok {
			return choices(Fix{
				Name: "move", Title: fmt.Sprintf("move the allocation of %s %d of %s to %s, which is %s's; this gives the guest no device", f.Class, amount, f.Subject, q.Name(), right),
				plan: func(s *cloud.Snapshot) (ops.Plan, error) {
					return PlanMoveClaim(s, f.Consumer, f.Class, f.Provider, q.ID(), right)
				},
			})
		}
	}
	return elsewhereFixes(s, f, f.Consumer)
}

// misplaced returns the first provider with an owner from which h holds more of a class
// than its flavor asks for, the class, and the right owner. Only providers for which of
// returns true are checked.
func (a *auditor) misplaced(h *holder, of func(*placement.ResourceProvider) bool) (*placement.ResourceProvider, placement.ResourceClass, placement.Owner) {
	for _, want := range h.wanted.Classes {
		if !a.Accelerators.Has(want.Class) {
			continue
		}
		left := map[placement.Owner]int64{placement.OwnedByNova: want.Nova, placement.OwnedByCyborg: want.Cyborg}
		for held := range h.Held() {
			if held.Class != want.Class {
				continue
			}
			p := a.Ledger.ProviderAt(held.Number)
			owner := a.Ledger.Owner(p)
			if !of(p) {
				continue
			}
			rest, one := left[owner]
			if left[owner] = rest - held.Used; !one || left[owner] >= 0 {
				continue
			}
			right := placement.OwnedByNova
			if owner == placement.OwnedByNova {
				right = placement.OwnedByCyborg
			}
			return p, a.Ledger.ClassName(want.Class), right
		}
	}
	return nil, "", placement.OwnedByNone
}
