package placement_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// wantLoad fails unless Load does the same with records as PutRecords on an empty ledger:
// the same records result, or both refuse them.
func wantLoad(t rapid.TB, records []versioned.Record) *placement.Snapshot {
	t.Helper()
	want, _, wantErr := placement.Empty().Apply(placement.Change{Ops: ops(put(fill(records)...))})
	got, err := placement.Load(slices.Clone(records))
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("Load says %v, PutRecords %v", err, wantErr)
	}
	if err != nil {
		return nil
	}
	for _, err := range got.Check() {
		t.Errorf("check: %v", err)
	}
	if d := modeltest.Diff(modeltest.Records(want), modeltest.Records(got)); d != "" {
		t.Errorf("records (-PutRecords +Load):\n%s", d)
	}
	return got
}

func TestLoad(t *testing.T) {
	t.Parallel()
	records, _ := modeltest.Size{Hosts: 20, Traits: 42, Cards: 2, Servers: 5}.Records()
	t.Run("in the order of records", func(t *testing.T) {
		t.Parallel()
		s := wantLoad(t, records)
		if d := modeltest.Diff(records, modeltest.Records(s)); d != "" {
			t.Errorf("other records come out (-in +out):\n%s", d)
		}
	})
	t.Run("in any order", func(t *testing.T) {
		t.Parallel()
		rng := rand.New(rand.NewPCG(1, 2))
		shuffled := slices.Clone(records)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		wantLoad(t, shuffled)
	})
	t.Run("nothing", func(t *testing.T) {
		t.Parallel()
		wantLoad(t, nil)
	})
	t.Run("changes afterwards leave it as it was", func(t *testing.T) {
		t.Parallel()
		s := wantLoad(t, records)
		before := modeltest.Records(s)
		for p := range s.Providers() {
			if !p.IsRoot() {
				modeltest.Apply(t, s, placement.SetTraits{Provider: p.ID(), Generation: placement.AnyGeneration()},
					modeltest.Allocate(modeltest.Claim("new", map[string]modeltest.Resources{})))
			}
		}
		for c := range s.Consumers() {
			modeltest.Apply(t, s, placement.DeleteAllocations{Consumer: c.ID()})
		}
		if d := modeltest.Diff(before, modeltest.Records(s)); d != "" {
			t.Errorf("changed:\n%s", d)
		}
	})
}

