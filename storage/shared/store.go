package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/internal/queue"
	"github.com/placetop/placetop/storage/internal/watch"
	"github.com/placetop/placetop/storage/internal/wire"
)

// Store is a cloud in a log. Its methods may be called from any goroutine. While the log
// does not answer, its last state can still be read.
type Store struct {
	options Options
	log     Log
	codec   *versioned.Codec

	newest   atomic.Pointer[cloud.Snapshot]
	watchers watch.Hub
	lost     conflict.Log

	mu     sync.Mutex // guards what follows, and is held while newest is replaced
	end    End        // where the log ended when newest was its newest
	grown  time.Time  // when newest was replaced; zero if the log had it before it was opened
	mine   *Entry     // that is being appended; nil for none
	point  Checkpoint // the newest checkpoint that is known
	heard  time.Time  // when the log last answered
	silent error      // what it failed with since; nil for nothing
	ahead  End        // an end that this process is behind
	behind time.Time  // since when; zero if it is not

	onDuty  atomic.Bool
	serves  bool          // this process does the duty when it has it
	served  chan struct{} // closed once this process has done the duty
	serving sync.Once
	turns   turns // of the writer
	failing error // why nothing can be written; nil if it can; of the writer

	queue   queue.Queue
	asks    chan chan<- error // of those who call Refresh
	quit    chan struct{}
	stop    context.CancelFunc // ends the followers
	work    sync.WaitGroup
	closing sync.Once
	closed  error // of the first Close; read after the writer has ended
}

var (
	_ storage.Store = (*Store)(nil)
	_ engine.Tester = (*Store)(nil)
	_ engine.Shared = (*Store)(nil)
)

// Open returns the store of the cloud that stands in a log, once all of it has been read.
// It closes the log with the store, and at once where it fails.
func Open(ctx context.Context, log Log, o Options) (*Store, error) {
	if o.Clock == nil {
		panic("shared: a store needs a clock")
	}
	s := &Store{
		options: o, log: log, codec: cloud.NewCodec(),
		queue: queue.New(), asks: make(chan chan<- error), quit: make(chan struct{}), served: make(chan struct{}),
	}
	s.newest.Store(cloud.Empty())
	if _, err := s.catchUp(ctx); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	s.hear(nil)
	s.grown = time.Time{}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	if log, is := log.(Unattended); is {
		s.turns.me = uuid.NewString()
		s.work.Go(func() { s.pulse(ctx) })
		if s.serves = o.ReadOnly == ""; s.serves {
			s.work.Go(func() { s.serve(ctx, log) })
		}
	}
	s.work.Go(func() { s.follow(ctx) })
	s.work.Go(func() { s.refreshes(ctx) })
	go s.write(context.WithoutCancel(ctx)) // what is written is written to its end
	return s, nil
}

// Scheme returns the scheme of the engine, which the dashboard shows.
func (s *Store) Scheme() string { return s.options.Scheme }

// Snapshot implements cloud.Reader.
func (s *Store) Snapshot() *cloud.Snapshot { return s.newest.Load() }

// Watch implements cloud.Watcher.
func (s *Store) Watch(ctx context.Context) <-chan cloud.Revision { return s.watchers.Watch(ctx) }

// Conflicts implements cloud.ConflictLog: those of the writers of this process.
func (s *Store) Conflicts() []cloud.Conflict { return s.lost.Conflicts() }

// Capabilities implements cloud.Cloud. A log that does not answer at the moment may still
// be written: the write says what became of it.
func (s *Store) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{ReadOnly: s.options.ReadOnly}
}

// Writable implements engine.Tester: nothing can be stored, nor is what is shown up to date,
// while the log does not answer.
func (s *Store) Writable(context.Context) error {
	if since, why := s.Silent(); why != nil {
		return fmt.Errorf("%s has not answered since %s: %w", s.options.Place, since.UTC().Format(cloud.Moment), why)
	}
	return nil
}

// Silent implements engine.Shared. A single answer that was lost is no silence.
func (s *Store) Silent() (since time.Time, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := func(since time.Time) bool { return s.options.Clock().Sub(since) > staleTime }
	switch {
	case s.silent != nil && late(s.heard):
		return s.heard, s.silent
	case !s.behind.IsZero() && late(s.behind):
		return s.behind, fmt.Errorf("revision %d is still being read: %w", s.ahead.Revision, placement.ErrUnavailable)
	}
	return time.Time{}, nil
}

