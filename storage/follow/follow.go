// Package follow lets several processes work on one store: its owner serves its journal,
// which is the log of a store of package shared in each follower, over one connection: a
// Unix socket (see package attach) or a pipe.
//
//	follower                                   owner
//	   ── hello: protocol, release, formats ──►
//	   ◄── hello ─────────────────────────────
//	   ── checkpoint ─────────────────────────►
//	   ◄── parts, answer (revision) ───────────  the whole cloud, once
//	   ── events (after N) ───────────────────►  as soon as there is one
//	   ◄── answer: entries N+1, N+2 ... ───────
//
//	   ── append (entry N+1) ─────────────────►  Apply only on revision N
//	   ◄── answer (N+1), or that it has moved ─
//	   or the owner goes                         look for the write in what it left
//
// A follower sends the records that its decision led to, with the revision they rest on. The
// owner accepts them only at that revision: nothing that a rule looked at can have changed,
// and verbs need not be transferred. If others are always faster, they wait until the follower
// has decided again and appended that.
//
// Neither side trusts the other's bytes: frames, records and lists are bounded, decoded
// records are checked like those of a file, a peer that stalls within a message is
// dropped, and a release with other record formats is refused. The owner queues nothing
// for a slow follower, which asks for entries as fast as it takes them, and for a checkpoint
// if the journal no longer has them.
package follow

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/shared"
)

// protocol is the version of the messages; it changes when an older peer would
// misunderstand them. New messages and fields that may be ignored do not change it.
const protocol = 4

// magic is what the first message of both sides begins with.
const magic = "placetop-follow"

// How long one side waits for the other.
const (
	greetTime  = 5 * time.Second  // for the first message
	stallTime  = 20 * time.Second // for the rest of a message, and for space to write one
	answerTime = time.Minute      // for an answer that takes little work

	partingTime = time.Second // for space to write the farewell
)

// GoneError reports that the owner of the store has gone. It matches shared.ErrGone and
// placement.ErrUnavailable.
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

// Is reports whether target is shared.ErrGone or placement.ErrUnavailable.
func (e *GoneError) Is(target error) bool {
	return target == shared.ErrGone || target == placement.ErrUnavailable
}

// Unwrap returns the error that showed it.
func (e *GoneError) Unwrap() error { return e.Err }

// RefusedError reports that the other side refused to talk to this one. It matches
// placement.ErrUnavailable.
type RefusedError struct{ Why string }

func (e *RefusedError) Error() string { return e.Why }

// Is reports whether target is placement.ErrUnavailable.
func (e *RefusedError) Is(target error) bool { return target == placement.ErrUnavailable }
