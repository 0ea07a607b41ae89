package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
)

// TestFailingIsToldOnce has a disk fill up and get room again: that is told once each, and
// Writable finds out without another write.
func TestFailingIsToldOnce(t *testing.T) {
	t.Parallel()
	var told []error
	s := withHost(t, engine.Options{Failing: func(err error) { told = append(told, err) }})
	if err := s.Writable(t.Context()); err != nil || len(told) != 0 {
		t.Fatalf("a sound file: %v, told %v", err, told)
	}
	for name, commit := range map[string]func(*bbolt.Tx) error{
		"full": func(tx *bbolt.Tx) error { return errors.Join(syscall.ENOSPC, tx.Rollback()) },
		"torn": func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.EIO) },
	} {
		told = nil
		bolt.OnCommit(s, commit)
		for n := range uint64(3) {
			_ = notKept(t, s, vcpu(10+n))
		}
		if err := s.Writable(t.Context()); err == nil || len(told) != 1 || told[0] == nil {
			t.Errorf("%s: %v, told %v", name, err, told)
		}
		bolt.OnCommit(s, (*bbolt.Tx).Commit)
		if err := s.Writable(t.Context()); err != nil || len(told) != 2 || told[1] != nil {
			t.Errorf("%s, and it has room again: %v, told %v", name, err, told)
		}
		if left := revisionIn(t, s.Path()); left != s.Snapshot().Revision() {
			t.Errorf("%s: the file is at revision %d, the store at %d", name, left, s.Snapshot().Revision())
		}
	}
	works(t, s, 20)
}

// TestWritableFindsTheFileGone tests a file that was removed while no write came.
func TestWritableFindsTheFileGone(t *testing.T) {
	t.Parallel()
	var told []error
	s := withHost(t, engine.Options{Failing: func(err error) { told = append(told, err) }})
	must.Succeed(t, os.Rename(s.Path(), s.Path()+".away"))
	if err := s.Writable(t.Context()); err == nil || len(told) != 1 {
		t.Errorf("%v, told %v", err, told)
	}
	must.Succeed(t, os.Rename(s.Path()+".away", s.Path()))
	if err := s.Writable(t.Context()); err != nil || len(told) != 2 {
		t.Errorf("it is back: %v, told %v", err, told)
	}
}

// TestOpenSweeps removes what a backup beside the file has left that was killed.
func TestOpenSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	left, other := filepath.Join(dir, ".b.db.placetop-4711"), filepath.Join(dir, ".mine")
	for _, path := range []string{left, other} {
		must.Succeed(t, os.WriteFile(path, []byte("half"), 0o600))
	}
	open(t, filepath.Join(dir, "placetop.db"), engine.Options{})
	must.Fail(t, must.Err(os.Stat(left)), os.ErrNotExist)
	must.Succeed(t, must.Err(os.Stat(other)))
}
