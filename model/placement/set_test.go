package placement_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/placement"
)

// A set of provider numbers, read in each of its ways.
func TestSets(t *testing.T) {
	t.Parallel()
	var trees []modeltest.Provider
	for i := range 300 {
		p := modeltest.Provider{Name: fmt.Sprintf("p%03d", i)}
		if i%3 == 0 {
			p.Traits = []placement.Trait{placement.OwnerNova}
		}
		trees = append(trees, p)
	}
	s := modeltest.Ledger(t, trees)
	nova, _ := s.TraitID(placement.OwnerNova)
	set := s.WithTrait(nova)
	var want, got, byWord []int
	for p := range s.Providers() {
		if p.HasTrait(nova) {
			want = append(want, p.Number())
		}
		if p.HasTrait(nova) != set.Has(p.Number()) {
			t.Errorf("%s: has the trait %t, is in the set %t", p.Name(), p.HasTrait(nova), set.Has(p.Number()))
		}
	}
	slices.Sort(want)
	for n := range set.All() {
		got = append(got, n)
	}
	for i := range set.Words() {
		for b := range 64 {
			if set.Word(i)>>b&1 != 0 {
				byWord = append(byWord, 64*i+b)
			}
		}
	}
	if d := cmp.Diff([][]int{want, want}, [][]int{got, byWord}); d != "" {
		t.Errorf("(-providers +All, Word):\n%s", d)
	}
	if set.Len() != 100 || set.Word(set.Words()) != 0 || set.Has(1<<20) {
		t.Errorf("%d in the set, beyond it %x", set.Len(), set.Word(set.Words()))
	}
	for range set.All() {
		break // stopping early is fine
	}
	var empty placement.Set
	if empty.Len() != 0 || empty.Has(0) || empty.Words() != 0 || empty.Word(0) != 0 {
		t.Error("the zero set is not empty")
	}
	for n := range empty.All() {
		t.Errorf("the zero set has %d", n)
	}
}

// Providers come and go, beyond one leaf of the table and one chunk of a set: each
// Snapshot stays as it was.
func TestNumbersComeAndGo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := placement.Empty()
		here := map[string]bool{}
		type kept struct {
			s    *placement.Snapshot
			here []string
		}
		var old []kept
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			var todo []placement.Op
			for range rapid.IntRange(1, 200).Draw(t, "ops") {
				name := fmt.Sprint("p", rapid.IntRange(0, 400).Draw(t, "name"))
				if here[name] {
					todo = append(todo, placement.DeleteProvider{ID: modeltest.ProviderID(name)})
					delete(here, name)
					continue
				}
				todo = append(todo, placement.CreateProvider{ID: modeltest.ProviderID(name), Name: name})
				here[name] = true
			}
			next, _, err := s.Apply(placement.Change{Ops: todo})
			must.Succeed(t, err)
			s = next
			old = append(old, kept{s, slices.Sorted(maps.Keys(here))})
		}
		for _, k := range old {
			for _, err := range k.s.Check() {
				t.Errorf("check: %v", err)
			}
			var names []string
			numbers := map[int]bool{}
			for p := range k.s.Providers() {
				names = append(names, p.Name())
				numbers[p.Number()] = true
			}
			must.Match(t, k.here, names)
			if len(numbers) != len(names) {
				t.Error("two providers have one number")
			}
			for n := range numbers {
				if n >= k.s.NumberBound() {
					t.Errorf("number %d is not below %d", n, k.s.NumberBound())
				}
			}
		}
	})
}
