package audit_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestV05Counts counts a consumer that holds something on the old provider and its child
// once.
func TestV05Counts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Node("h").Provider("h_card", "h", resources{placement.VCPU: 4}).Record(&nova.ComputeNode{UUID: modeltest.ProviderID("h anew"), Host: "h", Hostname: "h"})
	w.Instance("i", nova.Active).Claim("i", instance, on("h", "h_card"))
	for _, f := range audit.Find(w.Snapshot) {
		if f.Rule == audit.RuleNameTaken && !strings.Contains(f.Text, "one consumer holds some of it") {
			t.Error(f.Text)
		}
	}
}

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
