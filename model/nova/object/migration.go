package object

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func migrationColumns(m *nova.Migration) []column {
	return []column{
		{"migration_type", &m.Type},
		{"status", &m.Status},
		{"source_compute", (*orNull)(&m.Source)},
		{"dest_compute", (*orNull)(&m.Dest)},
		{"created_at", (*millis)(&m.Created)},
		{"updated_at", (*millis)(&m.Updated)},
	}
}

// migrationMore returns the fields of a migration that follow from other rows, or are always
// the same.
func migrationMore(s *nova.Snapshot, row *nova.Migration) Fields {
	out := Fields{"uuid": row.UUID, "instance_uuid": row.Instance, "hidden": false, "cross_cell_move": false}
	for node := range s.ComputeNodesOf(row.Source) {
		out["source_node"] = node.Hostname
	}
	for node := range s.ComputeNodesOf(row.Dest) {
		out["dest_node"] = node.Hostname
	}
	if i, ok := s.Instance(row.Instance); ok {
		out["user_id"], out["project_id"] = i.User, i.Project
	}
	return out
}

// migrationRow returns the row of a migration. Before version 1.5 it has no uuid, and is
// found by its instance, its source and the time when it was created.
func migrationRow(s *nova.Snapshot, sent *Object) (*nova.Migration, error) {
	instance, err := instanceOf(s, sent)
	if err != nil {
		return nil, err
	}
	was, ok := migrationOf(s, sent, instance)
	if !ok {
		if err := needs(sent, "uuid", "instance_uuid", "status", "source_compute"); err != nil {
			return nil, err
		}
	}
	null := func(field string) bool { v, set := sent.Data[field]; return set && v == nil }
	if null("status") || null("source_compute") && (!ok || was.Source != "") {
		return nil, &placement.InvalidError{Field: "Migration.status, source_compute", Value: "null", Why: "both must be set"}
	}
	row := was.Edit(func(m *nova.Migration) {
		if !ok {
			m.Type = typeOf(sent)
			if i, known := s.Instance(instance); known {
				m.OldFlavor, m.NewFlavor, m.OldState = startOf(s, i)
			}
		}
		if !instance.IsZero() {
			m.Instance = instance
		}
		err = take(sent, migrationColumns(m))
	})
	return row, errors.Join(
		err,
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
func typeOf(o *Object) nova.MigrationType {
	if o.Data["old_instance_type_id"] != o.Data["new_instance_type_id"] {
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
		state = nova.VMState(get[map[string]string](o, "system_metadata")["old_vm_state"])
	}
	return cmp.Or(i.OldFlavor, i.Flavor), cmp.Or(i.NewFlavor, i.Flavor), state
}

// instanceOf returns the instance that a migration moves, which must be in s; the zero id
// if the object does not say.
func instanceOf(s *nova.Snapshot, o *Object) (placement.ConsumerID, error) {
	if o.Data["instance_uuid"] == nil {
		return placement.ConsumerID{}, nil
	}
	text := get[string](o, "instance_uuid")
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
func migrationOf(s *nova.Snapshot, o *Object, instance placement.ConsumerID) (*nova.Migration, bool) {
	if o.Data["uuid"] != nil {
		id := placement.ConsumerID(get[uuid.UUID](o, "uuid"))
		if row, ok := s.Migration(id); ok {
			return row, true
		}
		return &nova.Migration{UUID: id}, false
	}
	var sent nova.Migration
	if take(o, migrationColumns(&sent)) == nil {
		for row := range s.MigrationsOf(instance) {
			if row.Source == sent.Source && row.Created/1000 == sent.Created/1000 {
				return row, true
			}
		}
	}
	return &nova.Migration{}, false
}
