package remote

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestSuite has the suite of all stores write to a Placement over its API, and read it.
func TestSuite(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, storagetest.Harness{
		Open: func(t *testing.T, clock func() time.Time) storage.Store {
			w := newWorld(t, 0)
			call, err := dialEndpoint(t.Context(), w.URL, token(t, "secret"), DefaultInFlight)
			if err != nil {
				t.Fatal(err)
			}
			s, err := newStore(t.Context(), call, options{scheme: "http", clock: clock, can: cloud.Capabilities{Cannot: call.cannot}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
		Without: map[string]string{
			"closing waits for writers and loses none":     "closing ends the calls under way, and what became of them is said not to be known",
			"events replay and reverse":                    "an event is what was read back, with the times of its reading",
			"every verb is kept":                           "custom names have numbers of their own here",
			"a stale generation is a conflict":             "it is decided by records of operators, which no API keeps: TestLosesARace",
			"the time and the words of a change are kept":  "the time of a write is not told by the API",
			"any change is decided as Snapshot.Apply does": "some are of operators, and of Nova: TestWrites",
		},
	})
}
