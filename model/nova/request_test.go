package nova_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// flavor returns a flavor of 2 CPUs, 4 GiB and 20 GB of disk with the given extra specs,
// as "key=value".
func flavor(name string, specs ...string) *nova.Flavor {
	f := &nova.Flavor{Name: name, FlavorID: name, VCPUs: 2, MemoryMB: 4096, RootGB: 20, ExtraSpecs: map[string]string{}}
	for _, s := range specs {
		key, value, _ := strings.Cut(s, "=")
		f.ExtraSpecs[key] = value
	}
	return f
}

// group returns a request group that does not come from the flavor.
func group(suffix string, class placement.ResourceClass, amount int64, traits ...placement.Trait) candidates.Group {
	g := candidates.Group{Suffix: suffix, Resources: []candidates.Resource{{Class: class, Amount: amount}}}
	for _, t := range traits {
		g.Required = append(g.Required, candidates.AnyTrait{Names: []placement.Trait{t}})
	}
	return g
}

// compute returns a nova-compute of a host and version.
func compute(host string, version int, edit ...func(*nova.Service)) *nova.Service {
	s := &nova.Service{Host: host, Binary: nova.Compute, Version: version, LastSeenUp: modeltest.At(0).UnixMilli()}
	for _, f := range edit {
		f(s)
	}
	return s
}

// ledger returns a ledger of the given records.
func ledger(t testing.TB, records ...versioned.Record) *nova.Snapshot {
	t.Helper()
	s := must.Get(nova.Load(records))(t)
	return s
}

// upgraded returns a cloud whose only compute is upgraded.
func upgraded(t testing.TB, records ...versioned.Record) *nova.Snapshot {
	t.Helper()
	return ledger(t, append(records, compute("compute1", nova.VersionOwnerNova))...)
}

func ask(t testing.TB, s *nova.Snapshot, spec nova.RequestSpec, o nova.AskOptions) nova.Request {
	t.Helper()
	r := must.Get(s.Ask(spec, o))(t)
	return r
}

// What a resize between the owners asks for, and an instance with devices of both.
func TestAskOfTwoOwners(t *testing.T) {
	t.Parallel()
	s := upgraded(t)
	profile := []candidates.Group{group("device_profile_0", placement.VGPU, 1, placement.OwnerCyborg)}
	const base = "resources=VCPU:2,MEMORY_MB:4096,DISK_GB:20&required=OWNER_NOVA,!OWNER_CYBORG"
	big := flavor("vgpu.cyborg", "accel:device_profile=dp-vgpu")
	big.VCPUs, big.MemoryMB = 4, 8192
	for _, tt := range []struct {
		name string
		spec nova.RequestSpec
		want string
	}{
		{
			"forward, to Cyborg's VGPU",
			nova.RequestSpec{Flavor: big, Devices: profile},
			"resources=VCPU:4,MEMORY_MB:8192,DISK_GB:20&required=OWNER_NOVA,!OWNER_CYBORG&resourcesdevice_profile_0=VGPU:1&requireddevice_profile_0=OWNER_CYBORG" +
				"&root_required=OWNER_NOVA,COMPUTE_ACCELERATORS,!COMPUTE_STATUS_DISABLED&limit=1000",
		},
		{
			"reverse, to Nova's VGPU",
			nova.RequestSpec{Flavor: flavor("vgpu.nova", "resources1:VGPU=1")},
			base + "&resources1=VGPU:1&required1=OWNER_NOVA&root_required=OWNER_NOVA,!COMPUTE_STATUS_DISABLED&limit=1000",
		},
		{
			"one instance, both owners",
			nova.RequestSpec{Flavor: flavor("vgpu.both", "resources1:VGPU=1", "accel:device_profile=dp-vgpu"), Devices: profile},
			base + "&resources1=VGPU:1&required1=OWNER_NOVA&resourcesdevice_profile_0=VGPU:1&requireddevice_profile_0=OWNER_CYBORG&group_policy=none" +
				"&root_required=OWNER_NOVA,COMPUTE_ACCELERATORS,!COMPUTE_STATUS_DISABLED&limit=1000",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			must.Match(t, tt.want, ask(t, s, tt.spec, nova.AskOptions{}).Query.URL())
		})
	}
	if profile[0].Required[0].Origin != "" || len(profile[0].Required) != 1 {
		t.Error("the caller's groups were written to")
	}
}

