package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
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

// TestFreesTheUnitOfTheStuckRequest resizes from a card to the same one. Until that is
// reverted the instance holds the unit of the new request, which is stuck, and the
// migration that of the old one: it is the unit that the instance gets back.
func TestFreesTheUnitOfTheStuckRequest(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "cyborg")
	to := move("cyborg.small")
	to.SameHost, to.Host = true, "compute1"
	tr.mustEnd(t, to)
	tr.guests.bad = map[ops.ActKind]error{ops.UnbindDevice: errBroken}
	revert := ops.Revert{Migration: vm("m")}
	tr.killedAfter(t, 3, revert)
	must.Get((ops.Runner{}).Write(t.Context(), tr.store, planned(t)(ops.PlanFreed(tr.Snapshot(), rp("y1")))))(t)
	tr.guests.bad = nil
	for who, units := range map[string]int64{"i": 0, "m": 1} {
		if has := holds(tr.Snapshot(), vm(who))[rp("y1")][placement.VGPU]; has != units {
			t.Errorf("freed: %s holds %d of y1", who, has)
		}
	}
	tr.mustEnd(t, revert)
	agree(t, tr, "y1")
}

// TestRequestsGoWithTheirClaimsFromAHostNotCleaned confirms a migration whose old host is not
// cleaned: the next move of the instance has to find the request that it has now.
func TestRequestsGoWithTheirClaimsFromAHostNotCleaned(t *testing.T) {
	t.Parallel()
	tr := newMove(t, "cyborg")
	tr.mustEnd(t, move(""))
	tr.guests.bad = map[ops.ActKind]error{ops.StopGuest: errBroken}
	tr.mustEnd(t, ops.Confirm{Migration: vm("m")})
	tr.guests.bad = nil
	if m, _ := tr.Snapshot().Nova().Migration(vm("m")); m.Status != nova.Error {
		t.Fatalf("the migration is %s", m.Status)
	}
	next := move("nova")
	next.Migration = vm("next")
	tr.mustEnd(t, next)
	tr.mustEnd(t, ops.Confirm{Migration: next.Migration})
	agree(t, tr)
}

// agree checks that the units of all cards agree with requests and attach handles, and
// which of the cards instance i has a request for.
func agree(t *testing.T, tr *trip, cards ...string) {
	t.Helper()
	for _, c := range modeltest.CardAccounts(tr.Snapshot()) {
		if c.Faults() != 0 {
			t.Errorf("%s: %+v", c.Provider.Name(), c.Uses)
		}
	}
	var has []string
	for r := range tr.Snapshot().Cyborg().ARQsOf(vm("i")) {
		has = append(has, tr.Snapshot().Placement().ProviderName(r.Provider))
	}
	must.Match(t, cards, has)
}
