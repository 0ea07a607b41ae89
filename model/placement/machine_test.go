package placement_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// machine is a ledger under random changes, with its whole past.
type machine struct {
	s       *placement.Snapshot
	step    int
	journal [][]versioned.Change
	past    []moment
}

// moment is a past Snapshot, with the records that it had then.
type moment struct {
	s       *placement.Snapshot
	records []versioned.Record
}

// TestAnyChanges makes random changes of every kind, valid and invalid, and checks the
// invariants of the ledger after each; at the end it replays the whole journal and undoes
// it.
func TestAnyChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{s: placement.Empty()}
		m.apply(t, modeltest.Start(), nil)
		t.Repeat(map[string]func(*rapid.T){
			"change":  m.change,
			"rewrite": m.rewrite,
			"undo":    m.undo,
			"":        m.invariants,
		})
		m.wantPastKept(t)
		m.replay(t)
		m.takeBack(t)
	})
}

// change applies up to four operations, as one Change and one by one.
func (m *machine) change(t *rapid.T) {
	var todo []placement.Op
	s, refused := m.s, error(nil)
	for range rapid.IntRange(1, 4).Draw(t, "ops") {
		op := modeltest.Op(s).Draw(t, "op")
		todo = append(todo, op)
		next, changes, err := s.Apply(placement.Change{At: modeltest.At(m.step), Ops: ops(op)})
		if err != nil {
			refused = err
			break
		}
		wantNothingWorse(t, s, next)
		wantGenerationsGrow(t, s, next)
		wantDifference(t, s, next, changes)
		s = next
	}
	m.apply(t, todo, refused)
	if refused == nil {
		if d := modeltest.Diff(modeltest.Records(s), modeltest.Records(m.s)); d != "" {
			t.Errorf("one by one (-) and at once (+):\n%s", d)
		}
	}
}

// rewrite sets whole records.
func (m *machine) rewrite(t *rapid.T) {
	op := rewritten(t, m.s)
	_, _, err := m.s.Apply(placement.Change{Ops: ops(op)})
	m.apply(t, ops(op), err)
}

// rewritten draws a PutRecords on s: records as some operations would leave them, but not
// all of those, with some that no operation makes, most of them with the right record
// before.
func rewritten(t *rapid.T, s *placement.Snapshot) placement.PutRecords {
	var all []versioned.Change
	next := s
	for range rapid.IntRange(0, 4).Draw(t, "apart") {
		after, changes, err := next.Apply(placement.Change{Ops: ops(modeltest.Op(next).Draw(t, "op"))})
		if err == nil {
			next, all = after, append(all, changes...)
		}
	}
	all = slices.DeleteFunc(all, func(versioned.Change) bool { return modeltest.Roll(t, 8) == 0 })
	records := modeltest.Records(s)
	for _, r := range records {
		if modeltest.Roll(t, 32) > 0 {
			continue
		}
		switch is := r.(type) {
		case *placement.ProviderRecord:
			odd := *is
			odd.Generation = rapid.Int64Range(-1, 9).Draw(t, "generation")
			if other, ok := rapid.SampledFrom(records).Draw(t, "other").(*placement.ProviderRecord); ok {
				odd.Inventories, odd.Parent = other.Inventories, other.Parent
			}
			all = append(all, versioned.Change{Before: r, After: &odd})
		case *placement.ConsumerRecord:
			if other, ok := rapid.SampledFrom(records).Draw(t, "other").(*placement.ConsumerRecord); ok {
				odd := *is
				odd.Allocations = other.Allocations
				all = append(all, versioned.Change{Before: r, After: &odd})
				continue
			}
			all = append(all, versioned.Change{Before: r})
		default:
			all = append(all, versioned.Change{Before: r})
		}
	}
	number := rapid.IntRange(9999, 10005)
	switch modeltest.Roll(t, 8) {
	case 0:
		all = append(all, versioned.Change{After: &placement.ClassRecord{ID: placement.ClassID(number.Draw(t, "class")), Name: "CUSTOM_A"}})
	case 1:
		all = append(all, versioned.Change{After: &placement.TraitRecord{ID: placement.TraitID(number.Draw(t, "trait")), Name: "CUSTOM_A"}})
	case 2:
		all = append(all, versioned.Change{After: &placement.ProviderRecord{UUID: modeltest.ProviderID("a"), Name: "b"}})
	case 3:
		all = append(all, versioned.Change{After: &placement.ConsumerRecord{UUID: modeltest.ConsumerID("vm1"), Project: "project", User: "user", Generation: 1}})
	}
	for i := range all {
		if modeltest.Roll(t, 32) == 0 {
			all[i].Before = all[i].After
		}
	}
	return placement.PutRecords{Records: all}
}

// undo reverses the last changes.
func (m *machine) undo(t *rapid.T) {
	if len(m.journal) == 0 {
		t.Skip("nothing to undo")
	}
	last := m.journal[len(m.journal)-1]
	m.apply(t, ops(put(reverse(last)...)), nil)
	if d := modeltest.Diff(m.past[len(m.past)-2].records, modeltest.Records(m.s)); d != "" {
		t.Errorf("undone (-before the change +now):\n%s", d)
	}
}

