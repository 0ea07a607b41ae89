package survey

import (
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Wanted is what an instance of a flavor is to hold.
type Wanted struct {
	Flavor  string // ref
	Classes []ClassWanted
	ByAlias bool // it asks for PCI devices by alias too: of these the flavor does not say the class
}

// ClassWanted is how much of a class an instance is to hold, and of whom.
type ClassWanted struct {
	Class        placement.ClassID
	Amount       int64 // units of the class, over all owners
	Nova, Cyborg int64 // how much of it is to be Nova's, and Cyborg's
}

// Wants returns what an instance of a flavor is to hold, whose root disk may be a volume;
// nil if the flavor or its device profile is not known or not valid.
func (v *View) Wants(flavor string, volume bool) *Wanted {
	return v.wants(flavor, volume, false)
}

// WantsOn is Wants for an instance that holds c: on a host without PCPU, pinned CPUs are
// VCPU; and on a live cloud, of which images are not known, either may be the other where the
// flavor leaves that open.
func (v *View) WantsOn(c *placement.Consumer, flavor string, volume bool) *Wanted {
	w := v.Wants(flavor, volume)
	if w != nil && v.Cloud.Live() && !v.saysPinned(flavor) {
		if pinned := v.pinnedAs(c, w); pinned != nil {
			return pinned
		}
	}
	pcpu, _ := v.Ledger.ClassID(placement.PCPU)
	if w == nil || !slices.ContainsFunc(w.Classes, func(c ClassWanted) bool { return c.Class == pcpu }) {
		return w
	}
	for n := range c.ProviderNumbers() {
		p := v.Ledger.ProviderAt(n)
		if v.Sharing.Has(n) {
			continue
		}
		if !v.Cloud.Nova().FallsBack(v.Ledger, v.Ledger.Root(p)) {
			return w
		}
	}
	return v.wants(flavor, volume, true)
}

// saysPinned reports whether a flavor says whether all its CPUs are pinned: no image changes
// that.
//
// Source: nova/virt/hardware.py, get_cpu_policy_constraint.
func (v *View) saysPinned(flavor string) bool {
	f, ok := v.Cloud.Nova().Flavor(flavor)
	return ok && (f.ExtraSpecs["hw:cpu_policy"] == "dedicated" || f.ExtraSpecs["hw:cpu_policy"] == "shared")
}

// pinnedAs returns w with as many pinned CPUs as c holds, nil if it has them, or if c does
// not hold as many CPUs as w has: one more where the flavor then asks for that.
func (v *View) pinnedAs(c *placement.Consumer, w *Wanted) *Wanted {
	vcpu, _ := v.Ledger.ClassID(placement.VCPU)
	pcpu, _ := v.Ledger.ClassID(placement.PCPU)
	var held, wants struct{ shared, pinned int64 }
	for h := range c.Held() {
		switch h.Class {
		case vcpu:
			held.shared += h.Used
		case pcpu:
			held.pinned += h.Used
		}
	}
	for _, want := range w.Classes {
		switch want.Class {
		case vcpu:
			wants.shared += want.Amount
		case pcpu:
			wants.pinned += want.Amount
		}
	}
	f, ok := v.Cloud.Nova().Flavor(w.Flavor)
	isolated := ok && f.IsolatesEmulator() && wants.pinned == 0 && held.pinned == wants.shared+1 && held.shared == 0
	if !isolated && (held.pinned == wants.pinned || held.shared+held.pinned != wants.shared+wants.pinned) {
		return nil
	}
	own := *w
	own.Classes = slices.DeleteFunc(slices.Clone(w.Classes), func(c ClassWanted) bool { return c.Class == vcpu || c.Class == pcpu })
	for _, add := range []ClassWanted{{Class: vcpu, Amount: held.shared}, {Class: pcpu, Amount: held.pinned}} {
		if add.Amount > 0 {
			own.Classes = append(own.Classes, add)
		}
	}
	return &own
}

// wantedOf is what instances of one flavor are to hold, by whether the root disk is a
// volume and the CPUs are asked for as VCPU.
type wantedOf [2][2]struct {
	known bool
	is    *Wanted
}

// wants looks a flavor up by its name alone: it is asked for every instance, and a key of
// several fields takes several times as long.
func (v *View) wants(flavor string, volume, unpinned bool) *Wanted {
	of := v.wanted[flavor]
	if of == nil {
		of = new(wantedOf)
		v.wanted[flavor] = of
	}
	w := &of[truth(volume)][truth(unpinned)]
	if !w.known {
		w.known, w.is = true, v.makeWanted(flavor, volume, unpinned)
	}
	return w.is
}

func truth(is bool) int {
	if is {
		return 1
	}
	return 0
}

func (v *View) makeWanted(flavor string, volume, unpinned bool) *Wanted {
	f, ok := v.Cloud.Nova().Flavor(flavor)
	if !ok {
		return nil
	}
	spec, err := ops.RequestSpecOf(v.Cloud, &nova.Instance{BootFromVolume: volume}, f)
	if err != nil {
		return nil // the flavor is no longer valid
	}
	spec.Unpinned = unpinned
	groups, err := nova.Amounts(spec)
	if err != nil {
		return nil
	}
	w := &Wanted{Flavor: flavor, ByAlias: f.ByAlias()}
	for _, g := range groups {
		for name, amount := range g.Amounts {
			id, ok := v.Ledger.ClassID(name)
			if !ok {
				return nil
			}
			c := w.at(id)
			c.Amount += amount
			switch g.Source.Owner() {
			case placement.OwnedByNova:
				c.Nova += amount
			case placement.OwnedByCyborg:
				c.Cyborg += amount
			default:
			}
		}
	}
	return w
}

// at returns the entry of a class, a new one if there is none.
func (w *Wanted) at(id placement.ClassID) *ClassWanted {
	for i := range w.Classes {
		if w.Classes[i].Class == id {
			return &w.Classes[i]
		}
	}
	w.Classes = append(w.Classes, ClassWanted{Class: id})
	return &w.Classes[len(w.Classes)-1]
}
