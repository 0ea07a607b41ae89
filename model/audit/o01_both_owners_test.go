package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

func TestO01(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o01 both owners of a card that is drained", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg).
					Claim("i", "", modeltest.Holding("h_pci_0000_84_00_0")).
					Inventory("h_pci_0000_84_00_0", placement.VGPU, odd(func(i *placement.Inventory) { i.Total, i.Reserved, i.MaxUnit = 1, 1, 1 }))
			},
			[]string{"o01 h_pci_0000_84_00_0", "a11 h_pci_0000_84_00_0"},
			[]string{"nova?", "cyborg?!"},
		},
		{
			"o01 both owners", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
			},
			[]string{"o01 h_pci_0000_84_00_0"},
			[]string{"nova?", "cyborg?"},
		},
		{
			"o01 both owners, in use", func(w *world) {
				w.Node("h").Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg).Claim("i", "", modeltest.Holding("h_0000:84:00.0"))
			},
			[]string{"o01 h_0000:84:00.0"},
			[]string{"cyborg?!", "nova?", "drain*?"},
		},
	})
	testFinds(t, []findCase{
		{"o01 both owners", func(w *world) {
			w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
		}, []string{"o01 c"}},
		{"o01 on a root", func(w *world) {
			w.Provider("h", "", resources{placement.VCPU: 1}, placement.OwnerNova, placement.OwnerCyborg)
		}, []string{"o01 h"}},
	})
}
