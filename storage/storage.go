// Package storage is where a cloud is kept: what every store offers, and the errors
// about a store as a whole. It holds no engine; those are
//
//	memory  only a Snapshot: demo, tests
//	bolt    one file: the default
//	remote  a real OpenStack
//
// Package engine opens them by the scheme of a place, and has the interfaces that not
// every store implements. With package follow several processes work on a store that one
// of them holds, with attach by a socket beside its file. All stores pass the tests of
// storagetest.
package storage

import (
	"context"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// Store is a cloud and the care of the place where it is kept. Every method may
// be called from any goroutine.
//
// After Close, Snapshot still returns the last one, channels of Watch are closed,
// and all else answers with ErrClosed.
type Store interface {
	cloud.Cloud

	// Verify reads all that the store keeps and returns what does not agree. No
	// finding means that every record was read and fits. The error says that the
	// search itself could not be done.
	Verify(ctx context.Context) ([]Defect, error)

	// Close ends the store once the write under way is kept. Calling it again
	// does nothing.
	Close() error
}

// Defect is one inconsistency in a store.
type Defect struct {
	Where string // "page 17", "record consumer 9f2c41d0-...", "journal revision 41", "cloud"
	What  string // what is wrong there

	Journal bool // it is in the journal alone: no record is concerned
}

// String returns where and what as one line.
func (f Defect) String() string { return f.Where + ": " + f.What }

// Stamp returns c as a journal keeps it: with the time of the decision if c has none,
// in UTC and without a monotonic reading, and with an actor and a note of valid UTF-8,
// each on one line.
func Stamp(c cloud.Change, clock func() time.Time) cloud.Change {
	if c.At.IsZero() {
		c.At = clock()
	}
	c.At = c.At.Round(0).UTC()
	c.Actor, c.Note, c.Task, c.Step = oneLine(c.Actor), oneLine(c.Note), oneLine(c.Task), oneLine(c.Step)
	return c
}

func oneLine(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.ContainsAny(s, "\r\n") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}
