package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocationcandidates"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocations"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceclasses"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/traits"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/usages"

	"github.com/placetop/placetop/storage/memory"
	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/rest/auth"
	"github.com/placetop/placetop/storage/rest/server"
)

// gopher is a gophercloud client, with what is wrong with its answers.
type gopher struct {
	*testing.T
	*gophercloud.ServiceClient
}

// newGopher serves an empty cloud in memory and returns a client of it.
func newGopher(t *testing.T) gopher {
	t.Helper()
	store := memory.New(memory.Options{Clock: time.Now})
	t.Cleanup(func() { store.Close() })
	url, _ := serve(t, server.Options{
		Limits: server.DefaultLimits(),
		API:    rest.New(store, rest.Options{Clock: time.Now}), Auth: auth.None{}, Clock: time.Now, NewID: uuid.New,
	})
	client := &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: "admin"}, Endpoint: url + "/", Type: "placement", Microversion: "1.39",
	}
	return gopher{t, client}
}

// done checks that a call has succeeded.
func (g gopher) done(what string, err error) {
	g.Helper()
	if err != nil {
		g.Fatalf("%s: %v", what, err)
	}
}

// refused checks that a call was refused with a status.
func (g gopher) refused(what string, err error, status int) {
	g.Helper()
	if !gophercloud.ResponseCodeIs(err, status) {
		g.Errorf("%s: %v, want status %d", what, err, status)
	}
}

