package bolt_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

// open opens the file at path until the end of the test.
func open(tb testing.TB, path string, o engine.Options) *bolt.Store {
	tb.Helper()
	if o.Clock == nil {
		o.Clock = storagetest.Clock()
	}
	s := must.Get(bolt.Open(tb.Context(), path, o))(tb)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, storagetest.Harness{
		Open: func(t *testing.T, clock func() time.Time) storage.Store {
			t.Helper()
			return open(t, filepath.Join(t.TempDir(), "made", "placetop.db"), engine.Options{Clock: clock})
		},
		Reopen: func(t *testing.T, s storage.Store, clock func() time.Time) storage.Store {
			t.Helper()
			was, ok := s.(*bolt.Store)
			if !ok {
				t.Fatalf("%T was not made by Open", s)
			}
			must.Succeed(t, was.Close())
			return open(t, was.Path(), engine.Options{Clock: clock})
		},
	})
}

// TestCommittedIsTold checks that Committed is called for each commit that is kept, with
// the number of changes that share it and the time that the disk took.
func TestCommittedIsTold(t *testing.T) {
	t.Parallel()
	var told []engine.Commit
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), engine.Options{
		Clock: time.Now, Committed: func(c engine.Commit) { told = append(told, c) },
	})
	for _, name := range []string{"a", "a", "b"} { // the second is refused
		s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.CreateProvider{ID: modeltest.ProviderID(name), Name: name}}})
	}
	if len(told) != 2 {
		t.Fatalf("told of %v", told)
	}
	for _, c := range told {
		if c.Changes != 1 || c.Disk <= 0 || c.Took < c.Disk {
			t.Errorf("told of %+v", c)
		}
	}
}

// TestCommitTakesAllThatWait has callers come while a commit is on its way to disk: they all
// share the next one.
func TestCommitTakesAllThatWait(t *testing.T) {
	t.Parallel()
	const callers = 20
	var commits []int
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), engine.Options{Committed: func(c engine.Commit) { commits = append(commits, c.Changes) }})
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1<<18, 1<<18)}).Result())(t)
	claim := func(n uint64) {
		op := placement.ReplaceAllocations{Consumers: []placement.Claim{claims(1<<32+n, 1)}}
		if err := s.Apply(t.Context(), cloud.Change{Ops: []placement.Op{op}}).Err(); err != nil {
			t.Error(err)
		}
	}
	writing, written := make(chan struct{}), make(chan struct{})
	first := sync.OnceFunc(func() { close(writing); <-written })
	bolt.OnCommit(s, func(tx *bbolt.Tx) error { first(); return tx.Commit() })
	var all sync.WaitGroup
	all.Go(func() { claim(0) })
	<-writing
	for n := range uint64(callers) {
		all.Go(func() { claim(1 + n) })
	}
	for bolt.Waiting(s) < callers {
		runtime.Gosched()
	}
	close(written)
	all.Wait()
	must.Succeed(t, s.Close())
	if want := []int{1, 1, callers}; !slices.Equal(commits, want) {
		t.Errorf("commits of %v changes, want %v", commits, want)
	}
}
