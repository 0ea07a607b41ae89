package nova_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

func TestServiceVerbs(t *testing.T) {
	t.Parallel()
	down := func(s *nova.Service) { s.ForcedDown = true }
	compute := func(host string, version int, edit ...func(*nova.Service)) *nova.Service {
		return compute(host, version, append(edit, in("cell1"))...)
	}
	base := ledger(t, &nova.Cell{Name: "cell1"}, compute("c1", 70), compute("c2", 66), compute("dead", 57, down), compute("young", 66, down),
		compute("left", 66, down), migration("x", func(m *nova.Migration) { m.Type, m.Status, m.Source = nova.Evacuation, nova.Done, "left" }),
		compute("swept", 66, down), migration("y", func(m *nova.Migration) { m.Type, m.Status, m.Source = nova.Evacuation, nova.Completed, "swept" }))
	at := modeltest.At(100)
	service := func(host string) func(*nova.Snapshot) any {
		return func(s *nova.Snapshot) any {
			if svc, ok := s.Service(host, nova.Compute); ok {
				return svc
			}
			return nil
		}
	}
	seen := func(s *nova.Service) { s.LastSeenUp = at.UnixMilli() }
	for _, tt := range []struct {
		name string
		op   nova.Op
		of   func(*nova.Snapshot) any
		want any
		err  error
	}{
		{
			"a new service starts",
			nova.StartService{Host: "c3", Binary: nova.Compute, Cell: "cell1", Version: 73},
			service("c3"), compute("c3", 73, seen, func(s *nova.Service) { s.Created = at.UnixMilli() }), nil,
		},
		{
			"a service starts again, in its cell",
			nova.StartService{Host: "c1", Binary: nova.Compute, Cell: "", Version: 70},
			service("c1"), compute("c1", 70, seen), nil,
		},
		{"a service older than all others", nova.StartService{Host: "c3", Binary: nova.Compute, Cell: "cell1", Version: 65}, nil, nil, placement.ErrState},
		{"a service of an unknown cell", nova.StartService{Host: "c3", Binary: nova.Compute, Cell: "cell9", Version: 73}, nil, nil, placement.ErrNotFound},
		{"a service without host", nova.StartService{Host: "", Binary: nova.Compute, Cell: "", Version: 73}, nil, nil, placement.ErrInvalid},
		{"an upgrade", nova.UpgradeService{Host: "c2", Binary: nova.Compute, Version: 73}, service("c2"), compute("c2", 73, seen), nil},
		{"an upgrade to the same", nova.UpgradeService{Host: "c1", Binary: nova.Compute, Version: 70}, nil, nil, placement.ErrInvalid},
		{"a downgrade, newer than another", nova.UpgradeService{Host: "c1", Binary: nova.Compute, Version: 68}, nil, nil, placement.ErrState},
		{"a start of older code, newer than another", nova.StartService{Host: "c1", Binary: nova.Compute, Cell: "", Version: 68}, service("c1"), compute("c1", 68, seen), nil},
		{"the newest version that a column holds", nova.UpgradeService{Host: "c2", Binary: nova.Compute, Version: math.MaxInt32}, service("c2"), compute("c2", math.MaxInt32, seen), nil},
		{"a version that no column holds", nova.UpgradeService{Host: "c2", Binary: nova.Compute, Version: math.MaxInt32 + 1}, nil, nil, placement.ErrInvalid},
		{"a version below zero", nova.UpgradeService{Host: "c2", Binary: nova.Compute, Version: -1}, nil, nil, placement.ErrInvalid},
		{"a downgrade below all others", nova.UpgradeService{Host: "c1", Binary: nova.Compute, Version: 60}, nil, nil, placement.ErrState},
		{"an upgrade of nobody", nova.UpgradeService{Host: "c9", Binary: nova.Compute, Version: 73}, nil, nil, placement.ErrNotFound},
		{
			"a service is disabled",
			nova.DisableService{Host: "c2", Binary: nova.Compute, Reason: "fans"},
			service("c2"), compute("c2", 66, func(s *nova.Service) { s.Disabled, s.DisabledReason = true, "fans" }), nil,
		},
		{"nobody is disabled", nova.DisableService{Host: "c9", Binary: nova.Compute, Reason: ""}, nil, nil, placement.ErrNotFound},
		{"a service is enabled", nova.EnableService{Host: "c2", Binary: nova.Compute}, service("c2"), compute("c2", 66), nil},
		{
			"a service is forced down",
			nova.ForceDownService{Host: "c2", Binary: nova.Compute, Down: true},
			service("c2"), compute("c2", 66, down), nil,
		},
		{"a service older than all others comes back", nova.ForceDownService{Host: "dead", Binary: nova.Compute, Down: false}, nil, nil, placement.ErrState},
		{"it is disabled while it is down", nova.DisableService{Host: "dead", Binary: nova.Compute, Reason: ""}, nil, nil, placement.ErrState},
		{
			"it is upgraded first",
			nova.UpgradeService{Host: "dead", Binary: nova.Compute, Version: 70},
			service("dead"), compute("dead", 70, seen, down), nil,
		},
		{
			"a service no older than another comes back",
			nova.ForceDownService{Host: "young", Binary: nova.Compute, Down: false},
			service("young"), compute("young", 66), nil,
		},
		{"a host comes back that still has what was evacuated (LP 1922053)", nova.ForceDownService{Host: "left", Binary: nova.Compute}, nil, nil, placement.ErrState},
		{
			"a host comes back that has removed what was evacuated",
			nova.ForceDownService{Host: "swept", Binary: nova.Compute},
			service("swept"), compute("swept", 66), nil,
		},
		{"a service is deleted", nova.DeleteService{Host: "c2", Binary: nova.Compute}, service("c2"), nil, nil},
		{"nobody is deleted", nova.DeleteService{Host: "c9", Binary: nova.Compute}, nil, nil, placement.ErrNotFound},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, _, err := base.Apply(nova.Change{At: at, Ops: []nova.Op{tt.op}})
			must.Fail(t, err, tt.err)
			if err != nil {
				return
			}
			must.Match(t, tt.want, tt.of(next))
		})
	}
	// A service is compared with the others.
	for _, tt := range []struct {
		base    *nova.Snapshot
		host    string
		version int
		want    string
	}{
		{base, "c1", 60, "c1 has version 60, but all others have at least 66:"},
		{base, "c1", 68, "c1 has version 68, but had 70:"},
		{base, "c2", math.MaxInt32 + 1, `"2147483648": must be from 0 to 2147483647`},
		{base, "c2", 60, "c2 has version 60, but all others have at least 70:"},
		{ledger(t, compute("c1", 70)), "c1", 60, "c1 has version 60, but had 70:"},
	} {
		if err := tt.base.Allows(nova.UpgradeService{Host: tt.host, Binary: nova.Compute, Version: tt.version}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("error %v, want %q", err, tt.want)
		}
	}
	var old *nova.ServiceTooOldError
	if err := base.Allows(nova.StartService{Host: "c3", Binary: nova.Compute, Cell: "cell1", Version: 65}); !errors.As(err, &old) || old.Minimum != 66 || !strings.Contains(err.Error(), "c3 has version 65") {
		t.Errorf("error %v", err)
	}
}

