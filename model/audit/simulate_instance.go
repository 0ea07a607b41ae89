package audit

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// refusedInstances returns, for each form of the owner filter, the instances that
// it would not let be placed where they are, and how many were looked at.
func (a *auditor) refusedInstances(forms []nova.OwnerFilter) (out [][]InstanceOutcome, looked int) {
	out = make([][]InstanceOutcome, len(forms))
	instances := newInstanceCursor(a)
	for consumers := range consumerBlocks(a.ledger) {
		for _, c := range consumers {
			i, live := instances.find(c.ID())
			if !live {
				continue
			}
			looked++
			for n, form := range forms {
				if why := a.refusedWhere(c, i, form); why != "" {
					out[n] = append(out[n], InstanceOutcome{Instance: i.UUID, Name: i.Name, Flavor: i.Flavor, Why: why})
				}
			}
		}
	}
	for _, of := range out {
		slices.SortFunc(of, func(x, y InstanceOutcome) int {
			return cmp.Or(cmp.Compare(x.Name, y.Name), x.Instance.Compare(y.Instance))
		})
	}
	return out, looked
}

// refusedWhere says why what c holds would not be given to its instance with the
// owner filter of the given form, "" where it would.
func (a *auditor) refusedWhere(c *placement.Consumer, i *nova.Instance, form nova.OwnerFilter) string {
	if form == nova.OwnerOff {
		return ""
	}
	for n := range c.ProviderNumbers() {
		if a.nova.Has(n) && a.rootSet.Has(n) || a.sharing.Has(n) {
			continue
		}
		if root := a.ledger.ProviderAt(n).RootNumber(); !a.nova.Has(root) {
			return a.ledger.ProviderAt(root).Name() + " has no OWNER_NOVA"
		}
	}
	if form != nova.OwnerOnGroups {
		return ""
	}
	w := a.wants(i.Flavor, i.BootFromVolume)
	if w == nil {
		return ""
	}
	for _, want := range w.classes {
		if !a.accelerators.has(want.class) {
			continue
		}
		if why := a.refusedClass(c, want); why != "" {
			return why
		}
	}
	return ""
}

// refusedClass says which provider of a class does not have the owner that its
// group would ask for, "" where all have.
func (a *auditor) refusedClass(c *placement.Consumer, want classWanted) string {
	left := want // what may still be held of each owner
	for h := range c.Held() {
		if h.Class != want.class {
			continue
		}
		isNova, isCyborg := a.nova.Has(h.Number), a.cyborg.Has(h.Number)
		switch {
		case isNova && left.nova >= h.Used:
			left.nova -= h.Used
		case isCyborg && left.cyborg >= h.Used:
			left.cyborg -= h.Used
		default:
			p := a.ledger.ProviderAt(h.Number)
			return fmt.Sprintf("%s of %s is not %s", a.ledger.ClassName(want.class), p.Name(), ownersAsked(want))
		}
	}
	return ""
}

// ownersAsked says whose a class is to be.
func ownersAsked(want classWanted) string {
	switch {
	case want.nova > 0 && want.cyborg > 0:
		return "Nova's and Cyborg's as asked"
	case want.cyborg > 0:
		return "Cyborg's"
	default:
		return "Nova's"
	}
}
