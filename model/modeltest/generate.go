package modeltest

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/placement"
)

// The generators draw names from small pools, so that operations affect each other: most
// are accepted, and many are refused, for every possible reason.

func providerNames() []string { return []string{"a", "b", "c", "d", "e", "f"} }

func consumerNames() []string { return []string{"vm1", "vm2", "vm3", "vm4", "vm5"} }

func aggregateNames() []string { return []string{"zone1", "zone2", "zone3"} }

func classNames() []placement.ResourceClass {
	return []placement.ResourceClass{placement.VCPU, placement.VGPU, "CUSTOM_A", "CUSTOM_B", "CUSTOM_C"}
}

func traitNames() []placement.Trait {
	return []placement.Trait{placement.OwnerNova, placement.OwnerCyborg, "CUSTOM_A", "CUSTOM_B", "CUSTOM_C"}
}

// Roll draws a number from 0 to n-1, at most 256, all alike: rapid's own ranges
// prefer the small ones.
func Roll(t *rapid.T, n int) int {
	v := 0
	for range 8 {
		v *= 2
		if rapid.Bool().Draw(t, "bit") {
			v++
		}
	}
	return v * n / 256
}

// Inventory draws an inventory: small, now and then a bad one.
func Inventory() *rapid.Generator[placement.Inventory] {
	return rapid.Custom(func(t *rapid.T) placement.Inventory {
		total := rapid.Int64Range(1, 12).Draw(t, "total")
		inv := placement.NewInventory(total)
		switch Roll(t, 20) {
		case 0, 1:
			inv.Reserved = rapid.Int64Range(0, total).Draw(t, "reserved")
		case 2, 3:
			inv.AllocationRatio = rapid.SampledFrom([]float64{0, 0.3, 1.5, 16, placement.MaxRatio}).Draw(t, "ratio")
		case 4, 5:
			inv.MinUnit = rapid.Int64Range(1, 4).Draw(t, "min")
			inv.MaxUnit = rapid.Int64Range(1, 8).Draw(t, "max")
			inv.StepSize = rapid.Int64Range(1, 3).Draw(t, "step")
		case 6:
			inv.Total = rapid.SampledFrom([]int64{-1, 0, placement.MaxInt, placement.MaxInt + 1}).Draw(t, "odd total")
		}
		return inv
	})
}

// Op draws one operation on s of any kind but PutRecords.
func Op(s *placement.Snapshot) *rapid.Generator[placement.Op] {
	return rapid.Custom(func(t *rapid.T) placement.Op {
		d := drawer{t, s}
		kinds := []struct {
			weight int
			draw   func() placement.Op
		}{
			{3, func() placement.Op {
				name := d.name()
				return placement.CreateProvider{ID: ProviderID(name), Name: name, Parent: d.parent()}
			}},
			{3, func() placement.Op {
				return placement.UpdateProvider{ID: d.provider(), Name: d.newName(), Reparent: d.chance(), Parent: d.parent()}
			}},
			{1, func() placement.Op { return placement.DeleteProvider{ID: d.provider()} }},
			{3, func() placement.Op { return d.setInventories() }},
			{1, func() placement.Op {
				id := d.provider()
				return placement.SetInventory{Provider: id, Generation: d.generation(id), Class: d.class(), Inventory: Inventory().Draw(t, "inventory")}
			}},
			{1, func() placement.Op {
				id := d.provider()
				return placement.AddInventory{Provider: id, Generation: d.generation(id), Class: d.class(), Inventory: Inventory().Draw(t, "inventory")}
			}},
			{1, func() placement.Op { return placement.DeleteInventory{Provider: d.provider(), Class: d.class()} }},
			{2, func() placement.Op {
				id := d.provider()
				return placement.SetTraits{Provider: id, Generation: d.generation(id), Traits: d.traits()}
			}},
			{1, func() placement.Op {
				id := d.provider()
				return placement.SetAggregates{Provider: id, Generation: d.generation(id), Aggregates: d.aggregates(), KeepGeneration: d.chance()}
			}},
			{9, func() placement.Op { return placement.ReplaceAllocations{Consumers: d.claims(1)} }},
			{1, func() placement.Op { return placement.DeleteAllocations{Consumer: d.consumer()} }},
			{1, func() placement.Op {
				var sets []placement.SetInventories
				for range rapid.IntRange(0, 3).Draw(t, "sets") {
					sets = append(sets, d.setInventories())
				}
				return placement.Reshape{Inventories: sets, Allocations: d.claims(0)}
			}},
			{2, func() placement.Op { return placement.CreateClass{Name: d.anyClass(), IfAbsent: d.chance()} }},
			{1, func() placement.Op { return placement.RenameClass{Name: d.class(), To: d.anyClass()} }},
			{1, func() placement.Op { return placement.DeleteClass{Name: d.class()} }},
			{2, func() placement.Op { return placement.CreateTrait{Name: d.anyTrait()} }},
			{1, func() placement.Op { return placement.DeleteTrait{Name: d.trait()} }},
		}
		total := 0
		for _, k := range kinds {
			total += k.weight
		}
		n := Roll(t, total)
		for _, k := range kinds {
			if n -= k.weight; n < 0 {
				return k.draw()
			}
		}
		panic("unreachable")
	})
}

