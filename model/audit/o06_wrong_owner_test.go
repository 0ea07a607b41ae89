package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestO06(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o06 Nova's flavor on Cyborg's card", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
					Flavors().Running("gpu").Claim("i", instance, modeltest.Holding("c"))
			},
			[]string{"o06 i"},
			[]string{"move?"},
		},
		{
			"o06 a device profile on Nova's card", func(w *world) {
				w.Node("h").Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Flavors().Running("dev").Claim("i", instance, modeltest.Holding("n"))
			},
			[]string{"o06 i"},
			nil,
		},
		{
			"o06 the right card of the host is full, and another host has one", func(w *world) {
				card := func(host, name string, owner placement.Trait) {
					w.Provider(name, host, resources{placement.VGPU: 1}, owner)
				}
				w.Node("h").Node("g").Computes().Compute("h", 73).Compute("g", 73).Flavors()
				card("h", "h_0000:af:00.0", placement.OwnerCyborg)
				card("h", "h_pci_0000_84_00_0", placement.OwnerNova)
				card("g", "g_pci_0000_84_00_0", placement.OwnerNova)
				w.Running("gpu").Claim("i", instance, modeltest.Holding("h_0000:af:00.0")).
					Record(&nova.Instance{UUID: vm("j"), Name: "j", Project: "p", User: "u", Host: "h", Flavor: "gpu", VMState: nova.Active}).
					Claim("j", instance, modeltest.Holding("h_pci_0000_84_00_0"))
			},
			[]string{"o06 i"},
			[]string{"migrate?"},
		},
		{
			"o06 on the new half of a split claim", func(w *world) { halves(w, "new") },
			[]string{"o06 i", "a07 i"},
			[]string{"move?"},
		},
		{
			"o06 not on the old half of a split claim", func(w *world) { halves(w, "old") },
			[]string{"a07 i"},
			[]string{"keep-h"},
		},
		{
			"o06 not each on its own", func(w *world) {
				w.Node("h").Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).Flavors().Running("dev").Claim("i", instance, modeltest.Holding("c"))
			},
			nil, nil,
		},
	})
}

// halves makes instance i, which runs on h and holds all that its flavor asks for
// of k too. Its flavor asks Nova for a VGPU, and on one half, old or new, it has
// one of Cyborg's.
func halves(w *world, wrong string) {
	w.TB.Helper()
	w.Node("h").Node("k").Computes().Flavors().Running("gpu").
		Provider("n", "h", resources{placement.VGPU: 1}, placement.OwnerNova).Provider("y", "h", resources{placement.VGPU: 1}, placement.OwnerCyborg).
		Provider("kn", "k", resources{placement.VGPU: 1}, placement.OwnerNova).Provider("ky", "k", resources{placement.VGPU: 1}, placement.OwnerCyborg)
	here, there := "n", "ky"
	if wrong == "new" {
		here, there = "y", "kn"
	}
	both := modeltest.Holding(here)
	both["k"], both[there] = both["h"], both[here]
	w.Claim("i", instance, both)
}
