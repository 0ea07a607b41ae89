package storage

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Kinds of errors about a store as a whole. They also match placement.ErrUnavailable,
// except for ErrNewer, which matches placement.ErrUnsupported.
var (
	// ErrLocked is matched by LockedError.
	ErrLocked = errors.New("open elsewhere")
	// ErrDamaged is matched by DamagedError.
	ErrDamaged = errors.New("damaged")
	// ErrNewer is matched by NewerError.
	ErrNewer = errors.New("written by a newer placetop")
	// ErrClosed is returned by a store after its Close.
	ErrClosed = fmt.Errorf("the store is closed: %w", placement.ErrUnavailable)
)

// LockedError reports that another process has the file open. It matches ErrLocked and
// placement.ErrUnavailable. Fields that are not known are zero.
type LockedError struct {
	Path    string
	PID     int       // of the holder
	Command string    // its command line
	Since   time.Time // when the holder was started
	Now     time.Time // when the file was found held
	Hint    string    // what to do
	Remedy
}

func (e *LockedError) Error() string {
	s := e.Path + " is open elsewhere"
	if who := e.Holder(); who != "" {
		s += " (" + who + ")"
	}
	return withHint(s, e.Hint)
}

// Holder describes the process that holds the file, such as "pid 4211, placetop,
// since 13:20"; "" if nothing is known.
func (e *LockedError) Holder() string {
	if e.PID == 0 {
		return ""
	}
	who := fmt.Sprintf("pid %d", e.PID)
	if e.Command != "" {
		who += ", " + e.Command
	}
	if !e.Since.IsZero() {
		layout := "15:04"
		if e.Now.IsZero() || e.Now.Sub(e.Since) > 20*time.Hour {
			layout = "2006-01-02 15:04"
		}
		who += ", since " + e.Since.Format(layout)
	}
	return who
}

// Is reports whether target is ErrLocked or placement.ErrUnavailable.
func (e *LockedError) Is(target error) bool {
	return target == ErrLocked || target == placement.ErrUnavailable
}

// DamagedError reports that a store does not hold what was written to it. Nothing was
// changed. It matches ErrDamaged and placement.ErrUnavailable.
type DamagedError struct {
	Path string
	What string // what is wrong
	Hint string // what to do
	Err  error  // what it was noticed by; may be nil
	Remedy
}

func (e *DamagedError) Error() string {
	return withHint(e.Path+" is damaged: "+e.What, e.Hint)
}

// Is reports whether target is ErrDamaged or placement.ErrUnavailable.
func (e *DamagedError) Is(target error) bool {
	return target == ErrDamaged || target == placement.ErrUnavailable
}

// Unwrap returns what the damage was noticed by.
func (e *DamagedError) Unwrap() error { return e.Err }

// OpenError reports that there is no store at a path and none can be made there: it is a
// folder, or permission is missing. It matches placement.ErrUnavailable.
type OpenError struct {
	Path string
	What string // what is in the way
	Hint string // what to do
	Err  error  // of the system; may be nil
	Remedy
}

func (e *OpenError) Error() string { return withHint(e.Path+" cannot be opened: "+e.What, e.Hint) }

// Is reports whether target is placement.ErrUnavailable.
func (e *OpenError) Is(target error) bool { return target == placement.ErrUnavailable }

// Unwrap returns the error of the system.
func (e *OpenError) Unwrap() error { return e.Err }

// TargetError reports that a file cannot be written at a path, as it is a folder, a
// device, a link or the cloud itself. What is there was left as it was. It matches
// placement.ErrUnavailable.
type TargetError struct {
	Path string
	What string // what is in the way
	Hint string // what to do
	Err  error  // of the system; may be nil
	Remedy
}

func (e *TargetError) Error() string { return withHint(e.Path+" was not written: "+e.What, e.Hint) }

// Is reports whether target is placement.ErrUnavailable.
func (e *TargetError) Is(target error) bool { return target == placement.ErrUnavailable }