// Cells are upgraded separately: a service is only compared with those of its own cell,
// whether others are newer, older, silent or out of reach.
func TestServiceVersionByCell(t *testing.T) {
	t.Parallel()
	s := ledger(t,
		&nova.Cell{Name: "1"}, &nova.Cell{Name: "2", Down: true}, &nova.Cell{Name: "3"},
		compute("a1", 73, in("1")), compute("b1", 73, in("1")), compute("a2", 66, in("2")), compute("b2", 70, in("2")),
		compute("a3", 73, in("3")), compute("b3", 0, in("3")),
	)
	const none = ""
	for _, tt := range []struct {
		host, cell string
		version    int
		want       string // of the error; none if the record is written
	}{
		{"c1", "1", 66, "c1 has version 66, but all others in 1 have at least 73: upgrade it, as the minimum version must not drop"},
		{"c1", "1", 73, none},
		{"c2", "2", 66, none}, // older than all of cell 1
		{"a2", "2", 66, none},
		{"c2", "2", 65, "c2 has version 65, but all others in 2 have at least 66: upgrade it, as the minimum version must not drop"},
		{"b2", "2", 65, "b2 has version 65, but all others in 2 have at least 66: upgrade it, as the minimum version must not drop"},
		{"c3", "3", 60, none}, // one that has never reported its version makes the minimum of its cell 0
		{"c", "", 60, none},   // the first one without a cell
	} {
		err := s.Allows(nova.StartService{Host: tt.host, Binary: nova.Compute, Cell: tt.cell, Version: tt.version})
		if got := fmt.Sprint(err); err == nil && tt.want != none || err != nil && !strings.HasSuffix(got, ": nova-compute on "+tt.want) {
			t.Errorf("%s at %d in cell %q: %v, want %q", tt.host, tt.version, tt.cell, err, tt.want)
		}
	}
	if err := s.Allows(nova.UpgradeService{Host: "a2", Binary: nova.Compute, Version: 66}); err == nil || !strings.Contains(err.Error(), "must be newer than the 66") {
		t.Errorf("error %v", err)
	}
}

