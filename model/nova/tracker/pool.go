package tracker

import (
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/placement"
)

// Pool is a resource outside any compute node, such as shared storage.
type Pool struct {
	ID        placement.ProviderID
	Name      string
	Inventory placement.Inventory // an operator may set units: portions of 50 GB and more, say
}

// CreatePool returns the operations that create a pool. Nobody can use it until
// LinkPool.
//
// Source: nova-specs, newton/implemented/generic-resource-pools.
func CreatePool(p Pool) []placement.Op {
	return []placement.Op{
		placement.CreateProvider{ID: p.ID, Name: p.Name},
		placement.SetInventories{
			Provider: p.ID, Generation: placement.Generation(0),
			Inventories: map[placement.ResourceClass]placement.Inventory{placement.DiskGB: p.Inventory},
		},
		placement.SetTraits{Provider: p.ID, Generation: placement.Generation(1), Traits: []placement.Trait{placement.SharesViaAggregate}},
	}
}

// LinkPool returns the operations that let the hosts of a host aggregate use a pool: the
// pool and their compute nodes are in the aggregate. There are none if they are linked
// already. From the next tick on the compute nodes report no disk of their own, and their
// instances hold that of the pool.
//
// Errors: placement.ErrNotFound.
func (w World) LinkPool(pool placement.ProviderID, aggregate placement.AggregateID) ([]placement.Op, error) {
	agg, ok := w.Nova.Aggregate(aggregate)
	if !ok {
		return nil, placement.NotFound("host aggregate", aggregate.String())
	}
	members := []placement.ProviderID{pool}
	for _, host := range agg.Hosts {
		for n := range w.Nova.ComputeNodesOf(host) {
			members = append(members, n.UUID)
		}
	}
	var ops []placement.Op
	for _, id := range members {
		p, err := w.Placement.FindProvider(id)
		if err != nil {
			return nil, err
		}
		if p.InAggregate(aggregate) {
			continue
		}
		ops = append(ops, placement.SetAggregates{
			Provider: id, Generation: p.Expect(), Aggregates: append(slices.Clone(p.Aggregates()), aggregate),
		})
	}
	return ops, nil
}

// SetPoolTotal returns the operation by which a pool says how much it has now, in
// units of a class; the operator, or a script that asks the storage, updates it.
// Portions stay as they are, unless one portion might be all of the pool. There is
// none if it has that much already.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for a total that is less than
// what is reserved.
func (w World) SetPoolTotal(pool placement.ProviderID, class placement.ResourceClass, total int64) ([]placement.Op, error) {
	p, err := w.Placement.FindProvider(pool)
	if err != nil {
		return nil, err
	}
	id, known := w.Placement.ClassID(class)
	has, ok := p.Inventory(id)
	if !known || !ok {
		return nil, placement.NotFound("inventory", fmt.Sprintf("of %s on %s", class, p.Name()))
	}
	if has.Total == total {
		return nil, nil
	}
	inv := has.Inventory
	if inv.MaxUnit == inv.Total {
		inv.MaxUnit = total
	}
	inv.Total = total
	if err := inv.Validate(); err != nil {
		return nil, err
	}
	return []placement.Op{placement.SetInventory{
		Provider: pool, Generation: p.Expect(), Class: class, Inventory: inv,
	}}, nil
}
