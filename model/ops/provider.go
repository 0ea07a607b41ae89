package ops

import (
	"errors"
	"fmt"
	"slices"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// The planners here all read, edit and write: they change only what they are asked to,
// and the write is guarded by the generation that they read.

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

// PlanCreateProvider plans to create a provider, below parent, or as a root if that is
// the zero id.
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

// bound returns an error if an accelerator request is, or may be, bound to a provider of which
// nobody holds anything: Cyborg would be left with a device of a provider that is gone. One that
// is in use is refused by Placement. Where requests cannot be read, as of a Cyborg that is gone for
// good, it takes the word of a person: to withdraw the owner is a step of its own.
func bound(s *cloud.Snapshot, p *placement.ResourceProvider) error {
	if s.Placement().HasConsumers(p) {
		return nil
	}
	if gap := s.Gap(cloud.ARQs); gap != "" && s.Placement().Having(placement.OwnerCyborg).Has(p.Number()) {
		err := &cloud.UnknownError{Missing: placement.NotFoundError{What: "accelerator request", Name: "bound to " + p.Name()}, Part: cloud.ARQs, Why: gap}
		return fmt.Errorf("%w; if you know that there is none, remove %s from it first", err, placement.OwnerCyborg)
	}
	for r := range s.Cyborg().ARQsAt(p.ID()) {
		return placement.StateErrorf("accelerator request %s of %s is bound to %s: delete it, or the server, first", r.UUID, ConsumerName(s, r.Instance), p.Name())
	}
	return nil
}

// PlanDeleteProvider plans to delete a provider, and with subtree everything below it,
// children before their parents.
//
// Errors: placement.ErrNotFound; placement.ErrInUse while one of them has
// allocations, or without subtree children.
func PlanDeleteProvider(s *cloud.Snapshot, id placement.ProviderID, subtree bool) (Plan, error) {
	plan, err := planFor(s, id, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		c := cloud.Change{Note: "delete resource provider " + p.Name()}
		if !subtree {
			c.Ops = append(c.Ops, placement.DeleteProvider{ID: id})
			return c, bound(s, p)
		}
		for _, below := range s.Placement().Tree(p) {
			if err := bound(s, below); err != nil {
				return c, err
			}
			c.Ops = append(c.Ops, placement.DeleteProvider{ID: below.ID()})
		}
		slices.Reverse(c.Ops)
		if n := len(c.Ops) - 1; n > 0 {
			c.Note += fmt.Sprintf(" and %d below it", n)
		}
		return c, nil
	})
	if use, ok := errors.AsType[*placement.InUseError](err); ok {
		named := *use
		for _, c := range use.Consumers {
			named.Called = append(named.Called, ConsumerName(s, c))
		}
		err = &named
	}
	return plan, err
}
