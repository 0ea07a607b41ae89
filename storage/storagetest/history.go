package storagetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func testEvents(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	if events, err := s.Events(t.Context(), cloud.EventQuery{}); err != nil || len(events) != 0 {
		t.Errorf("an empty cloud has %d events, %v", len(events), err)
	}
	p := host(t, s, 1000, 4)
	for i := range 119 {
		applied(t, s, Claim(uint64(10+i), p, Resources{placement.VCPU: 1}))
	}
	for name, test := range map[string]struct {
		q           cloud.EventQuery
		first, last cloud.Revision
	}{
		"the newest hundred": {cloud.EventQuery{}, 120, 21},
		"a few":              {cloud.EventQuery{Limit: 3}, 120, 118},
		"all":                {cloud.EventQuery{Limit: 1000}, 120, 1},
		"up to a revision":   {cloud.EventQuery{Until: 50, Limit: 2}, 50, 49},
		"the first":          {cloud.EventQuery{Until: 1}, 1, 1},
		"after a revision":   {cloud.EventQuery{After: 117}, 120, 118},
		"beyond the newest":  {cloud.EventQuery{Until: 5000, Limit: 1}, 120, 120},
	} {
		events, err := s.Events(t.Context(), test.q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(events) == 0 || events[0].Revision != test.first || events[len(events)-1].Revision != test.last ||
			len(events) != int(test.first-test.last)+1 {
			t.Errorf("%s: %d events, want %d to %d", name, len(events), test.first, test.last)
			continue
		}
		for i, ev := range events {
			if ev.Revision != test.first-cloud.Revision(i) || ev.Actor != "tester" || len(ev.Changes) == 0 || ev.At.IsZero() {
				t.Errorf("%s: event %d is %+v", name, i, ev)
			}
		}
	}
}

// testSmall queries events without the changes of large ones.
func testSmall(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	host(t, s, 1000, 4)
	whole, err := s.Events(t.Context(), cloud.EventQuery{})
	if err != nil || len(whole) != 1 || len(whole[0].Changes) == 0 {
		t.Fatalf("%d events, %v", len(whole), err)
	}
	n := len(whole[0].Changes)
	for _, small := range []int{n - 1, n, n + 1} {
		events, err := s.Events(t.Context(), cloud.EventQuery{Small: max(small, 1)})
		if err != nil || len(events) != 1 {
			t.Fatalf("%d events, %v", len(events), err)
		}
		want := whole[0]
		if max(small, 1) < n {
			want.Changes, want.Omitted = nil, n
		}
		if d := cmp.Diff(want, events[0]); d != "" {
			t.Errorf("events of up to %d changes of %d (-want +got):\n%s", small, n, d)
		}
	}
	if events, err := s.Events(t.Context(), cloud.EventQuery{After: whole[0].Revision}); err != nil || len(events) != 0 {
		t.Errorf("%d events after the newest, %v", len(events), err)
	}
}

func testReplay(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	r := NewRandom("replay", 5)
	past := []*cloud.Snapshot{s.Snapshot()}
	for range 60 {
		if done, err := s.Apply(t.Context(), r.Change(s.Snapshot())).Result(); err == nil && len(done.Event.Changes) > 0 {
			kept, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1})
			must.Succeed(t, err)
			if d := cmp.Diff([]cloud.Event{done.Event}, kept); d != "" {
				t.Fatalf("the journal has another event (-told +kept):\n%s", d)
			}
			past = append(past, done.Snapshot)
		}
	}
	events, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1000})
	must.Succeed(t, err)
	SameRecords(t, s.Snapshot(), Replay(t, events))
	back := cloud.NewRecall(s)
	for _, was := range past {
		is, err := back.At(t.Context(), s.Snapshot(), was.Revision())
		if err != nil || !is.At().Equal(was.At()) {
			t.Fatalf("revision %d of %s: %v", was.Revision(), was.At(), err)
		}
		SameRecords(t, was, is)
	}
	for _, ev := range events {
		applied(t, s, ev.Reverse("tester"))
	}
	SameRecords(t, cloud.Empty(), s.Snapshot())
	Clean(t, s)
}