// Refresh implements engine.Shared. Those who call it while the log is being asked share the
// next question: what is on its way may be from before they called.
func (s *Store) Refresh(ctx context.Context) error {
	answer := make(chan error, 1)
	select {
	case s.asks <- answer:
	case <-ctx.Done():
		return ctx.Err()
	case <-s.quit:
		return storage.ErrClosed
	}
	select {
	case err := <-answer:
		return s.unless(err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// refreshes answers those who call Refresh, until ctx ends.
func (s *Store) refreshes(ctx context.Context) {
	for {
		var asked []chan<- error
		select {
		case <-ctx.Done():
			return
		case a := <-s.asks:
			asked = append(asked, a)
		}
		for more := true; more; {
			select {
			case a := <-s.asks:
				asked = append(asked, a)
			default:
				more = false
			}
		}
		err := s.refresh(ctx)
		for _, a := range asked {
			a <- err
		}
	}
}

// refresh reads what others have appended by now.
func (s *Store) refresh(ctx context.Context) error {
	was := s.at()
	one, cancel := context.WithTimeout(ctx, Patience(0))
	defer cancel()
	end, err := s.log.End(one)
	if err == nil {
		err = s.follows(was, end)
	}
	if err == nil && end.Revision > s.newest.Load().Revision() {
		_, err = s.catchUp(ctx)
	}
	if err == nil || ctx.Err() == nil {
		s.hear(err)
	}
	return err
}

// OnDuty implements engine.Shared.
func (s *Store) OnDuty() bool { return s.onDuty.Load() }

// hear notes that the log has answered, or why it has not.
func (s *Store) hear(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent = err; err == nil {
		s.heard = s.options.Clock()
	}
}

// state returns the newest Snapshot, and the end of the log that it is of.
func (s *Store) state() (*cloud.Snapshot, End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.newest.Load(), s.end
}

// publish makes next, to which an entry that leads to end has led, the newest Snapshot,
// unless a newer one is.
func (s *Store) publish(next *cloud.Snapshot, end End) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next.Revision() > s.newest.Load().Revision() {
		s.newest.Store(next)
		s.grown = now()
		s.watchers.Publish(next.Revision())
	}
	if s.newest.Load().Revision() >= s.ahead.Revision {
		s.behind = time.Time{}
	}
	if end.Revision == s.newest.Load().Revision() && end.Mark > s.end.Mark {
		s.end = end
		if end.Turn.Of == s.turns.me {
			s.turns.waits.Store(false)
		}
	}
}

// errGap says that an entry does not follow from what is here.
var errGap = errors.New("an entry is missing")

// take publishes what an entry leads to; it does nothing if that is here already.
func (s *Store) take(ctx context.Context, e *Entry) error {
	on := s.newest.Load()
	switch {
	case e.Last <= on.Revision():
		return nil
	case e.First != on.Revision()+1:
		return errGap
	}
	if at := s.at(); at.ID != "" && e.After != "" && at.Revision == on.Revision() && at.ID != e.After {
		return s.wentBack(at)
	}
	next, err := s.after(ctx, on, e)
	if err != nil {
		return err
	}
	s.publish(next, End{Revision: e.Last, Total: e.Total, Mark: e.Mark, ID: e.ID, Turn: e.Turn})
	return nil
}

// at returns where the log ended for the newest Snapshot, as far as that is known.
func (s *Store) at() End {
	on, end := s.state()
	if end.Revision != on.Revision() {
		return End{Revision: on.Revision()}
	}
	return end
}

// wentBack is the error of a log that no longer has what this process has seen in it. What is
// decided here would rest on what never was.
func (s *Store) wentBack(was End) error {
	return &storage.DamagedError{
		Path: s.options.Place, What: fmt.Sprintf("it no longer has revision %d as this program has read it: it was restored from a snapshot, or made anew", was.Revision),
		Hint: "Quit this program and open it again, as all others that have it open",
	}
}

// follows returns an error unless a log that ended at was may end at end now.
func (s *Store) follows(was, end End) error {
	if end.Revision < was.Revision || end.Revision == was.Revision && was.ID != "" && end.ID != was.ID {
		return s.wentBack(was)
	}
	return nil
}

// after returns the cloud after an entry. Where this process is appending it, that is known.
func (s *Store) after(ctx context.Context, on *cloud.Snapshot, e *Entry) (*cloud.Snapshot, error) {
	s.mu.Lock()
	mine := s.mine
	s.mu.Unlock()
	if mine != nil && mine.ID == e.ID {
		return mine.leads, nil
	}
	events, err := s.events(ctx, e)
	if err != nil {
		return nil, err
	}
	for _, ev := range events {
		if on, err = wire.Follows(on, ev); err != nil {
			return nil, err
		}
	}
	return on, nil
}

// catchUp reads all that the log has and this store has not, and returns where it ends.
// Where the log no longer has what comes next, a checkpoint is read.
func (s *Store) catchUp(ctx context.Context) (End, error) {
	for range mostTries {
		if s.newest.Load().Revision() == 0 { // nothing is here yet: a checkpoint is the short way
			if err := s.again(ctx); err != nil && !errors.Is(err, ErrForgotten) {
				return End{}, err
			}
		}
		was := s.at()
		end, err := s.log.Read(ctx, was.Revision+1, func(e *Entry) error { return s.take(ctx, e) })
		if err == nil {
			err = s.follows(was, end)
		}
		if err == nil && s.newest.Load().Revision() < end.Revision {
			err = errGap
		}
		switch {
		case err == nil:
			s.publish(s.newest.Load(), end)
			return end, nil
		case !errors.Is(err, errGap) && !errors.Is(err, ErrForgotten):
			return End{}, err
		}
		if err := s.again(ctx); err != nil && !errors.Is(err, ErrForgotten) {
			return End{}, err
		}
	}
	return End{}, &storage.DamagedError{
		Path: s.options.Place, What: fmt.Sprintf("what comes after revision %d is missing, and no checkpoint is newer", s.newest.Load().Revision()),
		Hint: "Copy a backup to another prefix",
	}
}

// mostTries is how often a checkpoint is looked for that is newer than a gap in the log:
// others drop entries and make checkpoints meanwhile.
const mostTries = 5

// again reads the newest checkpoint, and publishes it if it is newer than what is here.
func (s *Store) again(ctx context.Context) error {
	return s.log.Checkpoint(ctx, func(c Checkpoint, r io.Reader) error {
		s.known(c)
		if c.Revision <= s.newest.Load().Revision() {
			return nil
		}
		next, err := readCloud(s.codec, r)
		if err == nil {
			s.publish(next, End{Revision: c.Revision, Total: c.Total})
		}
		return err
	})
}

// known notes a checkpoint.
func (s *Store) known(c Checkpoint) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.Revision >= s.point.Revision {
		s.point = c
	}
}

// follow takes what others append, until ctx ends or the log is gone.
func (s *Store) follow(ctx context.Context) {
	for wait := shortest; ctx.Err() == nil; wait = min(2*wait, longest) {
		end, err := s.catchUp(ctx)
		if err == nil {
			s.hear(nil)
			err = s.log.Watch(ctx, end, func(e *Entry) error {
				err := s.take(ctx, e)
				if err == nil {
					wait = shortest
					s.hear(nil)
				}
				return err
			})
		} else if ctx.Err() == nil {
			s.hear(err)
		}
		if errors.Is(err, ErrGone) {
			return
		}
		if !errors.Is(err, errGap) { // what a watch has missed is read at once
			_ = storage.Pause(ctx, wait)
		}
	}
}

// The pauses after a log could not be followed.
const (
	shortest = 5 * time.Millisecond
	longest  = time.Second
)

// late notes that the log ends at end, and reports whether this process is behind that.
func (s *Store) late(end End) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := end.Revision > s.newest.Load().Revision()
	if late && s.behind.IsZero() {
		s.ahead, s.behind = end, s.options.Clock()
	}
	return late
}

