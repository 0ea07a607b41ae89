package nova_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestAggregatePlans(t *testing.T) {
	t.Parallel()
	zone := aggregate("zone", "availability_zone=az-1")
	zone.Hosts = []string{"c1"}
	other := aggregate("other", "availability_zone=az-2")
	base := ledger(t, compute("c1", 73), compute("c2", 73), zone, other)
	id := modeltest.AggregateID
	hosted := func(name string, hosts ...string) *nova.HostAggregate {
		a := aggregate(name)
		a.Hosts = hosts
		return a
	}
	type plan = func(*nova.Snapshot) (nova.PutRecords, error)
	for _, tt := range []struct {
		name  string
		plan  plan
		of    string
		hosts []string // of the aggregate after it
		err   error
	}{
		{"a new one", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.CreateAggregate(hosted("new", "c1")) }, "new", []string{"c1"}, nil},
		{"a uuid that is taken", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.CreateAggregate(hosted("zone")) }, "", nil, placement.ErrExists},
		{"a host that is none", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.CreateAggregate(hosted("new", "c9")) }, "", nil, placement.ErrNotFound},
		{"a host joins", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.AddHost(id("zone"), "c2") }, "zone", []string{"c1", "c2"}, nil},
		{"a host joins again", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.AddHost(id("zone"), "c1") }, "", nil, placement.ErrExists},
		{"a host joins a second zone", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.AddHost(id("other"), "c1") }, "", nil, placement.ErrInvalid},
		{"nobody joins", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.AddHost(id("zone"), "c9") }, "", nil, placement.ErrNotFound},
		{"a host joins nothing", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.AddHost(id("none"), "c2") }, "", nil, placement.ErrNotFound},
		{"a host leaves", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.RemoveHost(id("zone"), "c1") }, "zone", nil, nil},
		{"a host leaves that is not in it", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.RemoveHost(id("zone"), "c2") }, "", nil, placement.ErrNotFound},
		{"a host leaves nothing", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.RemoveHost(id("none"), "c2") }, "", nil, placement.ErrNotFound},
		{"other metadata", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.SetMetadata(id("zone"), nil) }, "zone", []string{"c1"}, nil},
		{"metadata of nothing", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.SetMetadata(id("none"), nil) }, "", nil, placement.ErrNotFound},
		{"one with hosts goes", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.DeleteAggregate(id("zone")) }, "", nil, placement.ErrInUse},
		{"one without hosts goes", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.DeleteAggregate(id("other")) }, "other", nil, nil},
		{"nothing goes", func(s *nova.Snapshot) (nova.PutRecords, error) { return s.DeleteAggregate(id("none")) }, "", nil, placement.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := tt.plan(base)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if err != nil {
				return
			}
			next, _ := apply(t, base, c.Records...)
			var got []string
			if a, ok := next.Aggregate(id(tt.of)); ok {
				got = append(got, a.Hosts...)
			}
			if d := cmp.Diff(tt.hosts, got); d != "" {
				t.Errorf("hosts (-want +got):\n%s", d)
			}
		})
	}
}

// Placement knows of a host aggregate by its hosts' root providers.
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
