package nova_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// aggregate returns a host aggregate with the given metadata, as "key=value".
func aggregate(name string, metadata ...string) *nova.HostAggregate {
	a := &nova.HostAggregate{UUID: modeltest.AggregateID(name), Name: name, Metadata: map[string]string{}}
	for _, m := range metadata {
		key, value, _ := strings.Cut(m, "=")
		a.Metadata[key] = value
	}
	return a
}

// prefilterOf returns what the pre-filter with the given name did.
func prefilterOf(t *testing.T, r nova.Request, name string) nova.Prefilter {
	t.Helper()
	for _, p := range r.Prefilters {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no pre-filter %s", name)
	return nova.Prefilter{}
}

func TestPrefilters(t *testing.T) {
	t.Parallel()
	uuid := func(name string) string { return modeltest.AggregateID(name).String() }
	s := upgraded(t, aggregate("a1", "filter_tenant_id=p1"), aggregate("a2", "filter_tenant_id_2=p2", "availability_zone=az-1"),
		aggregate("a3", "trait:CUSTOM_WINDOWS=required", "availability_zone=az-2"), aggregate("a4", "filter_tenant_id=p2"))
	both := "in:" + uuid("a2") + "," + uuid("a4")
	if uuid("a4") < uuid("a2") {
		both = "in:" + uuid("a4") + "," + uuid("a2")
	}
	for _, tt := range []struct {
		name, filter string
		spec         nova.RequestSpec
		state        nova.PrefilterState
		why          string
		terms        string
	}{
		{"a tenant with an aggregate", nova.FilterTenant, nova.RequestSpec{Project: "p1"}, nova.Applied, "1 host aggregate reserved", "member_of=" + uuid("a1")},
		{"a tenant with two", nova.FilterTenant, nova.RequestSpec{Project: "p2"}, nova.Applied, "2 host aggregates", "member_of=" + both},
		{"a tenant without", nova.FilterTenant, nova.RequestSpec{Project: "p3"}, nova.Skipped, "no host aggregate has filter_tenant_id of project p3", ""},
		{"no tenant", nova.FilterTenant, nova.RequestSpec{}, nova.Skipped, "names no project", ""},
		{"a zone", nova.FilterZone, nova.RequestSpec{Zone: "az-1"}, nova.Applied, "availability zone az-1", "member_of=" + uuid("a2")},
		{"a zone of no aggregate", nova.FilterZone, nova.RequestSpec{Zone: "nova"}, nova.Skipped, "no host aggregate has availability_zone nova", ""},
		{"no zone", nova.FilterZone, nova.RequestSpec{}, nova.Skipped, "no availability zone", ""},
		{"disabled hosts", nova.FilterStatus, nova.RequestSpec{}, nova.Applied, "every request", "root_required=!COMPUTE_STATUS_DISABLED"},
		{"hosts of a trait not asked for", nova.FilterIsolate, nova.RequestSpec{}, nova.Applied, "1 host aggregate reserved", "member_of=!" + uuid("a3")},
		{"hosts of a trait of the image", nova.FilterIsolate, nova.RequestSpec{ImageTraits: []placement.Trait{"CUSTOM_WINDOWS"}}, nova.Skipped, "no host aggregate", ""},
		{"hosts of a trait of the flavor", nova.FilterIsolate, nova.RequestSpec{Flavor: flavor("w", "trait:CUSTOM_WINDOWS=required")}, nova.Skipped, "no host aggregate", ""},
		{
			"a device profile", nova.FilterAccelerators,
			nova.RequestSpec{Flavor: flavor("a", "accel:device_profile=dp"), Devices: []candidates.Group{group("device_profile_0", placement.FPGA, 1)}},
			nova.Applied, "accel:device_profile dp", "root_required=COMPUTE_ACCELERATORS",
		},
		{"no device profile", nova.FilterAccelerators, nova.RequestSpec{}, nova.Skipped, "no accel:device_profile", ""},
		{"the owner", nova.FilterOwner, nova.RequestSpec{}, nova.Applied, "all nova-compute services are at version 73", "root_required=OWNER_NOVA required=OWNER_NOVA required=!OWNER_CYBORG"},
		{
			"the owner is asked of what takes something", nova.FilterOwner,
			nova.RequestSpec{Flavor: flavor("v", "resources:VCPU=0", "resources:MEMORY_MB=0", "resources:DISK_GB=0", "resources1:VGPU=1")},
			nova.Applied, "", "root_required=OWNER_NOVA required1=OWNER_NOVA",
		},
		{
			"the owner of PCI devices and ports", nova.FilterOwner, nova.RequestSpec{
				PCI:   []candidates.Group{group("r-0", "CUSTOM_PCI_10DE_1EB8", 1)},
				Ports: []candidates.Group{group("p", "NET_BW_EGR_KILOBIT_PER_SEC", 1)},
			}, nova.Applied, "", "root_required=OWNER_NOVA required=OWNER_NOVA required=!OWNER_CYBORG requiredr-0=OWNER_NOVA",
		},
		{
			"the owner of whatever a device profile asks for", nova.FilterOwner,
			nova.RequestSpec{Devices: []candidates.Group{
				group("d0", placement.FPGA, 1), group("d1", placement.PGPU, 1), group("d2", "GPU", 1), group("d3", "CUSTOM_QAT", 1),
			}},
			nova.Applied, "", "root_required=OWNER_NOVA required=OWNER_NOVA required=!OWNER_CYBORG" +
				" requiredd0=OWNER_CYBORG requiredd1=OWNER_CYBORG requiredd2=OWNER_CYBORG requiredd3=OWNER_CYBORG",
		},
		{
			"a profile that wants no device of Cyborg's", nova.FilterOwner, nova.RequestSpec{
				Devices: []candidates.Group{{
					Suffix: "d0", Resources: []candidates.Resource{{Class: placement.VGPU, Amount: 1}}, Forbidden: []candidates.Trait{{Name: placement.OwnerCyborg}},
				}},
			}, nova.Applied, "", "root_required=OWNER_NOVA required=OWNER_NOVA required=!OWNER_CYBORG",
		},
		{
			"the owner that a flavor names itself", nova.FilterOwner,
			nova.RequestSpec{Flavor: flavor("v", "trait:OWNER_NOVA=required", "trait:OWNER_CYBORG=forbidden")},
			nova.Applied, "", "root_required=OWNER_NOVA",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.spec.Flavor == nil {
				tt.spec.Flavor = flavor("m1")
			}
			// The others are off: Placement refuses what some add to a group without
			// resources.
			o := nova.AskOptions{Switch: map[string]bool{}}
			for _, name := range nova.PrefilterNames() {
				o.Switch[name] = name == tt.filter
			}
			r := ask(t, s, tt.spec, o)
			p := prefilterOf(t, r, tt.filter)
			if p.State != tt.state || !strings.Contains(p.Why, tt.why) || p.Title == "" {
				t.Errorf("%s because %q, want %s because %q", p.State, p.Why, tt.state, tt.why)
			}
			must.Be(t, terms(r, tt.filter), tt.terms)
			for _, term := range p.Terms {
				if !strings.Contains("&"+r.Query.URL(), "&"+term.Param+"=") {
					t.Errorf("%s is not in %s", term, r.Query.URL())
				}
			}
		})
	}
}

