package ops

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// localDisk returns the places of an instance that is booted from a volume, whose
// request is q and has found the given ones. On compute nodes whose disks are on a
// pool it has what disk it needs of the node itself, which makes room for it, so
// that the pool is not asked: those are places that q finds without the disk.
//
// Source: nova-specs, newton/approved/resource-providers-allocations.
func localDisk(s *cloud.Snapshot, x *candidates.Index, q candidates.Query, found []Place) ([]Place, error) {
	onPool := hostsOnPools(s)
	diskless, gb := withoutDisk(q)
	if len(onPool) == 0 || gb == 0 {
		return found, nil
	}
	pooled := func(p Place) bool { return onPool[p.Root] != "" }
	places, err := search(s, x, diskless)
	if err != nil {
		return nil, err
	}
	places = slices.DeleteFunc(places, func(p Place) bool { return !pooled(p) })
	for _, p := range places {
		if p.Allocations[p.Root] == nil {
			p.Allocations[p.Root] = map[placement.ResourceClass]int64{}
		}
		p.Allocations[p.Root][placement.DiskGB] += gb
		if !slices.Contains(p.Mappings[""], p.Root) {
			p.Mappings[""] = append(p.Mappings[""], p.Root)
		}
	}
	places = append(places, slices.DeleteFunc(found, pooled)...)
	inTurn(s.Placement(), places)
	if q.Limit > 0 {
		places = places[:min(q.Limit, len(places))]
	}
	return places, nil
}

// hostsOnPools returns the hosts whose disks are on a pool, by their root provider.
func hostsOnPools(s *cloud.Snapshot) map[placement.ProviderID]string {
	w := tracker.World{Placement: s.Placement(), Nova: s.Nova()}
	hosts := map[placement.ProviderID]string{}
	for node := range s.Nova().ComputeNodes() {
		if root, ok := s.Placement().Provider(node.UUID); ok && node.SharesDisk() && w.OnPool(root) {
			hosts[node.UUID] = node.Host
		}
	}
	return hosts
}

// LocalDiskWarning says of a request for an instance that is booted from a volume on
// which hosts its disk is not what Placement says, if there are any: PlacesFor knows.
func LocalDiskWarning(s *cloud.Snapshot, r nova.Request) (nova.Warning, bool) {
	hosts := slices.Sorted(maps.Values(hostsOnPools(s)))
	_, gb := withoutDisk(r.Query)
	if len(hosts) == 0 || gb == 0 {
		return nova.Warning{}, false
	}
	more := ""
	if n := len(hosts) - mostLeftTold; n > 0 {
		hosts, more = hosts[:mostLeftTold], fmt.Sprintf(" and %d more", n)
	}
	return nova.Warning{Text: fmt.Sprintf(
		"on %s, with disks on a pool, an instance that is booted from a volume takes DISK_GB %d of the host itself, which makes room for it; Placement is asked for it all the same",
		strings.Join(hosts, ", ")+more, gb,
	)}, true
}

// withoutDisk returns q without the DISK_GB that its un-suffixed group asks for, and
// how much that is, in GiB: 0 where it asks for none, or for nothing else.
func withoutDisk(q candidates.Query) (candidates.Query, int64) {
	q = q.Clone()
	q.Limit = 0 // which hosts are among the first is to be seen
	for n := range q.Groups {
		g := &q.Groups[n]
		i := slices.IndexFunc(g.Resources, func(r candidates.Resource) bool { return r.Class == placement.DiskGB })
		if g.Suffix != "" || i < 0 || len(g.Resources) == 1 {
			continue
		}
		gb := g.Resources[i].Amount
		g.Resources = slices.Delete(g.Resources, i, i+1)
		return q, gb
	}
	return q, 0
}

// inTurn brings places of several searches into the order of one: each tree gives
// one in turn, by name.
func inTurn(s *placement.Snapshot, places []Place) {
	type key struct {
		at   Place
		turn int
		name string
	}
	all := make([]key, len(places))
	turns := map[placement.ProviderID]int{}
	for i, p := range places {
		all[i] = key{p, turns[p.Root], s.ProviderName(p.Root)}
		turns[p.Root]++
	}
	slices.SortStableFunc(all, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.name, b.name))
	})
	for i, k := range all {
		places[i] = k.at
	}
}
