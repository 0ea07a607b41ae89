package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

func TestA11(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a11 the next card is another owner's", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Provider("c2", "h", resources{placement.VGPU: 2}, placement.OwnerCyborg).
					Claim("i", "", modeltest.Holding("c1")).Inventory("c1", placement.VGPU, odd(func(i *placement.Inventory) { i.Total, i.Reserved = 1, 1 }))
			},
			[]string{"a11 c1"},
			[]string{"unreserve?"},
		},
		{
			"a11 a card is drained, and the next one has room", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("c2", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).
					Inventory("c1", placement.VGPU, placement.Inventory{Total: 2, Reserved: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1})
			},
			[]string{"a11 c1"},
			[]string{"move*?", "unreserve?"},
		},
		{
			"a11 most of a card is reserved, and none of it is used twice", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 4}, placement.OwnerNova).Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).
					Inventory("c1", placement.VGPU, placement.Inventory{Total: 4, Reserved: 3, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1})
			},
			[]string{"a11 c1"},
			[]string{"unreserve?"},
		},
		{
			"a11 a host of which all is reserved", func(w *world) {
				w.Node("h").Claim("i", "", on("h")).Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.Reserved = 10 }))
			},
			[]string{"a11 h"},
			[]string{"unreserve?"},
		},
		{
			"a11 a drained card that nobody gave back", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Inventory("c1", placement.VGPU, placement.Inventory{Total: 2, Reserved: 2, MinUnit: 1, MaxUnit: 2, StepSize: 1, AllocationRatio: 1})
			},
			[]string{"a11 c1"},
			[]string{"unreserve?"},
		},
	})
	testFinds(t, []findCase{
		{"a11 a drained provider in use", func(w *world) {
			w.Node("h").Provider("h_0000:AF:00.0", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
				Claim("i", "", map[string]resources{"h": {placement.VCPU: 1}, "h_0000:AF:00.0": {"CUSTOM_PCI_10DE_1EB8": 1}}).
				Inventory("h_0000:AF:00.0", "CUSTOM_PCI_10DE_1EB8", drained())
		}, []string{"a11 h_0000:AF:00.0"}},
	})
}
