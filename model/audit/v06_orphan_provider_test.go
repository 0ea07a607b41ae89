package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

func TestV06(t *testing.T) {
	t.Parallel()
	// gone makes h, a host that Nova knows, and k, of which only the provider is left.
	gone := func(w *world) *world {
		w.Node("h").Computes()
		w.Node("k")
		return w
	}
	testRule(t, []ruleCase{
		{"v06 a host whose service was deleted, bug 1829479", func(w *world) { gone(w) }, []string{"v06 k"}, nil},
		{
			"v06 with a claim", func(w *world) { gone(w).Claim("v", "VOLUME", map[string]resources{"k": {placement.VCPU: 1}}) },
			[]string{"v06 k"},
			nil,
		},
		{"v06 not a pool, nor what operators made", func(w *world) {
			w.Node("h").Computes().Provider("pool", "", resources{placement.DiskGB: 9}).Provider("licences", "", resources{"CUSTOM_LICENCE": 9})
		}, nil, nil},
		{"v06 not where Nova's compute nodes are not known", func(w *world) { w.Node("h") }, nil, nil},
		{"v06 not a host of the same service with another name", func(w *world) {
			w.Node("h").Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "ir1", Hostname: "node-a"})
		}, nil, nil},
	})
}
