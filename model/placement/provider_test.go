package placement_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// forest is two trees: compute1 with two cards, the first of which has a
// function below it, and compute2 with one card.
func forest(t *testing.T) *placement.Snapshot {
	t.Helper()
	return modeltest.Ledger(t, []modeltest.Provider{
		{
			Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: inventory(8)},
			Children: []modeltest.Provider{
				{
					Name: "card1", Inventories: modeltest.Inventories{placement.VGPU: inventory(4)},
					Traits: []placement.Trait{placement.OwnerNova}, Aggregates: []placement.AggregateID{modeltest.AggregateID("zone1")},
					Children: []modeltest.Provider{{Name: "function1"}},
				},
				{Name: "card2"},
			},
		},
		{Name: "compute2", Children: []modeltest.Provider{{Name: "card3"}}},
	}, modeltest.Allocate(modeltest.Claim("vm1", map[string]modeltest.Resources{"card1": {placement.VGPU: 1}})))
}

func TestCreateProvider(t *testing.T) {
	t.Parallel()
	id := modeltest.ProviderID
	create := func(name string, edit ...func(*placement.CreateProvider)) []placement.Op {
		op := placement.CreateProvider{ID: id("x"), Name: name}
		for _, f := range edit {
			f(&op)
		}
		return ops(op)
	}
	below := func(parent string) func(*placement.CreateProvider) {
		return func(op *placement.CreateProvider) { op.Parent = id(parent) }
	}
	with := func(uuid placement.ProviderID) func(*placement.CreateProvider) {
		return func(op *placement.CreateProvider) { op.ID = uuid }
	}
	check(t, forest(t), []rule{
		{name: "a root starts at generation 0", ops: create("x"), then: all(generation("x", 0), placed("x", place{Root: "x"}))},
		{
			name: "a child has the root of its parent, which is not bumped",
			ops:  create("x", below("card1")),
			then: all(
				placed("x", place{Parent: "card1", Root: "compute1"}),
				placed("card1", place{Parent: "compute1", Root: "compute1", Children: []string{"function1", "x"}}),
				generation("card1", 3),
			),
		},
		{name: "it is made at the time of the change", ops: create("x"), then: func(t *testing.T, s *placement.Snapshot) {
			t.Helper()
			if p := provider(t, s, "x"); !p.Created().Equal(modeltest.At(1)) || !p.Updated().Equal(modeltest.At(1)) {
				t.Errorf("created %s, updated %s", p.Created(), p.Updated())
			}
		}},
		{name: "a name of 200 characters", ops: create(strings.Repeat("é", 200))},
		{name: "a name of 201 characters", ops: create(strings.Repeat("é", 201)), want: placement.ErrInvalid, fact: &placement.InvalidError{
			Field: "name", Value: strings.Repeat("é", 32) + "...", Why: "longer than 200 characters",
		}},
		{name: "no name", ops: create(""), want: placement.ErrInvalid},
		{name: "a name that is not valid UTF-8", ops: create("\xff"), want: placement.ErrInvalid},
		{name: "a name that differs in case only", ops: create("COMPUTE1")},
		{
			name: "a name that is taken", ops: create("card3"), want: placement.ErrExists,
			fact: &placement.ExistsError{What: "resource provider", Field: "name", Value: "card3", Holder: id("card3")},
		},
		{
			name: "a uuid that is taken", ops: create("x", with(id("card3"))), want: placement.ErrExists,
			fact: &placement.ExistsError{What: "resource provider", Field: "uuid", Value: id("card3").String(), Holder: id("card3")},
		},
		{name: "no uuid", ops: create("x", with(placement.ProviderID{})), want: placement.ErrInvalid},
		{name: "an unknown parent", ops: create("x", below("nobody")), want: placement.ErrInvalid},
		{name: "itself as parent", ops: create("x", below("x")), want: placement.ErrInvalid},
	})
}