// The cloud of the worked example: Nova's request for a VGPU accepts Cyborg's too if an
// owner is required only of the root, as merged upstream.
func TestFormsOfTheOwnerFilterDiffer(t *testing.T) {
	t.Parallel()
	a := []placement.AggregateID{modeltest.AggregateID("A")}
	disk := placement.NewInventory(1000)
	p := modeltest.Ledger(t, []modeltest.Provider{
		{
			Name: "cn1", Aggregates: a, Traits: []placement.Trait{placement.OwnerNova},
			Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8), placement.MemoryMB: placement.NewInventory(16384)},
			Children: []modeltest.Provider{
				{Name: "N1", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(4)}, Traits: []placement.Trait{placement.OwnerNova}},
				{Name: "Y1", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(2)}, Traits: []placement.Trait{placement.OwnerCyborg}},
			},
		},
		{Name: "ss1", Inventories: modeltest.Inventories{placement.DiskGB: disk}, Aggregates: a, Traits: []placement.Trait{placement.SharesViaAggregate}},
	})
	for _, tt := range []struct {
		form  nova.OwnerFilter
		specs []string
		want  []string // the providers of the VGPU
		terms string
	}{
		{nova.OwnerOnGroups, []string{"resources:VGPU=1"}, []string{"N1"}, "root_required=OWNER_NOVA required=OWNER_NOVA required=!OWNER_CYBORG"},
		{nova.OwnerOnRoot, []string{"resources:VGPU=1"}, []string{"N1", "Y1"}, "root_required=OWNER_NOVA"},
		{nova.OwnerOff, []string{"resources:VGPU=1"}, []string{"N1", "Y1"}, ""},
		{nova.OwnerOnGroups, []string{"resources1:VGPU=1"}, []string{"N1"}, "root_required=OWNER_NOVA required=OWNER_NOVA required=!OWNER_CYBORG required1=OWNER_NOVA"},
		{nova.OwnerOnRoot, []string{"resources1:VGPU=1"}, []string{"N1", "Y1"}, "root_required=OWNER_NOVA"},
	} {
		t.Run(string(tt.form)+" "+tt.specs[0], func(t *testing.T) {
			t.Parallel()
			s := upgraded(t, &nova.Config{OwnerFilter: tt.form})
			r := ask(t, s, nova.RequestSpec{Flavor: flavor("vgpu", tt.specs...)}, nova.AskOptions{Placement: p})
			question := must.Get(candidates.NewIndex(p).Ask(r.Query))(t)
			var got []string
			found := question.Search(candidates.Options{})
			for i := range found.Len() {
				for _, u := range found.AppendUses(nil, i) {
					if p.ClassName(u.Class) == placement.VGPU {
						got = append(got, u.Provider.Name())
					}
				}
			}
			slices.Sort(got)
			must.Match(t, tt.want, got)
			must.Be(t, terms(r, nova.FilterOwner), tt.terms)
		})
	}
}

// terms returns what a pre-filter added to a request.
func terms(r nova.Request, name string) string {
	var out []string
	for _, p := range r.Prefilters {
		if p.Name != name {
			continue
		}
		for _, t := range p.Terms {
			out = append(out, t.String())
		}
	}
	return strings.Join(out, " ")
}

