package bolt

import (
	"context"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/internal/queue"
	"github.com/placetop/placetop/storage/internal/wire"
)

// batchRecords is how many records one commit takes, unless a single change has more: none is
// to wait long for it.
const batchRecords = 20000

type answer struct {
	cloud.Commit
	err error
}

func (a answer) outcome() cloud.Outcome {
	if a.err != nil {
		return cloud.Refused(a.err)
	}
	return cloud.Kept(a.Snapshot, a.Event)
}

// decision is what the writer decided on a request, before it is kept.
type decision struct {
	*queue.Request
	answer
	on    *cloud.Snapshot // it was decided on this
	after [][]byte        // the records after the change, encoded; nil for a deleted one
}

// kept reports whether d is to be kept: it was accepted, and changes something.
func (d *decision) kept() bool { return d.err == nil && len(d.Event.Changes) > 0 }

// Apply implements cloud.Writer. If the disk fails at the very end of a commit, so
// that it is unknown whether the commit was written, the error says so: the next commit
// undoes the change, and until then a crash may leave it in the file.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	return s.apply(ctx, c, s.queue)
}

// Turn implements engine.Yielder.
func (s *Store) Turn(ctx context.Context) (cloud.Writer, func(), error) {
	first, end, err := s.queue.Turn(ctx)
	return turn{s, first}, end, err
}

// turn is a writer whose changes go first.
type turn struct {
	*Store
	first queue.Queue
}

// Apply implements cloud.Writer.
func (t turn) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	return t.apply(ctx, c, t.first)
}

// apply has the writer decide and keep a change.
func (s *Store) apply(ctx context.Context, c cloud.Change, by queue.Queue) cloud.Outcome {
	if s.isClosed() {
		return cloud.Refused(storage.ErrClosed)
	}
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		refusal := &storage.ReadOnlyError{Err: err, Path: s.path}
		if s.journal != nil {
			refusal.Remedy = s.journal.Remedy
		}
		return cloud.Refused(refusal)
	}
	return by.Apply(ctx, c, 0, s.path)
}

// decide returns the verdict on r on top of working; nil if its caller has left.
func (s *Store) decide(r *queue.Request, working *cloud.Snapshot) *decision {
	if !r.Take() {
		return nil
	}
	d := &decision{Request: r, on: working}
	r.Change = storage.Stamp(r.Change, s.options.Clock)
	next, ev, err := wire.Applied(working, r.Change)
	if err == nil {
		d.Commit = cloud.Commit{Snapshot: next, Event: ev}
		err = s.encode(d, ev)
	}
	if err != nil {
		d.answer = answer{err: err}
	}
	return d
}

// encode puts the records after an event into d in the form of the file.
func (s *Store) encode(d *decision, ev cloud.Event) error {
	d.after = make([][]byte, len(ev.Changes))
	for i, c := range ev.Changes {
		if c.After != nil {
			if err := s.beyond.mayPut(c.After); err != nil {
				return err
			}
			b, err := s.codecs.encode(c.After)
			if err != nil {
				return err
			}
			d.after[i] = b
		}
	}
	return nil
}
