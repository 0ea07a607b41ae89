package exchange

import (
	"cmp"
	"errors"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// instance returns an instance with its flavors, as each travels with it.
func instance(s *nova.Snapshot, row *nova.Instance) (*objects.Instance, error) {
	o := objects.NewInstance()
	values := object.Values{
		"uuid": row.UUID.String(), "display_name": row.Name, "project_id": row.Project, "user_id": row.User,
		"host": text(row.Host), "vm_state": text(row.VMState), "task_state": text(row.TaskState), "availability_zone": text(row.Zone),
		"hidden": row.Hidden, "created_at": moment(row.Created), "updated_at": moment(row.Updated),
		"deleted_at": moment(row.Deleted), "deleted": row.VMState == nova.Deleted, "terminated_at": moment(row.Deleted),
	}
	for node := range s.ComputeNodesOf(row.Host) {
		values["node"] = node.Hostname
	}
	if !moves(s, row) {
		values["migration_context"] = nil // as the end of a move drops it
	}
	var errs []error
	for field, ref := range map[string]string{"flavor": row.Flavor, "old_flavor": row.OldFlavor, "new_flavor": row.NewFlavor} {
		stored, ok := s.Flavor(ref)
		if !ok {
			continue
		}
		f, err := flavorOf(stored)
		values[field], errs = f, append(errs, err)
		if field == "flavor" {
			values["vcpus"], values["memory_mb"] = stored.VCPUs, stored.MemoryMB
			values["root_gb"], values["ephemeral_gb"] = stored.RootGB, stored.EphemeralGB
		}
	}
	errs = append(errs, object.Fill(o, values))
	o.ResetAllChanges()
	return o, errors.Join(errs...)
}

// moves reports whether an instance is on the move.
func moves(s *nova.Snapshot, row *nova.Instance) bool {
	for m := range s.MigrationsOf(row.UUID) {
		if m.Status.UnderWay() {
			return true
		}
	}
	return row.OldFlavor != "" || row.NewFlavor != ""
}

func instanceRow(s *nova.Snapshot, o *objects.Instance) (*nova.Instance, error) {
	if err := needs(o, "uuid"); err != nil {
		return nil, err
	}
	id := placement.ConsumerID(o.UUID.Get())
	if _, taken := s.Migration(id); taken {
		return nil, &placement.ExistsError{What: "consumer", Field: "uuid", Value: id.String()}
	}
	was, ok := s.Instance(id)
	if !ok {
		was = &nova.Instance{UUID: id}
		if err := needs(o, "display_name", "project_id", "user_id", "vm_state", "flavor"); err != nil {
			return nil, err
		}
	}
	now, err1 := refOf(s, was.Flavor, &o.Flavor)
	before, err2 := refOf(s, was.OldFlavor, &o.OldFlavor)
	after, err3 := refOf(s, was.NewFlavor, &o.NewFlavor)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	row := was.Edit(func(i *nova.Instance) {
		i.Flavor, i.OldFlavor, i.NewFlavor = now, before, after
		take(&i.Name, &o.DisplayName)
		take(&i.Project, &o.ProjectID)
		take(&i.User, &o.UserID)
		take(&i.Host, &o.Host)
		takeText(&i.VMState, &o.VMState)
		takeText(&i.TaskState, &o.TaskState)
		take(&i.Zone, &o.AvailabilityZone)
		take(&i.Hidden, &o.Hidden)
		takeTime(&i.Created, &o.CreatedAt)
		takeTime(&i.Updated, &o.UpdatedAt)
		takeTime(&i.Deleted, &o.DeletedAt)
	})
	err := oneOf("Instance.vm_state", row.VMState, nova.Active, nova.Building, nova.Paused, nova.Suspended, nova.Stopped, nova.Rescued,
		nova.Resized, nova.SoftDeleted, nova.Deleted, nova.Broken, nova.Shelved, nova.ShelvedOffloaded)
	if o.Deleted.Get() && row.VMState != nova.Deleted {
		err = errors.Join(err, &placement.InvalidError{Field: "Instance.deleted", Value: "true", Why: "must come with the vm_state deleted"})
	}
	return row, errors.Join(err, row.Validate())
}
