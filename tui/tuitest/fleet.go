package tuitest

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Fleet returns a cloud that Nova and Cyborg know too: four hosts with cards of
// both, of which one is in maintenance and one has no owner yet; computes that
// hold the gate; flavors that fit, that fit nowhere, and that cannot be asked
// for; instances on the move, and accelerator requests that failed.
func Fleet(tb testing.TB) *Cloud {
	tb.Helper()
	f := &fleet{Cloud: NewCloud(cloud.Empty()), tb: tb}
	f.hosts()
	f.cards()
	f.services()
	f.flavors()
	f.instances()
	f.moves()
	return f.Cloud
}

// SoundFleet is the Fleet with all computes of cell1 up, and cmp-3 in a cell that is not
// known, so that moves may go there.
func SoundFleet(tb testing.TB) *Cloud {
	tb.Helper()
	f := &fleet{Cloud: NewCloud(Fleet(tb).Snapshot()), tb: tb}
	f.put(compute("cmp-2", "cell1", 73, 0), compute("cmp-3", "", 66, 5*time.Second))
	return f.Cloud
}

// fleet is a cloud that is being made.
type fleet struct {
	*Cloud
	tb testing.TB
}

// must applies a change that must be accepted.
func (f *fleet) must(c cloud.Change) {
	f.tb.Helper()
	must.Succeed(f.tb, f.Change(c))
}

// put writes records of Nova's.
func (f *fleet) put(records ...versioned.Record) {
	f.tb.Helper()
	var c nova.PutRecords
	for _, r := range records {
		modeltest.Put(&c, f.Snapshot().Nova(), r)
	}
	f.must(cloud.Change{Ops: []cloud.Op{c}})
}

// ago returns a time before Now, in milliseconds.
func ago(d time.Duration) int64 { return Now().Add(-d).UnixMilli() }

const day = 24 * time.Hour

// hosts makes the compute nodes cmp-1 to cmp-4, with a card of Nova's in every other one.
// The last lacks OWNER_NOVA.
func (f *fleet) hosts() {
	for n := 1; n <= 4; n++ {
		host := modeltest.Provider{
			Name: fmt.Sprint("cmp-", n),
			Inventories: modeltest.Inventories{
				placement.VCPU: placement.NewInventory(32), placement.MemoryMB: placement.NewInventory(131072), placement.DiskGB: placement.NewInventory(1000),
			},
			Traits: []placement.Trait{placement.ComputeNode, "COMPUTE_ACCELERATORS"},
		}
		if n < 4 {
			host.Traits = append(host.Traits, placement.OwnerNova)
		}
		if n%2 == 1 {
			host.Children = []modeltest.Provider{{
				Name: host.Name + "_pci_0000_41_00_0", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)},
				Traits: []placement.Trait{placement.OwnerNova, "CUSTOM_NVIDIA_A100"},
			}}
		}
		must.Succeed(f.tb, f.Do(host.Ops(placement.ProviderID{})...))
		f.put(&nova.ComputeNode{UUID: modeltest.ProviderID(host.Name), Host: host.Name, Hostname: host.Name})
	}
	must.Succeed(f.tb, f.Do(placement.CreateTrait{Name: "CUSTOM_GOLD"}))
}

