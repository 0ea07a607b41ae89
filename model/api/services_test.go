package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// TestVerbsOfOtherServices checks the API calls and client commands for verbs of Nova's
// and Cyborg's. A verb has no request if only the service itself writes so, or its API
// uses ids that are not known.
func TestVerbsOfOtherServices(t *testing.T) {
	t.Parallel()
	dev, arq := uuid.MustParse("00000000-0000-4000-8000-0000000000d1"), uuid.MustParse("00000000-0000-4000-8000-0000000000a1")
	vm, card := modeltest.ConsumerID("vm"), modeltest.ProviderID("card")
	zone := modeltest.AggregateID("zone")
	s := modeltest.NewWorld(t).
		Record(
			&nova.Flavor{Name: "gpu.large", FlavorID: "42", VCPUs: 2, MemoryMB: 512},
			&nova.HostAggregate{UUID: zone, Name: "my zone"},
			&nova.Service{Host: "c2", Binary: nova.Compute, UUID: uuid.UUID{15: 7}},
		).
		Record(&cyborg.ARQ{UUID: arq, State: cyborg.ARQInitial, Profile: "dp", Group: 1}).
		Snapshot
	for name, tt := range map[string]struct {
		op       cloud.Op
		requests []string
		commands []string
	}{
		"disable": {
			nova.DisableService{Host: "c1", Binary: nova.Compute},
			[]string{`PUT /os-services/disable {"host":"c1","binary":"nova-compute"} compute 2.1 200`},
			[]string{"compute service set --disable c1 nova-compute"},
		},
		"disable, and say why": {
			nova.DisableService{Host: "c1", Binary: nova.Compute, Reason: "new card"},
			[]string{`PUT /os-services/disable-log-reason {"host":"c1","binary":"nova-compute","disabled_reason":"new card"} compute 2.1 200`},
			[]string{"compute service set --disable --disable-reason 'new card' c1 nova-compute"},
		},
		"enable": {
			nova.EnableService{Host: "c1", Binary: nova.Compute},
			[]string{`PUT /os-services/enable {"host":"c1","binary":"nova-compute"} compute 2.1 200`},
			[]string{"compute service set --enable c1 nova-compute"},
		},
		"force down": {
			nova.ForceDownService{Host: "c1", Binary: nova.Compute, Down: true},
			[]string{`PUT /os-services/force-down {"host":"c1","binary":"nova-compute","forced_down":true} compute 2.11 200`},
			[]string{"--os-compute-api-version 2.11 compute service set --down c1 nova-compute"},
		},
		"take it back": {
			nova.ForceDownService{Host: "c1", Binary: nova.Compute},
			[]string{`PUT /os-services/force-down {"host":"c1","binary":"nova-compute","forced_down":false} compute 2.11 200`},
			[]string{"--os-compute-api-version 2.11 compute service set --up c1 nova-compute"},
		},
		"a service that has no id": {op: nova.DeleteService{Host: "c1", Binary: nova.Compute}},
		"a service by its id": {
			nova.DeleteService{Host: "c2", Binary: nova.Compute},
			[]string{`DELETE /os-services/00000000-0000-0000-0000-000000000007  compute 2.53 204`},
			[]string{"--os-compute-api-version 2.53 compute service delete 00000000-0000-0000-0000-000000000007"},
		},
		"a new flavor": {
			nova.CreateFlavor{Flavor: &nova.Flavor{Name: "a", FlavorID: "7", VCPUs: 1, MemoryMB: 256, SwapMB: 64, Private: true, ExtraSpecs: map[string]string{"resources:VGPU": "1"}}},
			[]string{
				`POST /flavors {"flavor":{"name":"a","id":"7","ram":256,"vcpus":1,"disk":0,"OS-FLV-EXT-DATA:ephemeral":0,"swap":64,"os-flavor-access:is_public":false}} compute 2.1 200`,
				`POST /flavors/7/os-extra_specs {"extra_specs":{"resources:VGPU":"1"}} compute 2.1 200`,
			},
			[]string{"flavor create --id 7 --ram 256 --vcpus 1 --swap 64 --private --property resources:VGPU=1 a"},
		},
		"a new flavor that is described": {
			nova.CreateFlavor{Flavor: &nova.Flavor{Name: "a", FlavorID: "7", VCPUs: 1, MemoryMB: 256, RootGB: 3, EphemeralGB: 2, Description: "for <all>"}},
			[]string{`POST /flavors {"flavor":{"name":"a","id":"7","ram":256,"vcpus":1,"disk":3,"OS-FLV-EXT-DATA:ephemeral":2,"swap":0,"os-flavor-access:is_public":true,"description":"for <all>"}} compute 2.55 200`},
			[]string{"--os-compute-api-version 2.55 flavor create --id 7 --ram 256 --vcpus 1 --disk 3 --ephemeral 2 --description 'for <all>' a"},
		},
		"extra specs": {
			nova.SetExtraSpecs{Flavor: "gpu.large", ExtraSpecs: nova.KeyEdits{Set: map[string]string{"hw:a": "1", "hw:b": "x y"}, Unset: []string{"hw/c"}}},
			[]string{
				`POST /flavors/42/os-extra_specs {"extra_specs":{"hw:a":"1","hw:b":"x y"}} compute 2.1 200`,
				`DELETE /flavors/42/os-extra_specs/hw%2Fc  compute 2.1 200`,
			},
			[]string{"flavor set --property hw:a=1 --property 'hw:b=x y' gpu.large", "flavor unset --property hw/c gpu.large"},
		},
		"extra specs of a flavor that is not there": {op: nova.SetExtraSpecs{Flavor: "none"}},
		"delete a flavor": {
			nova.DeleteFlavor{Flavor: "gpu.large"},
			[]string{`DELETE /flavors/42  compute 2.1 202`},
			[]string{"flavor delete gpu.large"},
		},
		"what only the database can": {op: nova.DisableFlavor{Flavor: "gpu.large", Disabled: true}},
		"a new aggregate": {
			nova.CreateAggregate{UUID: modeltest.AggregateID("new"), Name: "new", Metadata: map[string]string{"availability_zone": "az1", "ssd": "true"}},
			[]string{
				`POST /os-aggregates {"aggregate":{"name":"new","availability_zone":"az1"}} compute 2.1 200`,
				`POST /os-aggregates/{id}/action {"set_metadata":{"metadata":{"ssd":"true"}}} compute 2.1 200`,
			},
			[]string{"aggregate create --zone az1 --property ssd=true new"},
		},
		"a host of an aggregate":       {nova.AddAggregateHost{Aggregate: zone, Host: "c1"}, nil, []string{"aggregate add host 'my zone' c1"}},
		"a host that leaves it":        {nova.RemoveAggregateHost{Aggregate: zone, Host: "c1"}, nil, []string{"aggregate remove host 'my zone' c1"}},
		"delete an aggregate":          {nova.DeleteAggregate{Aggregate: zone}, nil, []string{"aggregate delete 'my zone'"}},
		"an aggregate not there":       {op: nova.DeleteAggregate{Aggregate: modeltest.AggregateID("none")}},
		"the metadata of an aggregate": {nova.SetAggregateMetadata{Aggregate: zone, Metadata: nova.KeyEdits{Set: map[string]string{"a": "b"}, Unset: []string{"c"}}}, nil, []string{"aggregate set --property a=b 'my zone'", "aggregate unset --property c 'my zone'"}},
		"what a compute node reports":  {op: nova.ReportState{Host: "c1", Binary: nova.Compute}},
		"a profile": {
			cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "dp", Groups: []map[string]string{{"resources:VGPU": "1"}}, Description: "one"}},
			[]string{`POST /device_profiles [{"name":"dp","groups":[{"resources:VGPU":"1"}],"description":"one"}] accelerator 2.0 201`},
			[]string{`accelerator device profile create dp '[{"resources:VGPU":"1"}]' --description one`},
		},
		"delete a profile": {
			cyborg.DeleteDeviceProfile{Profile: "dp"},
			[]string{"DELETE /device_profiles/dp  accelerator 2.0 204"},
			[]string{"accelerator device profile delete dp"},
		},
		"disable a device": {
			cyborg.DisableDevice{Device: dev},
			[]string{"POST /devices/" + dev.String() + "/disable  accelerator 2.3 200"},
			[]string{"--os-accelerator-api-version 2.3 accelerator device disable " + dev.String()},
		},
		"enable a device": {
			cyborg.EnableDevice{Device: dev},
			[]string{"POST /devices/" + dev.String() + "/enable  accelerator 2.3 200"},
			[]string{"--os-accelerator-api-version 2.3 accelerator device enable " + dev.String()},
		},
		"ask for accelerators": {
			cyborg.CreateARQs{Profile: "dp", Owner: vm},
			[]string{`POST /accelerator_requests {"device_profile_name":"dp"} accelerator 2.0 201`},
			[]string{"accelerator arq create dp"},
		},
		"bind": {
			cyborg.StartBind{ARQs: []uuid.UUID{arq}, Instance: vm, Host: "c1", Mappings: map[string][]placement.ProviderID{"device_profile_1": {card}}},
			[]string{fmt.Sprintf(`PATCH /accelerator_requests {"%s":[{"op":"add","path":"/hostname","value":"c1"},{"op":"add","path":"/device_rp_uuid","value":"%s"},{"op":"add","path":"/instance_uuid","value":"%s"}]} accelerator 2.0 202`, arq, card, vm)},
			nil,
		},
		"unbind": {
			cyborg.Unbind{ARQs: []uuid.UUID{arq}},
			[]string{fmt.Sprintf(`PATCH /accelerator_requests {"%s":[{"op":"remove","path":"/hostname"},{"op":"remove","path":"/device_rp_uuid"},{"op":"remove","path":"/instance_uuid"}]} accelerator 2.0 202`, arq)},
			nil,
		},
		"delete requests": {
			cyborg.DeleteARQs{ARQs: []uuid.UUID{arq, dev}},
			[]string{fmt.Sprintf("DELETE /accelerator_requests?arqs=%s,%s  accelerator 2.0 204", arq, dev)},
			[]string{fmt.Sprintf("accelerator arq delete %s %s", arq, dev)},
		},
		"what an agent reports": {op: cyborg.RemoveDevice{Device: dev}},
	} {
		requests, commands := api.Of(s, []cloud.Op{tt.op})
		var got []string
		for _, r := range requests {
			got = append(got, fmt.Sprintf("%s %s %s %s %s", r.Method, r.Path, r.Body, r.Version(), r.Answer))
		}
		if !slices.Equal(got, tt.requests) {
			t.Errorf("%s: requests\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(tt.requests, "\n"))
		}
		for i, c := range commands {
			commands[i] = strings.TrimPrefix(c, "openstack ")
		}
		if !slices.Equal(commands, tt.commands) {
			t.Errorf("%s: commands\n%s\nwant\n%s", name, strings.Join(commands, "\n"), strings.Join(tt.commands, "\n"))
		}
	}
}
