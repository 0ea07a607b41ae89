package insight_test

import (
	"testing"

	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Bugs in Nova's summaries of shared storage, by their numbers on Launchpad.

// cephHosts returns hosts h1, h2 and h3 without a disk of their own, which share a pool
// of 10,000 GB.
func cephHosts(t *testing.T) *world {
	t.Helper()
	w := newWorld(t).Provider("pool", "", resources{placement.DiskGB: 10_000}, placement.SharesViaAggregate).Aggregates("pool", "ceph")
	for _, h := range []string{"h1", "h2", "h3"} {
		w.Node(h).Aggregates(h, "ceph")
	}
	return w
}

// disk returns what an instance on a host holds, with its disk on the pool.
func disk(host string, gb int64) map[string]resources {
	return map[string]resources{host: {placement.VCPU: 1, placement.MemoryMB: 512}, "pool": {placement.DiskGB: gb}}
}

// shared returns the shares that a host has in its pools.
func shared(t *testing.T, w *world, name string) []kinds.Share {
	t.Helper()
	p := must.Get(w.Placement().FindProvider(rp(name)))(t)
	return kinds.NewShares(w.Snapshot).Of(p)
}

// The hypervisor summary added up the whole Ceph cluster once for each host.
func TestBug1387812(t *testing.T) {
	t.Parallel()
	got := insight.Totals(cephHosts(t).Snapshot)
	if c := got.Class(placement.DiskGB); c.Total != 10_000 || c.Capacity != 10_000 || c.Providers != 1 {
		t.Errorf("DISK_GB: %+v, want the pool's 10,000 once", c)
	}
	if got.SharingPools != 1 || got.Aggregates != 1 || got.Roots != 4 {
		t.Errorf("%d pools, %d aggregates, %d roots, want 1, 1, 4", got.SharingPools, got.Aggregates, got.Roots)
	}
}

// The used disk of a host was that of the whole cluster.
func TestBug1493760(t *testing.T) {
	t.Parallel()
	w := cephHosts(t).Claim("i", instance, disk("h1", 20))
	for name, want := range map[string]int64{"h1": 20, "h2": 0, "h3": 0} {
		if s := shared(t, w, name); len(s) != 1 || s[0].Here != want || s[0].Used != 20 || s[0].Capacity != 10_000 {
			t.Errorf("%s: %+v, want %d here, and 20 of 10,000 on the pool", name, s, want)
		}
	}
	if c := insight.Totals(w.Snapshot).Class(placement.DiskGB); c.Used != 20 {
		t.Errorf("DISK_GB used %d, want 20", c.Used)
	}
}

// An evacuated instance holds its old host until that is back, and has one disk on the
// pool: each unit of it counts on one host, that where Nova says the instance is.
func TestShareOfWhoHoldsTwoHosts(t *testing.T) {
	t.Parallel()
	both := map[string]resources{"h1": {placement.VCPU: 1}, "h2": {placement.VCPU: 1}, "pool": {placement.DiskGB: 20}}
	first := "h1"
	if rp("h2").Compare(rp("h1")) < 0 {
		first = "h2"
	}
	for name, tt := range map[string]struct {
		typ  placement.ConsumerType
		row  ledger.Row
		want string
	}{
		"where Nova has it":             {instance, &nova.Instance{UUID: vm("i"), Name: "i", Host: "h2"}, "h2"},
		"and back":                      {instance, &nova.Instance{UUID: vm("i"), Name: "i", Host: "h1"}, "h1"},
		"on neither":                    {instance, &nova.Instance{UUID: vm("i"), Name: "i", Host: "h3"}, first},
		"Nova does not know it":         {instance, &nova.Instance{UUID: vm("j"), Name: "j"}, first},
		"a migration, where it is from": {placement.MigrationConsumer, &nova.Migration{UUID: vm("i"), Instance: vm("j"), Source: "h2", Status: nova.Finished, Type: nova.Resize}, "h2"},
	} {
		w := cephHosts(t).Claim("i", tt.typ, both)
		w.Record(tt.row)
		sum, held := int64(0), int64(0)
		for _, h := range []string{"h1", "h2", "h3"} {
			s := shared(t, w, h)[0]
			if sum, held = sum+s.Here, held+s.Held; (s.Here > 0) != (h == tt.want) {
				t.Errorf("%s: %d on %s", name, s.Here, h)
			}
		}
		if sum != 20 || (held == 20) != (tt.typ == placement.MigrationConsumer) {
			t.Errorf("%s: hosts use %d in total, migrations %d of it, want 20", name, sum, held)
		}
	}
}

// The used and free disk in hypervisor-stats were multiplied by the number of hosts.
func TestBug1414432(t *testing.T) {
	t.Parallel()
	w := cephHosts(t).Provider("local", "", resources{placement.VCPU: 1, placement.DiskGB: 500}).
		Claim("i", instance, disk("h1", 20)).Claim("j", instance, disk("h2", 30))
	c := insight.Totals(w.Snapshot).Class(placement.DiskGB)
	if c.Capacity != 10_500 || c.Used != 50 || c.Free != 10_450 || c.Providers != 2 {
		t.Errorf("DISK_GB: %+v, free %d, want 50 of 10,500 used on two providers", c, c.Free)
	}
	reachable, here := int64(0), int64(0)
	for _, name := range []string{"h1", "h2", "h3"} {
		s := shared(t, w, name)[0]
		if s.Free != 9_950 {
			t.Errorf("%s can reach %d, want all that the pool has free, 9,950", name, s.Free)
		}
		reachable, here = reachable+s.Free, here+s.Here
	}
	if reachable == c.Free || here != c.Used {
		t.Errorf("hosts reach %d in total, and use %d, want another number than %d free, and %d", reachable, here, c.Free, c.Used)
	}
}

// The disk of an instance was counted by the size of its files. It is what its flavor
// asks for: nothing for a root disk on a volume, whole GB for swap.
func TestBug1315988(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("h", "", resources{placement.VCPU: 8, placement.MemoryMB: 8192, placement.DiskGB: 100})
	flavor := &nova.Flavor{Name: "m", FlavorID: "1", VCPUs: 1, MemoryMB: 512, RootGB: 20, SwapMB: 512}
	for _, tc := range []struct {
		name   string
		volume bool
		want   int64 // used after it, in GB
	}{{"volume", true, 1}, {"image", false, 1 + 21}} {
		groups := must.Get(nova.Amounts(nova.RequestSpec{Flavor: flavor, BootFromVolume: tc.volume}))(t)
		w.Claim(tc.name, instance, map[string]resources{"h": nova.Total(groups)})
		if c := insight.Totals(w.Snapshot).Class(placement.DiskGB); c.Used != tc.want {
			t.Errorf("with an instance on a %s: DISK_GB %d used, want %d", tc.name, c.Used, tc.want)
		}
	}
}

// A VMware cluster with several datastores showed the space of one. They add up, but an
// instance has to fit into one of them.
func TestBug1347039(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("cluster")
	for name, gb := range map[string]int64{"ds1": 100, "ds2": 200, "ds3": 300} {
		w.Provider(name, "cluster", resources{placement.DiskGB: gb})
	}
	c := insight.Totals(w.Snapshot).Class(placement.DiskGB)
	if c.Total != 600 || c.Providers != 3 || c.Largest != 300 {
		t.Errorf("DISK_GB: %+v, want 600 on three datastores, of which one claim can get 300", c)
	}
}

// During a resize a pool holds the disk twice, though there is only one: the part of the
// migration is shown separately.
func TestResizeOnASharedPoolIsHeldTwice(t *testing.T) {
	t.Parallel()
	w := cephHosts(t).Instance("i", nova.Resized).Migration(nova.Finished).
		Claim("i", instance, disk("h2", 20)).Claim("m", "", disk("h1", 20))
	if c := insight.Totals(w.Snapshot).Class(placement.DiskGB); c.Used != 40 || c.Held != 20 {
		t.Errorf("DISK_GB: %d used, %d held by migrations, want 40 and 20", c.Used, c.Held)
	}
	for name, want := range map[string]int64{"h1": 20, "h2": 0} {
		if s := shared(t, w, name)[0]; s.Here != 20 || s.Held != want {
			t.Errorf("%s: %+v, want 20 here, of which %d held", name, s, want)
		}
	}
}
