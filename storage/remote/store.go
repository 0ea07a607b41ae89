package remote

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/internal/watch"
	"github.com/placetop/placetop/storage/memory"
)

// Store is a cloud elsewhere. Its methods may be called from any goroutine.
//
// Each service is read on its own, by its feed, so that one which does not answer does
// not delay the others.
type Store struct {
	scheme string
	clock  func() time.Time
	every  time.Duration // between two readings; 0 for none
	can    atomic.Pointer[cloud.Capabilities]
	lost   conflict.Log
	// forbidden has the actions that Nova refused the user, with the reason.
	forbidden sync.Map
	kept      *memory.Store
	publishes sync.Mutex         // held from reading the Snapshot in kept to replacing it
	names     *cloud.TenantNames // of projects and users; guarded by publishes

	reader *reader
	feeds  []*feed         // Placement's first
	ctx    context.Context //nolint:containedctx // it ends when the store is closed
	stop   context.CancelFunc
	work   sync.WaitGroup

	link   atomic.Pointer[engine.Link]
	linked watch.Receivers[struct{}]
	mu     sync.Mutex // held while link or can is changed

	holders atomic.Int32 // how many callers of Hold keep background reading off

	previewed time.Time // when what was read so far was last shown; used only while reading, under reader.mu
}

var (
	_ storage.Store  = (*Store)(nil)
	_ engine.Distant = (*Store)(nil)
)

// feed is the reading of one service.
type feed struct {
	of      api.Service
	turn    chan struct{} // held while it is read; that of Placement while anything is written, too
	resumed chan struct{} // receives a value when the last caller of Hold lets go
}

// options are what a Store is made with.
type options struct {
	scheme string
	clock  func() time.Time
	every  time.Duration
	can    cloud.Capabilities
	tell   func(done, of int)
	soon   bool
	parts  []cloud.Part // that are needed; nil for all
}

