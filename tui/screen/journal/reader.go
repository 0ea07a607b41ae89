package journal

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

const (
	// most is how many events the list has, the newest ones.
	most = 5000

	// small is the most changes of an event that is read completely.
	small = 500
)

// reader continues reading the journal as the cloud changes. Lists are made off the event
// loop, and one may begin before another ends.
type reader struct {
	env screen.Env

	turn  sync.Mutex // held while reading
	known atomic.Pointer[screen.Recent]
}

func newReader(env screen.Env) *reader {
	r := &reader{env: env}
	r.known.Store(new(screen.Recent))
	return r
}

// rows returns the newest events up to a Snapshot.
func (r *reader) rows(ctx context.Context, snap *cloud.Snapshot) []*cloud.Event {
	r.turn.Lock()
	defer r.turn.Unlock()
	known := r.env.ReadOn(ctx, snap.Revision(), *r.known.Load(), most, small)
	if ctx.Err() != nil {
		return nil
	}
	r.known.Store(&known)
	out := make([]*cloud.Event, len(known.Events))
	for i := range known.Events {
		out[i] = &known.Events[i]
	}
	return out
}

// limit reports whether the journal may go back further than the list.
func (r *reader) limit() bool {
	return len(r.known.Load().Events) == most
}

// nothing says why there are no events.
func (r *reader) nothing() []string {
	if fault := r.known.Load().Fault; fault != nil {
		return []string{fault.Error()}
	}
	return []string{"nothing has happened here yet: history starts with the first change"}
}
