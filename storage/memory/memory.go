// Package memory keeps a cloud only in memory: for the demo, for tests, and for
// experiments on a copy.
//
// A Store is one Snapshot behind an atomic pointer. Readers load it and never wait;
// writers take turns.
package memory

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/internal/watch"
)

// DefaultJournal is how many revisions a Store remembers by default.
const DefaultJournal = 10_000

// DefaultJournalChanges is how many changes of records a Store remembers by default.
const DefaultJournalChanges = 50_000

// Options of a Store.
type Options struct {
	// Clock gives the time of a change that names none. It is required.
	Clock func() time.Time
	// Start is the cloud to begin with; nil for an empty one. What led to it is
	// not in the journal.
	Start *cloud.Snapshot
	// Journal is how many revisions are remembered; 0 for DefaultJournal.
	Journal int
	// JournalChanges is how many changes of records are remembered; 0 for
	// DefaultJournalChanges. An event whose changes are forgotten stays, and Omitted
	// says how many they were; an event with more changes than that omits them from
	// the start.
	JournalChanges int
	// Can says what may be written; the zero value allows everything.
	Can cloud.Capabilities
}

// Store is a cloud in memory. Its methods may be called from any goroutine.
type Store struct {
	clock    func() time.Time
	can      cloud.Capabilities
	newest   atomic.Pointer[cloud.Snapshot]
	watchers watch.Hub
	lost     conflict.Log

	// turn is held by the current writer. It is a channel, so that a waiting writer can
	// leave when its context ends.
	turn   chan struct{}
	closed atomic.Bool

	mu      sync.RWMutex // guards journal, and the swap of newest with it
	journal ring
}

var _ storage.Store = (*Store)(nil)

// New returns a Store. It panics without a clock, which can only be a mistake in this
// program.
func New(o Options) *Store {
	if o.Clock == nil {
		panic("memory: a store needs a clock")
	}
	if o.Start == nil {
		o.Start = cloud.Empty()
	}
	if o.Journal <= 0 {
		o.Journal = DefaultJournal
	}
	if o.JournalChanges <= 0 {
		o.JournalChanges = DefaultJournalChanges
	}
	s := &Store{
		clock: o.Clock, can: o.Can, turn: make(chan struct{}, 1),
		journal: ring{most: o.Journal, mostChanges: o.JournalChanges},
	}
	s.newest.Store(o.Start)
	return s
}

// Snapshot implements cloud.Reader.
func (s *Store) Snapshot() *cloud.Snapshot { return s.newest.Load() }

// Apply implements cloud.Writer.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	if err := s.can.Can(c.Ops...); err != nil {
		return cloud.Refused(err)
	}
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return cloud.Refused(ctx.Err())
	}
	if s.closed.Load() {
		return cloud.Refused(storage.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return cloud.Refused(err)
	}
	now := s.newest.Load()
	c = storage.Stamp(c, s.clock)
	next, ev, err := now.Apply(c)
	if err != nil {
		s.lost.Note(now, c, err)
		return cloud.Refused(err)
	}
	if len(ev.Changes) > 0 {
		s.mu.Lock()
		s.journal.add(ev)
		s.newest.Store(next)
		s.mu.Unlock()
		s.watchers.Publish(next.Revision())
	}
	return cloud.Kept(next, ev)
}

// Follow replaces the Snapshot by next, and adds ev to the journal as what led to it:
// a store that mirrors a cloud elsewhere takes over its state, whatever the rules for
// writers are. next must be of a later revision. A caller of Follow does not use
// Apply.
func (s *Store) Follow(next *cloud.Snapshot, ev cloud.Event) { s.put(next, &ev) }

// Begin is Follow without an event: next is the state before any change was seen.
func (s *Store) Begin(next *cloud.Snapshot) { s.put(next, nil) }

// Reread replaces the Snapshot by next, which is the same revision but was read in another
// way.
func (s *Store) Reread(next *cloud.Snapshot) {
	s.put(next, nil)
	s.watchers.Repeat()
}

func (s *Store) put(next *cloud.Snapshot, ev *cloud.Event) {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if s.closed.Load() {
		return
	}
	s.mu.Lock()
	if ev != nil {
		s.journal.add(*ev)
	}
	s.newest.Store(next)
	s.mu.Unlock()
	s.watchers.Publish(next.Revision())
}

// Watch implements cloud.Watcher.
func (s *Store) Watch(ctx context.Context) <-chan cloud.Revision { return s.watchers.Watch(ctx) }

// Events implements cloud.Historian.
func (s *Store) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	if s.closed.Load() {
		return nil, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.Limit = q.Most()
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.journal.pick(q), nil
}

// Conflicts implements cloud.ConflictLog.
func (s *Store) Conflicts() []cloud.Conflict { return s.lost.Conflicts() }

// Capabilities implements cloud.Cloud.
func (s *Store) Capabilities() cloud.Capabilities { return s.can }

// Verify implements storage.Store. It looks for inconsistencies within the Snapshot,
// and checks that the journal leads to it.
func (s *Store) Verify(ctx context.Context) ([]storage.Defect, error) {
	if s.closed.Load() {
		return nil, storage.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	last, kept := s.journal.last()
	now := s.newest.Load()
	s.mu.RUnlock()
	var found []storage.Defect
	for _, err := range now.Check() {
		found = append(found, storage.Defect{Where: "cloud", What: err.Error()})
	}
	if kept && last.Revision != now.Revision() {
		found = append(found, storage.Defect{
			Where: "journal", What: fmt.Sprintf("ends with revision %d, the cloud is at %d", last.Revision, now.Revision()),
		})
	}
	return found, nil
}

// Close implements storage.Store. It waits for the write in progress.
func (s *Store) Close() error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.closed.Store(true)
	s.watchers.Close()
	return nil
}
