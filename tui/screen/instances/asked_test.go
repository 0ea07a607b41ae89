package instances_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/instances"
	"github.com/placetop/placetop/tui/tuitest"
)

// asked is a cloud whose own Nova carries out what it is asked.
type asked struct {
	*tuitest.Cloud
	nova func(ctx context.Context, a ops.NovaTask, report func(ops.StepDone)) error
}

// Capabilities implements cloud.Cloud.
func (s *asked) Capabilities() cloud.Capabilities {
	return cloud.Capabilities{Servers: &cloud.Servers{Minor: 95}}
}

// Carry implements ops.Executor.
func (s *asked) Carry(ctx context.Context, t ops.Task, _ *cloud.Snapshot, report func(ops.StepDone)) (bool, error) {
	a, asked := t.(ops.NovaTask)
	if !asked {
		return false, nil
	}
	return true, s.nova(ctx, a, report)
}

// resize opens the page that resizes an instance.
func (s *asked) resize(t *testing.T, instance string) *tuitest.Host {
	t.Helper()
	return tuitest.LiveAt(t, s.Cloud, 100, 30, place.Resize{Instance: modeltest.ConsumerID(instance)}, func(env screen.Env, at place.Resize) (screen.Screen, error) {
		env.Cloud = s
		return instances.OpenResize(env, at)
	})
}

// migrate opens the page that migrates an instance.
func (s *asked) migrate(t *testing.T, instance string) *tuitest.Host {
	t.Helper()
	return tuitest.LiveAt(t, s.Cloud, 100, 30, place.Migrate{Instance: modeltest.ConsumerID(instance)}, func(env screen.Env, at place.Migrate) (screen.Screen, error) {
		env.Cloud = s
		return instances.OpenMigrate(env, at)
	})
}

// novaOf carries out requests on s, as a Nova does, which names migrations itself.
func novaOf(s *tuitest.Cloud) func(context.Context, ops.NovaTask, func(ops.StepDone)) error {
	return func(ctx context.Context, a ops.NovaTask, report func(ops.StepDone)) error {
		report(ops.StepDone{Number: 1, Name: "asked", Title: "it is asked"})
		t := a.Task
		if m, ok := t.(ops.Move); ok {
			m.Migration = modeltest.ConsumerID("of-nova")
			t = m
		}
		return ops.Runner{}.Run(ctx, s.Store, t)
	}
}

// TestAsksNovaToResize resizes with the cloud's own Nova: its request is shown, nothing
// is written here, and the migration, which Nova names, is confirmed.
func TestAsksNovaToResize(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := &asked{Cloud: tuitest.SoundFleet(t)}
		s.nova = novaOf(s.Cloud)
		r := s.resize(t, "train-1")
		r.Press("/")
		r.Type("name=cpu.large")
		r.Press("enter")
		r.Wants("Nova chooses the host")
		r.Lacks("cannot be foretold")
		r.Press("enter", "enter")
		r.Wants("Nova chooses the host", "asked of Nova: resize, compute 2.1", "the old one by its migration")
		if title := titleOf(r, "X"); title != "" {
			t.Errorf("X is %q, and Nova has no clock", title)
		}
		r.Press("y")
		r.Wants("/action", `"flavorRef"`)
		r.Press("y", "enter")
		m := waiting(s.Cloud, "train-1")
		if m == nil || m.UUID != modeltest.ConsumerID("of-nova") {
			t.Fatalf("the migration is %+v\n%s", m, r.Text())
		}
		r.Wants("WAITING", "1 step ", "it is asked")
		r.Press("y")
		r.Wants("asked of Nova: confirm")
		r.Press("enter")
		r.Wants("DONE")
		r.Wrote(0)
		if i, _ := s.Snapshot().Nova().Instance(modeltest.ConsumerID("train-1")); i.VMState != nova.Active || i.Flavor != "cpu.large" {
			t.Errorf("the instance is %+v", i)
		}
	})
}

