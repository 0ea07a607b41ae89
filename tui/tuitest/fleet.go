package tuitest

import (
	"cmp"
	"fmt"
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

// do makes a change that must be accepted, a while ago.
func (f *fleet) do(age time.Duration, ops ...cloud.Op) {
	f.tb.Helper()
	must.Succeed(f.tb, f.Change(cloud.Change{At: Now().Add(-age), Ops: ops}))
}

// put writes records.
func (f *fleet) put(records ...versioned.Record) {
	f.tb.Helper()
	var c cloud.Change
	for _, r := range records {
		modeltest.PutIn(&c, f.Snapshot(), r)
	}
	f.do(0, c.Ops...)
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
		f.do(0, host.Ops(placement.ProviderID{})...)
		f.put(&nova.ComputeNode{UUID: modeltest.ProviderID(host.Name), Host: host.Name, Hostname: host.Name})
	}
	f.do(0, placement.CreateTrait{Name: "CUSTOM_GOLD"})
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
		f.do(0, d.Placement...)
		f.do(30*day, d.Cyborg...)
	}
	for d := range f.Snapshot().Cyborg().Devices() {
		if d.Type == cyborg.FPGA {
			f.do(0, append(f.Snapshot().Cyborg().StatusOps(f.Snapshot().Placement(), d.UUID, true), cyborg.DisableDevice{Device: d.UUID})...)
		}
	}
	f.do(30*day,
		cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "t4-1", Groups: []words{{"resources:VGPU": "1", "trait:OWNER_CYBORG": "required"}}, Description: "a quarter of a T4"}},
		cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "t4-pair", Groups: []words{{"resources:VGPU": "1"}, {"resources:VGPU": "1"}}}},
		cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "fpga-1", Groups: []words{{"resources:FPGA": "1", "trait:CUSTOM_FPGA_INTEL": "required"}}}},
	)
}

// words are extra specs, or what a device profile requests.
type words = map[string]string

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
		specs words
	}{
		{"cpu.large", 8, nil},
		{"gpu.a100.1", 4, words{"resources1:VGPU": "1", "trait1:CUSTOM_NVIDIA_A100": "required"}},
		{"gpu.both", 4, words{"resources1:VGPU": "1", "accel:device_profile": "t4-1"}},
		{"gpu.t4.1", 4, words{"accel:device_profile": "t4-1"}},
		{"gpu.t4.lost", 4, words{"accel:device_profile": "t4-9"}},
		{"gold.1", 4, words{"trait:CUSTOM_GOLD": "required"}},
		{"huge.1", 64, nil},
		{"rack.7", 2, words{"trait:CUSTOM_RACK_7": "required"}},
		{"typo.1", 2, words{"resources:VGPUS": "1"}},
	} {
		f.put(&nova.Flavor{
			Name: v.name, FlavorID: v.name, VCPUs: v.cpus, MemoryMB: v.cpus * 4096, RootGB: 40, ExtraSpecs: v.specs, Created: ago(60 * day),
		})
	}
}

// instances makes instances of each state with what they hold.
func (f *fleet) instances() {
	const a100, t4 = "cmp-1_pci_0000_41_00_0", "cmp-1_0000:84:00.0"
	f.boot(9*day, &nova.Instance{Name: "shop-web-1", Flavor: "cpu.large", Host: "cmp-3"})
	f.boot(90*day, &nova.Instance{Name: "shop-db-1", Flavor: "cpu.large", Host: "cmp-2", VMState: nova.Stopped})
	f.boot(3*day, &nova.Instance{Name: "train-1", Flavor: "gpu.a100.1", Host: "cmp-1"}, a100)
	f.boot(2*day, &nova.Instance{Name: "mixed-1", Flavor: "gpu.both", Host: "cmp-1"}, a100, t4)
	f.boot(20*time.Hour, &nova.Instance{Name: "infer-1", Flavor: "gpu.t4.1", Host: "cmp-1"}, t4)
	f.boot(time.Minute, &nova.Instance{Name: "infer-2", Flavor: "gpu.t4.1", Host: "cmp-1", VMState: nova.Building, TaskState: nova.Spawning}, t4)
	f.boot(2*time.Hour, &nova.Instance{Name: "infer-3", Flavor: "gpu.t4.1", VMState: nova.Broken, Fault: "no valid host was found"})
}