// A pre-filter that is off leaves the query as it would be without it.
func TestPrefiltersAreSwitched(t *testing.T) {
	t.Parallel()
	spec := nova.RequestSpec{Flavor: flavor("m1")}
	const plain = "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20"
	const status, owner = "!COMPUTE_STATUS_DISABLED", "&required=OWNER_NOVA,!OWNER_CYBORG&root_required=OWNER_NOVA"
	off := nova.OwnerOff
	for _, tt := range []struct {
		name   string
		config nova.Config
		o      nova.AskOptions
		want   string
	}{
		{"all on", nova.Config{}, nova.AskOptions{}, plain + owner + "," + status},
		{"off by the operator", nova.Config{Off: []string{nova.FilterStatus}}, nova.AskOptions{}, plain + owner},
		{"on for once", nova.Config{Off: []string{nova.FilterStatus}}, nova.AskOptions{Switch: map[string]bool{nova.FilterStatus: true}}, plain + owner + "," + status},
		{"off for once", nova.Config{}, nova.AskOptions{Switch: map[string]bool{nova.FilterOwner: false}}, plain + "&root_required=" + status},
		{"no owner filter", nova.Config{OwnerFilter: nova.OwnerOff}, nova.AskOptions{}, plain + "&root_required=" + status},
		{"another form for once", nova.Config{}, nova.AskOptions{OwnerFilter: &off}, plain + "&root_required=" + status},
		{"the gate held closed", nova.Config{}, nova.AskOptions{Gate: nova.GateHeldClosed}, plain + "&root_required=" + status},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := ask(t, upgraded(t, &tt.config), spec, tt.o)
			must.Match(t, tt.want+"&limit=1000", r.Query.URL())
			if len(r.Prefilters) != 6 || // the others depend on image properties
				len(r.Warnings) > 0 {
				t.Errorf("pre-filters %v, warnings %v", r.Prefilters, r.Warnings)
			}
			for _, p := range r.Prefilters {
				if (p.State == nova.Applied) != (len(p.Terms) > 0) || p.Why == "" {
					t.Errorf("%+v", p)
				}
			}
		})
	}
	closed := ledger(t, compute("compute1", 66))
	if got, want := ask(t, closed, spec, nova.AskOptions{Gate: nova.GateHeldOpen}).Query.URL(), plain+owner+","+status+"&limit=1000"; got != want {
		t.Errorf("the gate held open: %s, want %s", got, want)
	}
}

