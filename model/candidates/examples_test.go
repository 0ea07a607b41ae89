package candidates_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/api/microversion"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

type (
	tree        = modeltest.Provider
	inventories = modeltest.Inventories
	used        = modeltest.Resources
)

// units returns an inventory of n units with some reserved, at a ratio.
func units(n, reserved int64, ratio float64) placement.Inventory {
	inv := placement.NewInventory(n)
	inv.Reserved, inv.AllocationRatio = reserved, ratio
	return inv
}

// upTo returns an inventory of n units with that max_unit.
func upTo(n int64) placement.Inventory {
	inv := placement.NewInventory(n)
	inv.MaxUnit = n
	return inv
}

func parse(tb testing.TB, s *placement.Snapshot, url string) candidates.Query {
	tb.Helper()
	q := must.Get(candidates.ParseURL(url, 0, s))(tb)
	return q
}

// twoOwners returns the cloud of the worked VGPU example: cn1 with a card of Nova's and
// one of Cyborg's, cn2 with a full card of Nova's, and shared storage.
func twoOwners(tb testing.TB) *placement.Snapshot {
	tb.Helper()
	a := []placement.AggregateID{modeltest.AggregateID("A")}
	host := func() inventories {
		return inventories{placement.VCPU: units(8, 0, 4), placement.MemoryMB: units(16384, 512, 1)}
	}
	return modeltest.Ledger(tb, []tree{
		{
			Name: "cn1", Inventories: host(), Aggregates: a,
			Traits: []placement.Trait{placement.ComputeNode, placement.OwnerNova, placement.ComputeAccelerators},
			Children: []tree{
				{Name: "N1", Inventories: inventories{placement.VGPU: upTo(4)}, Traits: []placement.Trait{placement.OwnerNova, "CUSTOM_NVIDIA_11"}},
				{Name: "Y1", Inventories: inventories{placement.VGPU: upTo(2)}, Traits: []placement.Trait{placement.OwnerCyborg, "CUSTOM_NVIDIA_1EB8_T4_2B"}},
			},
		},
		{
			Name: "cn2", Inventories: host(), Aggregates: a, Traits: []placement.Trait{placement.ComputeNode, placement.OwnerNova},
			Children: []tree{{Name: "N2", Inventories: inventories{placement.VGPU: upTo(4)}, Traits: []placement.Trait{placement.OwnerNova}}},
		},
		{Name: "ss1", Inventories: inventories{placement.DiskGB: units(10000, 100, 1)}, Aggregates: a, Traits: []placement.Trait{placement.SharesViaAggregate}},
	}, modeltest.Allocate(
		modeltest.Claim("vm1", map[string]used{"cn1": {placement.VCPU: 4, placement.MemoryMB: 4096}, "N1": {placement.VGPU: 1}, "ss1": {placement.DiskGB: 500}}),
		modeltest.Claim("vm2", map[string]used{"N2": {placement.VGPU: 4}}),
	))
}

