package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova/objects"
	"github.com/placetop/placetop/model/versioned/object"
)

func versionOf(p any) string { return p.(map[string]any)["nova_object.version"].(string) }

func lowered(t testing.TB, r *object.Registry, o object.Object, target object.Target) map[string]any {
	t.Helper()
	p := must.Get(r.EncodeFor(o, target))(t)
	return wire(t, p)
}

// TestNestedVersions checks which versions the objects in a compute node have in each of
// its versions, for a reader that names none.
func TestNestedVersions(t *testing.T) {
	t.Parallel()
	r := registry()
	for n := range 20 {
		p := lowered(t, r, sample(t, r, "ComputeNode"), object.Target{Version: minor(1, n)})
		if n >= 9 {
			want := map[bool]string{true: "1.1", false: "1.0"}[n >= 11]
			list := data(p)["pci_device_pools"]
			pool := data(list.(map[string]any))["objects"].([]any)[0]
			if got := []string{versionOf(list), versionOf(pool)}; !cmp.Equal(got, []string{want, want}) {
				t.Errorf("ComputeNode 1.%d holds pools of version %v, want %s", n, got, want)
			}
		}
		if n >= 6 {
			want := map[bool]string{true: "1.1", false: "1.0"}[n >= 12]
			if n == 19 {
				want = "1.2" // nothing is lowered
			}
			if got := versionOf(data(p)["supported_hv_specs"].([]any)[0]); got != want {
				t.Errorf("ComputeNode 1.%d holds HVSpec %s, want %s", n, got, want)
			}
		}
	}
}

func TestHVSpecVZ(t *testing.T) {
	t.Parallel()
	spec := must.Get(objects.HVSpecFromList([]string{"AMD64", "vz", "hv"}))(t)
	must.Match(t, []string{"x86_64", "vz", "hvm"}, spec.ToList())
	p := lowered(t, registry(), spec, object.Target{Version: minor(1, 0)})
	must.Be(t, data(p)["hv_type"], "parallels")
	if _, err := objects.HVSpecFromList([]string{"x86_64"}); err == nil {
		t.Error("a list of one was read")
	}
}

func TestServiceIDForOldReaders(t *testing.T) {
	t.Parallel()
	known := objects.Source{ServiceID: func(host string) (int64, bool) { return 5, host == "cmp1" }}
	for name, c := range map[string]struct {
		source objects.Source
		values object.Values
		target int
		want   any // of JSON
	}{
		"null and the host is known":     {known, object.Values{"service_id": nil, "host": "cmp1"}, 12, "5"},
		"unset and the host is known":    {known, object.Values{"host": "cmp1"}, 6, "5"},
		"null and the host is not known": {known, object.Values{"service_id": nil, "host": "cmp9"}, 12, "-1"},
		"null and no host":               {known, object.Values{"service_id": nil}, 12, "-1"},
		"null and nobody to ask":         {objects.Source{}, object.Values{"service_id": nil, "host": "cmp1"}, 12, "-1"},
		"a value stays":                  {known, object.Values{"service_id": 8, "host": "cmp1"}, 12, "8"},
		"1.13 takes null":                {known, object.Values{"service_id": nil, "host": "cmp1"}, 13, nil},
	} {
		node := objects.NewComputeNode()
		must.Succeed(t, object.Fill(node, c.values))
		p := lowered(t, objects.NewRegistry(c.source), node, object.Target{Version: minor(1, c.target)})
		got := data(p)["service_id"]
		if n, ok := got.(interface{ String() string }); ok {
			got = n.String()
		}
		if got != c.want {
			t.Errorf("%s: service_id is %v, want %v", name, got, c.want)
		}
	}
}

func TestHealRatios(t *testing.T) {
	t.Parallel()
	node := objects.NewComputeNode()
	must.Succeed(t, object.Fill(node, object.Values{"cpu_allocation_ratio": 0.0, "ram_allocation_ratio": 1.5}))
	node.ResetChanges()
	healed := must.Get(node.HealRatios(4, 1, 1))(t)
	if !healed || node.CPUAllocationRatio.Get() != 4 || node.RAMAllocationRatio.Get() != 1.5 || node.DiskAllocationRatio.Get() != 1 {
		t.Errorf("healed %v: %v %v %v", healed, node.CPUAllocationRatio.Get(), node.RAMAllocationRatio.Get(), node.DiskAllocationRatio.Get())
	}
	must.Match(t, []string{"cpu_allocation_ratio", "disk_allocation_ratio"}, node.WhatChanged())
	if healed, err := node.HealRatios(9, 9, 9); healed || err != nil {
		t.Errorf("a healed node was healed again: %v", err)
	}
}

