// Package bolt keeps a cloud in one file: a bbolt file with a bucket for each
// kind of records, one for the journal, and one for what the file says of itself.
//
//	Apply ---> queue ---> the writer, one goroutine
//	                        decide each on the working Snapshot, own verdict each
//	                        one record of the log for all that was accepted, synced
//	                        swap the Snapshot, tell the watchers, answer
//	                      bbolt follows, many records in one transaction
//
// While a record is on its way to disk, the writer decides what belongs to the next.
//
// Readers load the Snapshot and never touch the file. Nothing is published or
// acknowledged before it is on disk; where it cannot be brought there, nothing is
// changed, and all who built on it are told so.
//
// The log is the durable form of bbolt's next transaction: one append and one sync, where
// a transaction of bbolt's is some eight pages and two syncs. It is part of the file, in
// pages that bbolt has given away, and not a file beside it: there is no log that could be
// missing, older, or another file's, and a copy of the file has it.
//
// It is in use while there is much to write: from the ninth commit on of those that follow
// each other within 200 ms. Before that, where a batch is large, where the log cannot be
// written, and on systems other than Linux, a batch is a transaction of bbolt's. bbolt
// follows where half of the log, 1 MiB, is taken, where Backup or Verify ask for all of the
// file, 200 ms after the last commit, and when the store is closed. The log is out of use
// then, and no timer runs. Nothing is written over a record until bbolt has what it says.
//
// What a crash leaves in the log, Open and all others who read the file add to what they
// find in the buckets, up to where the log is torn: what was torn was not acknowledged. A
// record that is missing before another one is damage, and refused as such. Where bbolt
// cannot follow, what was acknowledged stays in the log, and what comes then is refused
// until it can.
//
// Open reads the file page by page and checks every one of them, before bbolt
// sees it: bbolt trusts its pages, and a damaged one would end the process. What
// does not fit is refused by name, and never written. Besides the checksum that
// each record carries, the file has a sum over all records, which shows a record
// that is missing or older than it should be. The journal is not part of the cloud:
// where it alone is damaged the file is opened for reading, and Repair cuts it.
//
// A file is open in one process at a time. Another one is told who holds it.
package bolt

import (
	"io/fs"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
)

// Options of Open. Only Clock is required.
type Options struct {
	// Clock gives the time of a change that names none, and of the file. It may be
	// asked from several goroutines at once.
	Clock func() time.Time
	// Version is the release of this program, written into a file that is made.
	Version string
	// NewID makes the uuid of a file that is made; nil for a random one.
	NewID func() uuid.UUID

	// NamedBy says in hints how the file is named to this program, such as "with --db".
	NamedBy string
	// ReadOnly opens an existing file for reading. Other readers may share it.
	ReadOnly bool
	// FileMode is that of a file that is made; 0 for DefaultFileMode.
	FileMode fs.FileMode
	// LockTimeout is how long to wait for a file that another process holds; 0
	// for DefaultLockTimeout, below that not at all.
	LockTimeout time.Duration
	// Waiting is told who holds the file, once, where that takes longer than
	// Patience; nil for nobody.
	Waiting func(held *storage.LockedError)
	// Patience is how long to wait for a file silently; 0 for
	// DefaultPatience.
	Patience time.Duration
	// MaxSize is how large the file may grow, in bytes; 0 for as large as the
	// disk allows.
	MaxSize int64

	// JournalRevisions is how many revisions the journal keeps at least; 0 for
	// DefaultJournalRevisions. It is trimmed to that once it has a sixteenth more, or 64.
	JournalRevisions int
	// JournalAge is how long the journal keeps a revision; 0 for
	// DefaultJournalAge. The newest revision is kept however old it is.
	JournalAge time.Duration

	// Committed is told of each commit that is kept; nil for nobody. The next commit
	// waits for it.
	Committed func(engine.Commit)
}

// Defaults of Options.
const (
	DefaultFileMode         = diskfile.DefaultMode
	DefaultLockTimeout      = 200 * time.Millisecond
	DefaultPatience         = 500 * time.Millisecond
	DefaultJournalRevisions = 50_000
	DefaultJournalAge       = 90 * 24 * time.Hour
)

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		panic("bolt: a store needs a clock")
	}
	if o.NewID == nil {
		o.NewID = uuid.New
	}
	if o.FileMode == 0 {
		o.FileMode = DefaultFileMode
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.JournalRevisions <= 0 {
		o.JournalRevisions = DefaultJournalRevisions
	}
	if o.JournalAge <= 0 {
		o.JournalAge = DefaultJournalAge
	}
	return o
}
