package rest_test

import (
	"net/http/httptest"
	"testing"

	"github.com/gophercloud/gophercloud/v2"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocationcandidates"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/allocations"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceclasses"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/resourceproviders"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/traits"
	"github.com/gophercloud/gophercloud/v2/openstack/placement/v1/usages"

	"github.com/placetop/placetop/storage/rest"
	"github.com/placetop/placetop/storage/storagetest"
)

// TestGophercloud has the client of gophercloud make a host with a card, claim of both,
// and take all of it down again.
func TestGophercloud(t *testing.T) {
	t.Parallel()
	h, store := handler(t, rest.Options{})
	server := httptest.NewServer(admin(h))
	defer server.Close()
	c := &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{TokenID: "admin"}, Endpoint: server.URL + "/", Type: "placement", Microversion: "1.39",
	}
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	host, card, vm, zone := storagetest.Provider(1).String(), storagetest.Provider(2).String(), storagetest.Consumer(3).String(), storagetest.Consumer(4).String()

	ok(resourceclasses.Create(ctx, c, resourceclasses.CreateOpts{Name: "CUSTOM_CARD"}).Err)
	ok(resourceclasses.Update(ctx, c, "CUSTOM_CARD").Err)
	class, err := resourceclasses.Get(ctx, c, "CUSTOM_CARD").Extract()
	ok(err)
	ok(traits.Create(ctx, c, "CUSTOM_FAST").Err)
	ok(traits.Get(ctx, c, "CUSTOM_FAST").Err)

	_, err = resourceproviders.Create(ctx, c, resourceproviders.CreateOpts{Name: "host", UUID: host}).Extract()
	ok(err)
	p, err := resourceproviders.Create(ctx, c, resourceproviders.CreateOpts{Name: "card", UUID: card, ParentProviderUUID: host}).Extract()
	ok(err)
	if p.RootProviderUUID != host || p.ParentProviderUUID != host || len(p.Links) != 6 {
		t.Errorf("%+v", p)
	}
	inventories, err := resourceproviders.UpdateInventories(ctx, c, host, resourceproviders.UpdateInventoriesOpts{Inventories: map[string]resourceproviders.Inventory{
		"VCPU": {Total: 8, MinUnit: 1, MaxUnit: 8, StepSize: 1, AllocationRatio: 4},
	}}).Extract()
	ok(err)
	if inventories.ResourceProviderGeneration != 1 || inventories.Inventories["VCPU"].AllocationRatio != 4 {
		t.Errorf("%+v", inventories)
	}
	_, err = resourceproviders.UpdateInventories(ctx, c, card, resourceproviders.UpdateInventoriesOpts{Inventories: map[string]resourceproviders.Inventory{
		class.Name: {Total: 4, MinUnit: 1, MaxUnit: 4, StepSize: 1, AllocationRatio: 1},
	}}).Extract()
	ok(err)
	_, err = resourceproviders.UpdateTraits(ctx, c, card, resourceproviders.UpdateTraitsOpts{ResourceProviderGeneration: 1, Traits: []string{"CUSTOM_FAST", "OWNER_NOVA"}}).Extract()
	ok(err)
	generation := 1
	_, err = resourceproviders.UpdateAggregates(ctx, c, host, resourceproviders.UpdateAggregatesOpts{ResourceProviderGeneration: &generation, Aggregates: []string{zone}}).Extract()
	ok(err)
	if err := resourceproviders.UpdateAggregates(ctx, c, host, resourceproviders.UpdateAggregatesOpts{ResourceProviderGeneration: &generation, Aggregates: []string{}}).Err; !gophercloud.ResponseCodeIs(err, 409) {
		t.Errorf("a stale generation: %v", err)
	}

	pages, err := resourceproviders.List(c, resourceproviders.ListOpts{MemberOf: zone}).AllPages(ctx)
	ok(err)
	if list, err := resourceproviders.ExtractResourceProviders(pages); err != nil || len(list) != 1 || list[0].UUID != host {
		t.Errorf("%+v, %v", list, err)
	}
	pages, err = allocationcandidates.List(c, allocationcandidates.ListOpts{
		Resources: "VCPU:2", Limit: 5, GroupPolicy: "none",
		ResourceGroups: map[string]allocationcandidates.ResourceGroup{"1": {Resources: "CUSTOM_CARD:1", Required: []string{"CUSTOM_FAST"}}},
	}).AllPages(ctx)
	ok(err)
	found, err := allocationcandidates.ExtractAllocationCandidates(pages)
	ok(err)
	if len(found.AllocationRequests) != 1 || len(found.ProviderSummaries) != 2 {
		t.Fatalf("%+v", found)
	}
	claim := allocations.UpdateOpts{Allocations: map[string]allocations.ProviderAllocationsOpts{}, ProjectID: "p", UserID: "u", ConsumerType: "INSTANCE"}
	for id, of := range found.AllocationRequests[0].Allocations {
		claim.Allocations[id] = allocations.ProviderAllocationsOpts{Resources: of.Resources}
	}
	ok(allocations.Update(ctx, c, vm, claim).Err)
	if err := allocations.Update(ctx, c, vm, claim).Err; !gophercloud.ResponseCodeIs(err, 409) {
		t.Errorf("a consumer that is there: %v", err)
	}
	held, err := allocations.Get(ctx, c, vm).Extract()
	ok(err)
	if held.Allocations[card].Resources["CUSTOM_CARD"] != 1 || held.Allocations[host].Resources["VCPU"] != 2 {
		t.Errorf("%+v", held)
	}
	used, err := usages.Get(ctx, c, usages.GetOpts{ProjectID: "p"}).Extract()
	ok(err)
	if used.Usages["INSTANCE"]["VCPU"] != 2 || used.Usages["INSTANCE"]["consumer_count"] != 1 {
		t.Errorf("%+v", used)
	}
	if err := resourceproviders.Delete(ctx, c, card).ExtractErr(); !gophercloud.ResponseCodeIs(err, 409) {
		t.Errorf("a provider in use: %v", err)
	}
	ok(allocations.Delete(ctx, c, vm).ExtractErr())
	ok(resourceproviders.DeleteInventory(ctx, c, card, "CUSTOM_CARD").ExtractErr())
	ok(resourceproviders.DeleteTraits(ctx, c, card).ExtractErr())
	ok(resourceproviders.Delete(ctx, c, card).ExtractErr())
	ok(resourceproviders.Delete(ctx, c, host).ExtractErr())
	ok(traits.Delete(ctx, c, "CUSTOM_FAST").ExtractErr())
	ok(resourceclasses.Delete(ctx, c, "CUSTOM_CARD").ExtractErr())
	if n := store.Snapshot().Placement().ProviderCount(); n != 0 {
		t.Errorf("%d providers are left", n)
	}
}
