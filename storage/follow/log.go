package follow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"sync"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/internal/wire"
	"github.com/placetop/placetop/storage/shared"
)

// log is the journal of an owner, for a follower.
type log struct {
	line
	options Options
	peer    hello
	gone    chan struct{} // closed when the reader has ended

	appended *caller // waits for the answer to the last append

	state   sync.Mutex         // guards what follows
	last    uint64             // number of the last question
	waiting map[uint64]*caller // for answers
	why     error              // why this side has left, or the reader has ended; nil before
}

var _ shared.Log = (*log)(nil)

// caller is whoever waits for an answer.
type caller struct {
	answer chan answer // receives it; closed if there is none
	parts  net.Buffers // that have come before it
	size   int         // of the parts
}

func newLog(conn net.Conn, o Options) *log {
	return &log{line: line{conn: conn}, options: o, gone: make(chan struct{}), waiting: map[uint64]*caller{}}
}

// dial greets the owner at conn, which it closes if that fails.
func dial(ctx context.Context, conn net.Conn, o Options) (*log, error) {
	l := newLog(conn, o)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := l.greet()
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close() // it is no longer of use
		return nil, err
	}
	go l.listen()
	return l, nil
}

// greet tells the owner who follows, and reads who the owner is.
func (l *log) greet() error {
	err := l.send(kindHello, hello{
		Magic: magic, Protocol: protocol, Release: l.options.Release, Formats: wire.Formats(), PID: os.Getpid(), Looks: l.options.ReadOnly != "",
		As: l.options.As, SinceMS: versioned.Millis(l.options.Clock()),
	})
	if err != nil {
		return &RefusedError{Why: "the placetop that has the cloud open does not listen: " + err.Error()}
	}
	l.peer, err = greeted(&l.line, "has the cloud open", l.options.Release)
	return err
}

func (l *log) owner() string { return fmt.Sprintf("pid %d", l.peer.PID) }

// place is what people call the log.
func (l *log) place() string {
	return fmt.Sprintf("the placetop that has the cloud open (%s)", l.owner())
}

// listen passes answers on to those who wait for them, until either side leaves.
func (l *log) listen() {
	var err error
	for err == nil {
		var f frame
		if f, err = l.read(maxFrame, 0); err == nil {
			err = l.take(f)
		}
	}
	gone := &GoneError{Owner: l.owner()}
	if !errors.As(err, &gone) && (!errors.Is(err, io.EOF) || errors.Is(err, errFrame)) {
		gone.Err = err
	}
	_ = l.leave(gone)
	l.state.Lock()
	defer l.state.Unlock()
	for _, c := range l.waiting {
		close(c.answer)
	}
	l.waiting = nil
	close(l.gone)
}

// take handles a message of the owner.
func (l *log) take(f frame) error {
	switch f.kind {
	case kindAnswer:
		a, err := decode[answer](f)
		if err != nil {
			return err
		}
		l.state.Lock()
		defer l.state.Unlock()
		c := l.waiting[a.ID]
		switch {
		case c == nil:
			return fmt.Errorf("%w: an answer to question %d", errFrame, a.ID)
		case a.Part == nil:
			delete(l.waiting, a.ID)
			c.answer <- a
		default:
			c.parts = append(c.parts, a.Part)
			if c.size += len(a.Part); c.size > maxParts {
				return fmt.Errorf("%w: more than %d bytes of parts", errFrame, maxParts)
			}
		}
		return nil
	case kindBye:
		b, err := decode[bye](f)
		if err == nil {
			err = &GoneError{Owner: l.owner(), Err: errors.New(b.Why)}
		}
		return err
	default:
		return fmt.Errorf("%w: kind %d", errFrame, f.kind)
	}
}

// ended returns why the owner no longer answers; nil while it does.
func (l *log) ended() error {
	l.state.Lock()
	defer l.state.Unlock()
	return l.why
}

// leave closes the connection because of err, and returns why it has ended.
func (l *log) leave(err error) error {
	l.state.Lock()
	defer l.state.Unlock()
	if l.why == nil {
		if l.why = err; !errors.Is(err, shared.ErrGone) && !errors.Is(err, storage.ErrClosed) {
			l.why = &GoneError{Owner: l.owner(), Err: err}
		}
		_ = l.conn.Close() // ends the reader
	}
	return l.why
}

// Close implements shared.Log.
func (l *log) Close() error {
	_ = l.leave(storage.ErrClosed)
	<-l.gone
	return nil
}

