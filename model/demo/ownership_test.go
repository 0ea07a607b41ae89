package demo_test

import (
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/demo"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// The gate is closed because of one old compute, and not because of the record of a host
// that is gone and was forced down.
func TestGate(t *testing.T) {
	t.Parallel()
	for _, o := range []demo.Options{{}, large()} {
		g := made(t, o).Nova().Gate()
		if g.Open || g.Minimum != 66 || len(g.Holds) != 1 || len(g.Unasked) != 1 || !g.Unasked[0].Service.ForcedDown {
			t.Errorf("%+v: gate %+v, want it closed by one service at 66, and one forced down", o, g)
		}
	}
}

func TestOneMigrationInEachTrouble(t *testing.T) {
	t.Parallel()
	s := made(t, demo.Options{})
	got := map[nova.MigrationStatus]int{}
	for m := range s.Nova().Migrations() {
		got[m.Status]++
	}
	if len(got) != 3 || got[nova.Finished] != 1 || got[nova.Confirmed] != 1 || got[nova.Error] != 1 {
		t.Errorf("migrations by status: %v, want one waiting, one leaked, one in error", got)
	}
}

// The record of each instance agrees with the other ledgers, on the hosts of the showcase
// and on those made in bulk.
func TestRecordsOfInstances(t *testing.T) {
	t.Parallel()
	s := made(t, large())
	requests, live := 0, 0
	for i := range s.Nova().Instances() {
		f, ok := s.Nova().Flavor(i.Flavor)
		if !ok {
			t.Fatalf("%s has flavor %s, which does not exist", i.Name, i.Flavor)
		}
		if !i.Live() {
			continue
		}
		live++
		profile, ok := s.Cyborg().DeviceProfile(f.DeviceProfile())
		if !ok {
			continue
		}
		units := must.Get(profile.Units())(t)
		n := int64(0)
		for a := range s.Cyborg().ARQsOf(i.UUID) {
			if n++; ops.BindOverdue(a, now) != nil {
				continue // a trouble
			}
			if a.State != cyborg.ARQBound || a.Hostname != i.Host || a.Provider != i.Mappings[cyborg.GroupSuffix(a.Group)][0] {
				t.Errorf("%s on %s: request %+v", i.Name, i.Host, a)
			}
		}
		if n != units[0] {
			t.Errorf("%s has %d accelerator requests, and its profile asks for %d", i.Name, n, units[0])
		}
		requests += int(n)
	}
	if live < 1000 || requests < 30 {
		t.Errorf("%d instances, %d accelerator requests", live, requests)
	}
}

// A resource tracker finds nothing to report on hosts without trouble.
func TestTrackersAgree(t *testing.T) {
	t.Parallel()
	s := made(t, large())
	troubled, hosts := map[placement.ProviderID]bool{}, map[string]bool{}
	for _, f := range audit.Find(s) {
		hosts[f.Service] = true
		if p, ok := s.Placement().Provider(f.Provider); ok {
			troubled[s.Placement().Root(p).ID()] = true
		}
		if i, ok := s.Nova().Instance(f.Consumer); ok {
			if root, ok := s.Placement().ProviderByName(i.Host); ok {
				troubled[root.ID()] = true
			}
		}
	}
	quiet := 0
	for row := range s.Nova().ComputeNodes() {
		if troubled[row.UUID] || hosts[row.Host] {
			continue
		}
		if ops := tick(t, s, row); len(ops) > 0 {
			t.Errorf("%s: a tick writes %v", row.Host, ops)
		}
		quiet++
	}
	if quiet < 90 {
		t.Errorf("%d hosts without trouble", quiet)
	}
}

// tick returns what the tracker of a compute node writes to Placement.
func tick(t *testing.T, s *cloud.Snapshot, row *nova.ComputeNode) []placement.Op {
	t.Helper()
	node := must.Get(tracker.ReadNode(row))(t)
	tree := must.Get(tracker.FromColumns(node))(t)
	out := must.Get((tracker.World{Placement: s.Placement(), Nova: s.Nova()}).Tick(node, tree, now))(t)
	return out.Ops
}
