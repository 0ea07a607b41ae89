package bolt

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/internal/queue"
	"github.com/placetop/placetop/storage/internal/watch"
)

// Store is a cloud in a file. Its methods may be called from any goroutine.
type Store struct {
	path       string
	options    engine.Options
	codecs     codecs
	table      *crc32.Table
	readOnly   string
	journal    *storage.DamagedError // the damage of the journal when the file was opened; nil if none
	unreadable bool                  // the journal must not be read
	aged       string                // what an invalid meta page may mean; "" if there was none
	newer      *storage.NewerError   // what a newer release wrote; nil for nothing
	beyond     beyond

	newest   atomic.Pointer[cloud.Snapshot]
	watchers watch.Hub
	lost     conflict.Log

	queue   queue.Queue
	inspect chan func() // run by the writer, between two commits
	quit    chan struct{}
	closing sync.Once
	closed  error // of the first Close; read after the writer has ended

	open   *openFile
	handle *os.File // what db has open
	db     *bbolt.DB

	// What follows belongs to the writer, once it is started.
	file    *fileRecord                 // the file's own record, as in the file
	doubt   map[slotID]versioned.Change // what a failed commit may have left in the file; nil if nothing
	failing error                       // why the file cannot be written; nil if it can
	commit  func(*bbolt.Tx) error

	// broken is why bbolt can no longer be called: it stopped in the middle of something,
	// and may hold its locks for good.
	broken atomic.Pointer[storage.DamagedError]
}

var _ storage.Store = (*Store)(nil)

func newStore(path string, of *openFile, o engine.Options) *Store {
	s := &Store{
		path: path, options: o, codecs: newCodecs(), table: castagnoli(), file: of.file, beyond: of.beyond, aged: of.aged,
		open: of, handle: of.opened, db: of.db,
		queue: queue.New(), inspect: make(chan func()), quit: make(chan struct{}),
		commit: (*bbolt.Tx).Commit,
	}
	switch {
	case of.newer != nil:
		s.newer, _ = errors.AsType[*storage.NewerError](of.newer)
		s.readOnly = of.newer.Error()
	case len(of.journal) > 0:
		s.journal, s.unreadable = journalDamage(path, of.journal), of.unreadable
		s.readOnly = s.journal.Error()
	case o.ReadOnly:
		s.readOnly = path + " was opened read-only"
	}
	s.newest.Store(of.snapshot)
	return s
}

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// Scheme returns the scheme of the Engine, which the dashboard shows.
func (*Store) Scheme() string { return Engine{}.Scheme() }

// Condition implements engine.Conditioned. It is damaged if only its journal is, and aged if
// one of its two meta pages was invalid when it was opened.
func (s *Store) Condition() engine.Condition {
	return engine.Condition{Damage: s.journal, Newer: s.newer, Aged: s.aged}
}

// Snapshot implements cloud.Reader.
func (s *Store) Snapshot() *cloud.Snapshot { return s.newest.Load() }

// Watch implements cloud.Watcher.
func (s *Store) Watch(ctx context.Context) <-chan cloud.Revision { return s.watchers.Watch(ctx) }

// Conflicts implements cloud.ConflictLog.
func (s *Store) Conflicts() []cloud.Conflict { return s.lost.Conflicts() }

// Capabilities implements cloud.Cloud.
func (s *Store) Capabilities() cloud.Capabilities { return cloud.Capabilities{ReadOnly: s.readOnly} }

// Close implements storage.Store. It waits for the commit in progress, and for running
// Events, Backup and Verify, which it tells to end early.
func (s *Store) Close() error {
	s.closing.Do(func() {
		close(s.quit)
		<-s.queue.Done
		s.watchers.Close()
		if s.broken.Load() != nil {
			s.closed = errors.Join(diskfile.Unlock(s.open.locked), s.open.locked.Close())
			return
		}
		s.closed = s.open.close()
	})
	return s.closed
}

func (s *Store) isClosed() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}

// view runs fn in a read transaction. fn must be short, because pages that writers free
// cannot be reused while it runs, and must copy what it keeps.
func (s *Store) view(fn func(*bbolt.Tx) error) error {
	return s.begin(func() error { return s.db.View(fn) })
}

// begin runs fn, which calls bbolt on behalf of a caller.
func (s *Store) begin(fn func() error) error {
	if s.isClosed() {
		return storage.ErrClosed
	}
	err := s.sound(fn)
	if err != nil && s.isClosed() {
		return storage.ErrClosed
	}
	return err
}

// sound calls fn, which calls bbolt, unless the file is known to differ from what bbolt
// expects.
func (s *Store) sound(fn func() error) error {
	if broken := s.broken.Load(); broken != nil {
		return broken
	}
	if _, err := s.whole(); err != nil {
		return damaged(s.path, err)
	}
	return s.guarded(fn)
}

// whole returns an error unless the file is as long as it must be. Otherwise bbolt would
// notice a truncated part only on reading it, while it holds its locks.
func (s *Store) whole() (*meta, error) {
	info, err := s.handle.Stat()
	if err != nil {
		return nil, err
	}
	m, err := readMeta(s.handle, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForeignWrite, err)
	}
	return m, nil
}

// guarded runs fn, which calls bbolt. After a panic in it, which is returned as a
// DamagedError, this store no longer uses bbolt.
func (s *Store) guarded(fn func() error) error {
	err := guarded(fn)
	if _, ok := errors.AsType[*panicError](err); ok {
		broken := damaged(s.path, err)
		s.broken.Store(broken)
		return broken
	}
	return err
}

// Events implements cloud.Historian. It copies from the file in short transactions,
// and decodes outside of them. If the journal was found damaged when the file was
// opened, it returns the part that is newer than the damage.
func (s *Store) Events(ctx context.Context, q cloud.EventQuery) ([]cloud.Event, error) {
	const step = 256 // events of one transaction
	q.Limit = q.Most()
	if s.isClosed() {
		return nil, storage.ErrClosed
	}
	if s.unreadable {
		return nil, ctx.Err()
	}
	var out []cloud.Event
	for len(out) < q.Limit {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var raw []rawEvent
		n := min(step, q.Limit-len(out))
		err := s.view(func(tx *bbolt.Tx) error {
			var err error
			raw, err = s.codecs.readJournal(tx, q, n, s.table)
			return err
		})
		if err != nil && !errors.Is(err, errJournal) {
			return nil, err
		}
		unread := err
		for _, r := range raw {
			ev, newer, err := s.codecs.decodeEvent(r, s.table)
			if err != nil {
				unread = err
				break
			}
			if newer > 0 {
				ev.Note += fmt.Sprintf(" (and %d records that only a newer placetop can read)", newer)
			}
			out = append(out, ev)
		}
		if unread != nil && s.journal == nil {
			return nil, damaged(s.path, unread)
		}
		if unread != nil || len(raw) < n || raw[n-1].rev == 1 {
			break
		}
		q.Until = raw[n-1].rev - 1
	}
	return out, nil //nolint:nilerr // an event that could not be read is part of the damage that was told at open
}

// panicError is a panic of bbolt: it trusts what it reads, so it panics on a file that
// was changed by others.
type panicError struct{ what any }

func (e *panicError) Error() string { return fmt.Sprintf("bbolt stopped: %v", e.what) }

// guarded runs fn and returns its panics, including faults on a file that was truncated,
// as a panicError.
func guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = &panicError{p}
		}
	}()
	return fn()
}
