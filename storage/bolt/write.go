package bolt

import (
	"context"
	"fmt"
	"iter"
	"slices"
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
	seq    *sequence    // the changes before it in a call of ApplyAll; nil for Apply
	state  atomic.Int32 // waiting, taken or left
	answer chan answer
}

// sequence is the changes of one call of ApplyAll. It belongs to the writer.
type sequence struct {
	failed error // why one of them, and so all after it, was refused
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
	size  int             // approximate size of the event in the journal, in bytes; less if it takes several entries
	bytes int             // at most what it takes in the log, before packing
}

// kept reports whether d is to be kept: it was accepted, and changes something.
func (d *decision) kept() bool { return d.err == nil && len(d.Event.Changes) > 0 }

// written returns the part of d that bbolt still has to write, without the Snapshot,
// which takes much memory.
func (d *decision) written() *decision {
	return &decision{answer: answer{Commit: cloud.Commit{Event: d.Event}}, after: d.after, size: d.size}
}

// Apply implements cloud.Writer. If the disk fails at the very end of a commit, so
// that it is unknown whether the commit was written, the error says so: the next commit
// undoes the change, and until then a crash may leave it in the file.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	r, err := s.ask(ctx, c, nil)
	if err != nil {
		return cloud.Refused(err)
	}
	return s.verdict(r)
}

// inTurn is how many changes of a call of ApplyAll may be under way: one on its way to
// disk, and one being decided.
const inTurn = 2

// ApplyAll implements cloud.Filler.
func (s *Store) ApplyAll(ctx context.Context, changes iter.Seq[cloud.Change]) error {
	var under []*request // the oldest first
	var fault error      // why the oldest refused one was refused
	note := func(c cloud.Change, err error) {
		if err != nil && fault == nil {
			fault = fmt.Errorf("%s: %w", c.Note, err)
		}
	}
	wait := func(most int) {
		for len(under) > most {
			note(under[0].change, s.verdict(under[0]).Err())
			under = slices.Delete(under, 0, 1)
		}
	}
	seq := new(sequence)
	for c := range changes {
		if wait(inTurn - 1); fault != nil {
			break
		}
		r, err := s.ask(ctx, c, seq)
		if err != nil {
			wait(0) // an earlier fault comes first
			note(c, err)
			break
		}
		under = append(under, r)
	}
	wait(0)
	return fault
}

// ask queues a change.
func (s *Store) ask(ctx context.Context, c cloud.Change, seq *sequence) (*request, error) {
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
	r := &request{ctx: ctx, change: c, seq: seq, answer: make(chan answer, 1)}
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
	if d.err = r.mayBe(); d.err != nil {
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
		r.refuse(err)
	}
	return d
}

// mayBe returns an error if r must no longer be decided.
func (r *request) mayBe() error {
	if err := r.ctx.Err(); err != nil {
		r.refuse(err)
		return err
	}
	if r.seq != nil && r.seq.failed != nil {
		return fmt.Errorf("the change before it: %w", r.seq.failed)
	}
	return nil
}

// refuse notes that r was refused, so that all after it in its sequence are, too.
func (r *request) refuse(err error) {
	if r.seq != nil && r.seq.failed == nil {
		r.seq.failed = err
	}
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
	var fault atomic.Pointer[error]
	inParts(len(ev.Changes), func(from, to int) {
		for i, c := range ev.Changes[from:to] {
			if c.After == nil {
				continue
			}
			err := s.beyond.mayPut(c.After)
			var b []byte
			if err == nil {
				b, err = s.codecs.encode(c.After)
			}
			if err != nil {
				fault.Store(&err)
				return
			}
			d.after[from+i] = b
		}
	})
	if err := fault.Load(); err != nil {
		return *err
	}
	d.measure()
	return nil
}

// measure sets how much room d takes.
func (d *decision) measure() {
	const each = 32 // lengths and kind
	ev := d.Event
	d.bytes = 64 + len(ev.Actor) + len(ev.Note) + len(ev.Task) + len(ev.Step)
	for i, b := range d.after {
		d.size += each + 2*len(b) // the record before is about as long
		d.bytes += each + len(b) + len(ev.Changes[i].Key())
	}
	d.size = min(d.size, entrySize+entrySize/4)
}
