package nova_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestStatesAreExpected applies verbs to what their writer expects: if another writer was
// faster they are conflicts, and records that are missing, or exist already, are errors.
func TestStatesAreExpected(t *testing.T) {
	t.Parallel()
	vm, none, node := modeltest.ConsumerID("vm"), modeltest.ConsumerID("none"), modeltest.ProviderID("c1")
	move := migration("vm", func(m *nova.Migration) { m.UUID = modeltest.ConsumerID("move") })
	row := &nova.ComputeNode{UUID: node, Host: "c1", Hostname: "c1"}
	counted := row.Edit(func(n *nova.ComputeNode) { n.RunningVMs = 1 })
	device := &nova.PciDevice{ComputeNode: node, Address: "0000:af:00.0", Status: "allocated", Instance: vm}
	left := &nova.PciDevice{ComputeNode: node, Address: "0000:b1:00.0", Status: "removed", Instance: vm}
	base := ledger(t, instance("vm", func(i *nova.Instance) { i.Host, i.VMState = "c1", nova.Active }), move, row, device, left)
	has, _ := base.Instance(vm)
	active, spawning := nova.InstanceState{VM: nova.Active}, nova.InstanceState{VM: nova.Active, Task: nova.Spawning}
	for _, tt := range []struct {
		name string
		op   nova.Op
		err  error
	}{
		{"an instance that is there", nova.CreateInstance{Instance: has}, placement.ErrExists},
		{"a state", nova.SetInstanceState{Instance: vm, From: active, To: spawning}, nil},
		{"a state that is over", nova.SetInstanceState{Instance: vm, From: spawning, To: active}, placement.ErrConflict},
		{"a state of nobody", nova.SetInstanceState{Instance: none, From: active, To: active}, placement.ErrNotFound},
		{"a place", nova.PlaceInstance{Instance: vm, From: "c1", To: nova.Location{Host: "c2", Flavor: has.Flavor}}, nil},
		{"a place that it has left", nova.PlaceInstance{Instance: vm, From: "c2", To: nova.Location{Host: "c3", Flavor: has.Flavor}}, placement.ErrConflict},
		{"a migration that is there", nova.CreateMigration{Migration: move}, placement.ErrExists},
		{"a migration of nobody", nova.CreateMigration{Migration: &nova.Migration{UUID: none, Instance: none, Type: nova.Resize, Status: nova.Migrating}}, placement.ErrNotFound},
		{"a step", nova.SetMigrationStatus{Migration: move.UUID, From: move.Status, To: nova.Finished}, nil},
		{"a step that was taken", nova.SetMigrationStatus{Migration: move.UUID, From: nova.Migrating, To: nova.Confirmed}, placement.ErrConflict},
		{"another destination", nova.PlaceMigration{Migration: move.UUID, From: move.Dest, To: "c9"}, nil},
		{"a destination that is another", nova.PlaceMigration{Migration: move.UUID, From: "c8", To: "c9"}, placement.ErrConflict},
		{"a compute node as it was read", nova.ReportComputeNode{Node: counted, Read: row}, nil},
		{"a compute node that is another by now", nova.ReportComputeNode{Node: row, Read: counted}, placement.ErrConflict},
		{"a new compute node that is there", nova.ReportComputeNode{Node: counted}, placement.ErrConflict},
		{"a device that is given up", nova.PassPciDevice{ComputeNode: node, Address: device.Address, From: device.Hand(), To: nova.Hand{Status: "available"}}, nil},
		{"a device in another hand", nova.PassPciDevice{ComputeNode: node, Address: device.Address, From: nova.Hand{Status: "available"}, To: device.Hand()}, placement.ErrConflict},
		{"no device", nova.PassPciDevice{ComputeNode: node, Address: "0000:b0:00.0"}, placement.ErrNotFound},
		{"a device that somebody has goes", nova.RemovePciDevice{ComputeNode: node, Address: device.Address}, placement.ErrInUse},
		{"a device that names who had it goes", nova.RemovePciDevice{ComputeNode: node, Address: left.Address}, nil},
	} {
		if err := base.Allows(tt.op); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.err)
		}
	}
	seen := &nova.PciDevice{ComputeNode: node, Address: device.Address, ProductID: "1eb8", Status: "available"}
	if d, _ := does(t, base, nova.ReportPciDevice{Device: seen}).PciDevice(node, device.Address); d.Hand() != device.Hand() || d.ProductID != "1eb8" {
		t.Errorf("what a driver sees takes it from who has it: %+v", d)
	}
}

