package bolt

import (
	"context"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/queue"
)

// batch is what one commit writes: decisions, of which the accepted ones lead from one
// Snapshot to another.
type batch struct {
	from, to  *cloud.Snapshot
	decisions []*decision
	records   int // that the commit writes
}

// full reports whether a batch is full.
func (b *batch) full() bool { return len(b.decisions) >= queue.Batch || b.records >= batchRecords }

// write is the writer, the one goroutine that decides, commits, publishes and answers, until
// the store is closed.
func (s *Store) write() {
	defer close(s.queue.Done)
	for {
		select {
		case <-s.quit:
			if s.doubt != nil {
				// An error has no caller to go to; the next Open reads what is there.
				_, _ = s.persist(s.newest.Load(), nil)
			}
			return
		case fn := <-s.inspect:
			fn()
		case r := <-s.queue.Requests:
			s.serve(r)
		}
	}
}

// serve decides r and all that wait behind it, brings what was accepted to disk in one
// transaction, publishes it, and answers.
func (s *Store) serve(r *queue.Request) {
	from := s.newest.Load()
	b := batch{from: from, to: from}
	for r != nil {
		s.take(&b, r)
		if r = nil; !b.full() {
			r = s.queue.Next()
		}
	}
	var err error
	if b.to != b.from {
		if err = s.keep(b); err == nil {
			s.newest.Store(b.to)
			s.beyond.drop(b.decisions)
			s.watchers.Publish(b.to.Revision())
		}
	}
	s.answer(b, err)
}

// take decides r as part of a batch.
func (s *Store) take(b *batch, r *queue.Request) {
	d := s.decide(r, b.to)
	if d == nil {
		return
	}
	b.decisions = append(b.decisions, d)
	if d.kept() {
		b.to = d.Snapshot
		b.records += len(d.Event.Changes)
	}
}

// keep brings a batch to disk.
func (s *Store) keep(b batch) error {
	began := s.now()
	disk, err := s.persist(b.to, b.decisions)
	if err == nil && s.options.Committed != nil {
		s.options.Committed(engine.Commit{Changes: kept(b.decisions), Took: s.now().Sub(began), Disk: disk})
	}
	s.wrote(err)
	return err
}

// kept returns how many decisions of a batch change something.
func kept(batch []*decision) (n int) {
	for _, d := range batch {
		if d.kept() {
			n++
		}
	}
	return n
}

// now returns the time if it is needed to report how long a commit took.
func (s *Store) now() time.Time {
	if s.options.Committed == nil {
		return time.Time{}
	}
	return s.options.Clock()
}

// answer gives the verdicts of a batch. With err, it could not be stored.
func (s *Store) answer(b batch, err error) {
	now := s.newest.Load()
	for _, d := range b.decisions {
		if err != nil && d.builtBeyond(now) {
			d.answer = answer{err: err}
		}
		if d.err != nil {
			s.lost.Note(now, d.Change, d.err)
		}
		d.Answer(d.outcome())
	}
}

// builtBeyond reports whether d was decided on another Snapshot than the stored one, or
// leads to another.
func (d *decision) builtBeyond(kept *cloud.Snapshot) bool {
	return d.on != kept || d.err == nil && d.Snapshot != kept
}

// inWriter runs fn on the goroutine of the writer, between two commits.
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
	case <-s.queue.Done:
		return storage.ErrClosed
	}
}
