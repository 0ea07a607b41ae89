package bolt_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

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
func open(tb testing.TB, path string, o bolt.Options) *bolt.Store {
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
			return open(t, filepath.Join(t.TempDir(), "made", "placetop.db"), bolt.Options{Clock: clock})
		},
		Reopen: func(t *testing.T, s storage.Store, clock func() time.Time) storage.Store {
			t.Helper()
			was, ok := s.(*bolt.Store)
			if !ok {
				t.Fatalf("%T was not made by Open", s)
			}
			must.Succeed(t, was.Close())
			return open(t, was.Path(), bolt.Options{Clock: clock})
		},
	})
}

// TestCommittedIsTold checks that Committed is called for each commit that is kept, with
// the number of changes that share it and the time that the disk took.
func TestCommittedIsTold(t *testing.T) {
	t.Parallel()
	var told []engine.Commit
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), bolt.Options{
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

// TestCrowd has 64 callers that take turns: a commit must not wait for all of them, as
// nobody would be left to be decided while it is on its way to disk. A commit is not filled
// up beyond 32, and has more only if those came while the one before it was on its way, so
// whatever the timing, two of them in a row share at most 96.
func TestCrowd(t *testing.T) {
	t.Parallel()
	const callers, times = 64, 20
	var commits, changes int // Committed is called by one goroutine at a time
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), bolt.Options{Committed: func(c engine.Commit) {
		commits++
		changes += c.Changes
	}})
	must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 1<<18, 1<<18)}).Result())(t)
	var all sync.WaitGroup
	for n := range uint64(callers) {
		all.Go(func() {
			for i := range uint64(times) {
				claim := placement.ReplaceAllocations{Consumers: []placement.Claim{claims(1<<32+n*times+i, 1)}}
				if err := s.Apply(t.Context(), cloud.Change{Ops: []placement.Op{claim}}).Err(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	must.Succeed(t, s.Close())
	if changes > 48*commits {
		t.Errorf("%d commits for %d changes: most of the callers share each", commits, changes)
	}
}
