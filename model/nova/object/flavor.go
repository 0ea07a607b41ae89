package object

import (
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

func flavorColumns(f *nova.Flavor) []column {
	columns := []column{{"name", &f.Name}, {"flavorid", &f.FlavorID}}
	for _, a := range f.Amounts() {
		columns = append(columns, column{a.Column, a.Of})
	}
	return append(columns, []column{
		{"disabled", &f.Disabled},
		{"deleted", &f.Deleted},
		{"is_public", (*not)(&f.Private)},
		{"extra_specs", (*dict)(&f.ExtraSpecs)},
		{"description", (*orNull)(&f.Description)},
		{"created_at", (*millis)(&f.Created)},
	}...)
}

// flavorRow returns the row of a flavor by its name.
func flavorRow(s *nova.Snapshot, sent *Object) (*nova.Flavor, error) {
	if err := needs(sent, "name", "flavorid", "vcpus", "memory_mb"); err != nil {
		return nil, err
	}
	row, ok := s.FlavorNamed(get[string](sent, "name"))
	if !ok {
		row = &nova.Flavor{}
	}
	row = versioned.Clone(row)
	if err := take(sent, flavorColumns(row)); err != nil {
		return nil, err
	}
	return row, row.Validate()
}

// refOf returns the ref of an instance's flavor: the old ref if it has the same name, or
// else the newest flavor with the name.
func refOf(s *nova.Snapshot, had string, sent *Object, field string) (string, error) {
	if v, ok := sent.Data[field]; !ok || v == nil {
		if !ok {
			return had, nil
		}
		return "", nil
	}
	name := get[string](inner(sent, field), "name")
	if nova.FlavorName(had) == name {
		return had, nil
	}
	f, ok := s.FlavorNamed(name)
	if !ok {
		return "", &placement.NotFoundError{What: "flavor", Name: name}
	}
	return f.Ref(), nil
}