// TestOldAndNewSideBySide has computes of releases that know ComputeNode 1.8,
// 1.9, 1.10 and 1.19 report to one conductor, which sends each of them all the
// nodes.
func TestOldAndNewSideBySide(t *testing.T) {
	t.Parallel()
	conductor := objects.NewRegistry(objects.Source{ServiceID: func(string) (int64, bool) { return 7, true }})
	peers := map[int]*object.Registry{}
	for _, knows := range []int{8, 9, 10, 19} {
		versions := map[string]int{"ComputeNode": knows}
		if knows < 11 {
			versions["PciDevicePool"], versions["PciDevicePoolList"], versions["HVSpec"] = 0, 0, 0
		}
		peers[knows] = release(conductor, versions)
	}
	var nodes []*objects.ComputeNode
	for _, knows := range []int{8, 9, 10, 19} {
		o := must.Get(conductor.Decode(reportOf(t, peers[knows], knows)))(t)
		node := o.(*objects.ComputeNode)
		if got, _ := node.ReadVersion(); got != minor(1, knows) {
			t.Errorf("a report of 1.%d was read as %s", knows, got)
		}
		derived := objects.DeriveUUID(node.Host.Get(), node.HypervisorHostname.Get())
		if node.UUID.IsSet() != (knows >= 15) {
			t.Errorf("1.%d has a uuid: %t", knows, node.UUID.IsSet())
		}
		if !node.UUID.IsSet() {
			must.Succeed(t, node.UUID.Set(derived))
		}
		node.Upgrade()
		pools, ok := node.PciDevicePools.Lookup()
		if ok != (knows >= 9) {
			t.Errorf("1.%d has pools: %v", knows, ok)
		}
		if ok && pools.All()[0].NUMANode.IsSet() != (knows >= 11) {
			t.Errorf("1.%d has a pool with a NUMA node: %v", knows, pools.All()[0].NUMANode.IsSet())
		}
		if node.VCPUs.Get() != 64 || node.Host.Get() != "cmp1" {
			t.Errorf("1.%d: %d VCPUs on %q", knows, node.VCPUs.Get(), node.Host.Get())
		}
		nodes = append(nodes, node)
	}
	for knows, peer := range peers {
		for _, node := range nodes {
			p := must.Get(conductor.EncodeUpTo(node, peer.Manifest("ComputeNode")))(t)
			if got := versionOf(p); got != minor(1, knows).String() {
				t.Errorf("the peer of 1.%d was sent %s", knows, got)
			}
			o := must.Get(peer.Decode(wire(t, p)))(t)
			back := o.(*objects.ComputeNode)
			service := back.ServiceID.Get()
			if was, ok := node.ServiceID.Lookup(); ok && service != was || !ok && (service == 7) != (knows < 13) {
				t.Errorf("the peer of 1.%d reads service %d", knows, service)
			}
			if back.UUID.IsSet() != (knows >= 15) || back.MemoryMB.Get() != 262144 {
				t.Errorf("the peer of 1.%d reads uuid %v, %d MiB", knows, back.UUID.IsSet(), back.MemoryMB.Get())
			}
		}
	}
}

// reportOf returns the envelope that a compute of a release writes. Those before
// 1.13 know their service, later ones leave it null.
func reportOf(t *testing.T, r *object.Registry, knows int) map[string]any {
	t.Helper()
	newest := registry()
	node := sample(t, newest, "ComputeNode").(*objects.ComputeNode)
	if knows < 13 {
		must.Succeed(t, node.ServiceID.Set(3))
		node.ResetChanges()
	}
	p := lowered(t, newest, node, object.Target{Version: minor(1, knows), Manifest: r.Manifest("ComputeNode")})
	o := must.Get(r.Decode(p))(t)
	own := must.Get(r.Encode(o))(t)
	if diff := cmp.Diff(p, wire(t, own)); diff != "" {
		t.Errorf("1.%d does not write what it read: %s", knows, diff)
	}
	return p
}

func TestDerivedUUIDs(t *testing.T) {
	t.Parallel()
	const ab = "cf215b8f-729d-5d65-ae14-316ab8ddaaed" // of host a, node b; the same for all releases
	if got := objects.DeriveUUID("a", "b").String(); got != ab {
		t.Errorf("two readers of one row disagree: %s and %s", got, ab)
	}
	if ab == objects.DeriveUUID("ab", "").String() {
		t.Error("two nodes share a uuid")
	}
}
