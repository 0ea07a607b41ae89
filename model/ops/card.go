package ops

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// StuckUnits returns the part of what a consumer holds for devices that were not freed,
// nil if there are none. These units stay allocated, whatever else is released, until an
// operator has freed the device and confirmed it.
func StuckUnits(s *cloud.Snapshot, c *placement.Consumer) Amounts {
	var out Amounts
	for id, amounts := range s.Placement().ConsumerRecord(c).Allocations {
		account, class, ok := cardOf(s, id)
		if !ok {
			continue
		}
		if n := min(amounts[class], account.Of(s.HolderOf(c.ID())).Stuck); n > 0 {
			if out == nil {
				out = Amounts{}
			}
			out[id] = map[placement.ResourceClass]int64{class: n}
		}
	}
	return out
}

// HoldsOnlyStuck reports whether a consumer holds nothing but units of devices that
// were not freed.
func HoldsOnlyStuck(s *cloud.Snapshot, c *placement.Consumer) bool {
	stuck := StuckUnits(s, c)
	return stuck != nil && stuck.Equal(s.Placement().ConsumerRecord(c).Allocations)
}

// cardOf returns the account of Cyborg's card for a provider, and the class of its
// accelerators.
func cardOf(s *cloud.Snapshot, id placement.ProviderID) (cloud.CardAccount, placement.ResourceClass, bool) {
	d, ok := s.Cyborg().DeployableAt(id)
	if !ok {
		return cloud.CardAccount{}, "", false
	}
	account, ok := s.CardAccount(d)
	return account, s.Placement().ClassName(account.Inventory.Class), ok
}

// ReleaseExceptStuck returns the Change by which a consumer keeps only the given amounts, nil for
// none, and releases the rest. With a unit of a Cyborg card goes its request, and before it, as
// a unit whose attach handle is in use is of no use to others. Units of devices that were not
// freed stay.
//
// Errors: placement.ErrNotFound if it holds nothing.
func ReleaseExceptStuck(s *cloud.Snapshot, consumer placement.ConsumerID, keep Amounts) (cloud.Change, error) {
	change := cloud.Change{Note: "release all of " + ConsumerName(s, consumer)}
	c, err := s.Placement().FindConsumer(consumer)
	if err != nil {
		return change, err
	}
	claim := s.Placement().AsHeld(c)
	claim.Allocations = maps.Clone(keep)
	var gone []uuid.UUID
	for id, amounts := range s.Placement().ConsumerRecord(c).Allocations {
		account, class, ok := cardOf(s, id)
		lost := amounts[class] - claim.Allocations[id][class]
		if !ok || lost <= 0 {
			continue
		}
		use := account.Of(s.HolderOf(c.ID()))
		excess := int64(len(use.Requests)) - (use.Units - lost)
		// Those whose units the consumer itself holds go first.
		own := func(r *cyborg.ARQ) int {
			if claimant(s, r) == c.ID() {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(use.Requests, func(a, b *cyborg.ARQ) int { return own(a) - own(b) })
		for _, r := range use.Requests {
			if excess > 0 && r.State != cyborg.ARQUnbindFailed {
				gone = append(gone, r.UUID)
				excess--
			}
		}
		if stays := min(excess, lost); stays > 0 {
			if claim.Allocations == nil {
				claim.Allocations = Amounts{}
			}
			claim.Allocations[id] = maps.Clone(claim.Allocations[id])
			claim.Allocations.Add(id, class, stays)
		}
	}
	release := []placement.Op{placement.ReplaceClaims(claim)}
	change.Ops = worldOf(s).WithLocalDisk(release)
	slices.SortStableFunc(gone, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	if len(gone) > 0 { // first: nobody is to be given a unit whose device is still attached
		change.Ops = append([]cloud.Op{cyborg.DeleteARQs{ARQs: gone}}, change.Ops...)
	}
	return change, nil
}

// PlanDropHost plans that a consumer releases all that it holds in the tree of a host,
// and keeps the rest: one that was evacuated may hold something on two.
//
// Errors: placement.ErrNotFound for the provider, and if it holds nothing there.
func PlanDropHost(s *cloud.Snapshot, consumer placement.ConsumerID, host placement.ProviderID) (Plan, error) {
	return planFor(s, host, func(s *cloud.Snapshot, p *placement.ResourceProvider) (cloud.Change, error) {
		root := s.Placement().Root(p)
		c, err := s.Placement().FindConsumer(consumer)
		if err != nil {
			return cloud.Change{}, err
		}
		keep, dropped := Amounts{}, false
		for id, amounts := range s.Placement().ConsumerRecord(c).Allocations {
			if of, ok := s.Placement().Provider(id); ok && s.Placement().Root(of) == root {
				dropped = true
			} else {
				keep[id] = amounts
			}
		}
		if !dropped {
			return cloud.Change{}, placement.NotFound("allocation", fmt.Sprintf("of %s on %s", ConsumerName(s, consumer), root.Name()))
		}
		change, err := ReleaseExceptStuck(s, consumer, keep)
		change.Note = fmt.Sprintf("release what %s holds on %s", ConsumerName(s, consumer), root.Name())
		return change, err
	})
}

// HostsHeld returns the hosts on which a consumer holds something: the roots of those
// trees, by name, without sharing pools.
func HostsHeld(s *cloud.Snapshot, consumer placement.ConsumerID) []*placement.ResourceProvider {
	c, ok := s.Placement().Consumer(consumer)
	if !ok {
		return nil
	}
	var out []*placement.ResourceProvider
	for n := range c.ProviderNumbers() {
		root := s.Placement().Root(s.Placement().ProviderAt(n))
		if !slices.Contains(out, root) && !slices.Contains(s.Placement().TraitsOf(root), placement.SharesViaAggregate) {
			out = append(out, root)
		}
	}
	slices.SortFunc(out, placement.ByName)
	return out
}

// staysAttached is attachedTo for what a consumer holds after operations.
func staysAttached(s *cloud.Snapshot, c *placement.Consumer, claim []placement.Op) error {
	for _, op := range claim {
		put, ok := op.(placement.ReplaceAllocations)
		if !ok {
			continue
		}
		for _, of := range put.Consumers {
			if of.Consumer != c.ID() {
				continue
			}
			if err := attachedTo(s, c, of.Allocations); err != nil {
				return err
			}
		}
	}
	return nil
}

// attachedTo returns an error if with a claim a consumer would lose units of a card for
// which Cyborg has attached a device.
func attachedTo(s *cloud.Snapshot, c *placement.Consumer, claim Amounts) error {
	held := s.Placement().ConsumerRecord(c).Allocations
	for _, id := range slices.SortedStableFunc(maps.Keys(held), placement.ProviderID.Compare) {
		account, class, ok := cardOf(s, id)
		if !ok {
			continue
		}
		use := account.Of(s.HolderOf(c.ID()))
		if lost := held[id][class] - claim[id][class]; lost > 0 && use.Units-lost < int64(len(use.Requests)) {
			return placement.StateErrorf("%s has an accelerator request for %s, and would hold no %s of it", ConsumerName(s, use.Holder), account.Provider.Name(), class)
		}
	}
	return nil
}

// PlanFreed plans to record, on an operator's word, that the stuck devices of a card
// were freed on the host: their requests are deleted, and the units kept for them are
// free.
//
// Errors: placement.ErrNotFound if nothing of the provider is stuck.
func PlanFreed(s *cloud.Snapshot, provider placement.ProviderID) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		c := cloud.Change{Note: "free what was stuck on " + s.Placement().ProviderName(provider)}
		var ids []uuid.UUID
		stuck := map[placement.ConsumerID]int64{} // by claimant
		for r := range s.Cyborg().ARQsAt(provider) {
			if r.State == cyborg.ARQUnbindFailed {
				ids = append(ids, r.UUID)
				stuck[claimant(s, r)]++
			}
		}
		if len(ids) == 0 {
			return c, placement.NotFound("stuck device", "of "+s.Placement().ProviderName(provider))
		}
		c.Ops = deleteFreed(ids...)
		freed(s, &c, provider, stuck)
		return c, nil
	}).Plan(s)
}