func TestFlavorToRequest(t *testing.T) {
	t.Parallel()
	sized := func(edit func(*nova.Flavor), specs ...string) *nova.Flavor {
		f := flavor("m1", specs...)
		edit(f)
		return f
	}
	const rest = ",MEMORY_MB:4096,DISK_GB:20"
	for _, tt := range []struct {
		name string
		spec nova.RequestSpec
		want string
	}{
		{"vcpus, memory and disk", nova.RequestSpec{Flavor: flavor("m1")}, "resources=VCPU:2" + rest},
		{"no root disk when booted from a volume", nova.RequestSpec{Flavor: flavor("m1"), BootFromVolume: true}, "resources=VCPU:2,MEMORY_MB:4096"},
		{
			"swap is MiB, rounded up",
			nova.RequestSpec{Flavor: sized(func(f *nova.Flavor) { f.SwapMB = 1 })},
			"resources=VCPU:2,MEMORY_MB:4096,DISK_GB:21",
		},
		{
			"swap that is whole is not rounded",
			nova.RequestSpec{Flavor: sized(func(f *nova.Flavor) { f.SwapMB, f.EphemeralGB = 2048, 5 }), BootFromVolume: true},
			"resources=VCPU:2,MEMORY_MB:4096,DISK_GB:7",
		},
		{
			"the largest amounts",
			nova.RequestSpec{Flavor: sized(func(f *nova.Flavor) {
				f.VCPUs, f.MemoryMB, f.RootGB = placement.MaxInt, placement.MaxInt, placement.MaxInt
			}, "resources:CUSTOM_X=2147483647")},
			"resources=VCPU:2147483647,MEMORY_MB:2147483647,DISK_GB:2147483647,CUSTOM_X:2147483647",
		},
		{"an amount of the extra specs replaces the flavor's", nova.RequestSpec{Flavor: flavor("m1", "resources:VCPU=8", "resources:MEMORY_MB=1")}, "resources=VCPU:8,MEMORY_MB:1,DISK_GB:20"},
		{"in whatever group", nova.RequestSpec{Flavor: flavor("m1", "resources1:VCPU=8")}, "resources=MEMORY_MB:4096,DISK_GB:20&resources1=VCPU:8"},
		{"0 takes the class out", nova.RequestSpec{Flavor: flavor("m1", "resources:VCPU=0")}, "resources=MEMORY_MB:4096,DISK_GB:20"},
		{"also of a group, which then is none", nova.RequestSpec{Flavor: flavor("m1", "resources_A:VGPU=0")}, "resources=VCPU:2" + rest},
		{
			"bare metal",
			nova.RequestSpec{Flavor: flavor("m1", "resources:VCPU=0", "resources:MEMORY_MB=0", "resources:DISK_GB=0", "resources:CUSTOM_BAREMETAL_GOLD=1")},
			"resources=CUSTOM_BAREMETAL_GOLD:1",
		},
		{"PCPU instead of VCPU", nova.RequestSpec{Flavor: flavor("m1", "resources:PCPU=2")}, "resources=PCPU:2" + rest},
		{"dedicated CPUs", nova.RequestSpec{Flavor: flavor("m1", "hw:cpu_policy=dedicated")}, "resources=PCPU:2" + rest},
		{"shared CPUs", nova.RequestSpec{Flavor: flavor("m1", "hw:cpu_policy=shared")}, "resources=VCPU:2" + rest},
		{"the emulator's own CPU", nova.RequestSpec{Flavor: flavor("m1", "hw:cpu_policy=dedicated", "hw:emulator_threads_policy=isolate")}, "resources=PCPU:3" + rest},
		{"threads of a core", nova.RequestSpec{Flavor: flavor("m1", "hw:cpu_policy=dedicated", "hw:cpu_thread_policy=require")}, "resources=PCPU:2" + rest + "&required=HW_CPU_HYPERTHREADING"},
		{"cores without threads", nova.RequestSpec{Flavor: flavor("m1", "hw:cpu_policy=dedicated", "hw:cpu_thread_policy=isolate")}, "resources=PCPU:2" + rest + "&required=!HW_CPU_HYPERTHREADING"},
		{
			"mixed CPUs",
			nova.RequestSpec{Flavor: sized(func(f *nova.Flavor) { f.VCPUs = 8 }, "hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=0-3,^1,6")},
			"resources=VCPU:4,PCPU:4" + rest,
		},
		{
			"mixed CPUs, all but some",
			nova.RequestSpec{Flavor: sized(func(f *nova.Flavor) { f.VCPUs = placement.MaxInt }, "hw:cpu_policy=mixed", "hw:cpu_dedicated_mask=^0,^1")},
			"resources=VCPU:2,PCPU:2147483645" + rest,
		},
		{"traits", nova.RequestSpec{Flavor: flavor("m1", "trait:CUSTOM_A=required", "trait:CUSTOM_B=forbidden")}, "resources=VCPU:2" + rest + "&required=CUSTOM_A,!CUSTOM_B"},
		{"traits of a group", nova.RequestSpec{Flavor: flavor("m1", "resources1:VGPU=1", "trait1:CUSTOM_A=required")}, "resources=VCPU:2" + rest + "&resources1=VGPU:1&required1=CUSTOM_A"},
		{"traits of the image", nova.RequestSpec{Flavor: flavor("m1", "trait:CUSTOM_A=required"), ImageTraits: []placement.Trait{"CUSTOM_A", "CUSTOM_C"}}, "resources=VCPU:2" + rest + "&required=CUSTOM_A,CUSTOM_C"},
		{
			"groups by number, then by name, and a policy",
			nova.RequestSpec{Flavor: flavor("m1", "resources10:VGPU=1", "resources2:VGPU=1", "resources_A:FPGA=1", "group_policy=isolate")},
			"resources=VCPU:2" + rest + "&resources2=VGPU:1&resources10=VGPU:1&resources_A=FPGA:1&group_policy=isolate",
		},
		{
			"groups of others keep their suffix, and may overlap",
			nova.RequestSpec{
				Flavor: flavor("m1"), PCI: []candidates.Group{group("req-0", "CUSTOM_PCI_10DE_1EB8", 1)},
				Ports: []candidates.Group{group("port1", "NET_BW_EGR_KILOBIT_PER_SEC", 1000)},
			},
			"resources=VCPU:2" + rest + "&resourcesreq-0=CUSTOM_PCI_10DE_1EB8:1&resourcesport1=NET_BW_EGR_KILOBIT_PER_SEC:1000&group_policy=none",
		},
		{"what is not Placement's", nova.RequestSpec{Flavor: flavor("m1", "quota:cpu_shares=1", "hw:watchdog_action=reset", "resourceful=1")}, "resources=VCPU:2" + rest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Limit = -1
			r := ask(t, nova.Empty(), tt.spec, nova.AskOptions{Switch: map[string]bool{nova.FilterStatus: false, nova.FilterOwner: false}})
			must.Match(t, tt.want, r.Query.URL())
			if len(r.Warnings) > 0 {
				t.Errorf("warnings %q", r.Warnings)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{0: 1000, 7: 7, -1: 0} {
		if got := ask(t, nova.Empty(), nova.RequestSpec{Flavor: flavor("m1"), Limit: limit}, nova.AskOptions{}).Query.Limit; got != want {
			t.Errorf("limit %d is asked as %d, want %d", limit, got, want)
		}
	}
}

// Every term has an origin.
func TestOrigins(t *testing.T) {
	t.Parallel()
	node := &nova.ComputeNode{UUID: modeltest.ProviderID("compute1"), Host: "compute1", Hostname: "compute1"}
	f := flavor("m1.vgpu", "resources1:VGPU=1", "trait1:CUSTOM_X=required", "accel:device_profile=dp-vgpu")
	f.SwapMB = 512
	r := ask(t, upgraded(t, node), nova.RequestSpec{
		Flavor: f, Host: "compute1", ImageTraits: []placement.Trait{"HW_CPU_X86_AVX"},
		Devices: []candidates.Group{group("device_profile_0", placement.VGPU, 1, "CUSTOM_T4")},
	}, nova.AskOptions{})
	var got []string
	add := func(term, origin string) { got = append(got, term+": "+origin) }
	for _, g := range r.Query.Groups {
		for _, x := range g.Resources {
			add(string(x.Class), x.Origin)
		}
		for _, x := range g.Required {
			add(string(x.Names[0]), x.Origin)
		}
		for _, x := range g.Forbidden {
			add("!"+string(x.Name), x.Origin)
		}
		if g.InTree != "" {
			add("in_tree", g.InTreeOrigin)
		}
	}
	for _, x := range slices.Concat(r.Query.Root.Required, r.Query.Root.Forbidden) {
		add(string(x.Name), x.Origin)
	}
	add(r.Query.Anchors.Name, r.Query.Anchors.Origin)
	want := []string{
		"VCPU: flavor m1.vgpu: vcpus", "MEMORY_MB: flavor m1.vgpu: memory_mb", "DISK_GB: flavor m1.vgpu: root_gb, swap",
		"OWNER_NOVA: pre-filter owner_nova_filter", "HW_CPU_X86_AVX: image trait:HW_CPU_X86_AVX=required",
		"!OWNER_CYBORG: pre-filter owner_nova_filter",
		"VGPU: extra spec resources1:VGPU", "OWNER_NOVA: pre-filter owner_nova_filter", "CUSTOM_X: extra spec trait1:CUSTOM_X",
		"VGPU: device profile dp-vgpu group 0", "OWNER_CYBORG: pre-filter owner_nova_filter", "CUSTOM_T4: device profile dp-vgpu group 0",
		"OWNER_NOVA: pre-filter owner_nova_filter", "COMPUTE_ACCELERATORS: pre-filter accelerators_filter",
		"COMPUTE_STATUS_DISABLED: pre-filter compute_status_filter", "compute1: forced host compute1",
	}
	must.Match(t, want, got)
}

// An instance is placed again as it was first placed: everything in its record counts.
func TestRequestSpecOfInstance(t *testing.T) {
	t.Parallel()
	i := instance("vm1", func(i *nova.Instance) {
		i.BootFromVolume, i.ImageTraits, i.Zone = true, []placement.Trait{"CUSTOM_A"}, "az-1"
	})
	zone := aggregate("zone", "availability_zone=az-1")
	tenant := aggregate("tenant", "filter_tenant_id=project")
	q := ask(t, ledger(t, zone, tenant, &nova.Config{On: []string{nova.FilterTenant}}), i.RequestSpec(flavor("m1")), nova.AskOptions{}).Query
	g, _ := q.Group("")
	if slices.ContainsFunc(g.Resources, func(r candidates.Resource) bool { return r.Class == placement.DiskGB }) || len(g.Required) != 1 || len(g.MemberOf) != 2 {
		t.Errorf("query %s", q.URL())
	}
}

// A forced host limits the request to the trees of its compute nodes, and adds nothing to
// any group: what shares with them may serve.
func TestForcedHost(t *testing.T) {
	t.Parallel()
	node := func(host, name string) *nova.ComputeNode {
		return &nova.ComputeNode{UUID: modeltest.ProviderID(name), Host: host, Hostname: name}
	}
	snap := upgraded(t, node("ironic", "a"), node("ironic", "b"), node("cmp-1", "c"))
	for host, want := range map[string][]placement.ProviderID{
		"":       nil,
		"cmp-1":  {modeltest.ProviderID("c")},
		"ironic": {modeltest.ProviderID("a"), modeltest.ProviderID("b")},
	} {
		q := ask(t, snap, nova.RequestSpec{Flavor: flavor("m1"), Host: host}, nova.AskOptions{}).Query
		got := slices.Clone(q.Anchors.Roots)
		slices.SortFunc(got, func(a, b placement.ProviderID) int { return slices.Index(want, a) - slices.Index(want, b) })
		if g, _ := q.Group(""); g.InTree != "" || !slices.Equal(got, want) || q.Anchors.Name != host || q.Limit != 1000 {
			t.Errorf("%q: anchors %+v, in_tree %q, limit %d", host, q.Anchors, g.InTree, q.Limit)
		}
	}
	_, err := snap.Ask(nova.RequestSpec{Flavor: flavor("m1"), Host: "nowhere"}, nova.AskOptions{})
	must.Fail(t, err, placement.ErrNotFound)
}

// An instance is to hold what is asked for, by group and by owner.
func TestAmounts(t *testing.T) {
	t.Parallel()
	spec := nova.RequestSpec{
		Flavor:  flavor("both", "resources1:VGPU=1", "resources2:VGPU=0", "group_policy=none", "accel:device_profile=dp"),
		Devices: []candidates.Group{group("device_profile_0", placement.VGPU, 2)},
		Ports:   []candidates.Group{group("port", "NET_BW_EGR_KILOBIT_PER_SEC", 1000)},
	}
	got := must.Get(nova.Amounts(spec))(t)
	type amounts = map[placement.ResourceClass]int64
	want := []nova.RequestGroup{
		{Suffix: "", Source: nova.FromFlavor, Amounts: amounts{placement.VCPU: 2, placement.MemoryMB: 4096, placement.DiskGB: 20}},
		{Suffix: "1", Source: nova.FromFlavor, Amounts: amounts{placement.VGPU: 1}},
		{Suffix: "port", Source: nova.FromPort, Amounts: amounts{"NET_BW_EGR_KILOBIT_PER_SEC": 1000}},
		{Suffix: "device_profile_0", Source: nova.FromDeviceProfile, Amounts: amounts{placement.VGPU: 2}},
	}
	must.Match(t, want, got)
	must.Match(t, want, ask(t, upgraded(t), spec, nova.AskOptions{}).Groups)
	must.Match(t, int64(3), nova.Total(got)[placement.VGPU])
	must.Match(t, amounts{placement.VGPU: 2}, nova.Total(got, placement.OwnedByCyborg))
	must.Match(t, int64(1), nova.Total(got, placement.OwnedByNova)[placement.VGPU])
	must.Fail(t, must.Err(nova.Amounts(nova.RequestSpec{Flavor: flavor("m1", "hw:cpu_policy=x")})), placement.ErrInvalid)
}
