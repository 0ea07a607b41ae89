package ops_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
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
	if !slices.ContainsFunc(places.Request.Warnings, func(warning nova.Warning) bool {
		return strings.HasSuffix(warning.Text, "those that have them free; as if [filter_scheduler]pci_in_placement had upstream's default (not set for cloud prod).")
	}) {
		t.Errorf("%+v", places.Request.Warnings)
	}
	if len(places.Places) != 1 || len(places.Left) > 0 || places.Places[0].Root != rp("h") || len(places.Request.Warnings) == 0 {
		t.Errorf("%+v", places)
	}
}

// With pci_in_placement Placement is asked for the devices. Which hosts report theirs, by
// report_in_placement of each, is seen in Placement: there is nothing to say of it.
func TestPCIInPlacementOfALiveCloud(t *testing.T) {
	t.Parallel()
	config := nova.Upstream("prod")
	alias := []any{`{"name": "nic", "resource_class": "CUSTOM_NIC"}`}
	must.Fail(t, config.Give(nova.OptionAlias, alias), placement.ErrInvalid)
	if len(config.PCIAliases)+len(config.Given) > 0 {
		t.Errorf("an option that is refused is set: %+v", config)
	}
	must.Succeed(t, config.Give(nova.OptionInPlacement, true))
	must.Succeed(t, config.Give(nova.OptionAlias, alias))
	must.Fail(t, config.Give("report_in_placement", true), placement.ErrInvalid)
	f := &nova.Flavor{Name: "nic", FlavorID: "9", VCPUs: 1, MemoryMB: 1, ExtraSpecs: map[string]string{"pci_passthrough:alias": "nic:1"}}
	w := newWorld(t)
	w.Node("h").Node("reports").
		Provider("reports_0000:3b:00.0", "reports", modeltest.Resources{"CUSTOM_NIC": 1}, placement.OwnerNova, placement.ComputeManagedPCI).
		Record(config, f)
	spec := must.Get(ops.RequestSpecOf(w.Snapshot, new(nova.Instance), f))(t)
	places := must.Get(ops.PlacesFor(w.Snapshot, candidates.NewIndex(w.Snapshot.Placement()), spec, nova.AskOptions{}))(t)
	if len(places.Places) != 1 || places.Places[0].Root != rp("reports") {
		t.Errorf("%+v", places.Places)
	}
	for _, warning := range places.Request.Warnings {
		if strings.Contains(warning.Text, "No API reports") {
			t.Error(warning)
		}
	}
}
