package ops

import (
	"fmt"
	"maps"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// PlanInventory plans to set a provider's inventory of a class. A custom class that
// does not exist yet is created.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for a class or a field.
func PlanInventory(s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass, inv placement.Inventory) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		ops, err := makeClass(s, class)
		if err != nil {
			return cloud.Change{}, err
		}
		c := cloud.Change{Note: fmt.Sprintf("set inventory %s of %s", class, p.Name())}
		generation := p.Expect()
		if has, ok := s.Placement().InventoryOf(p, class); ok {
			if has.Inventory != inv {
				c.Ops = append(ops, placement.SetInventory{Provider: id, Generation: generation, Class: class, Inventory: inv})
			}
			return c, nil
		}
		c.Ops = append(ops, placement.AddInventory{Provider: id, Generation: generation, Class: class, Inventory: inv})
		return c, nil
	})
}

// PlanInventories plans to replace all inventories of a provider; omitted classes are
// removed. Custom classes that do not exist yet are created.
//
// Errors: as PlanInventory; placement.ErrInUse for a removed class of which
// something is allocated.
func PlanInventories(s *cloud.Snapshot, id placement.ProviderID, set map[placement.ResourceClass]placement.Inventory) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: "set the inventories of " + p.Name()}
		for _, class := range slices.Sorted(maps.Keys(set)) {
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
			Provider: id, Generation: p.Expect(), Inventories: set,
		})
		return c, nil
	})
}

// PlanDropInventory plans to remove the inventory of a class. It writes the whole
// remaining set, since a DELETE is not guarded by a generation.
//
// Errors: placement.ErrNotFound for the provider or the inventory;
// placement.ErrInUse.
func PlanDropInventory(s *cloud.Snapshot, id placement.ProviderID, class placement.ResourceClass) (Plan, error) {
	return planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		rest := s.Placement().ProviderRecord(p).Inventories
		if _, ok := rest[class]; !ok {
			return cloud.Change{}, placement.NotFound("inventory", fmt.Sprintf("%s of %s", class, p.Name()))
		}
		delete(rest, class)
		return cloud.Change{
			Note: fmt.Sprintf("remove inventory %s of %s", class, p.Name()),
			Ops: []placement.Op{placement.SetInventories{
				Provider: id, Generation: p.Expect(), Inventories: rest,
			}},
		}, nil
	})
}

// makeClass returns the operation that creates a custom class, none if s knows it
// already.
func makeClass(s *cloud.Snapshot, class placement.ResourceClass) ([]placement.Op, error) {
	if _, ok := s.Placement().ClassID(class); ok {
		return nil, nil
	}
	if !class.IsCustom() {
		return nil, placement.Invalid("resource class", string(class), "no such resource class"+s.Placement().ClassHint(class))
	}
	return []placement.Op{placement.CreateClass{Name: class, IfAbsent: true}}, nil
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
