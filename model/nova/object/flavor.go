package object

import (
	"maps"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

func flavor(row *nova.Flavor) *Envelope[Flavor] {
	specs := maps.Clone(row.ExtraSpecs)
	if specs == nil {
		specs = map[string]string{}
	}
	return New(Flavor{
		Persistent: Persistent{CreatedAt: moment(row.Created), Deleted: Value(row.Deleted)},
		Name:       Value(&row.Name), FlavorID: Value(row.FlavorID), VCPUs: Value(row.VCPUs), MemoryMB: Value(row.MemoryMB),
		RootGB: Value(row.RootGB), EphemeralGB: Value(row.EphemeralGB), Swap: Value(row.SwapMB), Disabled: Value(row.Disabled),
		IsPublic: Value(!row.Private), ExtraSpecs: Value(specs), Description: OrNull(row.Description),
	})
}

// flavorOf returns a flavor with everything that is known about it.
func flavorOf(row *nova.Flavor) (*Envelope[Flavor], error) {
	f := flavor(row)
	return f, recallOf(f, row)
}

// flavorRow returns the row of a flavor by its name.
func flavorRow(s *nova.Snapshot, sent *Envelope[Flavor]) (*nova.Flavor, error) {
	if err := needs(sent, "name", "flavorid", "vcpus", "memory_mb"); err != nil {
		return nil, err
	}
	o := sent.Data
	was, ok := s.FlavorNamed(*o.Name.V)
	if !ok {
		was = &nova.Flavor{}
	}
	row := versioned.Clone(was)
	takeText(&row.Name, o.Name)
	take(&row.FlavorID, o.FlavorID)
	take(&row.VCPUs, o.VCPUs)
	take(&row.MemoryMB, o.MemoryMB)
	take(&row.RootGB, o.RootGB)
	take(&row.EphemeralGB, o.EphemeralGB)
	take(&row.SwapMB, o.Swap)
	take(&row.Disabled, o.Disabled)
	take(&row.Deleted, o.Deleted)
	takeText(&row.Description, o.Description)
	takeTime(&row.Created, o.CreatedAt)
	if o.IsPublic.Set {
		row.Private = !o.IsPublic.V
	}
	if o.ExtraSpecs.Set && !maps.Equal(o.ExtraSpecs.V, row.ExtraSpecs) {
		row.ExtraSpecs = o.ExtraSpecs.V
	}
	return row, row.Validate()
}

// refOf returns the ref of an instance's flavor: the old ref if it has the same name, or
// else the newest flavor with the name.
func refOf(s *nova.Snapshot, had string, field Field[*Envelope[Flavor]]) (string, error) {
	switch {
	case !field.Set:
		return had, nil
	case field.V == nil:
		return "", nil
	}
	name := or(field.V.Data.Name)
	if nova.FlavorName(had) == name {
		return had, nil
	}
	f, ok := s.FlavorNamed(name)
	if !ok {
		return "", &placement.NotFoundError{What: "flavor", Name: name}
	}
	return f.Ref(), nil
}