func TestWorkedVGPUExample(t *testing.T) {
	t.Parallel()
	s := twoOwners(t)
	const (
		host = "cn1:MEMORY_MB=4096 cn1:VCPU=2 ss1:DISK_GB=20"
		base = "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20"
		q1   = base + ",VGPU:1&required=OWNER_NOVA"
		q3   = base + "&required=OWNER_NOVA&resources1=VGPU:1&required1=OWNER_NOVA"
		q5   = "resources1=VGPU:1&resources2=VGPU:1&group_policy="
	)
	a := modeltest.AggregateID("A").String()
	for _, c := range []struct {
		name, url string
		want      []string
		summaries []string
	}{
		{
			"Q1 the required trait is found on cn1, so a Cyborg device is stolen", q1,
			[]string{"N1:VGPU=1 [N1 cn1 ss1] " + host, "Y1:VGPU=1 [Y1 cn1 ss1] " + host},
			[]string{"N1", "Y1", "cn1", "ss1"},
		},
		{"Q2 forbidding the other owner keeps Nova off it", q1 + ",!OWNER_CYBORG", []string{"N1:VGPU=1 [N1 cn1 ss1] " + host}, nil},
		{"Q3 a group of its own protects the device", q3, []string{"N1:VGPU=1 [cn1 ss1][1:N1] " + host}, nil},
		{
			"Q4 both owners", q3 + "&resourcesdevice_profile_0=VGPU:1&requireddevice_profile_0=OWNER_CYBORG&group_policy=none",
			[]string{"N1:VGPU=1 Y1:VGPU=1 [cn1 ss1][1:N1][device_profile_0:Y1] " + host},
			[]string{"N1", "Y1", "cn1", "ss1"},
		},
		{
			"Q5 two groups may meet on one device", q5 + "none",
			[]string{"N1:VGPU=1 Y1:VGPU=1 [1:N1][2:Y1]", "N1:VGPU=1 Y1:VGPU=1 [1:Y1][2:N1]", "N1:VGPU=2 [1:N1][2:N1]", "Y1:VGPU=2 [1:Y1][2:Y1]"},
			nil,
		},
		{"Q5 isolated they may not", q5 + "isolate", []string{"N1:VGPU=1 Y1:VGPU=1 [1:N1][2:Y1]", "N1:VGPU=1 Y1:VGPU=1 [1:Y1][2:N1]"}, nil},
		{"Q5 three at once", "resources=VGPU:3", []string{"N1:VGPU=3 [N1]"}, []string{"N1", "Y1", "cn1"}},
		{"Q6 the host is too full", "resources=VCPU:29,MEMORY_MB:4096,DISK_GB:20&resources1=VGPU:1&required1=OWNER_NOVA", nil, nil},
		{"Q7 un-suffixed, the root's membership counts", "resources=VGPU:1&member_of=" + a + "&required=CUSTOM_NVIDIA_11", []string{"N1:VGPU=1 [N1]"}, nil},
		{"Q7 in a group of its own it does not", "resources1=VGPU:1&member_of1=" + a, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := search(t, s, parse(t, s, c.url), candidates.Options{})
			must.Match(t, c.want, short(r))
			if c.summaries == nil {
				return
			}
			var got []string
			for s := range r.Summaries() {
				got = append(got, s.Provider.Name())
			}
			slices.Sort(got)
			must.Match(t, c.summaries, got)
		})
	}
}

// short returns a Result as lines: what is used, and the mappings in brackets.
func short(r *candidates.Result) []string {
	var out []string
	for _, a := range r.All() {
		var parts []string
		for _, u := range a.Uses {
			parts = append(parts, u.Provider.Name()+":"+string(r.Snapshot().ClassName(u.Class))+"="+itoa(u.Amount))
		}
		mappings := ""
		for _, m := range a.Mappings {
			of := ""
			var names []string
			for _, p := range m.Providers {
				names = append(names, p.Name())
			}
			slices.Sort(names)
			for _, n := range names {
				of += " " + n
			}
			if m.Suffix != "" {
				of = " " + m.Suffix + ":" + of[1:]
			}
			mappings += "[" + of[1:] + "]"
		}
		out = append(out, sorted(append(parts, mappings)))
	}
	slices.Sort(out)
	return out
}

// TestOwnerFiltering checks what the owner traits of a query do and do not protect.
func TestOwnerFiltering(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []tree{{
		Name: "cn", Traits: []placement.Trait{placement.OwnerNova}, Inventories: inventories{placement.VCPU: units(8, 0, 1)},
		Children: []tree{
			{Name: "nova", Inventories: inventories{placement.VGPU: upTo(1)}, Traits: []placement.Trait{placement.OwnerNova}},
			{Name: "cyborg", Inventories: inventories{placement.VGPU: upTo(1)}, Traits: []placement.Trait{placement.OwnerCyborg}},
			{Name: "untagged", Inventories: inventories{placement.VGPU: upTo(1)}},
		},
	}})
	for _, c := range []struct {
		name, url string
		want      []string
	}{
		{
			"required beside the root protects nothing", "resources=VCPU:1,VGPU:1&required=OWNER_NOVA",
			[]string{"[cn cyborg] cn:VCPU=1 cyborg:VGPU=1", "[cn nova] cn:VCPU=1 nova:VGPU=1", "[cn untagged] cn:VCPU=1 untagged:VGPU=1"},
		},
		{
			"forbidden keeps off Cyborg's, not off what nobody tagged", "resources=VCPU:1,VGPU:1&required=OWNER_NOVA,!OWNER_CYBORG",
			[]string{"[cn nova] cn:VCPU=1 nova:VGPU=1", "[cn untagged] cn:VCPU=1 untagged:VGPU=1"},
		},
		{"a group of its own protects", "resources=VCPU:1&resources1=VGPU:1&required1=OWNER_NOVA", []string{"[cn][1:nova] cn:VCPU=1 nova:VGPU=1"}},
		{
			"root_required looks at the root alone", "resources=VGPU:1&root_required=OWNER_NOVA",
			[]string{"[cyborg] cyborg:VGPU=1", "[nova] nova:VGPU=1", "[untagged] untagged:VGPU=1"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			must.Match(t, c.want, short(search(t, s, parse(t, s, c.url), candidates.Options{})))
		})
	}
}

