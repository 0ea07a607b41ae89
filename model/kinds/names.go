package kinds

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// namesIn returns what Find may be asked: the values of a field of a kind, in the order of its
// rows.
func namesIn(kind Name, field string) func(Finder) []string {
	return func(f Finder) []string {
		k, at := Of(kind), At{Snap: f.Snapshot}
		get := k.Field(field).Get(at)
		var out []string
		for row := range k.Rows(at, false) {
			out = append(out, get(row).String())
		}
		return slices.Compact(out)
	}
}

func consumerNames(f Finder) []string {
	var out []string
	for c := range f.Placement().Consumers() {
		id := c.ID().String()
		if name := f.ConsumerName(c.ID()); name != "" {
			id = fmt.Sprintf("%s\t%s", id, name)
		}
		out = append(out, id)
	}
	return out
}

func pciDeviceNames(f Finder) []string {
	var out []string
	for d := range f.Nova().PciDevices() {
		out = append(out, f.pciDeviceName(d))
	}
	slices.Sort(out)
	return out
}

// aggregateNames returns the names of the aggregates, and the uuids of those without a
// name in Nova.
func aggregateNames(f Finder) []string {
	var out []string
	for _, id := range f.Aggregates() {
		if name := f.AggregateName(id); name != "" {
			out = append(out, name)
		} else {
			out = append(out, id.String())
		}
	}
	return out
}

func deviceNames(f Finder) []string {
	var out []string
	for d := range f.Cyborg().Devices() {
		out = append(out, f.DeviceName(d))
	}
	return out
}

// UsedTraits returns the traits that any provider has.
func (f Finder) UsedTraits() []string {
	var out []string
	for id, t := range f.Placement().Traits() {
		if f.Placement().WithTrait(id).Len() > 0 {
			out = append(out, string(t))
		}
	}
	return out
}

// Zones returns the availability zones, sorted.
func (f Finder) Zones() []string {
	var out []string
	for a := range f.Nova().Aggregates() {
		if z := a.Zone(); z != "" {
			out = append(out, z)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Hosts returns the hosts that Nova or Cyborg know, sorted.
func (f Finder) Hosts() []string {
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

// Projects returns the projects of consumers, sorted.
func (f Finder) Projects() []string {
	return f.distinct(func(t *placement.Tally) string { return t.Project })
}

// Types returns the types of consumers, sorted.
func (f Finder) Types() []string {
	return f.distinct(func(t *placement.Tally) string { return t.Type.String() })
}

func (f Finder) distinct(of func(*placement.Tally) string) []string {
	var out []string
	for t := range f.Placement().Tallies("", "") {
		out = append(out, of(t))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
