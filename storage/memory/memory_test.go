package memory_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/storagetest"
)

func open(t *testing.T, o memory.Options) *memory.Store {
	t.Helper()
	s := memory.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStore(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, storagetest.Harness{Open: func(t *testing.T, clock func() time.Time) storage.Store {
		t.Helper()
		return open(t, memory.Options{Clock: clock})
	}})
}

func TestStartsWithTheGivenCloud(t *testing.T) {
	t.Parallel()
	start, _, err := cloud.Empty().Apply(cloud.Change{At: storagetest.Start, Ops: storagetest.Host(1, 8, 4)})
	must.Succeed(t, err)
	s := open(t, memory.Options{Clock: storagetest.Clock(), Start: start})
	storagetest.Same(t, start, s.Snapshot())
	if events, err := s.Events(t.Context(), cloud.EventQuery{}); err != nil || len(events) != 0 {
		t.Errorf("%d events, %v, want none", len(events), err)
	}
	done, err := s.Apply(t.Context(), storagetest.Claim(10, storagetest.Provider(1), storagetest.Resources{placement.VCPU: 1})).Result()
	if err != nil || done.Event.Revision != 2 {
		t.Errorf("revision %d, %v, want 2", done.Event.Revision, err)
	}
	storagetest.Clean(t, s)
}

func TestForgetsTheOldestRevisions(t *testing.T) {
	t.Parallel()
	s := open(t, memory.Options{Clock: storagetest.Clock(), Journal: 5})
	for i := range uint64(12) {
		must.Get(s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1+2*i, 8, 4)}).Result())(t)
	}
	for _, test := range []struct {
		q    cloud.EventQuery
		want []cloud.Revision
	}{
		{cloud.EventQuery{}, []cloud.Revision{12, 11, 10, 9, 8}},
		{cloud.EventQuery{Until: 10, Limit: 2}, []cloud.Revision{10, 9}},
		{cloud.EventQuery{Until: 7}, nil},
	} {
		events := must.Get(s.Events(t.Context(), test.q))(t)
		var got []cloud.Revision
		for _, ev := range events {
			got = append(got, ev.Revision)
		}
		if len(got) != len(test.want) {
			t.Errorf("%+v: %v, want %v", test.q, got, test.want)
			continue
		}
		for i := range got {
			if got[i] != test.want[i] {
				t.Errorf("%+v: %v, want %v", test.q, got, test.want)
			}
		}
	}
}

// TestForgetsTheOldestChanges checks that events stay when their changes are dropped,
// those of the oldest first, also once the oldest events themselves are gone.
func TestForgetsTheOldestChanges(t *testing.T) {
	t.Parallel()
	probe := open(t, memory.Options{Clock: storagetest.Clock()})
	one := must.Get(probe.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Result())(t)
	each := len(one.Event.Changes)
	for _, test := range []struct {
		name    string
		changes int // how many are remembered
		whole   int // how many of the newest events have all theirs
	}{
		{"all of them", 5 * each, 5},
		{"the newest two", 2 * each, 2},
		{"not quite three", 3*each - 1, 2},
		{"none is small enough", each - 1, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t, memory.Options{Clock: storagetest.Clock(), Journal: 5, JournalChanges: test.changes})
			for i := range uint64(12) {
				did, err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1+2*i, 8, 4)}).Result()
				if err != nil || len(did.Event.Changes) != each {
					t.Fatalf("%d changes, %v, want %d", len(did.Event.Changes), err, each)
				}
				if did.Event.Revision < 5 {
					continue
				}
				events, err := s.Events(t.Context(), cloud.EventQuery{})
				if err != nil || len(events) != 5 {
					t.Fatalf("%d events, %v", len(events), err)
				}
				for n, ev := range events {
					has, omitted := each, 0
					if n >= test.whole {
						has, omitted = 0, each
					}
					if len(ev.Changes) != has || ev.Omitted != omitted {
						t.Errorf("event %d of revision %d: %d changes, %d omitted, want %d, %d", n, ev.Revision, len(ev.Changes), ev.Omitted, has, omitted)
					}
				}
			}
			storagetest.Clean(t, s)
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	s := open(t, memory.Options{Clock: storagetest.Clock(), Can: cloud.Capabilities{ReadOnly: "a copy for triage"}})
	err := s.Apply(t.Context(), cloud.Change{Ops: storagetest.Host(1, 8, 4)}).Err()
	must.Fail(t, err, placement.ErrUnsupported)
	must.Be(t, s.Capabilities().ReadOnly, "a copy for triage")
}
