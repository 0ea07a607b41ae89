package placement_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// put returns the operation that sets whole records.
func put(changes ...versioned.Change) placement.Op { return placement.PutRecords{Records: changes} }

// fill returns the changes that make records.
func fill(records []versioned.Record) []versioned.Change {
	out := make([]versioned.Change, len(records))
	for i, r := range records {
		out[i].After = r
	}
	return out
}

// reverse returns the changes that undo changes.
func reverse(changes []versioned.Change) []versioned.Change {
	out := make([]versioned.Change, len(changes))
	for i, c := range changes {
		out[len(changes)-1-i] = c.Reverse()
	}
	return out
}

// recordKey names a record within a ledger.
func recordKey(r versioned.Record) string { return fmt.Sprintf("%s %x", r.RecordKind(), r.RecordKey()) }

// difference returns the changes from one ledger to another, by comparing all of their
// records.
func difference(before, after *placement.Snapshot) map[string]versioned.Change {
	out := map[string]versioned.Change{}
	for r := range before.Records() {
		out[recordKey(r)] = versioned.Change{Before: r}
	}
	for r := range after.Records() {
		c := out[recordKey(r)]
		c.After = r
		if c.Before != nil && reflect.DeepEqual(c.Before, c.After) {
			delete(out, recordKey(r))
			continue
		}
		out[recordKey(r)] = c
	}
	return out
}

// wantDifference fails unless changes are the difference of the two ledgers, ordered by
// kind and key. An unchanged record may be among them only if it names a class or trait
// whose number has changed.
func wantDifference(t rapid.TB, before, after *placement.Snapshot, changes []versioned.Change) {
	t.Helper()
	got := map[string]versioned.Change{}
	moved := renumbered(changes)
	for _, c := range changes {
		if len(moved) > 0 && c.Before != nil && reflect.DeepEqual(c.Before, c.After) && mentions(c.After, moved) {
			continue
		}
		got[recordKey(some(c))] = c
	}
	if want := difference(before, after); !reflect.DeepEqual(want, got) {
		t.Errorf("changes (-difference of the ledgers +returned):\n%s", cmp.Diff(want, got))
	}
	order := map[versioned.Kind]int{}
	for i, sc := range placement.Schemas() {
		order[sc.Kind] = i
	}
	if !slices.IsSortedFunc(changes, func(a, b versioned.Change) int {
		if a.Kind() != b.Kind() {
			return order[a.Kind()] - order[b.Kind()]
		}
		return slices.Compare(a.Key(), b.Key())
	}) {
		t.Error("changes are not by kind and key")
	}
}

// renumbered returns the names of classes and traits whose number changes.
func renumbered(changes []versioned.Change) []string {
	name := func(r versioned.Record) string {
		switch r := r.(type) {
		case *placement.ClassRecord:
			return string(r.Name)
		case *placement.TraitRecord:
			return string(r.Name)
		}
		return ""
	}
	var out []string
	for _, a := range changes {
		for _, b := range changes {
			if a.Kind() == b.Kind() && name(a.Before) != "" && name(a.Before) == name(b.After) {
				out = append(out, name(a.Before))
			}
		}
	}
	return out
}

// mentions reports whether r holds one of the names.
func mentions(r versioned.Record, names []string) bool {
	b, err := json.Marshal(r)
	return err == nil && slices.ContainsFunc(names, func(n string) bool { return bytes.Contains(b, []byte(`"`+n+`"`)) })
}

func some(c versioned.Change) versioned.Record {
	if c.After != nil {
		return c.After
	}
	return c.Before
}

