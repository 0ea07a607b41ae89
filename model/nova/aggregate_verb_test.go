package nova_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestAggregateVerbs(t *testing.T) {
	t.Parallel()
	zone := aggregate("zone", "availability_zone=az-1")
	zone.Hosts = []string{"c1"}
	other := aggregate("other", "availability_zone=az-2")
	base := ledger(t, compute("c1", 73), compute("c2", 73), zone, other)
	id := modeltest.AggregateID
	for _, tt := range []struct {
		name  string
		op    nova.Op
		of    string
		hosts []string // of the aggregate afterwards
		err   error
	}{
		{"a new one", nova.CreateAggregate{UUID: id("new"), Name: "new"}, "new", nil, nil},
		{"a uuid that is taken", nova.CreateAggregate{UUID: id("zone"), Name: "new"}, "", nil, placement.ErrExists},
		{"a name that is taken", nova.CreateAggregate{UUID: id("new"), Name: "zone"}, "", nil, placement.ErrExists},
		{"one without a name", nova.CreateAggregate{UUID: id("new")}, "", nil, placement.ErrInvalid},
		{"a host joins", nova.AddAggregateHost{Aggregate: id("zone"), Host: "c2"}, "zone", []string{"c1", "c2"}, nil},
		{"a host joins again", nova.AddAggregateHost{Aggregate: id("zone"), Host: "c1"}, "", nil, placement.ErrExists},
		{"a host joins a second zone", nova.AddAggregateHost{Aggregate: id("other"), Host: "c1"}, "", nil, placement.ErrInvalid},
		{"nobody joins", nova.AddAggregateHost{Aggregate: id("zone"), Host: "c9"}, "", nil, placement.ErrNotFound},
		{"a host joins nothing", nova.AddAggregateHost{Aggregate: id("none"), Host: "c2"}, "", nil, placement.ErrNotFound},
		{"a host leaves", nova.RemoveAggregateHost{Aggregate: id("zone"), Host: "c1"}, "zone", nil, nil},
		{"a host leaves that is not in it", nova.RemoveAggregateHost{Aggregate: id("zone"), Host: "c2"}, "", nil, placement.ErrNotFound},
		{"a host leaves nothing", nova.RemoveAggregateHost{Aggregate: id("none"), Host: "c2"}, "", nil, placement.ErrNotFound},
		{"other metadata", nova.SetAggregateMetadata{Aggregate: id("zone"), Metadata: nova.KeyEdits{Unset: []string{"availability_zone"}}}, "zone", []string{"c1"}, nil},
		{"metadata of nothing", nova.SetAggregateMetadata{Aggregate: id("none")}, "", nil, placement.ErrNotFound},
		{"one with hosts goes", nova.DeleteAggregate{Aggregate: id("zone")}, "", nil, placement.ErrInUse},
		{"one without hosts goes", nova.DeleteAggregate{Aggregate: id("other")}, "other", nil, nil},
		{"nothing goes", nova.DeleteAggregate{Aggregate: id("none")}, "", nil, placement.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, _, err := base.Apply(nova.Change{Ops: []nova.Op{tt.op}})
			must.Fail(t, err, tt.err)
			if err != nil {
				return
			}
			var got []string
			if a, ok := next.Aggregate(id(tt.of)); ok {
				got = append(got, a.Hosts...)
			}
			must.Match(t, tt.hosts, got)
		})
	}
}

// Placement knows a host aggregate by the root providers of its hosts.
func TestZoneOf(t *testing.T) {
	t.Parallel()
	plain, zone := aggregate("plain", "ssd=true"), aggregate("zone", "availability_zone=az-1")
	plain.Hosts, zone.Hosts = []string{"c1", "c2"}, []string{"c1"}
	s := ledger(t, plain, zone)
	for host, want := range map[string]string{"c1": "az-1", "c2": "", "c9": ""} {
		if got := s.ZoneOf(host); got != want {
			t.Errorf("%s is in zone %q, want %q", host, got, want)
		}
	}
}

func TestAggregateOps(t *testing.T) {
	t.Parallel()
	p := modeltest.Ledger(t, []modeltest.Provider{{Name: "c1", Aggregates: []placement.AggregateID{modeltest.AggregateID("has")}, Children: []modeltest.Provider{{Name: "card"}}}})
	s, id := ledger(t, compute("c1", 73)), modeltest.AggregateID("zone")
	members := func(p *placement.Snapshot) int { return p.InAggregate(id).Len() }
	in := modeltest.Apply(t, p, s.AggregateOps(p, id, "c1", true)...)
	if members(in) != 1 || in.InAggregate(modeltest.AggregateID("has")).Len() != 1 {
		t.Errorf("%d members", members(in))
	}
	if ops := s.AggregateOps(in, id, "c1", true); len(ops) > 0 {
		t.Errorf("it joins twice: %v", ops)
	}
	out := modeltest.Apply(t, in, s.AggregateOps(in, id, "c1", false)...)
	if members(out) != 0 || out.InAggregate(modeltest.AggregateID("has")).Len() != 1 {
		t.Errorf("%d members", members(out))
	}
	if ops := s.AggregateOps(p, id, "c9", true); len(ops) > 0 {
		t.Errorf("nobody joins: %v", ops)
	}
}
