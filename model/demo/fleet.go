package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

const day = 24 * time.Hour

// journaled is the largest number of hosts for which each event is a separate Change.
const journaled = 50

// age is the age of the cloud.
const age = 61 * day

// How long after that an operator put the first hosts to use.
const (
	firstPool  = 18 * time.Hour
	firstGroup = firstPool + 30*time.Minute
	firstTag   = 19 * time.Hour
	firstOffer = 23 * time.Hour
)

// fleet is a cloud that is being made: its hosts, and the events that make it.
type fleet struct {
	data
	hosts  int
	racks  int
	now    time.Time
	rng    *rand.Rand
	nodes  []*host
	pool   *provider
	events []*event
	serial map[string]int    // last number used, by name of a service
	cast   map[string]*guest // the instances of the story, by name
}

// event is one event in the past of the cloud.
type event struct {
	at          time.Time
	actor, note string
	write       func(*world) // decides on the world as it is then
}

func newFleet(o Options) *fleet {
	const leastRacks, rackSize = 3, 40
	return &fleet{
		data:   read(),
		hosts:  o.Hosts,
		racks:  min(max(leastRacks, (o.Hosts+rackSize-1)/rackSize), o.Hosts),
		now:    o.Now.UTC(),
		rng:    rand.New(rand.NewPCG(o.Seed, 0x706c616365746f70)), // not secret, repeatable on purpose
		serial: map[string]int{}, cast: map[string]*guest{},
	}
}

// says adds an event by an actor.
func (f *fleet) says(at time.Time, actor, note string, write func(*world)) {
	f.events = append(f.events, &event{at, actor, note, write})
}

// tell yields the events as Changes, oldest first.
func (f *fleet) tell(yield func(cloud.Change) bool) {
	w := &world{snap: cloud.Empty(), index: &candidates.Indexer{}}
	slices.SortStableFunc(f.events, func(a, b *event) int { return a.at.Compare(b.at) })
	for i, e := range f.events {
		w.at, f.events[i] = e.at, nil // no longer needed
		e.write(w)
		if !yield(cloud.Change{Actor: e.actor, Note: e.note, At: e.at, Ops: w.take()}) {
			return
		}
	}
}

