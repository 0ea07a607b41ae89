package ops_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// Each operation as an API request and as a command of the client. {h} and so on stand
// for uuids.
func TestRequests(t *testing.T) {
	t.Parallel()
	anyGen := placement.AnyGeneration()
	drained := placement.Inventory{Total: 4, Reserved: 4, MinUnit: 1, MaxUnit: 4, StepSize: 2, AllocationRatio: 1.5}
	for _, tc := range []struct {
		op               placement.Op
		request, command string // empty: cannot be said so
	}{
		{
			placement.CreateProvider{ID: rp("n"), Name: "it's <n>"},
			`POST /resource_providers 1.0 {"name":"it's <n>","uuid":"{n}"}`,
			`1.0 resource provider create --uuid {n} 'it'\''s <n>'`,
		},
		{
			placement.CreateProvider{ID: rp("n"), Name: "n", Parent: rp("h")},
			`POST /resource_providers 1.14 {"name":"n","uuid":"{n}","parent_provider_uuid":"{h}"}`,
			`1.14 resource provider create --uuid {n} --parent-provider {h} n`,
		},
		{
			placement.UpdateProvider{ID: rp("h"), Name: "n"},
			`PUT /resource_providers/{h} 1.0 {"name":"n"}`,
			`1.0 resource provider set {h} --name n`,
		},
		{
			placement.UpdateProvider{ID: rp("c"), Name: "c", Reparent: true},
			`PUT /resource_providers/{c} 1.37 {"name":"c","parent_provider_uuid":null}`,
			``,
		},
		{
			placement.UpdateProvider{ID: rp("c"), Name: "c", Reparent: true, Parent: rp("k")},
			`PUT /resource_providers/{c} 1.37 {"name":"c","parent_provider_uuid":"{k}"}`,
			`1.37 resource provider set {c} --name c --parent-provider {k}`,
		},
		{
			placement.DeleteProvider{ID: rp("c")},
			`DELETE /resource_providers/{c} 1.0`,
			`1.0 resource provider delete {c}`,
		},
		{
			placement.SetInventories{Provider: rp("k"), Generation: anyGen},
			`PUT /resource_providers/{k}/inventories 1.0 {"resource_provider_generation":0,"inventories":{}}`,
			`1.5 resource provider inventory delete {k}`,
		},
		{
			placement.SetInventories{Provider: rp("k"), Generation: anyGen, Inventories: inventories{placement.VGPU: drained, placement.VCPU: placement.NewInventory(2)}},
			`PUT /resource_providers/{k}/inventories 1.26 {"resource_provider_generation":0,"inventories":{` +
				`"VCPU":{"total":2,"reserved":0,"min_unit":1,"max_unit":2147483647,"step_size":1,"allocation_ratio":1},` +
				`"VGPU":{"total":4,"reserved":4,"min_unit":1,"max_unit":4,"step_size":2,"allocation_ratio":1.5}}}`,
			`1.26 resource provider inventory set {k} --resource VCPU=2 --resource VGPU=4 --resource VGPU:reserved=4 --resource VGPU:max_unit=4 ` +
				`--resource VGPU:step_size=2 --resource VGPU:allocation_ratio=1.5`,
		},
		{
			placement.SetInventory{Provider: rp("h"), Generation: anyGen, Class: placement.VCPU, Inventory: drained},
			`PUT /resource_providers/{h}/inventories/VCPU 1.26 {"resource_provider_generation":2,"total":4,"reserved":4,"min_unit":1,"max_unit":4,"step_size":2,"allocation_ratio":1.5}`,
			`1.26 resource provider inventory class set {h} VCPU --total 4 --reserved 4 --max_unit 4 --step_size 2 --allocation_ratio 1.5`,
		},
		{
			placement.AddInventory{Provider: rp("k"), Generation: anyGen, Class: placement.VCPU, Inventory: placement.NewInventory(2)},
			`POST /resource_providers/{k}/inventories 1.0 {"resource_class":"VCPU","total":2,"reserved":0,"min_unit":1,"max_unit":2147483647,"step_size":1,"allocation_ratio":1}`,
			`1.0 resource provider inventory set {k} --amend --resource VCPU=2`,
		},
		{
			placement.DeleteInventory{Provider: rp("h"), Class: placement.DiskGB},
			`DELETE /resource_providers/{h}/inventories/DISK_GB 1.0`,
			`1.0 resource provider inventory delete {h} --resource-class DISK_GB`,
		},
		{
			placement.SetTraits{Provider: rp("h"), Generation: placement.Generation(2), Traits: []placement.Trait{"OWNER_NOVA", "COMPUTE_NODE"}},
			`PUT /resource_providers/{h}/traits 1.6 {"resource_provider_generation":2,"traits":["COMPUTE_NODE","OWNER_NOVA"]}`,
			`1.6 resource provider trait set --trait COMPUTE_NODE --trait OWNER_NOVA {h}`,
		},
		{
			placement.SetTraits{Provider: rp("t"), Generation: anyGen},
			`PUT /resource_providers/{t}/traits 1.6 {"resource_provider_generation":1,"traits":[]}`,
			`1.6 resource provider trait delete {t}`,
		},
		{
			placement.SetAggregates{Provider: rp("h"), Generation: anyGen, Aggregates: []placement.AggregateID{agg("a")}},
			`PUT /resource_providers/{h}/aggregates 1.19 {"aggregates":["{agg}"],"resource_provider_generation":2}`,
			`1.19 resource provider aggregate set {h} --aggregate {agg} --generation 2`,
		},
		{
			placement.SetAggregates{Provider: rp("h"), Generation: anyGen},
			`PUT /resource_providers/{h}/aggregates 1.19 {"aggregates":[],"resource_provider_generation":2}`,
			`1.19 resource provider aggregate set {h} --generation 2`,
		},
		{
			placement.SetAggregates{Provider: rp("h"), Generation: anyGen, Aggregates: []placement.AggregateID{agg("a")}, KeepGeneration: true},
			`PUT /resource_providers/{h}/aggregates 1.1 ["{agg}"]`,
			`1.1 resource provider aggregate set {h} --aggregate {agg}`,
		},
		{
			placement.ReplaceAllocations{Consumers: []placement.Claim{{
				Consumer: vm("j"), Generation: placement.NewConsumer(), Project: "p", User: "u", Allocations: allocations{rp("h"): {placement.VCPU: 1}},
			}}},
			`PUT /allocations/{j} 1.28 {"allocations":{"{h}":{"resources":{"VCPU":1}}},"project_id":"p","user_id":"u","consumer_generation":null}`,
			`1.28 resource provider allocation set {j} --allocation rp={h},VCPU=1 --project-id p --user-id u`,
		},
		{
			placement.ReplaceAllocations{Consumers: []placement.Claim{{Consumer: vm("i"), Generation: placement.Generation(1)}}},
			`PUT /allocations/{i} 1.38 {"allocations":{},"project_id":"p","user_id":"u","consumer_generation":1,"consumer_type":"INSTANCE"}`,
			`1.28 resource provider allocation unset {i}`,
		},
		{
			placement.ReplaceAllocations{Consumers: []placement.Claim{
				{Consumer: vm("i"), Generation: placement.Generation(1)},
				{
					Consumer: vm("m"), Generation: placement.NewConsumer(), Type: placement.MigrationConsumer, Project: "p", User: "u",
					Allocations: allocations{rp("h"): {placement.VCPU: 1}},
				},
			}},
			`POST /allocations 1.38 {"{i}":{"allocations":{},"project_id":"p","user_id":"u","consumer_generation":1,"consumer_type":"INSTANCE"},` +
				`"{m}":{"allocations":{"{h}":{"resources":{"VCPU":1}}},"project_id":"p","user_id":"u","consumer_generation":null,"consumer_type":"MIGRATION"}}`,
			``,
		},
		{
			placement.DeleteAllocations{Consumer: vm("i")},
			`DELETE /allocations/{i} 1.0`,
			`1.0 resource provider allocation delete {i}`,
		},
		{
			placement.Reshape{
				Inventories: []placement.SetInventories{{Provider: rp("k"), Generation: anyGen, Inventories: inventories{placement.VGPU: placement.NewInventory(1)}}},
				Allocations: []placement.Claim{{
					Consumer: vm("i"), Generation: placement.Generation(1), Project: "p", User: "u", Allocations: allocations{rp("k"): {placement.VGPU: 1}},
				}},
			},
			`POST /reshaper 1.38 {"inventories":{"{k}":{"resource_provider_generation":0,"inventories":{` +
				`"VGPU":{"total":1,"reserved":0,"min_unit":1,"max_unit":2147483647,"step_size":1,"allocation_ratio":1}}}},` +
				`"allocations":{"{i}":{"allocations":{"{k}":{"resources":{"VGPU":1}}},"project_id":"p","user_id":"u","consumer_generation":1,"consumer_type":"INSTANCE"}}}`,
			``,
		},
		{placement.CreateClass{Name: "CUSTOM_B"}, `POST /resource_classes 1.2 {"name":"CUSTOM_B"}`, `1.2 resource class create CUSTOM_B`},
		{placement.CreateClass{Name: "CUSTOM_B", IfAbsent: true}, `PUT /resource_classes/CUSTOM_B 1.7`, `1.7 resource class set CUSTOM_B`},
		{placement.RenameClass{Name: "CUSTOM_A", To: "CUSTOM_B"}, `PUT /resource_classes/CUSTOM_A 1.2 {"name":"CUSTOM_B"}`, ``},
		{placement.DeleteClass{Name: "CUSTOM_A"}, `DELETE /resource_classes/CUSTOM_A 1.2`, `1.2 resource class delete CUSTOM_A`},
		{placement.CreateTrait{Name: "CUSTOM_U"}, `PUT /traits/CUSTOM_U 1.6`, `1.6 trait create CUSTOM_U`},
		{placement.DeleteTrait{Name: "CUSTOM_T"}, `DELETE /traits/CUSTOM_T 1.6`, `1.6 trait delete CUSTOM_T`},
	} {
		t.Run(tc.op.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).Provider("h", "", resources{placement.VCPU: 4, placement.DiskGB: 1}).Provider("c", "h", nil).
				Provider("k", "", nil).Provider("t", "", nil, placement.OwnerNova).
				Claim("i", placement.InstanceConsumer, map[string]resources{"h": {placement.VCPU: 1}})
			w.Do(placement.CreateClass{Name: "CUSTOM_A"}, placement.CreateTrait{Name: "CUSTOM_T"})
			p := must.Get(ops.PreviewChange(w.Snapshot, cloud.Change{Ops: []placement.Op{tc.op}}))(t)
			names := strings.NewReplacer(
				"{n}", rp("n").String(), "{h}", rp("h").String(), "{c}", rp("c").String(), "{k}", rp("k").String(), "{t}", rp("t").String(),
				"{i}", vm("i").String(), "{j}", vm("j").String(), "{m}", vm("m").String(), "{agg}", agg("a").String(),
			)
			if len(p.Requests()) != 1 {
				t.Fatalf("%d requests", len(p.Requests()))
			}
			r := p.Requests()[0]
			got := strings.TrimSpace(r.Method + " " + r.Path + " " + r.Microversion() + " " + r.Body)
			want := names.Replace(tc.request)
			if i := strings.Index(got, "{"); i < 0 {
				if got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			} else if d := sameJSON(got[:i], got[i:], want); d != "" {
				t.Errorf("request (-want +got):\n%s", d)
			}
			command := ""
			if tc.command != "" {
				command = names.Replace("openstack --os-placement-api-version " + tc.command)
			}
			must.Match(t, command, strings.Join(p.Commands(), "\n"))
		})
	}
}

