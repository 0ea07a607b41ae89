// Package queue brings changes to the one goroutine of a store that decides them, its writer.
package queue

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// Batch is how many changes one commit takes: enough that many clients share it, but little
// enough that none waits long for it.
const Batch = 512

// length is how many callers wait before the next one has to wait for a place.
const length = 1024

// Queue is the changes that wait to be decided.
type Queue struct {
	Requests chan *Request
	Done     chan struct{} // closed when the writer has ended
	turn     chan struct{} // full while somebody has a turn; nil for who has it
}

// New returns an empty queue.
func New() Queue {
	return Queue{Requests: make(chan *Request, length), Done: make(chan struct{}), turn: make(chan struct{}, 1)}
}

// Turn has all changes wait but for those that are given to the Queue which it returns, until
// end is called.
func (q Queue) Turn(ctx context.Context) (first Queue, end func(), err error) {
	select {
	case q.turn <- struct{}{}:
		return Queue{Requests: q.Requests, Done: q.Done}, func() { <-q.turn }, nil
	case <-ctx.Done():
		return Queue{}, nil, ctx.Err()
	case <-q.Done:
		return Queue{}, nil, storage.ErrClosed
	}
}

// Request is a change whose caller waits.
type Request struct {
	Change cloud.Change
	Ctx    context.Context //nolint:containedctx // that of the call, for as long as it waits
	state  atomic.Int32    // waiting, taken or left
	answer chan cloud.Outcome
}

const (
	waiting int32 = iota
	taken         // by the writer, which will answer
	left          // by the caller, before the decision
)

// Apply has the writer decide a change, and returns what became of it. A caller who leaves
// once it is being decided waits at most grace; without limit if that is 0.
func (q Queue) Apply(ctx context.Context, c cloud.Change, grace time.Duration, place string) cloud.Outcome {
	if err := ctx.Err(); err != nil {
		return cloud.Refused(err)
	}
	r := &Request{Ctx: ctx, Change: c, answer: make(chan cloud.Outcome, 1)}
	if err := q.add(ctx, r); err != nil {
		return cloud.Refused(err)
	}
	var gone error
	select {
	case out := <-r.answer:
		return out
	case <-ctx.Done():
		gone = ctx.Err()
	case <-q.Done:
		gone = storage.ErrClosed
	}
	if r.state.CompareAndSwap(waiting, left) {
		return cloud.Refused(gone)
	}
	var late <-chan time.Time
	if grace > 0 {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case out := <-r.answer:
		return out
	case <-late:
		return cloud.InDoubt(&storage.SlowError{Place: place, Err: gone})
	}
}

// add puts a request into the queue, once nobody else has a turn.
func (q Queue) add(ctx context.Context, r *Request) error {
	if q.turn != nil {
		_, end, err := q.Turn(ctx)
		if err != nil {
			return err
		}
		defer end()
	}
	select {
	case q.Requests <- r:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-q.Done:
		return storage.ErrClosed
	}
}

// Next returns the next that waits; nil if nobody does. Callers who have just been answered
// get a chance to come back first: else two who take turns would get a commit each.
func (q Queue) Next() *Request {
	for range 2 {
		select {
		case r := <-q.Requests:
			return r
		default:
			runtime.Gosched()
		}
	}
	return nil
}

// Take reports whether the caller still waits. It gets an answer then, and waits for that even if
// it leaves.
func (r *Request) Take() bool {
	if !r.state.CompareAndSwap(waiting, taken) {
		return false
	}
	err := r.Ctx.Err()
	if err != nil {
		r.Answer(cloud.Refused(err))
	}
	return err == nil
}

// Release lets the caller of a request that was taken leave again, as nothing of it was written.
// One who wanted to leave meanwhile gets an answer.
func (r *Request) Release() {
	r.state.Store(waiting)
	if r.Ctx.Err() != nil {
		r.Take()
	}
}

// Answer answers a request, once.
func (r *Request) Answer(out cloud.Outcome) { r.answer <- out }