// Load refuses what PutRecords refuses.
func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	id := modeltest.ProviderID
	root, child, other := id("root"), id("child"), id("other")
	none := placement.ProviderID{}
	fresh := func() []versioned.Record {
		return []versioned.Record{
			&placement.ClassRecord{ID: 10000, Name: "CUSTOM_A"},
			&placement.TraitRecord{ID: 10000, Name: "CUSTOM_T"},
			&placement.ProviderRecord{UUID: root, Name: "root", Inventories: modeltest.Inventories{placement.VCPU: inventory(4), "CUSTOM_A": inventory(1)}},
			&placement.ProviderRecord{UUID: child, Name: "child", Parent: &root, Inventories: modeltest.Inventories{placement.VGPU: inventory(4)}},
			&placement.ProviderTraitsRecord{Provider: root, Traits: []placement.Trait{placement.OwnerNova, placement.ComputeNode}},
			&placement.ProviderTraitsRecord{Provider: child, Traits: []placement.Trait{placement.OwnerNova, "CUSTOM_T"}},
			&placement.ConsumerRecord{
				UUID: modeltest.ConsumerID("vm"), Type: placement.InstanceConsumer, Project: "p", User: "u", Generation: 1,
				Allocations: placement.Amounts{root: {placement.VCPU: 9}, child: {placement.VGPU: 1}},
			},
		}
	}
	class := func(r []versioned.Record) *placement.ClassRecord { return r[0].(*placement.ClassRecord) }
	trait := func(r []versioned.Record) *placement.TraitRecord { return r[1].(*placement.TraitRecord) }
	rootOf := func(r []versioned.Record) *placement.ProviderRecord { return r[2].(*placement.ProviderRecord) }
	childOf := func(r []versioned.Record) *placement.ProviderRecord { return r[3].(*placement.ProviderRecord) }
	tags := func(r []versioned.Record) *placement.ProviderTraitsRecord {
		return r[5].(*placement.ProviderTraitsRecord)
	}
	vm := func(r []versioned.Record) *placement.ConsumerRecord { return r[6].(*placement.ConsumerRecord) }
	if wantLoad(t, fresh()) == nil {
		t.Fatal("the records without fault are refused")
	}
	for name, fault := range map[string]func(r []versioned.Record){
		"no record":                  func(r []versioned.Record) { r[3] = nil },
		"a record of another ledger": func(r []versioned.Record) { r[3] = alien{} },
		"class twice":                func(r []versioned.Record) { r[1] = r[0] },
		"class number":               func(r []versioned.Record) { class(r).ID = 3 },
		"class name":                 func(r []versioned.Record) { class(r).Name = "A" },
		"class number twice":         func(r []versioned.Record) { r[1] = &placement.ClassRecord{ID: 10000, Name: "CUSTOM_B"} },
		"trait twice":                func(r []versioned.Record) { r[0] = r[1] },
		"trait number":               func(r []versioned.Record) { trait(r).ID = 3 },
		"trait name":                 func(r []versioned.Record) { trait(r).Name = "CUSTOM_é" },
		"trait missing":              func(r []versioned.Record) { trait(r).Name = "CUSTOM_X" },
		"class missing":              func(r []versioned.Record) { class(r).Name = "CUSTOM_X" },
		"provider twice":             func(r []versioned.Record) { r[0] = r[2] },
		"provider without uuid":      func(r []versioned.Record) { rootOf(r).UUID = none },
		"provider without name":      func(r []versioned.Record) { rootOf(r).Name = "" },
		"provider's name taken":      func(r []versioned.Record) { rootOf(r).Name = "child" },
		"provider's name not UTF-8":  func(r []versioned.Record) { rootOf(r).Name = "\xff" },
		"provider's generation":      func(r []versioned.Record) { rootOf(r).Generation = -1 },
		"bad inventory":              func(r []versioned.Record) { rootOf(r).Inventories[placement.VCPU] = inventory(0) },
		"unknown class":              func(r []versioned.Record) { rootOf(r).Inventories["CUSTOM_X"] = inventory(1) },
		"aggregate twice": func(r []versioned.Record) {
			rootOf(r).Aggregates = []placement.AggregateID{modeltest.AggregateID("a"), modeltest.AggregateID("a")}
		},
		"aggregate nil":    func(r []versioned.Record) { rootOf(r).Aggregates = make([]placement.AggregateID, 1) },
		"unknown parent":   func(r []versioned.Record) { childOf(r).Parent = &other },
		"nil parent":       func(r []versioned.Record) { childOf(r).Parent = &none },
		"loop of one":      func(r []versioned.Record) { childOf(r).Parent = &child },
		"loop of two":      func(r []versioned.Record) { rootOf(r).Parent = &child },
		"traits twice":     func(r []versioned.Record) { tags(r).Provider = root },
		"traits of nobody": func(r []versioned.Record) { tags(r).Provider = other },
		"trait given twice": func(r []versioned.Record) {
			tags(r).Traits = []placement.Trait{placement.OwnerNova, placement.OwnerNova}
		},
		"unknown trait": func(r []versioned.Record) { tags(r).Traits = []placement.Trait{"NO"} },
		"traits glued": func(r []versioned.Record) {
			tags(r).Traits = []placement.Trait{placement.OwnerNova + " " + placement.ComputeNode}
		},
		"no traits":            func(r []versioned.Record) { tags(r).Traits = nil },
		"consumer twice":       func(r []versioned.Record) { r[5] = r[6] },
		"consumer nil":         func(r []versioned.Record) { vm(r).UUID = placement.ConsumerID{} },
		"consumer's type":      func(r []versioned.Record) { vm(r).Type = "small" },
		"consumer's type none": func(r []versioned.Record) { vm(r).Type = "" },
		"no project":           func(r []versioned.Record) { vm(r).Project = "" },
		"user not UTF-8":       func(r []versioned.Record) { vm(r).User = "\xff" },
		"consumer generation":  func(r []versioned.Record) { vm(r).Generation = -1 },
		"no allocations":       func(r []versioned.Record) { clear(vm(r).Allocations) },
		"no allocation":        func(r []versioned.Record) { clear(vm(r).Allocations[root]) },
		"amount 0":             func(r []versioned.Record) { vm(r).Allocations[root][placement.VCPU] = 0 },
		"amount too big":       func(r []versioned.Record) { vm(r).Allocations[root][placement.VCPU] = placement.MaxInt + 1 },
		"allocation of nobody": func(r []versioned.Record) { vm(r).Allocations[other] = vm(r).Allocations[root] },
		"allocation of a class that the provider lacks": func(r []versioned.Record) { vm(r).Allocations[root][placement.VGPU] = 1 },
		"allocation of no class":                        func(r []versioned.Record) { vm(r).Allocations[root]["X"] = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := fresh()
			fault(records)
			wantLoad(t, records)
		})
	}
}
