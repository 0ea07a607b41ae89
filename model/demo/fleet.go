package demo

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// rackSize is how many hosts are in a rack of a large cloud.
const rackSize = 40

// leastRacks is the least number of racks of a cloud.
const leastRacks = 3

// journaled is the largest number of hosts for which each event is a separate Change.
const journaled = 50

// The age of the cloud, and of its first instance.
const (
	age      = 61 * 24 * time.Hour
	firstRun = 60 * 24 * time.Hour
)

// reporting is how long it takes until a service has reported all hosts for the first
// time.
const reporting = 5 * time.Hour

// fleet is a cloud that is being made: its hosts, and the events that make it.
type fleet struct {
	hosts int
	every bool // a case of each rule, on a cloud of any size
	racks int
	now   time.Time
	rng   *rand.Rand

	plain, dedicated []flavor // those without devices, by sort of CPU
	users            []tenant // of the plain flavors

	ids     []uuid.UUID // for further far hosts
	nodes   []*host
	pool    *provider
	shapes  map[shape]pattern // of the far hosts
	sorts   map[sort]bool     // the sorts of devices that some host has
	flavors map[string]*flavor
	events  []*event
	serial  map[string]int  // last number used, by name of a service
	told    map[string]bool // names of the instances in a story
}

func newFleet(o Options) *fleet {
	return &fleet{
		hosts: o.Hosts,
		every: o.Troubles || o.Hosts >= WithTroubles,
		racks: min(max(leastRacks, (o.Hosts+rackSize-1)/rackSize), o.Hosts),
		now:   o.Now.UTC(),
		rng:   rand.New(rand.NewPCG(o.Seed, 0x706c616365746f70)), // not secret, repeatable on purpose
		plain: cpuFlavors(), dedicated: pinnedFlavors(), users: cpuTenants(),
		shapes: map[shape]pattern{}, sorts: map[sort]bool{}, flavors: map[string]*flavor{}, serial: map[string]int{}, told: map[string]bool{},
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

// ordered returns random uuids in order. Far hosts have such: records of neighbouring
// hosts are then adjacent wherever records are kept by key.
func (f *fleet) ordered(n int) []uuid.UUID {
	all := make([]uuid.UUID, n)
	for i := range all {
		all[i] = f.uuid()
	}
	slices.SortStableFunc(all, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return all
}

// hostID returns the uuid of the next host.
func (f *fleet) hostID() uuid.UUID {
	if len(f.ids) == 0 {
		return f.uuid()
	}
	id := f.ids[0]
	f.ids = f.ids[1:]
	return id
}

// ago returns the time d before now.
func (f *fleet) ago(d time.Duration) time.Time { return f.now.Add(-d) }

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

// fillOf returns how full host i is to be: of ten hosts one is nearly full and one nearly
// idle.
func (f *fleet) fillOf(i int) float64 {
	first := []float64{0.72, 0.97, 0.66, 0.75, 0.70, 0.62, 0.68, 0.30, 0.50, 0.55, 0.64, 0.04}
	if i < len(first) {
		return first[i]
	}
	if f.troubled(i) {
		return troubled
	}
	switch n := f.rng.IntN(10); n {
	case 0:
		return 0.94 + 0.04*f.rng.Float64()
	case 1:
		return 0.06 * f.rng.Float64()
	default:
		return 0.45 + 0.37*f.rng.Float64()
	}
}

// near reports whether the use-cases decide on host i. In a large cloud these are the
// hosts of the showcase and of the troubles, as everything later happens there. The same
// is written for the other, far hosts, but made in bulk.
func (f *fleet) near(i int) bool {
	return f.hosts <= journaled || i < len(showcase()) || f.troubled(i)
}

// troubled reports whether host i is one of those after the showcase that have troubles.
func (f *fleet) troubled(i int) bool {
	return f.hosts >= WithTroubles && i >= len(showcase()) && i < WithTroubles
}

// How long ago an operator put the hosts to use.
const (
	firstPool  = 18 * time.Hour
	firstGroup = firstPool + 30*time.Minute
	firstTag   = 19 * time.Hour
	firstOffer = 23 * time.Hour
)

// raise makes the hosts and pools, and the events that create them.
func (f *fleet) raise() {
	f.pool = &provider{id: placement.ProviderID(f.uuid()), name: "ceph-ssd-01"}
	size := int64(300) // GB
	for i := range f.hosts {
		if !f.near(i) && f.ids == nil {
			f.ids = f.ordered(f.hosts - i)
		}
		h := f.host(i)
		if h.pool != nil {
			size += h.disk
		}
		for _, p := range h.devices() {
			f.sorts[sort{p.stock[0].class, p.owner}] = true
		}
		f.nodes = append(f.nodes, h)
	}
	f.pool.stock = []stock{units(placement.DiskGB, size, size/50)}
	vocabulary := f.vocabulary()
	f.add(event{
		at: f.ago(age), actor: "admin", note: "make the traits and classes of this cloud",
		write: func(w *world) error { return w.write(vocabulary) },
	})
	span := reporting / time.Duration(f.hosts)
	base := newWorld(cloud.Empty()) // the cloud as a far host finds it
	if err := base.write(vocabulary); err != nil {
		panic("demo: " + err.Error())
	}
	if f.hosts >= withGone {
		f.startGone()
	}
	racks := make([][]*host, f.racks)
	for i, h := range f.nodes {
		racks[h.rack] = append(racks[h.rack], h)
		f.reports(h, base.snap, f.ago(age).Add(time.Minute+time.Duration(i)*span))
	}
	f.add(event{
		at: f.ago(age).Add(firstPool), actor: "admin", note: "make the sharing pool ceph-ssd-01, 3 replicas on SSD",
		write: func(w *world) error { return makePool(w, f.pool, "storage-1") },
	})
	f.group()
	for rack, hosts := range racks {
		f.add(event{
			at:   f.ago(age).Add(firstTag + time.Duration(rack)*4*time.Hour/time.Duration(f.racks)),
			bulk: tagRacks, actor: "admin", note: fmt.Sprintf("tag the hosts of rack %d in zone az-%d", rack+1, f.zone(rack)),
			far: func() (c cloud.Change, _ error) {
				for _, h := range hosts {
					if h.far {
						c.Ops = append(c.Ops, f.farTag(h)...)
					}
				}
				return c, nil
			},
			write: func(w *world) error {
				for _, h := range hosts {
					if h.far {
						continue
					}
					if err := f.tag(w, h); err != nil {
						return err
					}
				}
				return nil
			},
		})
	}
	f.offer()
}

// makePool makes a pool of disk that the hosts of an aggregate may use.
func makePool(w *world, p *provider, aggregate string) error {
	if err := w.do(tracker.CreatePool(tracker.Pool{ID: p.id, Name: p.name, Inventory: p.stock[0].inv})...); err != nil {
		return err
	}
	if err := addTraits(w, p.id, "STORAGE_DISK_SSD"); err != nil {
		return err
	}
	return w.do(placement.SetAggregates{
		Provider: p.id, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{AggregateID(aggregate)},
	})
}

// vocabulary returns the Change that creates all custom traits and classes, and the cell.
func (f *fleet) vocabulary() cloud.Change {
	var c cloud.Change
	for _, name := range []placement.ResourceClass{classT4, classNVMe} {
		c.Ops = append(c.Ops, placement.CreateClass{Name: name})
	}
	for _, t := range []placement.Trait{
		zoneTrait(1), zoneTrait(2), "CUSTOM_NVIDIA_20B0", "CUSTOM_NVIDIA_20B0_A100", traitT4,
		"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_PRODUCT_ID_09C4", "CUSTOM_FPGA_INTEL_PAC_ARRIA10", "CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL",
	} {
		c.Ops = append(c.Ops, placement.CreateTrait{Name: t})
	}
	for rack := range f.racks {
		c.Ops = append(c.Ops, placement.CreateTrait{Name: f.rackTrait(rack)})
	}
	c.Ops = append(c.Ops, nova.CreateCell{Name: cell})
	return c
}

// reports adds the events in which the services report a host for the first time. In a
// large cloud each service waits for the previous one, so that its reports are adjacent;
// those of a far host are decided on base.
func (f *fleet) reports(h *host, base *cloud.Snapshot, at time.Time) {
	wait := 20 * time.Second
	if f.hosts > journaled {
		wait = reporting + time.Minute
	}
	first := []event{
		{at: at, bulk: firstNova, actor: "nova-compute ", note: "first report of ", write: h.start},
		{at: at.Add(wait), bulk: firstCyborg, actor: "cyborg-agent ", note: "first report of the cards of ", write: h.discover},
		{at: at.Add(2 * wait), bulk: firstNeutron, actor: "neutron-server ", note: "first report of the bandwidth of ", write: h.bandwidth},
	}
	if h.far {
		w := &world{snap: base, at: at}
		first[0].write, first[0].far = nil, func() (cloud.Change, error) { return f.farStart(h, w) }
		first[1].write, first[1].far = nil, func() (cloud.Change, error) { return h.farDiscover(w) }
		first[2].write, first[2].far = nil, func() (cloud.Change, error) { return cloud.Change{Ops: h.bandwidthOps()}, nil }
	}
	for i, reports := range []bool{true, len(h.cards) > 0, h.bridge != nil} {
		if reports {
			first[i].actor, first[i].note = first[i].actor+h.name, first[i].note+h.name
			f.add(first[i])
		}
	}
}

// aggregates returns the names of all host aggregates with hosts.
func aggregates() []string { return []string{"az-1", "az-2", "gpu", "storage-1"} }

// aggregatesOf returns the names of the host aggregates of h.
func (f *fleet) aggregatesOf(h *host) []string {
	out := []string{zoneName(f.zone(h.rack))}
	if h.pool != nil {
		out = append(out, "storage-1")
	}
	if len(h.nova)+len(h.cyborg) > 0 {
		out = append(out, "gpu")
	}
	return out
}

// group makes the host aggregates. Hosts are added when their rack is tagged; far ones
// are in from the start.
func (f *fleet) group() {
	far := map[string][]string{}
	for _, h := range f.nodes {
		for _, name := range f.aggregatesOf(h) {
			if h.far {
				far[name] = append(far[name], h.name)
			}
		}
	}
	f.add(event{
		at: f.ago(age).Add(firstGroup), actor: "admin", note: "make the host aggregates " + strings.Join(aggregates(), ", "),
		write: func(w *world) error {
			for _, name := range aggregates() {
				a := &nova.HostAggregate{UUID: AggregateID(name), Name: name, Hosts: far[name]}
				if strings.HasPrefix(name, "az-") {
					a.Metadata = map[string]string{"availability_zone": name}
				}
				var c cloud.Change
				c.Put(w.snap, a)
				if err := w.write(c); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

func zoneName(zone int) string { return fmt.Sprintf("az-%d", zone) }

func zoneTrait(zone int) placement.Trait { return placement.Trait(fmt.Sprintf("CUSTOM_AZ_%d", zone)) }
