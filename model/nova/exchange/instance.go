package exchange

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned/object"
)

// instance returns an instance with its flavors, which are sent with it.
func instance(s *nova.Snapshot, row *nova.Instance) (*objects.Instance, error) {
	o := objects.NewInstance()
	values := object.Values{
		"uuid": row.UUID.String(), "display_name": row.Name, "project_id": row.Project, "user_id": row.User,
		"host": text(row.Host), "vm_state": text(row.VMState), "task_state": text(row.TaskState), "availability_zone": text(row.Zone),
		"hidden": row.Hidden, "created_at": moment(row.Created), "updated_at": moment(row.Updated),
		"deleted_at": moment(row.Deleted), "deleted": row.VMState == nova.Deleted, "terminated_at": moment(row.Deleted),
	}
	if meta := imageMeta(row); len(meta) > 0 {
		values["system_metadata"] = meta
	}
	for node := range s.NodesOf(row) {
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

// imageProperty is the prefix of image properties in the system metadata of an instance.
//
// Source: nova/utils.py, SM_IMAGE_PROP_PREFIX and get_system_metadata_from_image.
const imageProperty = "image_"

// imageMeta returns the system metadata for an instance's image.
func imageMeta(row *nova.Instance) map[string]any {
	out := map[string]any{}
	for name, value := range row.Image {
		out[imageProperty+name] = value
	}
	for _, t := range row.ImageTraits {
		out[imageProperty+"trait:"+string(t)] = "required"
	}
	return out
}

// imageOf returns the image properties in system metadata, without the traits, for which
// instances have a column; nil if there are none.
//
// Source: nova/utils.py, get_image_from_system_metadata.
func imageOf(meta map[string]*string, traits []placement.Trait) map[string]string {
	var out map[string]string
	for key, value := range meta {
		name, ok := strings.CutPrefix(key, imageProperty)
		trait, _ := strings.CutPrefix(name, "trait:")
		switch {
		case !ok || value == nil || slices.Contains(traits, placement.Trait(trait)):
			continue
		case slices.Contains([]string{"base_image_ref", "container_format", "min_disk", "min_ram"}, name):
			continue // part of the image itself, not a property
		case out == nil:
			out = map[string]string{}
		}
		out[name] = *value
	}
	return out
}

// moves reports whether an instance is being moved.
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
		take(&i.Node, &o.Node)
		if nodes := slices.Collect(s.ComputeNodesOf(i.Host)); len(nodes) == 1 && nodes[0].Hostname == i.Node {
			i.Node = "" // as for all rows
		}
		takeText(&i.VMState, &o.VMState)
		takeText(&i.TaskState, &o.TaskState)
		take(&i.Zone, &o.AvailabilityZone)
		take(&i.Hidden, &o.Hidden)
		if meta, ok := o.SystemMetadata.Lookup(); ok {
			i.Image = imageOf(meta, i.ImageTraits)
		}
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
