package kinds_test

import (
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// told applies changes and returns the EventSummary of the last one.
func told(t *testing.T, changes ...cloud.Change) kinds.EventSummary {
	t.Helper()
	s := cloud.Empty()
	var ev cloud.Event
	for _, c := range changes {
		c.Actor = "me"
		next, e, err := s.Apply(c)
		must.Succeed(t, err)
		s, ev = next, e
	}
	return kinds.Summarize(s, &ev)
}

func TestTell(t *testing.T) {
	t.Parallel()
	do := func(list ...placement.Op) cloud.Change { return cloud.Change{Note: "a note", Ops: list} }
	host, card := modeltest.ProviderID("host"), modeltest.ProviderID("host_card")
	tree := do(modeltest.Provider{
		Name: "host", Inventories: modeltest.Inventories{placement.VCPU: placement.NewInventory(8), placement.DiskGB: placement.NewInventory(100)},
		Children: []modeltest.Provider{{Name: "host_card", Inventories: modeltest.Inventories{placement.VGPU: placement.NewInventory(8)}}},
	}.Ops(placement.ProviderID{})...)
	vm := modeltest.ConsumerID("vm")
	server := &nova.Instance{UUID: vm, Name: "web-1", Project: "p", User: "u", Host: "host", Flavor: "m1", VMState: nova.Active}
	moving := &nova.Migration{UUID: modeltest.ConsumerID("mig"), Instance: vm, Type: nova.Resize, Status: nova.Finished, Source: "host", Dest: "other"}
	claim := func(vgpu, disk int64) cloud.Change {
		on := map[string]modeltest.Resources{"host": {placement.DiskGB: disk}}
		if vgpu > 0 {
			on["host_card"] = modeltest.Resources{placement.VGPU: vgpu}
		}
		return do(modeltest.Allocate(modeltest.Claim("vm", on)))
	}
	again := func(vgpu int64) cloud.Change {
		c := modeltest.Claim("vm", map[string]modeltest.Resources{"host_card": {placement.VGPU: vgpu}})
		c.Generation = placement.AnyGeneration()
		return do(modeltest.Allocate(c))
	}
	put := func(records ...versioned.Record) cloud.Change {
		c := cloud.Change{Note: "a note"}
		for _, r := range records {
			c.PutRecords(versioned.Change{After: r})
		}
		return c
	}
	inv := func(total, reserved int64) placement.Op {
		i := placement.NewInventory(total)
		i.Reserved = reserved
		return placement.SetInventory{Provider: card, Generation: placement.AnyGeneration(), Class: placement.VGPU, Inventory: i}
	}
	set := func(traits ...placement.Trait) placement.Op {
		return placement.SetTraits{Provider: card, Generation: placement.AnyGeneration(), Traits: traits}
	}
	short := vm.String()[:8] + "..."
	tests := map[string]struct {
		changes []cloud.Change
		want    kinds.EventSummary
	}{
		"providers":    {[]cloud.Change{tree}, kinds.EventSummary{Verb: "rp+", What: "host", Detail: "2 providers"}},
		"provider":     {[]cloud.Change{do(placement.CreateProvider{ID: host, Name: "host"})}, kinds.EventSummary{Verb: "rp+", What: "host", Detail: "provider"}},
		"delete":       {[]cloud.Change{tree, do(placement.DeleteProvider{ID: card})}, kinds.EventSummary{Verb: "rp-", What: "host_card", Detail: "provider"}},
		"rename":       {[]cloud.Change{tree, do(placement.UpdateProvider{ID: card, Name: "host_gpu"})}, kinds.EventSummary{Verb: "name", What: "gpu", Where: "host", Detail: "was host_card"}},
		"reparent":     {[]cloud.Change{tree, do(placement.UpdateProvider{ID: card, Name: "host_card", Reparent: true})}, kinds.EventSummary{Verb: "moved", What: "host_card", Detail: "has another parent"}},
		"total":        {[]cloud.Change{tree, do(inv(10, 0))}, kinds.EventSummary{Verb: "inv", What: "card", Where: "host", Detail: "VGPU total 8>10", Gen: "1>2"}},
		"reserved":     {[]cloud.Change{tree, do(inv(8, 2))}, kinds.EventSummary{Verb: "inv", What: "card", Where: "host", Detail: "VGPU reserved 0>2", Gen: "1>2"}},
		"no inventory": {[]cloud.Change{tree, do(placement.DeleteInventory{Provider: card, Class: placement.VGPU})}, kinds.EventSummary{Verb: "inv-", What: "card", Where: "host", Detail: "VGPU", Gen: "1>2"}},
		"trait":        {[]cloud.Change{tree, do(set(placement.OwnerNova))}, kinds.EventSummary{Verb: "trait+", What: "card", Where: "host", Detail: "OWNER_NOVA"}},
		"trait gone":   {[]cloud.Change{tree, do(set(placement.OwnerNova)), do(set())}, kinds.EventSummary{Verb: "trait-", What: "card", Where: "host", Detail: "OWNER_NOVA"}},
		"traits":       {[]cloud.Change{tree, do(set(placement.OwnerNova)), do(set(placement.OwnerCyborg, placement.ComputeNode))}, kinds.EventSummary{Verb: "traits", What: "card", Where: "host", Detail: "+2 -1"}},
		"aggregates":   {[]cloud.Change{tree, do(placement.SetAggregates{Provider: card, Generation: placement.AnyGeneration(), Aggregates: []placement.AggregateID{modeltest.AggregateID("z")}})}, kinds.EventSummary{Verb: "aggs", What: "card", Where: "host", Detail: "0>1", Gen: "1>2"}},
		"claim":        {[]cloud.Change{tree, claim(2, 20)}, kinds.EventSummary{Verb: "alloc+", What: short, Where: "host", Detail: "VGPU 2"}},
		"plain claim":  {[]cloud.Change{tree, put(server), claim(0, 20)}, kinds.EventSummary{Verb: "alloc+", What: "web-1", Where: "host", Detail: "DISK_GB 20"}},
		"more":         {[]cloud.Change{tree, claim(2, 20), again(3)}, kinds.EventSummary{Verb: "alloc~", What: short, Where: "host", Detail: "VGPU 2>3", Gen: "1>2"}},
		"release":      {[]cloud.Change{tree, claim(2, 20), do(placement.DeleteAllocations{Consumer: vm})}, kinds.EventSummary{Verb: "alloc-", What: short, Where: "host", Detail: "VGPU 2"}},
		"server":       {[]cloud.Change{put(server)}, kinds.EventSummary{Verb: "vm+", What: "web-1", Where: "host", Detail: "active"}},
		"move":         {[]cloud.Change{put(server), put(moving)}, kinds.EventSummary{Verb: "move", What: "web-1", Where: "host > other", Detail: "resize finished"}},
		"class":        {[]cloud.Change{do(placement.CreateClass{Name: "CUSTOM_A"})}, kinds.EventSummary{Verb: "class+", What: "CUSTOM_A"}},
		"custom trait": {[]cloud.Change{do(placement.CreateTrait{Name: "CUSTOM_T"})}, kinds.EventSummary{Verb: "trait+", What: "CUSTOM_T"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			must.Match(t, test.want, told(t, test.changes...))
		})
	}
	t.Run("nothing known", func(t *testing.T) {
		t.Parallel()
		for _, ev := range []cloud.Event{{Note: "a note"}, {Note: "a note", Changes: []versioned.Change{{}}}} {
			if got := kinds.Summarize(cloud.Empty(), &ev); got.Verb != "change" || got.What != "a note" {
				t.Errorf("says %+v", got)
			}
		}
		if got := kinds.Summarize(cloud.Empty(), &cloud.Event{Note: "import", Omitted: 9000}); got.Verb != "bulk" || got.Detail != "9000 records" {
			t.Errorf("says %+v", got)
		}
	})
}

// TestVersionsThatNoAPITells checks that versions judged by the traits of providers, or
// never reported, are not shown.
func TestVersionsThatNoAPITells(t *testing.T) {
	t.Parallel()
	w := modeltest.NewWorld(t)
	w.Compute("judged", 73, func(s *nova.Service) { s.Judged = true }).Compute("said", 74).Compute("silent", 0)
	a := must.Get(kinds.Of(kinds.Services).Get(kinds.Query{At: kinds.At{Snap: w.Snapshot, Now: now}}))(t)
	must.Match(t, [][]string{{"judged", "said", "silent"}, {"", "74", ""}}, [][]string{cells(a, "host"), cells(a, "version")})
}
