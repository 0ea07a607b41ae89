package demo

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// flavor is what an instance asks for.
type flavor struct {
	name   string
	vcpus  int64
	pinned bool // vcpus are dedicated
	gib    int64
	disk   int64 // GiB
	cards  []device
}

// device is a device that a flavor asks for.
type device struct {
	class placement.ResourceClass
	owner placement.Trait
	n     int64
}

// The flavors, by what they are for.
func cpuFlavors() []flavor {
	return []flavor{
		{name: "cpu.small", vcpus: 2, gib: 4, disk: 20},
		{name: "cpu.medium", vcpus: 4, gib: 8, disk: 40},
		{name: "cpu.large", vcpus: 8, gib: 16, disk: 80},
		{name: "cpu.large", vcpus: 8, gib: 16, disk: 80},
		{name: "cpu.xlarge", vcpus: 16, gib: 32, disk: 160},
		{name: "mem.large", vcpus: 4, gib: 16, disk: 80},
		{name: "mem.xlarge", vcpus: 8, gib: 32, disk: 160},
	}
}

func pinnedFlavors() []flavor {
	return []flavor{
		{name: "pin.medium", vcpus: 4, pinned: true, gib: 16, disk: 40},
		{name: "pin.large", vcpus: 8, pinned: true, gib: 32, disk: 80},
	}
}

// gpu returns a flavor with n virtual GPUs of one owner.
func gpu(owner placement.Trait, n int64) flavor {
	f := flavor{vcpus: 4 * n, gib: 16 * n, disk: 80, cards: []device{{placement.VGPU, owner, n}}}
	f.name = fmt.Sprintf("gpu.a100.%d", n)
	if owner == placement.OwnerCyborg {
		f.name = fmt.Sprintf("gpu.t4.%dc", n)
	}
	return f
}

// gpuBoth is a flavor with one virtual GPU of each owner.
func gpuBoth() flavor {
	return flavor{name: "gpu.both", vcpus: 8, gib: 32, disk: 80, cards: []device{
		{placement.VGPU, placement.OwnerNova, 1}, {placement.VGPU, placement.OwnerCyborg, 1},
	}}
}

// whole returns a flavor with one whole device.
func whole(name string, c placement.ResourceClass, owner placement.Trait) flavor {
	return flavor{name: name, vcpus: 8, gib: 32, disk: 80, cards: []device{{c, owner, 1}}}
}

// tenant is a project with its users and the services that it runs.
type tenant struct {
	project  string
	users    []string
	services []string
}

// Tenants, by what they run on.
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

func pinnedTenants() []tenant {
	return []tenant{{"telco", []string{"svc-nfv"}, []string{"upf", "vrouter"}}}
}

// guest is an instance with what it holds.
type guest struct {
	claim
	record *nova.Instance
}

// one returns one of a list.
func one[T any](f *fleet, of []T) T { return of[f.rng.IntN(len(of))] }

// tenantOf returns somebody who runs instances of a flavor.
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

// instance returns a new instance of a flavor that somebody runs on h, holding
// parts.
func (f *fleet) instance(h *host, fl flavor, t tenant, parts []part, at time.Time) *guest {
	service := one(f, t.services)
	f.serial[service]++
	g := &guest{claim: claim{
		consumer: placement.ConsumerID(f.uuid()), expect: placement.NewConsumer(), typ: placement.InstanceConsumer,
		project: t.project, user: one(f, t.users), parts: parts,
	}}
	g.record = &nova.Instance{
		UUID: g.consumer, Name: fmt.Sprintf("%s-%d", service, f.serial[service]), Project: g.project, User: g.user,
		Host: h.name, Flavor: fl.name, VMState: nova.Active, Created: at.UnixMilli(),
	}
	return g
}

// launch starts an instance of a flavor on h and adds the event, or returns nil
// where it does not fit. Its devices come from the providers on, where any are
// given.
func (f *fleet) launch(h *host, fl flavor, t tenant, at time.Time, on ...*provider) *guest {
	parts := f.place(h, fl, on)
	if parts == nil {
		return nil
	}
	take(parts, 1)
	g := f.instance(h, fl, t, parts, at)
	f.add(event{
		at: at, bulk: launches, actor: "nova-scheduler",
		note:   fmt.Sprintf("%s (%s) on %s", g.record.Name, fl.name, h.name),
		claims: []claim{g.claim}, nova: []versioned.Change{putInstance(nil, g.record)},
	})
	return g
}

