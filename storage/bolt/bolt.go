// Package bolt keeps a cloud in one file: a bbolt file with a bucket for each kind of
// record, one for the journal, and one for the file's own description.
//
//	Apply ---> queue ---> the writer, one goroutine
//	                        takes all that wait
//	                        decides each on the working Snapshot, own verdict each
//	                        one bbolt transaction, synced, for all that was accepted
//	                        swaps the Snapshot, tells the watchers, answers
//
// Readers load the Snapshot and never touch the file. Nothing is published or acknowledged
// before it is on disk; if it cannot be written, nothing is changed, and every caller that
// built on it is told so. If it is not known whether it was written, the next transaction
// takes it back.
//
// Open reads the whole file before bbolt writes to it. bbolt trusts its pages, so it is called
// in a way that survives a damaged one: its panics, and faults on memory that is not there,
// are returned as errors; what would not end, or would end the process, is checked before,
// in meta.go. A damaged file is refused with what is wrong, and never written. Each record
// has a checksum, and the file a sum over all records, which reveals one that is missing or
// outdated. The journal is not part of the cloud: if only it is damaged, the file is opened
// read-only, and can be copied without it.
//
// A file of an older schema is upgraded, see old.go.
//
// A file is open in one process at a time; the error for a second one says who holds it.
package bolt

import (
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
)

// Options of Open. Only Clock is required.
type Options struct {
	// Clock gives the time of a change that names none, and of the file. It may be
	// called from several goroutines at once.
	Clock func() time.Time
	// Version is the release of this program, written into new files.
	Version string
	// NewID makes the uuid of a new file; nil for a random one.
	NewID func() uuid.UUID

	// NamedBy says in hints how the file is named to this program, such as "with
	// --db".
	NamedBy string
	// ReadOnly opens an existing file for reading. Other readers may share it.
	ReadOnly bool
	// LockTimeout is how long to wait for a file that another process holds; 0 for
	// DefaultLockTimeout, below 0 not at all.
	LockTimeout time.Duration
	// Waiting is called once, with the holder of the file, when the wait takes longer
	// than half a second; may be nil.
	Waiting func(held *storage.LockedError)
	// Committed is called with each durable commit; may be nil. The next commit waits
	// for it.
	Committed func(engine.Commit)
	// Failing is called by the writer when the file can no longer be written, with the
	// reason, and with nil when it can again; may be nil.
	Failing func(err error)
}

// DefaultLockTimeout is the LockTimeout of Options that name none.
const DefaultLockTimeout = 200 * time.Millisecond

// patience is how long to wait silently for a file that another process holds.
const patience = 500 * time.Millisecond

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		panic("bolt: a store needs a clock")
	}
	if o.NewID == nil {
		o.NewID = uuid.New
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	return o
}
