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
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/diskfile"
	"github.com/placetop/placetop/storage/internal/conflict"
	"github.com/placetop/placetop/storage/internal/watch"
)

// Store is a cloud in a file. Its methods may be called from any goroutine.
type Store struct {
	path       string
	options    Options
	codecs     codecs
	table      *crc32.Table
	readOnly   string
	journal    *storage.DamagedError // the damage of the journal when the file was opened; nil if none
	unreadable bool                  // the journal must not be read
	aged       string                // what an invalid meta page may mean; "" if there was none
	newer      *storage.NewerError   // what a newer release wrote; nil for nothing
	beyond     beyond

	newest   atomic.Pointer[cloud.Snapshot]
	behind   atomic.Pointer[[]*decision] // what is in the log, and not yet in bbolt
	watchers watch.Hub
	lost     conflict.Log

	queue   chan *request
	inspect chan func(*writer) // run by the writer, between two commits
	quit    chan struct{}
	done    chan struct{} // closed when the writer has ended
	closing sync.Once
	closed  error // of the first Close; read after done

	// What follows belongs to the writer, once it is started.
	handle     *os.File
	db         *bbolt.DB
	file       *fileRecord                 // the file's own record, as bbolt has it
	dicts      dicts                       // of the file
	doubt      map[slotID]versioned.Change // what a failed commit may have left in the file; nil if nothing
	logs       bool                        // the log may be taken in use
	quietAfter time.Duration               // it is quiet after this long without a commit
	followFrom int                         // bytes in the log at which bbolt starts to follow

	commit   func(*bbolt.Tx) error
	writeLog func(f *os.File, b []byte, at int64) error

	seen atomic.Pointer[image] // the file, as of bbolt's newest transaction

	// broken is why bbolt can no longer be called: it stopped in the middle of something,
	// and may hold its locks for good.
	broken atomic.Pointer[storage.DamagedError]
}

var _ storage.Store = (*Store)(nil)

func newStore(path string, f *os.File, c codecs, o Options, held content) *Store {
	s := &Store{
		path: path, options: o, codecs: c, table: castagnoli(), handle: f, file: held.file, dicts: held.dicts, beyond: held.beyond, aged: held.aged,
		queue: make(chan *request, queueLength), inspect: make(chan func(*writer)),
		quit: make(chan struct{}), done: make(chan struct{}),
		commit: (*bbolt.Tx).Commit, logs: canLog, quietAfter: quietAfter, followFrom: followFrom, writeLog: writeThrough,
	}
	switch {
	case held.newer != nil:
		s.newer, _ = errors.AsType[*storage.NewerError](held.newer)
		s.readOnly = held.newer.Error()
	case len(held.journal) > 0:
		s.journal, s.unreadable = journalDamage(path, held.journal), held.unreadable
		s.readOnly = s.journal.Error()
	case o.ReadOnly:
		s.readOnly = path + " was opened read-only"
	}
	s.newest.Store(held.snapshot)
	s.tail(held.behind)
	return s
}

// start starts the writer.
func (s *Store) start() error {
	if s.readOnly != "" {
		close(s.done)
		return nil
	}
	if err := s.see(); err != nil {
		return damaged(s.path, err)
	}
	go s.write()
	return nil
}

// Path returns the path of the file.
func (s *Store) Path() string { return s.path }

// Scheme returns the scheme of the Engine, which the dashboard shows.
func (*Store) Scheme() string { return Engine{}.Scheme() }

// Newer returns what a newer release wrote, so that this one must not write the file; nil
// for nothing.
func (s *Store) Newer() *storage.NewerError { return s.newer }

// Aged says that the file may be older than what was last confirmed, as one of its two
// meta pages was invalid when it was opened; "" if both were valid.
func (s *Store) Aged() string { return s.aged }

// Damage returns the damage of a file that could still be opened for reading, which is
// to its journal; nil for an undamaged file.
func (s *Store) Damage() *storage.DamagedError { return s.journal }

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
		<-s.done
		s.watchers.Close()
		if s.broken.Load() != nil {
			s.closed = errors.Join(diskfile.Unlock(s.handle), s.handle.Close())
			return
		}
		s.closed = s.db.Close()
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
func (s *Store) whole() (*image, error) {
	info, err := s.handle.Stat()
	if err != nil {
		return nil, err
	}
	im, err := readImage(s.handle, info.Size())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errForeignWrite, err)
	}
	return im, nil
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
	if q.Limit <= 0 {
		q.Limit = defaultEvents
	}
	if s.isClosed() {
		return nil, storage.ErrClosed
	}
	if s.unreadable {
		return nil, ctx.Err()
	}
	out, q, more := s.recent(q)
	for more && len(out) < q.Limit {
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