// cards has Cyborg's agent report a T4 in cmp-1 and cmp-2, and an FPGA there that is in
// maintenance.
func (f *fleet) cards() {
	t4 := cyborg.Card{
		Address: pci.Address{Bus: 0x84}, Type: cyborg.GPU, Vendor: "10de", Product: "1eb8", Model: "Tesla T4",
		Parts: []cyborg.Part{{MdevType: "nvidia-222", MdevName: "GRID T4-2B", Units: 4}},
	}
	fpga := cyborg.Card{Address: pci.Address{Bus: 0xaf}, Type: cyborg.FPGA, Vendor: "8086", Product: "09c4", Model: "PAC A10"}
	for host, cards := range map[string][]cyborg.Card{"cmp-1": {t4}, "cmp-2": {t4, fpga}} {
		d := must.Get(cyborg.Discover(f.Snapshot().Cyborg(), f.Snapshot().Placement(), host, cards))(f.tb)
		f.must(cloud.Change{Ops: d.Placement})
		f.must(cloud.Change{At: Now().Add(-30 * day), Ops: d.Cyborg})
	}
	for d := range f.Snapshot().Cyborg().Devices() {
		if d.Type != cyborg.FPGA {
			continue
		}
		f.must(cloud.Change{Ops: append(f.Snapshot().Cyborg().StatusOps(f.Snapshot().Placement(), d.UUID, true), cyborg.DisableDevice{Device: d.UUID})})
		break
	}
	profiles := cloud.Change{At: Now().Add(-30 * day)}
	for _, p := range []cyborg.DeviceProfile{
		{Name: "t4-1", Groups: []map[string]string{{"resources:VGPU": "1", "trait:OWNER_CYBORG": "required"}}, Description: "a quarter of a T4"},
		{Name: "t4-pair", Groups: []map[string]string{{"resources:VGPU": "1"}, {"resources:VGPU": "1"}}},
		{Name: "fpga-1", Groups: []map[string]string{{"resources:FPGA": "1", "trait:CUSTOM_FPGA_INTEL": "required"}}},
	} {
		profiles.Ops = append(profiles.Ops, cyborg.CreateDeviceProfile{Profile: &p})
	}
	f.must(profiles)
}

// services writes the services of two cells: two computes are too old, one of which has
// been dead for long; one more is forced down and does not count.
func (f *fleet) services() {
	const up = 5 * time.Second
	dead, down := compute("cmp-4", "cell2", 61, 400*day), compute("cmp-9", "cell2", 61, 900*day)
	dead.Disabled, dead.DisabledReason, down.ForcedDown = true, "mainboard", true
	f.put(&nova.Cell{Name: "cell1"}, &nova.Cell{Name: "cell2"})
	f.put(
		dead, down, compute("cmp-3", "cell2", 66, up),
		&nova.Service{Host: "ctl-1", Binary: "nova-conductor", Cell: "cell1", Version: 73, LastSeenUp: ago(up)},
		&nova.Service{Host: "ctl-1", Binary: "nova-scheduler", Version: 73, LastSeenUp: ago(up)},
	)
	f.put(compute("cmp-1", "cell1", 73, up), compute("cmp-2", "cell1", 73, 5*time.Minute))
}

// compute returns the nova-compute of a host that reported a while ago.
func compute(host, cell string, version int, reported time.Duration) *nova.Service {
	return &nova.Service{Host: host, Binary: nova.Compute, Cell: cell, Version: version, LastSeenUp: ago(reported)}
}

// flavors writes the flavors of the instances, and some that nothing can have.
func (f *fleet) flavors() {
	for _, v := range []struct {
		name  string
		cpus  int64
		specs map[string]string
	}{
		{"cpu.large", 8, nil},
		{"gpu.a100.1", 4, map[string]string{"resources1:VGPU": "1", "trait1:CUSTOM_NVIDIA_A100": "required"}},
		{"gpu.both", 4, map[string]string{"resources1:VGPU": "1", "accel:device_profile": "t4-1"}},
		{"gpu.t4.1", 4, map[string]string{"accel:device_profile": "t4-1"}},
		{"gpu.t4.lost", 4, map[string]string{"accel:device_profile": "t4-9"}},
		{"gold.1", 4, map[string]string{"trait:CUSTOM_GOLD": "required"}},
		{"huge.1", 64, nil},
		{"rack.7", 2, map[string]string{"trait:CUSTOM_RACK_7": "required"}},
		{"typo.1", 2, map[string]string{"resources:VGPUS": "1"}},
	} {
		f.put(&nova.Flavor{
			Name: v.name, FlavorID: v.name, VCPUs: v.cpus, MemoryMB: v.cpus * 4096, RootGB: 40, ExtraSpecs: v.specs, Created: ago(60 * day),
		})
	}
}

