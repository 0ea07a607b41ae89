package demo

import (
	"fmt"
	"strings"
	"time"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// one returns one of a list.
func one[T any](f *fleet, of []T) T { return of[f.rng.IntN(len(of))] }

// tenantOf returns a tenant that runs instances of a flavor.
func (f *fleet) tenantOf(fl flavor) tenant {
	switch {
	case len(fl.cards) > 0:
		return one(f, gpuTenants())
	case fl.pinned:
		return one(f, pinnedTenants())
	default:
		return one(f, f.users)
	}
}

// launch plans an instance of a flavor on h and adds the event that it starts, or returns
// nil if it does not fit. Its devices come from the providers on, if any are given.
func (f *fleet) launch(h *host, fl flavor, t tenant, at time.Time, on ...*provider) *guest {
	volume := f.rng.IntN(10) == 0 // one in ten boots from a volume, which Placement does not count
	parts := f.place(h, fl, volume, on)
	port := f.port(h)
	if parts == nil || !fit(port) {
		return nil
	}
	g := f.start(h, fl, t, at, parts)
	g.volume, g.port = volume, port
	take(port)
	return g
}

// cast is launch for an instance in a story: it has a disk and no port with bandwidth,
// its own Change in the journal, and always fits.
func (f *fleet) cast(name string, h *host, fl flavor, t tenant, at time.Time, on ...*provider) *guest {
	parts := f.place(h, fl, false, on)
	if parts == nil {
		panic("demo: no room for " + name + " on " + h.name)
	}
	g := f.start(h, fl, t, at, parts)
	last := f.events[len(f.events)-1]
	last.note, last.bulk = strings.Replace(last.note, g.name, name, 1), alone
	g.name, f.told[name] = name, true
	return g
}

// start makes an instance that holds parts, and adds the event that it starts.
func (f *fleet) start(h *host, fl flavor, t tenant, at time.Time, parts []part) *guest {
	if !h.last.IsZero() && at.After(h.last) {
		at = h.last.Add(-f.now.Sub(at))
	}
	take(parts)
	if at.After(h.started) {
		h.started = at
	}
	g := &guest{
		id: placement.ConsumerID(f.uuid()), name: f.name(one(f, t.services)), project: t.project, user: one(f, t.users),
		flavor: f.shared(fl), host: h, parts: parts, created: at.UnixMilli(),
	}
	e := event{at: at, bulk: launches, actor: "nova-scheduler", note: fmt.Sprintf("%s (%s) on %s", g.name, fl.name, h.name)}
	if h.far {
		e.guest = g
	} else {
		e.write = g.boot
	}
	f.add(e)
	return g
}

// name returns the next name of an instance of a service that is not in a story.
func (f *fleet) name(service string) string {
	for {
		f.serial[service]++
		if name := fmt.Sprintf("%s-%d", service, f.serial[service]); !f.told[name] {
			return name
		}
	}
}

// shared returns the shared copy of a flavor.
func (f *fleet) shared(fl flavor) *flavor {
	if f.flavors[fl.name] == nil {
		f.flavors[fl.name] = &fl
	}
	return f.flavors[fl.name]
}

// place returns what an instance of a flavor would hold on h, devices last; nil if it
// does not fit.
func (f *fleet) place(h *host, fl flavor, volume bool, on []*provider) []part {
	cpu := placement.VCPU
	if fl.pinned {
		cpu = placement.PCPU
	}
	parts := make([]part, 0, 4)
	parts = append(parts, part{h.root, cpu, fl.vcpus}, part{h.root, placement.MemoryMB, fl.gib * 1024})
	if !volume {
		disk := h.root
		if h.pool != nil {
			disk = h.pool
		}
		parts = append(parts, part{disk, placement.DiskGB, fl.disk})
	}
	for _, d := range fl.cards {
		p := f.deviceFor(h, d, on)
		if p == nil {
			return nil
		}
		parts = append(parts, part{p, d.class, d.n})
	}
	if !fit(parts) {
		return nil
	}
	return parts
}

// port returns the bandwidth of a port on h, which one in four has.
func (f *fleet) port(h *host) []part {
	if h.bridge == nil || f.rng.IntN(4) > 0 {
		return nil
	}
	kbit := int64(100_000 * (1 + f.rng.IntN(5)))
	return []part{{h.bridge, bandwidthOut, kbit}, {h.bridge, bandwidthIn, kbit}}
}

// fit reports whether there is room for parts.
func fit(parts []part) bool {
	for _, pt := range parts {
		s := pt.p.of(pt.class)
		if s == nil || s.inv.Fits(s.used, pt.n) != "" {
			return false
		}
	}
	return true
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
		s := p.of(d.class)
		if s != nil && (len(on) > 0 || !p.closed && p.owner == d.owner) && s.inv.Fits(s.used, d.n) == "" {
			return p
		}
	}
	return nil
}