// pulse asks where the log ends now and then, until ctx ends: a watch may be dead, or late,
// without anybody knowing.
func (s *Store) pulse(ctx context.Context) {
	var last cloud.Revision // as of the last pulse
	var reads atomic.Bool
	old := false // as the watchers were told
	for storage.Pause(ctx, pulseTime) == nil {
		was := s.at()
		one, cancel := context.WithTimeout(ctx, pulseTime)
		end, err := s.log.End(one)
		cancel()
		if err == nil {
			err = s.follows(was, end)
		}
		late := err == nil && s.late(end)
		if ctx.Err() == nil && !late { // what is late may be so because it failed
			s.hear(err)
		}
		if late && was.Revision == last && reads.CompareAndSwap(false, true) {
			s.work.Go(func() {
				defer reads.Store(false)
				if _, err := s.catchUp(ctx); err != nil && ctx.Err() == nil {
					s.hear(err)
				}
			})
		}
		last = was.Revision
		if now := s.Writable(ctx) != nil; now != old {
			old = now
			s.watchers.Repeat()
		}
	}
}

// Close implements storage.Store. It waits for the commit in progress.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.quit)
		<-s.queue.Done
		if s.serves && s.due() { // nobody seems to make checkpoints but commands such as this one
			select {
			case <-s.served:
			case <-time.After(graceTime):
			}
		}
		s.stop()
		s.work.Wait()
		s.watchers.Close()
		s.closed = s.log.Close()
	})
	return s.closed
}

func (s *Store) isClosed() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// ready returns why a call must fail at once.
func (s *Store) ready(ctx context.Context) error {
	if s.isClosed() {
		return storage.ErrClosed
	}
	return ctx.Err()
}