func TestUpdateProvider(t *testing.T) {
	t.Parallel()
	id := modeltest.ProviderID
	rename := func(name, to string) placement.Op { return placement.UpdateProvider{ID: id(name), Name: to} }
	move := func(name, parent string) placement.Op {
		op := placement.UpdateProvider{ID: id(name), Name: name, Reparent: true}
		if parent != "" {
			op.Parent = id(parent)
		}
		return op
	}
	check(t, forest(t), []rule{
		{
			name: "a rename changes neither generation nor place",
			ops:  ops(rename("card1", "gpu1")),
			then: all(generation("card1", 3), placed("card1", place{Parent: "compute1", Root: "compute1", Children: []string{"function1"}}), func(t *testing.T, s *placement.Snapshot) {
				t.Helper()
				if p, ok := s.ProviderByName("gpu1"); !ok || p.ID() != id("card1") || !p.Updated().Equal(modeltest.At(1)) || !p.Created().Equal(modeltest.At(0)) {
					t.Errorf("found by name: %t", ok)
				}
				if _, ok := s.ProviderByName("card1"); ok {
					t.Error("still found by the old name")
				}
			}),
		},
		{name: "the name it has", ops: ops(rename("card1", "card1"))},
		{name: "a name that is taken", ops: ops(rename("card1", "card2")), want: placement.ErrExists},
		{name: "no name", ops: ops(rename("card1", "")), want: placement.ErrInvalid},
		{name: "an unknown provider", ops: ops(rename("nobody", "x")), want: placement.ErrNotFound},
		{
			name: "a root becomes a child, its whole tree gets the other root",
			ops:  ops(move("compute1", "card3")),
			then: all(
				placed("compute1", place{Parent: "card3", Root: "compute2", Children: []string{"card1", "card2"}}),
				placed("card1", place{Parent: "compute1", Root: "compute2", Children: []string{"function1"}}),
				placed("function1", place{Parent: "card1", Root: "compute2"}),
				placed("card3", place{Parent: "compute2", Root: "compute2", Children: []string{"compute1"}}),
				generation("compute1", 1), generation("card3", 0), generation("function1", 0),
				used("card1", placement.VGPU, 1),
			),
		},
		{
			name: "a child moves to another tree",
			ops:  ops(move("card1", "compute2")),
			then: all(
				placed("compute1", place{Root: "compute1", Children: []string{"card2"}}),
				placed("compute2", place{Root: "compute2", Children: []string{"card1", "card3"}}),
				placed("function1", place{Parent: "card1", Root: "compute2"}),
			),
		},
		{
			name: "a child moves within its tree",
			ops:  ops(move("card1", "card2")),
			then: all(
				placed("card1", place{Parent: "card2", Root: "compute1", Children: []string{"function1"}}),
				placed("compute1", place{Root: "compute1", Children: []string{"card2"}}),
			),
		},
		{
			name: "a child becomes a root",
			ops:  ops(move("card1", "")),
			then: all(
				placed("card1", place{Root: "card1", Children: []string{"function1"}}),
				placed("function1", place{Parent: "card1", Root: "card1"}),
			),
		},
		{name: "to where it is", ops: ops(move("card1", "compute1"))},
		{name: "a root stays a root", ops: ops(move("compute1", ""))},
		{name: "without Reparent the parent stays", ops: ops(rename("card1", "gpu1")), then: placed("function1", place{Parent: "gpu1", Root: "compute1"})},
		{name: "below itself", ops: ops(move("card1", "card1")), want: placement.ErrInvalid},
		{name: "below its child", ops: ops(move("card1", "function1")), want: placement.ErrInvalid},
		{name: "below its grandchild", ops: ops(move("compute1", "function1")), want: placement.ErrInvalid, fact: &placement.InvalidError{
			Field: "parent_provider_uuid", Value: id("function1").String(),
			Why: "creating loop in the provider tree is not allowed: it is function1, at or below compute1",
		}},
		{name: "below an unknown provider", ops: ops(move("card1", "nobody")), want: placement.ErrInvalid},
		{
			name: "renamed and moved at once",
			ops:  ops(placement.UpdateProvider{ID: id("card1"), Name: "gpu1", Reparent: true, Parent: id("compute2")}),
			then: placed("function1", place{Parent: "gpu1", Root: "compute2"}),
		},
		{
			name: "a bad name keeps it from moving",
			ops:  ops(placement.UpdateProvider{ID: id("card1"), Name: "card2", Reparent: true, Parent: id("compute2")}), want: placement.ErrExists,
		},
	})
}

