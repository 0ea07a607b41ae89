package follow

import (
	"context"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// turn lets a follower go first that other writers are always faster than: they wait for a while,
// until it has decided again and appended that.
type turn struct {
	mu     sync.Mutex
	losses int          // appends in a row that others were faster than
	told   time.Time    // when the follower was told of the last one
	first  cloud.Writer // nil unless it is the follower's turn
	stop   func()       // ends it
	late   *time.Timer  // likewise, if nothing is appended
}

// How often others may be faster than a follower until it goes first, or twice if it takes long to
// decide again, and for how long: several times as long as that took before, and a little.
const (
	mostLosses = 3
	longTime   = time.Second
	leastTurn  = 250 * time.Millisecond
	mostTurn   = 30 * time.Second
)

// writer returns who stores an append that has come.
func (t *turn) writer(store storage.Store) cloud.Writer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first == nil {
		return store
	}
	t.late.Stop() // it is not late
	return t.first
}

// lost notes that others were faster than an append, and makes them wait if it is time for that.
func (t *turn) lost(ctx context.Context, store storage.Store) {
	now := time.Now() //nolint:forbidigo // only the time between two is used
	t.mu.Lock()
	defer t.mu.Unlock()
	took := now.Sub(t.told)
	most := min(4*took+leastTurn, mostTurn)
	t.losses, t.told = t.losses+1, now
	if t.first != nil { // what had been in the queue before was faster
		t.late.Reset(most)
		return
	}
	able, is := store.(engine.Yielder)
	if !is || t.losses < mostLosses && (t.losses < 2 || took < longTime) {
		return
	}
	first, stop, err := able.Turn(ctx)
	if err != nil {
		return // the store is being closed, which the follower learns soon enough
	}
	t.first, t.stop = first, stop
	t.late = time.AfterFunc(most, t.end)
}

// end ends the turn of the follower, as it has one no longer or needs none.
func (t *turn) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.losses = 0; t.first != nil {
		t.late.Stop()
		t.stop()
		t.first = nil
	}
}