// boot makes an instance as a boot leaves it: with its claim, one VGPU of each card, and
// its accelerators bound if the profile of its flavor requests any.
func (f *fleet) boot(age time.Duration, i *nova.Instance, cards ...string) {
	f.tb.Helper()
	i.UUID, i.Project, i.User, i.Zone, i.Created = modeltest.ConsumerID(i.Name), "ml-train", "chen", "nova", ago(age)
	i.VMState = cmp.Or(i.VMState, nova.Active)
	f.put(i)
	if i.Host == "" {
		return
	}
	flavor := f.claim(age, placement.InstanceConsumer, i.Name, i.Flavor, i.Host, cards...)
	profile := flavor.DeviceProfile()
	if profile == "" {
		return
	}
	p, _ := f.Snapshot().Cyborg().DeviceProfile(profile)
	create, start := cyborg.CreateARQs{Profile: profile, Owner: i.UUID, Project: i.Project}, cyborg.StartBind{
		ARQs: must.Get(cyborg.ARQIDs(p, i.UUID))(f.tb), Instance: i.UUID, Host: i.Host,
		Mappings: map[string][]placement.ProviderID{cyborg.GroupSuffix(0): {f.provider(i.Host + "_0000:84:00.0")}},
	}
	if i.VMState != nova.Building {
		f.do(age, create)
		f.do(0, start)
		f.do(0, cyborg.FinishBind{Instance: i.UUID})
		return
	}
	f.do(age, create, start)
	for a := range f.Snapshot().Cyborg().ARQsOf(i.UUID) {
		f.put(a.Edit(func(a *cyborg.ARQ) { a.BindStart = 0 })) // since when it has been binding is unknown
	}
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

// claim makes a consumer hold what a flavor takes from a host, and one VGPU of each card.
// It returns the flavor.
func (f *fleet) claim(age time.Duration, typ placement.ConsumerType, name, flavor, host string, cards ...string) *nova.Flavor {
	f.tb.Helper()
	v, _ := f.Snapshot().Nova().FlavorNamed(flavor)
	c := modeltest.Claim(name, nil)
	c.Type, c.Project, c.User = typ, "ml-train", "chen"
	c.Allocations[f.provider(host)] = modeltest.Resources{placement.VCPU: v.VCPUs, placement.MemoryMB: v.MemoryMB, placement.DiskGB: v.RootGB}
	for _, card := range cards {
		c.Allocations[f.provider(card)] = modeltest.Resources{placement.VGPU: 1}
	}
	f.do(age, modeltest.Allocate(c))
	return v
}

// moves puts an instance between both owners' cards, waiting for confirmation, and writes
// migrations that are under way, ended and failed, and a request that could not be bound.
func (f *fleet) moves() {
	f.boot(30*day, &nova.Instance{
		Name: "train-2", Flavor: "gpu.t4.1", Host: "cmp-2", VMState: nova.Resized, OldFlavor: "gpu.a100.1", NewFlavor: "gpu.t4.1",
	}, "cmp-2_0000:84:00.0")
	const resize = "resize of train-2"
	f.claim(20*time.Minute, placement.MigrationConsumer, resize, "gpu.a100.1", "cmp-1", "cmp-1_pci_0000_41_00_0")
	move := func(name, instance string, began time.Duration, m nova.Migration) {
		m.UUID, m.Instance, m.Created, m.Updated = modeltest.ConsumerID(name), modeltest.ConsumerID(instance), ago(began), ago(began/2)
		f.put(&m)
	}
	move(resize, "train-2", 20*time.Minute, nova.Migration{
		Type: nova.Resize, Status: nova.Finished, Source: "cmp-1", Dest: "cmp-2",
		OldFlavor: "gpu.a100.1", NewFlavor: "gpu.t4.1", Deadline: ago(-9 * time.Minute),
	})
	move("live of shop-web-1", "shop-web-1", time.Minute, nova.Migration{Type: nova.LiveMigration, Status: nova.Migrating, Source: "cmp-3", Dest: "cmp-2"})
	move("cold of shop-db-1", "shop-db-1", 40*day, nova.Migration{Type: nova.ColdMigration, Status: nova.Confirmed, Source: "cmp-4", Dest: "cmp-2"})
	move("resize of train-1", "train-1", 2*day, nova.Migration{
		Type: nova.Resize, Status: nova.Error, Source: "cmp-1", Dest: "cmp-3",
		OldFlavor: "gpu.a100.1", NewFlavor: "gpu.both", Fault: "no accelerator is free on cmp-3",
	})
	f.put(&cyborg.ARQ{
		UUID: uuid.NewSHA1(uuid.NameSpaceOID, []byte("lost")), State: cyborg.ARQBindFailed, Profile: "t4-1", Hostname: "cmp-1", Provider: f.provider("cmp-1_0000:84:00.0"),
		Instance: modeltest.ConsumerID("infer-3"), Project: "ml-train", Created: ago(2 * time.Hour), Fault: "no attach handle is free",
	})
}