// place returns what an instance of a flavor would hold on h, nil where it does
// not fit.
func (f *fleet) place(h *host, fl flavor, on []*provider) []part {
	cpu := placement.VCPU
	if fl.pinned {
		cpu = placement.PCPU
	}
	parts := make([]part, 0, 4)
	parts = append(parts, part{h.root, cpu, fl.vcpus}, part{h.root, placement.MemoryMB, fl.gib * 1024})
	// One in ten boots from a volume, which Placement does not count.
	if disk := h.root; fl.disk > 0 && f.rng.IntN(10) > 0 {
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
	if b := h.bridge(); b != nil && f.rng.IntN(4) == 0 {
		kbit := int64(100_000 * (1 + f.rng.IntN(5)))
		parts = append(parts, part{b, bandwidthOut, kbit}, part{b, bandwidthIn, kbit})
	}
	for _, pt := range parts {
		s := pt.p.of(pt.class)
		if s == nil || s.inv.Fits(s.used, pt.n) != "" {
			return nil
		}
	}
	return parts
}

// deviceFor returns a provider below h that can give d: one of on, or the first
// with room from a random one on.
func (f *fleet) deviceFor(h *host, d device, on []*provider) *provider {
	below := on
	if len(below) == 0 {
		below = append(append(below, h.nova...), h.cyborg...)
	}
	start := 0
	if len(below) > 0 {
		start = f.rng.IntN(len(below))
	}
	for i := range below {
		p := below[(start+i)%len(below)]
		s := p.of(d.class)
		if s != nil && (len(on) > 0 || !p.closed) && p.has(d.owner) && s.inv.Fits(s.used, d.n) == "" {
			return p
		}
	}
	return nil
}

// take counts parts as used, or with sign -1 as free again.
func take(parts []part, sign int64) {
	for _, pt := range parts {
		pt.p.of(pt.class).used += sign * pt.n
	}
}

// share returns how full a class of p is, 0 to 1; 0 where p has none.
func (p *provider) share(c placement.ResourceClass) float64 {
	s := p.of(c)
	if s == nil || s.inv.Capacity() == 0 {
		return 0
	}
	return float64(s.used) / float64(s.inv.Capacity())
}

// fill starts instances until each host is as full as it shall be.
func (f *fleet) fill() {
	for _, h := range f.nodes {
		for _, p := range append(append([]*provider(nil), h.nova...), h.cyborg...) {
			if !p.closed && h.fill > 0.1 {
				f.fillDevice(h, p)
			}
		}
		f.fillPlain(h)
	}
}

// fillDevice starts instances with devices of p until it is nearly full. Devices
// for one time use are left to oneTimeUse.
func (f *fleet) fillDevice(h *host, p *provider) {
	if len(p.stock) == 0 || p.has(placement.HWPCIOneTimeUse) {
		return
	}
	class, owner := p.stock[0].class, placement.OwnerNova
	if !p.has(owner) {
		owner = placement.OwnerCyborg
	}
	target := 0.7 + 0.35*f.rng.Float64()
	if p.stock[0].inv.Total == 1 && f.rng.IntN(3) > 0 {
		target = 1
	}
	for p.share(class)+1/float64(p.stock[0].inv.Total) <= target {
		fl := gpu(owner, 1+int64(f.rng.IntN(3)/2))
		switch class {
		case placement.FPGA:
			fl = whole("fpga.1", class, owner)
		case placement.PGPU:
			fl = whole("gpu.whole.1", class, owner)
		case classT4:
			fl = whole("pci.t4.1", class, owner)
		default:
		}
		if f.launch(h, fl, f.tenantOf(fl), f.someTime(), p) == nil {
			return
		}
	}
}

// fillPlain starts instances without devices until h is as full as it shall be.
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

// someTime returns a time in the life of the cloud, rather late than early.
func (f *fleet) someTime() time.Time {
	u := f.rng.Float64()
	return f.ago(time.Hour + time.Duration(u*u*float64(firstRun-2*time.Hour))).Truncate(time.Second)
}

// churn runs a few instances that are gone again, where there is room for all of
// them at once, so that the journal of a small cloud has releases too.
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
				at: end, actor: "nova-compute " + h.name, note: "delete " + g.record.Name,
				claims: []claim{{consumer: g.consumer, expect: placement.Generation(1)}},
				nova:   []versioned.Change{putInstance(g.record, nil)},
			})
		}
	}
}
