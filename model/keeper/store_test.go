package keeper_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/demo/demotest"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// store is a cloud in memory with a journal of its steps.
type store struct {
	mu       sync.Mutex
	snap     *cloud.Snapshot
	events   []cloud.Event
	lost     []cloud.Conflict
	readOnly string
	refuse   error
	left     int // how many more writes are possible; 0 for no limit
}

func (s *store) Snapshot() *cloud.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snap
}

func (s *store) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse != nil {
		return cloud.Refused(s.refuse)
	}
	next, ev, err := s.snap.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	s.snap, s.events = next, append(s.events, ev)
	if s.left--; s.left == 0 {
		s.refuse = placement.ErrUnavailable
	}
	return cloud.Kept(next, ev)
}

func (s *store) Events(context.Context, cloud.EventQuery) ([]cloud.Event, error) { return nil, nil }

func (s *store) Conflicts() []cloud.Conflict { return s.lost }

func (s *store) Capabilities() cloud.Capabilities { return cloud.Capabilities{ReadOnly: s.readOnly} }

func (s *store) change(c cloud.Change) error {
	c.At = demoNow()
	err := s.Apply(context.Background(), c).Err()
	return err
}

func (s *store) do(ops ...placement.Op) error { return s.change(cloud.Change{Ops: ops}) }

// run takes a task to its end.
func (s *store) run(t *testing.T, task ops.Task) {
	t.Helper()
	must.Succeed(t, (ops.Runner{Now: func() time.Time { return modeltest.At(1) }}).Run(t.Context(), s, task))
}

// killed runs a task for only so many steps.
func (s *store) killed(t *testing.T, steps int, task ops.Task) {
	t.Helper()
	s.left = steps
	if err := (ops.Runner{Now: func() time.Time { return modeltest.At(1) }}).Run(t.Context(), s, task); err == nil {
		t.Fatal("it was not killed")
	}
	s.refuse, s.left = nil, 0
}

func demoNow() time.Time { return time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC) }

// newDemo returns the demo cloud.
func newDemo(t *testing.T) *store {
	t.Helper()
	return &store{snap: demotest.Snapshot(t, demo.Options{Hosts: 12, Seed: 1, Now: demoNow()})}
}

func vm(name string) placement.ConsumerID { return modeltest.ConsumerID(name) }

// newRunning returns a cloud of two hosts with an instance i of flavor nova.
func newRunning(t *testing.T) *store {
	t.Helper()
	return &store{snap: modeltest.NewVGPUWorld(t, 2).VGPUInstance("i", "nova", 1).Snapshot}
}

// newWaiting is newRunning with a move of the instance that is to be confirmed within a
// time.
func newWaiting(t *testing.T, within time.Duration) *store {
	t.Helper()
	s := newRunning(t)
	s.run(t, ops.Move{Migration: vm("m"), Instance: vm("i"), Flavor: "cyborg", RevertAfter: within})
	s.events = nil
	return s
}

func (s *store) status(name string) nova.MigrationStatus {
	m, _ := s.Snapshot().Nova().Migration(vm(name))
	return m.Status
}
