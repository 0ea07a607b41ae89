package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// event is one event in the past of the cloud.
type event struct {
	at    time.Time
	actor string
	note  string
	bulk  bulk
	write func(*world) error           // decides on the world as it is then
	far   func() (cloud.Change, error) // decides for far hosts
	guest *guest                       // starts on a far host
}

// bulk is a sort of events that may share a Change in a large cloud. The zero value is
// for events with their own Change.
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

// How many events share one Change at most. Most events are the starts of instances on
// far hosts: they are grouped by host, and a Change has all those on some hosts, about
// landing in number. Smaller Changes can be made, decided and stored concurrently, and
// need less memory.
const (
	landing   = 5_000
	reporters = 2_500 // hosts that report, or are tagged, in one Change
)

// tell yields the events added since its last call as Changes, oldest first, and applies
// them to w. It returns false if yield did.
func (f *fleet) tell(w *world, yield func(cloud.Change) bool) bool {
	byTime := func(a, b *event) int { return a.at.Compare(b.at) }
	slices.SortStableFunc(f.events, byTime)
	if f.hosts > journaled {
		gather(f.events)
		slices.SortStableFunc(f.events, byTime)
	}
	for rest := f.events; len(rest) > 0; {
		n := 1
		if f.hosts > journaled && rest[0].bulk != alone {
			for n < len(rest) && rest[n].bulk == rest[0].bulk && !rest[n].apart(n, rest[n-1]) {
				n++
			}
		}
		if !yield(change(w, rest[:n])) {
			return false
		}
		clear(rest[:n]) // no longer needed
		rest = rest[n:]
	}
	f.events = nil
	return true
}

// apart reports whether a Change that already has n events, the last of which is before,
// is to end without e.
func (e *event) apart(n int, before *event) bool {
	switch {
	case e.bulk == tagRacks:
		return n >= reporters/rackSize
	case e.guest == nil:
		return n >= reporters
	}
	if before.guest == nil {
		return n >= landing
	}
	return !e.at.Equal(before.at) || n >= landing && before.guest.host != e.guest.host
}

// gather moves launches on far hosts past the events with their own Change, so that few
// Changes have them all. They are sorted by host, and their instances get the uuids of
// all in order, so that the records of a Change are adjacent wherever records are
// kept by key.
func gather(events []*event) {
	var at []int // of the launches, in events
	for i, e := range events {
		if e.guest != nil {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return
	}
	run, ids := make([]*event, len(at)), make([]placement.ConsumerID, len(at))
	first, last := events[at[0]].at, events[at[len(at)-1]].at
	for n, i := range at {
		run[n] = events[i]
		ids[n] = run[n].guest.id
	}
	slices.SortStableFunc(run, func(a, b *event) int { return a.guest.host.number - b.guest.host.number })
	slices.SortStableFunc(ids, placement.ConsumerID.Compare)
	days := daysOf(len(run), last.Sub(first))
	day := 0
	for n, i := range at {
		e := run[n]
		if n > 0 && e.guest.host != run[n-1].guest.host {
			day = n * len(days) / len(run)
		}
		e.at = first.Add(days[day])
		e.guest.id, e.guest.created = ids[n], e.at.UnixMilli()
		events[i] = e
	}
}

// daysOf returns how long after the first of them grouped launches happen. Few are spread
// over the whole time. Many are early, so that the changes which are too large to be read
// are too old to matter for the question since when something is so. Very many happen at
// once, or at a few times, as pages that are written once make the smallest file.
func daysOf(launches int, span time.Duration) []time.Duration {
	const few, many, most = 8_000, 50_000, 100_000
	days := make([]time.Duration, max(int(span/day), 1))
	switch {
	case launches >= 2*most:
		days = make([]time.Duration, launches/most)
	case launches > many:
		return []time.Duration{span / 4}
	case launches > few:
		days, span = make([]time.Duration, (launches+landing-1)/landing), span/4
	}
	for n := range days {
		days[n] = span * time.Duration(2*n+1) / time.Duration(2*len(days))
	}
	return days
}

// change returns what events write as one Change, and applies it to w. An event that
// fails is a mistake in this package: each is planned so that it succeeds.
func change(w *world, events []*event) cloud.Change {
	first := events[0]
	c := cloud.Change{Actor: first.actor, Note: first.note, At: events[len(events)-1].at}
	if len(events) > 1 {
		c.Actor, c.Note = first.bulk.together(len(events))
	}
	var replace placement.ReplaceAllocations
	var hosts []*host // on which instances land
	for _, e := range events {
		if e.write != nil {
			w.at = e.at
			if err := e.write(w); err != nil {
				panic(fmt.Sprintf("demo: %s: %s: %v", e.actor, e.note, err))
			}
			join(&c, w.take())
		}
		if e.far != nil {
			of, err := e.far()
			if err != nil {
				panic(fmt.Sprintf("demo: %s: %s: %v", e.actor, e.note, err))
			}
			join(&c, of)
		}
		if e.guest != nil {
			replace.Consumers = append(replace.Consumers, e.guest.claim())
			if h := e.guest.host; len(h.landed) == 0 {
				hosts = append(hosts, h)
			}
			e.guest.records(&c)
		}
	}
	for _, h := range hosts {
		is, err := tracker.Landed(h.row, h.landed, h.pci)
		if err != nil {
			panic("demo: " + h.name + ": " + err.Error())
		}
		is.Updated = c.At.UnixMilli()
		c.PutRecords(versioned.Change{Before: h.row, After: is})
		h.row, h.landed = is, nil
	}
	if len(replace.Consumers) > 0 {
		c.Ops = append(c.Ops, replace)
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
