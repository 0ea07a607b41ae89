package metrics

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/figures"
)

// pass is the figures of a Snapshot. It is immutable.
type pass struct {
	of    *cloud.Snapshot
	at    time.Time
	until time.Time // when the rules may find something else although nothing has changed; zero for never
	text  text
}

// passes makes passes, one at a time.
type passes struct {
	o       Options
	indexer candidates.Indexer
	last    atomic.Pointer[pass]

	mu     sync.Mutex
	ends   chan struct{} // closed when the pass under way ends; nil if there is none
	err    error         // why the last pass failed
	closed bool
	ctx    context.Context //nolint:containedctx // of the passes, until close
	stop   context.CancelFunc
}

func newPasses(o Options) *passes {
	o.Patience = cmp.Or(o.Patience, DefaultPatience)
	p := &passes{o: o}
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p
}

// staleAfter is how long figures of an unchanged cloud are kept: some depend on the time.
const staleAfter = time.Minute

// holds reports whether p is still right for the newest Snapshot at now.
func (p *pass) holds(newest *cloud.Snapshot, now time.Time) bool {
	return p != nil && p.of == newest && now.Sub(p.at) < staleAfter && (p.until.IsZero() || now.Before(p.until))
}

// refresh begins a pass if the last one is no longer right. It waits for it as long as
// ctx lasts if there was no pass before, else for a moment.
func (p *passes) refresh(ctx context.Context) {
	last := p.last.Load()
	if last.holds(p.o.Cloud.Snapshot(), p.o.Clock()) {
		return
	}
	ends := p.begin()
	var patience <-chan time.Time
	if last != nil {
		timer := time.NewTimer(p.o.Patience)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case <-ends:
	case <-patience:
	case <-ctx.Done():
	}
}

// begin begins a pass unless one is under way, and returns a channel that is closed when
// it ends.
func (p *passes) begin() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends != nil {
		return p.ends
	}
	ends := make(chan struct{})
	if p.closed || p.o.Ready != nil && !p.o.Ready() {
		close(ends)
		return ends
	}
	p.ends = ends
	go func() {
		var err error
		defer func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.ends, p.err = nil, err
			close(ends)
		}()
		// The server continues without its figures.
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("figures: panic: %v", v)
				if p.o.Failed != nil {
					p.o.Failed(err, debug.Stack())
				}
			}
		}()
		p.make()
	}()
	return ends
}

// failure returns why the last pass failed; nil if it succeeded.
func (p *passes) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// close ends the pass under way, and prevents others.
func (p *passes) close() {
	p.mu.Lock()
	p.closed = true
	ends := p.ends
	p.mu.Unlock()
	p.stop()
	if ends != nil {
		<-ends
	}
}

// make computes the figures of the newest Snapshot.
func (p *passes) make() {
	in := figures.Input{Snapshot: p.o.Cloud.Snapshot(), Now: p.o.Clock(), Each: p.o.Each}
	made := &pass{of: in.Snapshot, at: in.Now}
	if p.o.Inspect != nil {
		if in.Found = p.o.Inspect(p.ctx, in.Snapshot); in.Found != nil {
			made.until = in.Found.Until
		}
	}
	in.Room = figures.RoomOf(in.Snapshot, figures.RoomOptions{
		Index: p.indexer.Index(in.Snapshot.Placement()), Trees: p.o.Each, Stop: func() bool { return p.ctx.Err() != nil },
	})
	if p.ctx.Err() != nil {
		return
	}
	for _, s := range figures.Of(in) {
		made.text.series(s)
	}
	p.last.Store(made)
}

// text returns the figures of the last pass. It must not be changed.
func (p *passes) text() []byte {
	if last := p.last.Load(); last != nil {
		return last.text
	}
	return nil
}
