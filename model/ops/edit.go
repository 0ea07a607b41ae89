package ops

import (
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// The planners here all read, edit and write: what they are not asked to change
// stays, and the write is guarded by the generation that they read.

// PlanOp plans a single operation that needs no decision.
//
// Errors: those of the operation.
func PlanOp(s *cloud.Snapshot, op placement.Op) (Plan, error) {
	return PlanChange(s, cloud.Change{Note: op.String(), Ops: []cloud.Op{op}})
}

// planFor returns the Plan of a change of one provider.
func planFor(s *cloud.Snapshot, id placement.ProviderID, change func(*cloud.Snapshot, *placement.ResourceProvider) (cloud.Change, error)) (Plan, error) {
	again := Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		p, err := s.Placement().FindProvider(id)
		if err != nil {
			return cloud.Change{}, err
		}
		return change(s, p)
	})
	return again.Plan(s)
}

// PlanInventory plans to give a provider an inventory of a class, in place of the
// one that it may have. A custom class that does not exist yet is made.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for a class or a field.
func PlanInventory(s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass, inv placement.Inventory) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		ops, err := makeClass(s, class)
		if err != nil {
			return cloud.Change{}, err
		}
		c := cloud.Change{Note: fmt.Sprintf("set inventory %s of %s", class, p.Name())}
		generation := placement.Generation(p.Generation())
		if number, ok := s.Placement().ClassID(class); ok {
			if has, ok := p.Inventory(number); ok {
				if has.Inventory != inv {
					c.Ops = append(ops, placement.SetInventory{Provider: id, Generation: generation, Class: class, Inventory: inv})
				}
				return c, nil
			}
		}
		c.Ops = append(ops, placement.AddInventory{Provider: id, Generation: generation, Class: class, Inventory: inv})
		return c, nil
	})
}

// PlanInventories plans to replace all inventories of a provider; classes that are
// left out are removed. Custom classes that do not exist yet are made.
//
// Errors: as PlanInventory; placement.ErrInUse for a removed class of which
// something is allocated.
func PlanInventories(s *cloud.Snapshot, id placement.ProviderID, set map[placement.ResourceClass]placement.Inventory) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: "set the inventories of " + p.Name()}
		for _, class := range sortedClasses(set) {
			ops, err := makeClass(s, class)
			if err != nil {
				return cloud.Change{}, err
			}
			c.Ops = append(c.Ops, ops...)
		}
		if sameInventories(s, p, set) {
			return c, nil
		}
		c.Ops = append(c.Ops, placement.SetInventories{
			Provider: id, Generation: placement.Generation(p.Generation()), Inventories: set,
		})
		return c, nil
	})
}

// PlanDropInventory plans to remove the inventory of a class. It writes the whole
// set that is left, since a DELETE is not guarded by a generation.
//
// Errors: placement.ErrNotFound for the provider or the inventory;
// placement.ErrInUse.
func PlanDropInventory(s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		rest := s.Placement().ProviderRecord(p).Inventories
		if _, ok := rest[class]; !ok {
			return cloud.Change{}, &placement.NotFoundError{What: "inventory", Name: fmt.Sprintf("%s of %s", class, p.Name())}
		}
		delete(rest, class)
		return cloud.Change{
			Note: fmt.Sprintf("remove inventory %s of %s", class, p.Name()),
			Ops: []placement.Op{placement.SetInventories{
				Provider: id, Generation: placement.Generation(p.Generation()), Inventories: rest,
			}},
		}, nil
	})
}

// PlanTraits plans to add and to remove traits of a provider; all others stay.
// Custom traits that do not exist yet are made. To add one that is there, or to
// remove one that is not, is no error.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for an unknown trait, or one
// that is both added and removed.
func PlanTraits(s *cloud.Snapshot, id placement.ProviderID, add, remove []placement.Trait) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: editNote(p.Name(), "trait", add, remove)}
		has := s.Placement().TraitsOf(p)
		want, err := edited(has, add, remove, "trait")
		if err != nil {
			return cloud.Change{}, err
		}
		for _, t := range append(slices.Clone(add), remove...) {
			if _, known := s.Placement().TraitID(t); known {
				continue
			}
			if !t.IsCustom() || !slices.Contains(add, t) {
				return cloud.Change{}, &placement.InvalidError{Field: "trait", Value: string(t), Why: "no such trait" + s.Placement().TraitHint(t)}
			}
			c.Ops = append(c.Ops, placement.CreateTrait{Name: t})
		}
		slices.Sort(want)
		if !slices.Equal(want, has) {
			c.Ops = append(c.Ops, placement.SetTraits{
				Provider: id, Generation: placement.Generation(p.Generation()), Traits: want,
			})
		}
		return c, nil
	})
}

