package kinds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// TestSharesOfPool checks that the shares of a pool, found in one pass, are the same as
// those of each host; and that they add up to the usage, with each unit counted once.
func TestSharesOfPool(t *testing.T) {
	t.Parallel()
	agg := modeltest.AggregateID("a")
	s := cloud.Empty()
	do := func(list ...placement.Op) {
		t.Helper()
		next, _, err := s.Apply(cloud.Change{Actor: "me", Ops: list})
		must.Succeed(t, err)
		s = next
	}
	host := func(name string) {
		do(modeltest.Provider{Name: name, Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8)}, Aggregates: []placement.AggregateID{agg}}.Ops(placement.ProviderID{})...)
	}
	for _, name := range []string{"h1", "h2", "h3"} {
		host(name)
	}
	do(modeltest.Provider{
		Name: "ceph", Inventories: modeltest.Inventories{placement.DiskGB: placement.NewInventory(100)},
		Traits: []placement.Trait{placement.SharesViaAggregate}, Aggregates: []placement.AggregateID{agg},
	}.Ops(placement.ProviderID{})...)
	do(modeltest.Allocate(modeltest.Claim("a", map[string]modeltest.Resources{"h1": {placement.VCPU: 1}, "ceph": {placement.DiskGB: 10}})))
	do(modeltest.Allocate(modeltest.Claim("b", map[string]modeltest.Resources{"h2": {placement.VCPU: 1}, "ceph": {placement.DiskGB: 20}})))
	do(modeltest.Allocate(modeltest.Claim("c", map[string]modeltest.Resources{"h1": {placement.VCPU: 1}, "h2": {placement.VCPU: 1}, "ceph": {placement.DiskGB: 5}})))

	shares := kinds.NewShares(s)
	pool, _ := s.Placement().ProviderByName("ceph")
	sum := int64(0)
	var hosts []string
	for _, got := range shares.OfPool(pool) {
		hosts = append(hosts, got.Host.Name())
		sum += got.Here
		if diff := cmp.Diff(shares.Of(got.Host), []kinds.Share{got.Share}); diff != "" {
			t.Errorf("%s: %s", got.Host.Name(), diff)
		}
	}
	if diff := cmp.Diff([]string{"h1", "h2", "h3"}, hosts); diff != "" || sum != 35 {
		t.Errorf("the hosts use %d: %s", sum, diff)
	}
	if got := get(t, kinds.Pools, kinds.Query{}); len(got.Rows) == 0 {
		t.Error("the demo has no pools")
	}
}

// TestVocabularyIsAsked checks which flavors and device profiles ask for a trait and a
// class, and the note on a trait that no provider has.
func TestVocabularyIsAsked(t *testing.T) {
	t.Parallel()
	asked := 0
	traits := get(t, kinds.Traits, kinds.Query{Where: "flavors>0"})
	for _, row := range traits.Rows {
		flavors, _ := traits.Kind.Field("flavors").Inside(traits.At, row)
		asked += len(flavors)
	}
	classes := get(t, kinds.Classes, kinds.Query{Name: "VGPU"})
	vgpu := classes.Rows[0].(*kinds.Class)
	flavors, _ := classes.Kind.Field("flavors").Inside(classes.At, vgpu)
	profiles, _ := classes.Kind.Field("device_profiles").Inside(classes.At, vgpu)
	if asked == 0 || len(flavors) == 0 || len(profiles) == 0 {
		t.Errorf("%d flavors ask for traits, %v and %v for VGPU", asked, flavors, profiles)
	}
	if owner, share := vgpu.Mostly(); owner != placement.OwnedByNova || share < 40 || share > 100 {
		t.Errorf("VGPU is mostly %s's, %d%%", owner, share)
	}
	for _, test := range []struct {
		trait kinds.Trait
		want  string
		grade kinds.Grade
	}{
		{kinds.Trait{Name: "CUSTOM_OLD"}, "unused, safe to delete", kinds.Notice},
		{kinds.Trait{Name: "HW_CPU_X86_AVX2"}, "", kinds.Plain},
		{kinds.Trait{Name: "CUSTOM_RACK", Providers: 2}, "", kinds.Plain},
	} {
		if note, grade := test.trait.Note(); note != test.want || grade != test.grade {
			t.Errorf("of %s is said %q", test.trait.Name, note)
		}
	}
}

// TestTenants checks that projects, and users, add up to the whole usage.
func TestTenants(t *testing.T) {
	t.Parallel()
	for _, kind := range []kinds.Name{kinds.Projects, kinds.Users} {
		a := get(t, kind, kinds.Query{})
		var consumers, vcpu int64
		for _, row := range a.Rows {
			tenant := row.(*kinds.Tenant)
			consumers += tenant.Consumers
			vcpu += tenant.Used[placement.VCPU]
		}
		pl := a.At.Snap.Placement()
		used := get(t, kinds.Classes, kinds.Query{Name: "VCPU"}).Rows[0].(*kinds.Class).Used
		if consumers != int64(pl.ConsumerCount()) || vcpu != used {
			t.Errorf("%s have %d consumers with %d VCPU, the cloud %d with %d", kind, consumers, vcpu, pl.ConsumerCount(), used)
		}
	}
	if a := get(t, kinds.Users, kinds.Query{Name: "telco/svc-nfv"}); len(a.Rows) != 1 {
		t.Errorf("got %v", a.Rows)
	}
	if _, err := kinds.Of(kinds.Projects).Get(kinds.Query{At: at(), Name: "ml-trai"}); err == nil {
		t.Error("a project that is not there is found")
	}
	named := at() // a project and a user are shown with the names that Keystone gives them
	named.Snap = named.Snap.Named(&cloud.TenantNames{Projects: map[string]string{"telco": "Telephony"}, Users: map[string]string{"svc-nfv": "NFV"}})
	for kind, name := range map[kinds.Name]string{kinds.Projects: "Telephony", kinds.Users: "NFV"} {
		if a, err := kinds.Of(kind).Get(kinds.Query{At: named, Name: name}); err != nil || len(a.Rows) != 1 || a.Rows[0].(*kinds.Tenant).Project != "telco" {
			t.Errorf("%s %s: found %v, %v", kind, name, a.Rows, err)
		}
	}
}