func TestDeleteProvider(t *testing.T) {
	t.Parallel()
	id := modeltest.ProviderID
	del := func(name string) placement.Op { return placement.DeleteProvider{ID: id(name)} }
	check(t, forest(t), []rule{
		{
			name: "with its inventories, traits and aggregates",
			ops:  ops(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm1")}, del("function1"), del("card1")),
			then: func(t *testing.T, s *placement.Snapshot) {
				t.Helper()
				class, _ := s.ClassID(placement.VGPU)
				trait, _ := s.TraitID(placement.OwnerNova)
				must.Be(t, s.WithClass(class).Len()+s.WithTrait(trait).Len()+s.InAggregate(modeltest.AggregateID("zone1")).Len(), 0)
				for a := range s.Aggregates() {
					t.Errorf("aggregate %s is listed without members", a)
				}
				placed("compute1", place{Root: "compute1", Children: []string{"card2"}})(t, s)
			},
		},
		{
			name: "one with children", ops: ops(del("compute1")), want: placement.ErrInUse,
			fact: &placement.InUseError{What: "resource provider", Name: "compute1", Children: []string{"card1", "card2"}},
		},
		{
			name: "one with children and allocations: the children are named", ops: ops(del("card1")), want: placement.ErrInUse,
			fact: &placement.InUseError{What: "resource provider", Name: "card1", Children: []string{"function1"}},
		},
		{
			name: "one with allocations", ops: ops(del("function1"), del("card1")), want: placement.ErrInUse,
			fact: &placement.InUseError{What: "resource provider", Name: "card1", Consumers: []placement.ConsumerID{modeltest.ConsumerID("vm1")}},
		},
		{name: "an unknown one", ops: ops(del("nobody")), want: placement.ErrNotFound},
		{name: "one twice", ops: ops(del("function1"), del("function1")), want: placement.ErrNotFound},
		{
			name: "its number is given to the next one, and nothing else of it",
			ops:  ops(placement.DeleteAllocations{Consumer: modeltest.ConsumerID("vm1")}, del("function1"), del("card1"), placement.CreateProvider{ID: id("x"), Name: "x"}),
			then: func(t *testing.T, s *placement.Snapshot) {
				t.Helper()
				x := provider(t, s, "x")
				if x.Number() >= 6 || x.Generation() != 0 || len(x.Inventories())+len(x.TraitIDs())+len(x.Aggregates()) != 0 || s.HasConsumers(x) {
					t.Errorf("number %d, generation %d, inventories %v", x.Number(), x.Generation(), x.Inventories())
				}
			},
		},
		{name: "its name is free again", ops: ops(del("card3"), placement.CreateProvider{ID: id("x"), Name: "card3"}), then: placed("x", place{Root: "card3"})},
		{name: "its uuid is free again", ops: ops(del("card3"), placement.CreateProvider{ID: id("card3"), Name: "x"}), then: placed("card3", place{Root: "x"})},
	})
}

// The error names the consumers that keep a provider from being deleted, at most ten of
// them.
func TestDeleteProviderNamesTen(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []modeltest.Provider{{Name: "p", Inventories: modeltest.Inventories{placement.VCPU: inventory(100)}}})
	for i := range 13 {
		s = modeltest.Apply(t, s, modeltest.Allocate(modeltest.Claim(fmt.Sprint("vm", i), map[string]modeltest.Resources{"p": {placement.VCPU: 1}})))
	}
	_, _, err := s.Apply(placement.Change{Ops: ops(placement.DeleteProvider{ID: modeltest.ProviderID("p")})})
	var use *placement.InUseError
	if !errors.As(err, &use) || len(use.Consumers) != 10 || use.More != 3 {
		t.Fatalf("%+v", use)
	}
	if want := "resource provider p is in use by allocations of 13 consumers ("; !strings.HasPrefix(use.Error(), want) {
		t.Errorf("%s, want %s...", use, want)
	}
}

