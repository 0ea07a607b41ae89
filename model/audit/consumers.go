package audit

import (
	"iter"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// holder is a consumer with what Nova's ledger says of it.
type holder struct {
	*placement.Consumer
	instance  *nova.Instance  // nil where Nova knows no instance of this uuid
	migration *nova.Migration // nil where Nova knows no migration of this uuid, and where it is an instance
	lone      int             // number of a child provider that it holds without its root, -1 for none
	split     bool            // it holds something in trees that do not share with one another
	mismatch  mismatch        // how what it holds departs from its flavor
	wanted    *wanted         // what it is to hold, nil where nobody can tell
}

// live reports whether the holder is an instance that exists.
func (h *holder) live() bool { return h.instance != nil && h.instance.Live() }

// isMigration reports whether the holder is, or was, a migration.
func (h *holder) isMigration() bool {
	return h.instance == nil && (h.migration != nil || h.Type() == placement.MigrationConsumer)
}

// isMigration reports whether a consumer is a migration: it is typed so, or Nova's
// ledger says that it is, as a real Nova leaves the type out.
func (a *auditor) isMigration(c *placement.Consumer) bool {
	switch c.Type() {
	case placement.MigrationConsumer:
		return true
	case placement.InstanceConsumer:
		return false
	default:
		_, known := a.cloud.Nova().Migration(c.ID())
		return known
	}
}

// name returns the name of the instance, or the uuid of any other consumer.
func (h *holder) name() string {
	if h.instance != nil {
		return h.instance.Name
	}
	return h.ID().String()
}

// block is how many consumers are looked at together. Consumers lie all over the
// memory; loops that do one small thing to many of them let the processor fetch
// several at a time, which is most of the time that a walk over all takes.
const block = 256

// consumerBlocks yields all consumers by uuid, some at a time. The slice is good
// until the next is asked for.
func consumerBlocks(s *placement.Snapshot) iter.Seq[[]*placement.Consumer] {
	return func(yield func([]*placement.Consumer) bool) {
		var of [block]*placement.Consumer
		n := 0
		for c := range s.Consumers() {
			of[n] = c
			if n++; n == block {
				if !yield(of[:]) {
					return
				}
				n = 0
			}
		}
		if n > 0 {
			yield(of[:n])
		}
	}
}

// walkConsumers asks the rules about consumers. Nearly all consumers are
// instances that exist, hold what their flavor asks for, on one host, and of each
// host on which they hold a device some CPU or memory too, and run on that host. No
// rule has anything to say of these; the rules are asked about the others.
func (a *auditor) walkConsumers(rules []rule) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r rule) bool { return r.consumer == nil })
	instances := newInstanceCursor(a)
	var (
		ids   [block]placement.ConsumerID
		lone  [block]int
		split [block]bool
	)
	for consumers := range consumerBlocks(a.ledger) {
		for i, c := range consumers {
			ids[i] = c.ID()
		}
		for i, c := range consumers {
			lone[i], split[i] = a.spread(c)
		}
		for i, c := range consumers {
			instance, live := instances.find(ids[i])
			if live && lone[i] < 0 && !split[i] && !a.offHost(c, instance) {
				if how, _ := a.mismatchOf(c, instance, nil); how == asWanted {
					continue
				}
			}
			a.ask(rules, a.holder(c, instance, lone[i], split[i]))
		}
	}
	instances.finish()
}

// holder returns c with what Nova's ledger says of it.
func (a *auditor) holder(c *placement.Consumer, instance *nova.Instance, lone int, split bool) *holder {
	h := &holder{Consumer: c, instance: instance, lone: lone, split: split}
	if instance == nil {
		h.migration, _ = a.cloud.Nova().Migration(c.ID())
	}
	if instance == nil || instance.Live() {
		h.mismatch, h.wanted = a.mismatchOf(c, instance, h.migration)
	}
	return h
}

// ask asks rules about one consumer.
func (a *auditor) ask(rules []rule, h *holder) {
	for r := range rules {
		a.rule = &rules[r].Rule
		rules[r].consumer(a, h)
	}
}

// spread says how what c holds is spread over trees: the number of a provider
// below a root with CPU or memory on which c holds something, while it holds
// nothing on that root, -1 where there is none; and whether it holds something in
// trees that do not share with one another.
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
		case a.sharing.Has(n):
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
		if a.sharing.Has(n) && int(a.rootOf[n]) != own && !a.serves(n, own) {
			return lone, true
		}
	}
	return lone, false
}

