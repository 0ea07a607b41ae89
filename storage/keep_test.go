package storage_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
)

// rounds counts rounds, and says when the next one is due.
type rounds struct {
	mu    sync.Mutex
	at    []time.Duration // since began
	began time.Time
	again func() time.Time
	takes time.Duration
}

func (r *rounds) Round(context.Context) time.Time {
	r.mu.Lock()
	r.at = append(r.at, time.Since(r.began))
	r.mu.Unlock()
	time.Sleep(r.takes)
	if r.again == nil {
		return time.Time{}
	}
	return r.again()
}

// changes is a store that reports changes when a test says so.
type changes chan cloud.Revision

func (c changes) Watch(context.Context) <-chan cloud.Revision { return c }

// TestKeep runs rounds: at once, at each change, and at the time that the last round
// named. It rests while there are changes all the time, and does nothing while there is
// nothing to do.
func TestKeep(t *testing.T) {
	t.Parallel()
	after := func(d time.Duration, r *rounds) int {
		time.Sleep(d)
		synctest.Wait()
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.at)
	}
	keep := func(r *rounds, c changes) {
		r.began = time.Now()
		go storage.Keep(context.Background(), c, time.Now, r)
		synctest.Wait()
	}
	synctest.Test(t, func(t *testing.T) {
		r, c := &rounds{}, make(changes, 1)
		keep(r, c)
		if after(24*time.Hour, r) != 1 {
			t.Errorf("%d rounds in a quiet day", len(r.at))
		}
		c <- 1
		if after(0, r) != 2 {
			t.Errorf("%d rounds after a change", len(r.at))
		}
		close(c)
	})
	synctest.Test(t, func(t *testing.T) {
		due := time.Now().Add(time.Hour)
		r, c := &rounds{}, make(changes, 1)
		r.again = func() time.Time {
			if time.Now().Before(due) {
				return due
			}
			return time.Time{}
		}
		keep(r, c)
		if after(2*time.Hour, r) != 2 || r.at[1] != time.Hour {
			t.Errorf("rounds at %v, want one when it is due", r.at)
		}
		close(c)
	})
	synctest.Test(t, func(t *testing.T) {
		r, c := &rounds{takes: 100 * time.Millisecond}, make(changes, 1)
		keep(r, c)
		for n := range 10_000 {
			select {
			case <-c:
			default:
			}
			c <- cloud.Revision(n)
			time.Sleep(time.Millisecond)
		}
		if n := after(0, r); n < 9 || n > 11 {
			t.Errorf("%d rounds in 10 s of changes, want one a second", n)
		}
		time.Sleep(2 * time.Second)
		close(c)
	})
	synctest.Test(t, func(t *testing.T) {
		r, c := &rounds{}, make(changes, 1)
		r.again = func() time.Time { return r.began } // what is due cannot be done
		keep(r, c)
		if after(10*time.Second, r) > 11 {
			t.Errorf("%d rounds in 10 s for nothing", len(r.at))
		}
		close(c)
	})
}
