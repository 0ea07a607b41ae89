package insight

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// refusedInstances returns, for each form of the owner filter, the instances that it
// would refuse where they are, and how many were checked.
func refusedInstances(a *survey.View, forms []nova.OwnerFilter) (out [][]InstanceOutcome, looked int) {
	out = make([][]InstanceOutcome, len(forms))
	for c, i := range survey.Holders(a.Cloud) {
		if c == nil || i == nil || !i.Live() {
			continue
		}
		looked++
		for n, form := range forms {
			if why := refusedWhere(a, c, i, form); why != "" {
				out[n] = append(out[n], InstanceOutcome{Instance: i.UUID, Name: i.Name, Flavor: i.Flavor, Form: form.Word(), Why: why})
			}
		}
	}
	for _, of := range out {
		slices.SortStableFunc(of, func(x, y InstanceOutcome) int {
			return cmp.Or(cmp.Compare(x.Name, y.Name), x.Instance.Compare(y.Instance))
		})
	}
	return out, looked
}

// refusedWhere says why the given form of the owner filter would refuse to give its
// instance what c holds; "" if it would not.
func refusedWhere(a *survey.View, c *placement.Consumer, i *nova.Instance, form nova.OwnerFilter) string {
	if form == nova.OwnerOff {
		return ""
	}
	for n := range c.ProviderNumbers() {
		if a.Nova.Has(n) && a.RootSet.Has(n) || a.Sharing.Has(n) {
			continue
		}
		if root := a.Ledger.ProviderAt(n).RootNumber(); !a.Nova.Has(root) {
			return a.Ledger.ProviderAt(root).Name() + " has no OWNER_NOVA"
		}
	}
	if form != nova.OwnerOnGroups {
		return ""
	}
	w := a.Wants(i.Flavor, i.BootFromVolume)
	if w == nil {
		return ""
	}
	for _, want := range w.Classes {
		if !a.Accelerators.Has(want.Class) {
			continue
		}
		if why := refusedClass(a, c, want); why != "" {
			return why
		}
	}
	return ""
}

// refusedClass says which provider of a class has another owner than its group would ask
// for; "" if none has.
func refusedClass(a *survey.View, c *placement.Consumer, want survey.ClassWanted) string {
	left := want // what may still be held from each owner
	for h := range c.Held() {
		if h.Class != want.Class {
			continue
		}
		isNova, isCyborg := a.Nova.Has(h.Number), a.Cyborg.Has(h.Number)
		switch {
		case isNova && left.Nova >= h.Used:
			left.Nova -= h.Used
		case isCyborg && left.Cyborg >= h.Used:
			left.Cyborg -= h.Used
		default:
			p := a.Ledger.ProviderAt(h.Number)
			return fmt.Sprintf("%s of %s is not %s", a.Ledger.ClassName(want.Class), p.Name(), ownersAsked(want))
		}
	}
	return ""
}

// ownersAsked says which owners are asked for a class.
func ownersAsked(want survey.ClassWanted) string {
	switch {
	case want.Nova > 0 && want.Cyborg > 0:
		return "Nova's and Cyborg's as asked"
	case want.Cyborg > 0:
		return "Cyborg's"
	default:
		return "Nova's"
	}
}
