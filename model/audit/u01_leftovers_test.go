package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestU01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"u01 a rest", func(w *world) {
				w.Node("h").Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.StepSize = 4 }))
			},
			[]string{"u01 h"},
			nil,
		},
		{
			"u01 units that nothing fits", func(w *world) {
				w.Node("h").Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.MinUnit, i.MaxUnit, i.StepSize = 5, 9, 10 }))
			},
			[]string{"u01 h"},
			nil,
		},
		{
			"u01 max_unit 1 of memory", func(w *world) {
				w.Node("h").Inventory("h", placement.MemoryMB, odd(func(i *placement.Inventory) { i.MaxUnit = 1 }))
			},
			[]string{"u01 h"},
			nil,
		},
		{
			"u01 not virtual GPUs one by one", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
					Inventory("c", placement.VGPU, odd(func(i *placement.Inventory) { i.MaxUnit = 1 }))
			},
			nil, nil,
		},
	})
}
