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
	at    time.Time
	actor string
	note  string
	bulk  bulk
	write func(*world) error // decides on the world as it is then
	made  *cloud.Change      // decided already, for hosts of which no world knows
	guest *guest             // starts on such a host
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

func (f *fleet) add(e event) { f.events = append(f.events, &e) }

// merged is how many events share one Change at most.
const merged = 100_000

// tell yields the events as Changes, oldest first.
func (f *fleet) tell(yield func(cloud.Change) bool) {
	byTime := func(a, b *event) int { return a.at.Compare(b.at) }
	slices.SortStableFunc(f.events, byTime)
	if f.hosts > journaled {
		gather(f.events)
		slices.SortStableFunc(f.events, byTime)
	}
	w := newWorld(cloud.Empty())
	for rest := f.events; len(rest) > 0; {
		n := 1
		if f.hosts > journaled && rest[0].bulk != alone {
			for n < min(len(rest), merged) && rest[n].bulk == rest[0].bulk {
				n++
			}
		}
		if !yield(change(w, rest[:n])) {
			return
		}
		clear(rest[:n]) // what was told is not needed any more
		rest = rest[n:]
	}
}

// gather puts each run of launches that no world knows of off until the last of
// them, past the events that stand alone, so that few Changes hold them all.
func gather(events []*event) {
	var run []*event
	put := func() {
		for _, e := range run {
			e.at = run[len(run)-1].at
		}
		run = run[:0]
	}
	for _, e := range events {
		if e.guest == nil {
			continue
		}
		if run = append(run, e); len(run) == merged {
			put()
		}
	}
	put()
}

// change returns what events write as one Change, and takes w past them. An event
// that cannot happen is a mistake of this package: each is planned so that it can.
func change(w *world, events []*event) cloud.Change {
	first := events[0]
	c := cloud.Change{Actor: first.actor, Note: first.note, At: events[len(events)-1].at}
	if len(events) > 1 {
		c.Actor, c.Note = first.bulk.together(len(events))
	}
	var replace placement.ReplaceAllocations
	var landed []landing
	for _, e := range events {
		if e.write != nil {
			w.at = e.at
			if err := e.write(w); err != nil {
				panic(fmt.Sprintf("demo: %s: %s: %v", e.actor, e.note, err))
			}
			join(&c, w.take())
		}
		if e.made != nil {
			join(&c, *e.made)
		}
		if e.guest != nil {
			replace.Consumers = append(replace.Consumers, e.guest.claim())
			if h := e.guest.host; !h.landing {
				landed, h.landing = append(landed, landing{h, h.row}), true
			}
			e.guest.records(&c)
		}
	}
	for _, l := range landed {
		l.host.landing = false
		l.host.row = l.host.row.Edit(func(row *nova.ComputeNode) { row.Updated = c.At.UnixMilli() })
		c.PutRecords(versioned.Change{Before: l.was, After: l.host.row})
	}
	if len(replace.Consumers) > 0 {
		c.Ops = append(c.Ops, replace)
	}
	return c
}

// landing is a host on which instances land, and its row before.
type landing struct {
	host *host
	was  *nova.ComputeNode
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
