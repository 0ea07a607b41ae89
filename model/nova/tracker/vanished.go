package tracker

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
)

// vanished plans what to do with Nova's providers below the root that are not in the
// tree.
//
// Source: nova/virt/libvirt/driver.py, _ensure_pgpu_providers;
// nova/compute/pci_placement_translator.py, PciResourceProvider.
func (p *planner) vanished() {
	if p.root == nil {
		return
	}
	for _, has := range p.s.Children(p.root) {
		if p.matched[has.ID()] {
			continue
		}
		a, kind, ok := device(p.root.Name(), has.Name())
		if !ok || !p.ours(has, kind) {
			continue
		}
		verdict, why := p.fate(a, kind)
		if own, _ := childOf(p.root.ID(), has.Name()); p.tree.KeepOthers && has.ID() != own {
			verdict, why = Kept, "somebody else made it"
		}
		switch {
		case verdict != Written:
			p.differ(Difference{Provider: has.Name(), What: "provider", Has: p.holdings(has), Verdict: verdict, Why: why})
			p.spend(has)
		case len(p.s.Children(has)) > 0:
			p.differ(Difference{Provider: has.Name(), What: "provider", Has: p.holdings(has), Verdict: Conflict, Why: why + ", but it has children"})
		case p.s.HasConsumers(has):
			p.shrink(has, why)
		default:
			d := Difference{Provider: has.Name(), What: "provider", Has: p.holdings(has), Source: why, Verdict: Written}
			if !p.inUse(has.ID(), &d) {
				p.ops = append(p.ops, placement.DeleteProvider{ID: has.ID()})
			}
			p.differ(d)
		}
	}
}

// ours reports whether a provider is nova-compute's, so that it may be removed. Providers
// from before the owner traits are recognised by libvirt's form of the address, which
// nothing else uses.
func (p *planner) ours(has *placement.ResourceProvider, kind Kind) bool {
	switch p.s.Owner(has) {
	case placement.OwnedByNova:
		return true
	case placement.OwnedByNone:
		return kind == PGPU
	default:
		return false
	}
}

// fate decides on a provider of Nova's that is not in the tree: Written if it is removed,
// any other verdict if it stays.
func (p *planner) fate(a pci.Address, kind Kind) (Verdict, string) {
	if why, doubtful := p.tree.doubt(a, kind); doubtful {
		return Untold, why
	}
	i := slices.IndexFunc(p.tree.Left, func(l SkippedDevice) bool { return l.Address == a && l.Kind == kind })
	switch {
	case i >= 0 && p.tree.Left[i].Remove:
		return Written, p.tree.Left[i].Why
	case i >= 0:
		return Kept, p.tree.Left[i].Why
	case !p.tree.Present[a]:
		return Written, "the machine no longer has the device"
	case kind == PGPU:
		return Written, "the device no longer supports mediated devices"
	case !p.tree.ReportsPCI:
		return Kept, "this configuration does not report PCI devices, but nova-compute refuses to stop reporting them"
	}
	return Written, "the device is no longer offered"
}

// spend reserves a one-time-use device that was used, although the tree does not have it.
func (p *planner) spend(has *placement.ResourceProvider) {
	if id, known := p.s.TraitID(placement.HWPCIOneTimeUse); !known || !has.HasTrait(id) {
		return
	}
	for _, iu := range has.Inventories() {
		if iu.Used == 0 || iu.Reserved == iu.Total {
			continue
		}
		class, inv := p.s.ClassName(iu.Class), iu.Inventory
		inv.Reserved = inv.Total
		p.ops = append(p.ops, placement.SetInventory{
			Provider: has.ID(), Generation: has.Expect(), Class: class, Inventory: inv,
		})
		p.differ(Difference{
			Provider: has.Name(), What: string(class) + " reserved", Has: number(iu.Reserved), Want: number(inv.Reserved),
			Source: "a one-time-use device that was used", Verdict: Written,
		})
		return
	}
}

// shrink reduces an obsolete provider to what is allocated on it, so that nothing new
// lands there.
func (p *planner) shrink(has *placement.ResourceProvider, why string) {
	set := make(map[placement.ResourceClass]placement.Inventory)
	changed := false
	for _, iu := range has.Inventories() {
		class := p.s.ClassName(iu.Class)
		d := Difference{Provider: has.Name(), What: string(class), Has: amounts(iu.Inventory), Source: why, Verdict: Written}
		if iu.Used == 0 {
			if p.inUse(has.ID(), &d) {
				set[class] = iu.Inventory
			} else {
				changed = true
			}
			p.differ(d)
			continue
		}
		inv := shrunk(iu)
		set[class] = inv
		d.Want, d.Why = amounts(inv), fmt.Sprintf("%d are allocated; the provider is removed once they are released", iu.Used)
		if inv == iu.Inventory {
			d.Verdict = Kept
		}
		changed = changed || inv != iu.Inventory
		p.differ(d)
	}
	if changed {
		p.ops = append(p.ops, placement.SetInventories{Provider: has.ID(), Generation: has.Expect(), Inventories: set})
	}
}

// holdings says in short what a provider has.
func (p *planner) holdings(has *placement.ResourceProvider) string {
	text := ""
	for _, iu := range has.Inventories() {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s %s, used %d", p.s.ClassName(iu.Class), amounts(iu.Inventory), iu.Used)
	}
	if text == "" {
		return "no inventory"
	}
	return text
}
