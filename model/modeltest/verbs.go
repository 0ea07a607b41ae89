package modeltest

import (
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/operator"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Verbs tells a short story with every verb of every ledger in it, from an empty cloud
// on: done in their order each of them is accepted, and alters something.
func Verbs() []cloud.Op {
	return slices.Concat(placementVerbs(), novaVerbs(), cyborgVerbs(), []cloud.Op{
		operator.Acknowledge{Acknowledgement: operator.Acknowledgement{Rule: "a02", Subject: "h", Note: "known", By: "ops", At: 1}},
		operator.Unacknowledge{Rule: "a02", Subject: "h"},
		operator.MuteRule{Mute: operator.Mute{Rule: "a02", By: "ops", At: 1}},
		operator.UnmuteRule{Rule: "a02"},
		operator.LimitJournal{Revisions: new(int64(1000))},
	})
}

// placementVerbs are about the host h, its card, and a pool.
func placementVerbs() []cloud.Op {
	any, h, card := placement.AnyGeneration(), ProviderID("h"), ProviderID("h_0000:af:00.0")
	vcpu := Inventories{placement.VCPU: placement.NewInventory(8)}
	claim := func(n int64) placement.Op {
		c := placement.Claim{Consumer: ConsumerID("vm"), Generation: any, Type: placement.InstanceConsumer, Project: "p", User: "u"}
		if n > 0 {
			c.Allocations = map[placement.ProviderID]Resources{h: {placement.VCPU: n}}
		}
		return placement.ReplaceAllocations{Consumers: []placement.Claim{c}}
	}
	return []cloud.Op{
		placement.CreateClass{Name: "CUSTOM_A"},
		placement.RenameClass{Name: "CUSTOM_A", To: "CUSTOM_B"},
		placement.DeleteClass{Name: "CUSTOM_B"},
		placement.CreateTrait{Name: "CUSTOM_T"},
		placement.CreateProvider{ID: h, Name: "host"},
		placement.UpdateProvider{ID: h, Name: "h"},
		placement.CreateProvider{ID: card, Name: "h_0000:af:00.0", Parent: h},
		placement.SetInventories{Provider: h, Generation: any, Inventories: vcpu},
		placement.AddInventory{Provider: h, Generation: any, Class: placement.DiskGB, Inventory: placement.NewInventory(10)},
		placement.SetInventory{Provider: h, Generation: any, Class: placement.DiskGB, Inventory: placement.NewInventory(20)},
		placement.DeleteInventory{Provider: h, Class: placement.DiskGB},
		placement.SetTraits{Provider: h, Generation: any, Traits: []placement.Trait{"CUSTOM_T"}},
		placement.SetTraits{Provider: h, Generation: any},
		placement.DeleteTrait{Name: "CUSTOM_T"},
		placement.SetAggregates{Provider: h, Generation: any, Aggregates: []placement.AggregateID{AggregateID("az")}},
		claim(2),
		placement.DeleteAllocations{Consumer: ConsumerID("vm")},
		placement.Reshape{Inventories: []placement.SetInventories{{Provider: h, Generation: any, Inventories: Inventories{placement.VCPU: placement.NewInventory(16)}}}},
		placement.DeleteProvider{ID: card},
	}
}

// novaVerbs are about nova-compute on the host h, a flavor, and an instance that moves.
func novaVerbs() []cloud.Op {
	const h = "h"
	az, node, vm, move := AggregateID("az"), ProviderID(h), ConsumerID("vm"), ConsumerID("move")
	active, prep := nova.InstanceState{VM: nova.Active}, nova.InstanceState{VM: nova.Active, Task: nova.ResizePrep}
	free, taken := nova.Hand{Status: "available"}, nova.Hand{Status: "allocated", Instance: vm}
	root := nova.OwnerOnRoot
	return []cloud.Op{
		nova.Configure{OwnerFilter: &root},
		nova.CreateCell{Name: "cell1"},
		nova.StartService{Host: h, Binary: nova.Compute, Cell: "cell1", Version: 66},
		nova.ReportState{Host: h, Binary: nova.Compute, Every: time.Minute},
		nova.UpgradeService{Host: h, Binary: nova.Compute, Version: 73},
		nova.DisableService{Host: h, Binary: nova.Compute, Reason: "new fans"},
		nova.EnableService{Host: h, Binary: nova.Compute},
		nova.ForceDownService{Host: h, Binary: nova.Compute, Down: true},
		nova.ForceDownService{Host: h, Binary: nova.Compute},
		nova.CreateAggregate{UUID: az, Name: "az"},
		nova.SetAggregateMetadata{Aggregate: az, Metadata: nova.KeyEdits{Set: map[string]string{"availability_zone": "az"}}},
		nova.AddAggregateHost{Aggregate: az, Host: h},
		nova.RemoveAggregateHost{Aggregate: az, Host: h},
		nova.DeleteAggregate{Aggregate: az},
		nova.CreateFlavor{Flavor: &nova.Flavor{Name: "m1", FlavorID: "1", VCPUs: 1, MemoryMB: 256}},
		nova.SetExtraSpecs{Flavor: "m1", ExtraSpecs: nova.KeyEdits{Set: map[string]string{"hw:cpu_policy": "dedicated"}}},
		nova.DisableFlavor{Flavor: "m1", Disabled: true},
		nova.ReportComputeNode{Node: &nova.ComputeNode{UUID: node, Host: h, Hostname: h}},
		nova.ReportPciDevice{Device: &nova.PciDevice{ComputeNode: node, Address: "0000:af:00.0", VendorID: "10de", ProductID: "1eb8", DevType: "type-PCI", Status: free.Status}},
		nova.CreateInstance{Instance: &nova.Instance{UUID: vm, Name: "vm", Project: "p", User: "u", Flavor: "m1", VMState: nova.Building}},
		nova.PlaceInstance{Instance: vm, To: nova.Location{Host: h, Flavor: "m1"}},
		nova.SetInstanceState{Instance: vm, From: nova.InstanceState{VM: nova.Building}, To: active},
		nova.PassPciDevice{ComputeNode: node, Address: "0000:af:00.0", From: free, To: taken},
		nova.PassPciDevice{ComputeNode: node, Address: "0000:af:00.0", From: taken, To: free},
		nova.RemovePciDevice{ComputeNode: node, Address: "0000:af:00.0"},
		nova.CreateMigration{Migration: &nova.Migration{UUID: move, Instance: vm, Type: nova.ColdMigration, Status: nova.PreMigrating, Source: h}},
		nova.SetInstanceState{Instance: vm, From: active, To: prep},
		nova.PlaceMigration{Migration: move, To: "h2"},
		nova.SetMigrationStatus{Migration: move, From: nova.PreMigrating, To: nova.Cancelled, Fault: "no room"},
		nova.SetInstanceState{Instance: vm, From: prep, To: nova.InstanceState{VM: nova.Deleted}},
		nova.DeleteFlavor{Flavor: "m1"},
		nova.DeleteService{Host: h, Binary: nova.Compute},
	}
}

// cyborgVerbs are about a card of the host h, and two requests for it.
func cyborgVerbs() []cloud.Op {
	device, part := WorldUUID("device"), WorldUUID("part")
	card, vm, other := ProviderID("h_0000:af:00.0"), ConsumerID("vm"), ConsumerID("other")
	of := func(owner placement.ConsumerID) []uuid.UUID { return []uuid.UUID{cyborg.ARQID(owner, 0, 0)} }
	create := func(owner placement.ConsumerID) cloud.Op {
		return cyborg.CreateARQs{Profile: "dp", Owner: owner, Project: "p"}
	}
	bind := func(owner placement.ConsumerID) cloud.Op {
		return cyborg.StartBind{ARQs: of(owner), Instance: owner, Host: "h", Mappings: map[string][]placement.ProviderID{cyborg.GroupSuffix(0): {card}}}
	}
	return []cloud.Op{
		cyborg.CreateDeviceProfile{Profile: &cyborg.DeviceProfile{Name: "dp", Groups: []map[string]string{{"resources:VGPU": "1"}}}},
		cyborg.ReportDevice{
			Device:      &cyborg.Device{UUID: device, Type: cyborg.GPU, Vendor: "10de", Model: "T4", Hostname: "h"},
			ControlPath: &cyborg.ControlPath{UUID: WorldUUID("path"), Device: device, Type: "PCI", Info: "{}"},
		},
		cyborg.ReportDeployable{
			Deployable: &cyborg.Deployable{UUID: part, Device: device, Name: "h_0000:af:00.0", Accelerators: 1, Provider: card},
			Attributes: map[string]string{"rc": string(placement.VGPU)},
			Handles:    []*cyborg.AttachHandle{{UUID: WorldUUID("handle"), Deployable: part, Type: cyborg.AttachMdev}},
		},
		cyborg.DisableDevice{Device: device},
		cyborg.EnableDevice{Device: device},
		create(vm), bind(vm),
		cyborg.FinishBind{Instance: vm},
		cyborg.Rekey{ARQs: of(vm), To: other},
		cyborg.FailUnbind{ARQs: of(vm), Why: "busy"},
		cyborg.ForceUnbind{ARQs: of(vm)},
		cyborg.DeleteARQs{ARQs: of(vm)},
		create(other), bind(other),
		cyborg.FailBind{ARQs: of(other), Why: "no answer"},
		cyborg.Unbind{ARQs: of(other)},
		bind(other),
		cyborg.DeleteARQs{ARQs: of(other)},
		cyborg.DeleteDeviceProfile{Profile: "dp"},
		putHandle(part, true), putHandle(part, false),
		cyborg.RemoveDeployable{Deployable: part},
		cyborg.RemoveDevice{Device: device},
	}
}

// putHandle marks the attach handle, which no request has, as in use or as free.
func putHandle(part uuid.UUID, inUse bool) cloud.Op {
	h := &cyborg.AttachHandle{UUID: WorldUUID("handle"), Deployable: part, Type: cyborg.AttachMdev, InUse: !inUse}
	return cyborg.PutRecords{Records: []versioned.Change{{Before: h, After: h.Edit(func(h *cyborg.AttachHandle) { h.InUse = inUse })}}}
}
