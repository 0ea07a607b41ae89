package exchange

import (
	"cmp"
	"errors"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

func migration(s *nova.Snapshot, row *nova.Migration) (*objects.Migration, error) {
	o := objects.NewMigration()
	values := object.Values{
		"uuid": row.UUID.String(), "instance_uuid": row.Instance.String(), "migration_type": string(row.Type), "status": string(row.Status),
		"source_compute": text(row.Source), "dest_compute": text(row.Dest), "hidden": false, "cross_cell_move": false,
		"created_at": moment(row.Created), "updated_at": moment(row.Updated),
	}
	for node := range s.ComputeNodesOf(row.Source) {
		values["source_node"] = node.Hostname
	}
	for node := range s.ComputeNodesOf(row.Dest) {
		values["dest_node"] = node.Hostname
	}
	if i, ok := s.Instance(row.Instance); ok {
		values["user_id"], values["project_id"] = i.User, i.Project
	}
	err := object.Fill(o, values)
	o.ResetAllChanges()
	return o, err
}

// migrationRow returns the row of a migration. Before version 1.5 it has no uuid, and is
// found by its instance, its source and the time when it was created.
func migrationRow(s *nova.Snapshot, o *objects.Migration) (*nova.Migration, error) {
	instance, err := instanceOf(s, o)
	if err != nil {
		return nil, err
	}
	was, ok := migrationOf(s, o, instance)
	if !ok {
		if err := needs(o, "uuid", "instance_uuid", "status", "source_compute"); err != nil {
			return nil, err
		}
	}
	if o.Status.IsNull() || o.SourceCompute.IsNull() && (!ok || was.Source != "") {
		return nil, &placement.InvalidError{Field: "Migration.status, source_compute", Value: "null", Why: "both must be set"}
	}
	kind := was.Type
	if !ok || o.IsSet("migration_type") {
		kind = nova.MigrationType(o.Type()) // from the flavors if an old writer did not say
	}
	row := was.Edit(func(m *nova.Migration) {
		if i, known := s.Instance(instance); known && !ok {
			m.OldFlavor, m.NewFlavor, m.OldState = startOf(s, i)
		}
		m.Type = kind
		if !instance.IsZero() {
			m.Instance = instance
		}
		takeText(&m.Status, &o.Status)
		take(&m.Source, &o.SourceCompute)
		take(&m.Dest, &o.DestCompute)
		takeTime(&m.Created, &o.CreatedAt)
		takeTime(&m.Updated, &o.UpdatedAt)
	})
	err = oneOf("Migration.status", row.Status, nova.PreMigrating, nova.Migrating, nova.PostMigrating, nova.Finished, nova.Confirming,
		nova.Confirmed, nova.Reverting, nova.Reverted, nova.Error, nova.Failed, nova.Completed, nova.Done, nova.Accepted, nova.Cancelled,
		nova.Queued, nova.Preparing, nova.Running)
	return row, errors.Join(err, row.Validate())
}

// startOf returns what a moving instance says about its migration: the refs of the
// flavors, for which the migration object only has ids of another database, and the state
// to go back to.
//
// Source: nova/compute/manager.py, _prep_resize, for old_vm_state.
func startOf(s *nova.Snapshot, i *nova.Instance) (before, after string, state nova.VMState) {
	if o, err := Object(s, i); err == nil {
		if was := o.(*objects.Instance).SystemMetadata.Get()["old_vm_state"]; was != nil {
			state = nova.VMState(*was)
		}
	}
	return cmp.Or(i.OldFlavor, i.Flavor), cmp.Or(i.NewFlavor, i.Flavor), state
}

// instanceOf returns the instance that a migration moves, which must be in s; the zero id
// if the object does not say.
func instanceOf(s *nova.Snapshot, o *objects.Migration) (placement.ConsumerID, error) {
	text, says := o.InstanceUUID.Lookup()
	if !says {
		return placement.ConsumerID{}, nil
	}
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
func migrationOf(s *nova.Snapshot, o *objects.Migration, instance placement.ConsumerID) (*nova.Migration, bool) {
	if id, known := o.UUID.Lookup(); known {
		if row, ok := s.Migration(placement.ConsumerID(id)); ok {
			return row, true
		}
		return &nova.Migration{UUID: placement.ConsumerID(id)}, false
	}
	for row := range s.MigrationsOf(instance) {
		if row.Source == o.SourceCompute.Get() && row.Created/1000 == versioned.Millis(o.CreatedAt.Get())/1000 {
			return row, true
		}
	}
	return &nova.Migration{}, false
}
