package placement

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/internal/ordered"
	"github.com/placetop/placetop/model/modeltest/must"
)

// Check finds each kind of damage. No operation can cause it, so the test reaches into
// the Snapshot.
func TestCheckFindsDamage(t *testing.T) {
	t.Parallel()
	id := func(n byte) ProviderID { return ProviderID{15: n} }
	vm, zone := ConsumerID{15: 9}, AggregateID{15: 8}
	build := func() *Snapshot {
		s, _, err := Empty().Apply(Change{At: time.Unix(1, 0), Ops: []Op{
			CreateClass{Name: "CUSTOM_A"},
			CreateTrait{Name: "CUSTOM_T"},
			CreateProvider{ID: id(1), Name: "root"},
			CreateProvider{ID: id(2), Name: "child", Parent: id(1)},
			CreateProvider{ID: id(3), Name: "other"},
			CreateProvider{ID: id(4), Name: "gone"},
			DeleteProvider{ID: id(4)},
			SetInventories{Provider: id(1), Generation: AnyGeneration(), Inventories: map[ResourceClass]Inventory{
				VCPU: NewInventory(8), "CUSTOM_A": NewInventory(8),
			}},
			SetTraits{Provider: id(1), Generation: AnyGeneration(), Traits: []Trait{OwnerNova, "CUSTOM_T"}},
			SetAggregates{Provider: id(1), Generation: AnyGeneration(), Aggregates: []AggregateID{zone}},
			ReplaceAllocations{Consumers: []Claim{{
				Consumer: vm, Generation: NewConsumer(), Project: "p", User: "u",
				Allocations: map[ProviderID]map[ResourceClass]int64{id(1): {VCPU: 2, "CUSTOM_A": 1}},
			}}},
		}})
		must.Succeed(t, err)
		return s
	}
	if errs := build().Check(); len(errs) != 0 {
		t.Fatalf("undamaged: %v", errs)
	}
	root := func(s *Snapshot) *ResourceProvider { p, _ := s.Provider(id(1)); return p }
	child := func(s *Snapshot) *ResourceProvider { p, _ := s.Provider(id(2)); return p }
	other := func(s *Snapshot) *ResourceProvider { p, _ := s.Provider(id(3)); return p }
	consumer := func(s *Snapshot) *Consumer { c, _ := s.Consumer(vm); return c }
	for _, tt := range []struct {
		name   string
		damage func(s *Snapshot)
		want   string // part of an error
	}{
		{"usage", func(s *Snapshot) { root(s).inventories[0].Used++ }, "used 3, the allocations add up to 2"},
		{"consumer without allocations", func(s *Snapshot) { consumer(s).allocations = nil }, "holds nothing"},
		{"allocation of nothing", func(s *Snapshot) { consumer(s).allocations[0].used = 0 }, "holds 0 of class 0"},
		{"allocations out of order", func(s *Snapshot) { slices.Reverse(consumer(s).allocations) }, "allocations out of order"},
		{"allocation without inventory", func(s *Snapshot) { consumer(s).allocations[0].class = 5 }, "but no inventory"},
		{"holding lost", func(s *Snapshot) { s.holdings = ordered.NewSet(0, func(a, b numbered) bool { return false }) }, "is not listed on provider"},
		{"holding of nobody", func(s *Snapshot) { s.holdings.Set(numbered{7, uuid.UUID(vm)}) }, "2 consumers are listed on providers, 1 hold"},
		{"class by name", func(s *Snapshot) { s.classIDs.Set("CUSTOM_A", 10001) }, "class CUSTOM_A: number 10001 by name, 10000 by number"},
		{"class without number", func(s *Snapshot) { s.classIDs.Set("CUSTOM_B", 10001) }, "classes and"},
		{"class without name", func(s *Snapshot) { s.classIndex.Set(10000, &index{of: s.WithClass(10000)}) }, "which has no name"},
		{"trait by name", func(s *Snapshot) { s.traitIDs.Delete("CUSTOM_T") }, "trait CUSTOM_T: number 0 by name"},
		{"trait without name", func(s *Snapshot) { s.traitIndex.Set(10000, &index{of: s.WithTrait(10000)}) }, "which has no name"},
		{"uuid lost", func(s *Snapshot) { s.byID.Delete(numbered{id: uuid.UUID(id(3))}) }, "found by name but not by uuid"},
		{"name lost", func(s *Snapshot) { s.byName.Delete("other") }, "2 providers by name, 3 by uuid"},
		{"name of another", func(s *Snapshot) { s.byName.Set("other", child(s).number) }, "2 below the roots; 1 roots, 2 in the set"},
		{"name changed", func(s *Snapshot) { other(s).name = "x" }, "listed by name under another"},
		{"set of all", func(s *Snapshot) { s.all.remove(int(other(s).number), new(owner)) }, "the sets of providers and roots do not agree with it"},
		{"set of roots", func(s *Snapshot) { s.roots.remove(int(other(s).number), new(owner)) }, "the sets of providers and roots do not agree with it"},
		{"free number in use", func(s *Snapshot) { s.free.add(int(other(s).number), new(owner)) }, "is both in use and free"},
		{"root of a root", func(s *Snapshot) { root(s).root = other(s).number }, "another provider as its root"},
		{"root of a child", func(s *Snapshot) { child(s).root = other(s).number }, "its parent does not list it as a child"},
		{"parent", func(s *Snapshot) { child(s).parent = other(s).number }, "lists a child that is not its own"},
		{"children", func(s *Snapshot) { root(s).children = nil }, "its parent does not list it as a child"},
		{"loop", func(s *Snapshot) {
			p, c := other(s), child(s)
			root(s).children = nil
			p.parent, p.root, p.children = c.number, c.root, []uint32{c.number}
			c.parent, c.children = p.number, []uint32{p.number}
		}, "below the roots"},
		{"inventories out of order", func(s *Snapshot) { slices.Reverse(root(s).inventories) }, "out of order"},
		{"traits out of order", func(s *Snapshot) { slices.Reverse(root(s).traits) }, "out of order"},
		{"class index lost", func(s *Snapshot) { s.classIndex.Delete(0) }, "is missing from the set of VCPU"},
		{"class index stale", func(s *Snapshot) {
			set := s.WithClass(0)
			set.add(int(child(s).number), new(owner))
			s.classIndex.Set(0, &index{of: set})
		}, "class VCPU: 1 providers have it, 2 are in its set"},
		{"class index of a class that nobody has", func(s *Snapshot) { s.classIndex.Set(3, &index{of: s.all}) }, "class PCI_DEVICE: 0 providers have it, 3 are in its set"},
		{"trait index lost", func(s *Snapshot) { s.traitIndex.Set(10000, &index{name: "CUSTOM_T"}) }, "is missing from the set of CUSTOM_T"},
		{"trait index stale", func(s *Snapshot) { s.traitIndex.Set(3, &index{of: s.all}) }, "0 providers have it, 3 are in its set"},
		{"aggregate index lost", func(s *Snapshot) { s.aggregateIDs = ordered.NewSet(0, func(a, b numbered) bool { return false }) }, "is missing from the set of aggregate"},
		{"aggregate index stale", func(s *Snapshot) { s.aggregateIndex.Set(1, &index{of: s.all}) }, "1 providers are in it, 3 are in its set"},
		{"aggregate index of no aggregate", func(s *Snapshot) { s.aggregateIndex.Set(7, &index{of: s.all}) }, "1 aggregates by uuid, 2 by number"},
		{"aggregate without members", func(s *Snapshot) { s.aggregateIDs.Set(numbered{7, uuid.UUID{1}}) }, "0 providers are in it, 0 are in its set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := build()
			tt.damage(s)
			errs := s.Check()
			if !slices.ContainsFunc(errs, func(err error) bool { return strings.Contains(err.Error(), tt.want) }) {
				t.Errorf("%v, want one with %q", errs, tt.want)
			}
		})
	}
}