// guest is an instance to be made.
type guest struct {
	name, flavor, host string
	on                 map[string]modeltest.Resources // what it holds outside root, by provider
	edit               func(*nova.Instance)
	age                time.Duration
}

// instances makes instances of each state with what they hold.
func (f *fleet) instances() {
	a100, t4 := "cmp-1_pci_0000_41_00_0", "cmp-1_0000:84:00.0"
	one := modeltest.Resources{placement.VGPU: 1}
	for _, g := range []guest{
		{name: "shop-web-1", flavor: "cpu.large", host: "cmp-3", age: 9 * day},
		{name: "shop-db-1", flavor: "cpu.large", host: "cmp-2", age: 90 * day, edit: func(i *nova.Instance) { i.VMState = nova.Stopped }},
		{name: "train-1", flavor: "gpu.a100.1", host: "cmp-1", age: 3 * day, on: map[string]modeltest.Resources{a100: one}},
		{name: "mixed-1", flavor: "gpu.both", host: "cmp-1", age: 2 * day, on: map[string]modeltest.Resources{a100: one, t4: one}},
		{name: "infer-1", flavor: "gpu.t4.1", host: "cmp-1", age: 20 * time.Hour, on: map[string]modeltest.Resources{t4: one}},
		{name: "infer-2", flavor: "gpu.t4.1", host: "cmp-1", age: time.Minute, edit: func(i *nova.Instance) {
			i.VMState, i.TaskState = nova.Building, nova.Spawning
		}, on: map[string]modeltest.Resources{t4: one}},
		{name: "infer-3", flavor: "gpu.t4.1", age: 2 * time.Hour, edit: func(i *nova.Instance) {
			i.VMState, i.Fault = nova.Broken, "no valid host was found"
		}},
	} {
		f.boot(g)
	}
}

// boot makes an instance as a boot leaves it: with its claim, and its accelerators bound
// if the profile of its flavor requests any.
func (f *fleet) boot(g guest) {
	f.tb.Helper()
	flavor, _ := f.Snapshot().Nova().FlavorNamed(g.flavor)
	i := &nova.Instance{
		UUID: modeltest.ConsumerID(g.name), Name: g.name, Project: "ml-train", User: "chen", Host: g.host, Flavor: g.flavor,
		VMState: nova.Active, Zone: "nova", Created: ago(g.age),
	}
	if g.edit != nil {
		g.edit(i)
	}
	f.put(i)
	if g.host == "" {
		return
	}
	f.claim(g.name, placement.InstanceConsumer, g.age, flavor, g.host, g.on)
	profile := flavor.DeviceProfile()
	if profile == "" {
		return
	}
	card := f.provider(g.host + "_0000:84:00.0")
	p, _ := f.Snapshot().Cyborg().DeviceProfile(profile)
	ids := must.Get(cyborg.ARQIDs(p, i.UUID))(f.tb)
	create, start := cyborg.CreateARQs{Profile: profile, Owner: i.UUID, Project: i.Project}, cyborg.StartBind{
		ARQs: ids, Instance: i.UUID, Host: g.host, Mappings: map[string][]placement.ProviderID{cyborg.GroupSuffix(0): {card}},
	}
	if i.VMState != nova.Building {
		f.must(cloud.Change{At: Now().Add(-g.age), Ops: []cloud.Op{create}})
		f.must(cloud.Change{Ops: []cloud.Op{start}})
		f.must(cloud.Change{Ops: []cloud.Op{cyborg.FinishBind{Instance: i.UUID}}})
		return
	}
	f.must(cloud.Change{At: Now().Add(-g.age), Ops: []cloud.Op{create, start}})
	var since cloud.Change // since when it has been binding is unknown
	for a := range f.Snapshot().Cyborg().ARQsOf(i.UUID) {
		modeltest.PutIn(&since, f.Snapshot(), a.Edit(func(a *cyborg.ARQ) { a.BindStart = 0 }))
	}
	f.must(since)
}

