package placement_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// Which operation adds to which generation, in one table.
func TestGenerations(t *testing.T) {
	t.Parallel()
	both := modeltest.Inventories{placement.VCPU: inventory(8), placement.DiskGB: inventory(8)}
	base := modeltest.Ledger(t, []modeltest.Provider{
		{Name: "a", Inventories: both, Traits: []placement.Trait{placement.OwnerNova}, Children: []modeltest.Provider{{Name: "child"}}},
		{Name: "b", Inventories: both},
		{Name: "c", Inventories: both},
	}, modeltest.Allocate(modeltest.Claim("vm1", map[string]modeltest.Resources{"a": {placement.VCPU: 1}, "b": {placement.VCPU: 1}})))
	id, which := modeltest.ProviderID, placement.AnyGeneration()
	on := func(amounts modeltest.Resources, names ...string) map[string]modeltest.Resources {
		out := map[string]modeltest.Resources{}
		for _, n := range names {
			out[n] = amounts
		}
		return out
	}
	one := modeltest.Resources{placement.VCPU: 1}
	two := modeltest.Resources{placement.VCPU: 1, placement.DiskGB: 1}
	for _, tt := range []struct {
		name    string
		op      placement.Op
		a, b, c int64 // what is added to each
	}{
		{name: "inventories replaced", op: placement.SetInventories{Provider: id("c"), Generation: which, Inventories: both}, c: 1},
		{name: "all inventories removed", op: placement.SetInventories{Provider: id("c"), Generation: which}, c: 1},
		{name: "one inventory set", op: placement.SetInventory{Provider: id("c"), Generation: which, Class: placement.VCPU, Inventory: inventory(1)}, c: 1},
		{name: "one inventory added", op: placement.AddInventory{Provider: id("c"), Generation: which, Class: placement.VGPU, Inventory: inventory(1)}, c: 1},
		{name: "one inventory removed", op: placement.DeleteInventory{Provider: id("c"), Class: placement.VCPU}, c: 1},
		{name: "traits changed", op: placement.SetTraits{Provider: id("a"), Generation: which, Traits: []placement.Trait{placement.OwnerCyborg}}, a: 1},
		{name: "traits removed", op: placement.SetTraits{Provider: id("a"), Generation: which}, a: 1},
		{name: "traits as they are", op: placement.SetTraits{Provider: id("a"), Generation: which, Traits: []placement.Trait{placement.OwnerNova}}},
		{name: "aggregates", op: placement.SetAggregates{Provider: id("a"), Generation: which}, a: 1},
		{name: "aggregates, generation kept", op: placement.SetAggregates{
			Provider: id("a"), Generation: which, KeepGeneration: true, Aggregates: []placement.AggregateID{modeltest.AggregateID("z")},
		}},
		{name: "a new claim bumps each provider once", op: modeltest.Allocate(claim("vm2", on(two, "a", "c"))), a: 1, c: 1},
		{name: "two claims bump a provider once", op: modeltest.Allocate(claim("vm2", on(two, "c")), claim("vm3", on(two, "c"))), c: 1},
		{name: "a claim as it is bumps", op: modeltest.Allocate(claim("vm1", on(one, "a", "b"))), a: 1, b: 1},
		{name: "a provider that a claim leaves is not bumped", op: modeltest.Allocate(claim("vm1", on(one, "b", "c"))), b: 1, c: 1},
		{name: "a move from one consumer to another bumps both sides", op: modeltest.Allocate(claim("vm1", nil), claim("vm2", on(one, "c"))), a: 1, b: 1, c: 1},
		{name: "a release bumps", op: modeltest.Allocate(claim("vm1", nil)), a: 1, b: 1},
		{name: "a deletion does not", op: placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm1")}},
		{name: "a rename does not", op: placement.UpdateProvider{ID: id("a"), Name: "x"}},
		{name: "a move does not", op: placement.UpdateProvider{ID: id("a"), Name: "a", Reparent: true, Parent: id("b")}},
		{name: "a child does not", op: placement.CreateProvider{ID: id("x"), Name: "x", Parent: id("a")}},
		{name: "the end of a child does not", op: placement.DeleteProvider{ID: id("child")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, _, err := base.Apply(placement.Change{At: modeltest.At(1), Ops: ops(tt.op)})
			must.Succeed(t, err)
			for name, by := range map[string]int64{"a": tt.a, "b": tt.b, "c": tt.c} {
				was, is := provider(t, base, name), provider(t, next, name)
				if grown := is.Generation() - was.Generation(); grown != by {
					t.Errorf("%s grew by %d, want %d", name, grown, by)
				}
				if by > 0 && !is.Updated().Equal(modeltest.At(1)) {
					t.Errorf("%s was updated %s", name, is.Updated())
				}
			}
		})
	}
}

// Expect states the generation that a writer expects.
func TestExpect(t *testing.T) {
	t.Parallel()
	for x, want := range map[placement.Expect]string{
		{}: "none given", placement.AnyGeneration(): "any", placement.NewConsumer(): "null", placement.Generation(7): "7",
	} {
		if x.String() != want {
			t.Errorf("%q, want %q", x, want)
		}
	}
}
