package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// one returns one of a list.
func one[T any](f *fleet, of []T) T { return of[f.rng.IntN(len(of))] }

// tenantOf returns a tenant that runs instances of a flavor.
func (f *fleet) tenantOf(fl *flavor) tenant {
	switch {
	case len(fl.Devices) > 0:
		return one(f, f.Tenants.Devices)
	case fl.Pinned:
		return one(f, f.Tenants.Pinned)
	default:
		return one(f, f.Tenants.CPU)
	}
}

// guest is an instance with what it is planned to hold.
type guest struct {
	id     placement.ConsumerID
	name   string
	tenant tenant
	user   string
	flavor *flavor
	volume bool // it boots from a volume
	host   *host
	parts  []part               // that its flavor asks for, devices last
	port   []part               // added by one of its ports
	runs   *provider            // the device that it runs with, if not that of its last part
	moved  placement.ConsumerID // its migration
}

// part is an amount of a class that a consumer holds on a provider.
type part struct {
	p     *provider
	class placement.ResourceClass
	n     int64
}

// take counts parts as used.
func take(parts []part) {
	for _, pt := range parts {
		pt.p.of(pt.class).used += pt.n
	}
}

// fit reports whether there is room for parts.
func fit(parts []part) bool {
	return !slices.ContainsFunc(parts, func(pt part) bool { return !pt.p.fits(pt.class, pt.n) })
}

// amounts returns parts as in a claim.
func amounts(parts ...part) map[placement.ProviderID]map[placement.ResourceClass]int64 {
	out := make(map[placement.ProviderID]map[placement.ResourceClass]int64, 2)
	for _, pt := range parts {
		if out[pt.p.id] == nil {
			out[pt.p.id] = make(map[placement.ResourceClass]int64, 3)
		}
		out[pt.p.id][pt.class] += pt.n
	}
	return out
}

// launch plans an instance of a flavor on h and adds the event that it starts, and
// reports whether it fits. Its devices come from the providers on, if any are given.
func (f *fleet) launch(h *host, fl *flavor, t tenant, at time.Time, on ...*provider) (*guest, bool) {
	g := &guest{flavor: fl, host: h, tenant: t}
	g.volume = f.rng.IntN(10) == 0 // one in ten boots from a volume, which Placement does not count
	g.parts = f.place(h, fl, g.volume, on)
	if h.bridge != nil && f.rng.IntN(4) == 0 {
		kbit := int64(100_000 * (1 + f.rng.IntN(5)))
		g.port = []part{{h.bridge, bandwidthOut, kbit}, {h.bridge, bandwidthIn, kbit}}
	}
	if g.parts == nil || !fit(g.port) {
		return nil, false
	}
	take(g.port)
	f.start(g, "", at)
	return g, true
}

// start lets an instance start where it was planned, and adds the event. Without a name it
// gets the next one of a service of its tenant, which is drawn in any case.
func (f *fleet) start(g *guest, name string, at time.Time) {
	h := g.host
	if !h.last.IsZero() && at.After(h.last) {
		at = h.last.Add(-f.now.Sub(at))
	}
	take(g.parts)
	if at.After(h.started) {
		h.started = at
	}
	g.id = placement.ConsumerID(f.uuid())
	g.name = f.name(one(f, g.tenant.Services))
	if name != "" {
		g.name = name
	}
	g.user = one(f, g.tenant.Users)
	f.begins(g, at)
}

// begins adds the event that g starts.
func (f *fleet) begins(g *guest, at time.Time) {
	if g.host.far {
		g.host.guests = append(g.host.guests, g)
	} else {
		f.says(at, "nova-scheduler", fmt.Sprintf("%s (%s) on %s", g.name, g.flavor.Name, g.host.name), g.boot)
	}
}

// name returns the next name of an instance of a service that is not in the story.
func (f *fleet) name(service string) string {
	for {
		f.serial[service]++
		if name := fmt.Sprintf("%s-%d", service, f.serial[service]); f.cast[name] == nil {
			return name
		}
	}
}

