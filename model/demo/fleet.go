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
	hosts   int
	racks   int
	now     time.Time
	rng     *rand.Rand
	flavors []flavor
	plain   []string // names of those without devices
	users   []tenant // of these
	nodes   []*host
	pool    *provider
	events  []*event
	serial  map[string]int  // last number used, by name of a service
	told    map[string]bool // names of the instances in a story
}

// event is one event in the past of the cloud.
type event struct {
	at          time.Time
	actor, note string
	write       func(*world) error // decides on the world as it is then
}

func newFleet(o Options) *fleet {
	const leastRacks, rackSize = 3, 40
	return &fleet{
		hosts: o.Hosts,
		racks: min(max(leastRacks, (o.Hosts+rackSize-1)/rackSize), o.Hosts),
		now:   o.Now.UTC(),
		rng:   rand.New(rand.NewPCG(o.Seed, 0x706c616365746f70)), // not secret, repeatable on purpose
		plain: plainFlavors(), flavors: flavors(), users: cpuTenants(),
		serial: map[string]int{}, told: map[string]bool{},
	}
}

// says adds an event by an actor.
func (f *fleet) says(at time.Time, actor, note string, write func(*world) error) {
	f.events = append(f.events, &event{at, actor, note, write})
}

// tell yields the events as Changes, oldest first. An event that fails is a mistake in
// this package: each is planned so that it succeeds.
func (f *fleet) tell(yield func(cloud.Change) bool) {
	w := &world{snap: cloud.Empty(), index: &candidates.Indexer{}}
	slices.SortStableFunc(f.events, func(a, b *event) int { return a.at.Compare(b.at) })
	for i, e := range f.events {
		w.at, f.events[i] = e.at, nil // no longer needed
		if err := e.write(w); err != nil {
			panic(fmt.Sprintf("demo: %s: %s: %v", e.actor, e.note, err))
		}
		if c := w.take(); !yield(cloud.Change{Actor: e.actor, Note: e.note, At: e.at, Ops: c.Ops}) {
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

// fillOf returns how full host i is to be: of ten hosts one is nearly full and one nearly
// idle.
func (f *fleet) fillOf(i int) float64 {
	first := []float64{0.72, 0.97, 0.66, 0.75, 0.70, 0.62, 0.68, 0.30, 0.50, 0.55, 0.64, 0.04}
	if i < len(first) {
		return first[i]
	}
	switch f.rng.IntN(10) {
	case 0:
		return 0.94 + 0.04*f.rng.Float64()
	case 1:
		return 0.06 * f.rng.Float64()
	default:
		return 0.45 + 0.37*f.rng.Float64()
	}
}

// near reports whether the stories may be about host i. In a large cloud these are the
// hosts of the showcase. The others join later, each with its guests.
func (f *fleet) near(i int) bool { return f.hosts <= journaled || i < len(showcase()) }

// raise makes the hosts and pools, and the events that create the near ones.
func (f *fleet) raise() {
	f.pool = &provider{id: placement.ProviderID(f.uuid()), name: "ceph-ssd-01"}
	size := int64(300) // GB
	racks := make([][]*host, f.racks)
	for i := range f.hosts {
		h := f.host(i)
		if h.pool != nil {
			size += h.disk
		}
		f.nodes, racks[h.rack] = append(f.nodes, h), append(racks[h.rack], h)
	}
	f.pool.stock = []stock{units(placement.DiskGB, size, size/50)}
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
	f.says(f.ago(age-firstGroup), "admin", "make the host aggregates "+strings.Join(aggregates(), ", "), f.group)
	for rack, hosts := range racks {
		at := f.ago(age - firstTag).Add(time.Duration(rack) * 4 * time.Hour / time.Duration(f.racks))
		if hosts = slices.DeleteFunc(hosts, func(h *host) bool { return h.far }); len(hosts) > 0 {
			f.says(at, "admin", fmt.Sprintf("tag the hosts of rack %d in zone az-%d", rack+1, f.zone(rack)), func(w *world) error {
				for _, h := range hosts {
					if err := f.tag(w, h); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	f.offer()
}

// join adds the events in which the far hosts come, some of them at a time, from early on
// until now.
func (f *fleet) join() {
	far := f.nodes[min(len(f.nodes), len(showcase())):]
	if f.near(len(f.nodes) - 1) {
		return
	}
	together, every := min(25, 1+len(far)/20), (age-4*day)/time.Duration(len(far)) // hosts in one Change; time for a host
	for i := 0; i < len(far); i += together {
		hosts := far[i:min(i+together, len(far))]
		f.says(f.ago(age-2*day).Add(time.Duration(i)*every), "admin", fmt.Sprintf("%d hosts join with their instances", len(hosts)), func(w *world) error {
			for _, h := range hosts {
				own := &world{snap: w.snap, at: w.at} // no host affects what another one reports
				for _, write := range []func(*world) error{h.start, h.discover, h.bandwidth, func(own *world) error { return f.tag(own, h) }, h.land} {
					if err := write(own); err != nil {
						return fmt.Errorf("%s: %w", h.name, err)
					}
				}
				w.written.Ops = append(w.written.Ops, own.take().Ops...)
			}
			return nil
		})
	}
}

// beats adds the events that all services have just reported, with no more in one Change
// than can be read.
func (f *fleet) beats() {
	const most = 2_500
	for nodes := range slices.Chunk(f.nodes, most) {
		f.says(f.ago(20*time.Second), "nova-compute", fmt.Sprintf("%d services up", len(nodes)), func(w *world) error {
			for _, h := range nodes {
				if h.far {
					w.written.Ops = append(w.written.Ops, h.beats()...)
				} else if err := w.write(h.beats()...); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// makePool returns what makes a pool of disk that the hosts of an aggregate may use.
func makePool(p *provider, aggregate string) func(*world) error {
	return func(w *world) error {
		if err := w.write(tracker.CreatePool(tracker.Pool{ID: p.id, Name: p.name, Inventory: p.stock[0].inv})...); err != nil {
			return err
		}
		if err := w.addTraits(p.id, "STORAGE_DISK_SSD"); err != nil {
			return err
		}
		return w.write(placement.SetAggregates{
			Provider: p.id, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{AggregateID(aggregate)},
		})
	}
}

// vocabulary creates all custom traits and classes, and the cell.
func (f *fleet) vocabulary(w *world) error {
	all := []cloud.Op{placement.CreateClass{Name: classT4}, placement.CreateClass{Name: classNVMe}}
	for _, t := range []placement.Trait{
		zoneTrait(1), zoneTrait(2), "CUSTOM_NVIDIA_20B0", "CUSTOM_NVIDIA_20B0_A100", traitT4,
		"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_PRODUCT_ID_09C4", "CUSTOM_FPGA_INTEL_PAC_ARRIA10", "CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL",
	} {
		all = append(all, placement.CreateTrait{Name: t})
	}
	for rack := range f.racks {
		all = append(all, placement.CreateTrait{Name: f.rackTrait(rack)})
	}
	return w.write(append(all, nova.CreateCell{Name: cell})...)
}

// aggregates returns the names of all host aggregates with hosts.
func aggregates() []string { return []string{"az-1", "az-2", "gpu", "storage-1"} }

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
func (f *fleet) group(w *world) error {
	far := map[string][]string{}
	for _, h := range f.nodes {
		if h.far {
			for _, name := range f.aggregatesOf(h) {
				far[name] = append(far[name], h.name)
			}
		}
	}
	for _, name := range aggregates() {
		a := &nova.HostAggregate{UUID: AggregateID(name), Name: name, Hosts: far[name]}
		if strings.HasPrefix(name, "az-") {
			a.Metadata = map[string]string{"availability_zone": name}
		}
		var c cloud.Change
		c.Put(w.snap, a)
		if err := w.write(c.Ops...); err != nil {
			return err
		}
	}
	return nil
}

// tag does what an operator does with a new host: it sets traits for where the host is
// and what its devices are, puts the devices near a NUMA node below that, which neither
// service reports, and adds the host to its aggregates.
func (f *fleet) tag(w *world, h *host) error {
	for _, p := range append(h.devices(), h.root) {
		if err := w.addTraits(p.id, f.marksOf(h, p)...); err != nil {
			return err
		}
	}
	for n, devices := range h.numa {
		name := fmt.Sprintf("%s_numa%d", h.name, n)
		id := placement.ProviderID(named("numa", name))
		all := []placement.Op{
			placement.CreateProvider{ID: id, Name: name, Parent: h.root.id},
			placement.SetTraits{Provider: id, Generation: placement.Generation(0), Traits: []placement.Trait{placement.HWNUMARoot, placement.OwnerNova}},
		}
		for _, p := range devices {
			all = append(all, placement.UpdateProvider{ID: p.id, Name: p.name, Reparent: true, Parent: id})
		}
		if err := w.write(all...); err != nil {
			return err
		}
	}
	in := placement.SetAggregates{Provider: h.root.id, Generation: placement.AnyGeneration()}
	for _, name := range f.aggregatesOf(h) {
		if in.Aggregates = append(in.Aggregates, AggregateID(name)); h.far {
			continue
		}
		if err := w.write(ops.NovaOps(w.snap, nova.AddAggregateHost{Aggregate: AggregateID(name), Host: h.name})...); err != nil {
			return err
		}
	}
	if h.far {
		return w.write(in)
	}
	return nil
}

// marksOf returns the traits that an operator adds to a provider of h: where the host is,
// what flavors ask for, and the owner if the driver does not report it.
func (f *fleet) marksOf(h *host, p *provider) []placement.Trait {
	switch {
	case p == h.root:
		return []placement.Trait{f.rackTrait(h.rack), zoneTrait(f.zone(h.rack))}
	case p.of(placement.VGPU) != nil && p.owner == placement.OwnerNova:
		return []placement.Trait{"CUSTOM_NVIDIA_20B0_A100", "HW_GPU_API_VULKAN", "HW_GPU_CUDA_SDK_V10_0", "HW_GPU_MAX_DISPLAY_HEADS_4"}
	case p.of(placement.FPGA) != nil:
		return []placement.Trait{p.owner}
	}
	return nil
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

func zoneTrait(zone int) placement.Trait { return placement.Trait(fmt.Sprintf("CUSTOM_AZ_%d", zone)) }

// cell is the cell of all computes of a demo cloud.
const cell = "cell1"

// heartbeat is how often the services of a demo cloud report that they are up. As they do
// not really run, the report when the cloud is made must last.
const heartbeat = 365 * day

// beats returns the operations with which nova-compute reports that it is up.
func (h *host) beats() []cloud.Op {
	return []cloud.Op{
		nova.StartService{Host: h.name, Binary: nova.Compute, Cell: cell, Version: h.version},
		nova.ReportState{Host: h.name, Binary: nova.Compute, Every: heartbeat},
	}
}

// start starts nova-compute, which reports the compute node and its own devices.
func (h *host) start(w *world) error {
	all := h.beats()
	for _, d := range h.pci {
		all = append(all, nova.ReportPciDevice{Device: versioned.Clone(d)})
	}
	if err := w.write(all...); err != nil {
		return err
	}
	return h.tick(w)
}

// tick lets the resource tracker of h report what the driver sees.
func (h *host) tick(w *world) error {
	node, err := w.tracker().NodeOf(h.name, h.tree, conf())
	if err != nil {
		return err
	}
	node.SharedStorage = h.pool != nil
	out, err := w.tracker().Tick(node, h.tree, w.at)
	if err != nil {
		return err
	}
	return w.write(append(out.Ops, out.Nova...)...)
}

// discover lets the Cyborg agent report the cards that it finds.
func (h *host) discover(w *world) error {
	d, err := cyborg.Discover(w.snap.Cyborg(), w.snap.Placement(), h.name, h.cards)
	if err != nil {
		return err
	}
	return w.write(append(d.Placement, d.Cyborg...)...)
}

// Resource classes of the bandwidth of a bridge, in kilobit per second.
const (
	bandwidthOut placement.ResourceClass = "NET_BW_EGR_KILOBIT_PER_SEC"
	bandwidthIn  placement.ResourceClass = "NET_BW_IGR_KILOBIT_PER_SEC"
)

const agentSuffix = ":Open vSwitch agent"

func bridgeName(host string) string { return host + agentSuffix + ":br-physnet0" }

// bandwidth lets Neutron report the Open vSwitch agent of h and its bridge of
// 10 Gbit/s, if it has one.
//
// Source: neutron/agent/common/placement_report.py.
func (h *host) bandwidth(w *world) error {
	if h.bridge == nil {
		return nil
	}
	agent := placement.ProviderID(named("neutron", h.name+agentSuffix))
	inventories := map[placement.ResourceClass]placement.Inventory{}
	for _, s := range h.bridge.stock {
		inventories[s.class] = s.inv
	}
	return w.write(
		placement.CreateProvider{ID: agent, Name: h.name + agentSuffix, Parent: h.root.id},
		placement.CreateProvider{ID: h.bridge.id, Name: h.bridge.name, Parent: agent},
		placement.SetInventories{Provider: h.bridge.id, Generation: placement.Generation(0), Inventories: inventories},
		placement.SetTraits{
			Provider: h.bridge.id, Generation: placement.Generation(1),
			Traits: []placement.Trait{"CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL"},
		},
	)
}
