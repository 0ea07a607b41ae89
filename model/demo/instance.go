package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// tenant is a project with its users and the services that it runs.
type tenant struct {
	project  string
	users    []string
	services []string
}

// Tenants, by the flavors that they run.
func cpuTenants() []tenant {
	return []tenant{
		{"web-shop", []string{"alice", "svc-deploy"}, []string{"shop-web", "shop-api", "shop-db", "shop-cache"}},
		{"analytics", []string{"deepa", "svc-airflow"}, []string{"spark-worker", "kafka", "clickhouse"}},
		{"ci", []string{"svc-ci"}, []string{"runner", "build-cache"}},
		{"erp", []string{"george", "svc-erp"}, []string{"erp-app", "erp-db"}},
		{"student-lab", []string{"mara", "tom", "yuki"}, []string{"lab-vm"}},
	}
}

func gpuTenants() []tenant {
	return []tenant{
		{"ml-train", []string{"chen", "svc-train"}, []string{"train", "finetune"}},
		{"ml-serve", []string{"svc-infer"}, []string{"infer"}},
		{"render", []string{"lena", "svc-farm"}, []string{"render-node", "cad-desk"}},
	}
}

func telco() []tenant { return []tenant{{"telco", []string{"svc-nfv"}, []string{"upf", "vrouter"}}} }

// tenantNamed returns a tenant by its project.
func tenantNamed(project string) tenant {
	all := slices.Concat(cpuTenants(), gpuTenants(), telco())
	return all[slices.IndexFunc(all, func(t tenant) bool { return t.project == project })]
}

// one returns one of a list.
func one[T any](f *fleet, of []T) T { return of[f.rng.IntN(len(of))] }

// tenantOf returns a tenant that runs instances of a flavor.
func (f *fleet) tenantOf(fl *flavor) tenant {
	switch {
	case len(fl.cards) > 0:
		return one(f, gpuTenants())
	case fl.pinned:
		return one(f, telco())
	default:
		return one(f, f.users)
	}
}

