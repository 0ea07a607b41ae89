package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/placement"
)

func TestO05(t *testing.T) {
	t.Parallel()
	testRule(t, []ruleCase{
		{
			"o05 a root of an old compute", func(w *world) {
				w.Node("h").Provider("k", "", resources{placement.VCPU: 1}, placement.ComputeNode)
			},
			[]string{"o05 k"},
			nil,
		},
	})
	testFinds(t, []findCase{
		{"o05 one of two computes", func(w *world) {
			w.Node("h").Provider("k", "", resources{placement.VCPU: 1}, placement.ComputeNode)
		}, []string{"o05 k"}},
		{"o05 not where no compute has the trait", func(w *world) {
			w.Provider("h", "", resources{placement.VCPU: 1}, placement.ComputeNode).Provider("k", "", nil, placement.ComputeNode)
		}, nil},
		{"o05 not a root that is no compute", func(w *world) {
			w.Node("h").Provider("k", "", resources{placement.DiskGB: 1})
		}, nil},
	})
}
