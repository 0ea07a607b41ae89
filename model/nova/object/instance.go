package object

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func instanceColumns(i *nova.Instance) []column {
	return []column{
		{"display_name", &i.Name},
		{"project_id", &i.Project},
		{"user_id", &i.User},
		{"host", (*orNull)(&i.Host)},
		{"vm_state", (*orNull)(&i.VMState)},
		{"task_state", (*orNull)(&i.TaskState)},
		{"availability_zone", (*orNull)(&i.Zone)},
		{"hidden", &i.Hidden},
		{"created_at", (*millis)(&i.Created)},
		{"updated_at", (*millis)(&i.Updated)},
		{"deleted_at", (*millis)(&i.Deleted)},
	}
}

// instanceMore returns the fields of an instance that follow from its columns and from other
// rows, among them its flavors, which are sent with it.
func instanceMore(s *nova.Snapshot, row *nova.Instance) (Fields, error) {
	out := Fields{"uuid": row.UUID, "deleted": row.VMState == nova.Deleted, "terminated_at": millis(row.Deleted)}
	if meta := imageMeta(row); len(meta) > 0 {
		out["system_metadata"] = meta
	}
	for node := range s.NodesOf(row) {
		out["node"] = node.Hostname
	}
	if !moves(s, row) {
		out["migration_context"] = nil // as the end of a move drops it
	}
	for field, ref := range map[string]string{"flavor": row.Flavor, "old_flavor": row.OldFlavor, "new_flavor": row.NewFlavor} {
		stored, ok := s.Flavor(ref)
		if !ok {
			continue
		}
		flavor, err := Of(s, stored)
		if err != nil {
			return nil, err
		}
		out[field] = flavor
		if field == "flavor" {
			out["vcpus"], out["memory_mb"], out["root_gb"], out["ephemeral_gb"] = stored.VCPUs, stored.MemoryMB, stored.RootGB, stored.EphemeralGB
		}
	}
	return out, nil
}

// imageProperty is the prefix of image properties in the system metadata of an instance.
//
// Source: nova/utils.py, SM_IMAGE_PROP_PREFIX and get_system_metadata_from_image.
const imageProperty = "image_"

// imageMeta returns the system metadata for an instance's image.
func imageMeta(row *nova.Instance) map[string]string {
	out := map[string]string{}
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

func instanceRow(s *nova.Snapshot, sent *Object) (*nova.Instance, error) {
	if err := needs(sent, "uuid"); err != nil {
		return nil, err
	}
	id := placement.ConsumerID(get[uuid.UUID](sent, "uuid"))
	if _, taken := s.Migration(id); taken {
		return nil, &placement.ExistsError{What: "consumer", Field: "uuid", Value: id.String()}
	}
	was, ok := s.Instance(id)
	if !ok {
		was = &nova.Instance{UUID: id}
		if err := needs(sent, "display_name", "project_id", "user_id", "vm_state", "flavor"); err != nil {
			return nil, err
		}
	}
	now, err1 := refOf(s, was.Flavor, sent, "flavor")
	before, err2 := refOf(s, was.OldFlavor, sent, "old_flavor")
	after, err3 := refOf(s, was.NewFlavor, sent, "new_flavor")
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	var err error
	row := was.Edit(func(i *nova.Instance) {
		i.Flavor, i.OldFlavor, i.NewFlavor = now, before, after
		err = take(sent, append(instanceColumns(i), column{"node", &i.Node}))
		if nodes := slices.Collect(s.ComputeNodesOf(i.Host)); len(nodes) == 1 && nodes[0].Hostname == i.Node {
			i.Node = "" // as for all rows
		}
		if _, set := sent.Data["system_metadata"]; set {
			i.Image = imageOf(get[map[string]*string](sent, "system_metadata"), i.ImageTraits)
		}
	})
	err = errors.Join(err, oneOf("Instance.vm_state", row.VMState, nova.Active, nova.Building, nova.Paused, nova.Suspended, nova.Stopped, nova.Rescued,
		nova.Resized, nova.SoftDeleted, nova.Deleted, nova.Broken, nova.Shelved, nova.ShelvedOffloaded))
	if get[bool](sent, "deleted") && row.VMState != nova.Deleted {
		err = errors.Join(err, &placement.InvalidError{Field: "Instance.deleted", Value: "true", Why: "must come with the vm_state deleted"})
	}
	return row, errors.Join(err, row.Validate())
}
