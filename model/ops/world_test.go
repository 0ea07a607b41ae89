package ops_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Ids that follow from a name, so that cases can be written by name.
func rp(name string) placement.ProviderID {
	return placement.ProviderID(uuid.NewSHA1(uuid.NameSpaceDNS, []byte("rp "+name)))
}

func vm(name string) placement.ConsumerID {
	return placement.ConsumerID(uuid.NewSHA1(uuid.NameSpaceDNS, []byte("vm "+name)))
}

func agg(name string) placement.AggregateID {
	return placement.AggregateID(uuid.NewSHA1(uuid.NameSpaceDNS, []byte("agg "+name)))
}

type (
	inventories = map[placement.ResourceClass]placement.Inventory
	resources   = map[placement.ResourceClass]int64
	allocations = map[placement.ProviderID]map[placement.ResourceClass]int64
)

// world is a cloud that a test makes step by step.
type world struct {
	t *testing.T
	*cloud.Snapshot
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{t, cloud.Empty()}
}

// apply changes the cloud, or fails the test.
func (w *world) apply(ops ...placement.Op) *world {
	w.t.Helper()
	return w.change(cloud.Change{Placement: ops})
}

func (w *world) change(c cloud.Change) *world {
	w.t.Helper()
	next, _, err := w.Snapshot.Apply(c)
	if err != nil {
		w.t.Fatal(err)
	}
	w.Snapshot = next
	return w
}

// provider makes a provider below another ("" for none) with total units of
// classes, and traits; custom names are made as needed.
func (w *world) provider(name, parent string, total resources, traits ...placement.Trait) *world {
	w.t.Helper()
	create := placement.CreateProvider{ID: rp(name), Name: name}
	if parent != "" {
		create.Parent = rp(parent)
	}
	all := []placement.Op{create}
	inv := inventories{}
	for c, n := range total {
		if c.IsCustom() {
			all = append(all, placement.CreateClass{Name: c, IfAbsent: true})
		}
		inv[c] = placement.NewInventory(n)
	}
	for _, t := range traits {
		if t.IsCustom() {
			all = append(all, placement.CreateTrait{Name: t})
		}
	}
	if len(inv) > 0 {
		all = append(all, placement.SetInventories{Provider: rp(name), Generation: placement.AnyGeneration(), Inventories: inv})
	}
	if len(traits) > 0 {
		all = append(all, placement.SetTraits{Provider: rp(name), Generation: placement.AnyGeneration(), Traits: traits})
	}
	return w.apply(all...)
}

// inventory sets one inventory of a provider.
func (w *world) inventory(name string, c placement.ResourceClass, inv placement.Inventory) *world {
	w.t.Helper()
	return w.apply(placement.SetInventory{Provider: rp(name), Generation: placement.AnyGeneration(), Class: c, Inventory: inv})
}

// aggregates puts a provider into aggregates.
func (w *world) aggregates(name string, aggs ...string) *world {
	w.t.Helper()
	var ids []placement.AggregateID
	for _, a := range aggs {
		ids = append(ids, agg(a))
	}
	return w.apply(placement.SetAggregates{Provider: rp(name), Generation: placement.AnyGeneration(), Aggregates: ids})
}

// claim makes a consumer hold resources by provider.
func (w *world) claim(name string, typ placement.ConsumerType, holds map[string]resources) *world {
	w.t.Helper()
	all := allocations{}
	for p, r := range holds {
		all[rp(p)] = r
	}
	return w.apply(placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: vm(name), Generation: placement.AnyGeneration(), Type: typ, Project: "p", User: "u", Allocations: all,
	}}})
}

// instance writes the record of an instance.
func (w *world) instance(name string, state nova.VMState) *world {
	w.t.Helper()
	return w.record(&nova.Instance{UUID: vm(name), Name: name, Project: "p", User: "u", VMState: state})
}

// migration writes the record of migration m of instance i.
func (w *world) migration(status nova.MigrationStatus) *world {
	w.t.Helper()
	return w.record(&nova.Migration{UUID: vm("m"), Instance: vm("i"), Type: nova.Resize, Status: status})
}

func (w *world) record(r versioned.Record) *world {
	w.t.Helper()
	var c nova.Change
	c.Put(w.Nova(), r)
	return w.change(cloud.Change{Nova: c})
}
