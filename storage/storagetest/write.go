package storagetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/storage"
)

func testConflict(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	p := host(t, s, 8, 4)
	applied(t, s, Claim(10, p, Resources{placement.VCPU: 1})) // takes the provider from generation 1 to 2
	before := s.Snapshot()
	for _, tt := range []struct {
		name string
		c    cloud.Change
		want cloud.Conflict
	}{
		{"provider", cloud.Change{Actor: "agent", Note: "report", Ops: []placement.Op{placement.SetInventories{
			Provider: p, Generation: placement.Generation(1),
			Inventories: map[placement.ResourceClass]placement.Inventory{placement.VCPU: placement.NewInventory(16)},
		}}}, cloud.Conflict{Actor: "agent", Note: "report", Provider: p}},
		{"consumer", Claim(10, p, Resources{placement.VCPU: 2}), cloud.Conflict{Actor: "tester", Note: "claim", Consumer: Consumer(10)}},
		{
			"record",
			cloud.Change{Ops: []cloud.Op{nova.PutRecords{Records: []versioned.Change{{Before: Instance(10), After: Instance(10)}}}}},
			cloud.Conflict{Consumer: Instance(10).UUID},
		},
	} {
		err := s.Apply(t.Context(), tt.c).Err()
		if !errors.Is(err, placement.ErrConflict) {
			t.Errorf("%s: %v, want a conflict", tt.name, err)
		}
		all := s.Conflicts()
		last := all[len(all)-1]
		if last.Err.Error() != err.Error() || !last.At.After(before.At()) {
			t.Errorf("%s: remembered as %v at %v", tt.name, last.Err, last.At)
		}
		last.Err, last.At = nil, time.Time{}
		tt.want.Revision = before.Revision()
		if d := cmp.Diff(tt.want, last); d != "" {
			t.Errorf("%s: remembered (-want +got):\n%s", tt.name, d)
		}
	}
	Same(t, before, s.Snapshot())
	stale := Claim(10, p, Resources{placement.VCPU: 2})
	for range cloud.MostConflicts + 5 {
		if err := s.Apply(t.Context(), stale).Err(); err == nil {
			t.Fatal("accepted")
		}
	}
	if err := s.Apply(t.Context(), Claim(11, p, Resources{placement.VCPU: 100})).Err(); errors.Is(err, placement.ErrConflict) {
		t.Errorf("what does not fit is a conflict: %v", err)
	}
	if got := s.Conflicts(); len(got) != cloud.MostConflicts || got[0].Consumer != Consumer(10) {
		t.Errorf("%d conflicts are remembered", len(got))
	}
}

// testOver renames a provider twice, as two writers do who have both seen its first name.
func testOver(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	p := host(t, s, 8, 4)
	on := s.Snapshot()
	rename := func(to string) error {
		c := cloud.Change{Ops: []cloud.Op{placement.UpdateProvider{ID: p, Name: to}}}
		_, ev, err := on.Apply(c)
		must.Succeed(t, err)
		c.Seen = &cloud.Seen{On: on.Revision(), Changes: ev.Changes}
		err = s.Apply(t.Context(), c).Err()
		return err
	}
	must.Succeed(t, rename("first"))
	before := s.Snapshot()
	must.Fail(t, rename("second"), placement.ErrConflict)
	Same(t, before, s.Snapshot())
}

func testCapacity(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	p := host(t, s, 8, 4)
	applied(t, s, Claim(10, p, Resources{placement.VCPU: 8}))
	before := s.Snapshot()
	err := s.Apply(t.Context(), Claim(11, p, Resources{placement.VCPU: 1})).Err()
	var full *placement.CapacityError
	if !errors.As(err, &full) || full.Free != 0 || full.Class != placement.VCPU {
		t.Errorf("%v, want a CapacityError with nothing free", err)
	}
	Same(t, before, s.Snapshot())
}

