package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// notKept applies a change to s, which must fail because it cannot be stored, and change
// nothing.
func notKept(t *testing.T, s *bolt.Store, c cloud.Change) error {
	t.Helper()
	before := s.Snapshot()
	watched := s.Watch(t.Context())
	err := s.Apply(t.Context(), c).Err()
	var e *storage.NotKeptError
	if !errors.As(err, &e) || !errors.Is(err, placement.ErrUnavailable) || e.Hint == "" {
		t.Fatalf("apply: %v", err)
	}
	if s.Snapshot() != before {
		t.Error("the cloud was changed")
	}
	select {
	case rev := <-watched:
		t.Errorf("watchers heard of revision %d", rev)
	default:
	}
	return err
}

func vcpu(n uint64) cloud.Change {
	return storagetest.Claim(n, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})
}

// withHost returns a store with one host of 1000 VCPUs.
func withHost(t *testing.T, o engine.Options) *bolt.Store {
	t.Helper()
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), o)
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1000, 4)}).Result())(t)
	return s
}

// works checks that a store takes writes, and that what it has stored is what it shows.
func works(t *testing.T, s *bolt.Store, n uint64) {
	t.Helper()
	if err := s.Apply(t.Context(), vcpu(n)).Err(); err != nil {
		t.Errorf("apply: %v", err)
	}
	storagetest.Clean(t, s)
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 10_000}))(t)
	storagetest.Same(t, s.Snapshot(), storagetest.Replay(t, events))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	storagetest.Same(t, s.Snapshot(), open(t, s.Path(), engine.Options{}).Snapshot())
}

// TestFailedCommit makes commits fail in each way: without a trace, and after they have
// reached the file, so that what was reported as failed must be taken back.
func TestFailedCommit(t *testing.T) {
	t.Parallel()
	without := func(tx *bbolt.Tx) error { return errors.Join(syscall.ENOSPC, tx.Rollback()) }
	after := func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.EIO) }
	for name, test := range map[string]struct {
		commits []func(*bbolt.Tx) error
		say     string
	}{
		"disk full":                 {[]func(*bbolt.Tx) error{without}, "Make room"},
		"disk full for long":        {[]func(*bbolt.Tx) error{without, without, without}, "Make room"},
		"reached the file":          {[]func(*bbolt.Tx) error{after}, "it is not known whether it was done"},
		"reached the file twice":    {[]func(*bbolt.Tx) error{after, after}, "it is not known whether it was done"},
		"reached it, then did not":  {[]func(*bbolt.Tx) error{after, without, after}, ""},
		"did not, then reached the": {[]func(*bbolt.Tx) error{without, after, without}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := withHost(t, engine.Options{})
			must.Get(s.Apply(t.Context(), vcpu(5)).Result())(t)
			for i, commit := range test.commits {
				bolt.OnCommit(s, commit)
				c := vcpu(uint64(10 + i))
				c.Ops = append(c.Ops, placement.DeleteAllocations{Consumer: storagetest.Consumer(5)})
				err := notKept(t, s, c)
				if !strings.Contains(err.Error(), test.say) {
					t.Errorf("it is said: %v", err)
				}
				left := revisionIn(t, s.Path()) // by a process that is killed now
				if doubt := errors.Is(err, cloud.ErrInDoubt); !doubt && left != s.Snapshot().Revision() || doubt && i == 0 && left == s.Snapshot().Revision() {
					t.Errorf("the file is at revision %d, the store at %d, and it is said: %v", left, s.Snapshot().Revision(), err)
				}
			}
			bolt.OnCommit(s, (*bbolt.Tx).Commit)
			works(t, s, 11)
		})
	}
}

// revisionIn returns the revision to which a copy of a file opens.
func revisionIn(t *testing.T, path string) cloud.Revision {
	t.Helper()
	left := filepath.Join(t.TempDir(), "left.db")
	must.Succeed(t, os.WriteFile(left, must.Get(os.ReadFile(path))(t), 0o600))
	s := open(t, left, engine.Options{ReadOnly: true})
	return s.Snapshot().Revision()
}

// TestFailedCommitIsTakenBackAtTheEnd closes a store whose file holds a failed commit.
func TestFailedCommitIsTakenBackAtTheEnd(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	bolt.OnCommit(s, func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.EIO) })
	_ = notKept(t, s, vcpu(10))
	bolt.OnCommit(s, (*bbolt.Tx).Commit)
	must.Succeed(t, s.Close())
	again := open(t, s.Path(), engine.Options{})
	storagetest.Same(t, s.Snapshot(), again.Snapshot())
	storagetest.Clean(t, again)
}

