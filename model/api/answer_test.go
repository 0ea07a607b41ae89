package api_test

import (
	"errors"
	"testing"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

// TestAnswers has operations accepted or refused by a ledger, and Placement's answer to
// each. storage/storagetest/upstream compares them with Placement itself.
func TestAnswers(t *testing.T) {
	t.Parallel()
	rp, none := modeltest.ProviderID, modeltest.ProviderID("nobody")
	vm := modeltest.ConsumerID
	one := placement.NewInventory(1)
	w := modeltest.NewWorld(t).
		Provider("host", "", modeltest.Resources{placement.VCPU: 2, placement.MemoryMB: 4}).
		Provider("card", "host", modeltest.Resources{placement.VGPU: 1}).
		Claim("i", placement.InstanceConsumer, map[string]modeltest.Resources{"host": {placement.VCPU: 1}}).
		Do(placement.CreateTrait{Name: "CUSTOM_T"}, placement.CreateClass{Name: "CUSTOM_A"})
	s := w.Placement()
	host, _ := s.Provider(rp("host"))
	now, stale := placement.Generation(host.Generation()), placement.Generation(host.Generation()+3)
	claim := func(id placement.ProviderID, class placement.ResourceClass, n int64) placement.Op {
		return placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: vm("new"), Generation: placement.NewConsumer(), Project: "p", User: "u", Type: placement.InstanceConsumer,
			Allocations: placement.Amounts{id: {class: n}},
		}}}
	}
	for name, tt := range map[string]struct {
		op   placement.Op
		want string
	}{
		"make a provider":                    {placement.CreateProvider{ID: rp("new"), Name: "new"}, "201"},
		"a name that is taken":               {placement.CreateProvider{ID: rp("new"), Name: "host"}, "409 placement.duplicate_name"},
		"a parent that is not there":         {placement.CreateProvider{ID: rp("new"), Name: "new", Parent: none}, "400 placement.undefined_code"},
		"rename":                             {placement.UpdateProvider{ID: rp("host"), Name: "other"}, "200"},
		"rename what is not there":           {placement.UpdateProvider{ID: none, Name: "other"}, "404 placement.undefined_code"},
		"delete a parent":                    {placement.DeleteProvider{ID: rp("host")}, "409 placement.resource_provider.cannot_delete_parent"},
		"delete a leaf":                      {placement.DeleteProvider{ID: rp("card")}, "204"},
		"inventories":                        {placement.SetInventories{Provider: rp("host"), Generation: now, Inventories: modeltest.Inventories{placement.VCPU: one}}, "200"},
		"inventories of a stale generation":  {placement.SetInventories{Provider: rp("host"), Generation: stale}, "409 placement.concurrent_update"},
		"inventories that are in use":        {placement.SetInventories{Provider: rp("host"), Generation: now}, "409 placement.inventory.inuse"},
		"one inventory that is in use":       {placement.DeleteInventory{Provider: rp("host"), Class: placement.VCPU}, "409 placement.concurrent_update"},
		"one inventory that is not there":    {placement.DeleteInventory{Provider: rp("host"), Class: placement.VGPU}, "404 placement.undefined_code"},
		"set an inventory that is not there": {placement.SetInventory{Provider: rp("host"), Class: placement.VGPU, Inventory: one, Generation: now}, "400 placement.undefined_code"},
		"set one of a class that is unknown": {placement.SetInventory{Provider: rp("host"), Class: "CUSTOM_NONE", Inventory: one, Generation: now}, "404 placement.undefined_code"},
		"add an inventory":                   {placement.AddInventory{Provider: rp("host"), Class: placement.VGPU, Inventory: one, Generation: now}, "201"},
		"add one that is there":              {placement.AddInventory{Provider: rp("host"), Class: placement.VCPU, Inventory: one, Generation: now}, "409 placement.concurrent_update"},
		"add one of a class that is unknown": {placement.AddInventory{Provider: rp("host"), Class: "CUSTOM_NONE", Inventory: one, Generation: now}, "400 placement.undefined_code"},
		"a trait that is unknown":            {placement.SetTraits{Provider: rp("host"), Generation: now, Traits: []placement.Trait{"CUSTOM_NONE"}}, "400 placement.undefined_code"},
		"claim":                              {claim(rp("host"), placement.VCPU, 1), "204"},
		"claim more than there is":           {claim(rp("host"), placement.VCPU, 9), "409 placement.undefined_code"},
		"claim of nobody":                    {claim(none, placement.VCPU, 1), "400 placement.undefined_code"},
		"release what holds nothing":         {placement.DeleteAllocations{Consumer: vm("nobody")}, "404 placement.undefined_code"},
		"release":                            {placement.DeleteAllocations{Consumer: vm("i")}, "204"},
		"reshape nobody":                     {placement.Reshape{Inventories: []placement.SetInventories{{Provider: none}}}, "400 placement.resource_provider.not_found"},
		"a new class":                        {placement.CreateClass{Name: "CUSTOM_B", IfAbsent: true}, "201"},
		"a class that is there":              {placement.CreateClass{Name: "CUSTOM_A", IfAbsent: true}, "204"},
		"a class that is made twice":         {placement.CreateClass{Name: "CUSTOM_A"}, "409 placement.undefined_code"},
		"a class of everybody's":             {placement.CreateClass{Name: placement.VCPU, IfAbsent: true}, "400 placement.undefined_code"},
		"rename a class":                     {placement.RenameClass{Name: "CUSTOM_A", To: "CUSTOM_B"}, "200"},
		"delete a class that is not there":   {placement.DeleteClass{Name: "CUSTOM_B"}, "404 placement.undefined_code"},
		"a trait that is there":              {placement.CreateTrait{Name: "CUSTOM_T"}, "204"},
		"delete a trait":                     {placement.DeleteTrait{Name: "CUSTOM_T"}, "204"},
	} {
		_, _, err := s.Apply(placement.Change{Ops: []placement.Op{tt.op}})
		if got := api.AnswerTo(s, tt.op, err).String(); got != tt.want {
			t.Errorf("%s: %s, want %s (%v)", name, got, tt.want, err)
		}
	}
	for err, want := range map[error]int{placement.ErrUnavailable: 503, placement.ErrUnsupported: 403, errors.New("else"): 500} {
		if got := api.AnswerTo(s, placement.DeleteTrait{}, err); got.Status != want {
			t.Errorf("%v: %s, want %d", err, got, want)
		}
	}
}

// TestRequestsSayTheirAnswers expects each request of a change to say how it will be
// answered.
func TestRequestsSayTheirAnswers(t *testing.T) {
	t.Parallel()
	id := modeltest.ProviderID("host")
	requests, _ := api.Of(cloud.Empty(), []cloud.Op{
		placement.CreateProvider{ID: id, Name: "host"},
		placement.SetInventories{Provider: id, Generation: placement.Generation(0), Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(1)}},
		placement.CreateTrait{Name: "CUSTOM_T"},
		placement.CreateTrait{Name: "CUSTOM_T"},
	})
	want := []int{201, 200, 201, 204}
	if len(requests) != len(want) {
		t.Fatalf("%d requests, want %d", len(requests), len(want))
	}
	for i, r := range requests {
		if r.Answer.Status != want[i] || r.Answer.Code != "" {
			t.Errorf("%s %s is answered with %s, want %d", r.Method, r.Path, r.Answer, want[i])
		}
	}
}
