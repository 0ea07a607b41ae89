package audit

import (
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// wanted is what an instance of a flavor is to hold.
type wanted struct {
	flavor  string // ref
	classes []classWanted
	byAlias bool // it asks for PCI devices by alias too: of these the flavor does not say the class
}

// classWanted is how much of a class an instance is to hold, and of whom.
type classWanted struct {
	class        placement.ClassID
	amount       int64 // units of class, over all owners
	nova, cyborg int64 // the part of it that is to be Nova's, Cyborg's
}

// wantedKey is what wanted depends on.
type wantedKey struct {
	flavor string
	volume bool // the root disk is a volume
}

// wants returns what an instance of a flavor is to hold; nil where nobody can tell,
// as the flavor or its device profile is not known, or is wrong.
func (a *auditor) wants(flavor string, volume bool) *wanted {
	key := wantedKey{flavor, volume}
	w, known := a.wanted[key]
	if !known {
		w = a.makeWanted(key)
		a.wanted[key] = w
	}
	return w
}

func (a *auditor) makeWanted(key wantedKey) *wanted {
	f, ok := a.cloud.Nova().Flavor(key.flavor)
	if !ok {
		return nil
	}
	spec, err := ops.RequestSpecOf(a.cloud, &nova.Instance{BootFromVolume: key.volume}, f)
	if err != nil {
		return nil // the flavor cannot be asked for any more
	}
	groups, err := nova.Amounts(spec)
	if err != nil {
		return nil
	}
	w := &wanted{flavor: key.flavor, byAlias: f.ByAlias()}
	for _, g := range groups {
		for name, amount := range g.Amounts {
			id, ok := a.ledger.ClassID(name)
			if !ok {
				return nil
			}
			c := w.at(id)
			c.amount += amount
			switch g.Source.Owner() {
			case placement.OwnedByNova:
				c.nova += amount
			case placement.OwnedByCyborg:
				c.cyborg += amount
			default:
			}
		}
	}
	return w
}

// at returns the entry of a class, a new one where there is none.
func (w *wanted) at(id placement.ClassID) *classWanted {
	for i := range w.classes {
		if w.classes[i].class == id {
			return &w.classes[i]
		}
	}
	w.classes = append(w.classes, classWanted{class: id})
	return &w.classes[len(w.classes)-1]
}

// mismatch says how what is held departs from what is wanted.
type mismatch uint8

const (
	asWanted   mismatch = iota
	wrongOwner          // the right amounts, but of the wrong owner
	wrongSum            // other amounts
)

// compare says how what c holds departs from w.
func (a *auditor) compare(c *placement.Consumer, w *wanted) mismatch {
	var held [maxWanted]classWanted
	if len(w.classes) > maxWanted {
		return asWanted
	}
	for h := range c.Held() {
		i := 0
		for i < len(w.classes) && w.classes[i].class != h.Class {
			i++
		}
		if i == len(w.classes) {
			if a.mustBeWanted(h.Class, w) {
				return wrongSum
			}
			continue
		}
		held[i].amount += h.Used
		switch n, y := a.nova.Has(h.Number), a.cyborg.Has(h.Number); {
		case n == y:
		case n:
			held[i].nova += h.Used
		default:
			held[i].cyborg += h.Used
		}
	}
	out := asWanted
	for i, want := range w.classes {
		switch {
		case held[i].amount != want.amount:
			return wrongSum
		case a.accelerators.has(want.class) && (held[i].nova > want.nova || held[i].cyborg > want.cyborg):
			out = wrongOwner
		}
	}
	return out
}

// maxWanted is how many classes a flavor may ask for to be compared: more than any
// does.
const maxWanted = 16

// mustBeWanted reports whether a class is only held because a flavor asks for it.
// Others come of ports, volumes and PCI aliases.
func (a *auditor) mustBeWanted(id placement.ClassID, w *wanted) bool {
	if a.accelerators.has(id) {
		return !w.byAlias
	}
	switch a.ledger.ClassName(id) {
	case placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB:
		return true
	default:
		return false
	}
}

// mismatchOf says how what c holds departs from what its instance or migration is
// to hold. While a resize is under way an instance may hold what either flavor
// asks for.
func (a *auditor) mismatchOf(c *placement.Consumer, i *nova.Instance, m *nova.Migration) (mismatch, *wanted) {
	var refs [3]string
	volume := false
	switch {
	case i != nil:
		refs, volume = [3]string{i.Flavor, i.NewFlavor, i.OldFlavor}, i.BootFromVolume
	case m != nil && m.Status.UnderWay():
		moved, ok := a.cloud.Nova().Instance(m.Instance)
		if !ok {
			return asWanted, nil
		}
		refs, volume = [3]string{m.OldFlavor, "", ""}, moved.BootFromVolume
		if m.OldFlavor == "" && m.Type != nova.Resize {
			refs[0] = moved.Flavor
		}
	}
	worst, of := asWanted, (*wanted)(nil)
	for n, ref := range refs {
		if ref == "" {
			continue
		}
		w := a.wants(ref, volume)
		if w == nil {
			return asWanted, nil
		}
		how := a.compare(c, w)
		if how == asWanted {
			return asWanted, w
		}
		if n == 0 {
			worst, of = how, w
		}
	}
	return worst, of
}
