// Package shared is a store whose cloud stands in a log that other processes append to as
// well.
//
//	Apply: decide on the newest Snapshot here
//	   ── Append(entry, the end that it rests on) ──►  added, whole, if the log still ends there
//	   ◄── added ────────────────────────────────────  publish, answer
//	   ◄── ErrMoved ─────────────────────────────────  read what others added, decide again
//	   ◄── ErrUnknown ───────────────────────────────  Settle: added, or never to be
//
//	   ◄── Read, then Watch ─────────────────────────  what others append, in order
//
// A store decides with Snapshot.Apply, as every store does, and appends the resulting
// records: nothing that a rule looked at can have changed if the log still ends where the
// decision began. A refusal counts only once the log is known to have ended there since
// its caller has called. Writers of one process share a commit; those of several take turns,
// as far as they can. The log alone says who was first, so that nothing else has to agree,
// neither clocks nor who leads.
//
// A Log keeps bytes and knows nothing of clouds. Its entries are the journal. Another process
// may look after it. If none does, whoever is on duty, one at a time, makes checkpoints and
// drops what the journal need not keep. Nothing is ever lost if nobody is, or if two believe
// to be.
package shared

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/engine"
)

// Errors of a Log.
var (
	// ErrMoved says that nothing was appended, as the log ends elsewhere.
	ErrMoved = errors.New("another writer was faster")
	// ErrUnknown says that an entry may have been appended, or may still be.
	ErrUnknown = errors.New("the log has not answered")
	// ErrForgotten says that what was asked for is no longer in the log.
	ErrForgotten = errors.New("no longer in the log")
	// ErrGone says that the log will not answer any more.
	ErrGone = errors.New("the log is gone")
)

// End is where a log ends.
type End struct {
	Revision cloud.Revision // of the newest event
	Total    int64          // bytes of all entries that were ever appended
	Mark     int64          // the log's own number of this end
	Seen     int64          // likewise, of the moment at which it was read; 0 if it was not
	ID       string         // of the newest entry; "" if that is not known
	Turn     Turn           // that the newest entry gives away
	Next     Turn           // of who has waited longest, as Append tells where it can
}

// Entry is what one commit appends: the events of one revision or more.
type Entry struct {
	ID          string // that no other entry has
	After       string // ID of the entry before; "" if that is not known
	First, Last cloud.Revision
	Total       int64  // as of the End that it leads to
	Mark        int64  // likewise; the log's own
	Head        []byte // the events without their changes
	Body        []byte // the changes; nil if they must be asked for
	Parts       string // where the body is, if it is not here; the log's own
	By          Turn   // that its writer waits for if others are faster; it need not be kept
	Turn        Turn   // that it gives away

	leads *cloud.Snapshot // to; of the writer
}

// Checkpoint is a whole cloud in a log.
type Checkpoint struct {
	Revision cloud.Revision
	Total    int64 // as of the End at its revision
	Size     int64 // in bytes
}

// Log keeps what the processes that work on one cloud have written. Its methods may be
// called from any goroutine; Append, Settle and Close come one after the other. Errors match
// placement.ErrUnavailable, but for those that are named here.
type Log interface {
	// Append adds e if the log ends at on, and returns where it ends then. The errors
	// ErrMoved and ErrUnknown are told apart from any other, after which nothing was added
	// and nothing will be. After ErrMoved, and after an e that gives the turn to somebody else,
	// its writer is one of those who wait, until it adds another one, or is given the turn.
	Append(ctx context.Context, on End, e *Entry) (End, error)
	// Settle ends an Append whose outcome is not known: once it has returned without an
	// error, e was added, or never will be.
	Settle(ctx context.Context, on End, e *Entry) (added bool, err error)
	// End returns where the log ends at the moment, as all who append see it.
	End(ctx context.Context) (End, error)
	// Read calls take with the entries from a revision on, and returns where the log ended
	// after the last of them. The first one is later if the log has dropped what was
	// before.
	Read(ctx context.Context, from cloud.Revision, take func(*Entry) error) (End, error)
	// Watch calls take with the entries after an end as they are appended, until it fails.
	// It may miss some, repeat some, and end at any time.
	Watch(ctx context.Context, after End, take func(*Entry) error) error
	// Back returns at most limit entries that begin at a revision or before, newest first.
	Back(ctx context.Context, until cloud.Revision, limit int) ([]*Entry, error)
	// Body returns the body of an entry, whose Head it may replace to fit it, or ErrForgotten.
	Body(ctx context.Context, e *Entry) ([]byte, error)
	// Checkpoint calls read with the newest checkpoint; ErrForgotten if there is none.
	Checkpoint(ctx context.Context, read func(Checkpoint, io.Reader) error) error
	// Close lets go of the log.
	Close() error
}

// Unattended is a Log that no process of its own looks after: those that have it open do
// that, and ask now and then whether it still answers.
type Unattended interface {
	Log
	// Duty waits until no other process has the duty, and calls do, whose context ends
	// when this process has lost it.
	Duty(ctx context.Context, do func(context.Context, Duty) error) error
	// Lives reports whether a process is still there whose turn lasts longer than pulseTime.
	Lives(ctx context.Context, process string) (bool, error)
}

// Duty is what one process at a time does for all. Nothing of it takes effect once another
// process has the duty.
type Duty interface {
	// Checkpoint puts a checkpoint in the place of the one that is there.
	Checkpoint(ctx context.Context, c Checkpoint, write func(io.Writer) error) error
	// Trim drops the oldest entries as long as drop says so.
	Trim(ctx context.Context, drop func(*Entry) bool) error
}

// How long a log is waited for.
const (
	readTime   = 10 * time.Minute // for all that is not here yet, which may be a whole cloud
	settleTime = 15 * time.Second // until the outcome of a write is in doubt
	busyTime   = time.Minute      // more for a write, where a process looks after the log: it may be busy
	graceTime  = 2 * time.Second  // for the outcome of a write after its caller has left, or the store is being closed
	pulseTime  = 2 * time.Second  // between two questions where the log ends
	staleTime  = 5 * time.Second  // without an answer, after which a Snapshot is told to be old
)

// Limits returns the limits of every log, as engine.Limited does.
func Limits() []string {
	return []string{
		fmt.Sprintf("The journal: %d MiB, whatever else was set.", mostJournal>>20),
		fmt.Sprintf("Data is called stale %s after the last answer, or once a process has been behind the others for that long.", staleTime),
		fmt.Sprintf("A write is in doubt if its outcome cannot be found out within %s.", settleTime),
		fmt.Sprintf("A link must carry %d KiB a second.", slowest>>10),
	}
}

// slowest is how many bytes a second a log is expected to take and to give, at least.
const slowest = 64 << 10

// Patience is how long is waited for one answer, where so many bytes are sent or asked for.
func Patience(bytes int) time.Duration {
	return 3*time.Second + time.Duration(bytes)*time.Second/slowest
}

// batchBytes is how many bytes of changes one commit takes, before they are compressed, so that
// it fits one request, unless a single change has more.
const batchBytes = 512 << 10

// Options are for Open. Only Clock is required.
type Options struct {
	Clock func() time.Time
	// Place is what people call the log.
	Place string
	// Scheme is that of the engine.
	Scheme string
	// ReadOnly is why this process must not write, "" where it may.
	ReadOnly string
	// Single says that the log takes one event at a time.
	Single bool
	// Committed and Failing are as in engine.Options.
	Committed func(engine.Commit)
	Failing   func(err error)
}
