package placement_test

import (
	"testing"

	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/placement"
)

// Errors say what is wrong, where, and what to do.
func TestErrorTexts(t *testing.T) {
	t.Parallel()
	vm := placement.ConsumerID{15: 1}
	has := inventory(8, func(i *placement.Inventory) { i.MinUnit, i.MaxUnit, i.StepSize = 2, 6, 4 })
	capacity := func(rule placement.Refusal, asked int64) error {
		return &placement.CapacityError{Consumer: vm, Name: "compute1", Class: placement.VCPU, Asked: asked, Free: -1, Rule: rule, Has: has}
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{&placement.NotFoundError{What: "trait", Name: "CUSTOM_A"}, "trait CUSTOM_A does not exist"},
		{&placement.NotFoundError{What: "trait", Name: "X", Like: []string{"A", "B"}}, "trait X does not exist (did you mean A, B?)"},
		{&placement.ExistsError{What: "resource class", Field: "name", Value: "X"}, "conflicting resource class name: X already exists"},
		{
			&placement.ExistsError{What: "resource provider", Field: "name", Value: "X", Holder: placement.ProviderID{15: 2}},
			"conflicting resource provider name: X already exists (uuid 00000000-0000-0000-0000-000000000002)",
		},
		{&placement.ConflictError{What: "consumer", ID: "c", Expect: placement.NewConsumer(), Has: 3}, "consumer c: consumer generation conflict - expected 3 but got null"},
		{&placement.ConflictError{What: "consumer", ID: "c", Expect: placement.Generation(3), Has: -1}, "consumer c: consumer generation conflict - expected null but got 3"},
		{
			&placement.ConflictError{What: "resource provider", ID: "u", Name: "compute1", Expect: placement.Generation(3), Has: 4},
			"resource provider compute1: generation conflict: it is at 4, the change expected 3; read it again",
		},
		{&placement.InUseError{What: "resource provider", Name: "p", Children: []string{"a"}}, "resource provider p is in use by 1 child provider (a)"},
		{
			&placement.InUseError{What: "resource provider", Name: "p", Children: []string{"a", "b", "c", "d"}, Consumers: []placement.ConsumerID{vm}, More: 4},
			"resource provider p is in use by 4 child providers (a, b, c, ...) and allocations of 5 consumers (" + vm.String() + ")",
		},
		{&placement.InUseError{What: "trait", Name: "T", Providers: []string{"a", "b"}}, "trait T is in use by provider a, b"},
		{&placement.InvalidError{Field: "name", Why: "empty"}, "name: empty"},
		{&placement.InvalidError{Field: "name", Value: "\x1b[2J", Why: "odd"}, `name "\x1b[2J": odd`},
		{capacity(placement.NoInventory, 1), "compute1 has no inventory of VCPU"},
		{capacity(placement.BelowMinUnit, 1), "VCPU on compute1: 1 is below min_unit 2"},
		{capacity(placement.AboveMaxUnit, 9), "VCPU on compute1: 9 is above max_unit 6"},
		{capacity(placement.OffStep, 5), "VCPU on compute1: 5 is not a multiple of step_size 4"},
		{capacity(placement.NoRoom, 4), "VCPU on compute1: needs 4, has -1 free of 8"},
		{capacity("other", 4), "VCPU on compute1: other"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// Operations as previews and the journal name them.
func TestOperationTexts(t *testing.T) {
	t.Parallel()
	id := placement.ProviderID{15: 1}
	const u = "00000000-0000-0000-0000-000000000001"
	vm := placement.ConsumerID{15: 1}
	for _, tt := range []struct {
		op   placement.Op
		want string
	}{
		{placement.CreateProvider{ID: id, Name: "p"}, "create resource provider p"},
		{placement.UpdateProvider{ID: id, Name: "p"}, "update resource provider " + u + ": name p"},
		{placement.UpdateProvider{ID: id, Name: "p", Reparent: true}, "update resource provider " + u + ": name p, no parent"},
		{placement.UpdateProvider{ID: id, Name: "p", Reparent: true, Parent: id}, "update resource provider " + u + ": name p, parent " + u},
		{placement.DeleteProvider{ID: id}, "delete resource provider " + u},
		{placement.SetInventories{Provider: id, Inventories: modeltest.Inventories{placement.VCPU: {}}}, "set 1 inventory of " + u},
		{placement.SetInventories{Provider: id}, "set 0 inventories of " + u},
		{placement.SetInventory{Provider: id, Class: placement.VCPU}, "set inventory VCPU of " + u},
		{placement.AddInventory{Provider: id, Class: placement.VCPU}, "add inventory VCPU to " + u},
		{placement.DeleteInventory{Provider: id, Class: placement.VCPU}, "delete inventory VCPU of " + u},
		{placement.SetTraits{Provider: id, Traits: make([]placement.Trait, 2)}, "set 2 traits of " + u},
		{placement.SetAggregates{Provider: id}, "set 0 aggregates of " + u},
		{modeltest.Allocate(placement.Claim{Consumer: vm}), "release all allocations of " + u},
		{modeltest.Allocate(placement.Claim{Consumer: vm, Allocations: placement.Amounts{id: nil}}), "set allocations of " + u},
		{modeltest.Allocate(placement.Claim{}, placement.Claim{}), "set allocations of 2 consumers"},
		{placement.DeleteAllocations{Consumer: vm}, "delete allocations of " + u},
		{placement.Reshape{Inventories: make([]placement.SetInventories, 2)}, "reshape 2 providers and 0 consumers"},
		{placement.CreateClass{Name: "A"}, "create resource class A"},
		{placement.RenameClass{Name: "A", To: "B"}, "rename resource class A to B"},
		{placement.DeleteClass{Name: "A"}, "delete resource class A"},
		{placement.CreateTrait{Name: "A"}, "create trait A"},
		{placement.DeleteTrait{Name: "A"}, "delete trait A"},
		{put(), "put 0 records"},
	} {
		if got := tt.op.String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// A Change without operations, and one with a nil operation.
func TestApplyNothing(t *testing.T) {
	t.Parallel()
	s := placement.Empty()
	if next, changes, err := s.Apply(placement.Change{}); next != s || changes != nil || err != nil {
		t.Errorf("%v, %v", changes, err)
	}
	_, _, err := s.Apply(placement.Change{Ops: make([]placement.Op, 1)})
	wantKind(t, err, placement.ErrInvalid)
}