// wantReplay fails unless the changes lead from before to after and, reversed, back.
func wantReplay(t rapid.TB, before, after *placement.Snapshot, changes []versioned.Change) {
	t.Helper()
	for _, way := range []struct {
		name     string
		from, to *placement.Snapshot
		changes  []versioned.Change
	}{
		{"forward", before, after, changes},
		{"backward", after, before, reverse(changes)},
	} {
		got, again, err := way.from.Apply(placement.Change{Ops: []placement.Op{put(way.changes...)}})
		if err != nil {
			t.Fatalf("%s: %v", way.name, err)
		}
		for _, err := range got.Check() {
			t.Errorf("%s: check: %v", way.name, err)
		}
		if d := modeltest.Diff(modeltest.Records(way.to), modeltest.Records(got)); d != "" {
			t.Errorf("%s leads to other records (-want +got):\n%s", way.name, d)
		}
		wantDifference(t, way.from, got, again)
	}
}

// Apply returns exactly the records that differ, before and after, and they lead forward
// and back.
func TestChangesAreTheDifference(t *testing.T) {
	t.Parallel()
	base := modeltest.Ledger(t, []modeltest.Provider{
		{
			Name:        "compute1",
			Inventories: modeltest.Inventories{placement.VCPU: inventory(8), "CUSTOM_A": inventory(4), "CUSTOM_B": inventory(4)},
			Traits:      []placement.Trait{placement.ComputeNode, "CUSTOM_T1"},
			Aggregates:  []placement.AggregateID{modeltest.AggregateID("zone1")},
			Children: []modeltest.Provider{
				{Name: "card1", Inventories: modeltest.Inventories{placement.VGPU: inventory(4)}, Traits: []placement.Trait{"CUSTOM_T2"}},
				{Name: "card2", Inventories: modeltest.Inventories{"CUSTOM_B": inventory(4)}},
			},
		},
		{Name: "compute2", Inventories: modeltest.Inventories{placement.VCPU: inventory(8)}},
	}, placement.CreateClass{Name: "CUSTOM_FREE"}, placement.CreateTrait{Name: "CUSTOM_FREE"},
		modeltest.Allocate(
			modeltest.Claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 2, "CUSTOM_A": 1}}),
			modeltest.Claim("vm2", map[string]modeltest.Resources{"compute1": {placement.VCPU: 1}, "card1": {placement.VGPU: 1}}),
			modeltest.Claim("vm3", map[string]modeltest.Resources{"card2": {"CUSTOM_B": 1}}),
		))
	id, who, which := modeltest.ProviderID, modeltest.ConsumerID, placement.AnyGeneration()
	traits := func(name string, traits ...placement.Trait) placement.Op {
		return placement.SetTraits{Provider: id(name), Generation: which, Traits: traits}
	}
	inventories := func(name string, inv modeltest.Inventories) placement.Op {
		return placement.SetInventories{Provider: id(name), Generation: which, Inventories: inv}
	}
	rename := func(from, to placement.ResourceClass) placement.Op { return placement.RenameClass{Name: from, To: to} }
	drop := func(name string) placement.Op { return placement.DeleteAllocations{Consumer: who(name)} }
	for _, tt := range []struct {
		name string
		ops  []placement.Op
	}{
		{name: "a claim", ops: ops(modeltest.Allocate(modeltest.Claim("vm4", map[string]modeltest.Resources{"compute1": {placement.VCPU: 1}})))},
		{name: "a release", ops: ops(drop("vm1"))},
		{name: "a consumer that comes and goes", ops: ops(
			modeltest.Allocate(modeltest.Claim("vm4", map[string]modeltest.Resources{"compute2": {placement.VCPU: 1}})), drop("vm4"),
		)},
		{name: "a provider that comes and goes", ops: ops(
			placement.CreateProvider{ID: id("x"), Name: "x"}, placement.DeleteProvider{ID: id("x")},
		)},
		{name: "a provider that goes and comes back", ops: ops(
			placement.DeleteProvider{ID: id("compute2")}, placement.CreateProvider{ID: id("compute2"), Name: "compute2"},
		)},
		{name: "a provider of the same name and number, with another uuid", ops: ops(
			placement.DeleteProvider{ID: id("compute2")}, placement.CreateProvider{ID: id("x"), Name: "compute2"},
		)},
		{name: "a provider that moves with all below it", ops: ops(
			placement.UpdateProvider{ID: id("compute1"), Name: "compute1", Reparent: true, Parent: id("compute2")},
		)},
		{name: "a tree upside down", ops: ops(
			placement.UpdateProvider{ID: id("card1"), Name: "card1", Reparent: true},
			placement.UpdateProvider{ID: id("card2"), Name: "card2", Reparent: true, Parent: id("card1")},
			placement.UpdateProvider{ID: id("compute1"), Name: "compute1", Reparent: true, Parent: id("card2")},
		)},
		{name: "a child to a provider that is new", ops: ops(
			placement.CreateProvider{ID: id("x"), Name: "x"},
			placement.UpdateProvider{ID: id("card1"), Name: "card1", Reparent: true, Parent: id("x")},
		)},
		{name: "names swapped", ops: ops(
			placement.UpdateProvider{ID: id("compute1"), Name: "tmp"},
			placement.UpdateProvider{ID: id("compute2"), Name: "compute1"},
			placement.UpdateProvider{ID: id("compute1"), Name: "compute2"},
		)},
		{name: "a whole tree deleted", ops: ops(
			drop("vm1"), drop("vm2"), drop("vm3"),
			placement.DeleteProvider{ID: id("card1")}, placement.DeleteProvider{ID: id("card2")}, placement.DeleteProvider{ID: id("compute1")},
			placement.DeleteTrait{Name: "CUSTOM_T1"}, placement.DeleteTrait{Name: "CUSTOM_T2"}, placement.DeleteClass{Name: "CUSTOM_A"},
		)},
		{name: "a class renamed, with consumers that hold others beside it", ops: ops(rename("CUSTOM_A", "CUSTOM_C"))},
		{name: "names of classes swapped", ops: ops(rename("CUSTOM_A", "CUSTOM_TMP"), rename("CUSTOM_B", "CUSTOM_A"), rename("CUSTOM_TMP", "CUSTOM_B"))},
		{name: "the name of a class passed on to a new one", ops: ops(rename("CUSTOM_A", "CUSTOM_C"), placement.CreateClass{Name: "CUSTOM_A"})},
		{name: "the name of a class passed on to another", ops: ops(
			inventories("compute1", modeltest.Inventories{placement.VCPU: inventory(8), "CUSTOM_A": inventory(4)}),
			drop("vm3"), inventories("card2", nil),
			placement.DeleteClass{Name: "CUSTOM_B"}, rename("CUSTOM_A", "CUSTOM_B"),
			inventories("card2", modeltest.Inventories{"CUSTOM_B": inventory(4)}),
			modeltest.Allocate(modeltest.Claim("vm3", map[string]modeltest.Resources{"card2": {"CUSTOM_B": 1}})),
		)},
		{name: "a class deleted and made anew", ops: ops(placement.DeleteClass{Name: "CUSTOM_FREE"}, placement.CreateClass{Name: "CUSTOM_FREE"})},
		{name: "a class that gets the number of another", ops: ops(placement.DeleteClass{Name: "CUSTOM_FREE"}, placement.CreateClass{Name: "CUSTOM_NEW"})},
		{name: "a trait that gets the number of another", ops: ops(placement.DeleteTrait{Name: "CUSTOM_FREE"}, placement.CreateTrait{Name: "CUSTOM_NEW"})},
		{name: "a trait in use that gets the number of another in use", ops: ops(
			placement.DeleteTrait{Name: "CUSTOM_FREE"}, traits("card1"), placement.DeleteTrait{Name: "CUSTOM_T2"},
			placement.CreateTrait{Name: "CUSTOM_NEW"}, traits("card1", "CUSTOM_NEW"),
		)},
		{name: "a trait in use that gets another number", ops: ops(
			traits("compute1"), placement.DeleteTrait{Name: "CUSTOM_T1"}, placement.CreateTrait{Name: "CUSTOM_T1"},
			traits("compute1", "CUSTOM_T1", placement.ComputeNode),
		)},
		{name: "aggregates", ops: ops(placement.SetAggregates{Provider: id("card1"), Generation: which, Aggregates: []placement.AggregateID{modeltest.AggregateID("zone2")}})},
		{name: "all of the fields", ops: ops(inventories("compute2", modeltest.Inventories{
			placement.VCPU: {Total: 4, Reserved: 1, MinUnit: 2, MaxUnit: 3, StepSize: 4, AllocationRatio: 1.5},
		}))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			next, changes, err := base.Apply(placement.Change{At: modeltest.At(1), Ops: tt.ops})
			must.Succeed(t, err)
			for _, err := range next.Check() {
				t.Errorf("check: %v", err)
			}
			wantDifference(t, base, next, changes)
			wantReplay(t, base, next, changes)
		})
	}
}

