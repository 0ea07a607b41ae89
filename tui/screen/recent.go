package screen

import (
	"context"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
)

// Recent is the newest events of a journal, newest first, as far as they were read.
type Recent struct {
	Events []cloud.Event
	Fault  error // why no more could be read; nil if it could

	until  cloud.Revision
	past   bool    // the cloud was shown as it was in the past before all were read
	common *Recent // shared by dashboards
}

// What dashboards read of a journal to show the last days: at most RecentEvents events;
// those with more than RecentWhole changes come without their changes.
const (
	RecentEvents = 2000
	RecentWhole  = 5000
)

// mostChanges is how many changes all events together may have, and pageEvents how many
// events are read at once: a cloud of 10,000 hosts that was just imported has some 300,000
// changes in its newest events, at more than a kilobyte each.
const (
	mostChanges = 30_000
	pageEvents  = 64
)

// ReadOn returns the newest events of the journal up to a revision, at most limit:
// those already known, and what came since. Events with more than small changes come
// without them, unless small is 0, and so do all that are older than the newest
// mostChanges changes. If the journal cannot be read it returns what is known, with the
// reason.
func (e Env) ReadOn(ctx context.Context, until cloud.Revision, known Recent, limit, small int) Recent {
	key := struct{ limit, small int }{limit, small}
	return *Share(e.Shared(), key, func(r *Recent) bool { return r.until == until && r.Fault == nil && !r.past }, func() *Recent {
		r := &Recent{until: until}
		r.Events, r.Fault = readOn(ctx, e.Cloud, until, known.Events, limit, small)
		_, r.past = e.Past()
		r.common = r
		return r
	})
}

func readOn(ctx context.Context, journal cloud.Historian, until cloud.Revision, known []cloud.Event, limit, small int) ([]cloud.Event, error) {
	if later := slices.IndexFunc(known, func(ev cloud.Event) bool { return ev.Revision <= until }); later != 0 && len(known) > 0 {
		// The past is shown.
		if later < 0 || len(known) >= limit {
			known = nil // there may be more before the known ones
		} else {
			known = known[later:]
		}
	}
	after := cloud.Revision(0)
	if len(known) > 0 {
		if known[0].Revision == until {
			return known, nil
		}
		after = known[0].Revision
	}
	events, err := readPages(ctx, journal, cloud.EventQuery{Until: until, After: after, Small: small}, limit)
	if err != nil {
		return known, fmt.Errorf("the journal cannot be read: %w", err)
	}
	if len(events) < limit {
		events = slices.Concat(events, known)
	}
	return bounded(events[:min(len(events), limit)]), nil
}

// readPages reads at most limit of the events that q selects, and no more changes than are
// kept of them.
func readPages(ctx context.Context, journal cloud.Historian, q cloud.EventQuery, limit int) ([]cloud.Event, error) {
	var events []cloud.Event
	changes := 0
	for len(events) < limit {
		q.Limit = min(pageEvents, limit-len(events))
		page, err := journal.Events(ctx, q)
		if err != nil {
			return nil, err
		}
		events = append(events, page...)
		for _, ev := range page {
			changes += len(ev.Changes)
		}
		if len(page) < q.Limit || page[len(page)-1].Revision <= q.After+1 {
			break
		}
		if changes > mostChanges {
			q.Small = 1
		}
		q.Until = page[len(page)-1].Revision - 1
	}
	return events, nil
}

// bounded returns events without the changes of those that are older than the newest
// mostChanges changes.
func bounded(events []cloud.Event) []cloud.Event {
	changes := 0
	for i, ev := range events {
		if changes += len(ev.Changes); changes > mostChanges && len(ev.Changes) > 0 {
			events[i].Omitted, events[i].Changes = len(ev.Changes), nil
		}
	}
	return events
}
