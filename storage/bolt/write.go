package bolt

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// How much one commit takes: enough that many clients share a sync, and so
// little that nobody waits long for it.
const (
	queueLength  = 1024
	batchChanges = 512   // changes of a commit
	batchRecords = 20000 // records of a commit, unless a single change has more
)

// request is a caller of Apply who waits.
type request struct {
	ctx    context.Context //nolint:containedctx // that of the call, for as long as it waits
	change cloud.Change
	state  atomic.Int32 // waiting, taken or left
	answer chan answer
}

const (
	waiting int32 = iota
	taken         // by the writer, who will answer
	left          // by the caller, before the decision
)

type answer struct {
	cloud.Commit
	err error
}

// decision is what the writer decided on a request, before it is kept.
type decision struct {
	*request
	answer
	after [][]byte // the records after the change, encoded; nil for one that goes
	size  int      // about that of the event in the journal, in bytes; less where it takes several entries
	built bool     // it was decided on a Snapshot that is not kept yet, or leads to one
}

// Apply implements cloud.Writer. Where the disk fails at the very end of a
// commit, so that nobody can tell whether it was reached, the change is taken
// back with the next commit; until then a crash may leave it in the file.
func (s *Store) Apply(ctx context.Context, c cloud.Change) (cloud.Commit, error) {
	if s.isClosed() {
		return cloud.Commit{}, storage.ErrClosed
	}
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		refusal := &storage.ReadOnlyError{Err: err, Path: s.path}
		if s.journal != nil {
			refusal.Remedy = s.journal.Remedy
		}
		return cloud.Commit{}, refusal
	}
	if err := ctx.Err(); err != nil {
		return cloud.Commit{}, err
	}
	r := &request{ctx: ctx, change: c, answer: make(chan answer, 1)}
	select {
	case s.queue <- r:
	case <-ctx.Done():
		return cloud.Commit{}, ctx.Err()
	case <-s.done:
		return cloud.Commit{}, storage.ErrClosed
	}
	var gone error
	select {
	case a := <-r.answer:
		return a.Commit, a.err
	case <-ctx.Done():
		gone = ctx.Err()
	case <-s.done:
		gone = storage.ErrClosed
	}
	if r.state.CompareAndSwap(waiting, left) {
		return cloud.Commit{}, gone
	}
	a := <-r.answer
	return a.Commit, a.err
}

// write is the writer: the one goroutine that decides, commits, publishes and
// answers. It ends with the store.
func (s *Store) write() {
	defer close(s.done)
	for {
		select {
		case <-s.quit:
			s.settle()
			return
		case fn := <-s.inspect:
			fn()
		case r := <-s.queue:
			s.serve(r)
		}
	}
}

// serve decides r and all who wait behind it, and commits what was accepted. The
// verdicts are given once they can no longer change.
func (s *Store) serve(r *request) {
	base := s.newest.Load()
	working := base
	var batch []*decision
	records := 0
	for {
		if d := s.decide(r, base, working); d != nil {
			batch = append(batch, d)
			if n := len(d.Event.Changes); d.err == nil && n > 0 {
				working = d.Snapshot
				records += n
			}
		}
		if len(batch) == batchChanges || records >= batchRecords {
			break
		}
		if r = s.next(); r == nil {
			break
		}
	}
	if working != base {
		if err := s.persist(base, working, batch); err != nil {
			for _, d := range batch {
				if d.built {
					d.answer = answer{err: err}
				}
			}
		} else {
			s.newest.Store(working)
			s.watchers.Publish(working.Revision())
		}
	}
	for _, d := range batch {
		if d.err != nil {
			s.lost.Note(s.newest.Load(), d.change, d.err)
		}
		d.request.answer <- d.answer
	}
}

// next returns the next in the queue, nil where nobody waits. Callers who were
// just answered get a chance to come back first, so that a commit serves as many
// as possible.
func (s *Store) next() *request {
	for range 2 {
		select {
		case r := <-s.queue:
			return r
		default:
			runtime.Gosched()
		}
	}
	return nil
}

// decide returns the verdict on r, nil where its caller has left.
func (s *Store) decide(r *request, base, working *cloud.Snapshot) (d *decision) {
	if !r.state.CompareAndSwap(waiting, taken) {
		return nil
	}
	d = &decision{request: r, built: working != base}
	if d.err = r.ctx.Err(); d.err != nil {
		d.built = false
		return d
	}
	r.change = storage.Stamp(r.change, s.options.Clock)
	next, ev, err := applied(working, r.change)
	if err == nil {
		err = s.encode(d, ev)
	}
	if err != nil {
		d.err = err
		return d
	}
	d.Commit = cloud.Commit{Snapshot: next, Event: ev}
	d.built = next != base
	return d
}

// applied is Snapshot.Apply, with a panic as an error: the writer serves
// everybody, and Apply leaves nothing behind.
func applied(s *cloud.Snapshot, c cloud.Change) (next *cloud.Snapshot, ev cloud.Event, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the change could not be decided: %v", p)
		}
	}()
	return s.Apply(c)
}

// encode puts the records after an event into d as they stand in the file.
func (s *Store) encode(d *decision, ev cloud.Event) error {
	d.after = make([][]byte, len(ev.Changes))
	var fault atomic.Pointer[error]
	inParts(len(ev.Changes), func(from, to int) {
		for i, c := range ev.Changes[from:to] {
			if c.After == nil {
				continue
			}
			b, err := s.codecs.encode(c.After)
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
	const most = entrySize + entrySize/4
	for _, b := range d.after {
		if d.size += 32 + 2*len(b); d.size > most { // of lengths and the kind; the record before is about as long
			d.size = most
			break
		}
	}
	return nil
}

// settle takes back what a failed commit may have left in the file.
func (s *Store) settle() {
	if s.doubt != nil {
		now := s.newest.Load()
		if err := s.persist(now, now, nil); err != nil {
			// Nobody is there to be told; the next Open reads what is there.
			return
		}
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
