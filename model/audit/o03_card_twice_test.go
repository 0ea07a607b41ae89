package audit_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

func TestO03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o03 one of them is in use", func(w *world) {
				w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
					Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Claim("i", "", modeltest.Holding("h_0000:84:00.0"))
			},
			[]string{"o03 h_0000:84:00.0"},
			[]string{"delete-nova?", "drain-cyborg*?"},
		},
	})
	testFinds(t, []findCase{
		{"o03 Nova and Cyborg", func(w *world) {
			w.Node("h").Provider("h_pci_0000_84_00_0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, []string{"o03 h_0000:84:00.0"}},
		{"o03 names that differ in case, on different NUMA nodes", func(w *world) {
			w.Node("h").Provider("h_numa0", "h", nil).Provider("h_numa1", "h", nil).
				Provider("h_0000:AF:00.0", "h_numa0", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
				Provider("h_0000:af:00.0", "h_numa1", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, []string{"o03 h_0000:AF:00.0"}},
		{"o03 Cyborg names devices after its own host, the short name of the hypervisor (LP 2139369)", func(w *world) {
			w.Node("h.example.org").Provider("h.example.org_pci_0000_84_00_0", "h.example.org", resources{placement.VGPU: 4}, placement.OwnerNova).
				Provider("h_0000:84:00.0", "h.example.org", resources{placement.VGPU: 4}, placement.OwnerCyborg)
		}, []string{"o03 h.example.org_pci_0000_84_00_0"}},
		{"o03 the same, of a device that Nova passes through", func(w *world) {
			w.Node("h.example.org").Provider("h.example.org_0000:AF:00.0", "h.example.org", resources{"CUSTOM_PCI_10DE_1EB8": 1}, placement.OwnerNova).
				Provider("h_0000:af:00.0", "h.example.org", resources{placement.VGPU: 4}, placement.OwnerCyborg)
		}, []string{"o03 h.example.org_0000:AF:00.0"}},
		{"o03 not on two hosts, nor two functions of a card", func(w *world) {
			w.Node("h").Node("k").Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
				Provider("k_0000:84:00.0", "k", resources{placement.VGPU: 1}, placement.OwnerCyborg).
				Provider("h_0000:84:00.1", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, nil},
		{"o03 not one that has no inventory any more", func(w *world) {
			w.Node("h").Provider("h_pci_0000_84_00_0", "h", nil, placement.OwnerNova).
				Provider("h_0000:84:00.0", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg)
		}, nil},
	})
}

// A provider that nobody holds anything of may have a request bound to it, of which the
// claim was lost: deleted, Cyborg would be left with a device of a provider that is gone.
func TestDeletesNoBoundCard(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Node("h").Card(1, 1).Flavors().Running("gpu").Claim("i", instance, modeltest.Holding("c"))
	w.Do(placement.DeleteAllocations{Consumer: vm("i")})
	if _, err := ops.PlanDeleteProvider(w.Snapshot, rp("c"), false); !errors.Is(err, placement.ErrState) {
		t.Errorf("alone: %v", err)
	}
	if _, err := ops.PlanDeleteProvider(w.Snapshot, rp("h"), true); !errors.Is(err, placement.ErrState) {
		t.Errorf("with all of its host: %v", err)
	}
}
