package audit_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
)

func TestV05(t *testing.T) {
	t.Parallel()
	again := &nova.ComputeNode{UUID: modeltest.ProviderID("h anew"), Host: "h", Hostname: "h"}
	testRule(t, []ruleCase{
		{"v05 a host installed anew", func(w *world) { w.Node("h").Record(again) }, []string{"v05 h"}, []string{"delete?", "rename?"}},
		{
			"v05 of which something is held", func(w *world) { w.Node("h").Record(again).Instance("i", nova.Active).Claim("i", instance, on("h")) },
			[]string{"v05 h"},
			[]string{"rename?"},
		},
		{
			"v05 not a host whose provider has another name", func(w *world) {
				w.Node("h").Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h"), Host: "h", Hostname: "h.example"})
			}, nil, nil,
		},
	})
}
