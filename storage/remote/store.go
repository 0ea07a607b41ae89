package remote

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/memory"
)

// Store is a cloud elsewhere. Its methods may be called from any goroutine.
type Store struct {
	scheme string
	clock  func() time.Time
	every  time.Duration // between two readings; 0 for none
	can    atomic.Pointer[cloud.Capabilities]
	lost   conflict.Log
	// forbidden has the actions that Nova refused the user, with the reason.
	forbidden sync.Map
	kept      *memory.Store

	turn   chan struct{} // held while reading or writing
	reader *reader
	ctx    context.Context //nolint:containedctx // it ends when the store is closed
	stop   context.CancelFunc
	work   sync.WaitGroup

	link   atomic.Pointer[engine.Link]
	mu     sync.Mutex // guards what follows, and changes of link
	follow map[chan struct{}]func() bool
	closed bool

	holders atomic.Int32  // how many callers of Hold keep background reading off
	resumed chan struct{} // receives a value when the last of them ends

	previewed time.Time // when what was read so far was last shown; used only while reading, under reader.mu
}

var (
	_ storage.Store  = (*Store)(nil)
	_ engine.Distant = (*Store)(nil)
)

// options are what a Store is made with.
type options struct {
	scheme string
	clock  func() time.Time
	every  time.Duration
	can    cloud.Capabilities
	tell   func(done, of int)
	soon   bool
}

// newStore returns a Store of what call reaches, once it is read; with o.soon, once there
// is something to look at.
func newStore(ctx context.Context, call *caller, o options) (*Store, error) {
	s := &Store{
		scheme: o.scheme, clock: o.clock, every: o.every, kept: memory.New(memory.Options{Clock: o.clock}),
		turn: make(chan struct{}, 1), resumed: make(chan struct{}, 1), follow: map[chan struct{}]func() bool{},
	}
	// ctx may end long before the store is closed.
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.link.Store(&engine.Link{})
	o.can.Servers = s.servers(call)
	s.can.Store(&o.can)
	shown := make(chan struct{})
	var once sync.Once
	s.reader = newReader(call, o.clock)
	s.reader.tell = func(done, of int) {
		text := engine.Reading(done, of)
		if text != s.Link().Doing {
			s.say(func(l *engine.Link) { l.Doing = text })
		}
		if o.tell != nil {
			o.tell(done, of)
		}
		if o.soon && done > 0 && s.due() {
			s.preview()
		}
	}
	s.reader.show = func() {
		if o.soon {
			s.preview()
			once.Do(func() { close(shown) })
		}
	}
	if !o.soon {
		if err := s.Refresh(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
	failed := make(chan error, 1)
	s.work.Go(func() {
		err := s.Refresh(s.ctx)
		failed <- err
		select {
		case <-shown:
			s.goOn(err)
		default: // newStore has not returned yet
		}
	})
	select {
	case <-shown:
		return s, nil
	case err := <-failed:
		if err == nil {
			return s, nil
		}
		return nil, errors.Join(err, s.Close())
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), s.Close())
	}
}

// showEvery is how often what was read so far is shown while a whole cloud is read.
const showEvery = time.Second

// due reports whether it is time to show what was read so far.
func (s *Store) due() bool { return s.clock().Sub(s.previewed) >= showEvery }

// goOn reads again and again until the store is closed. After failures it waits longer
// each time, up to mostWait.
func (s *Store) goOn(err error) {
	const mostWait = 2 * time.Minute
	wait := time.Second
	for {
		d := s.every
		switch {
		case err != nil:
			d = wait/2 + rand.N(wait)
			wait = min(2*wait, mostWait)
		case s.every == 0:
			return
		default:
			wait = time.Second
		}
		s.say(func(l *engine.Link) { l.Next = s.clock().Add(d) })
		if storage.Pause(s.ctx, d) != nil {
			return
		}
		for s.holders.Load() > 0 {
			select {
			case <-s.resumed:
			case <-s.ctx.Done():
				return
			}
		}
		err = s.Refresh(s.ctx)
	}
}

// Refresh implements engine.Distant.
func (s *Store) Refresh(ctx context.Context) error {
	return s.refreshAs(ctx, asRead())
}

// Look implements engine.Distant.
func (s *Store) Look(ids ...placement.ProviderID) { s.reader.looked.Store(&ids) }

// Hold implements engine.Distant.
func (s *Store) Hold(ctx context.Context) {
	s.holders.Add(1)
	s.say(func(*engine.Link) {})
	context.AfterFunc(ctx, func() {
		s.holders.Add(-1)
		s.say(func(*engine.Link) {})
		select {
		case s.resumed <- struct{}{}:
		default:
		}
	})
}

// asRead is what the journal says of changes by others.
func asRead() cloud.Change { return cloud.PutRecords("cloud", "as it was read", nil) }

// refreshAs is Refresh with c in the journal as the cause of changes.
func (s *Store) refreshAs(ctx context.Context, c cloud.Change) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.ctx.Err() != nil {
		return storage.ErrClosed
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)() //nolint:contextcheck // of the store, whose end is one of both
	return s.readAs(ctx, c)
}

