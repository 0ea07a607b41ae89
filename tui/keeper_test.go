package tui_test

import (
	"testing"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/tui"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestDueReverts has a move wait for longer than allowed: it is reverted at its time, not
// before, and the dashboard says so.
func TestDueReverts(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		now := fleetClock()
		store := memory.New(memory.Options{Clock: now, Start: tuitest.Fleet(t).Snapshot()})
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Cloud, cfg.Env.Clock = store, now
			keep(cfg, nil)
		})
		moving := modeltest.ConsumerID("train-2")
		m := must.Get(ops.WaitingMigration(store.Snapshot(), moving))(t)
		left := time.UnixMilli(m.Deadline).Sub(now())
		report(t, store, time.UnixMilli(m.Deadline), "cmp-1", "cmp-2")
		r.Advance(left - time.Second)
		if _, err := ops.WaitingMigration(store.Snapshot(), moving); err != nil {
			t.Errorf("reverted too early: %v", err)
		}
		r.Advance(time.Second)
		r.wants(t, "resize of train-2 was reverted: nobody confirmed it in time")
		if m, err := ops.WaitingMigration(store.Snapshot(), moving); err == nil {
			t.Errorf("it still waits, %s", m.Status)
		}
	})
}

// TestCloudInMemoryHasFiltersOfItsOwn shares filters neither with the last cloud in
// memory nor with a file.
func TestCloudInMemoryHasFiltersOfItsOwn(t *testing.T) {
	t.Parallel()
	m := &screen.Memory{}
	const file = "/a/prod.db"
	for _, cloud := range []string{file, "demo"} {
		m.KeepView(cloud, "providers", screen.View{Narrowing: screen.Narrowing{Filter: "free>2"}})
	}
	tuitest.Run(t, func(t *testing.T) {
		r := open(t, 100, 24, func(cfg *tui.Config) { // as in "placetop demo" if that file is the default one
			cfg.Env.Memory, cfg.Name, cfg.Store, cfg.Place = m, "demo", "memory", file
		})
		r.app.Close()
	})
	if _, kept := m.View(file, "providers"); !kept || len(m.Narrowed) != 1 {
		t.Errorf("%v is kept, want the filter of the file alone", m.Narrowed)
	}
}

// fleetClock returns a clock that starts at the time of the fleet.
func fleetClock() func() time.Time {
	began := time.Now()
	return func() time.Time { return tuitest.Now().Add(time.Since(began)) }
}

// report makes the nova-computes of hosts report that they are up at a time.
func report(t *testing.T, store *memory.Store, at time.Time, hosts ...string) {
	t.Helper()
	for _, host := range hosts {
		if _, err := store.Apply(t.Context(), cloud.Change{At: at, Ops: []cloud.Op{
			nova.StartService{Host: host, Binary: nova.Compute, Cell: "cell1", Version: 73},
			nova.ReportState{Host: host, Binary: nova.Compute, Every: time.Minute},
		}}).Result(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDueRevertsFollowTheClock removes a move's deadline: the move is not reverted.
func TestDueRevertsFollowTheClock(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		now := fleetClock()
		store := memory.New(memory.Options{Clock: now, Start: tuitest.Fleet(t).Snapshot()})
		r := open(t, 100, 24, func(cfg *tui.Config) {
			cfg.Cloud, cfg.Env.Clock = store, now
			keep(cfg, nil)
		})
		m := must.Get(ops.WaitingMigration(store.Snapshot(), modeltest.ConsumerID("train-2")))(t)
		plan := must.Get(ops.PlanDeadline(store.Snapshot(), m.UUID, time.Time{}))(t)
		must.Get((ops.Runner{}).Write(t.Context(), store, plan))(t)
		r.Advance(time.Minute)
		r.Advance(time.UnixMilli(m.Deadline).Sub(now()) + time.Hour)
		if _, err := ops.WaitingMigration(store.Snapshot(), m.Instance); err != nil {
			t.Errorf("it was reverted: %v", err)
		}
	})
}

// TestDueRevertThatCannotBe has a due move that has lost its old claim: it is reported
// once, and the next one is still reverted at its time.
func TestDueRevertThatCannotBe(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		now := fleetClock()
		store := memory.New(memory.Options{Clock: now, Start: tuitest.Fleet(t).Snapshot()})
		first := must.Get(ops.WaitingMigration(store.Snapshot(), modeltest.ConsumerID("train-2")))(t)
		at := time.UnixMilli(first.Deadline)
		report(t, store, now(), "cmp-1", "cmp-2")
		later := ops.Move{Migration: modeltest.ConsumerID("later"), Instance: modeltest.ConsumerID("train-1"), Flavor: "gpu.t4.1", RevertAfter: at.Sub(now()) + time.Minute}
		must.Succeed(t, (ops.Runner{Now: now}).Run(t.Context(), store, later))
		report(t, store, at.Add(time.Minute), "cmp-1", "cmp-2")
		drop := cloud.Change{Ops: []placement.Op{placement.DeleteAllocations{Consumer: first.UUID}}}
		must.Get(store.Apply(t.Context(), drop).Result())(t)
		r := open(t, 120, 24, func(cfg *tui.Config) {
			cfg.Cloud, cfg.Env.Clock = store, now
			keep(cfg, nil)
		})
		r.Advance(at.Sub(now()))
		const stuck = "revert of train-2: the resize of train-2 holds nothing on cmp-1"
		r.wants(t, stuck)
		r.Press("esc")
		r.lacks(t, stuck)
		r.Advance(time.Minute)
		r.wants(t, "resize of train-1 was reverted: nobody confirmed it in time")
		r.lacks(t, stuck)
		if m, err := ops.WaitingMigration(store.Snapshot(), later.Instance); err == nil {
			t.Errorf("train-1 still waits, %s", m.Status)
		}
	})
}
