package cloud

import (
	"context"
)

// Reader gives the newest Snapshot. It never blocks.
type Reader interface {
	Snapshot() *Snapshot
}

// Writer changes the cloud.
type Writer interface {
	// Apply decides c on the newest Snapshot and returns when the outcome is
	// kept for good. Errors are those of Snapshot.Apply, and
	// placement.ErrUnavailable when the outcome could not be kept, or
	// placement.ErrUnsupported when the cloud may not be written; nothing is
	// changed then, unless the error matches ErrInDoubt. A ctx that ends before
	// the decision stops it.
	Apply(ctx context.Context, c Change) Outcome
}

// Commit is a write that was kept: the Snapshot that it led to, and what it
// changed. A change that altered nothing has an Event without Changes.
type Commit struct {
	Snapshot *Snapshot
	Event    Event
}

// Watcher tells when the cloud has changed.
type Watcher interface {
	// Watch returns a channel with room for one Revision: the newest that the
	// receiver has not yet taken. It is closed when ctx ends or the store is
	// closed. The data is read from the Snapshot, never from the channel.
	Watch(ctx context.Context) <-chan Revision
}

// Historian reads the journal.
type Historian interface {
	// Events returns the events that q picks, the newest first. What the journal
	// has dropped because of its age is not returned.
	Events(ctx context.Context, q EventQuery) ([]Event, error)
}

// EventQuery selects events of a journal.
type EventQuery struct {
	Until Revision // up to and including this one; 0 for the newest
	After Revision // and none up to and including this one
	Limit int      // at most so many; 0 for as many as Most says
	// Small is how many changes an event may have to come with them; 0 for any
	// number. Larger ones come without, and say in Omitted how many there are: a
	// list of events need not read an import of a whole cloud.
	Small int
}

// Most returns how many events are wanted at most: 100 where Limit does not say.
func (q EventQuery) Most() int {
	if q.Limit > 0 {
		return q.Limit
	}
	return 100
}

// ConflictLog remembers the races that writers lost.
type ConflictLog interface {
	// Conflicts returns the newest conflicts since the store was opened, the oldest
	// first, and at most MostConflicts. It never blocks, and what it returns never
	// changes. A conflict changes nothing, so that none is kept for longer than the store
	// is open.
	Conflicts() []Conflict
}

// MostConflicts is how many conflicts a store remembers.
const MostConflicts = 256

// Cloud is what the dashboard and the commands work on.
type Cloud interface {
	Reader
	Writer
	Watcher
	Historian
	ConflictLog
	Capabilities() Capabilities
}