// offHost reports whether an instance holds something of hosts, and nothing of its
// own. Pools are of no host.
func (a *auditor) offHost(c *placement.Consumer, i *nova.Instance) bool {
	if i.Host == "" {
		return false
	}
	elsewhere := false
	for n := range c.ProviderNumbers() {
		if a.sharing.Has(n) {
			continue
		}
		if a.hostOf(int(a.rootOf[n])) == i.Host {
			return false
		}
		elsewhere = true
	}
	return elsewhere
}

// hostOf returns the name of the host whose root has that number.
func (a *auditor) hostOf(root int) string {
	a.tables()
	if a.hosts[root] == "" {
		a.hosts[root] = ops.HostOf(a.cloud, a.ledger.ProviderAt(root))
	}
	return a.hosts[root]
}

// serves reports whether the sharing provider of the given number serves the tree
// of a root: they have an aggregate in common.
func (a *auditor) serves(pool, root int) bool {
	key := uint64(pool)<<32 | uint64(root) //nolint:gosec // numbers of providers are not negative
	yes, known := a.served[key]
	if !known {
		p := a.ledger.ProviderAt(pool)
		for _, q := range a.ledger.Tree(a.ledger.ProviderAt(root)) {
			yes = yes || slices.ContainsFunc(q.Aggregates(), p.InAggregate)
		}
		a.served[key] = yes
	}
	return yes
}

// holdsOn reports whether c has allocations on the provider of that number.
func holdsOn(c *placement.Consumer, number int) bool {
	for n := range c.ProviderNumbers() {
		if n == number {
			return true
		}
	}
	return false
}

// servesInstances reports whether the provider of that number has CPU or memory,
// so that every instance of its tree must hold some of it. The root of a tree
// that has them on its NUMA nodes does not.
func (a *auditor) servesInstances(root int) bool {
	for _, set := range a.serving {
		if set.Has(root) {
			return true
		}
	}
	return false
}

// instanceCursor finds the instances of consumers that are asked for in the order
// of their uuids, which is the order in which both ledgers list them. On the way it
// notes which instances hold nothing, and which wait to be confirmed.
type instanceCursor struct {
	a    *auditor
	rest []*nova.Instance // by uuid
	ids  [block]placement.ConsumerID
	live [block]bool
	next int // in ids and live
	end  int
}

func newInstanceCursor(a *auditor) *instanceCursor {
	c := &instanceCursor{a: a, rest: make([]*nova.Instance, 0, a.cloud.Nova().InstanceCount())}
	for i := range a.cloud.Nova().Instances() {
		c.rest = append(c.rest, i)
	}
	return c
}

// find returns the instance of the given uuid, nil where there is none, and
// whether it exists, not being deleted. Ids must be asked for in ascending order.
func (c *instanceCursor) find(id placement.ConsumerID) (*nova.Instance, bool) {
	for {
		if c.next == c.end && !c.load() {
			return nil, false
		}
		switch order := c.ids[c.next].Compare(id); {
		case order == 0:
			c.next++
			return c.rest[c.next-1], c.live[c.next-1]
		case order > 0:
			return nil, false
		}
		c.pass()
	}
}

// pass goes past an instance that no consumer stands for.
func (c *instanceCursor) pass() {
	if i := c.rest[c.next]; c.live[c.next] && i.Host != "" && i.VMState != nova.Resized {
		c.a.odd = append(c.a.odd, i)
	}
	c.next++
}

// finish goes past the instances after the last consumer.
func (c *instanceCursor) finish() {
	for c.next < c.end || c.load() {
		c.pass()
	}
}

// load looks at the next block of instances, and returns false where there is
// none.
func (c *instanceCursor) load() bool {
	c.rest = c.rest[c.end:]
	c.next, c.end = 0, min(block, len(c.rest))
	for i, inst := range c.rest[:c.end] {
		c.ids[i] = inst.UUID
	}
	for i, inst := range c.rest[:c.end] {
		c.live[i] = inst.Live()
		if inst.VMState == nova.Resized {
			c.a.odd = append(c.a.odd, inst)
		}
	}
	return c.end > 0
}
