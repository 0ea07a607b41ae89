package audit

import (
	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// mismatch says how what is held differs from what is wanted.
type mismatch uint8

const (
	asWanted   mismatch = iota
	wrongOwner          // the right amounts, but of the wrong owner
	wrongSum            // other amounts
)

// compare says how what c holds differs from w.
func (a *auditor) compare(c *placement.Consumer, w *survey.Wanted) mismatch {
	var held [maxWanted]survey.ClassWanted
	if len(w.Classes) > maxWanted {
		return asWanted
	}
	for h := range c.Held() {
		i := 0
		for i < len(w.Classes) && w.Classes[i].Class != h.Class {
			i++
		}
		if i == len(w.Classes) {
			if a.mustBeWanted(h.Class, w) {
				return wrongSum
			}
			continue
		}
		held[i].Amount += h.Used
		switch n, y := a.Nova.Has(h.Number), a.Cyborg.Has(h.Number); {
		case n == y:
		case n:
			held[i].Nova += h.Used
		default:
			held[i].Cyborg += h.Used
		}
	}
	out := asWanted
	for i, want := range w.Classes {
		switch {
		case held[i].Amount != want.Amount:
			return wrongSum
		case a.Accelerators.Has(want.Class) && (held[i].Nova > want.Nova || held[i].Cyborg > want.Cyborg):
			out = wrongOwner
		}
	}
	return out
}

// maxWanted is up to how many classes of a flavor are compared, more than any has.
const maxWanted = 16

// mustBeWanted reports whether a class is only held because a flavor asks for it. Others
// come from ports, volumes and PCI aliases.
func (a *auditor) mustBeWanted(id placement.ClassID, w *survey.Wanted) bool {
	if a.Accelerators.Has(id) {
		return !w.ByAlias
	}
	switch a.Ledger.ClassName(id) {
	case placement.VCPU, placement.PCPU, placement.MemoryMB, placement.DiskGB:
		return true
	default:
		return false
	}
}

// mismatchOf says how what c holds differs from what its instance or migration is to
// hold. During a resize an instance may hold what either flavor asks for.
func (a *auditor) mismatchOf(c *placement.Consumer, i *nova.Instance, m *nova.Migration) (mismatch, *survey.Wanted) {
	var refs [3]string
	volume := false
	switch {
	case i != nil:
		refs, volume = [3]string{i.Flavor, i.NewFlavor, i.OldFlavor}, i.BootFromVolume
	case m != nil && m.Status.UnderWay():
		moved, ok := a.Cloud.Nova().Instance(m.Instance)
		if !ok {
			return asWanted, nil
		}
		refs, volume = [3]string{m.OldFlavor, "", ""}, moved.BootFromVolume
		if m.OldFlavor == "" && m.Type != nova.Resize {
			refs[0] = moved.Flavor
		}
	}
	worst, of := asWanted, (*survey.Wanted)(nil)
	for n, ref := range refs {
		if ref == "" {
			continue
		}
		w := a.WantsOn(c, ref, volume)
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
