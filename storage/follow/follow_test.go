package follow_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

// serve serves a store to one follower, until the end of the test.
func serve(t *testing.T, store storage.Store) net.Conn {
	t.Helper()
	here, there := net.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = follow.Serve(ctx, there, store, follow.Owner{Place: "cloud.db"}) // its effect shows at the follower
	}()
	t.Cleanup(func() { stop(); <-done })
	return here
}

// followed follows a store, until the end of the test.
func followed(t *testing.T, store storage.Store, o follow.Options) *follow.Store {
	t.Helper()
	if o.Clock == nil {
		o.Clock = storagetest.Clock()
	}
	s, err := follow.Follow(t.Context(), serve(t, store), o)
	must.Succeed(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ownMemory(t *testing.T, clock func() time.Time) storage.Store {
	t.Helper()
	s := memory.New(memory.Options{Clock: clock})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStoreOverMemory(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, storagetest.Harness{Open: func(t *testing.T, clock func() time.Time) storage.Store {
		t.Helper()
		return followed(t, ownMemory(t, clock), follow.Options{Clock: clock})
	}})
}

// TestStoreOverBolt stores what followers write in a file.
func TestStoreOverBolt(t *testing.T) {
	t.Parallel()
	open := func(t *testing.T, path string, clock func() time.Time) storage.Store {
		t.Helper()
		own, err := bolt.Open(t.Context(), path, engine.Options{Clock: clock})
		must.Succeed(t, err)
		t.Cleanup(func() { _ = own.Close() })
		return kept{followed(t, own, follow.Options{Clock: clock}), own}
	}
	storagetest.Run(t, storagetest.Harness{
		Open: func(t *testing.T, clock func() time.Time) storage.Store {
			t.Helper()
			return open(t, filepath.Join(t.TempDir(), "placetop.db"), clock)
		},
		Reopen: func(t *testing.T, s storage.Store, clock func() time.Time) storage.Store {
			t.Helper()
			was, ok := s.(kept)
			if !ok {
				t.Fatalf("%T was not made by Open", s)
			}
			must.Succeed(t, was.Close())
			must.Succeed(t, was.own.Close())
			return open(t, was.own.Path(), clock)
		},
	})
}

// kept is a follower, and what it follows.
type kept struct {
	*follow.Store
	own *bolt.Store
}