// PlanAggregates plans to put a provider into aggregates and to take it out of
// others; it stays in all others that it is in.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for an aggregate that is
// both added and removed.
func PlanAggregates(s *cloud.Snapshot, id placement.ProviderID, add, remove []placement.AggregateID) (Plan, error) {
	return planFor(s, id, func(_ *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: editNote(p.Name(), "aggregate", add, remove)}
		want, err := edited(p.Aggregates(), add, remove, "aggregate")
		if err != nil {
			return cloud.Change{}, err
		}
		slices.SortFunc(want, placement.AggregateID.Compare)
		if !slices.Equal(want, p.Aggregates()) {
			c.Ops = append(c.Ops, placement.SetAggregates{
				Provider: id, Generation: placement.Generation(p.Generation()), Aggregates: want,
			})
		}
		return c, nil
	})
}

// edited returns a set with some added and some removed.
func edited[T comparable](has, add, remove []T, what string) ([]T, error) {
	var out []T
	for _, t := range append(slices.Clone(has), add...) {
		if !slices.Contains(remove, t) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, t := range add {
		if slices.Contains(remove, t) {
			return nil, &placement.InvalidError{Field: what, Value: fmt.Sprint(t), Why: "is both added and removed"}
		}
	}
	return out, nil
}

// editNote says what is edited, for the journal.
func editNote[T any](name, what string, add, remove []T) string {
	var parts []string
	for _, t := range add {
		parts = append(parts, fmt.Sprintf("+%v", t))
	}
	for _, t := range remove {
		parts = append(parts, fmt.Sprintf("-%v", t))
	}
	return fmt.Sprintf("set %s of %s: %s", what, name, strings.Join(parts, " "))
}

// PlanCreateProvider plans to make a provider, below parent where that is not the
// zero id.
//
// Errors: placement.ErrExists for a name or uuid that is taken;
// placement.ErrInvalid for an unknown parent, and for a name that Placement or
// nova.CheckName refuses.
func PlanCreateProvider(s *cloud.Snapshot, id placement.ProviderID, name string, parent placement.ProviderID) (Plan, error) {
	if err := nova.CheckName("name", name); err != nil {
		return Plan{}, err
	}
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		note := "create resource provider " + name
		if !parent.IsZero() {
			note += " below " + s.Placement().ProviderName(parent)
		}
		return cloud.Change{Note: note, Ops: []placement.Op{placement.CreateProvider{ID: id, Name: name, Parent: parent}}}, nil
	}).Plan(s)
}

// PlanUpdateProvider plans to rename a provider, and with reparent to move it with
// all below it under another parent, or with the zero id to make it a root. An
// empty name keeps the name.
//
// Errors: those of placement.UpdateProvider, and of nova.CheckName for another name.
func PlanUpdateProvider(s *cloud.Snapshot, id placement.ProviderID, name string, reparent bool, parent placement.ProviderID) (Plan, error) {
	return planFor(s, id, func(_ *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		op := placement.UpdateProvider{ID: id, Name: name, Reparent: reparent, Parent: parent}
		switch op.Name {
		case "":
			op.Name = p.Name()
		case p.Name():
		default:
			if err := nova.CheckName("name", name); err != nil {
				return cloud.Change{}, err
			}
		}
		return cloud.Change{Note: "update resource provider " + p.Name(), Ops: []placement.Op{op}}, nil
	})
}

// PlanDeleteProvider plans to delete a provider; with subtree all below it too,
// children before their parents.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while one of them has
// allocations, or without subtree children.
func PlanDeleteProvider(s *cloud.Snapshot, id placement.ProviderID, subtree bool) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: "delete resource provider " + p.Name()}
		if !subtree {
			c.Ops = append(c.Ops, placement.DeleteProvider{ID: id})
			return c, nil
		}
		for _, below := range s.Placement().Tree(p) {
			c.Ops = append(c.Ops, placement.DeleteProvider{ID: below.ID()})
		}
		slices.Reverse(c.Ops)
		if n := len(c.Ops) - 1; n > 0 {
			c.Note += fmt.Sprintf(" and %d below it", n)
		}
		return c, nil
	})
}

// makeClass returns the operation that makes a custom class which s does not know
// yet, none for one that it knows.
func makeClass(s *cloud.Snapshot, class placement.ResourceClass) ([]placement.Op, error) {
	if _, ok := s.Placement().ClassID(class); ok {
		return nil, nil
	}
	if !class.IsCustom() {
		return nil, &placement.InvalidError{Field: "resource class", Value: string(class), Why: "no such resource class" + s.Placement().ClassHint(class)}
	}
	return []placement.Op{placement.CreateClass{Name: class, IfAbsent: true}}, nil
}

func sortedClasses(set map[placement.ResourceClass]placement.Inventory) []placement.ResourceClass {
	out := make([]placement.ResourceClass, 0, len(set))
	for c := range set {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// sameInventories reports whether p has exactly the inventories of set.
func sameInventories(s *cloud.Snapshot, p *placement.ResourceProvider, set map[placement.ResourceClass]placement.Inventory) bool {
	if len(p.Inventories()) != len(set) {
		return false
	}
	for _, iu := range p.Inventories() {
		if want, ok := set[s.Placement().ClassName(iu.Class)]; !ok || want != iu.Inventory {
			return false
		}
	}
	return true
}
