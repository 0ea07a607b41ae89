package placement_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/placement"
)

// A compute node with a card, a claim on both, and a third claim, for which there is no
// room.
func ExampleSnapshot_Apply() {
	node, _ := placement.ParseProviderID("4e5a3f0e-6c1b-4a57-9c53-8a6f1f1d0001")
	card, _ := placement.ParseProviderID("4e5a3f0e-6c1b-4a57-9c53-8a6f1f1d0002")
	server, _ := placement.ParseConsumerID("9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1")
	other, _ := placement.ParseConsumerID("9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee2")
	at := time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)

	s, _, err := placement.Empty().Apply(placement.Change{At: at, Ops: []placement.Op{
		placement.CreateProvider{ID: node, Name: "compute1"},
		placement.CreateProvider{ID: card, Name: "compute1_pci_0000_84_00_0", Parent: node},
		placement.SetInventories{Provider: node, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VCPU: placement.NewInventory(8),
		}},
		placement.SetInventories{Provider: card, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VGPU: placement.NewInventory(1),
		}},
		placement.SetTraits{Provider: card, Generation: placement.Generation(1), Traits: []placement.Trait{placement.OwnerNova}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}

	claim := func(consumer placement.ConsumerID) placement.Change {
		return placement.Change{At: at, Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
			Consumer: consumer, Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "demo", User: "ana",
			Allocations: placement.Amounts{
				node: {placement.VCPU: 2},
				card: {placement.VGPU: 1},
			},
		}}}}}
	}
	after, records, err := s.Apply(claim(server))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(records), "records to write")
	for p := range after.Providers() {
		for _, inv := range p.Inventories() {
			fmt.Printf("%s (%s): %s %d of %d\n", p.Name(), after.Owner(p), after.ClassName(inv.Class), inv.Used, inv.Capacity())
		}
	}

	_, _, err = after.Apply(claim(other))
	if refused, ok := errors.AsType[*placement.CapacityError](err); ok {
		fmt.Println(refused)
	}
	// Output:
	// 3 records to write
	// compute1 (none): VCPU 2 of 8
	// compute1_pci_0000_84_00_0 (nova): VGPU 1 of 1
	// VGPU on compute1_pci_0000_84_00_0: needs 1, has 0 free of 1
}
