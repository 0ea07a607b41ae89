package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/shared"
)

// Options are what a follower is made with. Only Clock is required.
type Options struct {
	// Clock gives the time of a change that names none.
	Clock func() time.Time
	// Release is the release of this program.
	Release string
	// As is how others see this process named, "" for a follower that leaves in a moment.
	As string
	// ReadOnly is why this follower must not write, "" where it may.
	ReadOnly string
	// Reopen opens the store as its owner has left it, to see what became of a write that
	// the owner has not answered; nil if there is no way but through the owner.
	Reopen func(ctx context.Context) (storage.Store, error)
}

// Store is a cloud that another process, the owner, keeps. Its methods may be called
// from any goroutine. When the owner goes, its last state can still be read; writes,
// and everything that only the owner can answer, fail with a GoneError.
type Store struct {
	storage.Store // of what the owner tells
	log           *log
	peers         atomic.Pointer[[]engine.Peer] // nil if nobody asks for them
}

var (
	_ engine.Attended    = (*Store)(nil)
	_ engine.Backuper    = (*Store)(nil)
	_ engine.Conditioned = (*Store)(nil)
)

// Follow returns the store that the owner at conn serves, once all of it has arrived.
// It closes conn if that fails, and otherwise with the store.
//
// Errors match placement.ErrUnavailable.
func Follow(ctx context.Context, conn net.Conn, o Options) (*Store, error) {
	if o.Clock == nil {
		panic("follow: a store needs a clock")
	}
	l, err := dial(ctx, conn, o)
	if err != nil {
		return nil, err
	}
	s, err := shared.Open(ctx, l, shared.Options{Clock: o.Clock, Place: l.place(), ReadOnly: cmp.Or(l.peer.ReadOnly, o.ReadOnly), Single: true})
	if err != nil {
		return nil, err
	}
	f := &Store{Store: s, log: l}
	if o.As != "" {
		go f.meet() //nolint:contextcheck // it ends with the log, not with the call
	}
	return f, nil
}

// meet keeps up with who is there until the owner has gone.
func (s *Store) meet() {
	for changes := 0; ; {
		a, _, err := s.log.ask(context.Background(), kindPeers, question{Changes: changes})
		if err != nil {
			s.peers.Store(nil)
			return
		}
		s.peers.Store(&a.Peers)
		changes = a.Changes
	}
}

// Peers implements engine.Attended: the owner is first. It returns nothing for a follower that has
// not said who it is.
func (s *Store) Peers() []engine.Peer {
	if all := s.peers.Load(); all != nil {
		return *all
	}
	return nil
}

// Owner names the process that keeps the cloud, such as "pid 4211".
func (s *Store) Owner() string { return s.log.owner() }

// Scheme returns the scheme of the owner's engine, and who the owner is.
func (s *Store) Scheme() string { return s.log.peer.Scheme + " of " + s.Owner() }

// Gone is closed when the owner has gone, and when the store is closed.
func (s *Store) Gone() <-chan struct{} { return s.log.gone }

// Condition implements engine.Conditioned.
func (s *Store) Condition() engine.Condition { return s.log.peer.Condition }

// Capabilities implements cloud.Cloud.
func (s *Store) Capabilities() cloud.Capabilities {
	if err := s.log.ended(); err != nil {
		return cloud.Capabilities{ReadOnly: err.Error()}
	}
	return s.Store.Capabilities()
}

// Apply implements cloud.Writer. A refusal of the owner has the words that it has there.
func (s *Store) Apply(ctx context.Context, c cloud.Change) cloud.Outcome {
	out := s.Store.Apply(ctx, c)
	not, is := errors.AsType[*storage.NotKeptError](out.Err())
	if !is {
		return out
	}
	if told, is := errors.AsType[*OwnerError](not.Err); is {
		return cloud.Refused(told)
	}
	return cloud.Refused(fmt.Errorf("%w; it was not written: try again", not.Err))
}

// Verify implements storage.Store: the owner reads everything that it keeps.
func (s *Store) Verify(ctx context.Context) ([]storage.Defect, error) {
	a, _, err := s.log.ask(ctx, kindVerify, question{})
	return a.Defects, err
}

// BackupFile implements engine.Backuper: the owner writes the copy.
func (s *Store) BackupFile(ctx context.Context, path string, to diskfile.Options) error {
	if !s.log.peer.Backup {
		return fmt.Errorf("what %s has open cannot be backed up: %w", s.Owner(), placement.ErrUnsupported)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	q := question{Path: abs, Overwrite: to.Overwrite}
	for _, k := range to.Keep {
		at, err := filepath.Abs(k.Path)
		if err != nil {
			return err
		}
		q.Keep = append(q.Keep, diskfile.ProtectedFile{Path: at, Is: k.Is})
	}
	_, _, err = s.log.ask(ctx, kindBackup, q)
	return err
}
