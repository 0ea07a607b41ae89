// Package engine opens a cloud wherever it is kept. A place consists of a scheme, which
// names the engine, and what that engine needs, as in "bolt:/var/lib/cloud.db". Abilities
// that only some engines or stores have are small interfaces: a caller asks for the
// ability it needs, never for a certain engine.
//
// To add an engine, write a package below storage with a type that implements Opener,
// run storagetest on its stores, and add it in cmd/placetop/internal/open.
package engine

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
)

// Options are for opening a place.
type Options struct {
	Clock   func() time.Time
	Version string           // the release of this program
	As      string           // how others see this process named; "" for one who leaves in a moment
	NewID   func() uuid.UUID // of new records; nil for random ones

	ReadOnly bool
	// Wait is how long to wait while another process holds the place; 0 for not at all.
	Wait time.Duration
	// Waiting is called once, with the holder, if the wait is long; may be nil.
	Waiting func(held *storage.LockedError)
	// Progress is called during what takes long, at intervals of any size; of is 0 while
	// the total is unknown. It may be nil.
	Progress func(done, of int)
	// Writing is called likewise while a change is written that is so large that this takes
	// long. It may be nil.
	Writing func(done, of int)
	// Asking is called with the service of a live cloud, or the place, that has not answered yet, the
	// last one asked if there are several, or "" once all have answered. It may be nil.
	Asking func(whom string)
	// Soon returns a live cloud as soon as there is something to look at: the rest, and
	// whatever changes, is read in the background until the store is closed.
	Soon bool
	// Parts are the parts of a live cloud that are needed, which is then read-only; nil for
	// all. Those of Placement are read together.
	Parts []cloud.Part
	// NamedBy says in hints how the user names the place, such as "with --db".
	NamedBy string
	// Committed is called after each commit of a store that writes to a disk; the next
	// commit waits for its return. It may be nil.
	Committed func(Commit)
	// Failing is called with the reason when a store that writes to a disk can no longer do
	// so, once, and with nil when it can again. It may be nil.
	Failing func(err error)
}

// Tester is a storage.Store that can tell whether it can still be written.
type Tester interface {
	// Writable returns why nothing can be stored at the moment, nil if it can, as far as
	// is known without a change. A store that never takes changes is not at fault.
	Writable(ctx context.Context) error
}

// Reading returns words for the progress of a reading, from the arguments of
// Options.Progress.
func Reading(done, of int) string {
	if of == 0 {
		return "reading"
	}
	return fmt.Sprintf("reading %d%%", 100*done/of)
}

// Commit describes a commit that is on disk.
type Commit struct {
	Changes int           // in this commit
	Took    time.Duration // from the start of the writing until everything is on disk
	Disk    time.Duration // the part of Took spent on writing to the disk and waiting for it
}

// Opener is an engine. Its places are what follows the scheme, or all of it if that is a URL
// or nothing.
type Opener interface {
	// Scheme is the word before the colon, such as "bolt".
	Scheme() string
	// Has reports whether there is anything at the place: a cloud, or something in the
	// way of one.
	Has(place string) (bool, error)
	// Open opens the cloud at the place. If there is none it makes an empty one, unless
	// o.ReadOnly is set.
	Open(ctx context.Context, place string, o Options) (storage.Store, error)
}

// What an Opener may be able to do with a place that is not open.
type (
	// Peeker reads a cloud that another process holds, as it was a moment ago.
	Peeker interface {
		Peek(ctx context.Context, place string) (*cloud.Snapshot, error)
	}
	// Restorer replaces the cloud at a place with a copy that a Backuper made. Restorable
	// only returns what that would do.
	Restorer interface {
		Restore(ctx context.Context, backup, place string, o Options) (RestoreResult, error)
		Restorable(ctx context.Context, backup, place string, o Options) (RestoreResult, error)
	}
	// Compacter reclaims the space of deleted records.
	Compacter interface {
		Compact(ctx context.Context, place string, o Options) (CompactResult, error)
	}
	// Copier copies the cloud at a place into a store that is empty or holds an earlier
	// copy of it: an interrupted copy resumes, a complete one is brought up to date. It
	// reports to o.Progress. Even if it fails, each part of the cloud is in the store as
	// a whole or not at all.
	//
	// Errors: placement.ErrExists if the store holds something else.
	Copier interface {
		Copy(ctx context.Context, place string, into storage.Store, o Options) (CopyResult, error)
	}
	// FileKeeper keeps clouds in files, and recognises such a file by its content. A
	// place is the path of a file, which one process at a time has open; package attach
	// lets others in.
	FileKeeper interface{ Holds(f *os.File) bool }
	// Limited returns the limits of an engine, for the manual: one a line, in words.
	Limited interface{ Limits() []string }
)

// What a storage.Store may be able to do.
type (
	// Backuper writes a copy of everything, journal included, to a file.
	Backuper interface {
		BackupFile(ctx context.Context, path string, to diskfile.Options) error
	}
	// Conditioned tells in which condition it found what it keeps.
	Conditioned interface{ Condition() Condition }
	// Shared is a store that several processes have open at a time.
	Shared interface {
		// Silent returns why nothing is heard of the others at the moment, and since when, so
		// that the Snapshot may be old; nil while it is not.
		Silent() (since time.Time, why error)
		// OnDuty reports whether this process does what one of them has to do for all.
		OnDuty() bool
		// Refresh returns once the Snapshot has all that the others had written when it was
		// called, which else comes by itself a moment later.
		Refresh(ctx context.Context) error
	}
	// Yielder is a store that lets one writer go first: Turn has all changes wait but those that
	// first is given, until end is called.
	Yielder interface {
		Turn(ctx context.Context) (first cloud.Writer, end func(), err error)
	}
	// Attended is a store that knows who works on it, for what lists that.
	Attended interface{ Peers() []Peer }
)

