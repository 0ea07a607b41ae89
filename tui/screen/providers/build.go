package providers

import (
	"cmp"
	"slices"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/panel"
)

// order is what rows are sorted by.
type order uint8

const (
	byName order = iota
	byUsed
	byFree
	byOwner
	byGeneration
	orders
)

// String returns the order as the crumb line shows it.
func (o order) String() string {
	return [...]string{"name", "used%", "free", "owner", "gen"}[o]
}

// column returns the key of the column that an order goes by.
func (o order) column() string { return o.String() }

// down reports whether an order starts with the greatest: what is full, has room
// or was written most is looked for.
func (o order) down() bool { return o == byUsed || o == byFree || o == byGeneration }

// builder is a list in the making.
type builder struct {
	*listing
	s            *placement.Snapshot
	folds        folds
	nova, cyborg placement.Set
}

// resolve looks up what is known by name only.
func (b *builder) resolve() {
	b.class = panel.ClassID(b.s, b.wish.class)
	b.resolveOwners()
}

func (b *builder) resolveOwners() {
	if id, ok := b.s.TraitID(placement.OwnerNova); ok {
		b.nova = b.s.WithTrait(id)
	}
	if id, ok := b.s.TraitID(placement.OwnerCyborg); ok {
		b.cyborg = b.s.WithTrait(id)
	}
}

// owner is Snapshot.Owner for many providers.
func (b *builder) owner(number uint32) placement.Owner {
	switch n, c := b.nova.Has(int(number)), b.cyborg.Has(int(number)); {
	case n && c:
		return placement.OwnedByBoth
	case n:
		return placement.OwnedByNova
	case c:
		return placement.OwnedByCyborg
	}
	return placement.OwnedByNone
}

func (b *builder) flat() {
	numbers := make([]uint32, 0, b.matched)
	for _, n := range b.ix.numbers {
		if b.match[n] {
			numbers = append(numbers, n)
		}
	}
	b.order(numbers, false)
	b.rows = make([]row, len(numbers))
	for i, n := range numbers {
		b.rows[i] = row{number: n}
	}
}

func (b *builder) tree() {
	// wanted: matches and everything above them.
	b.wanted = b.match
	if b.matched < len(b.ix.numbers) {
		b.wanted = slices.Clone(b.match)
		for n, ok := range b.match {
			if !ok {
				continue
			}
			for up, ok := b.s.ProviderAt(n).ParentNumber(); ok && !b.wanted[up]; up, ok = b.s.ProviderAt(up).ParentNumber() {
				b.wanted[up] = true
			}
		}
	}
	var roots []uint32
	for _, n := range b.ix.numbers {
		if b.wanted[n] && b.s.ProviderAt(int(n)).IsRoot() {
			roots = append(roots, n)
		}
	}
	b.order(roots, true)
	b.rows = make([]row, 0, len(b.ix.numbers))
	for _, n := range roots {
		b.walk(n, 0, 0, false)
	}
}

// walk appends the rows of a provider and all below it. Bits of last below depth
// are those of the providers above.
func (b *builder) walk(n uint32, depth uint32, last uint64, final bool) {
	r := row{number: n, depth: depth, last: last, dim: !b.match[n]}
	if final {
		r.last |= 1 << r.bit()
	}
	all := b.ix.children(n)
	kids := all
	for i, k := range all { // nearly always all are wanted
		if !b.wanted[k] {
			kids = slices.Clone(all[:i])
			for _, k := range all[i:] {
				if b.wanted[k] {
					kids = append(kids, k)
				}
			}
			break
		}
	}
	if len(kids) == 0 {
		b.rows = append(b.rows, r)
		return
	}
	if b.folds[b.s.ProviderAt(int(n)).ID()] {
		r.fold = component.FoldClosed
		r.below = b.below(n)
		b.rows = append(b.rows, r)
		return
	}
	r.fold = component.FoldOpen
	b.rows = append(b.rows, r)
	if b.wish.sort != byName || b.wish.desc {
		kids = slices.Clone(kids)
		b.order(kids, true)
	}
	for i, k := range kids {
		b.walk(k, depth+1, r.last, i == len(kids)-1)
	}
}

// below counts what a folded provider hides.
func (b *builder) below(n uint32) uint32 {
	count := uint32(0)
	for _, k := range b.ix.children(n) {
		if b.wanted[k] {
			count += 1 + b.below(k)
		}
	}
	return count
}

// load returns how much of the class a provider has, with all below it where deep
// is set, and whether any does.
func (b *builder) load(n uint32, deep bool) (component.Load, bool) {
	p := b.s.ProviderAt(int(n))
	var sum component.Load
	iu, any := p.Inventory(b.class)
	if any {
		sum = panel.Load(b.s, p, iu)
	}
	if deep {
		for _, k := range b.ix.children(n) {
			if l, ok := b.load(k, true); ok {
				sum, any = panel.Sum(sum, l), true
			}
		}
	}
	return sum, any
}

// order sorts numbers, which come by name, by the wish. Ties stay by name.
// Providers without the class stand at the end, whichever way the order goes.
func (b *builder) order(numbers []uint32, deep bool) {
	var key func(uint32) (float64, bool)
	switch b.wish.sort {
	case byUsed:
		key = func(n uint32) (float64, bool) {
			l, ok := b.load(n, deep)
			switch {
			case l.Over():
				return 2, ok
			case l.Capacity <= 0:
				return 0, ok
			}
			return float64(l.Used) / float64(l.Capacity), ok
		}
	case byFree:
		key = func(n uint32) (float64, bool) {
			l, ok := b.load(n, deep)
			return float64(l.Free()), ok
		}
	case byOwner:
		key = func(n uint32) (float64, bool) { return float64(b.owner(n)), true }
	case byGeneration:
		key = func(n uint32) (float64, bool) { return float64(b.s.ProviderAt(int(n)).Generation()), true }
	default:
		if b.wish.desc {
			slices.Reverse(numbers)
		}
		return
	}
	type keyed struct {
		key float64
		n   uint32
		has bool
	}
	ks := make([]keyed, len(numbers))
	for i, n := range numbers {
		k, has := key(n)
		ks[i] = keyed{k, n, has}
	}
	slices.SortStableFunc(ks, func(x, y keyed) int {
		switch {
		case x.has != y.has:
			if x.has {
				return -1
			}
			return 1
		case b.wish.desc:
			return cmp.Compare(y.key, x.key)
		}
		return cmp.Compare(x.key, y.key)
	})
	for i, k := range ks {
		numbers[i] = k.n
	}
}