// provider returns the provider with a name, whoever made it.
func (f *fleet) provider(name string) placement.ProviderID {
	f.tb.Helper()
	p, ok := f.Snapshot().Placement().ProviderByName(name)
	if !ok {
		f.tb.Fatalf("no provider %s", name)
	}
	return p.ID()
}

// claim makes a consumer hold what a flavor takes from a host, and more on others.
func (f *fleet) claim(name string, typ placement.ConsumerType, age time.Duration, v *nova.Flavor, host string, on map[string]modeltest.Resources) {
	f.tb.Helper()
	all := map[string]modeltest.Resources{host: {placement.VCPU: v.VCPUs, placement.MemoryMB: v.MemoryMB, placement.DiskGB: v.RootGB}}
	maps.Copy(all, on)
	c := modeltest.Claim(name, nil)
	c.Type, c.Project, c.User = typ, "ml-train", "chen"
	for provider, amounts := range all {
		c.Allocations[f.provider(provider)] = amounts
	}
	f.must(cloud.Change{At: Now().Add(-age), Ops: []placement.Op{modeltest.Allocate(c)}})
}

// moves puts an instance between both owners' cards, waiting for confirmation, and writes
// migrations that are under way, ended and failed, and a request that could not be bound.
func (f *fleet) moves() {
	f.boot(guest{
		name: "train-2", flavor: "gpu.t4.1", host: "cmp-2", age: 30 * day, on: map[string]modeltest.Resources{"cmp-2_0000:84:00.0": {placement.VGPU: 1}},
		edit: func(i *nova.Instance) {
			i.VMState, i.OldFlavor, i.NewFlavor = nova.Resized, "gpu.a100.1", "gpu.t4.1"
		},
	})
	old, _ := f.Snapshot().Nova().FlavorNamed("gpu.a100.1")
	f.claim("resize of train-2", placement.MigrationConsumer, 20*time.Minute, old, "cmp-1", map[string]modeltest.Resources{"cmp-1_pci_0000_41_00_0": {placement.VGPU: 1}})
	move := func(name, instance string, typ nova.MigrationType, status nova.MigrationStatus, from, to string, began time.Duration, edit func(*nova.Migration)) {
		m := &nova.Migration{
			UUID: modeltest.ConsumerID(name), Instance: modeltest.ConsumerID(instance), Type: typ, Status: status, Source: from, Dest: to,
			Created: ago(began), Updated: ago(began / 2),
		}
		if edit != nil {
			edit(m)
		}
		f.put(m)
	}
	move("resize of train-2", "train-2", nova.Resize, nova.Finished, "cmp-1", "cmp-2", 20*time.Minute, func(m *nova.Migration) {
		m.OldFlavor, m.NewFlavor, m.Deadline = "gpu.a100.1", "gpu.t4.1", Now().Add(9*time.Minute).UnixMilli()
	})
	move("live of shop-web-1", "shop-web-1", nova.LiveMigration, nova.Migrating, "cmp-3", "cmp-2", time.Minute, nil)
	move("cold of shop-db-1", "shop-db-1", nova.ColdMigration, nova.Confirmed, "cmp-4", "cmp-2", 40*day, nil)
	move("resize of train-1", "train-1", nova.Resize, nova.Error, "cmp-1", "cmp-3", 2*day, func(m *nova.Migration) {
		m.OldFlavor, m.NewFlavor, m.Fault = "gpu.a100.1", "gpu.both", "no accelerator is free on cmp-3"
	})
	lost := uuid.NewSHA1(uuid.NameSpaceOID, []byte("lost"))
	var c cloud.Change
	modeltest.PutIn(&c, f.Snapshot(), &cyborg.ARQ{
		UUID: lost, State: cyborg.ARQBindFailed, Profile: "t4-1", Hostname: "cmp-1", Provider: f.provider("cmp-1_0000:84:00.0"),
		Instance: modeltest.ConsumerID("infer-3"), Project: "ml-train", Created: ago(2 * time.Hour), Fault: "no attach handle is free",
	})
	f.must(c)
}
