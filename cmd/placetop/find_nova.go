package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// instance returns the instance that text names.
func (f finder) instance(text string) (*nova.Instance, error) {
	return named("instance", text, f.Nova().Instances(),
		func(i *nova.Instance) string { return i.UUID.String() },
		func(i *nova.Instance) string { return i.Name })
}

// liveInstance is instance among those that are not deleted.
func (f finder) liveInstance(text string) (*nova.Instance, error) {
	return named("instance", text, func(yield func(*nova.Instance) bool) {
		for i := range f.Nova().Instances() {
			if i.Live() && !yield(i) {
				return
			}
		}
	}, func(i *nova.Instance) string { return i.UUID.String() }, func(i *nova.Instance) string { return i.Name })
}

// migration returns the migration that text names.
func (f finder) migration(text string) (*nova.Migration, error) {
	return unique("migration", text, f.Nova().Migrations(),
		func(m *nova.Migration) string { return m.UUID.String() },
		func(*nova.Migration) string { return "" })
}

// flavor returns the flavor that text names: by its name, which is the newest
// revision that is not deleted, by its ref, or by its id.
func (f finder) flavor(text string) (*nova.Flavor, error) {
	if v, ok := f.Nova().FlavorNamed(text); ok {
		return v, nil
	}
	if v, ok := f.Nova().Flavor(text); ok {
		return v, nil
	}
	for v := range f.Nova().CurrentFlavors() {
		if v.FlavorID == text {
			return v, nil
		}
	}
	return nil, &placement.NotFoundError{What: "flavor", Name: text, Like: alike(text, slices.Values(flavorNames(f)))}
}

// services returns the services of the host that text names.
func (f finder) services(host string) ([]*nova.Service, error) {
	var out []*nova.Service
	for s := range f.Nova().Services() {
		if s.Host == host {
			out = append(out, s)
		}
	}
	if len(out) == 0 {
		return nil, &placement.NotFoundError{What: "service of host", Name: host, Like: alike(host, slices.Values(serviceHosts(f)))}
	}
	return out, nil
}

// checkPlace refuses a host and an availability zone that are not there; "" is
// there.
func (f finder) checkPlace(host, zone string) error {
	if host != "" {
		if _, err := f.services(host); err != nil {
			return err
		}
	}
	if zones := zoneNames(f); zone != "" && !slices.Contains(zones, zone) {
		return &placement.NotFoundError{What: "availability zone", Name: zone, Like: alike(zone, slices.Values(zones))}
	}
	return nil
}

// zoneNames returns the availability zones, sorted.
func zoneNames(f finder) []string {
	var out []string
	for a := range f.Nova().Aggregates() {
		if z := a.Zone(); z != "" {
			out = append(out, z)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// cell returns the cell with the given name.
func (f finder) cell(name string) (*nova.Cell, error) {
	if c, ok := f.Nova().Cell(name); ok {
		return c, nil
	}
	return nil, &placement.NotFoundError{What: "cell", Name: name, Like: alike(name, slices.Values(cellNames(f)))}
}

// computeNode returns the compute node that text names: by its hypervisor's name,
// by its uuid, or by its host.
func (f finder) computeNode(text string) (*nova.ComputeNode, error) {
	var there []*nova.ComputeNode
	for n := range f.Nova().ComputeNodesOf(text) {
		there = append(there, n)
	}
	if len(there) == 1 {
		return there[0], nil
	}
	return named("compute node", text, f.Nova().ComputeNodes(),
		func(n *nova.ComputeNode) string { return n.UUID.String() },
		func(n *nova.ComputeNode) string { return n.Hostname })
}

// aggregate returns the aggregate that text names: by the name that Nova has for
// it, or by its uuid.
func (f finder) aggregate(text string) (placement.AggregateID, error) {
	return named("aggregate", text, slices.Values(f.aggregates()), placement.AggregateID.String,
		func(id placement.AggregateID) string { return f.aggregateName(id) })
}

// aggregateToBe is aggregate, but a whole uuid may also be that of an aggregate
// that does not exist yet.
func (f finder) aggregateToBe(text string) (placement.AggregateID, error) {
	id, invalid := placement.ParseAggregateID(text)
	if invalid == nil {
		return id, nil
	}
	id, err := f.aggregate(text)
	if errors.Is(err, placement.ErrNotFound) {
		return id, invalid
	}
	return id, err
}

// aggregates returns the aggregates of Placement and those of Nova, which are the
// same where they have the same uuid, by uuid.
func (f finder) aggregates() []placement.AggregateID {
	var out []placement.AggregateID
	for id := range f.Placement().Aggregates() {
		out = append(out, id)
	}
	for a := range f.Nova().Aggregates() {
		out = append(out, a.UUID)
	}
	slices.SortFunc(out, func(a, b placement.AggregateID) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(out)
}

// aggregateName returns the name that Nova has for an aggregate, "" for none.
func (f finder) aggregateName(id placement.AggregateID) string {
	if a, ok := f.Nova().Aggregate(id); ok {
		return a.Name
	}
	return ""
}

func instanceNames(f finder) []string {
	var out []string
	for i := range f.Nova().Instances() {
		if i.Live() {
			out = append(out, i.Name)
		}
	}
	return out
}

func flavorNames(f finder) []string {
	var out []string
	for v := range f.Nova().CurrentFlavors() {
		out = append(out, v.Name)
	}
	return out
}

func migrationIDs(f finder) []string {
	var out []string
	for m := range f.Nova().Migrations() {
		out = append(out, m.UUID.String())
	}
	return out
}

func serviceHosts(f finder) []string {
	var out []string
	for s := range f.Nova().Services() {
		out = append(out, s.Host)
	}
	return slices.Compact(out)
}

func cellNames(f finder) []string {
	var out []string
	for c := range f.Nova().Cells() {
		out = append(out, c.Name)
	}
	return out
}

func computeNodeNames(f finder) []string {
	var out []string
	for n := range f.Nova().ComputeNodes() {
		out = append(out, n.Hostname)
	}
	slices.Sort(out)
	return out
}

// aggregateNames returns the names of the aggregates, and the uuids of those that
// Nova has no name for.
func aggregateNames(f finder) []string {
	var out []string
	for _, id := range f.aggregates() {
		if name := f.aggregateName(id); name != "" {
			out = append(out, name)
		} else {
			out = append(out, id.String())
		}
	}
	return out
}

// hostNames returns the hosts that Nova and Cyborg have anything on.
func hostNames(f finder) []string {
	var out []string
	for s := range f.Nova().Services() {
		out = append(out, s.Host)
	}
	for n := range f.Nova().ComputeNodes() {
		out = append(out, n.Host)
	}
	for i := range f.Nova().Instances() {
		out = append(out, i.Host)
	}
	for d := range f.Cyborg().Devices() {
		out = append(out, d.Hostname)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(h string) bool { return h == "" })
}
