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

// ReadOn returns the newest events of the journal up to a revision, at most limit:
// those already known, and what came since. Events with more than small changes come
// without them, unless small is 0. If the journal cannot be read it returns what is
// known, with the reason.
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
	q := cloud.EventQuery{Until: until, Limit: limit, Small: small}
	if len(known) > 0 {
		if known[0].Revision == until {
			return known, nil
		}
		q.After = known[0].Revision
	}
	events, err := journal.Events(ctx, q)
	if err != nil {
		return known, fmt.Errorf("the journal cannot be read: %w", err)
	}
	if len(events) < limit {
		events = slices.Concat(events, known)
	}
	return events[:min(len(events), limit)], nil
}