// Events implements cloud.Historian.
func (s *Store) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	q.Limit = q.Most()
	now := s.newest.Load().Revision() // what is newer is not here yet
	if q.Until == 0 || q.Until > now {
		q.Until = now
	}
	var out []cloud.Event
	for len(out) < q.Limit && q.Until > q.After {
		entries, err := s.log.Back(ctx, q.Until, min(q.Limit-len(out), queue.Batch, int(q.Until-q.After)))
		if err != nil {
			return nil, s.unless(err)
		}
		for _, e := range entries {
			if e.Last < q.Until {
				return out, nil // the rest was dropped
			}
			some, err := s.picked(ctx, e, q)
			if errors.Is(err, ErrForgotten) {
				return out, nil
			}
			if err != nil {
				return nil, s.unless(err)
			}
			out = append(out, some[:min(len(some), q.Limit-len(out))]...)
			if q.Until = e.First - 1; q.Until <= q.After || len(out) == q.Limit {
				return out, nil
			}
		}
		if len(entries) == 0 {
			return out, nil
		}
	}
	return out, nil
}

// unless returns err, or that the store is closed if it is.
func (s *Store) unless(err error) error {
	if s.isClosed() {
		return storage.ErrClosed
	}
	return err
}

// picked returns the events of an entry that q selects, newest first, whatever its limit.
func (s *Store) picked(ctx context.Context, e *Entry, q cloud.EventQuery) ([]cloud.Event, error) {
	all, err := heads(e)
	if err != nil {
		return nil, err
	}
	var whole []cloud.Event
	var out []cloud.Event
	for i := len(all) - 1; i >= 0; i-- {
		head := all[i]
		switch {
		case head.Revision > q.Until || head.Revision <= q.After:
			continue
		case q.Small > 0 && head.Count > q.Small:
			head.Count, head.Omitted = 0, head.Count
			ev, err := head.With(nil)
			if err != nil {
				return nil, err
			}
			out = append(out, ev)
			continue
		case whole == nil:
			if whole, err = s.events(ctx, e); err != nil {
				return nil, err
			}
		}
		out = append(out, whole[i])
	}
	return out, nil
}

// Verify implements storage.Store. It reads the cloud and its journal anew, and compares
// them with what is here.
func (s *Store) Verify(ctx context.Context) ([]storage.Defect, error) {
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	err := s.insist(ctx, readTime, func(ctx context.Context) error {
		_, err := s.catchUp(ctx)
		return err
	})
	if err != nil {
		return nil, s.unless(err)
	}
	here := s.newest.Load()
	fresh := &Store{options: Options{Clock: s.options.Clock, Place: s.options.Place}, log: logUntil{s.log, here.Revision()}, codec: s.codec}
	fresh.newest.Store(cloud.Empty())
	var found []storage.Defect
	err = s.insist(ctx, readTime, func(ctx context.Context) error {
		_, err := fresh.catchUp(ctx)
		return err
	})
	if err != nil {
		if errors.Is(err, placement.ErrUnavailable) && !errors.Is(err, storage.ErrDamaged) || ctx.Err() != nil {
			return nil, s.unless(err)
		}
		found = append(found, storage.Defect{Where: "checkpoint and what follows it", What: err.Error()})
	} else if there := fresh.newest.Load(); there.Revision() == here.Revision() {
		for _, c := range cloud.Differences(here.Records(), recordsOf(there)) {
			found = append(found, storage.Defect{Where: "record " + c.Title(), What: "this process has it otherwise than the log"})
		}
	}
	for _, err := range here.Check() {
		found = append(found, storage.Defect{Where: "cloud", What: err.Error()})
	}
	for until := here.Revision(); until > 0; {
		entries, err := s.log.Back(ctx, until, queue.Batch)
		if err != nil {
			return nil, s.unless(err)
		}
		for _, e := range entries {
			if e.Last != until {
				return append(found, storage.Defect{Where: fmt.Sprintf("journal revision %d", until), What: "it is missing"}), nil
			}
			if _, err := s.events(ctx, e); err != nil && !errors.Is(err, ErrForgotten) {
				if errors.Is(err, placement.ErrUnavailable) || ctx.Err() != nil {
					return nil, s.unless(err)
				}
				found = append(found, storage.Defect{Where: fmt.Sprintf("journal revision %d", e.First), What: err.Error()})
			}
			until = e.First - 1
		}
		if len(entries) == 0 {
			break // older ones were dropped
		}
	}
	return found, nil
}

// recordsOf returns the records of a cloud.
func recordsOf(s *cloud.Snapshot) []versioned.Record {
	var out []versioned.Record
	for r := range s.Records() {
		out = append(out, r)
	}
	return out
}

// logUntil is a log as it was when it ended at a revision.
type logUntil struct {
	Log
	until cloud.Revision
}

func (l logUntil) Read(ctx context.Context, from cloud.Revision, take func(*Entry) error) (End, error) {
	end, err := l.Log.Read(ctx, from, func(e *Entry) error {
		if e.Last > l.until {
			return nil
		}
		return take(e)
	})
	end.Revision = min(end.Revision, l.until)
	return end, err
}
