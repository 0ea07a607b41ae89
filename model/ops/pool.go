package ops

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// PlanCreatePool plans to create a sharing pool, and to let the hosts of a host
// aggregate use it; the zero aggregate leaves that for later.
//
// Errors: placement.ErrExists for a name or uuid that is taken; placement.ErrNotFound
// for an unknown host aggregate; placement.ErrInvalid, for a name that Placement or
// nova.CheckName refuses too.
func PlanCreatePool(s *cloud.Snapshot, pool tracker.Pool, link placement.AggregateID) (Plan, error) {
	if err := nova.CheckName("name", pool.Name); err != nil {
		return Plan{}, err
	}
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c := cloud.Change{Note: "create pool " + pool.Name, Ops: tracker.CreatePool(pool)}
		return linked(s, c, pool.ID, link)
	}).Plan(s)
}

// PoolWish is what to change about a pool.
type PoolWish struct {
	Class placement.ResourceClass // of Total; "" is DISK_GB
	Total int64                   // units of Class; 0 for as it is
	Link  placement.AggregateID   // whose hosts may use it; zero for no more than now
}

// EditablePool is a sharing pool; its State is a PoolState.
type EditablePool struct {
	ID    placement.ProviderID
	Class placement.ResourceClass // whose total is edited
}

// PoolState is the editable part of a pool.
type PoolState struct {
	Total int64                 `yaml:"total" json:"total"`
	Link  placement.AggregateID `yaml:"link" json:"link,omitzero"` // whose hosts may use it in addition to those that do; zero for none
}

// Called implements Editable.
func (p EditablePool) Called(s *cloud.Snapshot) string {
	return "pool " + s.Placement().ProviderName(p.ID)
}

// State implements Editable.
func (p EditablePool) State(s *cloud.Snapshot) (State, error) {
	has, err := s.Placement().FindProvider(p.ID)
	if err != nil {
		return nil, err
	}
	var st PoolState
	if iu, ok := s.Placement().InventoryOf(has, p.Class); ok {
		st.Total = iu.Total
	}
	return st, nil
}

// PlanState implements Editable.
//
// Errors: those of PlanPool.
func (p EditablePool) PlanState(s *cloud.Snapshot, want State, _ time.Time) (Plan, error) {
	state, err := p.State(s)
	if err != nil {
		return Plan{}, err
	}
	wish := PoolWish{Class: p.Class, Link: want.(PoolState).Link}
	if total := want.(PoolState).Total; total != state.(PoolState).Total {
		wish.Total = total
	}
	return PlanPool(s, p.ID, wish)
}

// PlanPool plans to give a pool another total, or to let more hosts use it.
//
// Errors: placement.ErrNotFound; placement.ErrInvalid for a total that is less than
// what is reserved, and for a provider that does not share.
func PlanPool(s *cloud.Snapshot, id placement.ProviderID, wish PoolWish) (Plan, error) {
	if wish.Class == "" {
		wish.Class = placement.DiskGB
	}
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		p, err := s.Placement().FindProvider(id)
		switch {
		case err != nil:
			return cloud.Change{}, err
		case !s.Placement().Shares(p):
			return cloud.Change{}, placement.Invalid("pool", p.Name(), "is not a pool: it lacks "+string(placement.SharesViaAggregate))
		}
		c := cloud.Change{Note: "set pool " + p.Name()}
		if wish.Total != 0 {
			w := worldOf(s)
			var err error
			if c.Ops, err = w.SetPoolTotal(id, wish.Class, wish.Total); err != nil {
				return cloud.Change{}, err
			}
		}
		return linked(s, c, id, wish.Link)
	}).Plan(s)
}

// linked adds to a change that a pool is shared with the hosts of a host aggregate.
func linked(s *cloud.Snapshot, c cloud.Change, pool placement.ProviderID, link placement.AggregateID) (cloud.Change, error) {
	if link.IsZero() {
		return c, nil
	}
	after, _, err := s.Apply(c)
	if err != nil {
		return cloud.Change{}, err
	}
	ops, err := worldOf(after).LinkPool(pool, link)
	if err != nil {
		return cloud.Change{}, fmt.Errorf("link the pool: %w", err)
	}
	c.Ops = append(c.Ops, ops...)
	return c, nil
}