// newStore returns a Store of what call reaches, once it is read; with o.soon, once there
// is something to look at.
func newStore(ctx context.Context, call *caller, o options) (*Store, error) {
	s := &Store{
		scheme: o.scheme, clock: o.clock, every: o.every, kept: memory.New(memory.Options{Clock: o.clock}),
	}
	// ctx may end long before the store is closed.
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.reader = newReader(call, o.clock)
	s.reader.needs = o.parts
	link := engine.Link{}
	for _, of := range s.reader.services() {
		s.feeds = append(s.feeds, &feed{of, make(chan struct{}, 1), make(chan struct{}, 1)})
		is := cloud.ServiceLink{Name: called(of), Every: o.every}
		if of == api.Placement {
			link.ServiceLink = is
		} else {
			link.Beside = append(link.Beside, is)
		}
	}
	s.link.Store(&link)
	s.askable(&o.can, call)
	s.can.Store(&o.can)
	shown := make(chan struct{})
	var once sync.Once
	s.reader.tell = func(done, of int) {
		text := engine.Reading(done, of)
		if text != s.link.Load().Doing {
			s.say(func(l *engine.Link) { l.Doing = text })
		}
		if o.tell != nil {
			o.tell(done, of)
		}
		if o.soon && done > 0 && s.first() && s.due() {
			s.preview()
		}
	}
	s.reader.show = func() {
		if o.soon && s.first() {
			s.preview()
			once.Do(func() { close(shown) })
		}
	}
	if !o.soon {
		err := s.Refresh(ctx)
		call.patience = 0
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		// Whoever reads only once asks Nova again about what it did not know, as that may be
		// younger than its answer.
		for _, f := range s.feeds {
			if f.of == api.Compute && len(o.parts) == 0 && (s.reader.unsettled() || len(strangers(s.kept.Snapshot())) > 0) {
				_ = s.refresh(ctx, f, asRead()) // Link has the error
			}
		}
		if call.services[keystone] != nil && slices.Contains(o.parts, cloud.Identities) {
			ctx, stop := context.WithTimeout(ctx, namesTime)
			defer stop()
			s.name(ctx, false)
		}
		return s, nil
	}
	call.patience = 0
	if call.services[keystone] != nil {
		s.work.Go(func() { s.name(s.ctx, true) })
	}
	failed := make(chan error, 1)
	for _, f := range s.feeds {
		s.work.Go(func() {
			err := s.refresh(s.ctx, f, asRead())
			if f.of == api.Placement {
				failed <- err
				select {
				case <-shown:
				default: // newStore has not returned yet
					return
				}
			}
			s.goOn(f, err)
		})
	}
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

// called returns the name of a service as people call it.
func called(of api.Service) string {
	switch of {
	case api.Compute:
		return "Nova"
	case api.Accelerator:
		return "Cyborg"
	default:
		return "Placement"
	}
}

// showEvery is how often what was read so far is shown while a whole cloud is read.
const showEvery = time.Second

// first reports whether nothing was read as a whole yet. Later only whole readings are
// shown, so that its parts agree.
func (s *Store) first() bool { return s.Link().At.IsZero() }

// due reports whether it is time to show what was read so far.
func (s *Store) due() bool { return s.clock().Sub(s.previewed) >= showEvery }

// goOn reads a service again and again until the store is closed. After failures it waits
// longer each time, but no longer than between two readings, so that a service that is
// back is seen at once.
func (s *Store) goOn(f *feed, err error) {
	most := s.every
	if most == 0 {
		most = DefaultRefresh
	}
	wait := min(time.Second, most)
	for {
		d := s.every
		switch {
		case err != nil:
			d = wait/2 + rand.N(wait/2)
			wait = min(2*wait, most)
		case s.every == 0:
			return
		default:
			wait = min(time.Second, most)
		}
		s.sayOf(f, func(l *cloud.ServiceLink) { l.Next = s.clock().Add(d) })
		if storage.Pause(s.ctx, d) != nil {
			return
		}
		for s.holders.Load() > 0 {
			select {
			case <-f.resumed:
			case <-s.ctx.Done():
				return
			}
		}
		err = s.refresh(s.ctx, f, asRead())
	}
}

// Refresh implements engine.Distant. Its error is that of Placement: what else could not
// be read is in Link.
func (s *Store) Refresh(ctx context.Context) error {
	return s.refreshAll(ctx, asRead())
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
		for _, f := range s.feeds {
			select {
			case f.resumed <- struct{}{}:
			default:
			}
		}
	})
}

// asRead is what the journal says of changes by others.
func asRead() cloud.Change { return cloud.PutRecords("cloud", "as it was read", nil) }

// refreshAll reads all services at the same time, with c in the journal as the cause of
// changes. Its error is that of Placement.
func (s *Store) refreshAll(ctx context.Context, c cloud.Change) error {
	var beside sync.WaitGroup
	for _, f := range s.feeds[1:] {
		beside.Go(func() { _ = s.refresh(ctx, f, c) }) // Link has the error
	}
	defer beside.Wait()
	return s.refresh(ctx, s.feeds[0], c)
}

// refresh reads a service in its turn, with c in the journal as the cause of changes.
func (s *Store) refresh(ctx context.Context, f *feed, c cloud.Change) error {
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.ctx.Err() != nil {
		return storage.ErrClosed
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.ctx, stop)() //nolint:contextcheck // of the store, whose end is one of both
	return s.readAs(ctx, f, c)
}

// readBack reads Placement, and the other services that calls went to, with c in the
// journal as the cause of changes. The caller has the turn of Placement.
func (s *Store) readBack(c cloud.Change, calls []api.Call) error {
	err := s.readAs(s.ctx, s.feeds[0], c)
	for _, f := range s.feeds[1:] {
		if slices.ContainsFunc(calls, func(c api.Call) bool { return c.Service == f.of }) {
			err = cmp.Or(err, s.refresh(s.ctx, f, c))
		}
	}
	return err
}

