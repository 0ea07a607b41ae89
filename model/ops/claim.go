package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// PlanClaim plans to create the allocation that w wishes, on option o. The consumer
// must not hold anything yet: a claim replaces, it does not add.
//
// Errors: placement.ErrExists for a consumer that holds something already;
// placement.ErrCapacity if o no longer fits; placement.ErrInvalid for a field
// of w, or an o that is not one of w.
func PlanClaim(s *cloud.Snapshot, w Wish, o Option) (Plan, error) {
	if w.Consumer.IsZero() {
		return Plan{}, &placement.InvalidError{Field: "consumer", Why: "a uuid is required"}
	}
	if !o.Fits() {
		return Plan{}, placement.Invalid("provider", o.Anchor.Name(), "the wish does not fit: "+o.Why())
	}
	again := Decider(func(s *cloud.Snapshot) (cloud.Change, error) { return claimChange(s, w, o) })
	return again.Plan(s)
}

// claimChange decides a claim on the providers of o, if each still has room for its part,
// and they have what w asks of them.
func claimChange(s *cloud.Snapshot, w Wish, o Option) (cloud.Change, error) {
	if has, ok := s.Placement().Consumer(w.Consumer); ok {
		return cloud.Change{}, fmt.Errorf("%w: it holds %s; release that first",
			&placement.ExistsError{What: "consumer", Field: "uuid", Value: w.Consumer.String()}, ClaimLine(s.Placement(), has))
	}
	left := maps.Clone(w.Resources)
	allocations := placement.Amounts{}
	for _, p := range o.Parts {
		if left[p.Class] != p.Amount {
			return cloud.Change{}, placement.Invalid(string(p.Class), fmt.Sprint(p.Amount), "is not what the wish asks for")
		}
		delete(left, p.Class)
		allocations.Add(p.Provider.ID(), p.Class, p.Amount)
	}
	if len(left) > 0 {
		first := slices.Min(slices.Collect(maps.Keys(left)))
		return cloud.Change{}, placement.Invalid(string(first), o.Anchor.Name(), "no provider is chosen for it")
	}
	change := allocate(w, o.Anchor.Name(), allocations)
	asked, err := w.ask(s, candidates.NewIndex(s.Placement()))
	if err != nil {
		return cloud.Change{}, err
	}
	if !asked.Holds(o.Offer) {
		if _, _, err := s.Apply(change); err != nil { // it says which provider lacks room
			return cloud.Change{}, err
		}
		return cloud.Change{}, placement.StateErrorf("%s is no longer the candidate that was chosen: its traits, aggregates or pools have changed; choose again", o.Anchor.Name())
	}
	return change, nil
}

// PlanChosen plans to create the allocation that w wishes, from providers already
// chosen, on the tree called name. The consumer must not hold anything yet.
//
// Errors: those of placement.ReplaceAllocations.
func PlanChosen(s *cloud.Snapshot, w Wish, name string, allocations Amounts) (Plan, error) {
	return PlanChange(s, allocate(w, name, allocations))
}

// allocate returns the change that gives a consumer allocations in the tree called name.
func allocate(w Wish, name string, allocations Amounts) cloud.Change {
	return cloud.Change{
		Note: fmt.Sprintf("allocate %s on %s", api.Resources(w.Resources), name),
		Ops: []placement.Op{placement.ReplaceClaims(placement.Claim{
			Consumer: w.Consumer, Generation: placement.NewConsumer(), Type: w.Type,
			Project: w.Project, User: w.User, Allocations: allocations,
		})},
	}
}

// PlanRelease plans to release what a consumer holds: all of it, or if from is set,
// only what it holds on that provider. It is a PUT guarded by the consumer's
// generation, never a DELETE. A compute node whose disks are on a pool then has no
// more DISK_GB of its own than others hold.
//
// Errors: placement.ErrNotFound if the consumer holds nothing, or nothing
// there.
func PlanRelease(s *cloud.Snapshot, consumer placement.ConsumerID, from placement.ProviderID) (Plan, error) {
	again := Decider(func(s *cloud.Snapshot) (cloud.Change, error) { return releaseChange(s, consumer, from) })
	return again.Plan(s)
}

