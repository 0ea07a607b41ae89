package storagetest

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Number returns the uuid that stands for n in tests.
func Number(n uint64) uuid.UUID {
	var u uuid.UUID
	binary.BigEndian.PutUint64(u[8:], n)
	u[6], u[8] = 0x40, u[8]&0x3f|0x80
	return u
}

// Provider returns the id of the n-th provider in tests.
func Provider(n uint64) placement.ProviderID { return placement.ProviderID(Number(n)) }

// Consumer returns the id of the n-th consumer in tests.
func Consumer(n uint64) placement.ConsumerID { return placement.ConsumerID(Number(n)) }

// Resources is an amount of each class.
type Resources = map[placement.ResourceClass]int64

// Host returns the operations that create a compute node with the given VCPUs and a card
// below it with the given VGPUs, as providers n and n+1.
func Host(n uint64, vcpus, vgpus int64) []placement.Op {
	root, card := Provider(n), Provider(n+1)
	name := fmt.Sprintf("cmp-%05d", n)
	return []placement.Op{
		placement.CreateProvider{ID: root, Name: name},
		placement.CreateProvider{ID: card, Name: name + "_pci_0000_41_00_0", Parent: root},
		placement.SetInventories{Provider: root, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VCPU: placement.NewInventory(vcpus), placement.MemoryMB: placement.NewInventory(vcpus * 4096),
		}},
		placement.SetInventories{Provider: card, Generation: placement.Generation(0), Inventories: map[placement.ResourceClass]placement.Inventory{
			placement.VGPU: placement.NewInventory(vgpus),
		}},
		placement.SetTraits{Provider: card, Generation: placement.Generation(1), Traits: []placement.Trait{placement.OwnerNova}},
	}
}

// Claim returns the change with which consumer n, which must be new, claims resources of
// a provider.
func Claim(n uint64, on placement.ProviderID, amounts Resources) cloud.Change {
	return cloud.Change{Actor: "tester", Note: "claim", Ops: []placement.Op{placement.ReplaceAllocations{Consumers: []placement.Claim{{
		Consumer: Consumer(n), Generation: placement.NewConsumer(), Type: placement.InstanceConsumer, Project: "project", User: "user",
		Allocations: map[placement.ProviderID]map[placement.ResourceClass]int64{on: amounts},
	}}}}}
}

// Instance returns the instance of consumer n.
func Instance(n uint64) *nova.Instance {
	return &nova.Instance{
		UUID: Consumer(n), Name: fmt.Sprintf("vm-%d", n), Project: "project", User: "user",
		Host: "cmp-00001", Flavor: "vgpu.small", VMState: nova.Active, Created: Start.UnixMilli(),
	}
}

// applied applies c, which must be accepted.
func applied(tb testing.TB, s cloud.Writer, c cloud.Change) cloud.Commit {
	tb.Helper()
	done, err := s.Apply(tb.Context(), c).Result()
	if err != nil {
		tb.Fatalf("apply: %v", err)
	}
	return done
}

// host makes one host with the given units in s and returns its provider.
func host(tb testing.TB, s cloud.Writer, vcpus, vgpus int64) placement.ProviderID {
	tb.Helper()
	applied(tb, s, cloud.Change{Actor: "tester", Note: "host", Ops: Host(1, vcpus, vgpus)})
	return Provider(1)
}

// used returns how much of class is in use on a provider.
func used(tb testing.TB, s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass) int64 {
	tb.Helper()
	p, ok := s.Placement().Provider(id)
	if !ok {
		tb.Fatalf("no provider %s", id)
	}
	n, _ := s.Placement().ClassID(class)
	iu, ok := p.Inventory(n)
	if !ok {
		tb.Fatalf("no inventory of %s on %s", class, p.Name())
	}
	return iu.Used
}
