package survey

import (
	"iter"
	"slices"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Block is how many consumers are looked at together. Consumers lie all over the
// memory; loops that do one small thing to many of them let the processor fetch
// several at a time, which is most of the time that a walk over all takes.
const Block = 256

// Blocks yields all consumers by uuid, some at a time. The slice is good
// until the next is asked for.
func Blocks(s *placement.Snapshot) iter.Seq[[]*placement.Consumer] {
	return func(yield func([]*placement.Consumer) bool) {
		var of [Block]*placement.Consumer
		n := 0
		for c := range s.Consumers() {
			of[n] = c
			if n++; n == Block {
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

// IsMigration reports whether a consumer is a migration: it is typed so, or Nova's
// ledger says that it is, as a real Nova leaves the type out.
func (v *View) IsMigration(c *placement.Consumer) bool {
	switch c.Type() {
	case placement.MigrationConsumer:
		return true
	case placement.InstanceConsumer:
		return false
	default:
		_, known := v.Cloud.Nova().Migration(c.ID())
		return known
	}
}

// InstanceCursor finds the instances of consumers that are asked for in the order
// of their uuids, which is the order in which both ledgers list them. On the way it
// notes which instances hold nothing, and which wait to be confirmed.
type InstanceCursor struct {
	Odd []*nova.Instance // that run and hold nothing, or wait to be confirmed

	rest []*nova.Instance // by uuid
	ids  [Block]placement.ConsumerID
	live [Block]bool
	next int // in ids and live
	end  int
}

// NewInstanceCursor returns a cursor before the first instance of n.
func NewInstanceCursor(n *nova.Snapshot) *InstanceCursor {
	c := &InstanceCursor{rest: make([]*nova.Instance, 0, n.InstanceCount())}
	c.rest = slices.AppendSeq(c.rest, n.Instances())
	return c
}

// Find returns the instance of the given uuid, or nil if there is none, and
// whether it exists, not being deleted. Ids must be asked for in ascending order.
func (c *InstanceCursor) Find(id placement.ConsumerID) (*nova.Instance, bool) {
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

// pass moves past an instance that has no consumer.
func (c *InstanceCursor) pass() {
	if i := c.rest[c.next]; c.live[c.next] && i.Host != "" && i.VMState != nova.Resized {
		c.Odd = append(c.Odd, i)
	}
	c.next++
}

// Finish goes past the instances after the last consumer.
func (c *InstanceCursor) Finish() {
	for c.next < c.end || c.load() {
		c.pass()
	}
}

// load reads the next block of instances; it returns false if there is none.
func (c *InstanceCursor) load() bool {
	c.rest = c.rest[c.end:]
	c.next, c.end = 0, min(Block, len(c.rest))
	for i, inst := range c.rest[:c.end] {
		c.ids[i] = inst.UUID
	}
	for i, inst := range c.rest[:c.end] {
		c.live[i] = inst.Live()
		if inst.VMState == nova.Resized {
			c.Odd = append(c.Odd, inst)
		}
	}
	return c.end > 0
}