func TestClassicShapes(t *testing.T) {
	t.Parallel()
	agg := []placement.AggregateID{modeltest.AggregateID("1")}
	shares := []placement.Trait{placement.SharesViaAggregate}
	numa := []placement.Trait{placement.HWNUMARoot}
	for _, c := range []struct {
		name, url string
		trees     []tree
		want      []string
	}{
		{
			"shared disk beside a host with disk and one without", "resources=VCPU:1,DISK_GB:10",
			[]tree{
				{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8), placement.DiskGB: upTo(100)}, Aggregates: agg},
				{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
				{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(1000)}, Aggregates: agg, Traits: shares},
			},
			[]string{"[cn1 pool] cn1:VCPU=1 pool:DISK_GB=10", "[cn1] cn1:DISK_GB=10 cn1:VCPU=1", "[cn2 pool] cn2:VCPU=1 pool:DISK_GB=10"},
		},
		{
			"what only sharing providers give is one candidate, however many hosts they serve", "resources=DISK_GB:10",
			[]tree{
				{Name: "cn1", Aggregates: agg},
				{Name: "cn2", Aggregates: agg},
				{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(1000)}, Aggregates: agg, Traits: shares},
			},
			[]string{"[pool] pool:DISK_GB=10"},
		},
		{
			"and beside a suffixed group it is found for every host", "resources=DISK_GB:10&resources1=VCPU:1",
			[]tree{
				{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
				{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
				{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(1000)}, Aggregates: agg, Traits: shares},
			},
			[]string{"[pool][1:cn1] cn1:VCPU=1 pool:DISK_GB=10", "[pool][1:cn2] cn2:VCPU=1 pool:DISK_GB=10"},
		},
		{
			"a sharing provider may have a parent", "resources=VCPU:1,DISK_GB:10",
			[]tree{
				{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
				{Name: "rack", Children: []tree{{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(1000)}, Aggregates: agg, Traits: shares}}},
			},
			[]string{"[cn1 pool] cn1:VCPU=1 pool:DISK_GB=10"},
		},
		{
			"NUMA nodes below a root with memory", "resources=VCPU:1,MEMORY_MB:1",
			[]tree{{Name: "cn", Inventories: inventories{placement.MemoryMB: upTo(8)}, Children: []tree{
				{Name: "numa1", Inventories: inventories{placement.VCPU: upTo(4)}},
				{Name: "numa2", Inventories: inventories{placement.VCPU: upTo(4)}},
			}}},
			[]string{"[cn numa1] cn:MEMORY_MB=1 numa1:VCPU=1", "[cn numa2] cn:MEMORY_MB=1 numa2:VCPU=1"},
		},
		{
			"same_subtree: one provider above the other", "resources1=VCPU:1&resources2=MEMORY_MB:1&same_subtree=1,2&group_policy=none",
			[]tree{{Name: "cn", Children: []tree{
				{Name: "numa1", Inventories: inventories{placement.VCPU: upTo(4)}, Children: []tree{{Name: "dimm1", Inventories: inventories{placement.MemoryMB: upTo(4)}}}},
				{Name: "numa2", Inventories: inventories{placement.VCPU: upTo(4), placement.MemoryMB: upTo(4)}},
			}}},
			[]string{"[1:numa1][2:dimm1] dimm1:MEMORY_MB=1 numa1:VCPU=1", "[1:numa2][2:numa2] numa2:MEMORY_MB=1 numa2:VCPU=1"},
		},
		{
			"FPGA and VCPU of one NUMA node, through a group without resources",
			"resources_A=FPGA:1&required_N=HW_NUMA_ROOT&resources_C=VCPU:1&same_subtree=_A,_N,_C&group_policy=none",
			[]tree{{Name: "cn", Children: []tree{
				{Name: "numa1", Traits: numa, Inventories: inventories{placement.VCPU: upTo(4)}, Children: []tree{{Name: "fpga1", Inventories: inventories{placement.FPGA: upTo(1)}}}},
				{Name: "numa2", Traits: numa, Inventories: inventories{placement.VCPU: upTo(4)}, Children: []tree{{Name: "fpga2", Inventories: inventories{placement.FPGA: upTo(1)}}}},
			}}},
			[]string{"[_A:fpga1][_N:numa1][_C:numa1] fpga1:FPGA=1 numa1:VCPU=1", "[_A:fpga2][_N:numa2][_C:numa2] fpga2:FPGA=1 numa2:VCPU=1"},
		},
		{
			"isolated VFs come from different PFs", "resources1=SRIOV_NET_VF:1&resources2=SRIOV_NET_VF:1&group_policy=isolate",
			[]tree{{Name: "cn", Children: []tree{
				{Name: "pf1", Inventories: inventories{"SRIOV_NET_VF": upTo(8)}}, {Name: "pf2", Inventories: inventories{"SRIOV_NET_VF": upTo(8)}},
			}}},
			[]string{"[1:pf1][2:pf2] pf1:SRIOV_NET_VF=1 pf2:SRIOV_NET_VF=1", "[1:pf2][2:pf1] pf1:SRIOV_NET_VF=1 pf2:SRIOV_NET_VF=1"},
		},
		{
			"all reserved is never a candidate", "resources=VCPU:1",
			[]tree{{Name: "cn", Inventories: inventories{placement.VCPU: units(8, 8, 16)}}},
			nil,
		},
		{
			"the capacity checked is not truncated", "resources=VCPU:2",
			[]tree{{Name: "cn", Inventories: inventories{placement.VCPU: units(3, 0, 0.7)}}},
			[]string{"[cn] cn:VCPU=2"},
		},
		{
			"the same class in the un-suffixed and in a suffixed group is summed", "resources=VCPU:3&resources1=VCPU:2",
			[]tree{
				{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(4)}},
				{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(5)}},
			},
			[]string{"[cn2][1:cn2] cn2:VCPU=5"},
		},
		{
			"max_unit is asked of the sum, step_size of each group", "resources1=VCPU:2&resources2=VCPU:2&group_policy=none",
			[]tree{
				{Name: "cn1", Inventories: inventories{placement.VCPU: {Total: 8, MinUnit: 1, MaxUnit: 3, StepSize: 2, AllocationRatio: 1}}},
				{Name: "cn2", Inventories: inventories{placement.VCPU: {Total: 8, MinUnit: 1, MaxUnit: 4, StepSize: 2, AllocationRatio: 1}}},
			},
			[]string{"[1:cn2][2:cn2] cn2:VCPU=4"},
		},
		{
			"in_tree shuts out the sharing providers of other trees", "resources=VCPU:1,DISK_GB:1&in_tree=" + modeltest.ProviderID("cn1").String(),
			[]tree{
				{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg},
				{Name: "pool", Inventories: inventories{placement.DiskGB: upTo(1000)}, Aggregates: agg, Traits: shares},
			},
			nil,
		},
		{
			"a forbidden aggregate of the root bars its tree", "resources=VGPU:1&member_of=!" + modeltest.AggregateID("1").String(),
			[]tree{
				{Name: "cn1", Aggregates: agg, Children: []tree{{Name: "card1", Inventories: inventories{placement.VGPU: upTo(1)}}}},
				{Name: "cn2", Children: []tree{{Name: "card2", Inventories: inventories{placement.VGPU: upTo(1)}}}},
			},
			[]string{"[card2] card2:VGPU=1"},
		},
		{
			"a group that only forbids finds nothing", "resources1=VCPU:1&required2=!HW_NUMA_ROOT&same_subtree=1,2&group_policy=none",
			[]tree{{Name: "cn", Inventories: inventories{placement.VCPU: upTo(8)}}},
			nil,
		},
		{
			"a uuid in another form names the same aggregate", "resources=VCPU:1&member_of=" + "{" + modeltest.AggregateID("1").String() + "}",
			[]tree{{Name: "cn", Inventories: inventories{placement.VCPU: upTo(8)}, Aggregates: agg}},
			[]string{"[cn] cn:VCPU=1"},
		},
		{
			"amounts beyond int32 fit nowhere", "resources=VCPU:2147483648",
			[]tree{{Name: "cn", Inventories: inventories{placement.VCPU: units(placement.MaxInt, 0, 16)}}},
			nil,
		},
		{
			"the largest amount fits", "resources=VCPU:2147483647",
			[]tree{{Name: "cn", Inventories: inventories{placement.VCPU: units(placement.MaxInt, 0, placement.MaxRatio)}}},
			[]string{"[cn] cn:VCPU=2147483647"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.Ledger(t, c.trees)
			must.Match(t, c.want, short(search(t, s, parse(t, s, c.url), candidates.Options{})))
		})
	}
}

