package object

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// instance returns an instance with its flavors, which are sent with it.
func instance(s *nova.Snapshot, row *nova.Instance) (*Envelope[Instance], error) {
	o := Instance{
		Persistent: Persistent{CreatedAt: moment(row.Created), UpdatedAt: moment(row.Updated), DeletedAt: moment(row.Deleted), Deleted: Value(row.VMState == nova.Deleted)},
		UUID:       Value(uuid.UUID(row.UUID)), DisplayName: Value(&row.Name), ProjectID: Value(&row.Project), UserID: Value(&row.User),
		Host: OrNull(row.Host), VMState: OrNull(string(row.VMState)), TaskState: OrNull(string(row.TaskState)), AvailabilityZone: OrNull(row.Zone),
		Hidden: Value(row.Hidden), TerminatedAt: moment(row.Deleted),
	}
	if meta := imageMeta(row); len(meta) > 0 {
		o.SystemMetadata = Value(meta)
	}
	for node := range s.NodesOf(row) {
		o.Node = Value(&node.Hostname)
	}
	if !moves(s, row) {
		o.MigrationContext = Value(json.RawMessage(nil)) // as the end of a move drops it
	}
	for _, f := range []struct {
		field *Field[*Envelope[Flavor]]
		ref   string
	}{{&o.Flavor, row.Flavor}, {&o.OldFlavor, row.OldFlavor}, {&o.NewFlavor, row.NewFlavor}} {
		stored, ok := s.Flavor(f.ref)
		if !ok {
			continue
		}
		flavor, err := flavorOf(stored)
		if err != nil {
			return nil, err
		}
		*f.field = Value(flavor)
		if f.field == &o.Flavor {
			o.VCPUs, o.MemoryMB = Value(&stored.VCPUs), Value(&stored.MemoryMB)
			o.RootGB, o.EphemeralGB = Value(&stored.RootGB), Value(&stored.EphemeralGB)
		}
	}
	return New(o), nil
}

// imageProperty is the prefix of image properties in the system metadata of an instance.
//
// Source: nova/utils.py, SM_IMAGE_PROP_PREFIX and get_system_metadata_from_image.
const imageProperty = "image_"

// imageMeta returns the system metadata for an instance's image.
func imageMeta(row *nova.Instance) map[string]*string {
	out := map[string]*string{}
	for name, value := range row.Image {
		out[imageProperty+name] = &value
	}
	for _, t := range row.ImageTraits {
		out[imageProperty+"trait:"+string(t)] = new("required")
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

func instanceRow(s *nova.Snapshot, sent *Envelope[Instance]) (*nova.Instance, error) {
	if err := needs(sent, "uuid"); err != nil {
		return nil, err
	}
	o := sent.Data
	id := placement.ConsumerID(o.UUID.V)
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
	now, err1 := refOf(s, was.Flavor, o.Flavor)
	before, err2 := refOf(s, was.OldFlavor, o.OldFlavor)
	after, err3 := refOf(s, was.NewFlavor, o.NewFlavor)
	if err := cmp.Or(err1, err2, err3); err != nil {
		return nil, err
	}
	row := was.Edit(func(i *nova.Instance) {
		i.Flavor, i.OldFlavor, i.NewFlavor = now, before, after
		takeText(&i.Name, o.DisplayName)
		takeText(&i.Project, o.ProjectID)
		takeText(&i.User, o.UserID)
		takeText(&i.Host, o.Host)
		takeText(&i.Node, o.Node)
		if nodes := slices.Collect(s.ComputeNodesOf(i.Host)); len(nodes) == 1 && nodes[0].Hostname == i.Node {
			i.Node = "" // as for all rows
		}
		takeText(&i.VMState, o.VMState)
		takeText(&i.TaskState, o.TaskState)
		takeText(&i.Zone, o.AvailabilityZone)
		take(&i.Hidden, o.Hidden)
		if o.SystemMetadata.Set {
			i.Image = imageOf(o.SystemMetadata.V, i.ImageTraits)
		}
		takeTime(&i.Created, o.CreatedAt)
		takeTime(&i.Updated, o.UpdatedAt)
		takeTime(&i.Deleted, o.DeletedAt)
	})
	err := oneOf("Instance.vm_state", row.VMState, nova.Active, nova.Building, nova.Paused, nova.Suspended, nova.Stopped, nova.Rescued,
		nova.Resized, nova.SoftDeleted, nova.Deleted, nova.Broken, nova.Shelved, nova.ShelvedOffloaded)
	if o.Deleted.V && row.VMState != nova.Deleted {
		err = errors.Join(err, &placement.InvalidError{Field: "Instance.deleted", Value: "true", Why: "must come with the vm_state deleted"})
	}
	return row, errors.Join(err, row.Validate())
}
