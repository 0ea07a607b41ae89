package follow

import (
	"context"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/memory"
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
			own, err := bolt.Open(t.Context(), filepath.Join(t.TempDir(), "cloud.db"), engine.Options{Clock: storagetest.Clock()})
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

// TestTurnAbused serves a follower that only takes turns, and appends what is too late all the time:
// its turn ends when it must, and it gets fewer and fewer.
func TestTurnAbused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := &yielding{Store: memory.New(memory.Options{Clock: storagetest.Clock()})}
		defer own.Close()
		var is turn
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(10 * time.Millisecond) {
			is.writer(own)
			is.lost(t.Context(), own)
		}
		is.end(false)
		if own.turns < 5 || own.turns > 12 || own.longest > time.Second {
			t.Errorf("%d turns, and one took %s", own.turns, own.longest)
		}
	})
}

// TestTurnTaken has a follower want a turn while another one has it: it is soon told that others
// were faster, lest it does not know what became of its write.
func TestTurnTaken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		own := &yielding{Store: memory.New(memory.Options{Clock: storagetest.Clock()}), taken: true}
		defer own.Close()
		var is turn
		began := time.Now()
		for range mostLosses {
			is.lost(t.Context(), own)
		}
		if took := time.Since(began); own.turns != 1 || took > 2*time.Second {
			t.Errorf("it was told after %s", took)
		}
	})
}

// yielding is a store that has others wait.
type yielding struct {
	storage.Store
	taken   bool // by somebody else
	turns   int
	longest time.Duration
}

func (y *yielding) Turn(ctx context.Context) (cloud.Writer, func(), error) {
	y.turns++
	if y.taken {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}
	began := time.Now()
	return y, func() { y.longest = max(y.longest, time.Since(began)) }, nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
