package modeltest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Size says how big a generated cloud is.
type Size struct {
	Hosts   int // each a root with Traits traits and Cards children
	Traits  int // of a root
	Cards   int // children with VGPU inventory, owned by Nova and Cyborg by turns
	Servers int // instances on each host, each with VCPU, MEMORY_MB and DISK_GB of the root; the first with a VGPU too
}

// Big is the cloud of the budgets: 10,000 hosts with 30,000 providers, 130,000
// consumers and 400,000 allocations.
func Big() Size { return Size{Hosts: 10_000, Traits: 42, Cards: 2, Servers: 13} }

// Records returns the records of the cloud in the order in which a store keeps
// them: by kind, then by key.
func (z Size) Records() (ofPlacement, ofNova []versioned.Record) {
	const types, tenants, people = 8, 200, 500
	rng := rand.New(rand.NewPCG(1, uint64(z.Hosts)))
	next := func() (u uuid.UUID) {
		binary.BigEndian.PutUint64(u[:8], rng.Uint64())
		binary.BigEndian.PutUint64(u[8:], rng.Uint64())
		u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
		return u
	}
	hex := func(n uint64) string { return fmt.Sprintf("%016x%016x", n*0x9e3779b97f4a7c15, n) }
	now := At(0).UnixMilli()

	var classes, traits, providers, tags, consumers, instances []versioned.Record
	for i := range types {
		traits = append(traits, &placement.TraitRecord{
			ID: placement.TraitID(placement.CustomID + i), Name: placement.Trait(fmt.Sprintf("CUSTOM_NVIDIA_%d", i)),
		})
	}
	for h := range z.Hosts {
		host := fmt.Sprintf("compute-%05d.example.org", h)
		root := placement.ProviderID(next())
		providers = append(providers, &placement.ProviderRecord{
			UUID: root, Name: host, Generation: int64(20 + h%7), Created: now, Updated: now,
			Inventories: Inventories{
				placement.VCPU:     {Total: 128, Reserved: 2, MinUnit: 1, MaxUnit: 128, StepSize: 1, AllocationRatio: 4},
				placement.MemoryMB: {Total: 1 << 20, Reserved: 4096, MinUnit: 1, MaxUnit: 1 << 20, StepSize: 1, AllocationRatio: 1},
				placement.DiskGB:   {Total: 8000, MinUnit: 1, MaxUnit: 8000, StepSize: 1, AllocationRatio: 1},
			},
			Aggregates: []placement.AggregateID{AggregateID(fmt.Sprint("zone", h%10))},
		})
		tags = append(tags, &placement.ProviderTraitsRecord{Provider: root, Traits: rootTraits(z.Traits, h)})
		var card placement.ProviderID
		for c := range z.Cards {
			id, owner := placement.ProviderID(next()), placement.OwnerNova
			if c == 0 {
				card = id
			}
			if c%2 == 1 {
				owner = placement.OwnerCyborg
			}
			providers = append(providers, &placement.ProviderRecord{
				UUID: id, Name: fmt.Sprintf("%s_pci_0000_%02x_00_0", host, 0x40+c), Parent: &root, Generation: 3, Created: now, Updated: now,
				Inventories: Inventories{placement.VGPU: {Total: 8, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 1}},
			})
			tags = append(tags, &placement.ProviderTraitsRecord{
				Provider: id, Traits: []placement.Trait{placement.Trait(fmt.Sprintf("CUSTOM_NVIDIA_%d", c%types)), owner},
			})
		}
		for v := range z.Servers {
			id := placement.ConsumerID(next())
			project, user := hex(rng.Uint64N(tenants)), hex(tenants+rng.Uint64N(people))
			on := map[placement.ProviderID]map[placement.ResourceClass]int64{
				root: {placement.VCPU: 1 << (v % 4), placement.MemoryMB: 2048 << (v % 4), placement.DiskGB: 20},
			}
			if v == 0 && z.Cards > 0 {
				on[card] = Resources{placement.VGPU: 1}
			}
			consumers = append(consumers, &placement.ConsumerRecord{
				UUID: id, Type: placement.InstanceConsumer, Project: project, User: user, Generation: 1,
				Created: now, Updated: now, Allocations: on,
			})
			instances = append(instances, &nova.Instance{
				UUID: id, Name: fmt.Sprintf("server-%d-%d", h, v), Project: project, User: user, Host: host,
				Flavor: fmt.Sprint("m1.", 1<<(v%4)), VMState: nova.Active, Created: now,
			})
		}
	}
	for _, records := range [][]versioned.Record{providers, tags, consumers, instances} {
		slices.SortFunc(records, func(a, b versioned.Record) int { return slices.Compare(a.RecordKey(), b.RecordKey()) })
	}
	return slices.Concat(classes, traits, providers, tags, consumers), instances
}

// rootTraits returns the traits of host h: those that current computes report, for
// several generations of processors.
func rootTraits(n, h int) []placement.Trait {
	var out []placement.Trait
	for _, t := range placement.StandardTraits() {
		if len(out) < n-2 && (len(out) < n/2 || t[0] == 'H') && t != placement.ComputeStatusDisabled && t != placement.OwnerNova {
			out = append(out, t)
		}
	}
	if n > 0 {
		out = append(out, placement.OwnerNova)
	}
	if len(out) < n {
		out = append(out, placement.StandardTraits()[300+h%8])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