// sameJSON compares a request with the one wanted: the line before the body literally,
// the body by content, since the order of uuids in it is not that of their names.
func sameJSON(line, body, want string) string {
	i := strings.Index(want, "{")
	if i < 0 {
		return cmp.Diff(want, line+body)
	}
	var a, b any
	if json.Unmarshal([]byte(want[i:]), &a) != nil || json.Unmarshal([]byte(body), &b) != nil {
		return cmp.Diff(want, line+body)
	}
	return cmp.Diff(want[:i], line) + cmp.Diff(a, b)
}

// In a Change of several operations each request shows the generation that it will find.
func TestRequestsOfSeveralOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t).Provider("h", "", nil)
	set := placement.SetInventories{Provider: rp("h"), Generation: placement.AnyGeneration(), Inventories: inventories{placement.VCPU: placement.NewInventory(1)}}
	p := must.Get(ops.PreviewChange(w.Snapshot, cloud.Change{Ops: []placement.Op{set, set, set}}))(t)
	for i, r := range p.Requests() {
		if want := []string{`:0,`, `:1,`, `:2,`}[i]; !strings.Contains(r.Body, `"resource_provider_generation"`+want) {
			t.Errorf("request %d: %s", i, r.Body)
		}
	}
	if d := p.Providers[0]; d.GenerationBefore != 0 || d.GenerationAfter != 3 {
		t.Errorf("generation %d > %d, want 0 > 3", d.GenerationBefore, d.GenerationAfter)
	}
}