// fill starts instances until each host is as full as planned.
func (f *fleet) fill() {
	for _, h := range f.nodes {
		for _, p := range h.devices() {
			if !p.closed && h.fill > 0.1 {
				f.fillDevice(h, p)
			}
		}
		f.fillPlain(h)
	}
}

// fillDevice starts instances with devices of p until it is nearly full. One-time-use
// devices are left to oneTimeUse.
func (f *fleet) fillDevice(h *host, p *provider) {
	if len(p.stock) == 0 || p.oneTime {
		return
	}
	class := p.stock[0].class
	target := 0.7 + 0.35*f.rng.Float64()
	if p.stock[0].inv.Total == 1 && f.rng.IntN(3) > 0 {
		target = 1
	}
	for p.share(class)+1/float64(p.stock[0].inv.Total) <= target {
		fl := gpu(p.owner, 1+int64(f.rng.IntN(3)/2))
		if class != placement.VGPU {
			fl = whole(class)
		}
		if f.launch(h, fl, f.tenantOf(fl), f.someTime(), p) == nil {
			return
		}
	}
}

// fillPlain starts instances without devices until h is as full as planned.
func (f *fleet) fillPlain(h *host) {
	memory := h.root.of(placement.MemoryMB)
	for missed := 0; missed < 6; {
		fl, cpu := one(f, f.plain), placement.VCPU
		if h.root.of(placement.PCPU) != nil && f.rng.IntN(2) > 0 {
			fl, cpu = one(f, f.dedicated), placement.PCPU
		}
		full := max(
			h.root.share(cpu)+float64(fl.vcpus)/float64(h.root.of(cpu).inv.Capacity()),
			h.root.share(placement.MemoryMB)+float64(fl.gib*1024)/float64(memory.inv.Capacity()),
		)
		if full > h.fill+0.02 || f.launch(h, fl, f.tenantOf(fl), f.someTime()) == nil {
			missed++
		}
	}
}

// someTime returns a time in the life of the cloud, more likely late than early.
func (f *fleet) someTime() time.Time {
	u := f.rng.Float64()
	return f.ago(time.Hour + time.Duration(u*u*float64(firstRun-2*time.Hour))).Truncate(time.Second)
}

// churn runs a few instances and deletes them again, if there is room for all of them at
// once, so that the journal of a small cloud has releases too.
func (f *fleet) churn() {
	if f.hosts > journaled {
		return
	}
	for n := range 9 {
		h := f.nodes[(n*5+3)%len(f.nodes)]
		fl := cpuFlavors()[n%3]
		begin := f.ago(time.Duration(n*n)*20*time.Hour + 3*time.Hour)
		end := begin.Add(time.Duration(20+n*17) * time.Minute)
		if n == 0 {
			end = f.ago(5 * time.Minute)
		}
		if g := f.launch(h, fl, f.tenantOf(fl), begin); g != nil {
			f.add(event{
				at: end, actor: "nova-compute " + h.name, note: "delete " + g.name,
				write: func(w *world) error { return w.run(ops.Terminate{Instance: g.id}, nil) },
			})
		}
	}
}
