package placement_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

// Reshape moves inventories together with their allocations.
func TestReshape(t *testing.T) {
	t.Parallel()
	base := modeltest.Ledger(t, []modeltest.Provider{{
		Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: inventory(8), placement.VGPU: inventory(2)},
		Children: []modeltest.Provider{{Name: "card1"}},
	}}, modeltest.Allocate(
		modeltest.Claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 2, placement.VGPU: 1}}),
		modeltest.Claim("vm2", map[string]modeltest.Resources{"compute1": {placement.VCPU: 2, placement.VGPU: 1}}),
	)) // compute1 is at generation 2, card1 at 0
	set := func(name string, x placement.Expect, inv modeltest.Inventories) placement.SetInventories {
		return placement.SetInventories{Provider: modeltest.ProviderID(name), Generation: x, Inventories: inv}
	}
	cpuOnly := modeltest.Inventories{placement.VCPU: inventory(8)}
	gpu := func(total int64) modeltest.Inventories {
		return modeltest.Inventories{placement.VGPU: inventory(total)}
	}
	down := []placement.SetInventories{
		set("compute1", placement.Generation(2), cpuOnly),
		set("card1", placement.Generation(0), gpu(2)),
	}
	moved := func(name string) placement.Claim {
		return claim(name, map[string]modeltest.Resources{"compute1": {placement.VCPU: 2}, "card1": {placement.VGPU: 1}})
	}
	check(t, base, []rule{
		{
			name: "inventory and allocations move to a child at full capacity",
			ops:  ops(placement.Reshape{Inventories: down, Allocations: []placement.Claim{moved("vm1"), moved("vm2")}}),
			then: all(
				holds("compute1", map[placement.ResourceClass]string{placement.VCPU: "4 of 8"}),
				holds("card1", map[placement.ResourceClass]string{placement.VGPU: "2 of 2"}),
				// The generation of each grows with the interim inventory, the
				// allocations and the final one.
				generation("compute1", 5), generation("card1", 3),
				consumes("vm1", &consumer{
					Generation: 2, Type: placement.InstanceConsumer, Project: "project", User: "user",
					Holds: map[string]int64{"compute1 VCPU": 2, "card1 VGPU": 1},
				}),
			),
		},
		{
			name: "without allocations it sets inventories, twice",
			ops:  ops(placement.Reshape{Inventories: []placement.SetInventories{set("card1", placement.Generation(0), gpu(4))}}),
			then: all(generation("card1", 2), holds("card1", map[placement.ResourceClass]string{placement.VGPU: "0 of 4"})),
		},
		{
			name: "a provider that is emptied has no interim inventory",
			ops: ops(modeltest.Allocate(claim("vm1", nil), claim("vm2", nil)), placement.Reshape{Inventories: []placement.SetInventories{
				set("compute1", placement.Generation(3), nil),
			}}),
			then: generation("compute1", 4),
		},
		{
			name: "allocations left behind on a class that goes", want: placement.ErrInUse,
			ops: ops(placement.Reshape{Inventories: down, Allocations: []placement.Claim{moved("vm1")}}),
			fact: &placement.InUseError{
				What: "inventory", Name: "VGPU of compute1", Classes: []placement.ResourceClass{placement.VGPU}, Consumers: []placement.ConsumerID{modeltest.ConsumerID("vm2")},
			},
		},
		{
			name: "allocations that do not fit", want: placement.ErrCapacity,
			ops: ops(placement.Reshape{
				Inventories: []placement.SetInventories{down[0], set("card1", placement.Generation(0), gpu(1))},
				Allocations: []placement.Claim{moved("vm1"), moved("vm2")},
			}),
		},
		{
			name: "in a class of both, the new inventory counts", want: placement.ErrCapacity,
			ops: ops(placement.Reshape{
				Inventories: []placement.SetInventories{set("compute1", placement.Generation(2), modeltest.Inventories{
					placement.VCPU: inventory(4), placement.VGPU: inventory(2),
				})},
				Allocations: []placement.Claim{claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 3}})},
			}),
		},
		{name: "no provider", ops: ops(placement.Reshape{}), want: placement.ErrInvalid},
		{name: "a provider twice", ops: ops(placement.Reshape{Inventories: []placement.SetInventories{down[1], down[1]}}), want: placement.ErrInvalid},
		{name: "an unknown provider", ops: ops(placement.Reshape{Inventories: []placement.SetInventories{set("x", placement.AnyGeneration(), nil)}}), want: placement.ErrNotFound},
		{name: "a stale generation", ops: ops(placement.Reshape{Inventories: []placement.SetInventories{set("compute1", placement.Generation(1), cpuOnly)}}), want: placement.ErrConflict},
		{name: "no generation", ops: ops(placement.Reshape{Inventories: []placement.SetInventories{set("compute1", placement.Expect{}, cpuOnly)}}), want: placement.ErrInvalid},
		{name: "an unknown class", ops: ops(placement.Reshape{Inventories: []placement.SetInventories{set("compute1", placement.AnyGeneration(), modeltest.Inventories{"X": inventory(1)})}}), want: placement.ErrInvalid},
		{name: "a bad inventory", ops: ops(placement.Reshape{Inventories: []placement.SetInventories{set("compute1", placement.AnyGeneration(), modeltest.Inventories{
			placement.VCPU: inventory(8), placement.VGPU: {},
		})}}), want: placement.ErrInvalid},
		{name: "a stale consumer", ops: ops(placement.Reshape{Inventories: down, Allocations: []placement.Claim{
			moved("vm1"), claim("vm2", nil, expecting(placement.NewConsumer())),
		}}), want: placement.ErrConflict},
	})
}
