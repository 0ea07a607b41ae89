package storagetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

func testWatchNewest(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	slow, other := s.Watch(t.Context()), s.Watch(t.Context())
	p := host(t, s, 100, 4)
	if rev := <-other; rev != 1 {
		t.Errorf("told of revision %d, want 1", rev)
	}
	for i := range 9 {
		applied(t, s, Claim(uint64(10+i), p, Resources{placement.VCPU: 1}))
	}
	for name, ch := range map[string]<-chan cloud.Revision{"slow": slow, "other": other} {
		if cap(ch) != 1 {
			t.Errorf("%s: room for %d", name, cap(ch))
		}
		if rev := <-ch; rev != 10 {
			t.Errorf("%s: told of revision %d, want 10", name, rev)
		}
		select {
		case rev := <-ch:
			t.Errorf("%s: told of revision %d too", name, rev)
		default:
		}
	}
}

func testWatchRefused(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	p := host(t, s, 8, 4)
	ch := s.Watch(t.Context())
	if err := s.Apply(t.Context(), Claim(10, p, Resources{placement.VCPU: 100})).Err(); err == nil {
		t.Fatal("accepted")
	}
	applied(t, s, cloud.Change{})
	select {
	case rev := <-ch:
		t.Errorf("told of revision %d", rev)
	default:
	}
}

func testWatchEnds(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	ctx, cancel := context.WithCancel(t.Context())
	ch, stays := s.Watch(ctx), s.Watch(t.Context())
	cancel()
	if _, open := <-ch; open {
		t.Error("a revision after the context ended")
	}
	if _, open := <-s.Watch(ctx); open {
		t.Error("a revision on a channel of a context that had ended")
	}
	host(t, s, 8, 4)
	if rev := <-stays; rev != 1 {
		t.Errorf("told of revision %d, want 1", rev)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, open := <-stays; open {
		t.Error("a revision after close")
	}
}

// testWatchFollows runs watchers beside writers: the revisions that they receive only
// grow, the Snapshot is never behind, and the last revision arrives.
func testWatchFollows(t *testing.T, h Harness) {
	const writers, each = 4, 25
	s := h.Open(t, Clock())
	p := host(t, s, 1000, 4)
	var following, writing sync.WaitGroup
	for range 3 {
		ch := s.Watch(t.Context())
		following.Go(func() {
			var last cloud.Revision
			for last < 1+writers*each {
				rev, open := <-ch
				switch {
				case !open:
					t.Errorf("closed after revision %d", last)
					return
				case rev <= last:
					t.Errorf("told of revision %d after %d", rev, last)
					return
				case s.Snapshot().Revision() < rev:
					t.Errorf("told of revision %d, the snapshot is at %d", rev, s.Snapshot().Revision())
				}
				last = rev
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				if err := s.Apply(t.Context(), Claim(uint64(100+w*each+i), p, Resources{placement.VCPU: 1})).Err(); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	writing.Wait()
	following.Wait()
}

// testCloseUnderLoad closes the store while writers are at work: each gets a verdict, and
// the cloud has exactly what was acknowledged.
func testCloseUnderLoad(t *testing.T, h Harness) {
	const writers = 8
	s := h.Open(t, Clock())
	p := host(t, s, 100_000, 4)
	ch := s.Watch(t.Context())
	acknowledged := make([]int64, writers)
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := 0; ; i++ {
				err := s.Apply(t.Context(), Claim(uint64(1000+w+writers*i), p, Resources{placement.VCPU: 1})).Err()
				if err != nil {
					if !errors.Is(err, placement.ErrUnavailable) {
						t.Errorf("writer %d: %v", w, err)
					}
					return
				}
				acknowledged[w]++
			}
		})
	}
	for rev := range ch {
		if rev > 40 {
			break
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	writing.Wait()
	var sum int64
	for _, n := range acknowledged {
		sum += n
	}
	if got := used(t, s.Snapshot(), p, placement.VCPU); got != sum {
		t.Errorf("%d claims acknowledged, %d are there", sum, got)
	}
	if h.Reopen != nil {
		Same(t, s.Snapshot(), h.Reopen(t, s, Clock()).Snapshot())
	}
}
