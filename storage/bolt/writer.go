package bolt

import (
	"context"
	"runtime"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// batch is what one commit keeps: decisions of which those that were accepted lead from
// one Snapshot to another.
type batch struct {
	from, to  *cloud.Snapshot
	decisions []*decision
	records   int // that it writes
}

// full reports whether a batch takes no more.
func (b *batch) full() bool { return len(b.decisions) >= batchChanges || b.records >= batchRecords }

// mostGather is how long a commit waits at most for callers who have just been answered to
// come back: about as long as it takes over a socket, and less than a commit.
const mostGather = 300 * time.Microsecond

// writer is the one goroutine that decides, publishes and answers. While a batch is on
// its way to disk, in a goroutine of its own, the next one is decided on what that will
// lead to:
//
//	queue ── decide ──► next ──► under ── persist ──► publish, answer
//
// What was decided on a Snapshot that could not be kept was decided on nothing: it fails
// with it.
//
// Two clients who take turns would have each commit serve one of them, for the other's
// next request comes while it is on its way. So a commit waits a moment for as many
// callers as the one before it served and left waiting; where they do not come, the next
// one expects no more than did.
type writer struct {
	*Store
	next   batch // in the making
	under  batch // on its way to disk, where kept is not nil
	kept   chan error
	crowd  int // callers who are expected to share the next commit
	gather *time.Timer
	waits  bool // gather runs
}

// write decides, commits, publishes and answers. It ends with the store.
func (s *Store) write() {
	defer close(s.done)
	w := &writer{Store: s, gather: time.NewTimer(mostGather)}
	defer w.gather.Stop()
	w.begin(s.newest.Load())
	for {
		queue, inspect := s.queue, s.inspect
		if w.next.full() {
			queue = nil
		}
		if w.kept != nil {
			inspect = nil
		}
		select {
		case <-s.quit:
			w.end()
			return
		case fn := <-inspect:
			fn()
		case r := <-queue:
			w.take(r)
			w.commit()
		case <-w.gather.C:
			w.crowd, w.waits = 0, false
			w.commit()
		case err := <-w.kept:
			w.settle(err)
			w.attend()
			w.commit()
		}
	}
}

// begin begins a batch that leads on from a Snapshot.
func (w *writer) begin(from *cloud.Snapshot) { w.next = batch{from: from, to: from} }

// take decides r, as part of the next batch.
func (w *writer) take(r *request) {
	d := w.decide(r, w.next.to)
	if d == nil {
		return
	}
	w.next.decisions = append(w.next.decisions, d)
	if n := len(d.Event.Changes); d.err == nil && n > 0 {
		w.next.to = d.Snapshot
		w.next.records += n
	}
}

// commit sends the next batch to disk, if there is none on its way, together with all
// that waits. Callers who were just answered get a chance to come back first, so that a
// commit serves as many as possible.
func (w *writer) commit() {
	if w.kept != nil {
		return
	}
	for misses := 0; misses < 2 && !w.next.full(); {
		select {
		case r := <-w.queue:
			w.take(r)
			misses = 0
		default:
			misses++
			runtime.Gosched()
		}
	}
	if len(w.next.decisions) == 0 || w.gathers() {
		return
	}
	w.under = w.next
	w.begin(w.under.to)
	if w.under.to == w.under.from {
		w.settle(nil)
		return
	}
	kept, b := make(chan error, 1), w.under
	w.kept = kept
	go func() { kept <- w.persist(b.from, b.to, b.decisions) }()
}

// gathers reports whether the next commit is to wait for more callers.
func (w *writer) gathers() bool {
	switch {
	case len(w.next.decisions) >= min(w.crowd, batchChanges) || w.next.full():
		w.gather.Stop()
		w.waits = false
	case !w.waits:
		w.gather.Reset(mostGather)
		w.waits = true
	}
	return w.waits
}

// settle publishes what is kept of the batch that was on its way, or fails all that was
// built on it. The verdicts are given once they can no longer change.
func (w *writer) settle(err error) {
	b := w.under
	w.under, w.kept = batch{}, nil
	w.crowd = len(b.decisions) + len(w.next.decisions)
	switch {
	case err != nil:
		w.answer(b, err)
		w.answer(w.next, err)
		w.begin(b.from)
		return
	case b.to != b.from:
		w.newest.Store(b.to)
		w.watchers.Publish(b.to.Revision())
	}
	w.answer(b, nil)
}

// answer gives the verdicts of a batch. With err, it could not be kept.
func (w *writer) answer(b batch, err error) {
	now := w.newest.Load()
	for _, d := range b.decisions {
		if err != nil && d.builtBeyond(now) {
			d.answer = answer{err: err}
		}
		if d.err != nil {
			w.lost.Note(now, d.change, d.err)
			d.refuse(d.err)
		}
		d.request.answer <- d.answer
	}
}

// builtBeyond reports whether d was decided on another Snapshot than the one that is
// kept, or leads to another.
func (d *decision) builtBeyond(kept *cloud.Snapshot) bool {
	return d.on != nil && (d.on != kept || d.err == nil && d.Snapshot != kept)
}

// attend lets those in who ask for a moment between two commits.
func (w *writer) attend() {
	select {
	case fn := <-w.inspect:
		fn()
	default:
	}
}

// end keeps what was taken, and takes back what a failed commit may have left in the
// file.
func (w *writer) end() {
	for w.kept != nil || len(w.next.decisions) > 0 {
		if w.kept != nil {
			w.settle(<-w.kept)
			continue
		}
		w.under = w.next
		w.begin(w.under.to)
		var err error
		if w.under.to != w.under.from {
			err = w.persist(w.under.from, w.under.to, w.under.decisions)
		}
		w.settle(err)
	}
	if w.doubt != nil {
		// Nobody is there to be told of an error; the next Open reads what is there.
		now := w.newest.Load()
		_ = w.persist(now, now, nil)
	}
}

// inWriter runs fn between two commits, on the goroutine of the writer.
func (s *Store) inWriter(ctx context.Context, fn func() error) error {
	if s.readOnly != "" {
		return fn()
	}
	result := make(chan error, 1)
	select {
	case s.inspect <- func() { result <- fn() }:
		return <-result
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return storage.ErrClosed
	}
}