func testAtomic(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	p := host(t, s, 8, 4)
	before := s.Snapshot()
	stale := versioned.Change{Before: Instance(10), After: Instance(10)}
	for name, c := range map[string]cloud.Change{
		"second operation": {Ops: []placement.Op{
			Claim(10, p, Resources{placement.VCPU: 1}).Ops[0],
			Claim(11, p, Resources{placement.VCPU: 100}).Ops[0],
		}},
		"second ledger": {
			Ops: append(Claim(10, p, Resources{placement.VCPU: 1}).Ops, nova.PutRecords{Records: []versioned.Change{stale}}),
		},
	} {
		if err := s.Apply(t.Context(), c).Err(); err == nil {
			t.Errorf("%s: accepted", name)
		}
		Same(t, before, s.Snapshot())
	}
	events, err := s.Events(t.Context(), cloud.EventQuery{})
	if err != nil || len(events) != 1 {
		t.Errorf("%d events, %v, want one", len(events), err)
	}
}

func testNothing(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	host(t, s, 8, 4)
	before := s.Snapshot()
	for name, c := range map[string]cloud.Change{
		"empty": {},
		"there": {Ops: []placement.Op{placement.CreateClass{Name: placement.VCPU, IfAbsent: true}}},
	} {
		done, err := s.Apply(t.Context(), c).Result()
		if err != nil || len(done.Event.Changes) != 0 || done.Snapshot == nil || done.Snapshot.Revision() != before.Revision() {
			t.Errorf("%s: %v, event %+v", name, err, done.Event)
		}
	}
	Same(t, before, s.Snapshot())
}

func testOwnWrite(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	p := host(t, s, 100, 4)
	for i := range 20 {
		done := applied(t, s, Claim(uint64(10+i), p, Resources{placement.VCPU: 1}))
		if got := used(t, done.Snapshot, p, placement.VCPU); got != int64(i+1) {
			t.Fatalf("commit %d shows %d used", i, got)
		}
		if now := s.Snapshot().Revision(); now < done.Event.Revision || done.Event.Revision != done.Snapshot.Revision() {
			t.Fatalf("wrote revision %d, read %d", done.Event.Revision, now)
		}
	}
}

func testStamp(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	host(t, s, 8, 4)
	named := Start.AddDate(-1, 0, 0)
	c := Claim(10, Provider(1), Resources{placement.VCPU: 1})
	c.At, c.Actor, c.Note, c.Task, c.Step = named, "operator\nroot", "bad \xff byte", "resize", "claim"
	done := applied(t, s, c)
	check := func(ev cloud.Event) {
		t.Helper()
		if !ev.At.Equal(named) || ev.Actor != "operator root" || ev.Note != "bad \uFFFD byte" || ev.Task != "resize" || ev.Step != "claim" {
			t.Errorf("kept %s %q %q %q %q", ev.At, ev.Actor, ev.Note, ev.Task, ev.Step)
		}
	}
	check(done.Event)
	events, err := s.Events(t.Context(), cloud.EventQuery{Limit: 2})
	if err != nil || len(events) != 2 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	check(events[0])
	// A store may also read the clock for its own purposes.
	if at := events[1].At; at.Before(Start) || at.After(Start.Add(10*time.Second)) {
		t.Errorf("the change without a time is of %s, want that of the clock, about %s", at, Start)
	}
	if !s.Snapshot().At().Equal(named) {
		t.Errorf("the snapshot is of %s", s.Snapshot().At())
	}
}

func testCancelled(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	host(t, s, 8, 4)
	before := s.Snapshot()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Apply(ctx, Claim(10, Provider(1), Resources{placement.VCPU: 1})).Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("apply: %v", err)
	}
	if _, err := s.Events(ctx, cloud.EventQuery{}); !errors.Is(err, context.Canceled) {
		t.Errorf("events: %v", err)
	}
	if _, err := s.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("verify: %v", err)
	}
	Same(t, before, s.Snapshot())
}

