package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestD03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"d03 more than the card can make", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
					Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h", GPUs: []nova.GPU{{Address: "0000:84:00.0", Type: "nvidia-35", Total: 1}}}).
					Claim("i", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0")).Claim("j", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0"))
			},
			[]string{"d03 h_pci_0000_84_00_0"},
			nil,
		},
		{
			"d03 the next card of the host has room", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 2}, placement.OwnerNova).Provider("h_pci_0000_85_00_0", "h", resources{placement.VGPU: 2}, placement.OwnerNova).
					Record(&nova.ComputeNode{UUID: rp("h"), Host: "h", Hostname: "h", GPUs: []nova.GPU{{Address: "0000:84:00.0", Type: "nvidia-35", Total: 1}}}).
					Claim("i", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0")).Claim("j", "VOLUME", modeltest.Holding("h_pci_0000_84_00_0")).
					Inventory("h_pci_0000_84_00_0", placement.VGPU, placement.NewInventory(1))
			},
			[]string{"a02 h_pci_0000_84_00_0", "d03 h_pci_0000_84_00_0"},
			[]string{"move?", "raise?", "drain*?"},
		},
	})
}
