package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestServerActions says what Nova is asked to do with a server, and the same as typed.
func TestServerActions(t *testing.T) {
	t.Parallel()
	vm := modeltest.ConsumerID("vm")
	for _, tt := range []struct {
		action           api.ServerAction
		request, command string
	}{
		{api.ServerAction{Do: api.ResizeServer, Flavor: "42"}, `POST /action {"resize":{"flavorRef":"42"}} 2.1 202`, "server resize --flavor 42 ID"},
		{api.ServerAction{Do: api.ConfirmServer}, `POST /action {"confirmResize":null} 2.1 204`, "server resize confirm ID"},
		{api.ServerAction{Do: api.RevertServer}, `POST /action {"revertResize":null} 2.1 202`, "server resize revert ID"},
		{api.ServerAction{Do: api.MigrateServer}, `POST /action {"migrate":null} 2.1 202`, "server migrate ID"},
		{api.ServerAction{Do: api.MigrateServer, Host: "c2"}, `POST /action {"migrate":{"host":"c2"}} 2.56 202`, "--os-compute-api-version 2.56 server migrate --host c2 ID"},
		{api.ServerAction{Do: api.LiveMigrate}, `POST /action {"os-migrateLive":{"host":null,"block_migration":"auto"}} 2.25 202`, "--os-compute-api-version 2.25 server migrate --live-migration ID"},
		{api.ServerAction{Do: api.LiveMigrate, Host: "c2"}, `POST /action {"os-migrateLive":{"host":"c2","block_migration":"auto"}} 2.30 202`, "--os-compute-api-version 2.30 server migrate --live-migration --host c2 ID"},
		{api.ServerAction{Do: api.EvacuateServer}, `POST /action {"evacuate":{}} 2.14 200`, "--os-compute-api-version 2.14 server evacuate ID"},
		{api.ServerAction{Do: api.EvacuateServer, Host: "c2"}, `POST /action {"evacuate":{"host":"c2"}} 2.29 200`, "--os-compute-api-version 2.29 server evacuate --host c2 ID"},
		{api.ServerAction{Do: api.DeleteServer}, `DELETE   2.1 204`, "server delete ID"},
	} {
		tt.action.Server = vm
		c := tt.action.Call()
		at := "/servers/" + vm.String()
		if got := fmt.Sprintf("%s %s %s %s %s", c.Method, strings.TrimPrefix(c.Path, at), c.Body, c.Microversion(), c.Answer); got != tt.request || c.Service != api.Compute || !strings.HasPrefix(c.Path, at) {
			t.Errorf("%s: %s of %s, want %s", tt.action.Do, got, c.Service, tt.request)
		}
		if got := tt.action.Command(); got != "openstack "+strings.ReplaceAll(tt.command, "ID", vm.String()) {
			t.Errorf("%s: %s, want %s", tt.action.Do, got, tt.command)
		}
	}
}

// TestAsksForAggregatesByNumber sends verbs about host aggregates to which Nova has given
// numbers, and about one created by the same change.
func TestAsksForAggregatesByNumber(t *testing.T) {
	t.Parallel()
	zone := modeltest.AggregateID("zone")
	s := modeltest.NewWorld(t).Record(&nova.HostAggregate{UUID: zone, Name: "z", Number: 7}).Snapshot
	fresh := nova.CreateAggregate{UUID: modeltest.AggregateID("new"), Name: "new", Metadata: map[string]string{"ssd": "true"}}
	for want, op := range map[string]cloud.Op{
		`DELETE /os-aggregates/7 `:                                                      nova.DeleteAggregate{Aggregate: zone},
		`POST /os-aggregates/7/action {"add_host":{"host":"c1"}}`:                       nova.AddAggregateHost{Aggregate: zone, Host: "c1"},
		`POST /os-aggregates/7/action {"remove_host":{"host":"c1"}}`:                    nova.RemoveAggregateHost{Aggregate: zone, Host: "c1"},
		`POST /os-aggregates/7/action {"set_metadata":{"metadata":{"a":"b","c":null}}}`: nova.SetAggregateMetadata{Aggregate: zone, Metadata: nova.KeyEdits{Set: map[string]string{"a": "b"}, Unset: []string{"c"}}},
		`POST /os-aggregates/{id}/action {"add_host":{"host":"c1"}}`:                    nova.AddAggregateHost{Aggregate: fresh.UUID, Host: "c1"},
		"POST /os-aggregates {\"aggregate\":{\"name\":\"new\",\"availability_zone\":null}}\nPOST /os-aggregates/{id}/action {\"set_metadata\":{\"metadata\":{\"ssd\":\"true\"}}}": fresh,
	} {
		calls, _ := api.Of(s, []cloud.Op{op})
		var got []string
		for _, c := range calls {
			got = append(got, fmt.Sprintf("%s %s %s", c.Method, c.Path, c.Body))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s\n%q, want\n%q", op, got, want)
		}
	}
}

// TestSendsNotWhatServicesDoThemselves expects only what Nova itself writes to Placement
// while it carries out a verb to be left out.
func TestSendsNotWhatServicesDoThemselves(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t).Provider("c1", "", modeltest.Resources{placement.VCPU: 2}, placement.OwnerNova)
	c1 := modeltest.ProviderID("c1")
	disable := nova.DisableService{Host: "c1", Binary: nova.Compute}
	traits := func(ts ...placement.Trait) placement.SetTraits { return placement.SetTraits{Provider: c1, Traits: ts} }
	groups := placement.SetAggregates{Provider: c1}
	for name, tt := range map[string]struct {
		ops  []cloud.Op
		left int
	}{
		"the trait of a disabled host":   {[]cloud.Op{disable, traits(placement.ComputeStatusDisabled, placement.OwnerNova)}, 1},
		"other traits, too":              {[]cloud.Op{disable, traits(placement.ComputeStatusDisabled)}, 2},
		"a trait by itself":              {[]cloud.Op{traits(placement.ComputeStatusDisabled, placement.OwnerNova)}, 1},
		"the aggregates of its provider": {[]cloud.Op{nova.AddAggregateHost{Host: "c1"}, groups}, 1},
		"aggregates by themselves":       {[]cloud.Op{disable, groups}, 2},
	} {
		if left := api.Sent(w.Snapshot, tt.ops); len(left) != tt.left {
			t.Errorf("%s: %v", name, left)
		}
	}
}
