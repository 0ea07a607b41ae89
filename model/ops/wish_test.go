package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// TestQueryByNames takes a name for that of an aggregate or of a provider by where it stands.
func TestQueryByNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("gpu", "", resources{placement.VCPU: 16})
	w.Do(nova.CreateAggregate{UUID: agg("gpu"), Name: "gpu"}, nova.CreateAggregate{UUID: agg("az 1"), Name: "az 1"})
	aggregate, other := agg("gpu").String(), agg("az 1").String()
	host, _ := w.Placement().ProviderByName("gpu")
	for text, want := range map[string]string{
		"member_of=gpu&in_tree=gpu":                 "member_of=" + aggregate + "&in_tree=" + host.ID().String(),
		"member_of1=!in:gpu,az%201":                 "member_of1=!in:" + aggregate + "," + other,
		"member_of=none&resources=VCPU:1&x":         "member_of=none&resources=VCPU:1&x",
		"in_tree2=az+1":                             "in_tree2=az+1",
		"in_tree=" + aggregate + "&required=CUSTOM": "in_tree=" + aggregate + "&required=CUSTOM",
	} {
		if got := ops.QueryByNames(w.Snapshot, text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