// guest is an instance with what it is planned to hold.
type guest struct {
	id      placement.ConsumerID
	name    string
	project string
	user    string
	flavor  *flavor
	volume  bool // it boots from a volume
	host    *host
	parts   []part // that its flavor asks for, devices last
	port    []part // added by one of its ports
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
func amounts(parts []part) map[placement.ProviderID]map[placement.ResourceClass]int64 {
	out := make(map[placement.ProviderID]map[placement.ResourceClass]int64, 2)
	for _, pt := range parts {
		if out[pt.p.id] == nil {
			out[pt.p.id] = make(map[placement.ResourceClass]int64, 3)
		}
		out[pt.p.id][pt.class] += pt.n
	}
	return out
}

// launch plans an instance of a flavor on h and adds the event that it starts, or returns
// nil if it does not fit. Its devices come from the providers on, if any are given.
func (f *fleet) launch(h *host, fl *flavor, t tenant, at time.Time, on ...*provider) *guest {
	volume := f.rng.IntN(10) == 0 // one in ten boots from a volume, which Placement does not count
	parts := f.place(h, fl, volume, on)
	var port []part
	if h.bridge != nil && f.rng.IntN(4) == 0 {
		kbit := int64(100_000 * (1 + f.rng.IntN(5)))
		port = []part{{h.bridge, bandwidthOut, kbit}, {h.bridge, bandwidthIn, kbit}}
	}
	if parts == nil || !fit(port) {
		return nil
	}
	take(port)
	return f.start(h, &guest{flavor: fl, parts: parts, volume: volume, port: port}, t, at)
}

// cast is launch for an instance in a story: it has a name, a disk, and no port with
// bandwidth, and always fits.
func (f *fleet) cast(name string, h *host, flavor, project string, ago time.Duration, on ...*provider) *guest {
	fl := f.flavor(flavor)
	parts := f.place(h, fl, false, on)
	if parts == nil {
		panic("demo: no room for " + name + " on " + h.name)
	}
	g := f.start(h, &guest{flavor: fl, parts: parts}, tenantNamed(project), f.ago(ago))
	if !h.far {
		last := f.events[len(f.events)-1]
		last.note = strings.Replace(last.note, g.name, name, 1)
	}
	g.name, f.told[name] = name, true
	return g
}

// start lets an instance start on h, and adds the event.
func (f *fleet) start(h *host, g *guest, t tenant, at time.Time) *guest {
	if !h.last.IsZero() && at.After(h.last) {
		at = h.last.Add(-f.now.Sub(at))
	}
	take(g.parts)
	if at.After(h.started) {
		h.started = at
	}
	g.id, g.name, g.project, g.user, g.host = placement.ConsumerID(f.uuid()), f.name(one(f, t.services)), t.project, one(f, t.users), h
	if h.far {
		h.guests = append(h.guests, g)
	} else {
		f.says(at, "nova-scheduler", fmt.Sprintf("%s (%s) on %s", g.name, g.flavor.name, h.name), g.boot)
	}
	return g
}

// beside adds the event that an extra instance of a small flavor starts, outside the plan
// that fills the hosts: the plan leaves room for it, and is the same without it.
func (f *fleet) beside(name string, h *host, flavor, project string, ago time.Duration, more ...part) *guest {
	fl, t := f.flavor(flavor), tenantNamed(project)
	g := &guest{
		id: placement.ConsumerID(named("instance", name)), name: name, project: t.project, user: t.users[0], flavor: fl, host: h,
		parts: append([]part{{h.root, placement.VCPU, fl.vcpus}, {h.root, placement.MemoryMB, fl.gib * 1024}, {h.root, placement.DiskGB, fl.disk}}, more...),
	}
	f.told[g.name] = true
	f.says(f.ago(ago), "nova-scheduler", fmt.Sprintf("%s (%s) on %s", g.name, fl.name, h.name), g.boot)
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

// place returns what an instance of a flavor would hold on h, devices last; nil if it
// does not fit.
func (f *fleet) place(h *host, fl *flavor, volume bool, on []*provider) []part {
	cpu, disk := placement.VCPU, h.root
	if fl.pinned {
		cpu = placement.PCPU
	}
	if h.pool != nil {
		disk = h.pool
	}
	parts := append(make([]part, 0, 4), part{h.root, cpu, fl.vcpus}, part{h.root, placement.MemoryMB, fl.gib * 1024})
	if !volume {
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
		if (len(on) > 0 || !p.closed && p.owner == d.owner) && p.fits(d.class, d.n) {
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
// devices are left to the story about one.
func (f *fleet) fillDevice(h *host, p *provider) {
	if p.oneTime {
		return
	}
	class, total := p.stock[0].class, p.stock[0].inv.Total
	target := 0.7 + 0.35*f.rng.Float64()
	if total == 1 && f.rng.IntN(3) > 0 {
		target = 1
	}
	for p.share(class)+1/float64(total) <= target {
		n := 1 + int64(f.rng.IntN(3)/2)
		if class != placement.VGPU {
			n = 1
		}
		fl := f.flavorOf(class, p.owner, n)
		if f.launch(h, fl, f.tenantOf(fl), f.someTime(), p) == nil {
			return
		}
	}
}

// fillPlain starts instances without devices until h is as full as planned.
func (f *fleet) fillPlain(h *host) {
	for missed := 0; missed < 6; {
		name, cpu := one(f, f.plain), placement.VCPU
		if h.root.of(placement.PCPU) != nil && f.rng.IntN(2) > 0 {
			name, cpu = one(f, []string{"pin.medium", "pin.large"}), placement.PCPU
		}
		fl := f.flavor(name)
		full := max(
			h.root.share(cpu)+float64(fl.vcpus)/float64(h.root.of(cpu).inv.Capacity()),
			h.root.share(placement.MemoryMB)+float64(fl.gib*1024)/float64(h.root.of(placement.MemoryMB).inv.Capacity()),
		)
		if full > h.fill+0.02 || f.launch(h, fl, f.tenantOf(fl), f.someTime()) == nil {
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
		fl := f.flavor(f.plain[n%3])
		begin := f.ago(time.Duration(n*n)*20*time.Hour + 3*time.Hour)
		end := begin.Add(time.Duration(20+n*17) * time.Minute)
		if n == 0 {
			end = f.ago(5 * time.Minute)
		}
		if g := f.launch(h, fl, f.tenantOf(fl), begin); g != nil {
			f.says(end, "nova-compute "+h.name, "delete "+g.name, func(w *world) error { return w.run(ops.Terminate{Instance: g.id}, nil) })
		}
	}
}

// boot starts g in a world, where it was planned to be.
func (g *guest) boot(w *world) error {
	err := w.run(ops.Boot{
		Instance: g.id, Pick: &ops.Place{Host: g.host.name, Root: g.host.root.id, Allocations: amounts(g.parts)}, Indexer: w.index,
		Wish: ops.BootWish{Name: g.name, Flavor: g.flavor.name, Project: g.project, User: g.user, BootFromVolume: g.volume},
	}, nil)
	if err != nil || len(g.port) == 0 {
		return err
	}
	return w.setClaim(g, nil)
}

// claim returns everything that g holds, as first written.
func (g *guest) claim() placement.Claim {
	return placement.Claim{
		Consumer: g.id, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer,
		Project: g.project, User: g.user, Allocations: amounts(slices.Concat(g.parts, g.port)),
	}
}

// land writes the guests of a far host as records, as ops.Boot would leave them, which
// would take a minute for thousands of hosts. Mappings of plain CPU, memory and disk are
// left out, as they are not needed and there are many.
func (h *host) land(w *world) error {
	if len(h.guests) == 0 {
		return nil
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
			UUID: g.id, Name: g.name, Project: g.project, User: g.user, Host: h.name, Flavor: g.flavor.name,
			VMState: nova.Active, BootFromVolume: g.volume, Created: at, Updated: at,
		}
		if len(g.flavor.cards) > 0 {
			i.Mappings = map[string][]placement.ProviderID{}
		}
		novas := 0
		for n, d := range g.flavor.cards {
			by := g.parts[len(g.parts)-len(g.flavor.cards)+n].p
			if d.owner != placement.OwnerCyborg {
				for range d.n {
					novas++
					i.Mappings[fmt.Sprint(novas)] = []placement.ProviderID{by.id}
				}
				if by.device != nil {
					was := versioned.Clone(by.device)
					by.device.Status, by.device.Instance = nova.DeviceAllocated, g.id
					c.PutRecords(versioned.Change{Before: was, After: versioned.Clone(by.device)})
				}
				continue
			}
			i.Mappings[cyborg.GroupSuffix(0)] = []placement.ProviderID{by.id}
			for n := range d.n {
				was := handles[by.id][0]
				handles[by.id] = handles[by.id][1:]
				is := was.Edit(func(h *cyborg.AttachHandle) { h.InUse = true })
				c.PutRecords(versioned.Change{Before: was, After: is}, versioned.Change{After: &cyborg.ARQ{
					UUID: cyborg.ARQID(g.id, 0, n), State: cyborg.ARQBound, Profile: g.flavor.profile, Hostname: h.name,
					Provider: by.id, Instance: g.id, AttachHandle: is.UUID, Project: g.project, Created: at,
				}})
			}
		}
		c.PutRecords(versioned.Change{After: i})
		landed = append(landed, tracker.Landing{Instance: i, Flavor: g.flavor.record("")})
	}
	row, _ := w.snap.Nova().ComputeNode(h.root.id)
	is, err := tracker.Landed(row, landed, h.pci)
	if err != nil {
		return err
	}
	is.Updated = at
	c.PutRecords(versioned.Change{Before: row, After: is})
	c.Ops = append(c.Ops, claims)
	w.written.Ops = append(w.written.Ops, c.Ops...) // what needs no further decision
	return nil
}
