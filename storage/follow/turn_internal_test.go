package follow

import (
	"context"
	"net"
	"path/filepath"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/shared"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestTurnEnds gives a follower its turn that does not use it, or leaves: others do not wait for
// it for ever.
func TestTurnEnds(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]bool{"not used": false, "gone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own, err := bolt.Open(t.Context(), filepath.Join(t.TempDir(), "cloud.db"), bolt.Options{Clock: storagetest.Clock()})
			check(t, err)
			defer own.Close()
			here, there := net.Pipe()
			go func() { _ = Serve(context.Background(), there, own, Owner{}) }() // it ends with own
			s, err := Follow(t.Context(), here, Options{Clock: storagetest.Clock()})
			check(t, err)
			defer s.Close()
			_, ev, err := own.Snapshot().Apply(cloud.Change{At: storagetest.Start, Ops: storagetest.Host(1, 8, 4)})
			check(t, err)
			e, err := shared.NewEntry(cloud.NewCodec(), ev)
			check(t, err)
			check(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(3, 8, 4)}).Err())
			for range mostLosses {
				if _, err := s.log.Append(t.Context(), endAt(0), e); err == nil {
					t.Fatal("it was not outrun")
				}
			}
			if leaves {
				check(t, s.Close())
			}
			check(t, own.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(5, 8, 4)}).Err())
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