// post sends a question, and returns who waits for the answer. After an error the owner does
// not know of it: a message that was not sent to its end is not read.
func (l *log) post(k kind, q question) (*caller, error) {
	c := &caller{answer: make(chan answer, 1)}
	l.state.Lock()
	l.last++
	q.ID = l.last
	err := l.why
	if err == nil {
		l.waiting[q.ID] = c
	}
	l.state.Unlock()
	if err != nil {
		return nil, err
	}
	if err := l.send(k, q); err != nil {
		select { // the reader may know more than that sending fails, if not yet
		case <-l.gone:
		case <-time.After(partingTime):
		}
		return nil, l.leave(err)
	}
	return c, nil
}

// wait waits for the answer to c.
func (l *log) wait(ctx context.Context, c *caller) (answer, error) {
	select {
	case a, is := <-c.answer:
		if !is {
			return answer{}, l.ended()
		}
		return a, a.err()
	case <-ctx.Done():
		return answer{}, &storage.SlowError{Place: l.place(), Err: ctx.Err()}
	}
}

// ask asks a question.
func (l *log) ask(ctx context.Context, k kind, q question) (answer, *caller, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, nil, err
	}
	if k == kindCheckpoint || k == kindEvents && !q.Wait { // the others take as long as they take
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, answerTime)
		defer cancel()
	}
	c, err := l.post(k, q)
	if err != nil {
		return answer{}, nil, err
	}
	a, err := l.wait(ctx, c)
	return a, c, err
}

// endAt returns the end of the log at a revision.
func endAt(rev cloud.Revision) shared.End { return shared.End{Revision: rev, Mark: int64(rev)} } //nolint:gosec // as counted

// unknownError says that an append may have been done, and why no more is known.
type unknownError struct{ error }

func (e *unknownError) Is(target error) bool { return target == shared.ErrUnknown }
func (e *unknownError) Unwrap() error        { return e.error }

// Append implements shared.Log.
func (l *log) Append(ctx context.Context, _ shared.End, e *shared.Entry) (shared.End, error) {
	c, err := l.post(kindAppend, question{Entry: entry{Revision: e.First, Head: e.Head, Body: e.Body}})
	if err != nil {
		return shared.End{}, err
	}
	l.appended = c
	return l.outcome(ctx, e)
}

// outcome waits for the answer to the last append, which was of e.
func (l *log) outcome(ctx context.Context, e *shared.Entry) (shared.End, error) {
	a, err := l.wait(ctx, l.appended)
	if a.ID != 0 {
		l.appended.answer <- a // Settle may ask again
	}
	var told *OwnerError
	switch {
	case errors.As(err, &told) && !errors.Is(err, cloud.ErrInDoubt):
		return shared.End{}, err
	case err != nil:
		return shared.End{}, &unknownError{err}
	case a.Moved && a.Revision >= e.First:
		return shared.End{}, shared.ErrMoved
	case a.Moved || a.Revision != e.Last:
		return shared.End{}, &unknownError{l.leave(fmt.Errorf("%w: a write that leads to revision %d led to %d", errFrame, e.Last, a.Revision))}
	}
	return endAt(e.Last), nil
}

// Settle implements shared.Log. Where the owner has gone, it looks at what that has left.
func (l *log) Settle(ctx context.Context, _ shared.End, e *shared.Entry) (bool, error) {
	_, err := l.outcome(ctx, e)
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, shared.ErrUnknown):
		return false, nil
	case !errors.Is(err, shared.ErrGone) || l.options.Reopen == nil:
		return false, err
	}
	left, fault := l.options.Reopen(ctx)
	if fault != nil {
		return false, err // why it went says more
	}
	defer left.Close() //nolint:errcheck // it was only read
	found, fault := left.Events(ctx, cloud.EventQuery{After: e.First - 1, Until: e.Last, Limit: 1, Small: 1})
	f, follows := left.(*Store)
	switch {
	case fault == nil && len(found) == 1 && same(found[0], e):
		return true, nil
	case fault == nil && (len(found) == 1 || left.Snapshot().Revision() < e.First) && !(follows && f.log.peer.PID == l.peer.PID):
		return false, nil // who went can no longer write it
	}
	return false, err
}

// same reports whether an event is that of an entry of the same revision. Its time, to the
// nanosecond, and its words tell it from others; what it changed follows from the revision
// that both rest on.
func same(ev cloud.Event, e *shared.Entry) bool {
	is := wire.EventOf(ev)
	is.Count, is.Omitted = is.Count+is.Omitted, 0
	head, err := wire.Marshal([]wire.Event{is})
	return err == nil && bytes.Equal(head, e.Head)
}

