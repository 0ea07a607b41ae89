package metrics

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
)

// cloudFigures makes the figures of the cloud, and keeps them while nothing has changed.
type cloudFigures struct {
	o       Options
	indexer candidates.Indexer // of the one that makes them

	mu     sync.Mutex
	making chan struct{} // closed once new ones are made; nil while none are
	last   made
}

// made are figures, or why there are no newer ones.
type made struct {
	text  text
	of    *cloud.Snapshot // nil before there are any
	at    time.Time
	took  time.Duration
	until time.Time // when the rules may find something else although nothing has changed; zero for never
	err   error
}

func newCloudFigures(o Options) *cloudFigures { return &cloudFigures{o: o} }

const (
	// staleAfter is how long figures of an unchanged cloud are kept: some depend on the time.
	staleAfter = time.Minute
	// tooLong is how long figures may take for a scrape to wait for them where there are others
	// that are not stale.
	tooLong = time.Second / 10
)

// get returns the figures of the newest Snapshot. Where these take long, it returns the last
// ones, and the next scrape gets these: so they are made to their end even if nobody waits. Where
// they cannot be made, as ctx ends or there is a fault, it returns the last ones, and the error.
func (f *cloudFigures) get(ctx context.Context) (text, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, now, last := f.o.Cloud.Snapshot(), f.o.Clock(), f.last
	fresh := last.of != nil && now.Sub(last.at) < staleAfter
	holds := fresh && last.of == s && (last.until.IsZero() || now.Before(last.until))
	if holds || f.o.Ready != nil && !f.o.Ready() {
		return last.text, nil
	}
	if f.making == nil {
		f.making = make(chan struct{})
		go f.make(s, now)
	}
	if fresh && last.took > tooLong {
		return last.text, nil
	}
	making := f.making
	f.mu.Unlock()
	var err error
	select {
	case <-making:
	case <-ctx.Done():
		err = ctx.Err()
	}
	f.mu.Lock()
	return f.last.text, cmp.Or(err, f.last.err)
}

// make makes the figures of a Snapshot. A panic is an error: the server continues without them.
func (f *cloudFigures) make(s *cloud.Snapshot, now time.Time) {
	next := made{of: s, at: now}
	defer func() {
		v := recover()
		if v != nil {
			next = f.last
			next.err = fmt.Errorf("figures: panic: %v", v)
			if f.o.Failed != nil {
				f.o.Failed(next.err, debug.Stack())
			}
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.last = next
		close(f.making)
		f.making = nil
	}()
	in := insight.Input{Snapshot: s, Now: now, Each: f.o.Each}
	if f.o.Inspect != nil {
		if in.Found = f.o.Inspect(s); in.Found != nil {
			next.until = in.Found.Until
		}
	}
	in.Room = insight.RoomOf(s, insight.RoomOptions{Index: f.indexer.Index(s.Placement()), Trees: f.o.Each})
	for _, series := range insight.Metrics(in) {
		next.text.series(series)
	}
	next.took = f.o.Clock().Sub(now)
}