// readAs reads what has changed and publishes it, with c in the journal as the cause. The
// caller has the turn.
func (s *Store) readAs(ctx context.Context, c cloud.Change) error {
	began, sent := s.clock(), s.reader.call.sent.Load()
	err := s.reader.read(ctx)
	for _, of := range s.reader.call.services {
		of.answers.Store(false)
	}
	if err == nil {
		s.noteUnread()
		s.reader.mu.Lock()
		err = s.publish(c)
		s.reader.mu.Unlock()
	}
	if s.ctx.Err() != nil {
		return storage.ErrClosed
	}
	s.say(func(l *engine.Link) {
		l.Doing, l.Next, l.Parts = "", time.Time{}, s.reader.reads.list()
		if err != nil {
			l.Lost, l.Sent = err.Error(), s.reader.call.sent.Load()
			return
		}
		now := s.reader.call.sent.Load()
		*l = engine.Link{At: began, Sent: now, Requests: now - sent, Took: s.clock().Sub(began), Without: s.reader.without(), Parts: l.Parts}
	})
	return err
}

// noteUnread updates what was not read so far in Capabilities. The caller has the turn.
func (s *Store) noteUnread() {
	can := *s.can.Load()
	can.Servers = s.servers(s.reader.call) // Nova's microversion may be known by now
	can.Unread, can.Cut = s.reader.unread(), s.reader.cut()
	s.can.Store(&can)
}

// say changes what Link returns.
func (s *Store) say(change func(l *engine.Link)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := *s.link.Load()
	is := was
	change(&is)
	s.link.Store(&is)
	for ch := range s.follow {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// Link implements engine.Distant.
func (s *Store) Link() engine.Link {
	l := *s.link.Load()
	if s.holders.Load() > 0 {
		l.Next = time.Time{}
	}
	return l
}

// Linked implements engine.Distant.
func (s *Store) Linked(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || ctx.Err() != nil {
		close(ch)
		return ch
	}
	s.follow[ch] = context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, ok := s.follow[ch]; ok {
			delete(s.follow, ch)
			close(ch)
		}
	})
	return ch
}

// publish shows what was read so far, unless it is shown already. The mirror must not
// change meanwhile.
func (s *Store) publish(by cloud.Change) error {
	was := s.kept.Snapshot()
	records := s.reader.m.records()
	changes := cloud.Differences(was, records)
	if len(changes) == 0 {
		return nil
	}
	c := cloud.PutRecords(by.Actor, by.Note, changes)
	c.Task, c.Step, c.At = by.Task, by.Step, s.clock().UTC()
	next, ev, err := was.Apply(c)
	if err != nil {
		// The state of the real cloud counts, even if a writer's change would be refused.
		next, err = cloud.Load(was.Revision()+1, c.At, func(yield func(versioned.Record, error) bool) {
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		})
		if err != nil {
			return &FaultError{Service: s.scheme, Why: "the answers contradict each other: " + clip(err.Error()), Err: err}
		}
		ev = cloud.Event{Revision: next.Revision(), At: c.At, Actor: c.Actor, Note: c.Note, Task: c.Task, Step: c.Step, Changes: changes}
	}
	if s.Link().At.IsZero() {
		s.kept.Begin(next) // what is read for the first time may have been there for years
	} else {
		s.kept.Follow(next, ev)
	}
	return nil
}

// preview shows what was read so far. Parts that do not fit together yet may do so later.
func (s *Store) preview() {
	s.previewed = s.clock()
	s.noteUnread()
	if err := s.publish(asRead()); err != nil {
		s.say(func(l *engine.Link) { l.Doing = "reading" })
	}
}

// Scheme says where the cloud is.
func (s *Store) Scheme() string { return s.scheme }

// Snapshot implements cloud.Reader.
func (s *Store) Snapshot() *cloud.Snapshot { return s.kept.Snapshot() }

// Capabilities implements cloud.Cloud. Writes are refused while the Snapshot is out of
// date because the cloud could not be read, and before all of it was read: what has
// not been read looks as if it did not exist, and would be overwritten.
func (s *Store) Capabilities() cloud.Capabilities {
	can := *s.can.Load()
	switch l := s.Link(); {
	case can.ReadOnly != "":
	case l.Lost != "":
		can.ReadOnly = "what is shown is out of date: " + l.Lost
	case l.At.IsZero():
		can.ReadOnly = "the cloud is still being read"
	}
	return can
}

// Watch implements cloud.Watcher.
func (s *Store) Watch(ctx context.Context) <-chan cloud.Revision { return s.kept.Watch(ctx) }

// Events implements cloud.Historian: the changes seen since the store was opened.
func (s *Store) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	return s.kept.Events(ctx, q)
}

// Conflicts implements cloud.ConflictLog.
func (s *Store) Conflicts() []cloud.Conflict { return s.lost.Conflicts() }

// Verify implements storage.Store: it reads what changed, and reports what is
// inconsistent within the cloud.
func (s *Store) Verify(ctx context.Context) ([]storage.Defect, error) {
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	return s.kept.Verify(ctx)
}

// Close implements storage.Store. It ends the reading in progress.
func (s *Store) Close() error {
	s.stop()
	s.work.Wait()
	s.mu.Lock()
	s.closed = true
	for ch, stop := range s.follow {
		stop()
		close(ch)
	}
	clear(s.follow)
	s.mu.Unlock()
	closeIdle(&s.reader.call.client.HTTPClient)
	return s.kept.Close()
}