// readAs reads what has changed of a service and publishes it, with c in the journal as
// the cause. The caller has the turn of f.
func (s *Store) readAs(ctx context.Context, f *feed, c cloud.Change) error {
	of := s.reader.call.services[f.of]
	began, sent := s.clock(), of.sent.Load()
	s.sayOf(f, func(l *cloud.ServiceLink) { l.Since, l.Next = began, time.Time{} })
	if f.of == api.Compute && len(s.reader.needs) == 0 {
		s.reader.strangers = strangers(s.kept.Snapshot())
	}
	err := s.reader.read(ctx, f.of)
	of.answers.Store(false)
	of.fails.Store(false)
	if f.of == api.Placement && ctx.Err() == nil {
		s.reader.lose(err)
	}
	if f.of == api.Placement && err == nil {
		s.reader.mu.Lock()
		err = s.publish(c)
		s.reader.mu.Unlock()
	} else if ctx.Err() == nil {
		err = cmp.Or(err, s.publishBeside(c))
	}
	if s.ctx.Err() != nil {
		return storage.ErrClosed
	}
	s.noteServers()
	s.sayOf(f, func(l *cloud.ServiceLink) {
		l.Since = time.Time{}
		if err != nil {
			l.Lost = err.Error()
			return
		}
		now := s.clock()
		l.At, l.Took, l.Requests, l.Lost = began, now.Sub(began), of.sent.Load()-sent, ""
	})
	return err
}

// noteServers updates how Nova can be asked in Capabilities.
func (s *Store) noteServers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	can := *s.can.Load()
	s.askable(&can, s.reader.call) // Nova's microversion may be known by now
	s.can.Store(&can)
}

// sayOf changes what Link returns of a service, and what has been read.
func (s *Store) sayOf(f *feed, change func(l *cloud.ServiceLink)) {
	parts, without := s.reader.reads.list(), s.reader.without()
	s.say(func(l *engine.Link) {
		is := l.Of(called(f.of))
		change(is)
		if f.of == api.Placement && is.Since.IsZero() {
			l.Doing = ""
		}
		l.Sent, l.Without, l.Parts = s.reader.call.sent.Load(), without, parts
	})
}

// say changes what Link returns.
func (s *Store) say(change func(l *engine.Link)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	is := *s.link.Load()
	is.Beside = slices.Clone(is.Beside)
	change(&is)
	s.link.Store(&is)
	s.linked.Send(struct{}{})
}

// Link implements engine.Distant.
func (s *Store) Link() engine.Link {
	l := *s.link.Load()
	l.Beside = slices.Clone(l.Beside)
	for _, f := range s.feeds {
		of := l.Of(called(f.of))
		of.Heard = s.reader.call.services[f.of].heardAt()
		if s.holders.Load() > 0 {
			of.Next = time.Time{}
		}
	}
	return l
}

// Linked implements engine.Distant.
func (s *Store) Linked(ctx context.Context) <-chan struct{} { return s.linked.Watch(ctx) }

// publish shows what was read so far of all services, unless it is shown already. The
// mirror must not change meanwhile.
func (s *Store) publish(by cloud.Change) error {
	s.publishes.Lock()
	defer s.publishes.Unlock()
	was := s.kept.Snapshot()
	records := s.reader.m.records()
	s.reader.call.hidden.Store(s.reader.m.hiddenNames())
	return s.replace(was, cloud.Differences(was.Records(), records), by, slices.Values(records))
}

// publishBeside shows what was read of Nova and Cyborg, beside Placement as it is shown.
func (s *Store) publishBeside(by cloud.Change) error {
	s.publishes.Lock()
	defer s.publishes.Unlock()
	was := s.kept.Snapshot()
	records := s.reader.m.beside()
	before := chain(was.Nova().Records(), was.Cyborg().Records())
	return s.replace(was, cloud.Differences(before, records), by, chain(was.Placement().Records(), slices.Values(records)))
}

