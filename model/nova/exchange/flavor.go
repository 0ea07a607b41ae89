package exchange

import (
	"maps"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
	"github.com/placetop/placetop/model/versioned/object"
)

func flavor(row *nova.Flavor) (*objects.Flavor, error) {
	f := objects.NewFlavor()
	err := object.Fill(f, object.Values{
		"name": row.Name, "flavorid": row.FlavorID, "vcpus": row.VCPUs, "memory_mb": row.MemoryMB, "root_gb": row.RootGB,
		"ephemeral_gb": row.EphemeralGB, "swap": row.SwapMB, "disabled": row.Disabled, "is_public": !row.Private,
		"extra_specs": maps.Clone(row.ExtraSpecs), "description": text(row.Description), "created_at": moment(row.Created), "deleted": row.Deleted,
	})
	f.ResetAllChanges()
	return f, err
}

// flavorOf returns a flavor with everything that is known about it.
func flavorOf(row *nova.Flavor) (*objects.Flavor, error) {
	f, err := flavor(row)
	if err != nil {
		return nil, err
	}
	return f, recall(f, row)
}

// flavorRow returns the row of a flavor by its name.
func flavorRow(s *nova.Snapshot, o *objects.Flavor) (*nova.Flavor, error) {
	if err := needs(o, "name", "flavorid", "vcpus", "memory_mb"); err != nil {
		return nil, err
	}
	was, ok := s.FlavorNamed(o.Name.Get())
	if !ok {
		was = &nova.Flavor{}
	}
	row := versioned.Clone(was)
	take(&row.Name, &o.Name)
	take(&row.FlavorID, &o.FlavorID)
	take(&row.VCPUs, &o.VCPUs)
	take(&row.MemoryMB, &o.MemoryMB)
	take(&row.RootGB, &o.RootGB)
	take(&row.EphemeralGB, &o.EphemeralGB)
	take(&row.SwapMB, &o.Swap)
	take(&row.Disabled, &o.Disabled)
	take(&row.Deleted, &o.Deleted)
	take(&row.Description, &o.Description)
	takeTime(&row.Created, &o.CreatedAt)
	if public, ok := o.IsPublic.Lookup(); ok {
		row.Private = !public
	}
	if specs, ok := o.ExtraSpecs.Lookup(); ok && !maps.Equal(specs, row.ExtraSpecs) {
		row.ExtraSpecs = specs
	}
	return row, row.Validate()
}

// refOf returns the ref of an instance's flavor: the old ref if it has the same name, or
// else the newest flavor with the name.
func refOf(s *nova.Snapshot, had string, field *object.Field[*objects.Flavor]) (string, error) {
	if !field.IsSet() {
		return had, nil
	}
	o, ok := field.Lookup()
	if !ok {
		return "", nil
	}
	name := o.Name.Get()
	if nova.FlavorName(had) == name {
		return had, nil
	}
	f, ok := s.FlavorNamed(name)
	if !ok {
		return "", &placement.NotFoundError{What: "flavor", Name: name}
	}
	return f.Ref(), nil
}