// uuid returns the next random uuid.
func (f *fleet) uuid() uuid.UUID {
	var u uuid.UUID
	for i := 0; i < len(u); i += 8 {
		for j, v := 0, f.rng.Uint64(); j < 8; j++ {
			u[i+j] = byte(v >> (8 * j))
		}
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u
}

// ago returns the time d before now.
func (f *fleet) ago(d time.Duration) time.Time { return f.now.Add(-d) }

// someFill returns how full a host is to be: of ten hosts one is nearly full and one
// nearly idle.
func (f *fleet) someFill() float64 {
	switch f.rng.IntN(10) {
	case 0:
		return 0.94 + 0.04*f.rng.Float64()
	case 1:
		return 0.06 * f.rng.Float64()
	default:
		return 0.45 + 0.37*f.rng.Float64()
	}
}

// near reports whether the story may be about host i. In a large cloud these are the
// hosts of the showcase. The others join later, each with its guests.
func (f *fleet) near(i int) bool { return f.hosts <= journaled || i < len(f.Showcase) }

// mainPool returns the pool of most disks. Its uuid is drawn before those of the hosts.
func (f *fleet) mainPool() *provider {
	return &provider{id: placement.ProviderID(f.uuid()), name: "ceph-ssd-01"}
}

// raise makes the hosts and pools, and the events that create the near ones.
func (f *fleet) raise() {
	f.pool = f.mainPool()
	size := int64(300) // GB
	racks := make([][]*host, f.racks)
	for i := range f.hosts {
		h := f.host(i)
		if h.pool != nil {
			size += h.disk
		}
		f.nodes = append(f.nodes, h)
		if !h.far {
			racks[h.rack] = append(racks[h.rack], h)
		}
	}
	f.pool.stock = []stock{{class: placement.DiskGB, inv: units(size, size/50)}}
	f.says(f.ago(age), "admin", "make the traits and classes of this cloud", f.vocabulary)
	for i, h := range f.nodes {
		if !h.far {
			const reporting, wait = 5 * time.Hour, 20 * time.Second
			at := f.ago(age - time.Minute).Add(time.Duration(i) * (reporting / time.Duration(f.hosts)))
			f.says(at, "nova-compute "+h.name, "first report of "+h.name, h.start)
			if len(h.cards) > 0 {
				f.says(at.Add(wait), "cyborg-agent "+h.name, "first report of the cards of "+h.name, h.discover)
			}
			if h.bridge != nil {
				f.says(at.Add(2*wait), "neutron-server "+h.name, "first report of the bandwidth of "+h.name, h.bandwidth)
			}
		}
	}
	f.says(f.ago(age-firstPool), "admin", "make the sharing pool ceph-ssd-01, 3 replicas on SSD", makePool(f.pool, "storage-1"))
	f.says(f.ago(age-firstGroup), "admin", "make the host aggregates "+strings.Join(f.Aggregates, ", "), f.group)
	for rack, hosts := range racks {
		if len(hosts) > 0 {
			at := f.ago(age - firstTag).Add(time.Duration(rack) * 4 * time.Hour / time.Duration(f.racks))
			f.says(at, "admin", fmt.Sprintf("tag the hosts of rack %d in zone az-%d", rack+1, f.zone(rack)), func(w *world) {
				for _, h := range hosts {
					f.tag(w, h)
				}
			})
		}
	}
	f.offer()
}

// offer adds the events that make the flavors, and the device profiles of those with
// Cyborg's devices. Those for which no host has the devices are left out.
func (f *fleet) offer() {
	offered := slices.DeleteFunc(slices.Clone(f.Flavors), func(fl flavor) bool { return !f.has(fl) })
	at := f.ago(age - firstOffer)
	f.says(at, "cyborg-api", "make the device profiles", func(w *world) {
		for _, fl := range offered {
			if _, made := w.snap.Cyborg().DeviceProfile(fl.Profile); !made && fl.Profile != "" {
				w.write(cyborg.CreateDeviceProfile{Profile: fl.deviceProfile()})
			}
		}
	})
	if slices.ContainsFunc(offered, func(fl flavor) bool { return fl.Alias != "" }) {
		f.says(at.Add(4*time.Minute), "nova-api", "say which devices flavors call qat", func(w *world) {
			w.write(nova.Configure{PCIAliases: []string{f.Alias}})
		})
	}
	f.says(at.Add(5*time.Minute), "nova-api", "make the flavors", func(w *world) {
		for n, fl := range offered {
			w.write(nova.CreateFlavor{Flavor: fl.record(fmt.Sprint(n + 1))})
		}
	})
}

// has reports whether a host of the cloud has the devices of a flavor.
func (f *fleet) has(fl flavor) bool {
	if fl.Alias != "" {
		return slices.ContainsFunc(f.nodes, func(h *host) bool { return len(h.pci) > 0 && !h.tree.ReportsPCI })
	}
	return !slices.ContainsFunc(fl.Devices, func(d device) bool {
		return !slices.ContainsFunc(f.nodes, func(h *host) bool {
			return slices.ContainsFunc(h.devices(), func(p *provider) bool { return p.stock[0].class == d.Class && p.owner == d.Owner })
		})
	})
}

// join adds the events in which the far hosts come, some of them at a time, from early on
// until now.
func (f *fleet) join() {
	far := f.nodes[min(len(f.nodes), len(f.Showcase)):]
	if f.near(len(f.nodes) - 1) {
		return
	}
	together, every := min(100, 1+len(far)/20), (age-4*day)/time.Duration(len(far)) // hosts in one Change; time for a host
	for i := 0; i < len(far); i += together {
		hosts := far[i:min(i+together, len(far))]
		f.says(f.ago(age-2*day).Add(time.Duration(i)*every), "admin", fmt.Sprintf("%d hosts join with their instances", len(hosts)), func(w *world) {
			for _, h := range hosts {
				own := &world{snap: w.snap, at: w.at} // no host affects what another one reports
				h.start(own)
				h.discover(own)
				h.bandwidth(own)
				f.tag(own, h)
				h.land(own)
				w.written = append(w.written, own.written...)
			}
		})
	}
}

// beats adds the events that all services have just reported, with no more in one Change
// than can be read.
func (f *fleet) beats() {
	const most = 2_500
	for nodes := range slices.Chunk(f.nodes, most) {
		f.says(f.ago(20*time.Second), "nova-compute", fmt.Sprintf("%d services up", len(nodes)), func(w *world) {
			for _, h := range nodes {
				if h.far {
					w.written = append(w.written, h.beats()...)
				} else {
					w.write(h.beats()...)
				}
			}
		})
	}
}

// makePool returns what makes a pool of disk that the hosts of an aggregate may use.
func makePool(p *provider, aggregate string) func(*world) {
	return func(w *world) {
		w.write(tracker.CreatePool(tracker.Pool{ID: p.id, Name: p.name, Inventory: p.stock[0].inv})...)
		w.addTraits(p.id, "STORAGE_DISK_SSD")
		w.write(placement.SetAggregates{
			Provider: p.id, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{AggregateID(aggregate)},
		})
	}
}

// vocabulary creates all custom traits and classes, and the cell.
func (f *fleet) vocabulary(w *world) {
	var all []cloud.Op
	for _, c := range f.Classes {
		all = append(all, placement.CreateClass{Name: c})
	}
	for _, t := range f.Traits {
		all = append(all, placement.CreateTrait{Name: t})
	}
	for rack := range f.racks {
		all = append(all, placement.CreateTrait{Name: f.rackTrait(rack)})
	}
	w.write(append(all, nova.CreateCell{Name: cell})...)
}

// aggregatesOf returns the names of the host aggregates of h.
func (f *fleet) aggregatesOf(h *host) []string {
	out := []string{zoneName(f.zone(h.rack))}
	if h.pool != nil {
		out = append(out, "storage-1")
	}
	if len(h.devices()) > 0 {
		out = append(out, "gpu")
	}
	return out
}

// group makes the host aggregates. Hosts are added when their rack is tagged; far ones
// are in from the start, or each would write a longer list.
func (f *fleet) group(w *world) {
	far := map[string][]string{}
	for _, h := range f.nodes {
		if h.far {
			for _, name := range f.aggregatesOf(h) {
				far[name] = append(far[name], h.name)
			}
		}
	}
	for _, name := range f.Aggregates {
		a := &nova.HostAggregate{UUID: AggregateID(name), Name: name, Hosts: far[name]}
		if strings.HasPrefix(name, "az-") {
			a.Metadata = map[string]string{"availability_zone": name}
		}
		w.write(placement.PutRecords{Records: []versioned.Change{{After: a}}})
	}
}

// tag does what an operator does with a new host: it sets traits for where the host is
// and what its devices are, puts the devices near a NUMA node below that, which neither
// service reports, and adds the host to its aggregates.
func (f *fleet) tag(w *world, h *host) {
	for _, p := range h.devices() {
		w.addTraits(p.id, p.marks...)
	}
	zone := f.zone(h.rack)
	w.addTraits(h.root.id, f.rackTrait(h.rack), placement.Trait(fmt.Sprintf("CUSTOM_AZ_%d", zone)))
	for n, devices := range h.numa {
		if len(devices) == 0 {
			continue
		}
		name := fmt.Sprintf("%s_numa%d", h.name, n)
		id := placement.ProviderID(named("numa", name))
		all := []placement.Op{
			placement.CreateProvider{ID: id, Name: name, Parent: h.root.id},
			placement.SetTraits{Provider: id, Generation: placement.Generation(0), Traits: []placement.Trait{placement.HWNUMARoot, placement.OwnerNova}},
		}
		for _, p := range devices {
			all = append(all, placement.UpdateProvider{ID: p.id, Name: p.name, Reparent: true, Parent: id})
		}
		w.write(all...)
	}
	in := placement.SetAggregates{Provider: h.root.id, Generation: placement.AnyGeneration()}
	for _, name := range f.aggregatesOf(h) {
		in.Aggregates = append(in.Aggregates, AggregateID(name))
		if !h.far {
			w.write(ops.NovaOps(w.snap, nova.AddAggregateHost{Aggregate: AggregateID(name), Host: h.name})...)
		}
	}
	if h.far {
		w.write(in)
	}
}

// rackTrait returns the trait of a rack; racks are numbered from 0.
func (f *fleet) rackTrait(rack int) placement.Trait {
	return placement.Trait(fmt.Sprintf("CUSTOM_RACK_%0*d", max(2, len(strconv.Itoa(f.racks))), rack+1))
}

// zone returns the number of a rack's zone: the first half of the racks is zone 1.
func (f *fleet) zone(rack int) int {
	if rack*2 <= f.racks-1 {
		return 1
	}
	return 2
}

func zoneName(zone int) string { return fmt.Sprintf("az-%d", zone) }

// flavor returns a flavor by its name.
func (f *fleet) flavor(name string) *flavor {
	return &f.Flavors[slices.IndexFunc(f.Flavors, func(fl flavor) bool { return fl.Name == name })]
}

// record returns fl as Nova keeps it, with a group for each of Nova's devices, as one
// mediated device serves one group.
//
// Source: nova/doc/source/admin/virtual-gpu.rst.
func (fl flavor) record(id string) *nova.Flavor {
	specs := map[string]string{}
	if fl.Pinned {
		specs["hw:cpu_policy"] = "dedicated"
	}
	if fl.Alias != "" {
		specs["pci_passthrough:alias"] = fl.Alias
	}
	groups := 0
	for _, d := range fl.Devices {
		if d.Owner == placement.OwnerCyborg {
			groups++
			specs["accel:device_profile"] = fl.Profile
			continue
		}
		for range d.N {
			groups++
			specs[fmt.Sprintf("resources%d:%s", groups, d.Class)] = "1"
		}
	}
	if groups > 1 {
		specs["group_policy"] = "none"
	}
	return &nova.Flavor{Name: fl.Name, FlavorID: id, VCPUs: fl.VCPUs, MemoryMB: fl.GiB * 1024, RootGB: fl.Disk, ExtraSpecs: specs}
}

// deviceProfile returns the device profile of fl.
func (fl flavor) deviceProfile() *cyborg.DeviceProfile {
	p := &cyborg.DeviceProfile{UUID: named("device profile", fl.Profile), Name: fl.Profile, Description: "made for flavor " + fl.Name}
	for _, d := range fl.Devices {
		if d.Owner == placement.OwnerCyborg {
			p.Groups = append(p.Groups, map[string]string{
				"resources:" + string(d.Class): fmt.Sprint(d.N), "trait:" + string(placement.OwnerCyborg): "required", "trait:" + string(d.Trait): "required",
			})
		}
	}
	return p
}