func testClosed(t *testing.T, h Harness) {
	s := h.Open(t, Clock())
	host(t, s, 8, 4)
	before := s.Snapshot()
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	unavailable := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, placement.ErrUnavailable) || !errors.Is(err, storage.ErrClosed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	err := s.Apply(t.Context(), Claim(10, Provider(1), Resources{placement.VCPU: 1})).Err()
	unavailable("apply", err)
	_, err = s.Events(t.Context(), cloud.EventQuery{})
	unavailable("events", err)
	_, err = s.Verify(t.Context())
	unavailable("verify", err)
	if b, able := s.(interface {
		Backup(ctx context.Context, w io.Writer) error
	}); able {
		unavailable("backup", b.Backup(t.Context(), discard{}))
	}
	if _, open := <-s.Watch(t.Context()); open {
		t.Error("watch: a revision after close")
	}
	Same(t, before, s.Snapshot())
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func testReopen(t *testing.T, h Harness) {
	if h.Reopen == nil {
		t.Skip("keeps nothing")
	}
	s := h.Open(t, Clock())
	r := NewRandom("reopen", 1)
	for range 60 {
		if err := s.Apply(t.Context(), r.Change(s.Snapshot())).Err(); errors.Is(err, placement.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	before := s.Snapshot()
	if len(slices.Collect(before.Operator().Records())) == 0 {
		t.Error("none of the changes is an operator's")
	}
	told, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1000})
	must.Succeed(t, err)
	for round := range 2 {
		s = h.Reopen(t, s, Clock())
		Same(t, before, s.Snapshot())
		Clean(t, s)
		again, err := s.Events(t.Context(), cloud.EventQuery{Limit: 1000})
		must.Succeed(t, err)
		if d := cmp.Diff(told, again); d != "" {
			t.Errorf("events differ after opening %d (-before +after):\n%s", round+1, d)
		}
	}
	applied(t, s, cloud.Change{Ops: Host(77, 8, 4)})
	if s.Snapshot().Revision() != before.Revision()+1 {
		t.Errorf("revision %d after %d", s.Snapshot().Revision(), before.Revision())
	}
}

// testVerbs runs every operation of every ledger: first in order, where each changes
// something, then in random order, where some are refused. The store must decide as
// Snapshot.Apply does, return the same Event, and keep all of it.
func testVerbs(t *testing.T, h Harness) {
	verbs := modeltest.Verbs()
	for seed := range uint64(3) {
		s, model := h.Open(t, Clock()), cloud.Empty()
		order := rand.New(rand.NewPCG(seed, 1)).Perm(2 * len(verbs))
		if seed == 0 {
			slices.Sort(order)
			order = order[:len(verbs)]
		}
		for i, n := range order {
			c := cloud.Change{Actor: "tester", At: modeltest.At(i), Ops: []cloud.Op{verbs[n%len(verbs)]}}
			if err := s.Capabilities().Can(c.Ops...); err != nil {
				t.Errorf("%T: %v", c.Ops[0], err)
			}
			got, err := s.Apply(t.Context(), c).Result()
			next, ev, want := model.Apply(c)
			if fmt.Sprint(err) != fmt.Sprint(want) || seed == 0 && err != nil {
				t.Fatalf("%T %s: %v, want %v", c.Ops[0], c.Ops[0], err, want)
			}
			if err != nil {
				continue
			}
			if d := cmp.Diff(ev, got.Event); d != "" {
				t.Fatalf("%T: event differs (-want +got):\n%s", c.Ops[0], d)
			}
			model = next
		}
		Same(t, model, s.Snapshot())
		if h.Reopen != nil {
			s = h.Reopen(t, s, Clock())
			Same(t, model, s.Snapshot())
		}
		Clean(t, s)
	}
}

func testSameAsModel(t *testing.T, h Harness) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			var seconds atomic.Int64
			clock := func() time.Time { return Start.Add(time.Duration(seconds.Load()) * time.Second) }
			s := h.Open(t, clock)
			model := cloud.Empty()
			r := NewRandom("model", seed)
			for i := range 120 {
				seconds.Add(1)
				c := r.Change(model)
				got, err := s.Apply(t.Context(), c).Result()
				next, ev, want := model.Apply(storage.Stamp(c, clock))
				if fmt.Sprint(err) != fmt.Sprint(want) {
					t.Fatalf("change %d: %v, want %v", i, err, want)
				}
				if err != nil {
					continue
				}
				if d := cmp.Diff(ev, got.Event); d != "" {
					t.Fatalf("change %d: event differs (-want +got):\n%s", i, d)
				}
				model = next
				if h.Reopen != nil && i%40 == 39 {
					s = h.Reopen(t, s, clock)
				}
			}
			Same(t, model, s.Snapshot())
			Clean(t, s)
			if !slices.ContainsFunc(modeltest.Records(model), func(r versioned.Record) bool { return r.RecordKind() == nova.KindInstance }) {
				t.Error("the changes made no instance: the test shows little")
			}
		})
	}
}
