package placement_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

func TestInventoryLimits(t *testing.T) {
	t.Parallel()
	const most = placement.MaxInt
	for _, tt := range []struct {
		name  string
		edit  func(*placement.Inventory)
		field string // of the error, "" for none
	}{
		{name: "the defaults", edit: func(*placement.Inventory) {}},
		{name: "total 0", edit: func(i *placement.Inventory) { i.Total = 0 }, field: "total"},
		{name: "total at its end", edit: func(i *placement.Inventory) { i.Total = most }},
		{name: "total beyond", edit: func(i *placement.Inventory) { i.Total = most + 1 }, field: "total"},
		{name: "total far beyond", edit: func(i *placement.Inventory) { i.Total = math.MaxInt64 }, field: "total"},
		{name: "reserved -1", edit: func(i *placement.Inventory) { i.Reserved = -1 }, field: "reserved"},
		{name: "reserved all: drained", edit: func(i *placement.Inventory) { i.Reserved = i.Total }},
		{name: "reserved more than all", edit: func(i *placement.Inventory) { i.Reserved = i.Total + 1 }, field: "reserved"},
		{
			name: "reserved more than all, by less than one unit of capacity",
			edit: func(i *placement.Inventory) { i.Reserved, i.AllocationRatio = i.Total+1, 0.9 },
		},
		{name: "reserved beyond", edit: func(i *placement.Inventory) { i.Reserved = most + 1 }, field: "reserved"},
		{name: "min_unit 0", edit: func(i *placement.Inventory) { i.MinUnit = 0 }, field: "min_unit"},
		{name: "min_unit beyond", edit: func(i *placement.Inventory) { i.MinUnit = most + 1 }, field: "min_unit"},
		{name: "max_unit 0", edit: func(i *placement.Inventory) { i.MaxUnit = 0 }, field: "max_unit"},
		{name: "max_unit beyond", edit: func(i *placement.Inventory) { i.MaxUnit = most + 1 }, field: "max_unit"},
		{name: "max_unit above total", edit: func(i *placement.Inventory) { i.MaxUnit = i.Total + 1 }},
		{name: "min_unit above max_unit", edit: func(i *placement.Inventory) { i.MinUnit, i.MaxUnit = 5, 2 }},
		{name: "step_size 0", edit: func(i *placement.Inventory) { i.StepSize = 0 }, field: "step_size"},
		{name: "step_size beyond", edit: func(i *placement.Inventory) { i.StepSize = most + 1 }, field: "step_size"},
		{name: "ratio 0", edit: func(i *placement.Inventory) { i.AllocationRatio = 0 }},
		{name: "ratio -1", edit: func(i *placement.Inventory) { i.AllocationRatio = -1 }, field: "reserved"},
		{name: "ratio -1 of nothing", edit: func(i *placement.Inventory) { i.AllocationRatio, i.Reserved = -1, i.Total }},
		{name: "ratio at its end", edit: func(i *placement.Inventory) { i.AllocationRatio = placement.MaxRatio }},
		{name: "ratio beyond", edit: func(i *placement.Inventory) { i.AllocationRatio = 3.5e38 }, field: "allocation_ratio"},
		{name: "ratio beyond below zero", edit: func(i *placement.Inventory) { i.AllocationRatio = -3.5e38 }, field: "allocation_ratio"},
		{name: "ratio infinite", edit: func(i *placement.Inventory) { i.AllocationRatio = math.Inf(1) }, field: "allocation_ratio"},
		{name: "ratio no number", edit: func(i *placement.Inventory) { i.AllocationRatio = math.NaN() }, field: "allocation_ratio"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := inventory(8, tt.edit).Validate()
			if tt.field == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantKind(t, err, placement.ErrInvalid)
			if inv := (*placement.InvalidError)(nil); !errors.As(err, &inv) || inv.Field != tt.field {
				t.Errorf("%v, want one about %s", err, tt.field)
			}
		})
	}
}