// TestAsksNovaToMigrateLive switches a migration to a live one, which ends without
// confirmation. One that Nova would refuse cannot be switched.
func TestAsksNovaToMigrateLive(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := &asked{Cloud: tuitest.SoundFleet(t)}
		var live []ops.Move
		s.nova = func(_ context.Context, a ops.NovaTask, report func(ops.StepDone)) error {
			live = append(live, a.Task.(ops.Move))
			report(ops.StepDone{Number: 1, Name: "done", Title: "it runs elsewhere"})
			return nil
		}
		r := s.migrate(t, "train-1")
		r.Wants("5 confirm")
		r.Press("tab")
		r.Lacks("5 confirm")
		r.Press("enter")
		r.Wants("asked of Nova: live-migrate, compute 2.30")
		r.Press("enter")
		r.Wants("DONE", "it runs elsewhere")
		if len(live) != 1 || !live[0].Live || live[0].Pick == nil {
			t.Errorf("Nova was asked for %+v", live)
		}
		r.Wrote(0)
		r = s.migrate(t, "shop-db-1")
		for _, a := range r.Screen.Actions() {
			if a.ID == "move.live" && !strings.Contains(a.Disabled, "must be active or paused") {
				t.Errorf("one that is stopped may be taken over as it runs: %q", a.Disabled)
			}
		}
	})
}

// TestNovaRefuses has Nova refuse, and the user stop following what it does.
func TestNovaRefuses(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := &asked{Cloud: tuitest.SoundFleet(t)}
		s.nova = func(context.Context, ops.NovaTask, func(ops.StepDone)) error {
			return placement.StateErrorf("it is locked")
		}
		r := s.resize(t, "train-1")
		choose(r)
		r.Wants("Nova refuses to resize or migrate with a device profile (t4-1)")
		r = s.resize(t, "train-1")
		r.Press("/")
		r.Type("name=cpu.large")
		r.Press("enter", "enter", "enter", "enter")
		r.Wants("REFUSED", "it is locked", "nothing was written")
		s.nova = func(ctx context.Context, _ ops.NovaTask, report func(ops.StepDone)) error {
			report(ops.StepDone{Number: 1, Name: "asked", Title: "it is asked"})
			<-ctx.Done()
			return &ops.FailedError{Cause: errors.Join(ctx.Err())}
		}
		r.Press("enter", "esc")
		r.Wants("STOP?", "Nova carries on with it")
		r.Press("y")
		r.Wants("STOPPED", "no longer followed", "Nova carries on with it; :instances shows how far")
		r.Lacks("undone", "try again")
		r.Wrote(0)
	})
}

// TestAsksNovaForAHost offers each card of a host if it is chosen here, and the host once
// if Nova chooses.
func TestAsksNovaForAHost(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		for cards, nova := range map[int]bool{2: false, 1: true} {
			s := tuitest.SoundFleet(t)
			first, _ := s.Snapshot().Placement().ProviderByName("cmp-3_pci_0000_41_00_0")
			root, _ := s.Snapshot().Placement().ProviderByName("cmp-3")
			id := modeltest.ProviderID("another card")
			if _, err := s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{
				placement.CreateProvider{ID: id, Name: "cmp-3_another", Parent: root.ID()},
				placement.SetInventories{Provider: id, Generation: placement.AnyGeneration(), Inventories: map[placement.ResourceClass]placement.Inventory{placement.VGPU: placement.NewInventory(4)}},
				placement.SetTraits{Provider: id, Generation: placement.AnyGeneration(), Traits: s.Snapshot().Placement().TraitsOf(first)},
			}}).Result(); err != nil {
				t.Fatal(err)
			}
			r := tuitest.LiveAt(t, s, 100, 30, place.Migrate{Instance: modeltest.ConsumerID("train-1")}, instances.OpenMigrate)
			if nova {
				r = (&asked{Cloud: s, nova: novaOf(s)}).migrate(t, "train-1")
			}
			if got := strings.Count(r.Text(), "✓ cmp-3"); got != cards {
				t.Errorf("cmp-3 is offered %d times, want %d\n%s", got, cards, r.Text())
			}
		}
	})
}
