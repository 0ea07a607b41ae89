package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestO07(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o07 VGPU on the root and below", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.VGPU: 4}, placement.ComputeNode, placement.OwnerNova).
					Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerNova)
			},
			[]string{"o07 h"},
			[]string{"remove"},
		},
		{
			"o07 with something held of the root", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8, placement.VGPU: 4}, placement.ComputeNode, placement.OwnerNova).
					Provider("c", "h", resources{placement.VGPU: 1}, placement.OwnerNova).
					Provider("d", "h", resources{placement.VGPU: 4}, placement.OwnerNova).
					Claim("a", "VOLUME", map[string]resources{"h": {placement.VCPU: 1, placement.VGPU: 1}}).
					Claim("b", "VOLUME", map[string]resources{"h": {placement.VCPU: 1, placement.VGPU: 2}})
			},
			[]string{"o07 h"},
			[]string{"reshape?", "drain*"},
		},
	})
}
