package placement_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

// The tests of this package follow the rules of Placement: names_test.go has those about
// classes and traits, provider_test.go about providers and trees, inventory_test.go about
// inventories, allocation_test.go about claims and consumers, reshape_test.go about
// reshaping, generation_test.go about which generation grows when, and records_test.go
// about what is written to disk and back. machine_test.go makes random changes of every
// kind and checks the invariants after each.

// rule is a test case for one rule: operations on a ledger, and their outcome.
type rule struct {
	name string
	ops  []placement.Op
	want error // the kind; nil if the operations are accepted
	// fact is the expected error, a value of one of the error types of the package; nil
	// if the kind is enough.
	fact error
	then func(t *testing.T, s *placement.Snapshot) // checks the result; may be nil
}

// check applies each rule to s.
func check(t *testing.T, s *placement.Snapshot, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			next, changes, err := s.Apply(placement.Change{At: modeltest.At(1), Ops: r.ops})
			if r.want != nil {
				wantKind(t, err, r.want)
				if r.fact != nil {
					wantFact(t, err, r.fact)
				}
				if next != nil || changes != nil {
					t.Error("a refused change has an outcome")
				}
				return
			}
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			for _, err := range next.Check() {
				t.Errorf("check: %v", err)
			}
			if len(changes) == 0 && next != s {
				t.Error("a change without records has another Snapshot")
			}
			if r.then != nil {
				r.then(t, next)
			}
		})
	}
}

// kinds returns all kinds of errors that Apply returns.
func kinds() []error {
	return []error{
		placement.ErrNotFound, placement.ErrExists, placement.ErrConflict,
		placement.ErrInUse, placement.ErrInvalid, placement.ErrCapacity,
	}
}

// wantKind fails unless err is of the kind want and of no other.
func wantKind(t *testing.T, err, want error) {
	t.Helper()
	for _, kind := range kinds() {
		if is := errors.Is(err, kind); is != (kind == want) { //nolint:errorlint // kinds are compared as such
			t.Fatalf("error %v: is %q %t, want %q", err, kind, is, want)
		}
	}
}

// wantFact fails unless err carries want.
func wantFact(t *testing.T, err, want error) {
	t.Helper()
	var got error
	switch want.(type) { //nolint:errorlint // want is a plain value of the case
	case *placement.NotFoundError:
		got = find[*placement.NotFoundError](err)
	case *placement.ExistsError:
		got = find[*placement.ExistsError](err)
	case *placement.ConflictError:
		got = find[*placement.ConflictError](err)
	case *placement.InUseError:
		got = find[*placement.InUseError](err)
	case *placement.InvalidError:
		got = find[*placement.InvalidError](err)
	case *placement.CapacityError:
		got = find[*placement.CapacityError](err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(placement.Expect{})); d != "" {
		t.Errorf("facts of %v (-want +got):\n%s", err, d)
	}
}

func find[E error](err error) error {
	if e, ok := errors.AsType[E](err); ok {
		return e
	}
	return nil
}

// provider returns the provider with the given name.
func provider(t *testing.T, s *placement.Snapshot, name string) *placement.ResourceProvider {
	t.Helper()
	p, ok := s.Provider(modeltest.ProviderID(name))
	if !ok {
		t.Fatalf("no provider %s", name)
	}
	return p
}

// generation fails unless the named provider is at generation want.
func generation(name string, want int64) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		if got := provider(t, s, name).Generation(); got != want {
			t.Errorf("%s is at generation %d, want %d", name, got, want)
		}
	}
}

// all runs one check after the other.
func all(looks ...func(*testing.T, *placement.Snapshot)) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		for _, look := range looks {
			look(t, s)
		}
	}
}

// used fails unless the usage of the class on the provider is want.
func used(name string, class placement.ResourceClass, want int64) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		id, _ := s.ClassID(class)
		iu, ok := provider(t, s, name).Inventory(id)
		if !ok || iu.Used != want {
			t.Errorf("%s uses %d of %s (has it: %t), want %d", name, iu.Used, class, ok, want)
		}
	}
}

// place is the part of a provider's place in its tree that the tests compare.
type place struct {
	Parent, Root string
	Children     []string
}

// placed fails unless the provider is there in its tree.
func placed(name string, want place) func(*testing.T, *placement.Snapshot) {
	return func(t *testing.T, s *placement.Snapshot) {
		t.Helper()
		p := provider(t, s, name)
		got := place{Root: s.Root(p).Name()}
		if up, ok := s.Parent(p); ok {
			got.Parent = up.Name()
		}
		for _, c := range s.Children(p) {
			got.Children = append(got.Children, c.Name())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("place of %s (-want +got):\n%s", name, d)
		}
	}
}

// inventory is an Inventory of a total and some fields set by set.
func inventory(total int64, set ...func(*placement.Inventory)) placement.Inventory {
	inv := placement.NewInventory(total)
	for _, f := range set {
		f(&inv)
	}
	return inv
}

func ops(ops ...placement.Op) []placement.Op { return ops }
