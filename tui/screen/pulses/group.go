package pulses

import (
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// grouping is how hosts are grouped.
type grouping uint8

const (
	byRack grouping = iota
	byZone
	byAggregate
	groupings
)

// String returns what hosts stand together in.
func (g grouping) String() string { return [groupings]string{"rack", "zone", "aggregate"}[g] }

// next is the grouping after g, the first after the last.
func (g grouping) next() grouping { return (g + 1) % groupings }

// rackTrait is the usual prefix of traits that deployments use for racks: no service has
// one.
const rackTrait = "CUSTOM_RACK_"

// groupsOf returns a function that returns the groups of a host, given its root: none if
// it is in no group, and several if aggregates overlap.
func groupsOf(s *cloud.Snapshot, by grouping) func(root *placement.ResourceProvider) []string {
	switch by {
	case byRack:
		racks := racksOf(s.Placement())
		return func(root *placement.ResourceProvider) []string { return racks[root.Number()] }
	case byZone:
		return func(root *placement.ResourceProvider) []string {
			if zone := s.Nova().ZoneOf(ops.HostOf(s, root)); zone != "" {
				return []string{zone}
			}
			return nil
		}
	default:
		return func(root *placement.ResourceProvider) (names []string) {
			for a := range s.Nova().AggregatesOf(ops.HostOf(s, root)) {
				names = append(names, a.Name)
			}
			return names
		}
	}
}

// racksOf returns the rack of each host with a rack trait, by number.
func racksOf(s *placement.Snapshot) map[int][]string {
	racks := map[int][]string{}
	for id, t := range s.Traits() {
		if name, ok := strings.CutPrefix(string(t), rackTrait); ok {
			for n := range s.WithTrait(id).All() {
				if len(racks[n]) == 0 {
					racks[n] = []string{"rack " + strings.ToLower(name)}
				}
			}
		}
	}
	return racks
}