// drawer draws parts of operations on s.
type drawer struct {
	*rapid.T
	s *placement.Snapshot
}

func (d drawer) chance() bool { return rapid.Bool().Draw(d.T, "chance") }

// one draws one of a list.
func one[T any](d drawer, of []T) T { return of[Roll(d.T, len(of))] }

// name draws any name of the pool.
func (d drawer) name() string { return one(d, providerNames()) }

// newName draws a name that is usually free.
func (d drawer) newName() string { return fmt.Sprint(d.name(), Roll(d.T, 2)) }

// provider draws a provider that usually exists.
func (d drawer) provider() placement.ProviderID {
	if d.s.ProviderCount() > 0 && Roll(d.T, 16) > 0 {
		return one(d, slices.Collect(d.s.Providers())).ID()
	}
	return ProviderID(d.name())
}

// parent draws no parent in half of the cases.
func (d drawer) parent() placement.ProviderID {
	if d.chance() {
		return placement.ProviderID{}
	}
	return d.provider()
}

// consumer draws a consumer that usually exists.
func (d drawer) consumer() placement.ConsumerID {
	if d.s.ConsumerCount() > 0 && Roll(d.T, 16) > 0 {
		return one(d, slices.Collect(d.s.Consumers())).ID()
	}
	return ConsumerID(one(d, consumerNames()))
}

func (d drawer) anyClass() placement.ResourceClass { return one(d, classNames()) }

// class draws a class that usually exists.
func (d drawer) class() placement.ResourceClass {
	for range 3 {
		name := d.anyClass()
		if _, ok := d.s.ClassID(name); ok {
			return name
		}
	}
	return d.anyClass()
}

func (d drawer) anyTrait() placement.Trait { return one(d, traitNames()) }

// trait draws a trait that usually exists.
func (d drawer) trait() placement.Trait {
	for range 3 {
		name := d.anyTrait()
		if _, ok := d.s.TraitID(name); ok {
			return name
		}
	}
	return d.anyTrait()
}

// inventories draws inventories that usually keep the classes in use.
func (d drawer) inventories(id placement.ProviderID) Inventories {
	out := Inventories{}
	if p, ok := d.s.Provider(id); ok && Roll(d.T, 8) > 0 {
		for _, iu := range p.Inventories() {
			if iu.Used > 0 || d.chance() {
				out[d.s.ClassName(iu.Class)] = Inventory().Draw(d.T, "inventory")
			}
		}
	}
	for range Roll(d.T, 4) {
		out[d.class()] = Inventory().Draw(d.T, "inventory")
	}
	return out
}

// traits draws traits in any order, which are usually all different.
func (d drawer) traits() []placement.Trait {
	var out []placement.Trait
	for range Roll(d.T, 4) {
		if t := d.trait(); !slices.Contains(out, t) || Roll(d.T, 8) == 0 {
			out = append(out, t)
		}
	}
	return out
}

