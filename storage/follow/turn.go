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
	unused int          // turns in a row in which it appended nothing
	first  cloud.Writer // nil unless it is the follower's turn
	stop   func()       // ends it
	late   *time.Timer  // likewise, if nothing is appended
	until  time.Time    // when that is, whatever comes meanwhile
}

// How often others may be faster than a follower until it goes first, or once less if it takes long
// to decide again, and for how long: several times as long as that took before, and a little. Each
// turn that it does not use doubles how often: one that is stopped, or that means no good, is soon
// in nobody's way.
const (
	mostLosses = 3
	longTime   = time.Second
	leastTurn  = 250 * time.Millisecond
	mostTurn   = 30 * time.Second
	mostUnused = 10 // are counted
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
	t.losses, t.told = t.losses+1, now
	if t.first != nil { // what had been in the queue before was faster
		t.late.Reset(t.until.Sub(now))
		return
	}
	able, is := store.(engine.Yielder)
	need := mostLosses << min(t.unused, mostUnused)
	if !is || t.losses < need && (t.losses < need-1 || took < longTime) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, longTime) // the follower waits for its answer
	defer cancel()
	first, stop, err := able.Turn(ctx)
	if err != nil {
		return // another follower has its turn, or the store is being closed
	}
	most := min(4*took+leastTurn, mostTurn)
	t.first, t.stop, t.until = first, stop, time.Now().Add(most) //nolint:forbidigo // as above
	t.late = time.AfterFunc(most, func() { t.end(false) })
}

// end ends the turn of the follower, which has used it, or has one no longer.
func (t *turn) end(used bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.losses = 0
	if t.first == nil {
		return
	}
	t.late.Stop()
	t.stop()
	t.first = nil
	if t.unused++; used {
		t.unused = 0
	}
}
