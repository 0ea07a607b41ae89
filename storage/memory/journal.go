package memory

import (
	"sort"

	"github.com/placetop/placetop/model/cloud"
)

// ring holds the newest events, at most most of them. It grows to that length; then each
// event replaces the oldest.
//
// Their changes hold records before and after, which may be far larger than the cloud
// itself, so only mostChanges of them are kept, those of the newest events. An older
// event has the number of its changes in Omitted.
type ring struct {
	most, mostChanges int

	events  []cloud.Event
	first   int // index of the oldest event
	changes int // how many changes are kept
	bare    int // how many of the oldest events have lost their changes
}

func (r *ring) add(ev cloud.Event) {
	r.changes += len(ev.Changes)
	if len(r.events) < r.most {
		r.events = append(r.events, ev)
	} else {
		r.changes -= len(r.events[r.first].Changes)
		r.events[r.first] = ev
		r.first = (r.first + 1) % r.most
		r.bare = max(r.bare-1, 0)
	}
	for ; r.changes > r.mostChanges; r.bare++ {
		old := &r.events[(r.first+r.bare)%len(r.events)]
		r.changes -= len(old.Changes)
		old.Changes, old.Omitted = nil, len(old.Changes)
	}
}

// at returns the i-th event, counted from the oldest, which is 0.
func (r *ring) at(i int) cloud.Event { return r.events[(r.first+i)%len(r.events)] }

func (r *ring) last() (cloud.Event, bool) {
	if len(r.events) == 0 {
		return cloud.Event{}, false
	}
	return r.at(len(r.events) - 1), true
}

// pick returns the events that q selects; its limit is set.
func (r *ring) pick(q cloud.EventQuery) []cloud.Event {
	n := len(r.events)
	if q.Until > 0 {
		n = sort.Search(n, func(i int) bool { return r.at(i).Revision > q.Until })
	}
	out := make([]cloud.Event, 0, min(q.Limit, n))
	for i := n - 1; i >= 0 && len(out) < q.Limit && r.at(i).Revision > q.After; i-- {
		ev := r.at(i)
		if q.Small > 0 && len(ev.Changes) > q.Small {
			ev.Changes, ev.Omitted = nil, len(ev.Changes)
		}
		out = append(out, ev)
	}
	return out
}
