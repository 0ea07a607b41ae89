package storage

import (
	"context"
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// Rounds is what Keep runs: for a cloud, a keeper.Keeper.
type Rounds interface {
	// Round does what is due, and returns when the next round is due even if nothing
	// changes; zero for never.
	Round(ctx context.Context) (again time.Time)
}

// Keep runs rounds until ctx ends or the store is closed: one at once, one after each
// change, and one whenever a round asked for it. If the cloud changed during a round, it
// rests for a second before the next, so that a cloud that changes all the time does not
// keep a core busy. Clock tells the rounds the time.
func Keep(ctx context.Context, w cloud.Watcher, clock func() time.Time, r Rounds) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes := w.Watch(ctx)
	for {
		again := r.Round(ctx)
		changed := false
		select {
		case _, ok := <-changes:
			if !ok {
				return
			}
			changed = true
		default:
		}
		switch {
		case changed:
			if Pause(ctx, rest) != nil {
				return
			}
		case !wait(ctx, changes, again, clock):
			return
		}
	}
}

// rest is the least time between two rounds while there are changes all the time.
const rest = time.Second

// wait waits for a change or a time, zero for none, and reports whether there is more to
// wait for. No timer runs without need.
func wait(ctx context.Context, changes <-chan cloud.Revision, until time.Time, clock func() time.Time) bool {
	var due <-chan time.Time
	if !until.IsZero() {
		d := until.Sub(clock())
		if d <= 0 {
			d = rest // a clock that stands still, or a round that could not do what is due
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case _, ok := <-changes:
		return ok
	case <-due:
		return ctx.Err() == nil
	}
}