// Unwrap returns the error of the system.
func (e *TargetError) Unwrap() error { return e.Err }

// NewerError reports something written by a newer release, which this one cannot read or
// must not write. It matches ErrNewer and placement.ErrUnsupported. Its text is also the
// reason why a store is read-only.
type NewerError struct {
	Path  string
	What  string            // "the file", or a kind of records
	Has   versioned.Version // of What; the zero value where it cannot be told
	Knows versioned.Version // what this program reads
	By    string            // the release that made the file; "" if unknown
	Err   error             // what it was noticed by; may be nil
}

func (e *NewerError) Error() string {
	by := "a newer placetop"
	if e.By != "" {
		by += " (" + e.By + " made the file)"
	}
	s := fmt.Sprintf("%s: %s was written by %s", e.Path, e.What, by)
	if e.Has != (versioned.Version{}) {
		s += fmt.Sprintf(" in format %s, but this one reads formats up to %s", e.Has, e.Knows)
	}
	return s + ". Use a newer placetop to change it"
}

// Unwrap returns what it was noticed by.
func (e *NewerError) Unwrap() error { return e.Err }

// Is reports whether target is ErrNewer or placement.ErrUnsupported.
func (e *NewerError) Is(target error) bool {
	return target == ErrNewer || target == placement.ErrUnsupported
}

// ReadOnlyError reports an attempt to write to a read-only file, and what can be done
// about it. It matches placement.ErrUnsupported.
type ReadOnlyError struct {
	Err  error  // as Capabilities.Can has it
	Path string // of the file
	Remedy
}

func (e *ReadOnlyError) Error() string { return e.Err.Error() }

// Unwrap returns what cannot be carried out, and why.
func (e *ReadOnlyError) Unwrap() error { return e.Err }

// NotKeptError reports that a valid change could not be stored: nothing has changed,
// unless it is InDoubt. It matches placement.ErrUnavailable. The same change can be tried
// again once the cause is gone.
type NotKeptError struct {
	Path string
	Hint string // what to do
	Err  error  // why
	// InDoubt says that it may have reached the disk all the same, where a crash leaves it;
	// the next change that can be stored takes it back. The error then matches
	// cloud.ErrInDoubt.
	InDoubt bool
	Remedy
}

func (e *NotKeptError) Error() string {
	s := fmt.Sprintf("%s: the change could not be saved: %v", e.Path, e.Err)
	if e.InDoubt {
		s += "; " + cloud.ErrInDoubt.Error()
	}
	return withHint(s, e.Hint)
}

// Is reports whether target is placement.ErrUnavailable, or cloud.ErrInDoubt if it is in
// doubt.
func (e *NotKeptError) Is(target error) bool {
	return target == placement.ErrUnavailable || e.InDoubt && target == cloud.ErrInDoubt
}

// doubt is the hint for a change that may have reached the disk.
const doubt = "The next change that can be saved takes it back; if this program ends before that, look whether it is there"

// Doubt returns err as that of a change that may have reached the disk all the same.
func (e *NotKeptError) Doubt() *NotKeptError {
	in := *e
	in.InDoubt, in.Hint = true, doubt
	return &in
}

// Unwrap returns why the change could not be kept.
func (e *NotKeptError) Unwrap() error { return e.Err }

// SlowError reports a caller who left, for the reason Err, before there was an answer. It
// matches placement.ErrUnavailable.
type SlowError struct {
	Place string // whose answer it is
	Err   error
}

func (e *SlowError) Error() string { return e.Place + " has not answered yet" }

// Is reports whether target is placement.ErrUnavailable.
func (e *SlowError) Is(target error) bool { return target == placement.ErrUnavailable }

// Unwrap returns why the caller left.
func (e *SlowError) Unwrap() error { return e.Err }

func withHint(s, hint string) string {
	if hint == "" {
		return s
	}
	return strings.TrimRight(s, ".") + ". " + hint
}