// The capacity shown is truncated toward zero, the one checked is not.
func TestCapacity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		total, reserved int64
		ratio           float64
		capacity        int64
		used            int64
		free            int64
		room            bool // whether a claim of 0 fits
	}{
		{total: 8, ratio: 1, capacity: 8, used: 8, free: 0, room: true},
		{total: 8, ratio: 1, capacity: 8, used: 9, free: -1, room: false},
		{total: 8, reserved: 2, ratio: 1.5, capacity: 9, used: 4, free: 5, room: true},
		{total: 5, ratio: 1.5, capacity: 7, used: 7, free: 0, room: true},
		{total: 5, ratio: 1.5, capacity: 7, used: 8, free: -1, room: false},
		{total: 3, ratio: 0.3, capacity: 0, used: 0, free: 0, room: true},
		{total: 3, ratio: 0.3, capacity: 0, used: 1, free: -1, room: false},
		{total: 8, reserved: 8, ratio: 16, capacity: 0, used: 0, free: 0, room: true},
		{total: 8, ratio: 0, capacity: 0, used: 1, free: -1, room: false},
		{total: 8, reserved: 9, ratio: 0.9, capacity: 0, used: 0, free: -1, room: false},
		{total: placement.MaxInt, ratio: 1, capacity: placement.MaxInt, used: 1, free: placement.MaxInt - 1, room: true},
		{total: placement.MaxInt, ratio: placement.MaxRatio, capacity: math.MaxInt64, used: 5, free: math.MaxInt64, room: true},
		{total: 1, ratio: placement.MaxRatio, capacity: math.MaxInt64, used: 5, free: math.MaxInt64, room: true},
		// 0.1 + 0.2 is more than 0.3 in floating point, 3 * 0.1 is 0.30000000000000004.
		{total: 10, ratio: 0.1, capacity: 1, used: 1, free: 0, room: true},
		{total: 3, ratio: 1.1, capacity: 3, used: 3, free: 0, room: true},
	} {
		inv := inventory(tt.total, func(i *placement.Inventory) { i.Reserved, i.AllocationRatio = tt.reserved, tt.ratio })
		iu := placement.InventoryUsage{Inventory: inv, Used: tt.used}
		type numbers struct {
			Capacity, Free int64
			Room, Over     bool
		}
		want := numbers{tt.capacity, tt.free, tt.room, !tt.room}
		got := numbers{inv.Capacity(), iu.Free(), inv.HasRoom(tt.used, 0), iu.OverCapacity()}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(%d - %d) * %g, %d used (-want +got):\n%s", tt.total, tt.reserved, tt.ratio, tt.used, d)
		}
	}
}

// Each rule that refuses an amount, in the order in which they are checked.
func TestFits(t *testing.T) {
	t.Parallel()
	units := func(least, most, step int64) placement.Inventory {
		return inventory(20, func(i *placement.Inventory) { i.MinUnit, i.MaxUnit, i.StepSize = least, most, step })
	}
	for _, tt := range []struct {
		inv          placement.Inventory
		used, amount int64
		want         placement.Refusal
	}{
		{inv: units(1, 20, 1), amount: 20},
		{inv: units(1, 20, 1), amount: 21, want: placement.AboveMaxUnit},
		{inv: units(1, 30, 1), amount: 21, want: placement.NoRoom},
		{inv: units(1, 20, 1), used: 15, amount: 5},
		{inv: units(1, 20, 1), used: 15, amount: 6, want: placement.NoRoom},
		{inv: units(4, 20, 1), amount: 3, want: placement.BelowMinUnit},
		{inv: units(4, 20, 1), amount: 4},
		{inv: units(1, 8, 1), amount: 9, want: placement.AboveMaxUnit},
		{inv: units(1, 20, 4), amount: 8},
		{inv: units(1, 20, 4), amount: 6, want: placement.OffStep},
		{inv: units(5, 20, 10), amount: 5, want: placement.OffStep}, // min_unit is not exempt from the step
		{inv: units(5, 20, 10), amount: 10},
		{inv: units(5, 2, 1), amount: 3, want: placement.BelowMinUnit},
		{inv: units(5, 2, 1), amount: 6, want: placement.AboveMaxUnit},
	} {
		if got := tt.inv.Fits(tt.used, tt.amount); got != tt.want {
			t.Errorf("%d beside %d in %+v: %q, want %q", tt.amount, tt.used, tt.inv, got, tt.want)
		}
	}
}

// host returns a ledger of compute1 with VCPU and VGPU, some of each held by vm1.
func host(t *testing.T) *placement.Snapshot {
	t.Helper()
	return modeltest.Ledger(t, []modeltest.Provider{{
		Name: "compute1", Inventories: modeltest.Inventories{
			placement.VCPU: inventory(8), placement.VGPU: inventory(4), placement.DiskGB: inventory(100),
		},
	}}, placement.CreateClass{Name: "CUSTOM_A"},
		modeltest.Allocate(modeltest.Claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 6, placement.VGPU: 1}})))
}

// inventories returns a provider's inventories as text, by class.
func inventories(t *testing.T, s *placement.Snapshot, name string) map[placement.ResourceClass]string {
	t.Helper()
	out := map[placement.ResourceClass]string{}
	for _, iu := range provider(t, s, name).Inventories() {
		out[s.ClassName(iu.Class)] = fmt.Sprintf("%d of %d", iu.Used, iu.Capacity())
	}
	return out
}