// TestOlderMicroversions checks what older clients get.
func TestOlderMicroversions(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []tree{
		{Name: "cn1", Inventories: inventories{placement.VCPU: upTo(8), placement.MemoryMB: upTo(8)}, Children: []tree{
			{Name: "card1", Inventories: inventories{placement.VGPU: upTo(2)}},
		}},
		{Name: "cn2", Inventories: inventories{placement.VCPU: upTo(8), placement.VGPU: upTo(2)}},
	})
	for _, c := range []struct {
		version   microversion.Placement
		want      []string
		summaries []string
	}{
		{29, []string{"card1:VGPU=1 cn1:VCPU=1", "cn2:VCPU=1 cn2:VGPU=1"}, []string{"cn1:VCPU,MEMORY_MB", "card1:VGPU", "cn2:VCPU,VGPU"}},
		{28, []string{"cn2:VCPU=1 cn2:VGPU=1"}, []string{"cn2:VCPU,VGPU"}},
		{10, []string{"cn2:VCPU=1 cn2:VGPU=1"}, []string{"cn2:VCPU,VGPU"}},
	} {
		q := must.Get(candidates.ParseURL("resources=VCPU:1,VGPU:1", c.version, s))(t)
		r := search(t, s, q, candidates.Options{})
		var got []string
		for _, a := range r.All() {
			var parts []string
			for _, u := range a.Uses {
				parts = append(parts, u.Provider.Name()+":"+string(s.ClassName(u.Class))+"="+itoa(u.Amount))
			}
			got = append(got, sorted(parts))
		}
		slices.Sort(got)
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s:\n%s", c.version, d)
		}
		var summaries []string
		for p := range r.Summaries() {
			line := p.Provider.Name() + ":"
			for i, iu := range p.Resources {
				if i > 0 {
					line += ","
				}
				line += string(s.ClassName(iu.Class))
			}
			summaries = append(summaries, line)
		}
		if d := cmp.Diff(c.summaries, summaries); d != "" {
			t.Errorf("%s, summaries:\n%s", c.version, d)
		}
	}
	q, _ := candidates.ParseURL("resources=MEMORY_MB:1", 26, s)
	for p := range search(t, s, q, candidates.Options{}).Summaries() {
		if len(p.Resources) != 1 || s.ClassName(p.Resources[0].Class) != placement.MemoryMB {
			t.Errorf("below 1.27 %s shows %v, not only what was asked for", p.Provider.Name(), p.Resources)
		}
	}
	for v, want := range map[microversion.Placement]candidates.Shape{
		11: {}, 12: {ByProvider: true}, 17: {ByProvider: true, Traits: true},
		29: {ByProvider: true, Traits: true, Trees: true}, 34: {ByProvider: true, Traits: true, Trees: true, Mappings: true},
	} {
		if got := candidates.ShapeAt(v); got != want {
			t.Errorf("%s shows %+v, not %+v", v, got, want)
		}
	}
}

func TestParseMicroversion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]microversion.Placement{"latest": 39, "1.39": 39, "1.0": 0, "1.9": 9} {
		if v, err := microversion.ParsePlacement(text); err != nil || v != want {
			t.Errorf("%s: %v, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "1", "1.40", "2.0", "1.-1", "1.09", "1.x"} {
		if v, err := microversion.ParsePlacement(text); err == nil {
			t.Errorf("%q is read as %s", text, v)
		}
	}
}
