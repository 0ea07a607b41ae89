package nova

import (
	"fmt"
	"reflect"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// CreateInstance records a requested instance, before anything is scheduled.
//
// Errors: placement.ErrExists; placement.ErrInvalid.
//
// Source: nova/objects/instance.py, create; nova/compute/api.py, create.
type CreateInstance struct {
	verb
	Instance *Instance
}

// InstanceState is the state of an instance, and its current task.
type InstanceState struct {
	VM   VMState
	Task TaskState
}

// State returns the state of i.
func (i *Instance) State() InstanceState { return InstanceState{i.VMState, i.TaskState} }

// SetInstanceState takes an instance from one state to another, or records why a
// request failed. Deleting it sets the time of deletion.
//
// Errors: placement.ErrNotFound; placement.ErrConflict if it is not in the state From.
//
// Source: nova/objects/instance.py, save with expected_vm_state and
// expected_task_state.
type SetInstanceState struct {
	verb
	Instance placement.ConsumerID
	From, To InstanceState
	Fault    string // "" for none
}

// PlaceInstance sets where an instance is, or is to be, and what it has there.
//
// Errors: placement.ErrNotFound; placement.ErrConflict if it is not on the host From.
//
// Source: nova/compute/resource_tracker.py, _set_instance_host_and_node;
// nova/compute/manager.py, _set_instance_info.
type PlaceInstance struct {
	verb
	Instance placement.ConsumerID
	From     string // host; "" for none, and so To
	To       Location
}

// Location is where an instance is, and what it has there.
type Location struct {
	Host      string
	Flavor    string // ref
	OldFlavor string // ref, during a resize; "" for none
	NewFlavor string // as OldFlavor
	// Mappings say which provider serves which request group, by its suffix.
	Mappings    map[string][]placement.ProviderID
	PCIRequests []PCIRequest
	Requested   *Destination // where its boot was asked to go; nil once it has landed
	Tried       []string     // hosts that could not build it
}

// Placed returns where i is, and what it has there.
func (i *Instance) Placed() Location {
	return Location{i.Host, i.Flavor, i.OldFlavor, i.NewFlavor, i.Mappings, i.PCIRequests, i.Requested, i.Tried}
}

// CreateMigration records that an instance is to move, be resized or evacuated.
//
// Errors: placement.ErrExists; placement.ErrNotFound for the instance;
// placement.ErrInvalid.
//
// Source: nova/objects/migration.py, create; nova/conductor/tasks/migrate.py,
// _preallocate_migration.
type CreateMigration struct {
	verb
	Migration *Migration
}

// SetMigrationStatus takes a migration from one status to another, or records what
// holds it up.
//
// Errors: placement.ErrNotFound; placement.ErrConflict if it has not the status From.
//
// Source: nova/objects/migration.py, save.
type SetMigrationStatus struct {
	verb
	Migration placement.ConsumerID
	From, To  MigrationStatus
	Fault     string // "" for none
	Deadline  int64  // milliseconds since 1970 when it is reverted unless confirmed; 0 for never
}

// PlaceMigration sets where a migration goes, and which providers served what the
// instance had before.
//
// Errors: placement.ErrNotFound; placement.ErrConflict if it does not go to the host
// From.
//
// Source: nova/compute/resource_tracker.py, _claim; nova/objects/migration.py, save.
type PlaceMigration struct {
	verb
	Migration placement.ConsumerID
	From, To  string // hosts; "" for none yet
	Mappings  map[string][]placement.ProviderID
}

func (op CreateInstance) String() string { return "create instance " + op.Instance.Name }

func (op SetInstanceState) String() string {
	return fmt.Sprintf("instance %s is %s", op.Instance, op.To)
}

// String returns the state as Nova's command line does: "active", "active (spawning)".
func (s InstanceState) String() string {
	if s.Task == "" {
		return string(s.VM)
	}
	return fmt.Sprintf("%s (%s)", s.VM, s.Task)
}

func (op PlaceInstance) String() string {
	if op.To.Host == "" {
		return fmt.Sprintf("instance %s is on no host", op.Instance)
	}
	return fmt.Sprintf("instance %s is on %s", op.Instance, op.To.Host)
}

func (op CreateMigration) String() string {
	return fmt.Sprintf("record the %s of instance %s", op.Migration.Type, op.Migration.Instance)
}

func (op SetMigrationStatus) String() string {
	return fmt.Sprintf("migration %s is %s", op.Migration, op.To)
}

func (op PlaceMigration) String() string {
	return fmt.Sprintf("migration %s goes to %s", op.Migration, op.To)
}

func (op CreateInstance) apply(e edit) error {
	if _, ok := e.Now.Instance(op.Instance.UUID); ok {
		return &placement.ExistsError{What: "instance", Field: "uuid", Value: op.Instance.UUID.String()}
	}
	return e.Put(op.Instance)
}

func (op SetInstanceState) apply(e edit) error {
	return editInstance(e, op.Instance, func(i *Instance) error {
		if i.State() != op.From {
			return stale(i)
		}
		i.VMState, i.TaskState, i.Fault = op.To.VM, op.To.Task, op.Fault
		if op.To.VM == Deleted && op.From.VM != Deleted {
			i.Deleted = max(versioned.Millis(e.At), 1) // not 0, even if the time is unknown
		}
		return nil
	})
}

func (op PlaceInstance) apply(e edit) error {
	return editInstance(e, op.Instance, func(i *Instance) error {
		if i.Host != op.From {
			return stale(i)
		}
		to := op.To
		i.Host, i.Flavor, i.OldFlavor, i.NewFlavor = to.Host, to.Flavor, to.OldFlavor, to.NewFlavor
		i.Mappings, i.PCIRequests, i.Requested, i.Tried = to.Mappings, to.PCIRequests, to.Requested, to.Tried
		return nil
	})
}

func editInstance(e edit, id placement.ConsumerID, change func(*Instance) error) error {
	i, ok := e.Now.Instance(id)
	if !ok {
		return placement.NotFound("instance", id.String())
	}
	own := *i
	if err := change(&own); err != nil {
		return err
	}
	if at := versioned.Millis(e.At); at != 0 {
		own.Updated = at
	}
	return e.Put(&own)
}

func (op CreateMigration) apply(e edit) error {
	if _, ok := e.Now.Migration(op.Migration.UUID); ok {
		return &placement.ExistsError{What: "migration", Field: "uuid", Value: op.Migration.UUID.String()}
	}
	if _, ok := e.Now.Instance(op.Migration.Instance); !ok {
		return placement.NotFound("instance", op.Migration.Instance.String())
	}
	return e.Put(op.Migration)
}

func (op SetMigrationStatus) apply(e edit) error {
	return editMigration(e, op.Migration, func(m *Migration) (step bool, err error) {
		if m.Status != op.From {
			return false, stale(m)
		}
		step = op.From != op.To || m.Deadline == op.Deadline // a change of only the deadline is not a step
		m.Status, m.Fault, m.Deadline = op.To, op.Fault, op.Deadline
		return step, nil
	})
}

func (op PlaceMigration) apply(e edit) error {
	return editMigration(e, op.Migration, func(m *Migration) (step bool, err error) {
		if m.Dest != op.From {
			return false, stale(m)
		}
		m.Dest, m.Mappings = op.To, op.Mappings
		return op.From != op.To, nil
	})
}

// editMigration changes a migration. It notes the time of a step, from which follows how
// long the migration has been in its state, or has waited.
func editMigration(e edit, id placement.ConsumerID, change func(*Migration) (step bool, err error)) error {
	m, ok := e.Now.Migration(id)
	if !ok {
		return placement.NotFound("migration", id.String())
	}
	own := *m
	step, err := change(&own)
	if err != nil {
		return err
	}
	if at := versioned.Millis(e.At); at != 0 && step {
		own.Updated = at
	}
	return e.Put(&own)
}

// To returns what makes of i, whose writer believes it to be in its state and on its
// host, the instance is.
func (i *Instance) To(is *Instance) []Op {
	ops := []Op{SetInstanceState{Instance: i.UUID, From: i.State(), To: is.State(), Fault: is.Fault}}
	if place := is.Placed(); !reflect.DeepEqual(i.Placed(), place) {
		ops = append(ops, PlaceInstance{Instance: i.UUID, From: i.Host, To: place})
	}
	return ops
}

// To returns what makes of m, whose writer believes it to have its status, the migration
// is.
func (m *Migration) To(is *Migration) []Op {
	ops := []Op{SetMigrationStatus{Migration: m.UUID, From: m.Status, To: is.Status, Fault: is.Fault, Deadline: is.Deadline}}
	if m.Dest != is.Dest || !reflect.DeepEqual(m.Mappings, is.Mappings) {
		ops = append(ops, PlaceMigration{Migration: m.UUID, From: m.Dest, To: is.Dest, Mappings: is.Mappings})
	}
	return ops
}
