package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestA02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"a02 a claim moves to the next card of the host", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("c2", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).Inventory("c1", placement.VGPU, placement.NewInventory(1))
			},
			[]string{"a02 c1"},
			[]string{"move?", "raise?", "drain*?"},
		},
		{
			"a02 the only card of the host, and another host has one", func(w *world) {
				w.Node("h").Node("g").Computes().Compute("h", 73).Compute("g", 73).Flavors()
				w.Provider("hc", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("gc", "g", resources{placement.VGPU: 1}, placement.OwnerNova)
				w.Running("gpu").Claim("i", instance, modeltest.Holding("hc")).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Host: "h", Flavor: "gpu", VMState: nova.Active}).
					Claim("j", instance, modeltest.Holding("hc")).Inventory("hc", placement.VGPU, placement.NewInventory(1))
			},
			[]string{"a02 hc"},
			[]string{"migrate*?", "raise?", "drain*?"},
		},
		{
			"a02 a move that waits to be confirmed holds too much", func(w *world) {
				w.Waiting(0).Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.AllocationRatio = 0.05 }))
			},
			[]string{"a02 h"},
			[]string{"confirm?", "raise?", "drain*?"},
		},
		{
			"a02 more is used of a drained card than it has", func(w *world) {
				w.Node("h").Provider("c1", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Claim("i", "", modeltest.Holding("c1")).Claim("j", "", modeltest.Holding("c1")).
					Inventory("c1", placement.VGPU, odd(func(i *placement.Inventory) { i.Total, i.Reserved = 1, 1 }))
			},
			[]string{"a02 c1"},
			[]string{"raise?"},
		},
		{
			"a02 what a host keeps for itself is used", func(w *world) {
				w.Node("h").Claim("i", "", on("h")).Claim("j", "", on("h")).Inventory("h", placement.VCPU, odd(func(i *placement.Inventory) { i.Reserved = 9 }))
			},
			[]string{"a02 h"},
			[]string{"raise?"},
		},
		{
			"a02 not a device that is disabled in Cyborg", func(w *world) {
				w.Disabled(4)
			},
			nil, nil,
		},
		{
			"a02 a disabled device of which more is used than it has", func(w *world) {
				w.Disabled(3)
			},
			[]string{"a02 c", "d02 c"},
			nil,
		},
	})
	testFinds(t, []findCase{
		{"a02 used above a shrunk total", func(w *world) {
			w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 8}}).
				Inventory("h", placement.VCPU, placement.NewInventory(7))
		}, []string{"a02 h"}},
		{"a02 not at exactly full", func(w *world) {
			w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 8}})
		}, nil},
		{"a02 not above the truncated but below the true capacity", func(w *world) {
			inv := placement.NewInventory(5)
			inv.AllocationRatio = 0.5
			w.Node("h").Claim("i", "", map[string]resources{"h": {placement.VCPU: 2}}).Inventory("h", placement.VCPU, inv)
		}, nil},
		{"a02 not a device for one time use", func(w *world) {
			w.Node("h").Provider("h_0000:AF:00.0", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova, placement.HWPCIOneTimeUse).
				Claim("i", "", map[string]resources{"h": {placement.VCPU: 1}, "h_0000:AF:00.0": {"CUSTOM_PCI_10DE_1EB8": 1}}).
				Inventory("h_0000:AF:00.0", "CUSTOM_PCI_10DE_1EB8", drained())
		}, nil},
	})
}
