package ops_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// binding is a course that is left while Cyborg is binding.
type binding struct {
	name   string
	course ops.Task
	start  func(*testing.T) *trip
}

func bindings() []binding {
	return []binding{
		{"boot", newBoot("cyborg"), newTrip},
		{"resize from Nova", move("cyborg"), func(t *testing.T) *trip { t.Helper(); return newMove(t, "nova") }},
		{"resize from Cyborg", move("cyborg.small"), func(t *testing.T) *trip { t.Helper(); return newMove(t, "cyborg") }},
	}
}

// atBinding runs a course until its requests are BindStarted, and returns since when they
// are.
func (b binding) atBinding(t *testing.T) (tr *trip, since time.Time) {
	t.Helper()
	tr = b.start(t)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	err := ops.Runner{Now: clock(), Report: func(d ops.StepDone) {
		if d.Name == "bind" {
			kill()
		}
	}}.Run(ctx, tr.store, b.course)

	must.Fail(t, err, context.Canceled)
	for a := range tr.Snapshot().Cyborg().ARQs() {
		if a.State == cyborg.ARQBindStarted {
			return tr, a.BindStartedAt()
		}
	}
	t.Fatal("no request is BindStarted")
	return nil, time.Time{}
}

// Nova waits 300 s for Cyborg, and then gives up: the requests are deleted, and the
// instance has what it had.
func TestBindTimeout(t *testing.T) {
	t.Parallel()
	for _, b := range bindings() {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			before := b.start(t)
			had, requests := holds(before.Snapshot(), vm("i")), before.Snapshot().Cyborg().ARQs()
			var old []string
			for a := range requests {
				old = append(old, a.UUID.String())
			}
			for wait, over := range map[time.Duration]bool{299 * time.Second: false, 300 * time.Second: true} {
				tr, since := b.atBinding(t)
				left := ops.Unfinished(tr.Snapshot(), since.Add(wait), 0)
				if len(left) != 1 || strings.Contains(left[0].Words, "more than 300 s") != over {
					t.Errorf("after %s there is %+v", wait, left)
				}
				err := ops.Runner{Now: func() time.Time { return since.Add(wait) }}.Run(t.Context(), tr.store, b.course)
				var late *ops.BindTimeoutError
				if errors.As(err, &late) != over || !over && err != nil {
					t.Fatalf("after %s: %v", wait, err)
				}
				if !over {
					continue
				}
				var failed *ops.FailedError
				if !errors.As(err, &failed) || failed.Stuck != nil || !strings.Contains(err.Error(), "still BindStarted on compute") || !strings.Contains(err.Error(), "after 300 s") {
					t.Errorf("the error is %v", err)
				}
				s := tr.Snapshot()
				if d := cmp.Diff(had, holds(s, vm("i"))); d != "" {
					t.Errorf("the instance holds (-before +after):\n%s", d)
				}
				if holds(s, vm("m")) != nil {
					t.Errorf("the migration holds %v", holds(s, vm("m")))
				}
				var now []string
				for a := range s.Cyborg().ARQs() {
					now = append(now, a.UUID.String())
					if a.State != cyborg.ARQBound || a.Instance != vm("i") {
						t.Errorf("request %s is %s of %s", a.UUID, a.State, a.Instance)
					}
				}
				if d := cmp.Diff(old, now); d != "" {
					t.Errorf("requests (-before +after):\n%s", d)
				}
				for _, text := range broken(s) {
					t.Error(text)
				}
				if m, ok := s.Nova().Migration(vm("m")); ok && (m.Status != nova.Error || !strings.Contains(m.Fault, "BindStarted")) {
					t.Errorf("the migration is %s, %q", m.Status, m.Fault)
				}
			}
		})
	}
}

// slow is a host whose devices are slow.
type slow struct {
	now  time.Time
	take time.Duration
}

func (g *slow) Do(_ context.Context, a ops.Act) error {
	if a.Kind == ops.BindDevice {
		g.now = g.now.Add(g.take)
	}
	return nil
}

// Cyborg waits 60 s for its device: a later answer does not count, and the course is
// undone.
func TestDeviceTimeout(t *testing.T) {
	t.Parallel()
	for _, b := range bindings() {
		for take, over := range map[time.Duration]bool{59 * time.Second: false, 60 * time.Second: true} {
			tr, since := b.atBinding(t)
			g := &slow{now: since, take: take}
			err := ops.Runner{Guests: g, Now: func() time.Time { return g.now }}.Run(t.Context(), tr.store, b.course)
			var act *ops.ActError
			if errors.As(err, &act) != over || !over && err != nil {
				t.Errorf("%s, %s: %v", b.name, take, err)
			}
			for _, text := range broken(tr.Snapshot()) {
				t.Errorf("%s, %s: %s", b.name, take, text)
			}
		}
	}
}