// Deleting the nova-compute of a host removes what the host has, unless something is
// still on it.
func TestDeleteService(t *testing.T) {
	t.Parallel()
	node := &nova.ComputeNode{UUID: modeltest.ProviderID("c1"), Host: "c1", Hostname: "c1"}
	a := aggregate("a")
	a.Hosts = []string{"c1", "c2"}
	host := []versioned.Record{
		compute("c1", 73), compute("c2", 73), node, a,
		&nova.PciDevice{ComputeNode: node.UUID, Address: "0000:af:00.0"}, &nova.Service{Host: "c1", Binary: "nova-scheduler"},
	}
	on := func(i *nova.Instance) { i.Host = "c1" }
	for name, busy := range map[string]versioned.Record{
		"instance vm":  instance("vm", on),
		"migration of": migration("vm", func(m *nova.Migration) { m.Source = "c1" }),
	} {
		err := ledger(t, append(host, busy)...).Allows(nova.DeleteService{Host: "c1", Binary: nova.Compute})
		if !errors.Is(err, placement.ErrInUse) || !strings.Contains(err.Error(), name[:8]) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s := ledger(t, append(host, instance("gone", on, func(i *nova.Instance) { i.VMState = nova.Deleted }))...)
	s = does(t, s, nova.DeleteService{Host: "c1", Binary: nova.Compute})
	left, _ := s.Aggregate(a.UUID)
	_, hasNode := s.ComputeNode(node.UUID)
	if d := cmp.Diff([]string{"c2"}, left.Hosts); d != "" || hasNode {
		t.Errorf("compute node %t, hosts of the aggregate (-want +got):\n%s", hasNode, d)
	}
	for range s.PciDevicesOf(node.UUID) {
		t.Error("a PCI device is left")
	}
	if _, done, err := s.Apply(nova.Change{Ops: []nova.Op{nova.DeleteService{Host: "c1", Binary: "nova-scheduler"}}}); err != nil || len(done) != 1 {
		t.Errorf("%d records, error %v", len(done), err)
	}
}

// A disabled host has the trait in Placement that requests forbid.
func TestStatusOps(t *testing.T) {
	t.Parallel()
	p := modeltest.Ledger(t, []modeltest.Provider{
		{Name: "c1", Traits: []placement.Trait{placement.OwnerNova}, Children: []modeltest.Provider{{Name: "card", Children: []modeltest.Provider{{Name: "part"}}}}},
		{Name: "node2"},
	})
	s := ledger(t, &nova.ComputeNode{UUID: modeltest.ProviderID("node2"), Host: "c2", Hostname: "node2"})
	for host, name := range map[string]string{"c1": "c1", "c2": "node2"} {
		traits := func(p *placement.Snapshot) []placement.Trait {
			root, _ := p.ProviderByName(name)
			return p.TraitsOf(root)
		}
		disabled := modeltest.Apply(t, p, s.StatusOps(p, host, true)...)
		if got, want := traits(disabled), append([]placement.Trait{placement.ComputeStatusDisabled}, traits(p)...); cmp.Diff(want, got) != "" {
			t.Errorf("%s disabled: %v, want %v", host, got, want)
		}
		if ops := s.StatusOps(disabled, host, true); len(ops) > 0 {
			t.Errorf("%s is disabled twice: %v", host, ops)
		}
		enabled := modeltest.Apply(t, disabled, s.StatusOps(disabled, host, false)...)
		if d := cmp.Diff(traits(p), traits(enabled)); d != "" {
			t.Errorf("%s enabled (-want +got):\n%s", host, d)
		}
	}
	if ops := s.StatusOps(p, "c9", true); len(ops) > 0 {
		t.Errorf("nobody is disabled: %v", ops)
	}
	gone := modeltest.Apply(t, p, s.DeleteProviderOps(p, "c1")...)
	if gone.ProviderCount() != 1 {
		t.Errorf("%d providers are left, want 1", gone.ProviderCount())
	}
}