// TestFailedCommitFailsAllWhoBuiltOnIt holds up a commit so that several callers share
// the next one, which fails. Callers whose claims were accepted get the failure, and so
// do those who were refused because of these claims; one who would be refused anyway
// keeps that verdict.
func TestFailedCommitFailsAllWhoBuiltOnIt(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), engine.Options{})
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 2, 4)}).Result())(t)
	before := s.Snapshot()
	bolt.OnCommit(s, func(tx *bbolt.Tx) error { return errors.Join(syscall.ENOSPC, tx.Rollback()) })
	var all sync.WaitGroup
	verdicts := make([]error, 6)
	for i := range verdicts {
		all.Go(func() { _, verdicts[i] = s.Apply(t.Context(), vcpu(uint64(10+i))).Result() })
	}
	all.Wait()
	for i, err := range verdicts {
		if !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("claim %d: %v", i, err)
		}
	}
	if err := s.Apply(t.Context(), storagetest.Claim(30, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 3})).Err(); !errors.Is(err, placement.ErrCapacity) {
		t.Errorf("a claim that never fits: %v", err)
	}
	storagetest.Same(t, before, s.Snapshot())
	bolt.OnCommit(s, (*bbolt.Tx).Commit)
	works(t, s, 40)
}

// TestFullDisk fills a small disk, and makes room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := mountSmall(dir); err != nil {
		t.Skipf("no small disk can be made here: %v", err)
	}
	t.Cleanup(func() {
		if err := unmount(dir); err != nil {
			t.Error(err)
		}
	})
	s := must.Get(bolt.Open(t.Context(), filepath.Join(dir, "placetop.db"), engine.Options{Clock: storagetest.Clock()}))(t)
	defer s.Close()
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1000, 4)}).Result())(t)
	ballast := filepath.Join(dir, "ballast")
	must.Succeed(t, fillDisk(ballast))
	var full error
	for n := uint64(10); n < 400 && full == nil; n++ {
		_, full = s.Apply(t.Context(), vcpu(n)).Result()
	}
	if !errors.Is(full, placement.ErrUnavailable) || !errors.Is(full, syscall.ENOSPC) && !strings.Contains(full.Error(), "no space left") {
		t.Fatalf("apply: %v", full)
	}
	if !strings.Contains(full.Error(), "Make room") {
		t.Errorf("it is said: %v", full)
	}
	_ = notKept(t, s, vcpu(500))
	must.Succeed(t, os.Remove(ballast))
	if err := s.Apply(t.Context(), vcpu(501)).Err(); err != nil {
		t.Errorf("with room again: %v", err)
	}
	storagetest.Clean(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	again := must.Get(bolt.Open(t.Context(), s.Path(), engine.Options{Clock: storagetest.Clock()}))(t)
	storagetest.Same(t, s.Snapshot(), again.Snapshot())
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// TestFileTakenAway moves the file of an open store: what is written after that would be
// lost with the process.
func TestFileTakenAway(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	aside := s.Path() + ".aside"
	must.Succeed(t, os.Rename(s.Path(), aside))
	if err := notKept(t, s, vcpu(10)); !strings.Contains(err.Error(), "the file is gone") {
		t.Errorf("it is said: %v", err)
	}
	write(t, s.Path(), nil)
	if err := notKept(t, s, vcpu(10)); !strings.Contains(err.Error(), "another file is in its place") {
		t.Errorf("it is said: %v", err)
	}
	must.Succeed(t, os.Rename(aside, s.Path()))
	works(t, s, 10)
}

// TestFileOverwritten copies another file over that of an open store, as cp does. The
// store writes no more to it; what is in memory can still be read.
func TestFileOverwritten(t *testing.T) {
	t.Parallel()
	other, _ := sample(t)
	s := withHost(t, engine.Options{})
	image := read(t, other)
	write(t, s.Path(), image)
	if err := notKept(t, s, vcpu(10)); !strings.Contains(err.Error(), "changed by another program") {
		t.Errorf("it is said: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if string(read(t, s.Path())) != string(image) {
		t.Error("the other file was written")
	}
}

// TestFileCutOff truncates the file of an open store. Even reading the mapped memory
// would then kill an unprepared process.
func TestFileCutOff(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	for n := range uint64(50) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
	}
	before := s.Snapshot()
	for _, size := range []int64{2 * int64(os.Getpagesize()), 0} {
		must.Succeed(t, os.Truncate(s.Path(), size))
		_ = notKept(t, s, vcpu(100))
		must.Fail(t, must.Err(s.Events(t.Context(), cloud.EventQuery{})), storage.ErrDamaged)
		storagetest.Same(t, before, s.Snapshot())
	}
}

// TestBoltPanics makes bbolt panic in the middle of a commit, with its locks held.
func TestBoltPanics(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	bolt.OnCommit(s, func(*bbolt.Tx) error { panic("page 7: assertion failed") })
	for range 2 {
		err := s.Apply(t.Context(), vcpu(10)).Err()
		if !errors.Is(err, storage.ErrDamaged) || !errors.Is(err, placement.ErrUnavailable) {
			t.Errorf("apply: %v", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	again := open(t, s.Path(), engine.Options{})
	storagetest.Same(t, s.Snapshot(), again.Snapshot())
	works(t, again, 10)
}
