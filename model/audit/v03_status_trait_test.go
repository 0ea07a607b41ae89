package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestV03(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"v03 a disabled compute that requests find", func(w *world) {
				w.Node("h").Compute("h", 73, func(s *nova.Service) { s.Disabled = true })
			},
			[]string{"v03 h"},
			[]string{"trait"},
		},
		{
			"v03 an enabled compute that no request finds", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode, placement.ComputeStatusDisabled).Compute("h", 73)
			},
			[]string{"v03 h"},
			[]string{"trait"},
		},
		{
			"v03 not a disabled compute that has the trait", func(w *world) {
				w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode, placement.ComputeStatusDisabled).
					Compute("h", 73, func(s *nova.Service) { s.Disabled = true })
			},
			nil, nil,
		},
	})
}
