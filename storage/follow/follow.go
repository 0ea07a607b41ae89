// Package follow lets several processes work on one store: its owner serves it, and each
// follower has its own Store over one connection: a Unix socket (see package attach)
// or a pipe.
//
//	follower                                   owner
//	   ── hello: protocol, release, formats ──►
//	   ◄── hello ─────────────────────────────
//	   ◄── records ... checkpoint (revision) ─   the whole cloud, once
//	   ◄── changes ... event (revision + 1) ──   every write, in order
//
//	Apply: decide on the newest Snapshot here
//	   ── changes ... apply (rests on N) ─────►  Apply only on revision N
//	   ◄── accepted (N+1) ────────────────────
//	   ◄── moved (N+k), after k events ───────   decide again on those
//	   or the owner goes                         look for the write in what it left
//
// A follower decides with Snapshot.Apply, as every store does, on the Snapshot that it
// has, and sends the resulting records with the revision they rest on. The owner accepts
// them only at that revision: nothing that a rule looked at can have changed, and verbs
// need not be transferred. A follower that was too late gets what was written in the
// meantime and decides again. A refusal also counts only once the owner has confirmed
// that there is nothing newer.
//
// Neither side trusts the other's bytes: frames, records and lists are bounded, decoded
// records are checked like those of a file, a peer that stalls within a message is
// dropped, and a release with other record formats is refused. The owner queues nothing
// for a slow follower: events are read from the journal as fast as they are taken, and a
// checkpoint is sent if the journal no longer has them.
package follow

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// protocol is the version of the messages; it changes when an older peer would
// misunderstand them. New messages and fields that may be ignored do not change it.
const protocol = 2

// magic is what the first message of both sides begins with.
const magic = "placetop-follow"

// How long one side waits for the other.
const (
	greetTime  = 5 * time.Second  // for the first message
	stallTime  = 20 * time.Second // for the rest of a message, and for space to write one
	answerTime = 30 * time.Second // for an answer that takes no work
	graceTime  = 2 * time.Second  // for the answer to a write after its caller has left

	partingTime = time.Second // for space to write the farewell
)

// ErrGone is matched by errors about an owner that has gone.
var ErrGone = errors.New("the owner is gone")

// GoneError reports that the owner of the store has gone, or no longer answers. It
// matches ErrGone and placement.ErrUnavailable.
type GoneError struct {
	Owner string // such as "pid 4211"
	Err   error  // the error that showed it; nil where the owner said so itself
}

func (e *GoneError) Error() string {
	s := fmt.Sprintf("the placetop that had the cloud open (%s) is gone", e.Owner)
	if of, ok := errors.AsType[*net.OpError](e.Err); ok {
		return s + ": " + of.Err.Error() // not the path of the socket
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Is reports whether target is ErrGone or placement.ErrUnavailable.
func (e *GoneError) Is(target error) bool {
	return target == ErrGone || target == placement.ErrUnavailable
}

// Unwrap returns the error that showed it.
func (e *GoneError) Unwrap() error { return e.Err }

// SlowError reports a caller that left, for the reason Err, before the owner answered.
type SlowError struct {
	Owner string // such as "pid 4211"
	Err   error
}

func (e *SlowError) Error() string {
	return fmt.Sprintf("the placetop that has the cloud open (%s) has not answered yet", e.Owner)
}

// Unwrap returns why the caller left.
func (e *SlowError) Unwrap() error { return e.Err }

// RefusedError reports that the other side refused to talk to this one. It matches
// placement.ErrUnavailable.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// Is reports whether target is placement.ErrUnavailable.
func (e *RefusedError) Is(target error) bool { return target == placement.ErrUnavailable }
