package follow

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/internal/watch"
	"github.com/placetop/placetop/storage/internal/wire"
)

// Options are what a follower is made with. Only Clock is required.
type Options struct {
	// Clock gives the time of a change that names none.
	Clock func() time.Time
	// Release is the release of this program.
	Release string
	// ReadOnly is why this follower must not write, "" where it may.
	ReadOnly string
	// Reopen opens the store as its owner has left it, to see what became of a write that
	// the owner has not answered; nil if there is no way but through the owner.
	Reopen func(ctx context.Context) (storage.Store, error)
}

// Store is a cloud that another process, the owner, keeps. Its methods may be called
// from any goroutine. When the owner goes, its last state can still be read; writes,
// and everything that only the owner can answer, fail with a GoneError.
type Store struct {
	options Options
	line    line
	codec   *versioned.Codec
	owner   hello

	newest   atomic.Pointer[cloud.Snapshot]
	watchers watch.Hub
	lost     conflict.Log

	turn    chan struct{} // held by the current writer
	quit    chan struct{} // closed by Close
	closing sync.Once
	gone    chan struct{} // closed when the reader has ended
	why     error         // why the reader ended; read after gone

	mu      sync.Mutex // guards what follows
	last    uint64     // number of the last question
	waiting map[uint64]*question
	news    chan struct{} // closed, and replaced, at every revision
}

var (
	_ storage.Store   = (*Store)(nil)
	_ engine.Backuper = (*Store)(nil)
)

// question is a question without an answer yet.
type question struct {
	answer chan answer     // receives the answer
	told   []cloud.Event   // events of the journal that have come so far
	next   *cloud.Snapshot // what a write leads to; nil for other questions
}

// Follow returns the store that the owner at conn serves, once all of it has arrived.
// It closes conn if that fails, and otherwise with the store.
//
// Errors match placement.ErrUnavailable.
func Follow(ctx context.Context, conn net.Conn, o Options) (*Store, error) {
	if o.Clock == nil {
		panic("follow: a store needs a clock")
	}
	s := &Store{
		options: o, line: line{conn: conn}, codec: cloud.NewCodec(),
		turn: make(chan struct{}, 1), quit: make(chan struct{}), gone: make(chan struct{}),
		waiting: map[uint64]*question{}, news: make(chan struct{}),
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err := s.greet()
	if err == nil {
		err = s.first()
	}
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close() // it is no longer of use
		return nil, err
	}
	go s.read()
	return s, nil
}

// greet tells the owner who follows, and reads who the owner is.
func (s *Store) greet() error {
	err := s.line.send(kindHello, hello{
		Magic: magic, Protocol: protocol, Release: s.options.Release, Formats: wire.Formats(), PID: os.Getpid(), Looks: s.options.ReadOnly != "",
	})
	if err != nil {
		return &RefusedError{Why: "the placetop that has the cloud open does not listen: " + err.Error()}
	}
	s.owner, err = greeted(&s.line, "has the cloud open", s.options.Release)
	return err
}

// first reads the first checkpoint.
func (s *Store) first() error {
	in := incoming{Store: s, pieces: pieces{codec: s.codec}}
	for s.newest.Load() == nil {
		f, err := s.line.read(maxFrame, stallTime)
		if err == nil {
			err = in.take(f)
		}
		if err != nil {
			return s.goneBy(err)
		}
	}
	return nil
}

// Owner names the process that keeps the cloud, such as "pid 4211".
func (s *Store) Owner() string { return fmt.Sprintf("pid %d", s.owner.PID) }

// Scheme returns the scheme of the owner's engine, and who the owner is.
func (s *Store) Scheme() string { return s.owner.Scheme + " of " + s.Owner() }

// Gone is closed when the owner has gone, or no longer answers, and when the
// store is closed.
func (s *Store) Gone() <-chan struct{} { return s.gone }

// Damage returns the damage of the owner's store, if that is why it can only be read.
func (s *Store) Damage() *storage.DamagedError {
	if s.owner.Damage == "" {
		return nil
	}
	return &storage.DamagedError{Path: s.owner.Place, What: s.owner.Damage, Remedy: storage.CutJournal}
}

// Newer returns what of the owner's store a newer release wrote, nil for nothing.
func (s *Store) Newer() *storage.NewerError {
	is := s.owner.Newer
	if is == nil {
		return nil
	}
	return &storage.NewerError{Path: s.owner.Place, What: is.What, Has: is.Has, Knows: is.Knows, By: is.By}
}

// Snapshot implements cloud.Reader.
func (s *Store) Snapshot() *cloud.Snapshot { return s.newest.Load() }

// Watch implements cloud.Watcher.
func (s *Store) Watch(ctx context.Context) <-chan cloud.Revision { return s.watchers.Watch(ctx) }

// Conflicts implements cloud.ConflictLog: those of the writers of this store, but not
// of other followers of the same owner, nor of the owner itself.
func (s *Store) Conflicts() []cloud.Conflict { return s.lost.Conflicts() }

