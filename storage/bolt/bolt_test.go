package bolt_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/storagetest"
)

// open opens the file at path until the end of the test.
func open(tb testing.TB, path string, o bolt.Options) *bolt.Store {
	tb.Helper()
	if o.Clock == nil {
		o.Clock = storagetest.Clock()
	}
	s, err := bolt.Open(tb.Context(), path, o)
	if err != nil {
		tb.Fatal(err)
	}
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
			if err := was.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, was.Path(), bolt.Options{Clock: clock})
		},
	})
}
