package remote

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestPlacementIsTooOld offers each write only to a Placement whose microversions have it.
func TestPlacementIsTooOld(t *testing.T) {
	t.Parallel()
	claim := func(of placement.ConsumerType) cloud.Op {
		return placement.ReplaceAllocations{Consumers: []placement.Claim{{Consumer: storagetest.Consumer(1), Type: of}}}
	}
	id := storagetest.Provider(1)
	for name, test := range map[string]struct {
		op     cloud.Op
		oldest int
	}{
		"claim of an instance":   {claim(placement.InstanceConsumer), 38},
		"claim without a type":   {claim(""), placementOldest},
		"reshape":                {placement.Reshape{}, 30},
		"no longer below":        {placement.UpdateProvider{ID: id, Name: "a", Reparent: true}, 37},
		"below another":          {placement.UpdateProvider{ID: id, Name: "a", Reparent: true, Parent: storagetest.Provider(2)}, placementOldest},
		"another name":           {placement.UpdateProvider{ID: id, Name: "a"}, placementOldest},
		"inventory without room": {placement.SetInventory{Provider: id, Class: placement.VCPU}, placementOldest},
	} {
		for minor := placementOldest; minor <= placementNewest; minor++ {
			c := caller{services: map[api.Service]*service{api.Placement: {name: api.Placement, minor: minor}}}
			why := c.cannot(test.op)
			if old := minor < test.oldest; old != (why != "") || old && !strings.Contains(why, "needs microversion 1.3") {
				t.Errorf("%s at 1.%d: %q", name, minor, why)
			}
		}
	}
}
