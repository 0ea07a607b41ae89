// Package engine opens a cloud wherever it is kept: a place is a scheme and a name for
// the engine of that scheme, such as "bolt:/var/lib/cloud.db". Abilities that not every
// engine or store has are small interfaces: a caller asks for the ability it needs, never
// which engine it is.
//
// To add an engine, write a package below storage with a type that implements Opener,
// run storagetest on its stores, and add it in cmd/placetop/wire.go.
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
	NewID   func() uuid.UUID // of what is made; nil for random ones

	ReadOnly bool
	// Wait is how long to wait for a place that somebody else holds, 0 for not at all.
	Wait time.Duration
	// Waiting is told who holds it, once, where that takes long; may be nil.
	Waiting func(held *storage.LockedError)
	// Progress is told how much is done of what takes long, in steps of any size, of 0 where
	// it is not known of how many yet; may be nil.
	Progress func(done, of int)
	// Asking is told which service of a cloud elsewhere has yet to answer, of several the one
	// that was asked last, "" where all have answered; may be nil.
	Asking func(whom string)
	// Soon returns a cloud elsewhere as soon as there is something to look at: the rest
	// is read meanwhile, and so is what changes, until the store is closed.
	Soon bool
	// NamedBy says in hints how the place is named to this program, such as "with --db".
	NamedBy string
	// Committed gets each commit that is kept, by a store that writes to a disk; nil
	// for nobody. The next commit waits for it.
	Committed func(Commit)
}

// Reading says in words how far a reading is, from the arguments of Options.Progress.
func Reading(done, of int) string {
	if of == 0 {
		return "reading"
	}
	return fmt.Sprintf("reading %d%%", 100*done/of)
}

// Commit describes a commit that is on disk.
type Commit struct {
	Changes int           // that share it
	Took    time.Duration // from when what was decided is written until it is kept
	Disk    time.Duration // the part of it that wrote to the disk and waited for that
}

// Opener is an engine. Place is what follows the scheme, or the scheme with its colon
// if nothing does.
type Opener interface {
	// Scheme is the word before the colon, such as "bolt".
	Scheme() string
	// Has reports whether there is something at the place: a cloud, or what is in the
	// way of one.
	Has(place string) (bool, error)
	// Open opens the cloud at the place, and makes an empty one if there is none
	// and it is not to be read only.
	Open(ctx context.Context, place string, o Options) (storage.Store, error)
}

// What an Opener may be able to do with a place that is not open.
type (
	// Peeker reads a cloud that somebody else holds, as it was a moment ago.
	Peeker interface {
		Peek(ctx context.Context, place string) (*cloud.Snapshot, error)
	}
	// Restorer replaces the cloud at a place by a copy that a Backuper made. Restorable
	// only says what that would do.
	Restorer interface {
		Restore(ctx context.Context, backup, place string, o Options) (Restored, error)
		Restorable(ctx context.Context, backup, place string, o Options) (Restored, error)
	}
	// Compacter reclaims the space of deleted records.
	Compacter interface {
		Compact(ctx context.Context, place string, o Options) (Compacted, error)
	}
	// Repairer cuts the damaged part out of a journal, and keeps the cloud.
	Repairer interface {
		Repair(ctx context.Context, place string, o Options, how RepairOptions) (Repaired, error)
	}
	// Copier copies the cloud at a place into a store that is empty or holds an earlier
	// copy of it: an interrupted copy resumes, a complete one is brought up to date. It
	// reports to o.Progress. The store always holds complete parts, even if the error
	// says why the rest was not copied.
	//
	// Errors: placement.ErrExists where the store holds something else.
	Copier interface {
		Copy(ctx context.Context, place string, into storage.Store, o Options) (Copied, error)
	}
	// FileKeeper keeps clouds in files, and recognises one by its content. A place is the
	// path of a file, which a single process holds; package attach lets others in.
	FileKeeper interface{ Holds(f *os.File) bool }
)

// What a storage.Store may be able to do.
type (
	// Backuper writes a copy of everything, journal included, to a file.
	Backuper interface {
		BackupFile(ctx context.Context, path string, to diskfile.Options) error
	}
	// Damageable says why the store is read-only; nil if nothing is damaged.
	Damageable interface{ Damage() *storage.DamagedError }
)

// Restored is the outcome of a Restorer.
type Restored struct {
	Revision cloud.Revision // of the cloud that is now at the place
	At       time.Time      // of the revision
	Aside    string         // where the file is that was there before; "" for none
}

// Compacted is the outcome of a Compacter: sizes in bytes.
type Compacted struct {
	Before, After int64
}

// Copied is the outcome of a Copier.
type Copied struct {
	Requests int64    // that it took
	Changed  int      // records that were written
	Without  []string // as in Link
}

// RepairOptions are for a Repairer.
type RepairOptions struct {
	Actor  string // who repairs, for the journal
	DryRun bool   // only says what it would do
}

// Repaired is the outcome of a Repairer.
type Repaired struct {
	Damage   string         // what was wrong with the journal; "" where it is sound, and nothing was done
	Revision cloud.Revision // of the cloud that is now at the place
	Kept     int            // how many revisions of the journal are left, without that of the repair
	First    cloud.Revision // the first of them; 0 for none
	Aside    string         // where the file is as it was
}

// Set is the engines to choose from. A place without a scheme belongs to the first.
type Set []Opener

// Parse splits a place into its engine and the rest. The path of a file is a place of
// the first engine; one that looks like a scheme is written with a folder before it:
// "./etcd:1".
//
// Errors: placement.ErrInvalid for a scheme of no engine.
func (s Set) Parse(text string) (Opener, string, error) {
	scheme, place, _ := strings.Cut(text, ":")
	for i, e := range s {
		switch {
		case e.Scheme() != scheme || !strings.HasPrefix(text, scheme+":"):
		case place == "" && i > 0:
			return e, text, nil // what stands for the place in messages, too
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

// looksLikeScheme matches what is meant as a scheme: "etcd://host", "postgres:db".
var looksLikeScheme = regexp.MustCompile(`^[a-z][a-z0-9+-]+:`)

// Distant is a storage.Store of a live cloud, which is read again and again.
type Distant interface {
	// Refresh reads what changed, now, and returns once it is shown.
	Refresh(ctx context.Context) error
	// Look says which providers somebody looks at, until the next time: while there is much
	// to be read, they and their trees are read first.
	Look(ids ...placement.ProviderID)
	// Hold has nothing read in the background until ctx ends; Refresh goes on to.
	Hold(ctx context.Context)
	// Link says how old what is shown is, and why.
	Link() Link
	// Linked returns a channel with room for one value, which gets one whenever Link is
	// another than before. It is closed when ctx ends or the store is closed.
	Linked(ctx context.Context) <-chan struct{}
}

// Link is the state of the connection to a live cloud.
type Link struct {
	At       time.Time       // when what is shown was read as a whole; zero before the first time
	Doing    string          // what is being read, such as "reading providers 400 of 3000"; "" for nothing
	Lost     string          // why what is shown is old; "" where it is current
	Next     time.Time       // when it is read next; zero for never, and while it is held
	Requests int64           // that the last reading took
	Took     time.Duration   // what it took
	Sent     int64           // requests since it was opened, retries too
	Without  []string        // what could not be read, and why; the rest is current
	Parts    []cloud.Reading // when each part was read last, of those that were asked for
}