// deleteFreed returns the operations that remove requests whose devices were freed by
// hand.
func deleteFreed(ids ...uuid.UUID) []cloud.Op {
	return []cloud.Op{cyborg.ForceUnbind{ARQs: ids}, cyborg.DeleteARQs{ARQs: ids}}
}

// claimant returns who holds the unit of a request: the consumer whose uuid it has, except
// that from the claim of a move to its end the instance does for requests that the move
// made, and the migration, with the old claim, for those before. An evacuation holds nothing.
func claimant(s *cloud.Snapshot, r *cyborg.ARQ) placement.ConsumerID {
	if m, ok := s.Nova().Migration(r.Instance); ok && m.Type == nova.Evacuation {
		return m.Instance
	}
	m, err := WaitingMigration(s, s.HolderOf(r.Instance))
	if err != nil {
		return r.Instance
	}
	i, ok := s.Nova().Instance(m.Instance)
	if !ok || i.NewFlavor == "" {
		return r.Instance
	}
	switch fresh, old := (work{s: s, i: i, m: m}).fresh(); {
	case slices.Contains(fresh, r):
		return i.UUID
	case slices.Contains(old, r):
		return m.UUID
	default: // of an earlier move
		return r.Instance
	}
}

// freed adds to c that each claimant releases as many units of a card as were stuck and
// have no other request.
func freed(s *cloud.Snapshot, c *cloud.Change, provider placement.ProviderID, stuck map[placement.ConsumerID]int64) {
	account, class, ok := cardOf(s, provider)
	if !ok {
		return
	}
	left := map[placement.ConsumerID]int64{} // by holder
	for _, use := range account.Uses {
		left[use.Holder] = use.Units - use.Bound - use.Starting
	}
	for who := range s.Placement().ConsumersOf(account.Provider) {
		claim := s.Placement().AsHeld(who)
		n := min(stuck[who.ID()], left[s.HolderOf(who.ID())], claim.Allocations[provider][class])
		if n <= 0 {
			continue
		}
		left[s.HolderOf(who.ID())] -= n
		if claim.Allocations[provider][class] -= n; claim.Allocations[provider][class] == 0 {
			delete(claim.Allocations[provider], class)
		}
		if len(claim.Allocations[provider]) == 0 {
			delete(claim.Allocations, provider)
		}
		c.Ops = append(c.Ops, placement.ReplaceClaims(claim))
		if i, is := s.Nova().Instance(who.ID()); is && len(claim.Allocations) == 0 && i.VMState == nova.Broken && i.TaskState == "" {
			// An undone boot is on no host once its last device is free.
			c.Ops = append(c.Ops, i.To(i.Edit(func(i *nova.Instance) { i.Host, i.Mappings = "", nil }))...)
		}
	}
}
