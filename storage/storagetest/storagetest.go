// Package storagetest is the test suite that every store passes, and helpers to build
// clouds in the tests of stores. Only tests import it.
package storagetest

import (
	"slices"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/storage"
)

// Harness is a kind of store to test.
type Harness struct {
	// Open returns an empty store that reads the time from clock. It is closed at the end
	// of the test, if the test has not closed it.
	Open func(t *testing.T, clock func() time.Time) storage.Store
	// Reopen closes a store that Open returned and opens it again; nil for stores that
	// keep nothing.
	Reopen func(t *testing.T, s storage.Store, clock func() time.Time) storage.Store
	// Without has the names of tests that do not apply to this kind of store, each with
	// the reason.
	Without map[string]string
}

// WithoutOverAPI returns the tests that do not apply to a cloud written and read over
// Placement's API, as Harness.Without has them.
func WithoutOverAPI() map[string]string {
	return map[string]string{
		"closing waits for writers and loses none":     "closing ends the calls under way, and what became of them is said not to be known",
		"events replay and reverse":                    "an event is what was read back, with the times of its reading",
		"every verb is kept":                           "custom names have numbers of their own here",
		"a stale generation is a conflict":             "it is decided by records of operators, which no API keeps: TestLosesARace of storage/remote",
		"the time and the words of a change are kept":  "the time of a write is not told by the API",
		"any change is decided as Snapshot.Apply does": "some are of operators, and of Nova: TestWrites of storage/remote",
	}
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, Harness){
		"a stale generation is a conflict":             testConflict,
		"what is replaced must be as it was seen":      testOver,
		"a claim above capacity does not fit":          testCapacity,
		"a change is all or nothing":                   testAtomic,
		"a change of nothing is no revision":           testNothing,
		"a writer reads its own write":                 testOwnWrite,
		"the time and the words of a change are kept":  testStamp,
		"watchers find the newest revision only":       testWatchNewest,
		"watchers hear of nothing that was refused":    testWatchRefused,
		"watching ends with its context":               testWatchEnds,
		"events are told newest first":                 testEvents,
		"large events can be left out of a list":       testSmall,
		"events replay and reverse":                    testReplay,
		"the last units are given out once":            testLastUnits,
		"snapshots stay as they are":                   testImmutable,
		"readers see whole changes":                    testWholeChanges,
		"watchers follow many writers":                 testWatchFollows,
		"a cancelled writer changes nothing":           testCancelled,
		"a write is kept, refused or in doubt":         testOutcome,
		"a closed store answers, and changes nothing":  testClosed,
		"closing waits for writers and loses none":     testCloseUnderLoad,
		"what was kept is there again":                 testReopen,
		"any change is decided as Snapshot.Apply does": testSameAsModel,
		"every verb is kept":                           testVerbs,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if why := h.Without[name]; why != "" {
				t.Skip(why)
			}
			test(t, h)
		})
	}
}

// Clock returns a clock that starts at Start and moves on by one second each time it is
// read. Any goroutine may read it.
func Clock() func() time.Time {
	ticks := make(chan time.Time, 1)
	ticks <- Start
	return func() time.Time {
		now := <-ticks
		ticks <- now.Add(time.Second)
		return now
	}
}

// Start is the time at which the clocks of tests start.
//
//nolint:gochecknoglobals // a fixed time
var Start = time.Date(2026, time.November, 20, 13, 20, 0, 0, time.UTC)

// Same fails the test unless two clouds have the same revision, time and
// records.
func Same(tb testing.TB, want, got *cloud.Snapshot) {
	tb.Helper()
	if want.Revision() != got.Revision() || !want.At().Equal(got.At()) {
		tb.Errorf("revision %d of %s, want %d of %s", got.Revision(), got.At(), want.Revision(), want.At())
	}
	SameRecords(tb, want, got)
}

// SameRecords fails the test unless two clouds have the same records.
func SameRecords(tb testing.TB, want, got *cloud.Snapshot) {
	tb.Helper()
	if d := modeltest.Diff(modeltest.Records(want), modeltest.Records(got)); d != "" {
		tb.Errorf("records differ (-want +got):\n%s", d)
	}
}

// Clean fails the test if Verify returns a defect.
func Clean(tb testing.TB, s storage.Store) {
	tb.Helper()
	found, err := s.Verify(tb.Context())
	if err != nil {
		tb.Errorf("verify: %v", err)
	}
	for _, f := range found {
		tb.Errorf("verify: %s", f)
	}
}

// Replay returns the cloud that results from events, newest first as cloud.Historian
// returns them. The oldest must be of revision 1.
func Replay(tb testing.TB, events []cloud.Event) *cloud.Snapshot {
	tb.Helper()
	s := cloud.Empty()
	for _, ev := range slices.Backward(events) {
		next, _, err := s.Apply(ev.Replay())
		if err != nil {
			tb.Fatalf("replay revision %d: %v", ev.Revision, err)
		}
		if next.Revision() != ev.Revision {
			tb.Fatalf("replay of revision %d led to %d", ev.Revision, next.Revision())
		}
		s = next
	}
	return s
}
