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
	env screen.Env

	mu    sync.Mutex
	known screen.Recent
}

// rows returns the newest events up to a Snapshot.
func (r *reader) rows(ctx context.Context, snap *cloud.Snapshot) []*cloud.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.env.ReadOn(ctx, snap.Revision(), r.known, most, small)
	if ctx.Err() != nil {
		return nil
	}
	r.known = known
	out := make([]*cloud.Event, len(known.Events))
	for i := range known.Events {
		out[i] = &known.Events[i]
	}
	return out
}

// limit reports whether the journal may go back further than the list does.
func (r *reader) limit() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known.Events) == most
}

// nothing says why there are no events.
func (r *reader) nothing() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known.Fault != nil {
		return []string{r.known.Fault.Error()}
	}
	return []string{"nothing has happened here yet: history starts with the first change"}
}
