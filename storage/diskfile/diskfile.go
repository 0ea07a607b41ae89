// Package diskfile handles whole files: it locks them, says which process holds one,
// and writes them completely or not at all. Files of keys and tokens are read only if
// other users cannot write or read them, and read again once they have changed.
//
// Files are locked with flock(2), as bbolt does, so the locks work between all
// placetops. The package may be used from any goroutine, but two must not write one
// path at once.
package diskfile

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/placetop/placetop/storage"
)

// ErrHeld says that another process, or another opening of the file in this one, holds
// the lock of a file.
var ErrHeld = errors.New("held by another process")

// pollEvery is how often a held lock is tried again. The kernel would wake the next in
// line by itself, but a wait in the kernel cannot be cancelled.
const pollEvery = 20 * time.Millisecond

// WaitLock locks f, exclusively or shared with other readers, and waits for the lock
// until ctx ends: the error is the cause of ctx. If the lock is still held after
// moment, notice is called, once; it may be nil.
func WaitLock(ctx context.Context, f *os.File, exclusive bool, moment time.Duration, notice func()) error {
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	late := time.NewTimer(moment)
	defer late.Stop()
	for {
		err := TryLock(f, exclusive)
		if err == nil {
			return nil
		}
		if !errors.Is(err, ErrHeld) {
			return &storage.OpenError{Path: f.Name(), What: "it cannot be locked: " + err.Error(), Err: err}
		}
		select {
		case <-again.C:
		case <-late.C:
			if notice != nil {
				notice()
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Locked says which process holds the lock of the file at path, as of now.
func Locked(path string, now time.Time) *storage.LockedError {
	h := findHolder(path)
	e := &storage.LockedError{
		Path: path, PID: h.pid, Command: h.command, Since: h.since, Now: now,
		Hint: "Close it there", Remedy: storage.WaitForIt,
	}
	if h.pid == os.Getpid() {
		e.Command, e.Hint, e.Remedy = "this process", "It is already open here", storage.NoRemedy
	}
	return e
}

// SamePlace returns an error unless path still names the file f.
func SamePlace(f *os.File, path string) error {
	has, err := f.Stat()
	if err != nil {
		return err
	}
	is, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !os.SameFile(has, is) {
		return errors.New("another file is in its place")
	}
	return nil
}

// SyncDir syncs the names in a folder to disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
