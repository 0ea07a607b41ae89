package remote

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// lackedNames are the standard classes and traits that a service does not have, as its
// os-resource-classes and os-traits are older than those of this program: it refuses every
// request that names one.
type lackedNames struct {
	classes map[placement.ResourceClass]bool
	traits  map[placement.Trait]bool
}

// lackedOf returns the standard names that are not among all of a service.
func lackedOf[N ~string](standard, all []N) map[N]bool {
	out := map[N]bool{}
	for _, name := range standard {
		out[name] = true
	}
	for _, name := range all {
		delete(out, name)
	}
	return out
}

// why returns why the service would refuse an operation, "" if not because of a name.
func (l *lackedNames) why(op cloud.Op) string {
	if l == nil {
		return ""
	}
	var classes []placement.ResourceClass
	var traits []string
	switch op := op.(type) {
	case placement.SetTraits:
		for _, t := range op.Traits {
			if l.traits[t] {
				traits = append(traits, string(t))
			}
		}
	case placement.SetInventories:
		classes = slices.Collect(maps.Keys(op.Inventories))
	case placement.SetInventory:
		classes = append(classes, op.Class)
	case placement.AddInventory:
		classes = append(classes, op.Class)
	}
	var names []string
	for _, c := range classes {
		if l.classes[c] {
			names = append(names, string(c))
		}
	}
	sorted.Ascending(names)
	switch {
	case len(traits) > 0:
		return "this Placement does not have the standard trait " + strings.Join(traits, ", ") + ": its os-traits is older"
	case len(names) > 0:
		return "this Placement does not have the standard class " + strings.Join(names, ", ") + ": its os-resource-classes is older"
	}
	return ""
}
