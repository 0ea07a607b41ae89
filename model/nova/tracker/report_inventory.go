package tracker

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// inventories plans the inventories of one provider as a whole, as nova-compute
// writes them.
func (p *planner) inventories(t *target, want Provider, has *placement.ResourceProvider) {
	set := make(map[placement.ResourceClass]placement.Inventory)
	changed := false
	if has != nil {
		for _, iu := range has.Inventories() {
			class := p.s.ClassName(iu.Class)
			if _, reported := want.Inventory(class); reported {
				continue
			}
			if keep, inv := p.unreported(t.id, want, class, iu); keep {
				set[class] = inv
				changed = changed || inv != iu.Inventory
			} else {
				changed = true
			}
		}
	}
	for _, inv := range want.Inventories {
		var (
			had    placement.InventoryUsage
			exists bool
		)
		if id, ok := p.s.ClassID(inv.Class); ok && has != nil {
			had, exists = has.Inventory(id)
		}
		is := inv.settle(had.Inventory, exists)
		if want.usedUp(had.Used) {
			is.Reserved = is.Total
		}
		set[inv.Class] = is
		if !exists {
			p.ensureClass(inv.Class)
			changed = true
			p.differ(Difference{Provider: t.name, What: string(inv.Class), Want: amounts(is), Source: inv.Source, Verdict: Written})
			continue
		}
		changed = changed || is != had.Inventory
		p.compare(t.name, inv, had, is)
	}
	if changed {
		p.ops = append(p.ops, placement.SetInventories{Provider: t.id, Generation: t.next(), Inventories: set})
	}
}

// unreported decides on a class that a provider has but the tree does not: it stays if it
// is not Nova's; otherwise it is removed, or shrinks to what is allocated.
func (p *planner) unreported(id placement.ProviderID, want Provider, class placement.ResourceClass, iu placement.InventoryUsage) (keep bool, inv placement.Inventory) {
	ours := want.owns(class)
	untold := want.Kind == ComputeNode && slices.ContainsFunc(p.tree.Unknown, func(u Unknown) bool { return u.Class == class })
	if !ours || untold {
		return true, iu.Inventory
	}
	d := Difference{Provider: want.Name, What: string(class), Has: amounts(iu.Inventory), Source: "the machine reports none", Verdict: Written}
	if iu.Used == 0 {
		keep = p.inUse(id, &d)
		p.differ(d)
		return keep, iu.Inventory
	}
	inv = shrunk(iu)
	d.Want = amounts(inv)
	if inv == iu.Inventory {
		d.Verdict = Kept
	}
	d.Why = fmt.Sprintf("%d are allocated", iu.Used)
	p.differ(d)
	return true, inv
}

// shrunk returns an inventory reduced to what is allocated, so that nothing new fits.
func shrunk(iu placement.InventoryUsage) placement.Inventory {
	inv := iu.Inventory
	inv.Total, inv.MaxUnit, inv.AllocationRatio = iu.Used, iu.Used, 1
	inv.MinUnit = min(inv.MinUnit, inv.MaxUnit)
	inv.Reserved = min(inv.Reserved, inv.Total)
	return inv
}

// settle returns the inventory to write, for a provider that has the class already or
// does not.
func (inv Inventory) settle(had placement.Inventory, exists bool) placement.Inventory {
	is := inv.Inventory
	switch {
	case !exists:
	case inv.TotalOnly:
		is = had
		is.Total, is.MaxUnit = inv.Total, inv.MaxUnit
		is.Reserved = min(is.Reserved, is.Total)
	case !inv.RatioSet:
		is.AllocationRatio = had.AllocationRatio
	}
	return is
}

// usedUp reports whether devices are for one-time use and some are allocated:
// then all are reserved until the operator has cleaned them.
//
// Source: nova/compute/pci_placement_translator.py, PciResourceProvider.
func (p Provider) usedUp(used int64) bool {
	return used > 0 && slices.ContainsFunc(p.Traits, func(t Trait) bool { return t.Name == placement.HWPCIOneTimeUse })
}

// compare notes the fields in which an inventory differs from what the machine has,
// whether they are written or not.
func (p *planner) compare(name string, inv Inventory, had placement.InventoryUsage, is placement.Inventory) {
	for _, f := range []struct {
		name          string
		had, is, says string
	}{
		{"total", number(had.Total), number(is.Total), number(inv.Total)},
		{"reserved", number(had.Reserved), number(is.Reserved), number(inv.Reserved)},
		{"min_unit", number(had.MinUnit), number(is.MinUnit), number(inv.MinUnit)},
		{"max_unit", number(had.MaxUnit), number(is.MaxUnit), number(inv.MaxUnit)},
		{"step_size", number(had.StepSize), number(is.StepSize), number(inv.StepSize)},
		{"allocation_ratio", ratio(had.AllocationRatio), ratio(is.AllocationRatio), ratio(inv.AllocationRatio)},
	} {
		d := Difference{Provider: name, What: string(inv.Class) + " " + f.name, Has: f.had, Want: f.is, Source: inv.Source, Verdict: Written}
		switch {
		case f.had != f.is:
			if f.name == "total" && !is.HasRoom(had.Used, 0) {
				d.Why = fmt.Sprintf("%d are allocated: the provider is then over capacity", had.Used)
			}
		case f.had != f.says:
			d.Want, d.Verdict, d.Why = f.says, Kept, "set in Placement, not by the configuration"
		default:
			continue
		}
		p.differ(d)
	}
}

// unknown notes what Placement has of a class that the probe could not determine.
func (p *planner) unknown(u Unknown) {
	d := Difference{Provider: p.tree.Root.Name, What: string(u.Class), Verdict: Untold, Why: u.Why}
	if id, ok := p.s.ClassID(u.Class); ok && p.root != nil {
		if iu, ok := p.root.Inventory(id); ok {
			d.Has = amounts(iu.Inventory)
		}
	}
	p.differ(d)
}
