package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestO02(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o02 a card of Cyborg's by its name", func(w *world) { w.Node("h").Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}) },
			[]string{"o02 h_0000:84:00.0"},
			[]string{"cyborg?", "nova?"},
		},
		{
			"o02 a card of Nova's by its name", func(w *world) {
				w.Node("h").Provider("h_0000:AF:00.0", "h", resources{"CUSTOM_PCI_10DE_1EB8": 1})
			},
			[]string{"o02 h_0000:AF:00.0"},
			[]string{"nova?", "cyborg?"},
		},
		{
			// OWNER_NOVA there would say that its nova-compute is new enough, and open the gate.
			"o02 the root of an old compute", func(w *world) {
				w.Provider("h", "", resources{placement.VGPU: 1}, placement.ComputeNode)
			},
			[]string{"o02 h"},
			nil,
		},
	})
	testFinds(t, []findCase{
		{"o02 VGPU, PGPU, FPGA, PCI without owner", func(w *world) {
			w.Node("h").Provider("a", "h", resources{placement.VGPU: 1}).Provider("b", "h", resources{placement.PGPU: 1}).
				Provider("c", "h", resources{placement.FPGA: 1}).Provider("d", "h", resources{"CUSTOM_PCI_8086_1": 1}).
				Provider("e", "h", resources{"CUSTOM_PCI": 1})
		}, []string{"o02 a", "o02 b", "o02 c", "o02 d", "o02 e"}},
		{"o02 not other classes, nor an owned one", func(w *world) {
			w.Node("h").Provider("a", "h", resources{"CUSTOM_PCIE_SLOT": 1, "SRIOV_NET_VF": 4, placement.PCIDevice: 3}).
				Provider("b", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Provider("c", "h", nil)
		}, nil},
	})
}
