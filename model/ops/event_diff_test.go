package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestDiffs shows changes of records with the names of what they refer to, including a
// claim that is gone, and with records of which only the generation changed at the end.
func TestDiffs(t *testing.T) {
	t.Parallel()
	s := cloud.Empty()
	apply := func(list ...placement.Op) []ops.RecordDiff {
		t.Helper()
		next, ev, err := s.Apply(cloud.Change{Actor: "me", Ops: list})
		must.Succeed(t, err)
		s = next
		return ops.Diffs(s, ev.Changes)
	}
	apply(modeltest.Provider{Name: "host", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}}.Ops(placement.ProviderID{})...)
	said := func(diffs []ops.RecordDiff) (out []string) {
		for _, d := range diffs {
			out = append(out, string(d.Kind())+" "+d.Called)
			for _, f := range d.Fields {
				if !f.Time {
					out = append(out, "  "+f.Name+" "+f.Before+">"+f.After)
				}
			}
		}
		return out
	}
	vm := modeltest.ConsumerID("vm").String()
	claim := apply(modeltest.Allocate(modeltest.Claim("vm", map[string]modeltest.Resources{"host": {placement.VCPU: 2}})))
	want := []string{
		"consumer " + vm, "  consumer_type >INSTANCE", "  project_id >project", "  user_id >user", "  generation >1", "  allocations.host.VCPU >2",
		"resource_provider host", "  generation 1>2",
	}
	must.Match(t, want, said(claim))
	gone := said(apply(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm")}))
	if len(gone) == 0 || gone[0] != "consumer "+vm {
		t.Fatalf("says %q", gone)
	}
	found := false
	for _, line := range gone {
		found = found || line == "  allocations.host.VCPU 2>"
	}
	if !found {
		t.Errorf("what was released is not told: %q", gone)
	}
}
