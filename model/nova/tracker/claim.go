package tracker

import (
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Claim returns the operations that give an instance on a compute node what it needs
// there: one PUT of all its allocations, guarded by its generation. What it holds
// elsewhere, as after an evacuation, and on others' providers stays. There are none if
// it holds everything already.
//
// Whether it fits is for Placement to say, when the operations are applied.
//
// Errors: UnknownProviderError; placement.ErrNotFound for an unknown flavor or a
// compute node without provider; those of nova.Amounts.
//
// Source: nova-specs, newton/approved/resource-providers-allocations;
// nova/scheduler/client/report.py, claim_resources.
func (w World) Claim(node *Node, inst *nova.Instance, devices []candidates.Group) ([]placement.Op, error) {
	root, err := w.root(node)
	if err != nil {
		return nil, err
	}
	d, err := w.demand(node, root, inst, devices)
	if err != nil {
		return nil, err
	}
	_, expect := w.Placement.HeldBy(inst.UUID)
	if d.want.Equal(d.held) {
		return nil, nil
	}
	return w.withLocalDisk([]placement.Op{put(inst, expect, d.want)}, func(p *placement.ResourceProvider) (int64, bool) {
		return node.ownDiskGB(), p == root && w.onPool(node, p)
	}), nil
}

// Release returns the operations by which a consumer, an instance or a migration,
// gives up what it holds on a compute node, with all its devices and its disk on a
// pool: on terminating it, and when it has moved away. What it holds on other
// compute nodes stays, and then so does its disk. There are none if it holds
// nothing there.
//
// Source: nova/cmd/manage.py, _delete_allocations_from_consumer;
// nova/scheduler/client/report.py, delete_allocation_for_instance.
func (w World) Release(id placement.ConsumerID, node placement.ProviderID) []placement.Op {
	root, ok := w.Placement.Provider(node)
	c, held := w.Placement.Consumer(id)
	if !ok || !held {
		return nil
	}
	rest := w.Placement.ConsumerRecord(c).Allocations
	some, elsewhere := false, false
	for al := range w.Placement.Allocations(c) {
		if w.Placement.Root(al.Provider) == root {
			some = true
			delete(rest, al.Provider.ID())
			continue
		}
		elsewhere = elsewhere || !w.Placement.Shares(al.Provider)
	}
	if !some {
		return nil
	}
	claim := placement.Claim{Consumer: id, Generation: c.Expect()}
	if elsewhere {
		claim.Type, claim.Project, claim.User, claim.Allocations = c.Type(), c.Project(), c.User(), rest
	}
	return []placement.Op{placement.ReplaceClaims(claim)}
}
