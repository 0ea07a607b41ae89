package storagetest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// testOutcome has writers leave at any moment of a write, and closes the store while some
// are at work: what is reported as kept is there, as the revision that was reported and as
// no other's, what is reported as refused is not, and only what is said to be in doubt may
// be either.
func testOutcome(t *testing.T, h Harness) {
	const writers, each = 6, 16
	s := h.Open(t, Clock())
	p := host(t, s, 100_000, 4)
	type outcome struct {
		done cloud.Commit
		err  error
	}
	var outcomes [writers * each]outcome
	var early, all sync.WaitGroup
	early.Add(writers)
	for w := range writers {
		all.Go(func() {
			for i := range each {
				if i == each/2 {
					early.Done()
				}
				ctx, leave := context.WithCancel(t.Context())
				all.Go(func() {
					for range w * i * i {
						runtime.Gosched()
					}
					leave()
				})
				n := w*each + i
				outcomes[n].done, outcomes[n].err = s.Apply(ctx, Claim(uint64(1000+n), p, Resources{placement.VCPU: 1})).Result()
			}
		})
	}
	early.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	all.Wait()
	if h.Reopen != nil {
		s = h.Reopen(t, s, Clock())
	}
	by := map[cloud.Revision]int{}
	for n, o := range outcomes {
		_, there := s.Snapshot().Placement().Consumer(Consumer(uint64(1000 + n)))
		switch rev := o.done.Event.Revision; {
		case o.err != nil && there && !errors.Is(o.err, cloud.ErrInDoubt):
			t.Errorf("write %d is there, and was refused: %v", n, o.err)
		case o.err != nil:
		case !there:
			t.Errorf("write %d was kept as revision %d, and is not there", n, rev)
		case rev == 0 || rev != o.done.Snapshot.Revision() || rev > s.Snapshot().Revision():
			t.Errorf("write %d was kept as revision %d of a Snapshot of %d, the store is at %d", n, rev, o.done.Snapshot.Revision(), s.Snapshot().Revision())
		default:
			if other, twice := by[rev]; twice {
				t.Errorf("writes %d and %d were both kept as revision %d", other, n, rev)
			}
			by[rev] = n
		}
	}
}
