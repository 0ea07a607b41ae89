package object

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

func migration(s *nova.Snapshot, row *nova.Migration) *Envelope[Migration] {
	m := Migration{
		Persistent: Persistent{CreatedAt: moment(row.Created), UpdatedAt: moment(row.Updated)},
		UUID:       Value(uuid.UUID(row.UUID)), InstanceUUID: Value(new(row.Instance.String())), MigrationType: Value(string(row.Type)),
		Status: Value(new(string(row.Status))), SourceCompute: OrNull(row.Source), DestCompute: OrNull(row.Dest),
		Hidden: Value(false), CrossCellMove: Value(false),
	}
	for node := range s.ComputeNodesOf(row.Source) {
		m.SourceNode = Value(&node.Hostname)
	}
	for node := range s.ComputeNodesOf(row.Dest) {
		m.DestNode = Value(&node.Hostname)
	}
	if i, ok := s.Instance(row.Instance); ok {
		m.UserID, m.ProjectID = Value(&i.User), Value(&i.Project)
	}
	return New(m)
}

// migrationRow returns the row of a migration. Before version 1.5 it has no uuid, and is
// found by its instance, its source and the time when it was created.
func migrationRow(s *nova.Snapshot, sent *Envelope[Migration]) (*nova.Migration, error) {
	o := sent.Data
	instance, err := instanceOf(s, o)
	if err != nil {
		return nil, err
	}
	was, ok := migrationOf(s, o, instance)
	if !ok {
		if err := needs(sent, "uuid", "instance_uuid", "status", "source_compute"); err != nil {
			return nil, err
		}
	}
	null := func(f Field[*string]) bool { return f.Set && f.V == nil }
	if null(o.Status) || null(o.SourceCompute) && (!ok || was.Source != "") {
		return nil, &placement.InvalidError{Field: "Migration.status, source_compute", Value: "null", Why: "both must be set"}
	}
	row := was.Edit(func(m *nova.Migration) {
		if i, known := s.Instance(instance); known && !ok {
			m.OldFlavor, m.NewFlavor, m.OldState = startOf(s, i)
		}
		switch {
		case o.MigrationType.Set:
			m.Type = nova.MigrationType(o.MigrationType.V)
		case !ok:
			m.Type = typeOf(o)
		}
		if !instance.IsZero() {
			m.Instance = instance
		}
		takeText(&m.Status, o.Status)
		takeText(&m.Source, o.SourceCompute)
		takeText(&m.Dest, o.DestCompute)
		takeTime(&m.Created, o.CreatedAt)
		takeTime(&m.Updated, o.UpdatedAt)
	})
	return row, errors.Join(
		oneOf("Migration.migration_type", row.Type, nova.ColdMigration, nova.Resize, nova.LiveMigration, nova.Evacuation),
		oneOf("Migration.status", row.Status, nova.PreMigrating, nova.Migrating, nova.PostMigrating, nova.Finished, nova.Confirming,
			nova.Confirmed, nova.Reverting, nova.Reverted, nova.Error, nova.Failed, nova.Completed, nova.Done, nova.Accepted, nova.Cancelled,
			nova.Queued, nova.Preparing, nova.Running),
		row.Validate(),
	)
}

// typeOf returns the type of a migration whose writer is too old to say it, by its flavors.
//
// Source: nova/objects/migration.py, determine_migration_type.
func typeOf(o Migration) nova.MigrationType {
	before, after := o.OldInstanceTypeID, o.NewInstanceTypeID
	if (before.V == nil) != (after.V == nil) || or(before) != or(after) {
		return nova.Resize
	}
	return nova.ColdMigration
}

// startOf returns what a moving instance says about its migration: the refs of the
// flavors, for which the migration object only has ids of another database, and the state
// to go back to.
//
// Source: nova/compute/manager.py, _prep_resize, for old_vm_state.
func startOf(s *nova.Snapshot, i *nova.Instance) (before, after string, state nova.VMState) {
	if o, err := Of(s, i); err == nil {
		if was := o.(*Envelope[Instance]).Data.SystemMetadata.V["old_vm_state"]; was != nil {
			state = nova.VMState(*was)
		}
	}
	return cmp.Or(i.OldFlavor, i.Flavor), cmp.Or(i.NewFlavor, i.Flavor), state
}

// instanceOf returns the instance that a migration moves, which must be in s; the zero id
// if the object does not say.
func instanceOf(s *nova.Snapshot, o Migration) (placement.ConsumerID, error) {
	if o.InstanceUUID.V == nil {
		return placement.ConsumerID{}, nil
	}
	text := *o.InstanceUUID.V
	id, err := uuid.Parse(text)
	if err != nil {
		return placement.ConsumerID{}, &placement.InvalidError{Field: "Migration.instance_uuid", Value: text, Why: "is not a uuid"}
	}
	if _, known := s.Instance(placement.ConsumerID(id)); !known {
		return placement.ConsumerID{}, &placement.NotFoundError{What: "instance", Name: text}
	}
	return placement.ConsumerID(id), nil
}

// migrationOf returns the existing row of a migration, or a new one.
func migrationOf(s *nova.Snapshot, o Migration, instance placement.ConsumerID) (*nova.Migration, bool) {
	if o.UUID.Set {
		id := placement.ConsumerID(o.UUID.V)
		if row, ok := s.Migration(id); ok {
			return row, true
		}
		return &nova.Migration{UUID: id}, false
	}
	for row := range s.MigrationsOf(instance) {
		if row.Source == or(o.SourceCompute) && row.Created/1000 == versioned.Millis(or(o.CreatedAt))/1000 {
			return row, true
		}
	}
	return &nova.Migration{}, false
}