// equal checks an answer.
func (g gopher) equal(what string, got, want any) {
	g.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		g.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestGophercloud does all that gophercloud can do with Placement: a host with a card, a
// claim on both, and the removal of everything.
func TestGophercloud(t *testing.T) {
	t.Parallel()
	g := newGopher(t)
	ctx := t.Context()
	const host, card, agg, server1, server2 = "11111111-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000002",
		"22222222-0000-4000-8000-000000000001", "33333333-0000-4000-8000-000000000001", "33333333-0000-4000-8000-000000000002"

	// Names.
	g.done("create a class", resourceclasses.Create(ctx, g.ServiceClient, resourceclasses.CreateOpts{Name: "CUSTOM_FOO"}).Err)
	g.refused("create it again", resourceclasses.Create(ctx, g.ServiceClient, resourceclasses.CreateOpts{Name: "CUSTOM_FOO"}).Err, http.StatusConflict)
	g.done("make sure of another", resourceclasses.Update(ctx, g.ServiceClient, "CUSTOM_BAR").Err)
	class, err := resourceclasses.Get(ctx, g.ServiceClient, "CUSTOM_FOO").Extract()
	g.done("get a class", err)
	g.equal("its name", class.Name, "CUSTOM_FOO")
	pages, err := resourceclasses.List(g.ServiceClient).AllPages(ctx)
	g.done("list classes", err)
	classes, err := resourceclasses.ExtractResourceClasses(pages)
	g.done("read classes", err)
	g.equal("both are there", slices.ContainsFunc(classes, func(c resourceclasses.ResourceClass) bool { return c.Name == "CUSTOM_BAR" }), true)
	g.done("delete a class", resourceclasses.Delete(ctx, g.ServiceClient, "CUSTOM_BAR").Err)
	g.done("create a trait", traits.Create(ctx, g.ServiceClient, "CUSTOM_GOLD").Err)
	g.done("get a trait", traits.Get(ctx, g.ServiceClient, "CUSTOM_GOLD").Err)
	g.refused("get another", traits.Get(ctx, g.ServiceClient, "CUSTOM_TIN").Err, http.StatusNotFound)

	// A tree.
	made, err := resourceproviders.Create(ctx, g.ServiceClient, resourceproviders.CreateOpts{Name: "host", UUID: host}).Extract()
	g.done("create a host", err)
	g.equal("its root", made.RootProviderUUID, host)
	_, err = resourceproviders.Create(ctx, g.ServiceClient, resourceproviders.CreateOpts{Name: "crad", UUID: card, ParentProviderUUID: host}).Extract()
	g.done("create a card", err)
	g.refused("create one of the same name", resourceproviders.Create(ctx, g.ServiceClient, resourceproviders.CreateOpts{Name: "host"}).Err, http.StatusConflict)
	name := "card"
	named, err := resourceproviders.Update(ctx, g.ServiceClient, card, resourceproviders.UpdateOpts{Name: &name}).Extract()
	g.done("rename it", err)
	g.equal("name and parent", named.Name+" "+named.ParentProviderUUID, "card "+host)
	inv, err := resourceproviders.UpdateInventories(ctx, g.ServiceClient, host, resourceproviders.UpdateInventoriesOpts{
		Inventories: map[string]resourceproviders.Inventory{
			"VCPU":       {Total: 8, MaxUnit: 8, MinUnit: 1, StepSize: 1, AllocationRatio: 4},
			"MEMORY_MB":  {Total: 4096, MaxUnit: 4096, MinUnit: 1, StepSize: 1, AllocationRatio: 1},
			"CUSTOM_FOO": {Total: 1, MaxUnit: 1, MinUnit: 1, StepSize: 1, AllocationRatio: 1},
		},
	}).Extract()
	g.done("set inventories", err)
	g.refused("set them at an old generation", resourceproviders.UpdateInventories(ctx, g.ServiceClient, host, resourceproviders.UpdateInventoriesOpts{Inventories: inv.Inventories}).Err, http.StatusConflict)
	one, err := resourceproviders.UpdateInventory(ctx, g.ServiceClient, host, "VCPU", resourceproviders.UpdateInventoryOpts{
		ResourceProviderGeneration: inv.ResourceProviderGeneration, Inventory: resourceproviders.Inventory{Total: 16, MaxUnit: 16, MinUnit: 1, StepSize: 1, AllocationRatio: 4},
	}).Extract()
	g.done("set an inventory", err)
	g.equal("its total", one.Total, 16)
	g.done("delete an inventory", resourceproviders.DeleteInventory(ctx, g.ServiceClient, host, "CUSTOM_FOO").Err)
	inv, err = resourceproviders.GetInventories(ctx, g.ServiceClient, host).Extract()
	g.done("get inventories", err)
	g.equal("classes", len(inv.Inventories), 2)
	_, err = resourceproviders.UpdateInventories(ctx, g.ServiceClient, card, resourceproviders.UpdateInventoriesOpts{
		Inventories: map[string]resourceproviders.Inventory{"VGPU": {Total: 4, MaxUnit: 4, MinUnit: 1, StepSize: 1, AllocationRatio: 1}},
	}).Extract()
	g.done("set the card's inventory", err)
	of, err := resourceproviders.GetTraits(ctx, g.ServiceClient, card).Extract()
	g.done("get traits", err)
	of.Traits = []string{"CUSTOM_GOLD", "OWNER_NOVA"}
	of, err = resourceproviders.UpdateTraits(ctx, g.ServiceClient, card, *of).Extract()
	g.done("set traits", err)
	g.equal("traits", of.Traits, []string{"CUSTOM_GOLD", "OWNER_NOVA"})
	in, err := resourceproviders.GetAggregates(ctx, g.ServiceClient, host).Extract()
	g.done("get aggregates", err)
	in, err = resourceproviders.UpdateAggregates(ctx, g.ServiceClient, host, resourceproviders.UpdateAggregatesOpts{ResourceProviderGeneration: in.ResourceProviderGeneration, Aggregates: []string{agg}}).Extract()
	g.done("set aggregates", err)
	g.equal("aggregates", in.Aggregates, []string{agg})
	for filter, want := range map[resourceproviders.ListOpts]int{
		{}: 2, {Name: "card"}: 1, {UUID: host}: 1, {MemberOf: agg}: 1, {Resources: "VGPU:4"}: 1, {InTree: card}: 2, {Required: "CUSTOM_GOLD,!OWNER_CYBORG"}: 1, {Resources: "VGPU:5"}: 0,
	} {
		pages, err := resourceproviders.List(g.ServiceClient, filter).AllPages(ctx)
		g.done("list providers", err)
		found, err := resourceproviders.ExtractResourceProviders(pages)
		g.done("read providers", err)
		g.equal(fmt.Sprintf("providers by %+v", filter), len(found), want)
	}

	// A claim.
	pages, err = allocationcandidates.List(g.ServiceClient, allocationcandidates.ListOpts{
		Resources: "VCPU:2,MEMORY_MB:1024", GroupPolicy: "none", Limit: 5,
		ResourceGroups: map[string]allocationcandidates.ResourceGroup{"_GPU": {Resources: "VGPU:1", Required: []string{"CUSTOM_GOLD", "in:OWNER_NOVA,OWNER_CYBORG"}}},
	}).AllPages(ctx)
	g.done("list candidates", err)
	found, err := allocationcandidates.ExtractAllocationCandidates(pages)
	g.done("read candidates", err)
	if len(found.AllocationRequests) != 1 {
		t.Fatalf("candidates: %+v", found)
	}
	request := found.AllocationRequests[0]
	g.equal("who serves the group", (*request.Mappings)["_GPU"], []string{card})
	g.equal("the capacity", found.ProviderSummaries[host].Resources["VCPU"].Capacity, 64)
	claim := allocations.UpdateOpts{Allocations: map[string]allocations.ProviderAllocationsOpts{}, ProjectID: "p", UserID: "u", ConsumerType: "INSTANCE"}
	for id, a := range request.Allocations {
		claim.Allocations[id] = allocations.ProviderAllocationsOpts{Resources: a.Resources}
	}
	g.done("claim", allocations.Update(ctx, g.ServiceClient, server1, claim).Err)
	g.refused("claim again as if new", allocations.Update(ctx, g.ServiceClient, server1, claim).Err, http.StatusConflict)
	held, err := allocations.Get(ctx, g.ServiceClient, server1).Extract()
	g.done("get allocations", err)
	g.equal("who and how", *held.ProjectID+*held.UserID+*held.ConsumerType, "puINSTANCE")
	g.equal("held", held.Allocations[card].Resources, map[string]int{"VGPU": 1})
	onCard, err := resourceproviders.GetAllocations(ctx, g.ServiceClient, card).Extract()
	g.done("get a card's allocations", err)
	g.equal("on the card", slices.Collect(maps.Keys(onCard.Allocations)), []string{server1})
	used, err := resourceproviders.GetUsages(ctx, g.ServiceClient, host).Extract()
	g.done("get usages", err)
	g.equal("used", used.Usages, map[string]int{"MEMORY_MB": 1024, "VCPU": 2})
	g.refused("delete what is used", resourceproviders.Delete(ctx, g.ServiceClient, card).Err, http.StatusConflict)
	moved := claim
	moved.ConsumerGeneration = nil
	g.done("move it to another consumer", allocations.Manage(ctx, g.ServiceClient, allocations.ManageOpts{
		server1: {Allocations: map[string]allocations.ProviderAllocationsOpts{}, ProjectID: "p", UserID: "u", ConsumerType: "INSTANCE", ConsumerGeneration: held.ConsumerGeneration},
		server2: moved,
	}).Err)
	total, err := usages.Get(ctx, g.ServiceClient, usages.GetOpts{ProjectID: "p"}).Extract()
	g.done("get a project's usages", err)
	g.equal("of instances", total.Usages["INSTANCE"], map[string]int{"MEMORY_MB": 1024, "VCPU": 2, "VGPU": 1, "consumer_count": 1})

	// All of it removed.
	g.done("release", allocations.Delete(ctx, g.ServiceClient, server2).Err)
	g.refused("release again", allocations.Delete(ctx, g.ServiceClient, server2).Err, http.StatusNotFound)
	g.done("delete traits", resourceproviders.DeleteTraits(ctx, g.ServiceClient, card).Err)
	g.done("delete a trait", traits.Delete(ctx, g.ServiceClient, "CUSTOM_GOLD").Err)
	associated := true
	pages, err = traits.List(g.ServiceClient, traits.ListOpts{Name: "startswith:CUSTOM", Associated: &associated}).AllPages(ctx)
	g.done("list traits", err)
	left, err := traits.ExtractTraits(pages)
	g.done("read traits", err)
	g.equal("custom traits", len(left), 0)
	g.done("delete inventories", resourceproviders.DeleteInventories(ctx, g.ServiceClient, card).Err)
	g.refused("delete a parent", resourceproviders.Delete(ctx, g.ServiceClient, host).Err, http.StatusConflict)
	g.done("delete the card", resourceproviders.Delete(ctx, g.ServiceClient, card).Err)
	g.done("delete the host", resourceproviders.Delete(ctx, g.ServiceClient, host).Err)
	g.refused("get it", resourceproviders.Get(ctx, g.ServiceClient, host).Err, http.StatusNotFound)
}