// Condition is what is to be known of a store that could be opened. The zero value is for one
// that is sound.
type Condition struct {
	Damage *storage.DamagedError // because of which it is read-only
	// Newer is what a newer release wrote, because of which it is read-only. What cannot be
	// read of it is left out of every Snapshot.
	Newer *storage.NewerError
	Aged  string // why it may be older than what was last confirmed
}

// ConditionOf returns the Condition of a store, or of what it is a view of.
func ConditionOf(s any) Condition {
	if is, ok := behind[Conditioned](s); ok {
		return is.Condition()
	}
	return Condition{}
}

// Peer is who works on a store for long: a process, or a guest of one.
type Peer struct {
	As      string `cbor:"1,keyasint"` // who is there, in words for others
	PID     int    `cbor:"2,keyasint"`
	SinceMS int64  `cbor:"3,keyasint"` // milliseconds since 1970
	Looks   bool   `cbor:"4,keyasint"` // it does not write

	Role string `cbor:"5,keyasint,omitempty"` // of a guest
	From string `cbor:"6,keyasint,omitempty"` // where a guest has come from, or a process runs, in words; "" for here
}

// RestoreResult is the result of a Restorer.
type RestoreResult struct {
	Revision cloud.Revision // of the cloud that is now at the place
	At       time.Time      // of the revision
	Aside    string         // path of the file that was there before; "" if there was none
}

// CompactResult is the result of a Compacter: sizes in bytes.
type CompactResult struct {
	Before, After int64
	Aged          string // why the file may have lost what was last confirmed; "" if it has not
}

// CopyResult is the result of a Copier.
type CopyResult struct {
	Requests int64          // sent for the copy
	Changed  int            // records written
	Revision cloud.Revision // of the last write, or of what there was if there was nothing to write
	Without  []string       // parts that were not read, or not as a whole, and why
}

// Set is a list of engines to choose from. A place without a scheme belongs to the first.
type Set []Opener

// Parse splits a place into its engine and the rest. A path is a place of the first
// engine; a path that looks like a scheme is written with a folder in front: "./etcd:1".
//
// Errors: placement.ErrInvalid for an unknown scheme.
func (s Set) Parse(text string) (Opener, string, error) {
	scheme, place, _ := strings.Cut(text, ":")
	for i, e := range s {
		switch {
		case e.Scheme() != scheme || !strings.HasPrefix(text, scheme+":"):
		case i > 0 && (place == "" || strings.HasPrefix(place, "//")):
			return e, text, nil // it names the place in messages, too
		default:
			return e, place, nil
		}
	}
	if looksLikeScheme.MatchString(text) {
		var known []string
		for _, e := range s {
			known = append(known, e.Scheme()+":")
		}
		return nil, "", &placement.InvalidError{
			Field: "place", Value: text,
			Why: fmt.Sprintf("must start with one of %s; write ./%s for a file of that name", strings.Join(known, ", "), text),
		}
	}
	return s[0], text, nil
}

// looksLikeScheme matches what was meant as a scheme: "etcd://host", "postgres:db".
var looksLikeScheme = regexp.MustCompile(`^[a-z][a-z0-9+-]+:`)

// Distant is a storage.Store of a live cloud, which is polled.
type Distant interface {
	// Refresh reads what has changed at once, and returns when the Snapshot has it.
	Refresh(ctx context.Context) error
	// Look says which providers are on screen, until the next call: while there is much
	// to read, they and their trees are read first.
	Look(ids ...placement.ProviderID)
	// Hold stops reading in the background until ctx ends. Refresh still reads.
	Hold(ctx context.Context)
	// Link returns how old the Snapshot is, and why.
	Link() Link
	// Linked returns a channel with room for one value, which receives one whenever Link
	// changes. It is closed when ctx ends or the store is closed.
	Linked(ctx context.Context) <-chan struct{}
}

// Far returns the Distant that a store is or is a view of; false for a cloud that is kept here.
func Far(s any) (Distant, bool) { return behind[Distant](s) }

// Several returns the Shared that a store is or is a view of; nil for one that only this
// process has open.
func Several(s any) Shared {
	shared, _ := behind[Shared](s)
	return shared
}

// View is a view of a store, of which it shows the abilities that only tell something.
type View interface{ Of() any }

// behind returns s, or what it is a view of, as a T.
func behind[T any](s any) (T, bool) {
	for {
		t, is := s.(T)
		v, shows := s.(View)
		if is || !shows {
			return t, is
		}
		s = v.Of()
	}
}

// Link describes the connection to a live cloud.
type Link struct {
	cloud.ServiceLink                     // to Placement
	Beside            []cloud.ServiceLink // to Nova and Cyborg, if it has them
	Doing             string              // what is being read, such as "reading 40%"; "" if nothing is
	Sent              int64               // requests since it was opened, retries included
	Without           []string            // what could not be read, and why; the rest is current
	Parts             []cloud.Reading     // when each part that was asked for was last read
}

// Of returns the link to a service by its name, nil if there is none.
func (l *Link) Of(name string) *cloud.ServiceLink {
	if l.Name == name {
		return &l.ServiceLink
	}
	for i := range l.Beside {
		if l.Beside[i].Name == name {
			return &l.Beside[i]
		}
	}
	return nil
}

// Services returns the links to all services, Placement's first.
func (l *Link) Services() []cloud.ServiceLink {
	return append([]cloud.ServiceLink{l.ServiceLink}, l.Beside...)
}
