package ops

import (
	"cmp"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/delta"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Compare returns how b differs from a, record by record. Numbers of custom names,
// generations, write times and what a copy notes of its reading are ignored, as copies have
// others. If the owner of a provider's accelerators differs, the traits show it.
func Compare(a, b *cloud.Snapshot) []RecordDiff {
	var records []versioned.Record
	classes, traits := numbersOf(a.Placement().Classes(), nil, classNumber), numbersOf(a.Placement().Traits(), nil, traitNumber)
	for r := range b.Records() {
		switch name := r.(type) {
		case *placement.ClassRecord:
			id, ok := a.Placement().ClassID(name.Name)
			if !ok {
				id = classes.free()
			}
			r = &placement.ClassRecord{ID: id, Name: name.Name}
		case *placement.TraitRecord:
			id, ok := a.Placement().TraitID(name.Name)
			if !ok {
				id = traits.free()
			}
			r = &placement.TraitRecord{ID: id, Name: name.Name}
		}
		records = append(records, r)
	}
	out := both{a, b}.diffs(cloud.Differences(a.Records(), records))
	for i := range out {
		out[i].Fields = slices.DeleteFunc(out[i].Fields, func(f delta.Text) bool {
			return f.Time || f.Name == "generation" || ofACopy(f.Name)
		})
		out[i].addOwner(a, b)
	}
	return slices.DeleteFunc(out, func(d RecordDiff) bool { return d.Before != nil && d.After != nil && len(d.Fields) == 0 })
}

// ofACopy reports whether a field only says how a copy was read, which the cloud itself
// does not have.
func ofACopy(field string) bool {
	name, _, _ := strings.Cut(field, ".")
	return slices.Contains([]string{"not_read", "moving", "project_names", "user_names"}, name)
}

// addOwner adds the owner of a provider to a diff of its traits, if it has changed.
func (d *RecordDiff) addOwner(a, b *cloud.Snapshot) {
	owner := func(s *cloud.Snapshot, r versioned.Record) string {
		t, ok := r.(*placement.ProviderTraitsRecord)
		if !ok {
			return ""
		}
		if p, ok := s.Placement().Provider(t.Provider); ok {
			return s.Placement().Owner(p).String()
		}
		return ""
	}
	before, after := owner(a, cmp.Or(d.Before, d.After)), owner(b, cmp.Or(d.After, d.Before))
	if before != after {
		d.Fields = append(d.Fields, delta.Text{Name: "owner", Before: before, After: after})
	}
}
