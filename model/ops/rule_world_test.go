package ops_test

import (
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/ledger"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

const (
	instance  = placement.InstanceConsumer
	migration = placement.MigrationConsumer
)

// id is the uuid of a record of Cyborg's, by name.
func id(name string) uuid.UUID { return uuid.NewSHA1(uuid.NameSpaceDNS, []byte(name)) }

// devices writes records of Cyborg's.
func (w *world) devices(records ...ledger.Row) *world {
	w.t.Helper()
	var c cloud.Change
	for _, r := range records {
		c.Cyborg.Put(w.Cyborg(), r)
	}
	return w.change(c)
}

// records writes records of Nova's.
func (w *world) records(records ...ledger.Row) *world {
	w.t.Helper()
	for _, r := range records {
		w.record(r)
	}
	return w
}

// card makes card c of Cyborg's below h, with a deployable of as many attach
// handles as it has VGPUs, the first inUse of them in use, and bound requests of
// instance i.
func (w *world) card(inUse, bound int) *world {
	w.t.Helper()
	const name, total = "c", 4
	w.provider(name, "h", resources{placement.VGPU: total}, placement.OwnerCyborg)
	rows := []ledger.Row{
		&cyborg.Device{UUID: id("dev " + name), Type: cyborg.GPU, Hostname: "h", Status: cyborg.Enabled},
		&cyborg.Deployable{UUID: id("dep " + name), Device: id("dev " + name), Name: name, Accelerators: total, Provider: rp(name)},
	}
	for n := range total {
		handle := id(name + string(rune('a'+n)))
		rows = append(rows, &cyborg.AttachHandle{UUID: handle, Deployable: id("dep " + name), Type: cyborg.AttachMdev, Info: "{}", InUse: n < inUse})
		if n < bound {
			rows = append(rows, &cyborg.ARQ{
				UUID: id("arq " + name + string(rune('a'+n))), State: cyborg.ARQBound, Profile: "dp", Hostname: "h",
				Provider: rp(name), Instance: vm("i"), AttachHandle: handle,
			})
		}
	}
	return w.devices(rows...)
}

// disabled makes card c, of which 4 VGPUs are used, disabled in Cyborg, and its
// inventory of the given total.
func (w *world) disabled(total int64) {
	w.t.Helper()
	w.node("h").card(4, 4).instance("i", nova.Active).claim("i", instance, map[string]resources{"h": {placement.VCPU: 1}, "c": {placement.VGPU: 4}})
	d, _ := w.Cyborg().Device(id("dev c"))
	inv := placement.NewInventory(total)
	inv.Reserved = total
	w.devices(d.Edit(func(d *cyborg.Device) { d.Status = cyborg.Maintaining })).inventory("c", placement.VGPU, inv)
}

// halves makes instance i, which runs on h and holds all that its flavor asks for
// of k too. Its flavor asks Nova for a VGPU, and on one half, old or new, it has
// one of Cyborg's.
func (w *world) halves(wrong string) {
	w.t.Helper()
	w.node("h").node("k").computes().flavors().running("gpu").
		provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).provider("y", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).
		provider("kn", "k", resources{placement.VGPU: 1}, placement.OwnerNova).provider("ky", "k", resources{placement.VGPU: 1}, placement.OwnerCyborg)
	here, there := "n", "ky"
	if wrong == "new" {
		here, there = "y", "kn"
	}
	both := holding(here)
	both["k"], both[there] = both["h"], both[here]
	w.claim("i", instance, both)
}

// services writes nova-compute services of the given versions on hosts s0, s1...
func (w *world) services(versions ...int) *world {
	w.t.Helper()
	for n, v := range versions {
		w.record(&nova.Service{Host: "s" + string(rune('0'+n)), Binary: nova.Compute, Version: v, LastSeenUp: 1_000_000_000})
	}
	return w
}

// computes writes the compute node of h.
func (w *world) computes() *world {
	w.t.Helper()
	return w.record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h", VCPUs: 8, MemoryMB: 8192})
}

// running writes instance i of a flavor on h.
func (w *world) running(flavor string) *world {
	w.t.Helper()
	return w.record(&nova.Instance{UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "h", Flavor: flavor, VMState: nova.Active})
}

// small is a flavor as on asks, gpu one with a VGPU of Nova's, dev one of
// Cyborg's.
func (w *world) flavors() *world {
	w.t.Helper()
	return w.devices(&cyborg.DeviceProfile{UUID: id("dp"), Name: "dp", Groups: []map[string]string{{"resources:VGPU": "1"}}}).
		record(&nova.Flavor{Name: "small", FlavorID: "1", VCPUs: 1, MemoryMB: 1}).
		record(&nova.Flavor{Name: "gpu", FlavorID: "2", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"resources:VGPU": "1"}}).
		record(&nova.Flavor{Name: "dev", FlavorID: "3", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"accel:device_profile": "dp"}})
}

// waiting makes instance i, which was resized from h to g at noted, and is to be
// reverted at a deadline, 0 for none.
func (w *world) waiting(deadline int64) *world {
	w.t.Helper()
	return w.node("h").node("g").flavors().
		record(&nova.Instance{UUID: vm("i"), Name: "i", Project: "p", User: "u", Host: "g", Flavor: "small", OldFlavor: "small", NewFlavor: "small", VMState: nova.Resized}).
		record(&nova.Migration{
			UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: nova.Finished, Source: "h", Dest: "g", OldFlavor: "small", NewFlavor: "small",
			Created: noted.UnixMilli(), Deadline: deadline,
		}).
		claim("i", instance, map[string]resources{"g": holding()["h"]}).claim("m", migration, holding())
}

// later writes something at a time after noted.
func (w *world) later(after time.Duration) {
	w.t.Helper()
	w.change(cloud.Change{At: noted.Add(after), Placement: []placement.Op{placement.CreateTrait{Name: "CUSTOM_LATER"}}})
}

// holding is what an instance of small holds on h, and VGPUs of cards.
func holding(cards ...string) map[string]resources {
	out := map[string]resources{"h": {placement.VCPU: 1, placement.MemoryMB: 1}}
	for _, c := range cards {
		out[c] = resources{placement.VGPU: 1}
	}
	return out
}
