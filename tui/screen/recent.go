package screen

import (
	"context"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
)

// ReadOn returns the newest events of a journal up to a revision, at most limit:
// those that are known, and what came after. Events of more than small changes come
// without them, unless small is 0. Where the journal cannot be read it returns what
// is known, and the reason.
func ReadOn(ctx context.Context, journal cloud.Historian, until cloud.Revision, known []cloud.Event, limit, small int) ([]cloud.Event, error) {
	q := cloud.EventQuery{Until: until, Limit: limit, Small: small}
	if len(known) > 0 {
		if known[0].Revision >= until {
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
