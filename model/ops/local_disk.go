package ops

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// localDisk turns p, the places found for the request, into those of an instance that is
// booted from a volume. On compute nodes whose disks are on a pool, but that have a disk
// of their own, its disk is on the node itself, which makes room for it: these places are
// found by the request without the disk. If that finds none on a node, as only the pool
// has a trait, the node's places are left out, and so are nodes whose own disk lacks
// room.
//
// Source: nova-specs, newton/approved/resource-providers-allocations.
func (p *Places) localDisk(s *cloud.Snapshot, x *candidates.Index) error {
	own := ownDisks(s)
	diskless, gb := withoutDisk(p.Request.Query)
	if len(own) == 0 || gb == 0 {
		return nil
	}
	pooled := func(at Place) bool { return own[at.Root].host != "" }
	without, err := x.Ask(diskless)
	if err != nil {
		return err
	}
	places, cut := search(s, without)
	p.Cut = p.Cut || cut
	places = slices.DeleteFunc(places, func(at Place) bool { return !pooled(at) })
	found := map[placement.ProviderID]bool{}
	for i := range places {
		places[i].addDisk(s.Placement(), gb)
		found[places[i].Root] = true
	}
	lost := slices.DeleteFunc(slices.Clone(p.Places), func(at Place) bool { return !pooled(at) || found[at.Root] })
	p.lose(s, without, lost)
	places = slices.DeleteFunc(places, func(at Place) bool {
		disk := own[at.Root]
		if disk.free >= gb {
			return false
		}
		at.Why = fmt.Sprintf("booted from a volume it needs DISK_GB %d of the host itself, whose own disk of %d GB has %d left", gb, disk.has, max(disk.free, 0))
		p.Left = append(p.Left, at)
		return true
	})
	places = append(places, slices.DeleteFunc(p.Places, pooled)...)
	inTurn(s.Placement(), places)
	if limit := p.Request.Query.Limit; limit > 0 {
		places = places[:min(limit, len(places))]
	}
	p.Places = places
	return nil
}

// addDisk adds DISK_GB from its compute node to p, in GiB.
func (p *Place) addDisk(s *placement.Snapshot, gb int64) {
	if p.Allocations[p.Root] == nil {
		p.Allocations[p.Root] = map[placement.ResourceClass]int64{}
	}
	p.Allocations[p.Root][placement.DiskGB] += gb
	if root, ok := s.Provider(p.Root); ok {
		after := 0
		for i, part := range p.Parts {
			if part.Suffix == "" {
				after = i + 1
			}
		}
		p.Parts = slices.Insert(p.Parts, after, candidates.Part{Provider: root, Class: placement.DiskGB, Amount: gb})
	}
	if !slices.Contains(p.Mappings[""], p.Root) {
		p.Mappings[""] = append(p.Mappings[""], p.Root)
	}
}

// lose leaves out places on hosts that no longer match the request without the disk of
// the pool; each says what is then missing.
func (p *Places) lose(s *cloud.Snapshot, diskless *candidates.Question, lost []Place) {
	if len(lost) == 0 {
		return
	}
	why := diskless.Verdicts(QueryNames(s))
	for _, at := range lost {
		if node, ok := s.Nova().ComputeNode(at.Root); ok {
			at.Why = "booted from a volume it uses no pool, and without one: " + excluded(s, why, node).Why((*placement.ResourceProvider).Name)
			p.Left = append(p.Left, at)
		}
	}
}

// ownDisk is the own disk of a host whose disks are otherwise on a pool, in GiB.
type ownDisk struct {
	host      string
	has, free int64
}

// ownDisks returns the hosts whose disks are on a pool, but that also have a disk of
// their own, by their root provider.
func ownDisks(s *cloud.Snapshot) map[placement.ProviderID]ownDisk {
	w := tracker.World{Placement: s.Placement(), Nova: s.Nova()}
	hosts := map[placement.ProviderID]ownDisk{}
	for node := range s.Nova().ComputeNodes() {
		root, ok := s.Placement().Provider(node.UUID)
		if !ok {
			continue
		}
		if has, free, ok := w.OwnDisk(root); ok {
			hosts[node.UUID] = ownDisk{node.Host, has, free}
		}
	}
	return hosts
}

// LocalDiskWarning warns of hosts on which an instance booted from a volume takes
// local disk that Placement is not asked for; false if there are none. PlacesFor takes
// it into account.
func LocalDiskWarning(s *cloud.Snapshot, r nova.Request) (nova.Warning, bool) {
	var hosts []string
	for _, disk := range ownDisks(s) {
		hosts = append(hosts, disk.host)
	}
	sorted.Ascending(hosts)
	_, gb := withoutDisk(r.Query)
	if len(hosts) == 0 || gb == 0 {
		return nova.Warning{}, false
	}
	return nova.Warning{Text: fmt.Sprintf(
		"on %s, with disks on a pool, an instance that is booted from a volume takes DISK_GB %d of the host itself, which makes room for it as far as its own disk goes; Placement is asked for it all the same",
		words.First(hosts, mostHostsTold), gb,
	)}, true
}

// withoutDisk returns q without the DISK_GB that its un-suffixed group asks for, and how
// many GiB that is: 0 if it asks for none, or for nothing else.
func withoutDisk(q candidates.Query) (candidates.Query, int64) {
	q = q.Clone()
	q.Limit = 0 // it is not known yet which hosts come first
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

// inTurn sorts places of several searches as one search would: by rounds, in each of
// which every tree gives one, by name.
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
	sorted.By(all, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.name, b.name))
	})
	for i, k := range all {
		places[i] = k.at
	}
}