func releaseChange(s *cloud.Snapshot, consumer placement.ConsumerID, from placement.ProviderID) (cloud.Change, error) {
	c, err := s.Placement().FindConsumer(consumer)
	if err != nil {
		return cloud.Change{}, err
	}
	claim := placement.Claim{Consumer: consumer, Generation: c.Expect()}
	note := "release all of " + ConsumerName(s, consumer)
	if !from.IsZero() {
		rest := s.Placement().ConsumerRecord(c)
		if _, holds := rest.Allocations[from]; !holds {
			return cloud.Change{}, placement.NotFound("allocation", fmt.Sprintf("of %s on %s", consumer, s.Placement().ProviderName(from)))
		}
		delete(rest.Allocations, from)
		if len(rest.Allocations) > 0 {
			claim.Type, claim.Project, claim.User, claim.Allocations = c.Type(), c.Project(), c.User(), rest.Allocations
			note = fmt.Sprintf("release what %s holds on %s", ConsumerName(s, consumer), s.Placement().ProviderName(from))
		}
	}
	release := []placement.Op{placement.ReplaceClaims(claim)}
	return cloud.Change{Note: note, Ops: worldOf(s).WithLocalDisk(release)}, nil
}

// warnOfRelease adds what breaks if a consumer loses holdings: nothing does if it is an
// orphan, unknown to Nova, or runs elsewhere.
func warnOfRelease(all *remarks, s *cloud.Snapshot, id placement.ConsumerID, lost []Holding) {
	elsewhere := func(host string) bool {
		return !slices.ContainsFunc(lost, func(h Holding) bool {
			p, ok := s.Placement().Provider(h.Provider)
			if !ok {
				return true
			}
			n, ok := s.Nova().ComputeNode(s.Placement().Root(p).ID())
			return !ok || n.Host == host
		})
	}
	if i, ok := s.Nova().Instance(id); ok && i.VMState != nova.Deleted && !elsewhere(i.Host) {
		one := fmt.Sprintf("%%s is %s on %s: it keeps running, and what it uses may be given to others", i.VMState, i.Host)
		many := fmt.Sprintf("%%s are %s on %s: they keep running, and what they use may be given to others", i.VMState, i.Host)
		if slices.ContainsFunc(lost, func(h Holding) bool { return h.Class.MayBeOfPort() }) {
			one += "; only Neutron knows what its ports were promised, and healing does not restore that"
			many += "; only Neutron knows what their ports were promised, and healing does not restore that"
		}
		all.add(one, many, i.Name)
		return
	}
	if m, ok := s.Nova().Migration(id); ok && m.Status.HoldsClaim() {
		one := fmt.Sprintf("%%s has status %s: without its allocations on %s it cannot be reverted", m.Status, m.Source)
		many := fmt.Sprintf("%%s have status %s: without their allocations on %s they cannot be reverted", m.Status, m.Source)
		all.add(one, many, ConsumerName(s, id))
	}
}

// ConsumerName returns the display name of a consumer: that of its instance, of what
// its migration moves, or its uuid; "nobody" for the zero uuid, which accelerator requests
// have that are bound to no instance.
func ConsumerName(s *cloud.Snapshot, id placement.ConsumerID) string {
	if id.IsZero() {
		return "nobody"
	}
	if m, ok := s.Nova().Migration(id); ok {
		if i, ok := s.Nova().Instance(m.Instance); ok {
			return string(m.Type) + " of " + i.Name
		}
	}
	if i, ok := s.Nova().Instance(id); ok {
		return i.Name
	}
	return id.String()
}

// ClaimLine says what a consumer holds and where, as "MEMORY_MB 4096, VCPU 2 on
// cmp-001; VGPU 1 on cmp-001_gpu0".
func ClaimLine(s *placement.Snapshot, c *placement.Consumer) string {
	var parts, classes []string
	var last *placement.ResourceProvider
	flush := func() {
		if last != nil {
			parts = append(parts, strings.Join(classes, ", ")+" on "+last.Name())
		}
		classes = nil
	}
	for al := range s.Allocations(c) {
		if al.Provider != last {
			flush()
			last = al.Provider
		}
		classes = append(classes, fmt.Sprintf("%s %d", s.ClassName(al.Class), al.Used))
	}
	flush()
	return strings.Join(parts, "; ")
}
