package api_test

import (
	"strings"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

func TestOwnCommands(t *testing.T) {
	t.Parallel()
	h1 := modeltest.Provider{Name: "h1", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(16)}, Children: []modeltest.Provider{{Name: "a card"}}}
	s, _, err := cloud.Empty().Apply(cloud.Change{Ops: h1.Ops(placement.ProviderID{})})
	must.Succeed(t, err)
	id, card, any := modeltest.ProviderID("h1"), modeltest.ProviderID("a card"), placement.AnyGeneration()
	inv := placement.NewInventory(32)
	inv.Reserved, inv.AllocationRatio = 2, 1.5
	vm := modeltest.ConsumerID("vm")
	for want, ops := range map[string][]cloud.Op{
		"placetop set inventory h1 VCPU=32 VCPU:reserved=2 VCPU:allocation_ratio=1.5": {placement.SetInventory{Provider: id, Generation: any, Class: placement.VCPU, Inventory: inv}},
		"placetop set inventory h1 --replace DISK_GB=4; placetop set trait h1 --replace CUSTOM_A": {
			placement.SetInventories{Provider: id, Generation: any, Inventories: map[placement.ResourceClass]placement.Inventory{placement.DiskGB: placement.NewInventory(4)}},
			placement.SetTraits{Provider: id, Generation: any, Traits: []placement.Trait{"CUSTOM_A"}},
		},
		"placetop set provider " + id.String() + " --name h2; placetop set aggregate " + id.String() + " --replace": {
			placement.UpdateProvider{ID: id, Name: "h2"}, placement.SetAggregates{Provider: id, Generation: any},
		},
		"placetop set provider " + card.String() + " --no-parent":                                  {placement.UpdateProvider{ID: card, Name: "a card", Reparent: true}},
		"placetop delete provider 'a card'; placetop delete provider h1":                           {placement.DeleteProvider{ID: card}, placement.DeleteProvider{ID: id}},
		"placetop create provider x --uuid " + modeltest.ProviderID("x").String() + " --parent h1": {placement.CreateProvider{ID: modeltest.ProviderID("x"), Name: "x", Parent: id}},
		"placetop release " + vm.String():                                                          {placement.ReplaceAllocations{Consumers: []placement.Claim{{Consumer: vm}}}},
		"":                                                                                         {placement.DeleteProvider{ID: card}, placement.ReplaceAllocations{Consumers: make([]placement.Claim, 2)}},
	} {
		must.Be(t, strings.Join(api.Own(s, ops), "; "), want)
	}
}
