package modeltest

import (
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Noon is the time at which the tests of a World look at it.
func Noon() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

// WorldUUID is the uuid of a record of Cyborg's in a World, by name.
func WorldUUID(name string) uuid.UUID { return id("cyborg", name) }

// Record writes records of any ledger.
func (w *World) Record(records ...ledger.Row) *World {
	w.TB.Helper()
	var c cloud.Change
	for _, r := range records {
		PutIn(&c, w, r)
	}
	return w.Change(c)
}

// Instance writes the record of an instance.
func (w *World) Instance(name string, state nova.VMState) *World {
	w.TB.Helper()
	return w.Record(&nova.Instance{UUID: ConsumerID(name), Name: name, Project: "p", User: "u", VMState: state})
}

// Migration writes the record of migration m of instance i.
func (w *World) Migration(status nova.MigrationStatus) *World {
	w.TB.Helper()
	return w.Record(&nova.Migration{UUID: ConsumerID("m"), Instance: ConsumerID("i"), Type: nova.Resize, Status: status})
}

// EditInstance changes the record of instance i.
func (w *World) EditInstance(edit func(*nova.Instance)) {
	i, _ := w.Nova().Instance(ConsumerID("i"))
	w.Record(i.Edit(edit))
}

// Compute writes a nova-compute of a version, heard of a moment ago unless edit
// says otherwise.
func (w *World) Compute(host string, version int, edit ...func(*nova.Service)) *World {
	w.TB.Helper()
	svc := &nova.Service{Host: host, Binary: nova.Compute, Cell: "cell1", Version: version, LastSeenUp: Noon().Add(-time.Second).UnixMilli()}
	for _, e := range edit {
		e(svc)
	}
	return w.Record(svc)
}

// Services writes nova-compute services of the given versions on hosts s0, s1...
func (w *World) Services(versions ...int) *World {
	w.TB.Helper()
	for n, v := range versions {
		w.Record(&nova.Service{Host: "s" + string(rune('0'+n)), Binary: nova.Compute, Version: v, LastSeenUp: 1_000_000_000})
	}
	return w
}

// Computes writes the compute nodes of all roots with COMPUTE_NODE.
func (w *World) Computes() *World {
	w.TB.Helper()
	node, _ := w.Placement().TraitID(placement.ComputeNode)
	for p := range w.Placement().Providers() {
		if p.IsRoot() && p.HasTrait(node) {
			w.Record(&nova.ComputeNode{UUID: p.ID(), Host: p.Name(), Hostname: p.Name(), VCPUs: 8, MemoryMB: 8192})
		}
	}
	return w
}

// Running writes instance i of a flavor on h.
func (w *World) Running(flavor string) *World {
	w.TB.Helper()
	return w.Record(&nova.Instance{UUID: ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: flavor, VMState: nova.Active})
}

// Flavors makes three flavors: small takes what Holding says, gpu also a VGPU of
// Nova's, dev one of Cyborg's.
func (w *World) Flavors() *World {
	w.TB.Helper()
	return w.Record(&cyborg.DeviceProfile{UUID: WorldUUID("dp"), Name: "dp", Groups: []map[string]string{{"resources:VGPU": "1"}}}).
		Record(&nova.Flavor{Name: "small", FlavorID: "1", VCPUs: 1, MemoryMB: 1}).
		Record(&nova.Flavor{Name: "gpu", FlavorID: "2", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources:VGPU": "1"}}).
		Record(&nova.Flavor{Name: "dev", FlavorID: "3", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "dp"}})
}

// Holding is what an instance of small holds on h, and VGPUs of cards.
func Holding(cards ...string) map[string]Resources {
	out := map[string]Resources{"h": {placement.VCPU: 1, placement.MemoryMB: 1}}
	for _, c := range cards {
		out[c] = Resources{placement.VGPU: 1}
	}
	return out
}

// Pinned adds a host that reports PCPU and one that reports VCPU only, each with room for
// two instances of the flavor pin, whose CPUs are pinned.
func (w *World) Pinned() *World {
	return w.
		Provider("p", "", Resources{placement.PCPU: 8, placement.MemoryMB: 8192}, placement.ComputeNode, placement.OwnerNova).
		Provider("v", "", Resources{placement.VCPU: 8, placement.MemoryMB: 8192}, placement.ComputeNode, placement.OwnerNova).
		Record(&nova.Flavor{Name: "pin", VCPUs: 4, MemoryMB: 1024, ExtraSpecs: map[string]string{"hw:cpu_policy": "dedicated"}})
}

// Waiting makes instance i, which was resized from h to g at Noon, and is to be
// reverted at a deadline, 0 for none.
func (w *World) Waiting(deadline int64) *World {
	w.TB.Helper()
	return w.Node("h").Node("g").Flavors().
		Record(&nova.Instance{UUID: ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "g", Flavor: "small", OldFlavor: "small", NewFlavor: "small", VMState: nova.Resized}).
		Record(&nova.Migration{
			UUID: ConsumerID("m"), Instance: ConsumerID("i"), Type: nova.Resize, Status: nova.Finished, Source: "h", Dest: "g", OldFlavor: "small", NewFlavor: "small",
			Created: Noon().UnixMilli(), Deadline: deadline,
		}).
		Claim("i", placement.InstanceConsumer, map[string]Resources{"g": Holding()["h"]}).Claim("m", placement.MigrationConsumer, Holding())
}

// Card makes card c of Cyborg's below h, with the first inUse of its 4 attach handles in
// use, and bound requests of instance i.
func (w *World) Card(inUse, bound int) *World {
	w.TB.Helper()
	w.card("c", "h", inUse)
	for n := range bound {
		id := handle("c", n)
		w.Record(&cyborg.ARQ{
			UUID: WorldUUID("arq " + id), State: cyborg.ARQBound, Profile: "dp", Hostname: "h",
			Provider: ProviderID("c"), Instance: ConsumerID("i"), AttachHandle: WorldUUID(id),
		})
	}
	return w
}

// card makes a card of Cyborg's below a host, with a deployable of as many attach handles
// as it has VGPUs.
func (w *World) card(name, host string, inUse int) *World {
	w.TB.Helper()
	const total = 4
	device, deployable := WorldUUID("dev "+name), WorldUUID("dep "+name)
	w.Provider(name, host, Resources{placement.VGPU: total}, placement.OwnerCyborg).Record(
		&cyborg.Device{UUID: device, Type: cyborg.GPU, Hostname: host, Status: cyborg.Enabled},
		&cyborg.Deployable{UUID: deployable, Device: device, Name: name, Accelerators: total, Provider: ProviderID(name)},
	)
	for n := range total {
		w.Record(&cyborg.AttachHandle{UUID: WorldUUID(handle(name, n)), Deployable: deployable, Type: cyborg.AttachMdev, Info: "{}", InUse: n < inUse})
	}
	return w
}

// handle returns the name of an attach handle of a card.
func handle(card string, n int) string { return card + string(rune('a'+n)) }

// Stuck makes the first bound request of a card one whose device cannot be detached.
func (w *World) Stuck(of string) *World {
	w.TB.Helper()
	r, _ := w.Cyborg().ARQ(WorldUUID("arq ca"))
	return w.Record(r.Edit(func(r *cyborg.ARQ) { r.State, r.Instance = cyborg.ARQUnbindFailed, ConsumerID(of) }))
}

// Evacuated makes instance i, which was evacuated from h, with a card of Cyborg's there,
// to k; h is down still, or up again.
func (w *World) Evacuated(down bool) {
	w.TB.Helper()
	w.Node("h").Node("k").Card(1, 1).Compute("h", nova.VersionOwnerNova, func(s *nova.Service) { s.ForcedDown = down }).Compute("k", nova.VersionOwnerNova).
		Record(&nova.Instance{UUID: ConsumerID("i"), Name: "i", Project: "p", User: "u", Host: "k", VMState: nova.Active},
			&nova.Migration{UUID: ConsumerID("m"), Instance: ConsumerID("i"), Type: nova.Evacuation, Status: nova.Done, Source: "h", Dest: "k"}).
		Claim("i", placement.InstanceConsumer, map[string]Resources{"k": {placement.VCPU: 1}, "h": {placement.VCPU: 1}, "c": {placement.VGPU: 1}})
	r, _ := w.Cyborg().ARQ(WorldUUID("arq ca"))
	w.Record(r.Edit(func(r *cyborg.ARQ) { r.Instance = ConsumerID("m") }))
}

// Disabled makes card c, of which 4 VGPUs are used, disabled in Cyborg, and its
// inventory of the given total.
func (w *World) Disabled(total int64) {
	w.TB.Helper()
	w.Node("h").Card(4, 4).Instance("i", nova.Active).Claim("i", placement.InstanceConsumer, map[string]Resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 4}})
	d, _ := w.Cyborg().Device(WorldUUID("dev c"))
	inv := placement.NewInventory(total)
	inv.Reserved = total
	w.Record(d.Edit(func(d *cyborg.Device) { d.Status = cyborg.Maintaining })).Inventory("c", placement.VGPU, inv)
}