// PutRecords keeps the ledger valid.
func TestPutRecords(t *testing.T) {
	t.Parallel()
	base := modeltest.Ledger(t, []modeltest.Provider{{
		Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: inventory(2), "CUSTOM_A": inventory(4)},
		Traits:   []placement.Trait{"CUSTOM_T1"},
		Children: []modeltest.Provider{{Name: "card1"}},
	}}, modeltest.Allocate(modeltest.Claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 1}})))
	id := modeltest.ProviderID
	record := func(name string) *placement.ProviderRecord { return base.ProviderRecord(provider(t, base, name)) }
	edited := func(name string, edit func(*placement.ProviderRecord)) versioned.Change {
		r := record(name)
		edit(r)
		return versioned.Change{Before: record(name), After: r}
	}
	vm1, _ := base.Consumer(modeltest.ConsumerID("vm1"))
	consumer := func(edit func(*placement.ConsumerRecord)) versioned.Change {
		r := base.ConsumerRecord(vm1)
		edit(r)
		return versioned.Change{Before: base.ConsumerRecord(vm1), After: r}
	}
	tags := base.ProviderTraitsRecord(provider(t, base, "compute1"))
	class := func(id placement.ClassID, name placement.ResourceClass) *placement.ClassRecord {
		return &placement.ClassRecord{ID: id, Name: name}
	}
	parent := id("card1")
	check(t, base, []rule{
		{name: "nothing at all", ops: ops(put())},
		{name: "a record that stays", ops: ops(put(edited("compute1", func(*placement.ProviderRecord) {}), consumer(func(*placement.ConsumerRecord) {})))},
		{
			name: "a generation is set as given",
			ops:  ops(put(edited("compute1", func(r *placement.ProviderRecord) { r.Generation = 77 }))),
			then: generation("compute1", 77),
		},
		{
			name: "usage may be above the capacity",
			ops: ops(put(consumer(func(r *placement.ConsumerRecord) {
				r.Allocations[id("compute1")][placement.VCPU] = 5
			}))),
			then: used("compute1", placement.VCPU, 5),
		},
		{name: "a change without records", ops: ops(put(versioned.Change{})), want: placement.ErrInvalid},
		{name: "the records before and after are not the same one", ops: ops(put(versioned.Change{Before: record("compute1"), After: record("card1")})), want: placement.ErrInvalid},
		{name: "a change of one kind into another", ops: ops(put(versioned.Change{Before: record("compute1"), After: tags})), want: placement.ErrInvalid},
		{name: "the same record twice", ops: ops(put(
			edited("compute1", func(r *placement.ProviderRecord) { r.Generation = 77 }),
			edited("compute1", func(r *placement.ProviderRecord) { r.Generation = 78 }),
		)), want: placement.ErrInvalid},
		{name: "a record of another ledger", ops: ops(put(versioned.Change{After: alien{}})), want: placement.ErrInvalid},
		{
			name: "a record that is there already",
			ops:  ops(put(versioned.Change{After: record("compute1")})), want: placement.ErrConflict,
			fact: &placement.ConflictError{What: "resource provider", ID: id("compute1").String(), Expect: placement.NewConsumer(), Has: record("compute1").Generation},
		},
		{
			name: "a record that is not there",
			ops:  ops(put(versioned.Change{Before: &placement.ProviderRecord{UUID: id("x"), Generation: 3}})), want: placement.ErrConflict,
			fact: &placement.ConflictError{What: "resource provider", ID: id("x").String(), Expect: placement.Generation(3), Has: -1},
		},
		{
			name: "a record of another generation",
			ops: ops(put(versioned.Change{Before: func() versioned.Record {
				r := base.ConsumerRecord(vm1)
				r.Generation = 9
				return r
			}()})), want: placement.ErrConflict,
			fact: &placement.ConflictError{What: "consumer", ID: vm1.ID().String(), Expect: placement.Generation(9), Has: 1},
		},
		{name: "a record of other content", ops: ops(put(versioned.Change{Before: &placement.ProviderTraitsRecord{Provider: id("compute1")}})), want: placement.ErrConflict},
		{name: "a class of another name", ops: ops(put(versioned.Change{Before: class(10000, "CUSTOM_B")})), want: placement.ErrConflict},

		{name: "a class with a standard number", ops: ops(put(versioned.Change{After: class(20, "CUSTOM_X")})), want: placement.ErrInvalid},
		{name: "a class with a negative number", ops: ops(put(versioned.Change{After: class(math.MinInt32, "CUSTOM_X")})), want: placement.ErrInvalid},
		{name: "a class with a standard name", ops: ops(put(versioned.Change{After: class(10005, placement.VCPU)})), want: placement.ErrInvalid},
		{name: "a class with a bad name", ops: ops(put(versioned.Change{After: class(10005, "CUSTOM_x")})), want: placement.ErrInvalid},
		{name: "a class with a name that is taken", ops: ops(put(versioned.Change{After: class(10005, "CUSTOM_A")})), want: placement.ErrExists},
		{name: "two classes of one name", ops: ops(put(versioned.Change{After: class(10005, "CUSTOM_X")}, versioned.Change{After: class(10006, "CUSTOM_X")})), want: placement.ErrExists},
		{name: "a class deleted while a provider has it", ops: ops(put(versioned.Change{Before: class(10000, "CUSTOM_A")})), want: placement.ErrInUse},
		{
			name: "a class renamed alone takes its users along",
			ops:  ops(put(versioned.Change{Before: class(10000, "CUSTOM_A"), After: class(10000, "CUSTOM_B")})),
			then: used("compute1", "CUSTOM_B", 0),
		},
		{name: "a trait deleted while a provider has it", ops: ops(put(versioned.Change{Before: &placement.TraitRecord{ID: 10000, Name: "CUSTOM_T1"}})), want: placement.ErrInUse},
		{
			name: "a trait renamed alone takes its users along",
			ops: ops(put(versioned.Change{
				Before: &placement.TraitRecord{ID: 10000, Name: "CUSTOM_T1"}, After: &placement.TraitRecord{ID: 10000, Name: "CUSTOM_T9"},
			})),
			then: func(t *testing.T, s *placement.Snapshot) {
				t.Helper()
				must.Match(t, []placement.Trait{"CUSTOM_T9"}, s.TraitsOf(provider(t, s, "compute1")))
			},
		},

		{name: "a provider without uuid", ops: ops(put(versioned.Change{After: &placement.ProviderRecord{Name: "x"}})), want: placement.ErrInvalid},
		{name: "a provider without name", ops: ops(put(versioned.Change{After: &placement.ProviderRecord{UUID: id("x")}})), want: placement.ErrInvalid},
		{name: "a provider with a name that is taken", ops: ops(put(versioned.Change{After: &placement.ProviderRecord{UUID: id("x"), Name: "card1"}})), want: placement.ErrExists},
		{name: "a provider renamed to a name that is taken", ops: ops(put(edited("compute1", func(r *placement.ProviderRecord) { r.Name = "card1" }))), want: placement.ErrExists},
		{name: "a negative generation", ops: ops(put(versioned.Change{After: &placement.ProviderRecord{UUID: id("x"), Name: "x", Generation: -1}})), want: placement.ErrInvalid},
		{name: "an unknown class", ops: ops(put(edited("card1", func(r *placement.ProviderRecord) {
			r.Inventories = modeltest.Inventories{"CUSTOM_X": inventory(1)}
		}))), want: placement.ErrInvalid},
		{name: "a bad inventory", ops: ops(put(edited("card1", func(r *placement.ProviderRecord) {
			r.Inventories = modeltest.Inventories{placement.VCPU: {}}
		}))), want: placement.ErrInvalid},
		{name: "an inventory in use taken away", ops: ops(put(edited("compute1", func(r *placement.ProviderRecord) {
			delete(r.Inventories, placement.VCPU)
		}))), want: placement.ErrInUse},
		{name: "the same aggregate twice", ops: ops(put(edited("card1", func(r *placement.ProviderRecord) {
			r.Aggregates = []placement.AggregateID{modeltest.AggregateID("a"), modeltest.AggregateID("a")}
		}))), want: placement.ErrInvalid},
		{name: "an unknown parent", ops: ops(put(edited("card1", func(r *placement.ProviderRecord) {
			x := id("x")
			r.Parent = &x
		}))), want: placement.ErrInvalid},
		{name: "the nil uuid as parent", ops: ops(put(edited("card1", func(r *placement.ProviderRecord) { r.Parent = new(placement.ProviderID) }))), want: placement.ErrInvalid},
		{name: "a loop of two", ops: ops(put(edited("compute1", func(r *placement.ProviderRecord) { r.Parent = &parent }))), want: placement.ErrInvalid},
		{name: "a loop of one", ops: ops(put(edited("card1", func(r *placement.ProviderRecord) { r.Parent = &parent }))), want: placement.ErrInvalid},
		{name: "a provider deleted with children", ops: ops(put(consumer(func(*placement.ConsumerRecord) {}), versioned.Change{Before: record("compute1")})), want: placement.ErrInUse},
		{name: "a provider deleted with allocations", ops: ops(put(
			versioned.Change{Before: record("compute1")}, versioned.Change{Before: record("card1")},
		)), want: placement.ErrInUse},
		{
			name: "a tree deleted, parents first",
			ops: ops(put(
				versioned.Change{Before: record("compute1")}, versioned.Change{Before: record("card1")},
				versioned.Change{Before: base.ConsumerRecord(vm1)},
			)),
			then: func(t *testing.T, s *placement.Snapshot) {
				t.Helper()
				must.Be(t, s.ProviderCount()+s.ConsumerCount(), 0)
			},
		},
		{name: "traits of an unknown provider", ops: ops(put(versioned.Change{After: &placement.ProviderTraitsRecord{Provider: id("x"), Traits: []placement.Trait{placement.OwnerNova}}})), want: placement.ErrInvalid},
		{name: "traits of a provider that goes", ops: ops(put(
			versioned.Change{Before: record("card1")},
			versioned.Change{After: &placement.ProviderTraitsRecord{Provider: id("card1"), Traits: []placement.Trait{placement.OwnerNova}}},
		)), want: placement.ErrInvalid},
		{name: "an unknown trait", ops: ops(put(versioned.Change{After: &placement.ProviderTraitsRecord{Provider: id("card1"), Traits: []placement.Trait{"CUSTOM_X"}}})), want: placement.ErrInvalid},

		{name: "a consumer that holds nothing", ops: ops(put(consumer(func(r *placement.ConsumerRecord) { clear(r.Allocations) }))), want: placement.ErrInvalid},
		{name: "a consumer that holds nothing on a provider", ops: ops(put(consumer(func(r *placement.ConsumerRecord) { clear(r.Allocations[id("compute1")]) }))), want: placement.ErrInvalid},
		{name: "a consumer that holds zero", ops: ops(put(consumer(func(r *placement.ConsumerRecord) { r.Allocations[id("compute1")][placement.VCPU] = 0 }))), want: placement.ErrInvalid},
		{name: "a consumer on an unknown provider", ops: ops(put(consumer(func(r *placement.ConsumerRecord) {
			r.Allocations[id("x")] = modeltest.Resources{placement.VCPU: 1}
		}))), want: placement.ErrInvalid},
		{name: "a consumer of what the provider does not have", ops: ops(put(consumer(func(r *placement.ConsumerRecord) {
			r.Allocations[id("compute1")][placement.VGPU] = 1
		}))), want: placement.ErrInvalid},
		{name: "a consumer of generation -1", ops: ops(put(consumer(func(r *placement.ConsumerRecord) { r.Generation = -1 }))), want: placement.ErrInvalid},
		{name: "a consumer without project", ops: ops(put(consumer(func(r *placement.ConsumerRecord) { r.Project = "" }))), want: placement.ErrInvalid},
	})
}

