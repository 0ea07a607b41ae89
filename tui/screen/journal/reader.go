package journal

import (
	"context"
	"sync"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

const (
	// most is how many events the list has, the newest ones.
	most = 5000

	// small is how many changes an event may have to be read whole.
	small = 500
)

// reader reads the journal on as the cloud changes. Lists are made off the event loop, and
// one may be begun before another ends.
type reader struct {
	journal cloud.Historian

	mu    sync.Mutex
	known []cloud.Event
	fault error
}

// rows returns the newest events up to a Snapshot.
func (r *reader) rows(ctx context.Context, snap *cloud.Snapshot) []*cloud.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events, err := screen.ReadOn(ctx, r.journal, snap.Revision(), r.known, most, small)
	if ctx.Err() != nil {
		return nil
	}
	r.known, r.fault = events, err
	out := make([]*cloud.Event, len(events))
	for i := range events {
		out[i] = &events[i]
	}
	return out
}

// limit reports whether the journal may go back further than the list does.
func (r *reader) limit() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known) == most
}

// nothing says why there are no events.
func (r *reader) nothing() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fault != nil {
		return []string{r.fault.Error()}
	}
	return []string{"nothing has happened here yet: history starts with the first change"}
}
