package insight

import (
	"math/bits"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// SpareCapacity is where there is room on similar accelerators: of the same class, with
// the same traits but for owners, on hosts that are not disabled.
type SpareCapacity struct {
	WithRoom int  // how many have some
	More     bool // not all were looked at
	Best     *placement.ResourceProvider
	Free     int64 // of Best, which has the most
}

// mostAlike is how many accelerators are considered: a cloud may have thousands alike.
const mostAlike = 500

// FindSpareCapacity looks for accelerators like p, nearest first. It is false if p is not
// one.
func FindSpareCapacity(s *placement.Snapshot, p *placement.ResourceProvider) (SpareCapacity, bool) {
	var out SpareCapacity
	i := slices.IndexFunc(p.Inventories(), func(iu placement.InventoryUsage) bool { return s.ClassName(iu.Class).IsAccelerator() })
	if i < 0 {
		return out, false
	}
	class := p.Inventories()[i].Class
	sets := []placement.Set{s.WithClass(class)}
	for _, t := range p.TraitIDs() {
		if !s.TraitName(t).IsOwner() {
			sets = append(sets, s.WithTrait(t))
		}
	}
	disabled := s.Having(placement.ComputeStatusDisabled)
	seen, words := 0, s.AllProviders().Words()
	for k := range words {
		at := (p.Number()/64 + k) % words
		w := s.AllProviders().Word(at)
		for _, set := range sets {
			w &= set.Word(at)
		}
		for ; w != 0; w &= w - 1 {
			q := s.ProviderAt(at*64 + bits.TrailingZeros64(w))
			if q.Number() == p.Number() {
				continue
			}
			if seen++; seen > mostAlike {
				out.More = true
				return out, true
			}
			iu, _ := q.Inventory(class)
			if free := iu.Capacity() - iu.Used; free > 0 && !disabled.Has(q.RootNumber()) {
				out.WithRoom++
				if free > out.Free {
					out.Best, out.Free = q, free
				}
			}
		}
	}
	return out, true
}
