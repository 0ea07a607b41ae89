package ops_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// TestPreviewRecords checks what a preview says about records of Nova and Cyborg.
func TestPreviewRecords(t *testing.T) {
	t.Parallel()
	service := &nova.Service{Host: "compute1", Binary: nova.Compute, Version: 72, LastSeenUp: 1000}
	flavor := &nova.Flavor{Name: "m1", FlavorID: "1", VCPUs: 2, MemoryMB: 512, ExtraSpecs: map[string]string{"a:b": "1", "c": "2"}}
	node := &nova.ComputeNode{UUID: placement.ProviderID(uuid.MustParse("641b0a3f-dc42-595c-ba23-4845fa225753")), Host: "compute1", Hostname: "compute1", RunningVMs: 2}
	written, touched := *node, *node
	written.RunningVMs, written.ObjectVersion, written.Updated, touched.Updated = 1, "1.19", 1000, 1000
	device := &cyborg.Device{UUID: uuid.MustParse("641b0a3f-dc42-595c-ba23-4845fa225753"), Type: cyborg.GPU, Hostname: "compute1", Status: cyborg.Enabled}
	for _, c := range []struct {
		name          string
		before, after versioned.Record
		want          []string
	}{
		{
			"a new one with its fields, maps by key", nil, flavor,
			[]string{"flavor m1  new", "  name m1", "  flavorid 1", "  vcpus 2", "  memory_mb 512", "  root_gb 0", "  extra_specs.a:b 1", "  extra_specs.c 2"},
		},
		{
			"what differs, times as times, what is unset as none", service,
			service.Edit(func(s *nova.Service) { s.Version, s.Disabled, s.LastSeenUp = 73, true, 2000 }),
			[]string{
				"service nova-compute on compute1", "  version 72 > 73", "  disabled none > true", "  last_seen_up 1970-01-01T00:00:01Z > 1970-01-01T00:00:02Z",
			},
		},
		{
			"what is no longer set", &nova.Config{OwnerFilter: nova.OwnerOff, Off: []string{nova.FilterZone}}, &nova.Config{OwnerFilter: nova.OwnerOff},
			[]string{"config of Nova", `  prefilters_off ["map_az_to_placement_aggregate"] > none`},
		},
		{
			"not when it was written, beside what was", node, &written,
			[]string{"compute node compute1", "  running_vms 2 > 1"},
		},
		{
			"when it was written, where nothing else was", node, &touched,
			[]string{"compute node compute1", "  updated_at none > 1970-01-01T00:00:01Z"},
		},
		{"one that goes", device, nil, []string{"device 641b0a3f-dc42-595c-ba23-4845fa225753  deleted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := cloud.Empty()
			if c.before != nil {
				s = applied(t, s, versioned.Change{After: c.before})
			}
			p := must.Get(ops.PreviewChange(s, cloud.PutRecords("", "", []versioned.Change{{Before: c.before, After: c.after}})))(t)
			must.Match(t, c.want, p.Lines())
		})
	}
}

// TestDifferencesOfRecords checks that a plan made again is the one shown if it does the
// same to a record, whenever it is made, and is not if it does something else.
func TestDifferencesOfRecords(t *testing.T) {
	t.Parallel()
	was := &nova.Service{Host: "compute1", Binary: nova.Compute, Version: 72}
	s := applied(t, cloud.Empty(), versioned.Change{After: was})
	preview := func(edit func(*nova.Service)) ops.Preview {
		p := must.Get(ops.PreviewChange(s, cloud.PutRecords("", "", []versioned.Change{{Before: was, After: was.Edit(edit)}})))(t)
		return p
	}
	shown := preview(func(s *nova.Service) { s.Disabled, s.LastSeenUp = true, 1000 })
	if diff := ops.Differences(shown, preview(func(s *nova.Service) { s.Disabled, s.LastSeenUp = true, 2000 })); len(diff) > 0 {
		t.Errorf("another time: %q", diff)
	}
	want := []string{
		"it would now change service nova-compute on compute1: version 72 > 73", "it would no longer change service nova-compute on compute1: disabled none > true",
	}
	must.Match(t, want, ops.Differences(shown, preview(func(s *nova.Service) { s.Version = 73 })))
}

// TestClassDiffFields says which fields of an inventory change, in the order of the API.
func TestClassDiffFields(t *testing.T) {
	t.Parallel()
	a := placement.NewInventory(8)
	b := a
	b.Total, b.AllocationRatio = 10, 4
	must.Match(t, []string{"total 8 > 10", "allocation_ratio 1 > 4"}, ops.ClassDiff{Before: &a, After: &b}.Fields())
	must.Match(t, []string(nil), ops.ClassDiff{After: &b}.Fields())
}

func applied(t *testing.T, s *cloud.Snapshot, c ...versioned.Change) *cloud.Snapshot {
	t.Helper()
	next, _, err := s.Apply(cloud.PutRecords("", "", c))
	must.Succeed(t, err)
	return next
}

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
