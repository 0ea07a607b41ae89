package audit

import (
	"slices"

	"github.com/placetop/placetop/model/internal/survey"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// holder is a consumer with what Nova's ledger says about it.
type holder struct {
	*placement.Consumer
	a        *auditor
	is       *nova.Instance  // with this uuid, nil for none; see instance
	moves    *nova.Migration // with this uuid, nil for none, and for an instance; see migration
	lone     int             // number of a child provider that it holds without its root, -1 if there is none
	split    bool            // it holds something in trees that do not share with one another
	mismatch mismatch        // how what it holds differs from its flavor
	wanted   *survey.Wanted  // what it is to hold, nil if unknown
}

// name returns the name of the instance, or the uuid of any other consumer.
func (h *holder) name() string {
	if h.is != nil {
		return h.is.Name
	}
	return h.ID().String()
}

// walkConsumers applies the rules to consumers. Nearly all consumers are instances that
// exist, run on one host, and hold there what their flavor asks for, including CPU or
// memory of the host if they hold a device. No rule finds anything about these; the rules
// are applied to the others.
func (a *auditor) walkConsumers(rules []*rule) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r *rule) bool { return r.consumer == nil })
	for c, i := range survey.Holders(a.Cloud) {
		if i != nil && (i.VMState == nova.Resized || c == nil && i.Live() && i.Host != "") {
			a.odd = append(a.odd, i)
		}
		if c == nil {
			continue
		}
		lone, split := a.spread(c)
		if i != nil && i.Live() && lone < 0 && !split && !a.offHost(c, i) {
			if how, _ := a.mismatchOf(c, i, nil); how == asWanted {
				continue
			}
		}
		a.ask(rules, a.holder(c, i, lone, split))
	}
}

// holder returns c with what Nova's ledger says about it.
func (a *auditor) holder(c *placement.Consumer, instance *nova.Instance, lone int, split bool) *holder {
	h := &holder{Consumer: c, a: a, is: instance, lone: lone, split: split}
	if instance == nil {
		h.moves, _ = a.Cloud.Nova().Migration(c.ID())
	}
	if instance == nil || instance.Live() {
		h.mismatch, h.wanted = a.mismatchOf(c, instance, h.moves)
	}
	return h
}

// ask applies rules to one consumer.
func (a *auditor) ask(rules []*rule, h *holder) {
	for _, r := range rules {
		a.begin(r)
		a.unsettled(h.ID())
		if h.moves != nil {
			a.unsettled(h.moves.Instance)
		}
		r.consumer(a, h)
	}
}

// spread says how what c holds is spread over trees. lone is the number of a provider
// that c holds below a root with CPU or memory of which it holds nothing, or -1 if there
// is none. split is set if it holds something in trees that do not share with each other.
func (a *auditor) spread(c *placement.Consumer) (lone int, split bool) {
	lone = -1
	own := -1 // number of the root of the first tree that is not a pool's
	shared := false
	last := -1
	for h := range c.Held() {
		n := h.Number
		if a.limits[n].refuses(h) {
			a.suspects[n] = true
		}
		if n == last {
			continue
		}
		last = n
		root := int(a.rootOf[n])
		if lone < 0 && root != n && !holdsOn(c, root) && a.servesInstances(root) {
			lone = n
		}
		switch {
		case a.Sharing.Has(n):
			shared = true
		case own < 0:
			own = root
		case own != root:
			split = true
		}
	}
	if !shared || own < 0 || split {
		return lone, split
	}
	for n := range c.ProviderNumbers() {
		if a.Sharing.Has(n) && int(a.rootOf[n]) != own && !a.serves(n, own) {
			return lone, true
		}
	}
	return lone, false
}

// offHost reports whether an instance holds something on hosts, but nothing on its own, or
// has none and is to hold nothing. Pools belong to no host.
func (a *auditor) offHost(c *placement.Consumer, i *nova.Instance) bool {
	if i.Host == "" {
		return i.Offloaded() || i.Failed() || a.neverPlaced(i)
	}
	elsewhere := false
	for n := range c.ProviderNumbers() {
		if a.Sharing.Has(n) {
			continue
		}
		if a.mayBeOn(i, int(a.rootOf[n])) {
			return false
		}
		elsewhere = true
	}
	return elsewhere
}

// mayBeOn reports whether an instance may be on the compute node with a root.
func (a *auditor) mayBeOn(i *nova.Instance, root int) bool {
	if i.Node == "" {
		return a.hostOf(root) == i.Host
	}
	id := a.Ledger.ProviderAt(root).ID()
	if a.Cloud.Nova().MayBeOn(i, id) {
		return true
	}
	_, known := a.Cloud.Nova().ComputeNode(id)
	return !known && a.hostOf(root) == i.Host // all that is known of it is its name
}

// serves reports whether the sharing provider of the given number serves the tree
// of a root: they have an aggregate in common.
func (a *auditor) serves(pool, root int) bool {
	key := uint64(pool)<<32 | uint64(root) // numbers of providers are not negative
	yes, known := a.served[key]
	if !known {
		p := a.Ledger.ProviderAt(pool)
		for _, q := range a.Ledger.Tree(a.Ledger.ProviderAt(root)) {
			yes = yes || slices.ContainsFunc(q.Aggregates(), p.InAggregate)
		}
		a.served[key] = yes
	}
	return yes
}

// holdsOn reports whether c has allocations on the provider with the given number.
func holdsOn(c *placement.Consumer, number int) bool {
	for n := range c.ProviderNumbers() {
		if n == number {
			return true
		}
	}
	return false
}

// servesInstances reports whether the provider with the given number has CPU or memory,
// so that every instance in its tree must hold some of it. The root of a tree that has
// them on its NUMA nodes does not.
func (a *auditor) servesInstances(root int) bool {
	return slices.ContainsFunc(a.serving, func(set placement.Set) bool { return set.Has(root) })
}
