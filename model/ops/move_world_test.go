package ops_test

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// holds returns what a consumer holds, and nil where it holds nothing.
func holds(s *cloud.Snapshot, id placement.ConsumerID) ops.Amounts {
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return nil
	}
	return s.Placement().ConsumerRecord(c).Allocations
}

// vgpuFaults returns what is wrong with the VGPUs of a cloud, whatever is under
// way in it: usage that is not what allocations sum up to, a card of Cyborg's
// whose units in use are not those allocated, a device promised twice.
func vgpuFaults(s *cloud.Snapshot) []error {
	faults := append(s.Check(), s.Cyborg().Check()...)
	for d := range s.Cyborg().Deployables() {
		p, ok := s.Placement().Provider(d.Provider)
		if !ok {
			continue
		}
		handles, requests := s.Cyborg().Units(d)
		for _, iu := range p.Inventories() {
			// A claim comes before its device and goes after it.
			if iu.Used < handles || handles != requests {
				faults = append(faults, fmt.Errorf("%s: %d allocated, %d handles in use, %d requests", d.Name, iu.Used, handles, requests))
			}
		}
	}
	return faults
}
