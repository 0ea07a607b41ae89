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
	})
}