// While one compute is old the request is the same as without the filter, with a warning;
// after the last upgrade the filter applies without further action.
func TestGateOpensByItself(t *testing.T) {
	t.Parallel()
	spec := nova.RequestSpec{
		Flavor:  flavor("both", "resources1:VGPU=1", "accel:device_profile=dp"),
		Devices: []candidates.Group{group("device_profile_0", placement.VGPU, 1)},
	}
	s := ledger(t, compute("compute1", 73), compute("compute2", 70))
	without := ask(t, s, spec, nova.AskOptions{Switch: map[string]bool{nova.FilterOwner: false}})
	before := ask(t, s, spec, nova.AskOptions{})
	if d := cmp.Diff(without.Query, before.Query); d != "" {
		t.Errorf("the query has changed (-without +with):\n%s", d)
	}
	const text = "OWNER_NOVA trait not added to scheduling request: not all nova-compute services are upgraded (min_version=70, need 73)."
	must.Match(t, []nova.Warning{{Text: text}}, before.Warnings)
	if p := prefilterOf(t, before, nova.FilterOwner); p.State != nova.Skipped || p.Why != text {
		t.Errorf("owner filter %s: %s", p.State, p.Why)
	}
	judged := compute("compute2", 70)
	judged.Judged = true
	const not = "(not all have OWNER_NOVA on their providers, need 73)."
	for _, s := range []*nova.Snapshot{ledger(t, judged), ledger(t, compute("compute1", 73), judged)} {
		if got := ask(t, s, spec, nova.AskOptions{}).Warnings; len(got) != 1 || !strings.HasSuffix(got[0].Text, not) {
			t.Errorf("a service is judged: %v", got)
		}
	}
	s = does(t, s, nova.UpgradeService{Host: "compute2", Binary: nova.Compute, Version: nova.ServiceVersion})
	after := ask(t, s, spec, nova.AskOptions{})
	if len(after.Warnings) > 0 || prefilterOf(t, after, nova.FilterOwner).State != nova.Applied {
		t.Errorf("after the last upgrade: %+v", after)
	}
	const want = "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20&required=OWNER_NOVA,!OWNER_CYBORG&resources1=VGPU:1&required1=OWNER_NOVA" +
		"&resourcesdevice_profile_0=VGPU:1&requireddevice_profile_0=OWNER_CYBORG&group_policy=none" +
		"&root_required=OWNER_NOVA,COMPUTE_ACCELERATORS,!COMPUTE_STATUS_DISABLED&limit=1000"
	must.Match(t, want, after.Query.URL())
}

// A request to which the owner filter applied stays under it when it is scheduled again:
// the services are not checked, and nothing is added twice.
func TestOwnerFilterIsIdempotent(t *testing.T) {
	t.Parallel()
	spec := nova.RequestSpec{Flavor: flavor("m1", "resources1:VGPU=1")}
	for _, form := range []nova.OwnerFilter{nova.OwnerOnGroups, nova.OwnerOnRoot} {
		first := ask(t, upgraded(t), spec, nova.AskOptions{OwnerFilter: &form})
		again := spec
		again.Root = first.Query.Root
		for name, s := range map[string]*nova.Snapshot{"upgraded": upgraded(t), "with an old compute": ledger(t, compute("compute1", 66)), "without any": nova.Empty()} {
			r := ask(t, s, again, nova.AskOptions{OwnerFilter: &form})
			if r.Query.URL() != first.Query.URL() || len(r.Warnings) > 0 {
				t.Errorf("%q %s: %s, want %s; warnings %v", form, name, r.Query.URL(), first.Query.URL(), r.Warnings)
			}
			if p := prefilterOf(t, r, nova.FilterOwner); !strings.Contains(p.Why, "not checked again") {
				t.Errorf("%q %s: %s", form, name, p.Why)
			}
		}
	}
}