// Capabilities implements cloud.Cloud.
func (s *Store) Capabilities() cloud.Capabilities {
	switch err := s.ended(); {
	case err != nil:
		return cloud.Capabilities{ReadOnly: err.Error()}
	case s.owner.ReadOnly != "":
		return cloud.Capabilities{ReadOnly: s.owner.ReadOnly}
	default:
		return cloud.Capabilities{ReadOnly: s.options.ReadOnly}
	}
}

// ended returns why the owner no longer answers; nil while it does.
func (s *Store) ended() error {
	select {
	case <-s.gone:
		return s.why
	default:
		return nil
	}
}

// goneBy returns the GoneError for err, a sign that the owner has gone.
func (s *Store) goneBy(err error) error {
	switch err.(type) { //nolint:errorlint // only what says so itself
	case *GoneError, *RefusedError:
		return err
	}
	return &GoneError{Owner: s.Owner(), Err: err}
}

// isClosed reports whether Close was called.
func (s *Store) isClosed() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// Apply implements cloud.Writer.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	out := s.apply(ctx, c)
	if err := out.Err(); errors.Is(err, ErrGone) && !errors.Is(err, cloud.ErrInDoubt) {
		return cloud.Refused(fmt.Errorf("%w; it was not written: try again", err))
	}
	return out
}

func (s *Store) apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	switch {
	case s.isClosed():
		return cloud.Refused(storage.ErrClosed)
	case s.ended() != nil:
		return cloud.Refused(s.ended())
	}
	if err := s.Capabilities().Can(c.Ops...); err != nil {
		return cloud.Refused(err)
	}
	if err := ctx.Err(); err != nil {
		return cloud.Refused(err)
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return cloud.Refused(ctx.Err())
	case <-s.quit:
		return cloud.Refused(storage.ErrClosed)
	}
	for {
		if s.isClosed() {
			return cloud.Refused(storage.ErrClosed)
		}
		out, moved := s.try(ctx, storage.Stamp(c, s.options.Clock))
		if moved == 0 {
			return out
		}
		if err := s.await(ctx, moved); err != nil {
			return cloud.Refused(err) // the owner has not kept it
		}
	}
}

// try decides c on the newest Snapshot here, and asks the owner to keep the result. If that
// Snapshot was old, nothing was done, and moved is the revision that the owner is at.
func (s *Store) try(ctx context.Context, c cloud.Change) (out cloud.Outcome, moved cloud.Revision) {
	on := s.newest.Load()
	next, ev, refused := wire.Applied(on, c)
	var a answer
	var err error
	if refused != nil || len(ev.Changes) == 0 {
		a, err = s.ask(ctx, kindSync, func(id uint64) error { return s.line.send(kindSync, query{ID: id}) }, nil)
		a.Moved = a.Revision != on.Revision()
	} else {
		a, err = s.ask(ctx, kindApply, func(id uint64) error {
			s.line.mu.Lock()
			defer s.line.mu.Unlock()
			return s.line.putEvent(s.codec, kindApply, id, ev)
		}, next)
	}
	switch {
	case errors.Is(err, cloud.ErrInDoubt):
		return s.settle(ctx, next, ev, err), 0
	case err != nil:
		return cloud.Refused(err), 0
	case a.Moved && a.Revision <= on.Revision():
		return cloud.Refused(s.lose(fmt.Errorf("%w: it went back from revision %d to %d", errFrame, on.Revision(), a.Revision))), 0
	case a.Moved:
		return cloud.Outcome{}, a.Revision
	case refused != nil:
		s.lost.Note(on, c, refused)
		return cloud.Refused(refused), 0
	}
	return cloud.Kept(next, ev), 0
}

// settle looks for ev in what the owner has left, after it went without an answer. That it
// is not there decides only if the owner can no longer write it.
func (s *Store) settle(ctx context.Context, next *cloud.Snapshot, ev cloud.Event, err error) cloud.Outcome {
	var gone *GoneError
	if s.options.Reopen == nil || !errors.As(err, &gone) {
		return cloud.InDoubt(err)
	}
	left, fault := s.options.Reopen(ctx)
	if fault != nil {
		return cloud.InDoubt(err) // why it went says more
	}
	defer left.Close() //nolint:errcheck // it was only read
	found, fault := left.Events(ctx, cloud.EventQuery{After: ev.Revision - 1, Until: ev.Revision, Limit: 1})
	f, follows := left.(*Store)
	switch {
	case fault == nil && len(found) == 1 && same(found[0], ev):
		return cloud.Kept(next, ev)
	case fault == nil && (len(found) == 1 || left.Snapshot().Revision() < ev.Revision) && !(follows && f.owner.PID == s.owner.PID):
		return cloud.Refused(gone)
	}
	return cloud.InDoubt(err)
}

// same reports whether two events of one revision are of one write. Its time, to the
// nanosecond, and its words tell them apart; what it changed follows from the revision
// that both rest on.
func same(a, b cloud.Event) bool {
	return a.Revision == b.Revision && a.At.Equal(b.At) && a.Actor == b.Actor && a.Note == b.Note && a.Task == b.Task && a.Step == b.Step
}