func (d drawer) aggregates() []placement.AggregateID {
	var out []placement.AggregateID
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(aggregateNames()), 0, 3, rapid.ID).Draw(d.T, "aggregates") {
		out = append(out, AggregateID(name))
	}
	return out
}

// generation usually draws the current one.
func (d drawer) generation(id placement.ProviderID) placement.Expect {
	p, ok := d.s.Provider(id)
	switch Roll(d.T, 16) {
	case 0:
		return placement.Generation(rapid.Int64Range(0, 5).Draw(d.T, "number"))
	case 1, 2:
		return placement.AnyGeneration()
	default:
		if !ok {
			return placement.AnyGeneration()
		}
		return placement.Generation(p.Generation())
	}
}

func (d drawer) setInventories() placement.SetInventories {
	id := d.provider()
	return placement.SetInventories{Provider: id, Generation: d.generation(id), Inventories: d.inventories(id)}
}

// claims draws claims of different consumers, at least least of them.
func (d drawer) claims(least int) []placement.Claim {
	var out []placement.Claim
	for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(consumerNames()), least, 3, rapid.ID).Draw(d.T, "consumers") {
		c := placement.Claim{
			Consumer: ConsumerID(name), Generation: placement.AnyGeneration(), Project: "project", User: "user",
			Type: rapid.SampledFrom([]placement.ConsumerType{"", placement.InstanceConsumer, placement.MigrationConsumer}).Draw(d.T, "type"),
		}
		switch now, ok := d.s.Consumer(c.Consumer); Roll(d.T, 16) {
		case 0:
			c.Generation = placement.Generation(rapid.Int64Range(0, 3).Draw(d.T, "number"))
		case 1:
			c.Generation = placement.NewConsumer()
		case 2, 3, 4, 5, 6, 7, 8:
			if c.Generation = placement.NewConsumer(); ok {
				c.Generation = placement.Generation(now.Generation())
			}
		}
		if Roll(d.T, 5) != 0 {
			c.Allocations = d.allocations()
		}
		out = append(out, c)
	}
	return out
}

// allocations draws amounts of classes that providers have, or occasionally lack.
func (d drawer) allocations() map[placement.ProviderID]map[placement.ResourceClass]int64 {
	out := map[placement.ProviderID]map[placement.ResourceClass]int64{}
	for _, p := range slices.Collect(d.s.Providers()) {
		for _, iu := range p.Inventories() {
			if Roll(d.T, 3) != 0 {
				continue
			}
			of := out[p.ID()]
			if of == nil {
				of = map[placement.ResourceClass]int64{}
				out[p.ID()] = of
			}
			of[d.s.ClassName(iu.Class)] = int64(1 + Roll(d.T, 4))
		}
	}
	if Roll(d.T, 16) == 0 {
		out[d.provider()] = Resources{d.class(): rapid.Int64Range(0, 4).Draw(d.T, "odd amount")}
	}
	return out
}

// Start is a ledger for random operations to begin with: three trees with
// inventories of custom and standard classes.
func Start() []placement.Op {
	inv := func(classes ...placement.ResourceClass) Inventories {
		out := Inventories{}
		for _, c := range classes {
			out[c] = placement.NewInventory(8)
		}
		return out
	}
	var ops []placement.Op
	for _, p := range []Provider{
		{
			Name: "a", Inventories: inv(placement.VCPU, "CUSTOM_A"), Traits: []placement.Trait{placement.OwnerNova, "CUSTOM_A"},
			Children: []Provider{{Name: "b", Inventories: inv(placement.VGPU)}},
		},
		{Name: "c", Inventories: inv(placement.VCPU, "CUSTOM_B"), Aggregates: []placement.AggregateID{AggregateID("zone1")}},
		{Name: "d", Traits: []placement.Trait{"CUSTOM_B"}},
	} {
		ops = append(ops, p.Ops(placement.ProviderID{})...)
	}
	return ops
}
