package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
)

// TestDetachesBeforeItReleases has Cyborg take a device off a guest before its unit is given up:
// in between nobody else can be given a unit whose device is still attached.
func TestDetachesBeforeItReleases(t *testing.T) {
	t.Parallel()
	w := modeltest.NewVGPUWorld(t, 1).VGPUInstance("i", "cyborg", 1)
	p := planned(t)(ops.PlanDropHost(w.Snapshot, vm("i"), rp("compute1")))
	var services []api.Service
	for _, call := range p.Preview.Requests() {
		services = append(services, call.Service)
	}
	must.Match(t, []api.Service{api.Accelerator, api.Placement}, services)
}