// chain yields records after others.
func chain(first, then iter.Seq[versioned.Record]) iter.Seq[versioned.Record] {
	return func(yield func(versioned.Record) bool) {
		for r := range first {
			if !yield(r) {
				return
			}
		}
		then(yield)
	}
}

// replace replaces the Snapshot by one with changes, which has all of records. The caller
// holds publishes.
func (s *Store) replace(was *cloud.Snapshot, changes []versioned.Change, by cloud.Change, records iter.Seq[versioned.Record]) error {
	readings := s.reader.readings()
	beats, changes := cloud.Heartbeats(changes)
	if len(beats) > 0 {
		is, err := was.Beating(beats)
		if err != nil {
			return err
		}
		was = is
		s.begin(is)
	}
	if len(changes) == 0 {
		if next := was.ReadAs(readings); !next.SameReading(was) {
			s.kept.Reread(next)
		}
		return nil
	}
	c := cloud.PutRecords(by.Actor, by.Note, changes)
	c.Task, c.Step, c.At = by.Task, by.Step, s.clock().UTC()
	next, ev, err := was.Apply(c)
	if err != nil {
		// The state of the real cloud counts, even if a writer's change would be refused.
		next, err = cloud.Load(was.Revision()+1, c.At, func(yield func(versioned.Record, error) bool) {
			for r := range records {
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
	next = next.ReadAs(readings)
	if s.link.Load().At.IsZero() {
		s.begin(next) // what is read for the first time may have been there for years
	} else {
		s.goTo(next, ev)
	}
	return nil
}

// preview shows what was read so far. Parts that do not fit together yet may do so later.
func (s *Store) preview() {
	s.previewed = s.clock()
	s.noteServers()
	if err := s.publish(asRead()); err != nil {
		s.say(func(l *engine.Link) { l.Doing = "reading" })
	}
}

// Scheme says where the cloud is.
func (s *Store) Scheme() string { return s.scheme }

// Snapshot implements cloud.Reader.
func (s *Store) Snapshot() *cloud.Snapshot { return s.kept.Snapshot() }

// Capabilities implements cloud.Cloud. Writes are refused while what is shown is out of
// date because the cloud does not answer, and before all of it was read: what has not
// been read looks as if it did not exist, and would be overwritten. If Nova or Cyborg do
// not answer, this is so for what would be written to them.
func (s *Store) Capabilities() cloud.Capabilities {
	can, l, now := *s.can.Load(), s.Link(), s.clock()
	switch why := l.Why(now); {
	case can.ReadOnly != "":
	case why != "":
		can.ReadOnly = outOfDate(why)
	case l.At.IsZero():
		can.ReadOnly = "the cloud is still being read"
	}
	for _, of := range l.Beside {
		why := of.Why(now)
		if why == "" {
			continue
		}
		owns := nova.Owns
		if of.Name == called(api.Accelerator) {
			owns = cyborg.Owns
		} else if can.Servers != nil {
			servers := *can.Servers
			servers.Cannot = func(string) string { return outOfDate(why) }
			can.Servers = &servers
		}
		can.Cannot = unless(owns, outOfDate(why), can.Cannot)
	}
	return can
}

func outOfDate(why string) string { return "what is shown is out of date: " + why }

// unless returns a Cannot that refuses the operations of a ledger, and asks other about
// the rest.
func unless(owns func(cloud.Op) bool, why string, other func(cloud.Op) string) func(cloud.Op) string {
	return func(op cloud.Op) string {
		switch {
		case owns(op):
			return why
		case other != nil:
			return other(op)
		}
		return ""
	}
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

// Close implements storage.Store. It ends the reading in progress, and what is being
// written: the last Snapshot has what was reported as kept.
func (s *Store) Close() error {
	s.stop()
	s.work.Wait()
	turn := s.feeds[0].turn
	turn <- struct{}{}
	defer func() { <-turn }()
	s.linked.Close()
	closeIdle(&s.reader.call.client.HTTPClient)
	return s.kept.Close()
}
