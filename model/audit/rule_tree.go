package audit

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// cardTree is a tree with accelerators.
type cardTree struct {
	root   *placement.ResourceProvider
	cards  []*placement.ResourceProvider // providers with accelerators, by name
	cyborg []*placement.ResourceProvider // those of cards that Cyborg owns and Nova does not
	onRoot bool                          // the root has VGPU itself
	below  bool                          // a provider below the root has VGPU
}

// cardTrees returns the trees with accelerators, by name of the root.
func (a *auditor) cardTrees() []*cardTree {
	if a.trees == nil {
		a.trees = a.makeCardTrees()
	}
	return a.trees
}

func (a *auditor) makeCardTrees() []*cardTree {
	vgpu, _ := a.ledger.ClassID(placement.VGPU)
	trees := make([]*cardTree, a.ledger.NumberBound()) // by number of the root
	var out []*cardTree
	for n := range a.withAccelerators() {
		p := a.ledger.ProviderAt(n)
		t := trees[p.RootNumber()]
		if t == nil {
			t = &cardTree{root: a.ledger.Root(p)}
			trees[p.RootNumber()] = t
			out = append(out, t)
		}
		if _, has := p.Inventory(vgpu); has {
			t.onRoot = t.onRoot || p.IsRoot()
			t.below = t.below || !p.IsRoot()
		}
		t.cards = append(t.cards, p)
		if a.cyborg.Has(n) && !a.nova.Has(n) {
			t.cyborg = append(t.cyborg, p)
		}
	}
	byName := func(x, y *placement.ResourceProvider) int { return cmp.Compare(x.Name(), y.Name()) }
	for _, t := range out {
		slices.SortFunc(t.cards, byName)
		slices.SortFunc(t.cyborg, byName)
	}
	slices.SortFunc(out, func(x, y *cardTree) int { return byName(x.root, y.root) })
	return out
}

// withAccelerators yields the numbers of the providers with an inventory of an
// accelerator class, ascending.
func (a *auditor) withAccelerators() iter.Seq[int] {
	var sets []placement.Set
	words := 0
	for id := range a.ledger.Classes() {
		if a.accelerators.has(id) {
			set := a.ledger.WithClass(id)
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

// mixed reports whether a request of Nova's that only asks the root for its owner
// may land on a card of Cyborg's in the tree.
//
// Source: nova/scheduler/request_filter.py, owner_nova_filter.
func (a *auditor) mixed(t *cardTree) bool { return len(t.cyborg) > 0 && a.nova.Has(t.root.Number()) }

// mixedHost finds hosts of both services on which a request of Nova's may land on
// a card of Cyborg's, because the owner filter only looks at roots, or is off.
func mixedHost() rule {
	return rule{
		Rule: Rule{
			ID: RuleMixedHost, Title: "mixed host", Severity: Warning,
			Why:    "A flavor that asks Nova for a VGPU may be given one of Cyborg's here, with the owner filter as it is set.",
			Advice: "Let the owner filter ask every request group for its owner, or keep the cards of a host with one service.",
		},
		cloud: func(a *auditor) {
			if form, _ := a.cloud.Nova().Config().OwnerInForce(); form == nova.OwnerOnGroups {
				return
			}
			for _, t := range a.cardTrees() {
				if !a.mixed(t) {
					continue
				}
				f := Finding{Provider: t.root.ID(), Subject: t.root.Name()}
				for _, p := range t.cyborg {
					f.Others = append(f.Others, p.ID())
				}
				f.Text = fmt.Sprintf("is Nova's, and has %s of Cyborg's below it", words.Count(len(t.cyborg), "provider"))
				a.found(f)
			}
		},
		fixes: filterFixes,
	}
}

// vgpuTwice finds hosts with VGPU on the root and on a card below it, which is
// what is left where the move of the inventory to the cards was not finished.
//
// Source: nova/virt/libvirt/driver.py, _ensure_traits_for_vgpu and
// _update_provider_tree_for_vgpu.
func vgpuTwice() rule {
	return rule{
		Rule: Rule{
			ID: RuleVGPUTwice, Title: "VGPU on root and card", Severity: Critical,
			Why:    "The virtual GPUs of the host count twice.",
			Advice: "Move the allocations of the root to the cards, then remove the inventory of the root.",
		},
		cloud: func(a *auditor) {
			vgpu, _ := a.ledger.ClassID(placement.VGPU)
			for _, t := range a.cardTrees() {
				if !t.onRoot || !t.below {
					continue
				}
				iu, _ := t.root.Inventory(vgpu)
				a.found(Finding{
					Provider: t.root.ID(), Class: placement.VGPU, Subject: t.root.Name(),
					Text: fmt.Sprintf("has VGPU %d/%d itself, and more on the cards below it", iu.Used, iu.Capacity()),
				})
			}
		},
		fixes: unusedInventoryFixes,
	}
}

// noAccelerators finds compute nodes with cards of Cyborg's that Nova does not
// know how to attach.
//
// Source: nova/scheduler/request_filter.py, accelerators_filter.
func noAccelerators() rule {
	return rule{
		Rule: Rule{
			ID: RuleNoAccelerators, Title: "compute without accelerators", Severity: Warning,
			Why:    "Flavors with a device profile never land here, though the cards are here.",
			Advice: "Upgrade or enable nova-compute, which sets COMPUTE_ACCELERATORS at its next report.",
		},
		cloud: func(a *auditor) {
			able, computes := a.ledger.Having(placement.ComputeAccelerators), a.ledger.Having(placement.ComputeNode)
			for _, t := range a.cardTrees() {
				n := t.root.Number()
				if len(t.cyborg) == 0 || !computes.Has(n) || able.Has(n) {
					continue
				}
				a.found(Finding{
					Provider: t.root.ID(), Subject: t.root.Name(),
					Text: fmt.Sprintf("has %s of Cyborg's below it and lacks COMPUTE_ACCELERATORS", words.Count(len(t.cyborg), "provider")),
				})
			}
		},
		fixes: rootTraitFix(placement.ComputeAccelerators),
	}
}