// holds fails unless the inventories are these.
func holds(name string, want map[placement.ResourceClass]string) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		if d := cmp.Diff(want, inventories(t, s, name)); d != "" {
			t.Errorf("inventories of %s (-want +got):\n%s", name, d)
		}
		for class := range want {
			id, _ := s.ClassID(class)
			if !s.WithClass(id).Has(provider(t, s, name).Number()) {
				t.Errorf("not found by %s", class)
			}
		}
	}
}

func TestSetInventories(t *testing.T) {
	t.Parallel()
	set := func(x placement.Expect, inv modeltest.Inventories) []placement.Op {
		return ops(placement.SetInventories{Provider: modeltest.ProviderID("compute1"), Generation: x, Inventories: inv})
	}
	both := modeltest.Inventories{placement.VCPU: inventory(8), placement.VGPU: inventory(4)}
	check(t, host(t), []rule{
		{
			name: "the whole set is replaced, a class left out is gone",
			ops: set(placement.Generation(2), modeltest.Inventories{
				placement.VCPU: inventory(16), placement.VGPU: inventory(4), "CUSTOM_A": inventory(1),
			}),
			then: all(generation("compute1", 3), holds("compute1", map[placement.ResourceClass]string{
				placement.VCPU: "6 of 16", placement.VGPU: "1 of 4", "CUSTOM_A": "0 of 1",
			})),
		},
		{name: "the same set bumps too", ops: append(set(placement.AnyGeneration(), both), set(placement.AnyGeneration(), both)...), then: generation("compute1", 4)},
		{
			name: "shrinking below what is used is allowed",
			ops:  set(placement.AnyGeneration(), modeltest.Inventories{placement.VCPU: inventory(1), placement.VGPU: inventory(4)}),
			then: holds("compute1", map[placement.ResourceClass]string{placement.VCPU: "6 of 1", placement.VGPU: "1 of 4"}),
		},
		{
			name: "so is a max_unit below an allocation",
			ops: set(placement.AnyGeneration(), modeltest.Inventories{
				placement.VCPU: inventory(8, func(i *placement.Inventory) { i.MaxUnit = 2 }), placement.VGPU: inventory(4),
			}),
		},
		{
			name: "removing a class in use is not",
			ops:  set(placement.AnyGeneration(), modeltest.Inventories{placement.VCPU: inventory(8)}), want: placement.ErrInUse,
			fact: &placement.InUseError{What: "inventory", Name: "VGPU of compute1", Classes: []placement.ResourceClass{placement.VGPU}, Consumers: []placement.ConsumerID{modeltest.ConsumerID("vm1")}},
		},
		{name: "nor is removing all", ops: set(placement.AnyGeneration(), nil), want: placement.ErrInUse},
		{
			name: "removing all when nothing is used bumps",
			ops:  append(ops(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm1")}), set(placement.Generation(2), nil)...),
			then: all(generation("compute1", 3), holds("compute1", map[placement.ResourceClass]string{})),
		},
		{name: "a stale generation", ops: set(placement.Generation(1), both), want: placement.ErrConflict, fact: &placement.ConflictError{
			What: "resource provider", ID: modeltest.ProviderID("compute1").String(), Name: "compute1", Expect: placement.Generation(1), Has: 2,
		}},
		{name: "a generation of the future", ops: set(placement.Generation(3), both), want: placement.ErrConflict},
		{name: "no generation", ops: set(placement.Expect{}, both), want: placement.ErrInvalid},
		{name: "an unknown class", ops: set(placement.AnyGeneration(), modeltest.Inventories{"VPCU": inventory(1)}), want: placement.ErrInvalid, fact: &placement.InvalidError{
			Field: "resource class", Value: "VPCU", Why: "no such resource class, did you mean VCPU or PCPU or VGPU?",
		}},
		{name: "a bad field", ops: set(placement.AnyGeneration(), modeltest.Inventories{placement.VCPU: inventory(0)}), want: placement.ErrInvalid, fact: &placement.InvalidError{
			Field: "VCPU.total", Value: "0", Why: "must be from 1 to 2147483647",
		}},
		{name: "an unknown provider", ops: ops(placement.SetInventories{Provider: modeltest.ProviderID("x"), Generation: placement.AnyGeneration()}), want: placement.ErrNotFound},
	})
}

func TestOneInventory(t *testing.T) {
	t.Parallel()
	id, which := modeltest.ProviderID("compute1"), placement.AnyGeneration()
	set := func(c placement.ResourceClass, inv placement.Inventory) placement.Op {
		return placement.SetInventory{Provider: id, Generation: which, Class: c, Inventory: inv}
	}
	add := func(c placement.ResourceClass, inv placement.Inventory) placement.Op {
		return placement.AddInventory{Provider: id, Generation: which, Class: c, Inventory: inv}
	}
	del := func(c placement.ResourceClass) placement.Op {
		return placement.DeleteInventory{Provider: id, Class: c}
	}
	was := map[placement.ResourceClass]string{placement.VCPU: "6 of 8", placement.VGPU: "1 of 4", placement.DiskGB: "0 of 100"}
	with := func(c placement.ResourceClass, is string) map[placement.ResourceClass]string {
		out := map[placement.ResourceClass]string{}
		maps.Copy(out, was)
		out[c] = is
		return out
	}
	check(t, host(t), []rule{
		{name: "one changed", ops: ops(set(placement.VCPU, inventory(2))), then: all(generation("compute1", 3), holds("compute1", with(placement.VCPU, "6 of 2")))},
		{name: "one set to what it is bumps too", ops: ops(set(placement.VCPU, inventory(8))), then: generation("compute1", 3)},
		{name: "one that the provider lacks", ops: ops(set("CUSTOM_A", inventory(2))), want: placement.ErrInvalid, fact: &placement.InvalidError{
			Field: "resource class", Value: "CUSTOM_A", Why: "compute1 has no inventory of it",
		}},
		{name: "one of an unknown class", ops: ops(set("X", inventory(2))), want: placement.ErrInvalid},
		{name: "one with a bad field", ops: ops(set(placement.VCPU, inventory(-1))), want: placement.ErrInvalid},
		{name: "one at a stale generation", ops: ops(placement.SetInventory{Provider: id, Generation: placement.Generation(0), Class: placement.VCPU, Inventory: inventory(2)}), want: placement.ErrConflict},
		{name: "one without generation", ops: ops(placement.SetInventory{Provider: id, Class: placement.VCPU, Inventory: inventory(2)}), want: placement.ErrInvalid},
		{name: "one of an unknown provider", ops: ops(placement.SetInventory{Provider: modeltest.ProviderID("x"), Generation: which}), want: placement.ErrNotFound},

		{name: "one added", ops: ops(add("CUSTOM_A", inventory(2))), then: all(generation("compute1", 3), holds("compute1", with("CUSTOM_A", "0 of 2")))},
		{name: "one added before the others", ops: ops(del(placement.DiskGB), add(placement.DiskGB, inventory(5))), then: holds("compute1", with(placement.DiskGB, "0 of 5"))},
		{name: "one added that is there", ops: ops(add(placement.VCPU, inventory(2))), want: placement.ErrExists, fact: &placement.ExistsError{
			What: "inventory", Field: "class", Value: "VCPU of compute1",
		}},
		{name: "one added of an unknown class", ops: ops(add("X", inventory(2))), want: placement.ErrInvalid},
		{name: "one added with a bad field", ops: ops(add("CUSTOM_A", inventory(0))), want: placement.ErrInvalid},
		{name: "one added to an unknown provider", ops: ops(placement.AddInventory{Provider: modeltest.ProviderID("x"), Generation: which}), want: placement.ErrNotFound},
		{name: "one added at a stale generation", ops: ops(placement.AddInventory{Provider: id, Generation: placement.Generation(0), Class: "CUSTOM_A", Inventory: inventory(2)}), want: placement.ErrConflict},

		{name: "one removed", ops: ops(del(placement.DiskGB)), then: all(generation("compute1", 3), holds("compute1", map[placement.ResourceClass]string{
			placement.VCPU: "6 of 8", placement.VGPU: "1 of 4",
		}))},
		{name: "one removed in use", ops: ops(del(placement.VGPU)), want: placement.ErrInUse, fact: &placement.InUseError{
			What: "inventory", Name: "VGPU of compute1", Classes: []placement.ResourceClass{placement.VGPU}, Consumers: []placement.ConsumerID{modeltest.ConsumerID("vm1")},
		}},
		{name: "one removed that is not there", ops: ops(del("CUSTOM_A")), want: placement.ErrNotFound, fact: &placement.NotFoundError{
			What: "inventory", Name: "CUSTOM_A of compute1",
		}},
		{name: "one removed of an unknown class", ops: ops(del("X")), want: placement.ErrNotFound},
		{name: "one removed of an unknown provider", ops: ops(placement.DeleteInventory{Provider: modeltest.ProviderID("x"), Class: placement.VCPU}), want: placement.ErrNotFound},
	})
}
