package insight

import (
	"math/bits"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Unlike is how the traits of a provider differ from those of its siblings: providers
// with all of its classes that are roots, or children, and share, or do not, like it.
type Unlike struct {
	Siblings int // without the provider itself
	// Lacks are traits that it lacks and most siblings have; Alone those that it has and
	// few of them have. Both by how many siblings are otherwise, the most first.
	Lacks, Alone []placement.Trait
}

// With fewer than leastSiblings nothing is reported. Most is a share of mostShare or
// more, and few is 1 - mostShare or less.
const (
	leastSiblings = 4
	mostShare     = 0.9
)

// UnlikeSiblings compares the traits of a provider with those of its siblings. Owners are
// left out, as rules tell about them.
func UnlikeSiblings(s *placement.Snapshot, p *placement.ResourceProvider) Unlike {
	if len(p.Inventories()) == 0 {
		return Unlike{}
	}
	like := alike(s, p)
	n := -1 // itself
	for _, w := range like {
		n += bits.OnesCount64(w)
	}
	out := Unlike{Siblings: max(n, 0)}
	if n < leastSiblings {
		return out
	}
	type odd struct {
		trait placement.Trait
		share float64 // of the siblings that have it
	}
	var lacks, alone []odd
	for id, t := range s.Traits() {
		if t.IsOwner() {
			continue
		}
		have := 0
		set := s.WithTrait(id)
		for i, w := range like {
			have += bits.OnesCount64(w & set.Word(i))
		}
		has := p.HasTrait(id)
		if has {
			have--
		}
		share := float64(have) / float64(n)
		switch {
		case !has && share >= mostShare:
			lacks = append(lacks, odd{t, share})
		case has && share <= 1-mostShare:
			alone = append(alone, odd{t, share})
		}
	}
	names := func(odds []odd, sign float64) (out []placement.Trait) {
		slices.SortStableFunc(odds, func(a, b odd) int {
			switch d := sign * (a.share - b.share); {
			case d < 0:
				return -1
			case d > 0:
				return 1
			}
			return 0
		})
		for _, o := range odds {
			out = append(out, o.trait)
		}
		return out
	}
	out.Lacks, out.Alone = names(lacks, -1), names(alone, 1)
	return out
}

// alike returns the set of a provider and its siblings, as its words.
func alike(s *placement.Snapshot, p *placement.ResourceProvider) []uint64 {
	sharing, shares := placement.Set{}, s.Shares(p)
	if id, ok := s.TraitID(placement.SharesViaAggregate); ok {
		sharing = s.WithTrait(id)
	}
	like := make([]uint64, s.AllProviders().Words())
	for i := range like {
		w := s.AllProviders().Word(i)
		if roots := s.RootSet().Word(i); p.IsRoot() {
			w &= roots
		} else {
			w &^= roots
		}
		if pools := sharing.Word(i); shares {
			w &= pools
		} else {
			w &^= pools
		}
		for _, iu := range p.Inventories() {
			w &= s.WithClass(iu.Class).Word(i)
		}
		like[i] = w
	}
	return like
}

// mostSorts is how many sorts of providers with a trait are considered: those of one sort
// have the same classes.
const mostSorts = 16

// LackedBy returns the providers that lack a trait which most of their siblings have,
// in order. Owner traits are left out, as rules cover them.
func LackedBy(s *placement.Snapshot, id placement.TraitID) []*placement.ResourceProvider {
	if s.TraitName(id).IsOwner() {
		return nil
	}
	set := s.WithTrait(id)
	looked := make([]uint64, s.AllProviders().Words()) // siblings of those considered
	lack := make([]uint64, len(looked))
	sorts := 0
	for n := range set.All() {
		if looked[n/64]&(1<<(n%64)) != 0 || len(s.ProviderAt(n).Inventories()) == 0 {
			continue
		}
		if sorts++; sorts > mostSorts {
			break
		}
		like := alike(s, s.ProviderAt(n))
		all, have := 0, 0
		for i, w := range like {
			all += bits.OnesCount64(w)
			have += bits.OnesCount64(w & set.Word(i))
			looked[i] |= w
		}
		if siblings := all - 1; siblings < leastSiblings || float64(have) < mostShare*float64(siblings) {
			continue
		}
		for i, w := range like {
			lack[i] |= w &^ set.Word(i)
		}
	}
	var out []*placement.ResourceProvider
	for i, w := range lack {
		for ; w != 0; w &= w - 1 {
			out = append(out, s.ProviderAt(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}

// Elsewhere is where there is room on similar accelerators: of the same class, with
// the same traits but for owners, on hosts that are not disabled.
type Elsewhere struct {
	WithRoom int  // how many have some
	More     bool // not all were looked at
	Best     *placement.ResourceProvider
	Free     int64 // of Best, which has the most
}

// mostAlike is how many accelerators are considered: a cloud may have thousands alike.
const mostAlike = 500

// RoomElsewhere looks for accelerators like p, nearest first. It is false if p is not
// one.
func RoomElsewhere(s *placement.Snapshot, p *placement.ResourceProvider) (Elsewhere, bool) {
	var out Elsewhere
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