// How entries are asked for.
const (
	mostChanges  = 64     // of an entry; the body of one with more is asked for by itself
	tooFarBehind = 20_000 // entries, above which a checkpoint is quicker
)

// End implements shared.Log.
func (l *log) End(ctx context.Context) (shared.End, error) {
	a, _, err := l.ask(ctx, kindEvents, question{Query: cloud.EventQuery{After: math.MaxUint64}})
	return endAt(a.Revision), err
}

// Read implements shared.Log.
func (l *log) Read(ctx context.Context, from cloud.Revision, take func(*shared.Entry) error) (shared.End, error) {
	for {
		next, end, err := l.page(ctx, from, false, take)
		if err != nil || next > end {
			return endAt(end), err
		}
		from = next
	}
}

// Watch implements shared.Log.
func (l *log) Watch(ctx context.Context, after shared.End, take func(*shared.Entry) error) error {
	from := after.Revision + 1
	for {
		next, _, err := l.page(ctx, from, true, take)
		if err != nil {
			return err
		}
		from = next
	}
}

// page calls take with some entries from a revision on, and returns which is next, and where
// the log ends. With wait there is at least one.
func (l *log) page(ctx context.Context, from cloud.Revision, wait bool, take func(*shared.Entry) error) (next, end cloud.Revision, err error) {
	a, _, err := l.ask(ctx, kindEvents, question{Wait: wait, Query: cloud.EventQuery{After: from - 1, Until: from + mostEntries - 1, Limit: mostEntries, Small: mostChanges}})
	n := len(a.Entries)
	switch {
	case err != nil:
		return 0, 0, err
	case a.Revision+1 < from, wait && a.Revision < from:
		return 0, 0, l.leave(fmt.Errorf("%w: revision %d after %d", errFrame, a.Revision, from-1))
	case a.Revision > from+tooFarBehind, a.Revision >= from && (n == 0 || a.Entries[n-1].Revision != from):
		return 0, 0, shared.ErrForgotten
	}
	for i := range a.Entries {
		e, err := l.entry(a.Entries[n-1-i], from+cloud.Revision(i))
		if err == nil {
			err = l.sound(take(e))
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return from + cloud.Revision(n), a.Revision, nil
}

// sound returns err, an error about what the owner has said, and leaves an owner that says
// what cannot be.
func (l *log) sound(err error) error {
	if err == nil || errors.Is(err, shared.ErrForgotten) || errors.Is(err, placement.ErrUnavailable) || errors.Is(err, context.Canceled) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return l.leave(err)
}

// entry returns the shared.Entry of e, which is to be of a revision.
func (l *log) entry(e entry, rev cloud.Revision) (*shared.Entry, error) {
	if e.Revision != rev {
		return nil, l.leave(fmt.Errorf("%w: revision %d in the place of %d", errFrame, e.Revision, rev))
	}
	return &shared.Entry{First: rev, Last: rev, Mark: endAt(rev).Mark, Head: e.Head, Body: e.Body}, nil
}

// Back implements shared.Log.
func (l *log) Back(ctx context.Context, until cloud.Revision, limit int) (out []*shared.Entry, err error) {
	a, _, err := l.ask(ctx, kindEvents, question{Query: cloud.EventQuery{Until: until, Limit: limit, Small: mostChanges}})
	for i := range a.Entries {
		if err == nil {
			var e *shared.Entry
			e, err = l.entry(a.Entries[i], until-cloud.Revision(i))
			out = append(out, e)
		}
	}
	return out, err
}

// Body implements shared.Log.
func (l *log) Body(ctx context.Context, e *shared.Entry) ([]byte, error) {
	if e.Body != nil {
		return e.Body, nil
	}
	a, _, err := l.ask(ctx, kindEvents, question{Query: cloud.EventQuery{After: e.First - 1, Until: e.Last, Limit: 1}})
	switch {
	case err != nil:
		return nil, err
	case len(a.Entries) == 0 || a.Entries[0].Body == nil:
		return nil, shared.ErrForgotten
	}
	e.Head = a.Entries[0].Head // with fewer changes, where a newer release made some
	return a.Entries[0].Body, nil
}

// Checkpoint implements shared.Log.
func (l *log) Checkpoint(ctx context.Context, read func(shared.Checkpoint, io.Reader) error) error {
	a, c, err := l.ask(ctx, kindCheckpoint, question{})
	if err != nil {
		return err
	}
	return l.sound(read(shared.Checkpoint{Revision: a.Revision}, &c.parts))
}
