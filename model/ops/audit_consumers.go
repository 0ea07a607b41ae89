package ops

import (
	"iter"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// holder is a consumer with what Nova's ledger says of it.
type holder struct {
	*placement.Consumer
	instance  *nova.Instance  // nil where Nova knows no instance of this uuid
	migration *nova.Migration // nil where Nova knows no migration of this uuid, and where it is an instance
	lone      int             // number of a child provider that it holds without its root, -1 for none
}

// live reports whether the holder is an instance that exists.
func (h *holder) live() bool { return h.instance != nil && h.instance.VMState != nova.Deleted }

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
// instances that exist and hold of each host on which they hold a device some CPU
// or memory too. No rule has anything to say of these; the rules are asked about
// the others.
func (a *auditor) walkConsumers(rules []rule) {
	instances := newInstanceCursor(a.cloud.Nova())
	var (
		ids  [block]placement.ConsumerID
		lone [block]int
	)
	for consumers := range consumerBlocks(a.ledger) {
		for i, c := range consumers {
			ids[i] = c.ID()
		}
		for i, c := range consumers {
			lone[i] = a.loneChild(c)
		}
		for i, c := range consumers {
			instance, live := instances.find(ids[i])
			if live && lone[i] < 0 {
				continue
			}
			h := &holder{Consumer: c, instance: instance, lone: lone[i]}
			if instance == nil {
				h.migration, _ = a.cloud.Nova().Migration(c.ID())
			}
			for r := range rules {
				if rules[r].consumer != nil {
					a.rule = &rules[r].Rule
					rules[r].consumer(a, h)
				}
			}
		}
	}
}

// loneChild returns the number of a provider below a root with CPU or memory on
// which c holds something, while it holds nothing on that root; -1 where there is
// none.
func (a *auditor) loneChild(c *placement.Consumer) int {
	for n := range c.ProviderNumbers() {
		if root := int(a.rootOf[n]); root != n && !holdsOn(c, root) && a.servesInstances(root) {
			return n
		}
	}
	return -1
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
// of their uuids, which is the order in which both ledgers list them.
type instanceCursor struct {
	rest []*nova.Instance // by uuid
	ids  [block]placement.ConsumerID
	live [block]bool
	next int // in ids and live
	end  int
}

func newInstanceCursor(s *nova.Snapshot) *instanceCursor {
	c := &instanceCursor{rest: make([]*nova.Instance, 0, s.InstanceCount())}
	for i := range s.Instances() {
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
			return c.rest[c.next], c.live[c.next]
		case order > 0:
			return nil, false
		}
		c.next++
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
		c.live[i] = inst.VMState != nova.Deleted
	}
	return c.end > 0
}
