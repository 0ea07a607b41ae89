package ops

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// localDisk turns the places of an instance that is booted from a volume into what the
// resource tracker claims: on a compute node that has a disk of its own beside the pool, the
// disk is on the node. It returns why a place is none: its own disk is full.
//
// Source: nova-specs, newton/approved/resource-providers-allocations.
func localDisk(s *cloud.Snapshot, p *Place) string {
	root, ok := s.Placement().Provider(p.Root)
	if !ok {
		return ""
	}
	has, free, ok := worldOf(s).OwnDisk(root)
	if !ok {
		return ""
	}
	i := slices.IndexFunc(p.Parts, func(part candidates.Part) bool {
		return part.Suffix == "" && part.Class == placement.DiskGB && part.Provider != root
	})
	if i < 0 {
		return ""
	}
	pool, gb := p.Parts[i].Provider.ID(), p.Parts[i].Amount
	if free < gb {
		return fmt.Sprintf("booted from a volume it needs DISK_GB %d of the host itself, whose own disk of %d GB has %d left", gb, has, max(free, 0))
	}
	p.own()
	p.Parts[i].Provider = root
	delete(p.Allocations[pool], placement.DiskGB)
	maps.DeleteFunc(p.Allocations, func(_ placement.ProviderID, amounts map[placement.ResourceClass]int64) bool { return len(amounts) == 0 })
	p.Allocations.Add(p.Root, placement.DiskGB, gb)
	in := slices.DeleteFunc(slices.Clone(p.Mappings[""]), func(id placement.ProviderID) bool { return id == pool })
	if !slices.Contains(in, p.Root) {
		in = append(in, p.Root)
	}
	p.Mappings[""] = in
	return ""
}
