package demo

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
)

// rackSize is how many hosts a rack of a large cloud holds.
const rackSize = 40

// leastRacks is how many racks a small cloud has.
const leastRacks = 3

// journaled is the largest number of hosts of which each event is a Change of
// its own.
const journaled = 50

// How old the cloud is, and how old its first instance.
const (
	age      = 61 * 24 * time.Hour
	firstRun = 60 * 24 * time.Hour
)

// reporting is how long each service takes until it has reported all hosts for
// the first time.
const reporting = 5 * time.Hour

// fleet is a cloud in the making: its hosts, and the events that made it.
type fleet struct {
	hosts  int
	racks  int
	digits int // of the number in a host's name
	now    time.Time
	rng    *rand.Rand

	plain, dedicated []flavor // those without devices, by sort of CPU
	users            []tenant // of the plain ones

	nodes  []*host
	pool   *provider
	events []*event
	serial map[string]int // last number given out, by name of a service
}

func newFleet(o Options) *fleet {
	return &fleet{
		hosts:  o.Hosts,
		racks:  min(max(leastRacks, (o.Hosts+rackSize-1)/rackSize), o.Hosts),
		digits: max(3, len(strconv.Itoa(o.Hosts))),
		now:    o.Now.UTC(),
		rng:    rand.New(rand.NewPCG(o.Seed, 0x706c616365746f70)), //nolint:gosec // made-up data, repeatable on purpose
		plain:  cpuFlavors(), dedicated: pinnedFlavors(), users: cpuTenants(),
		serial: map[string]int{},
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

// ago returns the time that long before the end of the story.
func (f *fleet) ago(d time.Duration) time.Time { return f.now.Add(-d) }

// rackTrait returns the trait of a rack, the first of which has number 0.
func (f *fleet) rackTrait(rack int) placement.Trait {
	return placement.Trait(fmt.Sprintf("CUSTOM_RACK_%0*d", max(2, len(strconv.Itoa(f.racks))), rack+1))
}

// zone returns the number of the zone that a rack is in: the first half of the
// racks is zone 1.
func (f *fleet) zone(rack int) int {
	if rack*2 <= f.racks-1 {
		return 1
	}
	return 2
}

// fillOf returns how full host i shall be: of ten hosts one nearly full and one
// nearly idle.
func (f *fleet) fillOf(i int) float64 {
	first := []float64{0.72, 0.97, 0.66, 0.75, 0.70, 0.62, 0.68, 0.30, 0.50, 0.55, 0.64, 0.04}
	if i < len(first) {
		return first[i]
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

// raise makes the hosts and pools, and the events by which they came to be.
func (f *fleet) raise() {
	f.pool = f.sharingPool("ceph-ssd-01", 0)
	onPool := int64(0)
	for i := range f.hosts {
		h := f.host(i)
		if h.pool != nil {
			onPool++
		}
		f.nodes = append(f.nodes, h)
	}
	f.pool.stock[0] = units(placement.DiskGB, 300+1200*onPool, 30+20*onPool, 1)
	f.add(event{at: f.ago(age), actor: "admin", note: "make the traits and classes of this cloud", ops: f.vocabulary()})
	span := reporting / time.Duration(f.hosts)
	for i, h := range f.nodes {
		f.firstReport(h, f.ago(age).Add(time.Minute+time.Duration(i)*span))
	}
	f.add(event{
		at: f.ago(age).Add(18 * time.Hour), actor: "admin", note: "make the sharing pool ceph-ssd-01, 3 replicas on SSD",
		ops: creation(f.pool),
	})
	for rack := range f.racks {
		f.tagRack(rack, f.ago(age).Add(19*time.Hour+time.Duration(rack)*4*time.Hour/time.Duration(f.racks)))
	}
}

// sharingPool returns a pool of disk that the hosts of aggregate storage-N may
// use, N being the last digit of its name.
func (f *fleet) sharingPool(name string, gb int64) *provider {
	return &provider{
		id: placement.ProviderID(f.uuid()), name: name,
		stock:  []stock{units(placement.DiskGB, gb, 0, 1)},
		traits: []placement.Trait{placement.SharesViaAggregate, "STORAGE_DISK_SSD"},
		aggs:   []placement.AggregateID{AggregateID("storage-" + name[len(name)-1:])},
	}
}

// vocabulary returns the operations that make all custom traits and classes.
func (f *fleet) vocabulary() []placement.Op {
	var ops []placement.Op
	for _, c := range []placement.ResourceClass{classT4, classNVMe} {
		ops = append(ops, placement.CreateClass{Name: c})
	}
	for _, t := range []placement.Trait{
		"CUSTOM_AZ_1", "CUSTOM_AZ_2", "CUSTOM_NVIDIA_20B0", "CUSTOM_NVIDIA_20B0_A100", "CUSTOM_NVIDIA_1EB8_T4_2B",
		"CUSTOM_FPGA_INTEL", "CUSTOM_FPGA_INTEL_PAC_ARRIA10", "CUSTOM_PHYSNET_PHYSNET0", "CUSTOM_VNIC_TYPE_NORMAL",
	} {
		ops = append(ops, placement.CreateTrait{Name: t})
	}
	for rack := range f.racks {
		ops = append(ops, placement.CreateTrait{Name: f.rackTrait(rack)})
	}
	return ops
}

// firstReport adds the events by which the services report a host for the first
// time. In a large cloud each service waits for the one before, so that its
// reports stand together.
func (f *fleet) firstReport(h *host, at time.Time) {
	wait := 20 * time.Second
	if f.hosts > journaled {
		wait = reporting + time.Minute
	}
	ops := creation(h.root)
	for _, p := range h.nova {
		ops = append(ops, creation(p)...)
	}
	f.add(event{at: at, bulk: firstNova, actor: "nova-compute " + h.name, note: "first report of " + h.name, ops: ops})
	for _, more := range []struct {
		children []*provider
		bulk     bulk
		actor    string
		what     string
		after    time.Duration
	}{
		{h.cyborg, firstCyborg, "cyborg-agent ", "the cards of ", wait},
		{h.net, firstNeutron, "neutron-server ", "the bandwidth of ", 2 * wait},
	} {
		if len(more.children) == 0 {
			continue
		}
		ops = nil
		for _, p := range more.children {
			ops = append(ops, creation(p)...)
		}
		f.add(event{
			at: at.Add(more.after), bulk: more.bulk, actor: more.actor + h.name,
			note: "first report of " + more.what + h.name, ops: ops,
		})
	}
}

// creation returns the operations that make p as it is now.
func creation(p *provider) []placement.Op {
	create := placement.CreateProvider{ID: p.id, Name: p.name}
	if p.parent != nil {
		create.Parent = p.parent.id
	}
	ops := []placement.Op{create}
	if len(p.stock) > 0 {
		ops = append(ops, placement.SetInventories{Provider: p.id, Generation: placement.AnyGeneration(), Inventories: p.inventories()})
	}
	if len(p.traits) > 0 {
		ops = append(ops, p.setTraits())
	}
	if len(p.aggs) > 0 {
		ops = append(ops, p.setAggregates())
	}
	return ops
}

func (p *provider) setTraits() placement.Op {
	return placement.SetTraits{Provider: p.id, Generation: placement.AnyGeneration(), Traits: slices.Clone(p.traits)}
}

func (p *provider) setAggregates() placement.Op {
	return placement.SetAggregates{Provider: p.id, Generation: placement.AnyGeneration(), Aggregates: slices.Clone(p.aggs)}
}

// tagRack adds the event by which an operator says where the hosts of a rack
// stand: their rack and zone as traits, their host aggregates as Nova mirrors
// them.
func (f *fleet) tagRack(rack int, at time.Time) {
	zone := f.zone(rack)
	var ops []placement.Op
	for _, h := range f.nodes {
		if h.rack != rack {
			continue
		}
		h.root.traits = append(h.root.traits, f.rackTrait(rack), placement.Trait(fmt.Sprintf("CUSTOM_AZ_%d", zone)))
		h.root.aggs = append(h.root.aggs, AggregateID(fmt.Sprintf("az-%d", zone)))
		if h.pool != nil {
			h.root.aggs = append(h.root.aggs, f.pool.aggs...)
		}
		if len(h.nova)+len(h.cyborg) > 0 {
			h.root.aggs = append(h.root.aggs, AggregateID("gpu"))
		}
		ops = append(ops, h.root.setTraits(), h.root.setAggregates())
	}
	f.add(event{
		at: at, bulk: tagRacks, actor: "admin",
		note: fmt.Sprintf("tag the hosts of rack %d in zone az-%d", rack+1, zone), ops: ops,
	})
}
