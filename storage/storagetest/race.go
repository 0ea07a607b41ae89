package storagetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// testLastUnits has 16 claimants take units one by one until none is left: exactly the
// capacity is given out, and everyone else is refused for lack of room.
func testLastUnits(t *testing.T, h Harness) {
	const claimants, capacity = 16, 50
	s := h.Open(t, Clock())
	host(t, s, 8, capacity)
	card := Provider(2)
	var won, next atomic.Int64
	var all sync.WaitGroup
	for range claimants {
		all.Go(func() {
			for {
				done, err := s.Apply(t.Context(), Claim(uint64(100+next.Add(1)), card, Resources{placement.VGPU: 1})).Result()
				if err != nil {
					if !errors.Is(err, placement.ErrCapacity) {
						t.Errorf("refused with %v", err)
					}
					return
				}
				won.Add(1)
				if n := used(t, done.Snapshot, card, placement.VGPU); n > capacity {
					t.Errorf("%d of %d units in use", n, capacity)
				}
			}
		})
	}
	all.Wait()
	if n := used(t, s.Snapshot(), card, placement.VGPU); won.Load() != capacity || n != capacity {
		t.Errorf("%d claims won, %d units in use, want %d", won.Load(), n, capacity)
	}
	if rev := s.Snapshot().Revision(); rev != capacity+1 {
		t.Errorf("revision %d, want %d", rev, capacity+1)
	}
	Clean(t, s)
}

// testImmutable keeps Snapshots while the store is written, and checks that they do not
// change.
func testImmutable(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	host(t, s, 1000, 4)
	var writing sync.WaitGroup
	stop := make(chan struct{})
	writing.Go(func() {
		r := NewRandom("immutable", 9)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.Apply(t.Context(), r.Change(s.Snapshot())).Err(); errors.Is(err, placement.ErrUnavailable) {
				t.Errorf("apply: %v", err)
				return
			}
		}
	})
	ch := s.Watch(t.Context())
	for range 6 {
		held := s.Snapshot()
		were := lines(t, held)
		for range 3 {
			<-ch
		}
		if d := cmp.Diff(were, lines(t, held)); d != "" {
			t.Errorf("revision %d changed while it was held (-was +is):\n%s", held.Revision(), d)
		}
	}
	close(stop)
	writing.Wait()
}

// lines returns the cloud as an export, which shares no memory with it.
func lines(t *testing.T, s *cloud.Snapshot) []string {
	t.Helper()
	codec := cloud.NewCodec()
	var out []string
	for r := range s.Records() {
		b, err := codec.EncodeJSON(r)
		must.Succeed(t, err)
		out = append(out, string(b))
	}
	return out
}

// testWholeChanges moves a claim between two providers again and again: a reader must see
// it on exactly one of them.
func testWholeChanges(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	applied(t, s, cloud.Change{Ops: append(Host(1, 8, 4), Host(3, 8, 4)...)})
	applied(t, s, Claim(10, Provider(1), Resources{placement.VCPU: 8}))
	done := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() { // one alone, as it takes a processor from the writer
		for {
			now := s.Snapshot()
			a, b := used(t, now, Provider(1), placement.VCPU), used(t, now, Provider(3), placement.VCPU)
			if a+b != 8 || a*b != 0 {
				t.Errorf("revision %d: %d used here and %d there", now.Revision(), a, b)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i := range int64(20) {
		c := Claim(10, Provider(uint64(3-2*(i%2))), Resources{placement.VCPU: 8})
		op, ok := c.Ops[0].(placement.ReplaceAllocations)
		if !ok {
			t.Fatal("a claim is another operation")
		}
		op.Consumers[0].Generation, c.Force = placement.Generation(1+i), cloud.ForceUnchecked
		applied(t, s, c)
	}
	close(done)
	reading.Wait()
}
