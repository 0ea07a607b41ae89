// Package storage defines what every store of a cloud offers, and the errors about a
// store as a whole. The stores themselves are
//
//	memory  only a Snapshot: demo, tests
//	bolt    one file: the default
//	shared  a log that others append to as well: etcd, or a store that another process holds
//	remote  a real OpenStack
//
// Package engine opens them by the scheme of a place, and has the interfaces that only
// some stores implement. Package follow makes a log of a store that another process
// holds; package attach does so through a socket beside the file. All stores pass
// the tests of storagetest.
package storage

import (
	"context"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// Store is a cloud and the place where it is kept. Every method may be called from any
// goroutine.
//
// After Close, Snapshot still returns the last one, channels of Watch are closed, and
// everything else returns ErrClosed.
type Store interface {
	cloud.Cloud

	// Verify reads all that the store keeps and returns its inconsistencies. None means
	// that every record was read and agrees with the others. An error means that the
	// store could not be read through.
	Verify(ctx context.Context) ([]Defect, error)

	// Close closes the store once the write under way is stored. Calling it again does
	// nothing.
	Close() error
}

// Defect is an inconsistency in a store.
type Defect struct {
	Where string `json:"where"` // "page 17", "record consumer 9f2c41d0-...", "journal revision 41", "cloud"
	What  string `json:"what"`  // what is wrong there

	// Remedy is DropJournal or Rewrite where no record is affected, and NoRemedy otherwise.
	Remedy Remedy `json:"-" cbor:"Remedy"` // processes tell each other
}

// RemedyFor returns what helps against several defects: a journal is left before anything else.
func RemedyFor(found []Defect) Remedy {
	remedy := Rewrite
	for _, d := range found {
		switch d.Remedy {
		case NoRemedy:
			return GoBack
		case DropJournal:
			remedy = DropJournal
		default: // Rewrite
		}
	}
	return remedy
}

// String returns Where and What on one line.
func (f Defect) String() string { return f.Where + ": " + f.What }

// Stamp returns c as the journal keeps it: with the present time if c has none, in UTC
// and without a monotonic reading, and with actor and note as one line of valid UTF-8
// each.
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