// apply applies one Change, which must fail exactly if refused is an error.
func (m *machine) apply(t *rapid.T, todo []placement.Op, refused error) {
	before := modeltest.Records(m.s)
	next, changes, err := m.s.Apply(placement.Change{At: modeltest.At(m.step), Ops: todo})
	m.step++
	if d := modeltest.Diff(before, modeltest.Records(m.s)); d != "" {
		t.Fatalf("the Snapshot before is another (-want +got):\n%s", d)
	}
	if (err != nil) != (refused != nil) {
		t.Fatalf("error %v, want %v", err, refused)
	}
	if err != nil {
		if next != nil || changes != nil {
			t.Fatal("a refused change has an outcome")
		}
		return
	}
	wantDifference(t, m.s, next, changes)
	wantReplay(t, m.s, next, changes)
	m.past = append(m.past, moment{m.s, before})
	m.journal = append(m.journal, changes)
	m.s = next
}

// invariants hold after every step.
func (m *machine) invariants(t *rapid.T) {
	for _, err := range m.s.Check() {
		t.Errorf("check: %v", err)
	}
	wantUsage(t, m.s)
	wantLoad(t, modeltest.Records(m.s))
}

// usage is what is used of a class on a provider.
type usage struct {
	provider placement.ProviderID
	class    placement.ResourceClass
}

// usages returns the usage that the ledger keeps, and the capacity, by
// provider and class.
func usages(s *placement.Snapshot) map[usage]placement.InventoryUsage {
	out := map[usage]placement.InventoryUsage{}
	for p := range s.Providers() {
		for _, iu := range p.Inventories() {
			out[usage{p.ID(), s.ClassName(iu.Class)}] = iu
		}
	}
	return out
}

// wantUsage fails unless the usage kept is the sum over the records of the consumers.
func wantUsage(t *rapid.T, s *placement.Snapshot) {
	sum, kept := map[usage]int64{}, map[usage]int64{}
	for r := range s.Records() {
		if c, ok := r.(*placement.ConsumerRecord); ok {
			for id, of := range c.Allocations {
				for class, amount := range of {
					sum[usage{id, class}] += amount
				}
			}
		}
	}
	for of, iu := range usages(s) {
		if iu.Used != 0 {
			kept[of] = iu.Used
		}
	}
	if d := cmp.Diff(sum, kept, cmp.AllowUnexported(usage{})); d != "" {
		t.Errorf("usage (-sum of the consumers +kept):\n%s", d)
	}
}

// wantNothingWorse fails if one operation raised a usage above the capacity. A renamed
// class is compared with itself.
func wantNothingWorse(t *rapid.T, before, after *placement.Snapshot) {
	was := usages(before)
	for of, is := range usages(after) {
		then := was[usage{of.provider, before.ClassName(is.Class)}]
		if is.OverCapacity() && is.Used > then.Used {
			t.Errorf("%s on %s: used grew from %d to %d, above %d", of.class, of.provider, was[of].Used, is.Used, is.Capacity())
		}
	}
}

// wantGenerationsGrow fails if one operation lowered a generation.
func wantGenerationsGrow(t *rapid.T, before, after *placement.Snapshot) {
	for was := range before.Providers() {
		if is, ok := after.Provider(was.ID()); ok && is.Generation() < was.Generation() {
			t.Errorf("%s: generation %d became %d", was.Name(), was.Generation(), is.Generation())
		}
	}
	for was := range before.Consumers() {
		if is, ok := after.Consumer(was.ID()); ok && is.Generation() < was.Generation() {
			t.Errorf("consumer %s: generation %d became %d", was.ID(), was.Generation(), is.Generation())
		}
	}
}

// wantPastKept fails unless every past Snapshot is unchanged.
func (m *machine) wantPastKept(t *rapid.T) {
	for i, then := range m.past {
		if d := modeltest.Diff(then.records, modeltest.Records(then.s)); d != "" {
			t.Fatalf("the Snapshot before step %d is another (-then +now):\n%s", i, d)
		}
		for _, err := range then.s.Check() {
			t.Errorf("the Snapshot before step %d: check: %v", i, err)
		}
	}
}

// replay applies the whole journal to an empty ledger.
func (m *machine) replay(t *rapid.T) {
	s := placement.Empty()
	for i, changes := range m.journal {
		next, _, err := s.Apply(placement.Change{Ops: ops(put(changes...))})
		if err != nil {
			t.Fatalf("replay of step %d: %v", i, err)
		}
		s = next
	}
	if d := modeltest.Diff(modeltest.Records(m.s), modeltest.Records(s)); d != "" {
		t.Errorf("replayed (-want +got):\n%s", d)
	}
}

// takeBack undoes the whole journal, newest first.
func (m *machine) takeBack(t *rapid.T) {
	s := m.s
	for i, changes := range slices.Backward(m.journal) {
		next, _, err := s.Apply(placement.Change{Ops: ops(put(reverse(changes)...))})
		if err != nil {
			t.Fatalf("step %d taken back: %v", i, err)
		}
		s = next
	}
	if left := modeltest.Records(s); len(left) != 0 {
		t.Errorf("%d records are left: %v", len(left), left)
	}
	must.Be(t, s.ProviderCount()+s.ConsumerCount(), 0)
}
