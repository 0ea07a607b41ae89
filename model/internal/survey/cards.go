package survey

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// CardTree is a tree with accelerators.
type CardTree struct {
	Root   *placement.ResourceProvider
	Cards  []*placement.ResourceProvider // providers with accelerators, by name
	Cyborg []*placement.ResourceProvider // those of Cards that Cyborg owns and Nova does not
	OnRoot bool                          // the root has VGPU itself
	Below  bool                          // a provider below the root has VGPU
}

// CardTrees returns the trees with accelerators, by name of the root.
func (v *View) CardTrees() []*CardTree {
	if v.trees == nil {
		v.trees = v.makeCardTrees()
	}
	return v.trees
}

// CardTreeOf returns the tree of a provider, false if it has no accelerators.
func (v *View) CardTreeOf(p *placement.ResourceProvider) (*CardTree, bool) {
	t := &CardTree{Root: v.Ledger.Root(p)}
	for _, p := range v.Ledger.Tree(t.Root) {
		if _, has := v.Accelerators.Any(p); has {
			v.card(t, p)
		}
	}
	t.sort()
	return t, len(t.Cards) > 0
}

func (v *View) makeCardTrees() []*CardTree {
	trees := make([]*CardTree, v.Ledger.NumberBound()) // by number of the root
	var out []*CardTree
	for n := range v.withAccelerators() {
		p := v.Ledger.ProviderAt(n)
		t := trees[p.RootNumber()]
		if t == nil {
			t = &CardTree{Root: v.Ledger.Root(p)}
			trees[p.RootNumber()] = t
			out = append(out, t)
		}
		v.card(t, p)
	}
	for _, t := range out {
		t.sort()
	}
	slices.SortStableFunc(out, func(x, y *CardTree) int { return byName(x.Root, y.Root) })
	return out
}

// card adds a provider with accelerators to its tree.
func (v *View) card(t *CardTree, p *placement.ResourceProvider) {
	if _, has := v.Ledger.InventoryOf(p, placement.VGPU); has {
		t.OnRoot = t.OnRoot || p.IsRoot()
		t.Below = t.Below || !p.IsRoot()
	}
	t.Cards = append(t.Cards, p)
	if n := p.Number(); v.Cyborg.Has(n) && !v.Nova.Has(n) {
		t.Cyborg = append(t.Cyborg, p)
	}
}

func (t *CardTree) sort() {
	slices.SortStableFunc(t.Cards, byName)
	slices.SortStableFunc(t.Cyborg, byName)
}

func byName(x, y *placement.ResourceProvider) int { return cmp.Compare(x.Name(), y.Name()) }

// withAccelerators yields the numbers of the providers with an inventory of an
// accelerator class, ascending.
func (v *View) withAccelerators() iter.Seq[int] {
	var sets []placement.Set
	words := 0
	for id := range v.Ledger.Classes() {
		if v.Accelerators.Has(id) {
			set := v.Ledger.WithClass(id)
			sets, words = append(sets, set), max(words, set.Words())
		}
	}
	return func(yield func(int) bool) {
		for i := range words {
			word := uint64(0)
			for _, set := range sets {
				word |= set.Word(i)
			}
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// Mixed reports whether a request of Nova's that only asks the root for its owner
// may land on a card of Cyborg's in the tree.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func (v *View) Mixed(t *CardTree) bool { return len(t.Cyborg) > 0 && v.Nova.Has(t.Root.Number()) }