// await waits until this store is at a revision.
func (s *Store) await(ctx context.Context, rev cloud.Revision) error {
	for {
		s.mu.Lock()
		news := s.news
		s.mu.Unlock()
		if s.newest.Load().Revision() >= rev {
			return ctx.Err()
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		case <-s.gone:
			return s.why
		}
	}
}

// ask sends a question, and waits for the answer. The error of an answer is returned as
// that of the call.
func (s *Store) ask(ctx context.Context, k kind, send func(id uint64) error, next *cloud.Snapshot) (answer, error) {
	a, _, err := s.askAll(ctx, k, send, &question{next: next})
	return a, err
}

// askAll is ask for a question whose reply has more parts than the answer.
func (s *Store) askAll(ctx context.Context, k kind, send func(id uint64) error, q *question) (answer, *question, error) {
	q.answer = make(chan answer, 1)
	s.mu.Lock()
	s.last++
	id := s.last
	s.waiting[id] = q
	s.mu.Unlock()
	if k != kindApply { // it counts even if the caller no longer waits for the answer
		defer func() {
			s.mu.Lock()
			delete(s.waiting, id)
			s.mu.Unlock()
		}()
	}
	if err := send(id); err != nil {
		return answer{}, q, s.lose(err) // a message that was not sent to its end is not read
	}
	var late <-chan time.Time
	left := ctx.Done()
	if k != kindVerify && k != kindBackup { // these take as long as they take
		timer := time.NewTimer(answerTime)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case a := <-q.answer:
			return a, q, a.err()
		case <-s.gone:
			select {
			case a := <-q.answer:
				return a, q, a.err()
			default:
			}
			return answer{}, q, unanswered(k, s.why)
		case <-late:
			if ctx.Err() != nil {
				return answer{}, q, unanswered(k, &SlowError{Owner: s.Owner(), Err: ctx.Err()})
			}
			return answer{}, q, unanswered(k, s.lose(errSilent))
		case <-left:
			if k != kindApply {
				return answer{}, q, ctx.Err()
			}
			// The write is under way: wait a moment for its outcome.
			timer := time.NewTimer(graceTime)
			defer timer.Stop()
			left, late = nil, timer.C
		}
	}
}

// errSilent says that an owner exists but does not answer.
var errSilent = fmt.Errorf("it has not answered for %s", answerTime)

// lose gives up on an owner that does not answer, and returns why.
func (s *Store) lose(err error) error {
	if s.isClosed() {
		return storage.ErrClosed
	}
	select { // the reader may not have got the owner's farewell yet
	case <-s.gone:
	case <-time.After(partingTime):
	}
	_ = s.line.conn.Close() // ends the reader
	<-s.gone
	if s.isClosed() {
		return storage.ErrClosed
	}
	var slow net.Error
	if errors.Is(err, errSilent) || errors.Is(err, errFrame) || errors.As(err, &slow) && slow.Timeout() {
		return &GoneError{Owner: s.Owner(), Err: err}
	}
	return s.why // the reader knows more than that sending fails
}

// unanswered returns why a question that was sent gets no answer: a write may have been
// kept.
func unanswered(k kind, why error) error {
	if k == kindApply {
		return &cloud.InDoubtError{Err: why}
	}
	return why
}

// Events implements cloud.Historian.
func (s *Store) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	_, asked, err := s.inquire(ctx, kindEvents, func(id uint64) any {
		return query{ID: id, Until: q.Until, After: q.After, Limit: q.Limit, Small: q.Small}
	})
	if err != nil {
		return nil, err
	}
	return asked.told, nil
}

// Verify implements storage.Store: the owner reads everything that it keeps.
func (s *Store) Verify(ctx context.Context) ([]storage.Defect, error) {
	a, _, err := s.inquire(ctx, kindVerify, func(id uint64) any { return query{ID: id} })
	if err != nil {
		return nil, err
	}
	var found []storage.Defect
	for _, d := range a.Defects {
		found = append(found, storage.Defect{Where: d.Where, What: d.What, Remedy: d.Remedy})
	}
	return found, nil
}

// BackupFile implements engine.Backuper: the owner writes the copy.
func (s *Store) BackupFile(ctx context.Context, path string, to diskfile.Options) error {
	if !s.owner.Backup {
		return fmt.Errorf("what %s has open cannot be backed up: %w", s.Owner(), placement.ErrUnsupported)
	}
	b, err := backupOf(path, to)
	if err != nil {
		return err
	}
	_, _, err = s.inquire(ctx, kindBackup, func(id uint64) any {
		b.ID = id
		return b
	})
	return err
}

// inquire asks for something other than a write.
func (s *Store) inquire(ctx context.Context, k kind, message func(id uint64) any) (answer, *question, error) {
	if s.isClosed() {
		return answer{}, nil, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return answer{}, nil, err
	}
	return s.askAll(ctx, k, func(id uint64) error { return s.line.send(k, message(id)) }, new(question))
}

// Close implements storage.Store.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.quit)
		s.turn <- struct{}{} // after the answer to the write under way
		_ = s.line.conn.Close()
		<-s.gone
		s.watchers.Close()
	})
	return nil
}
