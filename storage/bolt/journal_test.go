package bolt_test

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/storage/bolt"
	"github.com/placetop/placetop/storage/engine"
	"github.com/placetop/placetop/storage/storagetest"
)

func clockAtStart() time.Time { return storagetest.Start }

func revisions(t *testing.T, s *bolt.Store) []cloud.Revision {
	t.Helper()
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{Limit: 1 << 20}))(t)
	revs := make([]cloud.Revision, len(events))
	for i, ev := range events {
		revs[i] = ev.Revision
		if i > 0 && revs[i] != revs[i-1]-1 {
			t.Fatalf("revision %d follows %d", revs[i], revs[i-1])
		}
	}
	return revs
}

// limit sets how much of the journal a store keeps, which takes a revision; 0 for the default.
func limit(t testing.TB, s *bolt.Store, revisions, days int64) {
	t.Helper()
	op := operator.LimitJournal{Revisions: &revisions, Days: &days}
	must.Succeed(t, s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{op}}).Err())
}

func TestJournalIsBoundedByCount(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	limit(t, s, 10, 0)
	for n := range uint64(60) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
	}
	revs := revisions(t, s)
	if len(revs) != 10 || revs[0] != 62 || revs[9] != 53 {
		t.Errorf("kept %v", revs)
	}
	storagetest.Clean(t, s)
	must.Succeed(t, s.Close())
	again := open(t, s.Path(), engine.Options{})
	limit(t, again, 3, 0)
	must.Get(again.Apply(t.Context(), vcpu(100)).Result())(t)
	if revs := revisions(t, again); len(revs) != 3 || revs[0] != 64 {
		t.Errorf("kept %v", revs)
	}
	storagetest.Clean(t, again)
}

// TestJournalIsTrimmedNowAndThen checks that the journal is trimmed several events at a
// time, and not by most commits.
func TestJournalIsTrimmedNowAndThen(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	limit(t, s, 48, 0)
	last, trims := 0, 0
	for n := range uint64(90) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
		has := len(revisions(t, s))
		if n >= 48 && has < 48 || has > 48+3 {
			t.Errorf("after %d claims %d are kept", n+1, has)
		}
		if has <= last {
			trims++
		}
		last = has
	}
	if trims == 0 || trims > 90/3 {
		t.Errorf("trimmed %d times", trims)
	}
	storagetest.Clean(t, s)
}

func TestJournalIsBoundedByAge(t *testing.T) {
	t.Parallel()
	var days atomic.Int64
	s := withHost(t, engine.Options{Clock: func() time.Time { return storagetest.Start.AddDate(0, 0, int(days.Load())) }})
	limit(t, s, 0, 30)
	for n := range uint64(9) {
		days.Add(10)
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
	}
	if revs := revisions(t, s); len(revs) != 4 {
		t.Errorf("kept %v, want those of days 60 to 90", revs)
	}
	days.Add(1000)
	must.Get(s.Apply(t.Context(), vcpu(100)).Result())(t)
	if revs := revisions(t, s); len(revs) != 1 || revs[0] != 12 {
		t.Errorf("kept %v, want the newest alone", revs)
	}
	storagetest.Clean(t, s)
}

// TestJournalIsTrimmedInSmallSteps drops a large event at the front of the journal over
// several commits; no query returns parts of it.
func TestJournalIsTrimmedInSmallSteps(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "placetop.db"), engine.Options{})
	limit(t, s, 4, 0)
	var big cloud.Change
	big.Ops = storagetest.Host(1, 1000, 4)
	for n := range uint64(100) {
		vm := storagetest.Instance(1000 + n)
		vm.Flavor = strings.Repeat("f", 70_000) // one entry each
		modeltest.PutIn(&big, s.Snapshot(), vm)
	}
	done := must.Get(s.Apply(t.Context(), big).Result())(t)
	events := must.Get(s.Events(t.Context(), cloud.EventQuery{}))(t)
	must.Match(t, []cloud.Event{done.Event}, events[:1])
	for n := range uint64(8) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
		if revs := revisions(t, s); len(revs) != min(int(n)+3, 4) {
			t.Errorf("after %d claims kept %v", n+1, revs)
		}
		storagetest.Clean(t, s)
	}
	must.Succeed(t, s.Close())
	again := open(t, s.Path(), engine.Options{})
	storagetest.Same(t, s.Snapshot(), again.Snapshot())
}

// TestManyEvents reads more events than one transaction copies.
func TestManyEvents(t *testing.T) {
	t.Parallel()
	s := withHost(t, engine.Options{})
	for n := range uint64(600) {
		must.Get(s.Apply(t.Context(), vcpu(10+n)).Result())(t)
	}
	if revs := revisions(t, s); len(revs) != 601 || revs[0] != 601 {
		t.Errorf("kept %d revisions", len(revs))
	}
	for _, limit := range []int{255, 256, 257, 512, 513} {
		events, err := s.Events(t.Context(), cloud.EventQuery{Until: 600, Limit: limit})
		if err != nil || len(events) != limit || events[0].Revision != 600 {
			t.Errorf("limit %d: %d events, %v", limit, len(events), err)
		}
	}
}
