package ops_test

import (
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
)

// No API reports the PCI devices of a live cloud, so no host is left out for lack of them;
// the aliases are those of the configuration file.
func TestAliasOfALiveCloud(t *testing.T) {
	t.Parallel()
	config := nova.Upstream("prod")
	must.Succeed(t, config.Give("pci_alias", []any{`{"name": "nic", "vendor_id": "8086", "product_id": "154d"}`}))
	f := &nova.Flavor{Name: "nic", FlavorID: "9", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"pci_passthrough:alias": "nic:1"}}
	w := newWorld(t)
	w.Node("h").Record(config, f)
	spec := must.Get(ops.RequestSpecOf(w.Snapshot, new(nova.Instance), f))(t)
	places := must.Get(ops.PlacesFor(w.Snapshot, candidates.NewIndex(w.Snapshot.Placement()), spec, nova.AskOptions{Placement: w.Snapshot.Placement()}))(t)
	if len(places.Places) != 1 || len(places.Left) > 0 || places.Places[0].Root != rp("h") || len(places.Request.Warnings) == 0 {
		t.Errorf("%+v", places)
	}
}
