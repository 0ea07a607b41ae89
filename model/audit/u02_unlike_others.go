package audit

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleUnlikeOthers is "differs from other hosts".
const RuleUnlikeOthers RuleID = "u02"

// inventorySettings is what an operator sets in an inventory, and does not depend on the hardware.
type inventorySettings struct {
	ratio    float64
	reserved int64
}

func (k inventorySettings) String() string {
	return fmt.Sprintf("ratio %g, reserved %d", k.ratio, k.reserved)
}

// With fewer than leastOthers hosts nothing is reported; alikeShare of the others must
// agree.
const (
	leastOthers = 4
	alikeShare  = 0.9
)

// unlikeOthers finds computes whose ratio or reservation differs from those of nearly all
// others: a nova.conf was forgotten, or an inventory was set by hand.
func unlikeOthers() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleUnlikeOthers, Title: "differs from other hosts", Severity: Info,
			Also:   "overcommit max_unit min_unit step_size ratio allocation_ratio cpu_allocation_ratio reserved unlike others odd",
			Why:    "It gives out more, or less, than similar hosts.",
			Advice: "Compare allocation ratios and reservations in its nova.conf with those of another host: the next report undoes what is set only in Placement.",
		},
		cloud: func(a *auditor) {
			for _, class := range []placement.ResourceClass{placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB} {
				a.unlike(class)
			}
		},
		about: func(a *auditor, f Finding) { a.unlike(f.Class) },
		fixes: unlikeOthersFixes,
	}
}

// unlike reports the computes whose settings for a class differ from those of nearly all
// others.
func (a *auditor) unlike(class placement.ResourceClass) {
	usual, many, n := a.usual(class)
	if n-1 < leastOthers || float64(many) < alikeShare*float64(n-1) {
		return
	}
	for p, iu := range a.computesWith(class) {
		if has := (inventorySettings{iu.AllocationRatio, iu.Reserved}); has != usual {
			a.found(Finding{
				Provider: p.ID(), Class: class, Subject: p.Name(),
				Text:  fmt.Sprintf("%s has %s; %d of %s have %s", class, has, many, words.Count(n-1, "other host"), usual),
				Brief: fmt.Sprintf("%s %s", class, has),
			})
		}
	}
}

// computesWith yields the computes that have a class, except those with all of it
// reserved, which are drained.
func (a *auditor) computesWith(class placement.ResourceClass) func(func(*placement.ResourceProvider, placement.InventoryUsage) bool) {
	return func(yield func(*placement.ResourceProvider, placement.InventoryUsage) bool) {
		id, ok := a.Ledger.ClassID(class)
		if !ok {
			return
		}
		for n := range a.Ledger.Having(placement.ComputeNode).All() {
			p := a.Ledger.ProviderAt(n)
			iu, has := p.Inventory(id)
			if has && p.IsRoot() && iu.Reserved < iu.Total && !yield(p, iu) {
				return
			}
		}
	}
}

// usual returns the most common settings for a class, how many computes have them, and
// how many have the class.
func (a *auditor) usual(class placement.ResourceClass) (usual inventorySettings, many, n int) {
	count := map[inventorySettings]int{}
	for _, iu := range a.computesWith(class) {
		k := inventorySettings{iu.AllocationRatio, iu.Reserved}
		count[k]++
		n++
		if count[k] > many {
			usual, many = k, count[k]
		}
	}
	return usual, many, n
}

// unlikeOthersFixes set the values of the others.
func unlikeOthersFixes(s *cloud.Snapshot, f Finding) []Fix {
	usual, many, _ := newAuditor(s).usual(f.Class)
	if many == 0 {
		return nil
	}
	return choices(Fix{
		Name: "alike", Title: fmt.Sprintf("set %s of %s to %s, like the others", f.Class, f.Subject, usual),
		plan: func(s *cloud.Snapshot) (ops.Plan, error) {
			return editInventory(f.Provider, f.Class, func(iu placement.InventoryUsage) placement.Inventory {
				inv := iu.Inventory
				inv.AllocationRatio, inv.Reserved = usual.ratio, usual.reserved
				return inv
			})(s)
		},
	})
}