// alien is a record of an unknown kind.
type alien struct{}

func (alien) RecordKind() versioned.Kind { return "alien" }
func (alien) RecordKey() []byte          { return []byte("key") }

// A conflict about a record names the record once.
func TestConflictText(t *testing.T) {
	t.Parallel()
	_, _, err := placement.Empty().Apply(placement.Change{Ops: ops(put(versioned.Change{
		Before: &placement.ProviderRecord{UUID: modeltest.ProviderID("x"), Generation: 3},
	}))})
	want := "put 1 record: resource provider " + modeltest.ProviderID("x").String() +
		": generation conflict: it is at null, the change expected 3; read it again"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A ledger can be rebuilt from its records, in either encoding.
func TestRecordsRebuildTheLedger(t *testing.T) {
	t.Parallel()
	s := modeltest.Ledger(t, []modeltest.Provider{{
		Name: "compute1", Inventories: modeltest.Inventories{placement.VCPU: inventory(8), "CUSTOM_A": inventory(4)},
		Traits: []placement.Trait{"CUSTOM_T1", placement.OwnerNova}, Aggregates: []placement.AggregateID{modeltest.AggregateID("a")},
		Children: []modeltest.Provider{{Name: "card1", Inventories: modeltest.Inventories{placement.VGPU: inventory(4)}}},
	}}, modeltest.Allocate(modeltest.Claim("vm1", map[string]modeltest.Resources{"compute1": {placement.VCPU: 2}, "card1": {placement.VGPU: 1}})))
	codec := versioned.NewCodec(placement.Schemas()...)
	var read []versioned.Record
	for r := range s.Records() {
		b, err := codec.Encode(r)
		must.Succeed(t, err)
		r, err = codec.Decode(r.RecordKind(), b)
		must.Succeed(t, err)
		b = must.Get(codec.EncodeJSON(r))(t)
		r = must.Get(codec.DecodeJSON(b))(t)
		read = append(read, r)
	}
	if d := cmp.Diff(modeltest.Records(s), read); d != "" {
		t.Fatalf("the encodings change the records (-want +got):\n%s", d)
	}
	twin := modeltest.Apply(t, placement.Empty(), put(fill(read)...))
	if d := modeltest.Diff(modeltest.Records(s), modeltest.Records(twin)); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	empty := modeltest.Apply(t, s, put(reverse(fill(read))...))
	if left := modeltest.Records(empty); len(left) != 0 {
		t.Errorf("%d records are left", len(left))
	}
}

// Records are sorted by kind and key, whatever the order of names.
func TestRecordsAreSorted(t *testing.T) {
	t.Parallel()
	var trees []modeltest.Provider
	for _, name := range strings.Fields("a b c d e f g h") {
		trees = append(trees, modeltest.Provider{Name: name, Traits: []placement.Trait{placement.OwnerNova}})
	}
	s := modeltest.Ledger(t, trees)
	wantDifference(t, placement.Empty(), s, fill(modeltest.Records(s)))
}
