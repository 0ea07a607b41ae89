package follow_test

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/follow"
	"github.com/placetop/placetop/storage/storagetest"
)

// BenchmarkShows is the time until what one follower writes is stored in a file and shows
// at another.
func BenchmarkShows(b *testing.B) {
	own, err := bolt.Open(b.Context(), filepath.Join(b.TempDir(), "cloud.db"), engine.Options{Clock: storagetest.Clock()})
	must.Succeed(b, err)
	defer own.Close()
	join := func() *follow.Store {
		here, there := net.Pipe()
		go func() { _ = follow.Serve(context.Background(), there, own, follow.Owner{}) }() // ends with own
		s, err := follow.Follow(b.Context(), here, follow.Options{Clock: storagetest.Clock()})
		must.Succeed(b, err)
		return s
	}
	writes, sees := join(), join()
	defer writes.Close()
	defer sees.Close()
	news := sees.Watch(b.Context())
	n := uint64(1)
	for b.Loop() {
		done, err := writes.Apply(b.Context(), cloud.Change{Ops: storagetest.Host(n, 8, 4)}).Result()
		must.Succeed(b, err)
		for <-news < done.Event.Revision {
		}
		n += 2
	}
}