func TestReadingTheTree(t *testing.T) {
	t.Parallel()
	s := forest(t)
	var names, roots, tree []string
	for p := range s.Providers() {
		names = append(names, p.Name())
	}
	for p := range s.Roots() {
		roots = append(roots, p.Name())
	}
	for depth, p := range s.Tree(provider(t, s, "compute1")) {
		tree = append(tree, fmt.Sprint(depth, " ", p.Name()))
	}
	for _, tt := range []struct{ want, got []string }{
		{[]string{"card1", "card2", "card3", "compute1", "compute2", "function1"}, names},
		{[]string{"compute1", "compute2"}, roots},
		{[]string{"0 compute1", "1 card1", "2 function1", "1 card2"}, tree},
	} {
		must.Match(t, tt.want, tt.got)
	}
	for range s.Tree(provider(t, s, "compute1")) {
		break // stopping early is fine, here and below
	}
	for range s.Roots() {
		break
	}
	card := provider(t, s, "card1")
	if up, ok := card.ParentNumber(); !ok || s.ProviderAt(up).Name() != "compute1" || s.ProviderAt(card.RootNumber()).Name() != "compute1" {
		t.Error("the numbers lead elsewhere")
	}
	if _, ok := provider(t, s, "compute1").ParentNumber(); ok {
		t.Error("a root has a parent")
	}
	if s.AllProviders().Len() != 6 || s.RootSet().Len() != 2 || s.ProviderCount() != 6 || s.NumberBound() < 6 {
		t.Error("the counts are wrong")
	}
	if _, ok := s.Provider(modeltest.ProviderID("nobody")); ok {
		t.Error("nobody is found")
	}
	if _, ok := s.ProviderByName("nobody"); ok {
		t.Error("nobody is found by name")
	}
}

func TestSetAggregates(t *testing.T) {
	t.Parallel()
	zone1, zone2 := modeltest.AggregateID("zone1"), modeltest.AggregateID("zone2")
	set := func(op placement.SetAggregates, aggs ...placement.AggregateID) []placement.Op {
		op.Provider, op.Aggregates = modeltest.ProviderID("card1"), aggs
		return ops(op)
	}
	anyGeneration := placement.SetAggregates{Generation: placement.AnyGeneration()}
	quiet := placement.SetAggregates{Generation: placement.AnyGeneration(), KeepGeneration: true}
	in := func(want ...placement.AggregateID) func(*testing.T, *placement.Snapshot) {
		return func(t *testing.T, s *placement.Snapshot) {
			t.Helper()
			p := provider(t, s, "card1")
			var listed []placement.AggregateID
			for a, members := range s.Aggregates() {
				if members.Has(p.Number()) && p.InAggregate(a) {
					listed = append(listed, a)
				}
			}
			slices.SortFunc(want, placement.AggregateID.Compare)
			must.Match(t, [][]placement.AggregateID{want, want}, [][]placement.AggregateID{listed, p.Aggregates()})
		}
	}
	check(t, forest(t), []rule{
		{name: "the whole set is replaced", ops: set(placement.SetAggregates{Generation: placement.Generation(3)}, zone2), then: all(in(zone2), generation("card1", 4))},
		{name: "an aggregate exists as soon as one is in it", ops: set(anyGeneration, zone2, zone1), then: in(zone1, zone2)},
		{name: "the same set bumps too", ops: set(anyGeneration, zone1), then: all(in(zone1), generation("card1", 4))},
		{name: "unless the generation is to be kept", ops: set(quiet, zone2), then: all(in(zone2), generation("card1", 3))},
		{name: "the same set, generation kept, is nothing", ops: set(quiet, zone1), then: generation("card1", 3)},
		{name: "a stale generation", ops: set(placement.SetAggregates{Generation: placement.Generation(2)}, zone1), want: placement.ErrConflict},
		{name: "no generation", ops: set(placement.SetAggregates{}, zone1), want: placement.ErrInvalid},
		{name: "one given twice", ops: set(anyGeneration, zone1, zone1), want: placement.ErrInvalid},
		{name: "the nil uuid", ops: set(anyGeneration, placement.AggregateID{}), want: placement.ErrInvalid},
		{name: "an unknown provider", ops: ops(placement.SetAggregates{Provider: modeltest.ProviderID("x"), Generation: placement.AnyGeneration()}), want: placement.ErrNotFound},
	})
}
