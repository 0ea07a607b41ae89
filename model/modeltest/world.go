package modeltest

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// World is a cloud that a test makes step by step. Every step fails the test if the cloud
// refuses it, and returns the World for the next.
type World struct {
	TB testing.TB
	*cloud.Snapshot
}

// NewWorld returns an empty cloud.
func NewWorld(tb testing.TB) *World {
	tb.Helper()
	return &World{tb, cloud.Empty()}
}

// Do changes the cloud, or fails the test.
func (w *World) Do(ops ...placement.Op) *World {
	w.TB.Helper()
	return w.Change(cloud.Change{Ops: ops})
}

// Change is Do for a change of any of the ledgers.
func (w *World) Change(c cloud.Change) *World {
	w.TB.Helper()
	next, _, err := w.Snapshot.Apply(c)
	if err != nil {
		w.TB.Fatal(err)
	}
	w.Snapshot = next
	return w
}

// Provider makes a provider below another ("" for none) with total units of
// classes, and traits; custom names are made as needed.
func (w *World) Provider(name, parent string, total Resources, traits ...placement.Trait) *World {
	w.TB.Helper()
	p, below := Provider{Name: name, Inventories: Inventories{}, Traits: traits}, placement.ProviderID{}
	for c, n := range total {
		p.Inventories[c] = placement.NewInventory(n)
	}
	if parent != "" {
		below = ProviderID(parent)
	}
	return w.Do(p.Ops(below)...)
}

// Inventory sets one inventory of a provider.
func (w *World) Inventory(name string, c placement.ResourceClass, inv placement.Inventory) *World {
	w.TB.Helper()
	return w.Do(placement.SetInventory{Provider: ProviderID(name), Generation: placement.AnyGeneration(), Class: c, Inventory: inv})
}

// Aggregates puts a provider into aggregates.
func (w *World) Aggregates(name string, aggs ...string) *World {
	w.TB.Helper()
	var ids []placement.AggregateID
	for _, a := range aggs {
		ids = append(ids, AggregateID(a))
	}
	return w.Do(placement.SetAggregates{Provider: ProviderID(name), Generation: placement.AnyGeneration(), Aggregates: ids})
}

// Claim makes a consumer hold resources, by names of providers.
func (w *World) Claim(name string, typ placement.ConsumerType, holds map[string]Resources) *World {
	w.TB.Helper()
	c := Claim(name, holds)
	c.Generation, c.Type, c.Project, c.User = placement.AnyGeneration(), typ, "p", "u"
	return w.Do(Allocate(c))
}

// Node adds a compute node of Nova.
func (w *World) Node(name string) *World {
	w.TB.Helper()
	return w.Provider(name, "", Resources{placement.VCPU: 8, placement.MemoryMB: 8192}, placement.ComputeNode, placement.OwnerNova, placement.ComputeAccelerators)
}

// Bare makes a compute node without OWNER_NOVA.
func (w *World) Bare(name string) *World {
	w.TB.Helper()
	return w.Provider(name, "", Resources{placement.VCPU: 8}, placement.ComputeNode)
}

// OverFull makes h, of whose VCPUs two more are used than it has.
func (w *World) OverFull() *World {
	w.TB.Helper()
	w.Provider("h", "", Resources{placement.VCPU: 8}).Claim("i", placement.InstanceConsumer, map[string]Resources{"h": {placement.VCPU: 8}})
	return w.Shrink(6)
}

// Shrink sets the total of VCPU of h.
func (w *World) Shrink(total int64) *World {
	w.TB.Helper()
	return w.Inventory("h", placement.VCPU, placement.NewInventory(total))
}
