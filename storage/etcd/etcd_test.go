//go:build etcd

package etcd_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/etcd"
	"github.com/placetop/placetop/storage/storagetest"
)

// open opens a place, and closes the store at the end of the test.
func open(t testing.TB, place string, clock func() time.Time) storage.Store {
	t.Helper()
	s, err := etcd.Engine{}.Open(t.Context(), place, engine.Options{Clock: clock, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestSuite(t *testing.T) {
	c := begin(t)
	var n atomic.Int64
	var mu sync.Mutex
	places := map[storage.Store]string{}
	put := func(t *testing.T, place string, clock func() time.Time) storage.Store {
		s := open(t, place, clock)
		mu.Lock()
		defer mu.Unlock()
		places[s] = place
		return s
	}
	t.Run("all", func(t *testing.T) {
		storagetest.Run(t, storagetest.Harness{
			Open: func(t *testing.T, clock func() time.Time) storage.Store {
				return put(t, c.place(fmt.Sprint("test/", n.Add(1))), clock)
			},
			Reopen: func(t *testing.T, s storage.Store, clock func() time.Time) storage.Store {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				mu.Lock()
				place := places[s]
				mu.Unlock()
				return put(t, place, clock)
			},
		})
	})
}