// TestToSaysAllThatAStepChanges uses verbs to bring an instance and a migration to every
// state that a step may lead to.
func TestToSaysAllThatAStepChanges(t *testing.T) {
	t.Parallel()
	was, from := instance("vm"), migration("vm", func(m *nova.Migration) { m.UUID = modeltest.ConsumerID("move") })
	is := was.Edit(func(i *nova.Instance) {
		i.VMState, i.TaskState, i.Fault, i.Host, i.Flavor, i.OldFlavor, i.NewFlavor = nova.Resized, nova.ResizeFinish, "why", "c2", "m2", "m1", "m2"
		i.Mappings, i.Tried = map[string][]placement.ProviderID{"": {modeltest.ProviderID("c2")}}, []string{"c1"}
		i.Requested, i.PCIRequests = &nova.Destination{Host: "c2"}, []nova.PCIRequest{{Count: 1, Flavor: "m2"}}
	})
	to := from.Edit(func(m *nova.Migration) {
		m.Status, m.Fault, m.Dest, m.Deadline = nova.Finished, "why", "c2", 5
		m.Mappings = map[string][]placement.ProviderID{"": {modeltest.ProviderID("c1")}}
	})
	s := does(t, ledger(t, was, from), append(was.To(is), from.To(to)...)...)
	got, _ := s.Instance(was.UUID)
	moved, _ := s.Migration(from.UUID)
	must.Match(t, is, got)
	must.Match(t, to, moved)
}

// TestOnlyStepsAreTimed notes the time of steps only: how long a move has waited, and
// when an instance was deleted, does not change if something else is written.
func TestOnlyStepsAreTimed(t *testing.T) {
	t.Parallel()
	since, now := modeltest.At(10).UnixMilli(), modeltest.At(1000)
	gone := instance("gone", func(i *nova.Instance) { i.VMState, i.Deleted = nova.Deleted, since })
	waits := migration("vm", func(m *nova.Migration) { m.Updated, m.Deadline = since, now.UnixMilli() })
	base := ledger(t, instance("vm"), gone, waits)
	here := map[string][]placement.ProviderID{"": {modeltest.ProviderID("c9")}}
	for name, tt := range map[string]struct {
		ops  []nova.Op
		want int64 // when the migration was last updated
	}{
		"no time to decide":      {waits.To(waits.Edit(func(m *nova.Migration) { m.Deadline = 0 })), since},
		"other providers":        {[]nova.Op{nova.PlaceMigration{Migration: waits.UUID, From: waits.Dest, To: waits.Dest, Mappings: here}}, since},
		"a step":                 {waits.To(waits.Edit(func(m *nova.Migration) { m.Status, m.Deadline = nova.Reverting, 0 })), now.UnixMilli()},
		"a step of its instance": {waits.To(waits), now.UnixMilli()},
		"another place":          {[]nova.Op{nova.PlaceMigration{Migration: waits.UUID, From: waits.Dest, To: "c9"}}, now.UnixMilli()},
		"of what is gone":        {gone.To(gone.Edit(func(i *nova.Instance) { i.Mappings = here })), since},
	} {
		next, _, err := base.Apply(nova.Change{At: now, Ops: tt.ops})
		must.Succeed(t, err)
		m, _ := next.Migration(waits.UUID)
		i, _ := next.Instance(gone.UUID)
		if m.Updated != tt.want || i.Deleted != since {
			t.Errorf("%s: the migration was touched at %d, want %d, and the instance deleted at %d", name, m.Updated, tt.want, i.Deleted)
		}
	}
}