// place returns what an instance of a flavor would hold on h, devices last; nil if it
// does not fit.
func (f *fleet) place(h *host, fl *flavor, volume bool, on []*provider) []part {
	cpu, disk := placement.VCPU, h.root
	if fl.Pinned {
		cpu = placement.PCPU
	}
	if h.pool != nil {
		disk = h.pool
	}
	parts := append(make([]part, 0, 4), part{h.root, cpu, fl.VCPUs}, part{h.root, placement.MemoryMB, fl.GiB * 1024})
	if !volume {
		parts = append(parts, part{disk, placement.DiskGB, fl.Disk})
	}
	for _, d := range fl.Devices {
		p := f.deviceFor(h, d, on)
		if p == nil {
			return nil
		}
		parts = append(parts, part{p, d.Class, d.N})
	}
	if !fit(parts) {
		return nil
	}
	return parts
}

// deviceFor returns a provider below h with room for d: one of on, or the first starting
// from a random one.
func (f *fleet) deviceFor(h *host, d device, on []*provider) *provider {
	below := on
	if len(below) == 0 {
		below = h.devices()
	}
	start := 0
	if len(below) > 0 {
		start = f.rng.IntN(len(below))
	}
	for i := range below {
		p := below[(start+i)%len(below)]
		if (len(on) > 0 || !p.closed && p.owner == d.Owner) && p.fits(d.Class, d.N) {
			return p
		}
	}
	return nil
}

// fill starts instances until each host is as full as planned.
func (f *fleet) fill() {
	for _, h := range f.nodes {
		for _, p := range h.devices() {
			if !p.closed && !p.oneTime && h.fill > 0.1 { // one-time-use devices are left to the story about one
				f.fillDevice(h, p)
			}
		}
		f.fillPlain(h)
	}
}

// fillDevice starts instances with devices of p until it is nearly full.
func (f *fleet) fillDevice(h *host, p *provider) {
	all := &p.stock[0]
	target := 0.7 + 0.35*f.rng.Float64()
	if all.inv.Total == 1 && f.rng.IntN(3) > 0 {
		target = 1
	}
	for all.share(1) <= target {
		n := 1 + int64(f.rng.IntN(3)/2)
		if all.class != placement.VGPU {
			n = 1
		}
		want := device{Class: all.class, Owner: p.owner, N: n}
		fl := &f.Flavors[slices.IndexFunc(f.Flavors, func(fl flavor) bool {
			if len(fl.Devices) != 1 {
				return false
			}
			want.Trait = fl.Devices[0].Trait
			return fl.Devices[0] == want
		})]
		if _, ok := f.launch(h, fl, f.tenantOf(fl), f.someTime(), p); !ok {
			return
		}
	}
}

// fillPlain starts instances without devices until h is as full as planned.
func (f *fleet) fillPlain(h *host) {
	for missed := 0; missed < 6; {
		name, cpu := one(f, f.Plain), placement.VCPU
		if h.root.of(placement.PCPU) != nil && f.rng.IntN(2) > 0 {
			name, cpu = one(f, []string{"pin.medium", "pin.large"}), placement.PCPU
		}
		fl := f.flavor(name)
		full := max(h.root.of(cpu).share(fl.VCPUs), h.root.of(placement.MemoryMB).share(fl.GiB*1024))
		if full > h.fill+0.02 {
			missed++
		} else if _, ok := f.launch(h, fl, f.tenantOf(fl), f.someTime()); !ok {
			missed++
		}
	}
}

// someTime returns a time in the life of the cloud, more likely late than early.
func (f *fleet) someTime() time.Time {
	u := f.rng.Float64()
	return f.ago(time.Hour + time.Duration(u*u*float64(60*day-2*time.Hour))).Truncate(time.Second)
}

// churn runs a few instances and deletes them again, if there is room for all of them at
// once, so that the journal of a small cloud has releases too.
func (f *fleet) churn() {
	if f.hosts > journaled {
		return
	}
	for n := range 9 {
		h := f.nodes[(n*5+3)%len(f.nodes)]
		fl := f.flavor(f.Plain[n%3])
		begin := f.ago(time.Duration(n*n)*20*time.Hour + 3*time.Hour)
		end := begin.Add(time.Duration(20+n*17) * time.Minute)
		if n == 0 {
			end = f.ago(5 * time.Minute)
		}
		if g, ok := f.launch(h, fl, f.tenantOf(fl), begin); ok {
			f.says(end, "nova-compute "+h.name, "delete "+g.name, func(w *world) { w.check(w.run(ops.Terminate{Instance: g.id}, nil)) })
		}
	}
}

