package insight

import (
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// ZoneTotal is what the trees of an availability zone have.
type ZoneTotal struct {
	Zone    string       // "" for the trees that are in none, among them pools that share
	Classes []ClassTotal // by class number; Held is left out
}

// Zones adds up s by availability zone, by name. Each provider counts once, in the
// zone of its root's host.
func Zones(s *cloud.Snapshot) []ZoneTotal {
	p := s.Placement()
	oneTime := p.Having(placement.HWPCIOneTimeUse)
	zoneOfHost := zonesByHost(s)
	byZone := map[string]*classSums{}
	for root := range p.Roots() {
		zone := zoneOfHost[ops.HostOf(s, root)]
		of := byZone[zone]
		if of == nil {
			of = new(classSums)
			byZone[zone] = of
		}
		for _, q := range p.Tree(root) {
			for _, iu := range q.Inventories() {
				of.add(iu, oneTime.Has(q.Number()))
			}
		}
	}
	out := make([]ZoneTotal, 0, len(byZone))
	for _, zone := range slices.Sorted(maps.Keys(byZone)) {
		out = append(out, ZoneTotal{Zone: zone, Classes: byZone[zone].list(p)})
	}
	return out
}

// zonesByHost is nova.Snapshot.ZoneOf for all hosts that are in a zone.
func zonesByHost(s *cloud.Snapshot) map[string]string {
	out := map[string]string{}
	add := func(host string) {
		if _, ok := out[host]; !ok {
			out[host] = s.Nova().ZoneOf(host)
		}
	}
	for a := range s.Nova().Aggregates() {
		if a.Zone() == "" {
			continue
		}
		for _, host := range a.Hosts {
			add(host)
		}
	}
	for svc := range s.Nova().Services() {
		if svc.Binary == nova.Compute && svc.Zone != "" {
			add(svc.Host)
		}
	}
	return out
}
