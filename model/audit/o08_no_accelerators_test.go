package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestO08(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o08 a card of Cyborg's on a host that cannot attach it", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 8}, placement.ComputeNode, placement.OwnerNova).
					Provider("c", "h", resources{placement.VGPU: 4}, placement.OwnerCyborg)
			},
			[]string{"o08 h"},
			nil,
		},
	})
}