// boot starts g in a world, where it was planned to be.
func (g *guest) boot(w *world) {
	parts := slices.Clone(g.parts)
	if g.runs != nil {
		parts[len(parts)-1].p = g.runs
	}
	w.check(w.run(ops.Boot{
		Instance: g.id, Pick: &ops.Place{Host: g.host.name, Root: g.host.root.id, Allocations: amounts(parts...)}, Indexer: w.index,
		Wish: ops.BootWish{Name: g.name, Flavor: g.flavor.Name, Project: g.tenant.Project, User: g.user, BootFromVolume: g.volume},
	}, nil))
	if len(g.port) > 0 {
		g.setClaim(w)
	}
}

// setClaim writes by hand what g was planned to hold, and more.
func (g *guest) setClaim(w *world, more ...part) {
	c, ok := w.snap.Placement().Consumer(g.id)
	if !ok {
		w.check(&placement.NotFoundError{What: "consumer", Name: g.name})
	}
	claim := g.claim(more...)
	claim.Generation = placement.Generation(c.Generation())
	w.write(placement.ReplaceAllocations{Consumers: []placement.Claim{claim}})
}

// claim returns everything that g holds, as first written, and more.
func (g *guest) claim(more ...part) placement.Claim {
	return placement.Claim{
		Consumer: g.id, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer,
		Project: g.tenant.Project, User: g.user, Allocations: amounts(slices.Concat(g.parts, g.port, more)...),
	}
}

// land writes the guests of a far host as records, as ops.Boot would leave them, which
// would take a minute for thousands of hosts. Mappings of plain CPU, memory and disk are
// left out, as they are not needed and there are many.
func (h *host) land(w *world) {
	if len(h.guests) == 0 {
		return
	}
	var c cloud.Change
	var claims placement.ReplaceAllocations
	var landed []tracker.Landing
	handles := map[placement.ProviderID][]*cyborg.AttachHandle{} // the free ones, by card
	for _, p := range h.cyborg {
		if d, ok := w.snap.Cyborg().DeployableAt(p.id); ok {
			handles[p.id] = slices.Collect(w.snap.Cyborg().AttachHandlesOf(d.UUID))
		}
	}
	at := w.at.UnixMilli()
	for _, g := range h.guests {
		claims.Consumers = append(claims.Consumers, g.claim())
		i := &nova.Instance{
			UUID: g.id, Name: g.name, Project: g.tenant.Project, User: g.user, Host: h.name, Flavor: g.flavor.Name,
			VMState: nova.Active, BootFromVolume: g.volume, Created: at, Updated: at,
		}
		devices := g.parts[len(g.parts)-len(g.flavor.Devices):]
		if len(devices) > 0 {
			i.Mappings = map[string][]placement.ProviderID{}
		}
		novas := 0
		for _, d := range devices {
			if d.p.owner != placement.OwnerCyborg {
				for range d.n {
					novas++
					i.Mappings[fmt.Sprint(novas)] = []placement.ProviderID{d.p.id}
				}
				if d.p.device != nil {
					was := versioned.Clone(d.p.device)
					d.p.device.Status, d.p.device.Instance = nova.DeviceAllocated, g.id
					c.PutRecords(versioned.Change{Before: was, After: versioned.Clone(d.p.device)})
				}
				continue
			}
			i.Mappings[cyborg.GroupSuffix(0)] = []placement.ProviderID{d.p.id}
			for n := range d.n {
				was := handles[d.p.id][0]
				handles[d.p.id] = handles[d.p.id][1:]
				is := was.Edit(func(h *cyborg.AttachHandle) { h.InUse = true })
				c.PutRecords(versioned.Change{Before: was, After: is}, versioned.Change{After: &cyborg.ARQ{
					UUID: cyborg.ARQID(g.id, 0, n), State: cyborg.ARQBound, Profile: g.flavor.Profile, Hostname: h.name,
					Provider: d.p.id, Instance: g.id, AttachHandle: is.UUID, Project: g.tenant.Project, Created: at,
				}})
			}
		}
		c.PutRecords(versioned.Change{After: i})
		landed = append(landed, tracker.Landing{Instance: i, Flavor: g.flavor.record("")})
	}
	row, _ := w.snap.Nova().ComputeNode(h.root.id)
	is, err := tracker.Landed(row, landed, h.pci)
	w.check(err)
	is.Updated = at
	c.PutRecords(versioned.Change{Before: row, After: is})
	w.written = append(w.written, append(c.Ops, claims)...) // what needs no further decision
}
