package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// event is one thing that happened to the cloud.
type event struct {
	at     time.Time
	actor  string
	note   string
	bulk   bulk
	ops    []placement.Op
	claims []claim
	nova   []versioned.Change
}

// bulk is a sort of events that may share a Change in a large cloud. The zero
// value is for events that stand alone.
type bulk int

const (
	alone bulk = iota
	firstNova
	firstCyborg
	firstNeutron
	tagRacks
	launches
)

// claim is what a consumer shall hold: nothing where it has no parts.
type claim struct {
	consumer placement.ConsumerID
	expect   placement.Expect
	typ      placement.ConsumerType
	project  string
	user     string
	parts    []part
}

// part is an amount of a class that a consumer holds on a provider.
type part struct {
	p     *provider
	class placement.ResourceClass
	n     int64
}

func (f *fleet) add(e event) { f.events = append(f.events, &e) }

// merged is how many events share one Change at most.
const merged = 20_000

// tell yields the events as Changes, oldest first.
func (f *fleet) tell(yield func(cloud.Change) bool) {
	byTime := func(a, b *event) int { return a.at.Compare(b.at) }
	slices.SortStableFunc(f.events, byTime)
	if f.hosts > journaled {
		gather(f.events)
		slices.SortStableFunc(f.events, byTime)
	}
	for rest := f.events; len(rest) > 0; {
		n := 1
		if f.hosts > journaled && rest[0].bulk != alone {
			for n < min(len(rest), merged) && rest[n].bulk == rest[0].bulk {
				n++
			}
		}
		if !yield(change(rest[:n])) {
			return
		}
		rest = rest[n:]
	}
}

// gather puts each run of launches off until the last of them, past the events
// that stand alone, so that few Changes hold them all.
func gather(events []*event) {
	var run []*event
	put := func() {
		for _, e := range run {
			e.at = run[len(run)-1].at
		}
		run = run[:0]
	}
	for _, e := range events {
		if e.bulk != launches {
			continue
		}
		if run = append(run, e); len(run) == merged {
			put()
		}
	}
	put()
}

// change returns events as one Change.
func change(events []*event) cloud.Change {
	first := events[0]
	c := cloud.Change{Actor: first.actor, Note: first.note, At: events[len(events)-1].at}
	if len(events) > 1 {
		c.Actor, c.Note = first.bulk.together(len(events))
	}
	var replace placement.ReplaceAllocations
	for _, e := range events {
		c.Placement = append(c.Placement, e.ops...)
		for _, cl := range e.claims {
			replace.Consumers = append(replace.Consumers, cl.placement())
		}
		c.Nova.Records = append(c.Nova.Records, e.nova...)
	}
	if len(replace.Consumers) > 0 {
		c.Placement = append(c.Placement, replace)
	}
	return c
}

// together returns actor and note of n events in one Change.
func (b bulk) together(n int) (actor, note string) {
	switch b {
	case firstNova:
		return "nova-compute", fmt.Sprintf("first reports of %d compute nodes", n)
	case firstCyborg:
		return "cyborg-agent", fmt.Sprintf("first reports of the cards of %d compute nodes", n)
	case firstNeutron:
		return "neutron-server", fmt.Sprintf("first reports of the bandwidth of %d compute nodes", n)
	case tagRacks:
		return "admin", fmt.Sprintf("tag the hosts of %d racks", n)
	default:
		return "nova-scheduler", fmt.Sprintf("claims of %d instances", n)
	}
}

// placement returns cl as it is written.
func (cl claim) placement() placement.Claim {
	out := placement.Claim{
		Consumer: cl.consumer, Generation: cl.expect, Type: cl.typ, Project: cl.project, User: cl.user,
	}
	if len(cl.parts) > 0 {
		out.Allocations = make(map[placement.ProviderID]map[placement.ResourceClass]int64, 2)
	}
	for _, p := range cl.parts {
		of := out.Allocations[p.p.id]
		if of == nil {
			of = make(map[placement.ResourceClass]int64, 3)
			out.Allocations[p.p.id] = of
		}
		of[p.class] += p.n
	}
	return out
}

// putInstance returns the change of an instance's record; either may be nil.
func putInstance(before, after *nova.Instance) versioned.Change {
	var c versioned.Change
	if before != nil {
		c.Before = before
	}
	if after != nil {
		c.After = after
	}
	return c
}

// putMigration is putInstance for migrations.
func putMigration(before, after *nova.Migration) versioned.Change {
	var c versioned.Change
	if before != nil {
		c.Before = before
	}
	if after != nil {
		c.After = after
	}
	return c
}
