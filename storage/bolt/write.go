package bolt

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// How much one commit takes: enough that many clients share a sync, but little enough
// that none waits long for it.
const (
	queueLength  = 1024
	batchChanges = 512   // changes in a commit
	batchRecords = 20000 // records in a commit, unless a single change has more
)

// request is a caller of Apply that waits.
type request struct {
	ctx    context.Context //nolint:containedctx // that of the call, for as long as it waits
	change cloud.Change
	state  atomic.Int32 // waiting, taken or left
	answer chan answer
}

const (
	waiting int32 = iota
	taken         // by the writer, which will answer
	left          // by the caller, before the decision
)

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
	*request
	answer
	on    *cloud.Snapshot // it was decided on this; nil if no Snapshot was involved
	after [][]byte        // the records after the change, encoded; nil for a deleted one
}

// kept reports whether d is to be kept: it was accepted, and changes something.
func (d *decision) kept() bool { return d.err == nil && len(d.Event.Changes) > 0 }

// Apply implements cloud.Writer. If the disk fails at the very end of a commit, so
// that it is unknown whether the commit was written, the error says so: the next commit
// undoes the change, and until then a crash may leave it in the file.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	r, err := s.ask(ctx, c)
	if err != nil {
		return cloud.Refused(err)
	}
	return s.verdict(r)
}

// ask queues a change.
func (s *Store) ask(ctx context.Context, c cloud.Change) (*request, error) {
	if s.isClosed() {
		return nil, storage.ErrClosed
	}
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		refusal := &storage.ReadOnlyError{Err: err, Path: s.path}
		if s.journal != nil {
			refusal.Remedy = s.journal.Remedy
		}
		return nil, refusal
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &request{ctx: ctx, change: c, answer: make(chan answer, 1)}
	select {
	case s.queue <- r:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-s.done:
		return nil, storage.ErrClosed
	}
}

// verdict waits for the verdict on r.
func (s *Store) verdict(r *request) cloud.Outcome {
	var gone error
	select {
	case a := <-r.answer:
		return a.outcome()
	case <-r.ctx.Done():
		gone = r.ctx.Err()
	case <-s.done:
		gone = storage.ErrClosed
	}
	if r.state.CompareAndSwap(waiting, left) {
		return cloud.Refused(gone)
	}
	return (<-r.answer).outcome()
}

// decide returns the verdict on r on top of working; nil if its caller has left.
func (s *Store) decide(r *request, working *cloud.Snapshot) *decision {
	if !r.state.CompareAndSwap(waiting, taken) {
		return nil
	}
	d := &decision{request: r}
	if d.err = r.ctx.Err(); d.err != nil {
		return d
	}
	d.on = working
	r.change = storage.Stamp(r.change, s.options.Clock)
	next, ev, err := applied(working, r.change)
	if err == nil {
		d.Commit = cloud.Commit{Snapshot: next, Event: ev}
		err = s.encode(d, ev)
	}
	if err != nil {
		d.answer = answer{err: err}
	}
	return d
}

// applied is Snapshot.Apply with panics returned as errors: the writer serves all
// callers, and Apply leaves nothing behind.
func applied(s *cloud.Snapshot, c cloud.Change) (next *cloud.Snapshot, ev cloud.Event, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the change could not be applied: %v", p)
		}
	}()
	return s.Apply(c)
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
