package ops

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// ErrHandOver is why the inventories of a card of Cyborg's are not moved. It matches
// placement.ErrState.
var ErrHandOver = placement.StateErrorf("Cyborg keeps the units of its cards by provider, and reports them again: hand the card over instead")

// PlanReshape plans to move the inventories of some classes to another provider of the
// tree, together with their allocations, in one write: at no moment are there
// allocations without inventory. If the other provider has a class already, total and
// reserved are added up, and the rest of its inventory stays.
//
// Errors: placement.ErrNotFound for a provider, or a class that the first has not;
// placement.ErrInvalid if they are one, or not of one tree; ErrHandOver for a card of
// Cyborg's.
//
// Source: placement/handlers/reshaper.py; nova/compute/resource_tracker.py moves VGPU so.
func PlanReshape(s *cloud.Snapshot, from, to placement.ProviderID, classes ...placement.ResourceClass) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		pl := s.Placement()
		p, err := pl.FindProvider(from)
		if err != nil {
			return cloud.Change{}, err
		}
		target, err := pl.FindProvider(to)
		if err != nil {
			return cloud.Change{}, err
		}
		switch {
		case target == p || pl.Root(target) != pl.Root(p):
			return cloud.Change{}, placement.Invalid("provider", target.Name(), "is not another provider in the tree of "+p.Name())
		case isCard(s, from) || isCard(s, to):
			return cloud.Change{}, ErrHandOver
		}
		left, got := pl.ProviderRecord(p).Inventories, pl.ProviderRecord(target).Inventories
		if got == nil {
			got = map[placement.ResourceClass]placement.Inventory{}
		}
		var names []string
		for _, class := range classes {
			inv, ok := left[class]
			if !ok {
				return cloud.Change{}, placement.NotFound("inventory", fmt.Sprintf("%s of %s", class, p.Name()))
			}
			if has, ok := got[class]; ok {
				has.Total, has.Reserved = has.Total+inv.Total, has.Reserved+inv.Reserved
				inv = has
			}
			got[class] = inv
			delete(left, class)
			names = append(names, string(class))
		}
		op := placement.Reshape{Inventories: []placement.SetInventories{
			{Provider: from, Generation: p.Expect(), Inventories: left},
			{Provider: to, Generation: target.Expect(), Inventories: got},
		}}
		for c := range pl.ConsumersOf(p) {
			claim, moved := pl.AsHeld(c), int64(0)
			for _, class := range classes {
				moved += claim.Allocations.Move(class, from, to)
			}
			if moved > 0 {
				op.Allocations = append(op.Allocations, claim)
			}
		}
		return cloud.Change{Note: fmt.Sprintf("move %s of %s to %s", strings.Join(names, ", "), p.Name(), target.Name()), Ops: []cloud.Op{op}}, nil
	}).With(func(p Plan) []string { return reportedAgain(p.On, from, classes) }).Plan(s)
}

// reportedAgain says which of the classes that leave a provider nova-compute reports for
// it, whatever Placement has.
//
// Source: nova/compute/resource_tracker.py, _update_to_placement;
// nova/scheduler/client/report.py, update_from_provider_tree.
func reportedAgain(s *cloud.Snapshot, from placement.ProviderID, classes []placement.ResourceClass) []string {
	pl := s.Placement()
	p, ok := pl.Provider(from)
	if !ok {
		return nil
	}
	row, ok := s.Nova().ComputeNode(pl.Root(p).ID())
	if !ok {
		return nil
	}
	node, err := tracker.ReadNode(row)
	if err != nil {
		return nil
	}
	sees, err := tracker.FromColumns(node)
	if err != nil {
		return nil
	}
	pool := worldOf(s).OnPool(pl.Root(p))
	var again []string
	for _, one := range append([]tracker.Provider{sees.Root}, sees.Children...) {
		for _, class := range classes {
			if _, reports := one.Inventory(class); one.Name == p.Name() && reports && (class != placement.DiskGB || !pool) {
				again = append(again, string(class))
			}
		}
	}
	if len(again) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("nova-compute on %s reports %s on %s: its next full report, within minutes or when it starts, puts that back, and what has moved is then there twice",
		row.Host, strings.Join(again, ", "), p.Name())}
}

// isCard reports whether a provider is that of a card of Cyborg's.
func isCard(s *cloud.Snapshot, id placement.ProviderID) bool {
	_, _, ok := cardOf(s, id)
	return ok
}
