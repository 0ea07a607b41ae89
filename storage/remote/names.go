package remote

import (
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// missingNames are the standard classes and traits that a service does not have, as its
// os-resource-classes and os-traits are older than those of this program: it refuses every
// request that names one.
type missingNames struct {
	classes map[placement.ResourceClass]bool
	traits  map[placement.Trait]bool
}

// missingFrom returns the standard names that are not among all of a service.
func missingFrom[N ~string](standard, all []N) map[N]bool {
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
func (l *missingNames) why(op cloud.Op) string {
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
	case placement.Reshape:
		for _, inv := range op.Inventories {
			classes = slices.AppendSeq(classes, maps.Keys(inv.Inventories))
		}
	}
	var names []string
	for _, c := range classes {
		if l.classes[c] {
			names = append(names, string(c))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case len(traits) > 0:
		return "this Placement does not have the standard trait " + strings.Join(traits, ", ") + ": its os-traits is older"
	case len(names) > 0:
		return "this Placement does not have the standard class " + strings.Join(names, ", ") + ": its os-resource-classes is older"
	}
	return ""
}

// hiddenNames are traits and classes of providers that this program cannot show, mostly as they
// are newer: a request that replaces all traits or all inventories of such a provider would
// remove them.
type hiddenNames struct {
	traits  map[placement.ProviderID]placement.Trait // one of each
	classes map[placement.ProviderID]placement.ResourceClass
}

// hiddenNames returns what the mirror leaves out.
func (m *mirror) hiddenNames() *hiddenNames {
	out := &hiddenNames{map[placement.ProviderID]placement.Trait{}, map[placement.ProviderID]placement.ResourceClass{}}
	for id, p := range m.providers {
		for _, t := range p.traits {
			if !m.traits.knows(t) {
				out.traits[id] = t
			}
		}
		for class := range p.inventories {
			if !m.shows(p, class) {
				out.classes[id] = class
			}
		}
	}
	return out
}

// why returns why an operation would remove what is not shown, "" if it would not.
func (n *hiddenNames) why(op cloud.Op) string {
	if n == nil {
		return ""
	}
	lost := func(id placement.ProviderID) string {
		if class, ok := n.classes[id]; ok {
			return "it would remove the inventory of " + string(class) + ", which this placetop cannot show: update it, or use the openstack client"
		}
		return ""
	}
	switch op := op.(type) {
	case placement.SetTraits:
		if t, ok := n.traits[op.Provider]; ok {
			return "it would remove " + string(t) + ", which this placetop cannot show: update it, or use the openstack client"
		}
	case placement.SetInventories:
		return lost(op.Provider)
	case placement.Reshape:
		for _, inv := range op.Inventories {
			if why := lost(inv.Provider); why != "" {
				return why
			}
		}
	}
	return ""
}
