package ops_test

import (
	"fmt"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// holds returns what a consumer holds, nil if nothing.
func holds(s *cloud.Snapshot, id placement.ConsumerID) ops.Amounts {
	c, ok := s.Placement().Consumer(id)
	if !ok {
		return nil
	}
	return s.Placement().ConsumerRecord(c).Allocations
}

// vgpuFaults returns what is wrong with the VGPUs of a cloud, whatever is in progress:
// usage that is not the sum of the allocations, a card of Cyborg's whose units in use are
// not those allocated, a device allocated twice.
func vgpuFaults(s *cloud.Snapshot) []error {
	faults := append(s.Check(), s.Cyborg().Check()...)
	for d := range s.Cyborg().Deployables() {
		p, ok := s.Placement().Provider(d.Provider)
		if !ok {
			continue
		}
		handles, requests := s.Cyborg().Units(d)
		for _, iu := range p.Inventories() {
			// A claim is made before its device and released after it.
			if iu.Used < handles || handles != requests {
				faults = append(faults, fmt.Errorf("%s: %d allocated, %d handles in use, %d requests", d.Name, iu.Used, handles, requests))
			}
		}
	}
	return faults
}
