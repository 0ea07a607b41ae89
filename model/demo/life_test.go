package demo_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// kept is a cloud in memory.
type kept struct {
	now   func() time.Time
	snap  *cloud.Snapshot
	fault error // of each write
}

func (k *kept) Snapshot() *cloud.Snapshot { return k.snap }

func (k *kept) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	if k.fault != nil {
		return cloud.Refused(k.fault)
	}
	c.At = k.now()
	next, ev, err := k.snap.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	k.snap = next
	return cloud.Kept(next, ev)
}

// lived returns the store of a demo cloud after the given number of beats with a seed,
// and the steps taken.
func lived(t *testing.T, seed uint64, beats int) (*kept, []string) {
	t.Helper()
	at := now
	o := ops.Runner{Now: func() time.Time { return at }}
	store := &kept{now: o.Now, snap: made(t, demo.Options{Seed: 1})}
	under := 0
	o.Begin = func(ops.Task) func() {
		if under++; under > 1 {
			t.Error("two things go on at once")
		}
		return func() { under-- }
	}
	l := demo.NewLife(seed)
	var steps []string
	for range beats {
		at = at.Add(4 * time.Second)
		d := must.Get(l.Beat(t.Context(), store, o))(t)
		steps = append(steps, d.Event.Actor+": "+d.Title)
	}
	if err := l.End(t.Context(), store, o); err != nil || under > 0 {
		t.Fatalf("something goes on after the end: %v", err)
	}
	before := store.Snapshot()
	if d, err := l.Beat(t.Context(), store, o); err != nil || d.Number > 0 || store.Snapshot() != before {
		t.Error("it beats after its end")
	}
	return store, steps
}

// found counts what the rules find in s.
func found(s *cloud.Snapshot) map[audit.RuleID]int {
	out := map[audit.RuleID]int{}
	for _, f := range audit.Find(s) {
		out[f.Rule]++
	}
	return out
}

// TestLife lives for half an hour: all sorts of things happen, and none of them causes or
// clears a finding.
func TestLife(t *testing.T) {
	t.Parallel()
	want := found(made(t, demo.Options{Seed: 1}))
	for _, seed := range []uint64{1, 2} {
		store, steps := lived(t, seed, 450)
		s := store.Snapshot()
		for _, err := range append(s.Check(), s.Cyborg().Check()...) {
			t.Errorf("seed %d: %v", seed, err)
		}
		if d := cmp.Diff(want, found(s)); d != "" {
			t.Errorf("seed %d: findings by rule (-before +after):\n%s", seed, d)
		}
		for i := range s.Nova().Instances() {
			if i.VMState == nova.Broken && i.Live() {
				t.Errorf("seed %d: %s is in error", seed, i.Name)
			}
		}
		all := strings.Join(steps, "\n")
		for _, who := range []string{"nova-scheduler: claim", "nova-api: ", "nova-conductor: ", "says that it is up"} {
			if !strings.Contains(all, who) {
				t.Errorf("seed %d: nobody does %q", seed, who)
			}
		}
		ends := map[nova.MigrationStatus]bool{}
		for m := range s.Nova().Migrations() {
			ends[m.Status] = true
		}
		if !ends[nova.Confirmed] {
			t.Errorf("seed %d: migrations end as %v", seed, maps.Keys(ends))
		}
		if idle := strings.Count(all, "\n: "); idle > len(steps)/20 {
			t.Errorf("seed %d: nothing happens in %d of %d beats", seed, idle, len(steps))
		}
	}
}

// TestLifeRests comes to rest after each of many beats: nothing is then half done, and it
// can go on.
func TestLifeRests(t *testing.T) {
	t.Parallel()
	at := now
	o := ops.Runner{Now: func() time.Time { return at }}
	store := &kept{now: o.Now, snap: made(t, demo.Options{Seed: 1})}
	want := found(store.Snapshot())
	l := demo.NewLife(1)
	for range 80 {
		at = at.Add(4 * time.Second)
		must.Get(l.Beat(t.Context(), store, o))(t)
		must.Succeed(t, l.Rest(t.Context(), store, o))
		if d := cmp.Diff(want, found(store.Snapshot())); d != "" {
			t.Fatalf("findings by rule (-before +after):\n%s", d)
		}
	}
	if before := made(t, demo.Options{Seed: 1}); store.Snapshot().Revision() < before.Revision()+80 {
		t.Error("hardly anything happened")
	}
}

// TestLifeIsTheSame lives twice with one seed.
func TestLifeIsTheSame(t *testing.T) {
	t.Parallel()
	_, a := lived(t, 3, 60)
	_, b := lived(t, 3, 60)
	must.Match(t, a, b)
	if _, c := lived(t, 4, 60); cmp.Equal(a, c) {
		t.Error("another seed gives the same life")
	}
}

// TestLifeGoesOn lives in a cloud in which another Life was before.
func TestLifeGoesOn(t *testing.T) {
	t.Parallel()
	store, _ := lived(t, 5, 40)
	later := demo.NewLife(5)
	for range 60 {
		must.Get(later.Beat(t.Context(), store, ops.Runner{Now: func() time.Time { return now.Add(time.Hour) }}))(t)
	}
	if d := cmp.Diff(found(made(t, demo.Options{Seed: 1})), found(store.Snapshot())); d != "" {
		t.Errorf("findings by rule (-before +after):\n%s", d)
	}
}

// TestNoLife checks that nothing happens in any other cloud.
func TestNoLife(t *testing.T) {
	t.Parallel()
	if _, err := demo.NewLife(1).Beat(t.Context(), &kept{snap: cloud.Empty()}, ops.Runner{}); !errors.Is(err, placement.ErrUnsupported) {
		t.Errorf("an empty cloud moves: %v", err)
	}
	closed := &kept{snap: made(t, demo.Options{}), fault: &cloud.UnsupportedError{Why: "it is a copy"}}
	if _, err := demo.NewLife(1).Beat(t.Context(), closed, ops.Runner{Now: func() time.Time { return now }}); !errors.Is(err, placement.ErrUnsupported) {
		t.Errorf("a cloud that is read only moves: %v", err)
	}
}
