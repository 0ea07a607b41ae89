package audit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// NoFix returns in a sentence why f has no Fix: what prevents it, or else the advice of
// its rule.
func NoFix(s *cloud.Snapshot, f Finding) string {
	why := ""
	switch f.Rule {
	case RuleWrongOwner:
		if p, ok := s.Placement().Provider(f.Provider); ok {
			why = noTakeoverText(s, f.Consumer, p, f.Class, otherOwner(s.Placement().Owner(p)))
		}
	case RuleOrphan:
		why = notDeleted(s, f)
	case RuleSplitClaim:
		why = notVacated(s, f)
	default:
	}
	if why == "" {
		return RuleOf(f).Advice
	}
	return why
}

// otherOwner returns the other service.
func otherOwner(owner placement.Owner) placement.Owner {
	if owner == placement.OwnedByNova {
		return placement.OwnedByCyborg
	}
	return placement.OwnedByNova
}

// noTakeoverText says why no other card of the host can take over what a consumer holds of a
// class on p.
func noTakeoverText(s *cloud.Snapshot, consumer placement.ConsumerID, p *placement.ResourceProvider, class placement.ResourceClass, owner placement.Owner) string {
	if err := attached(s, consumer, p); err != nil {
		return err.Error()
	}
	number, _ := s.Placement().ClassID(class)
	amount := int64(1)
	if c, ok := s.Placement().Consumer(consumer); ok {
		amount = max(amount, s.Placement().AsHeld(c).Allocations[p.ID()][class])
	}
	root := s.Placement().Root(p)
	t := &takeoverSearch{s: s, consumer: consumer, from: p, class: number, amount: amount, owner: owner}
	const most = 8 // how many are named
	offers := s.Placement().Offers(p, number, owner).All
	more := len(offers)
	var why []string
	for _, q := range offers {
		if len(why) == most {
			break
		}
		more--
		if q == p {
			continue
		}
		iu, _ := q.Inventory(number)
		reason := fmt.Sprintf("%d/%d used", iu.Used, iu.Capacity())
		var invalid *placement.InvalidError
		if err := t.refuses(q); errors.As(err, &invalid) && iu.Fits(iu.Used, amount) == "" {
			reason = invalid.Why
		}
		why = append(why, q.Name()+" "+reason)
	}
	if len(why) == 0 {
		return fmt.Sprintf("there is no other card of %s's with %s on %s", owner, class, root.Name())
	}
	if more > 0 {
		why = append(why, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("no other card of %s's on %s can take it: %s", owner, root.Name(), strings.Join(why, ", "))
}

// elsewhereFixes offer to migrate an instance to another host, if it then has what its
// flavor asks for. Its old claim stays until the move is confirmed.
func elsewhereFixes(s *cloud.Snapshot, f Finding, instance placement.ConsumerID) []Fix {
	i, ok := s.Nova().Instance(instance)
	if !ok || i.VMState != nova.Active && i.VMState != nova.Stopped || !hasOtherHost(s, i.Host) {
		return nil
	}
	m, after, ok := movable(s, f, instance)
	if !ok {
		return nil
	}
	_, brings := Consequences(s, after, f.asked(s).At)
	if slices.ContainsFunc(brings, func(g Finding) bool { return g.Consumer == instance }) {
		return nil
	}
	to, _ := after.Nova().Instance(instance)
	_, stands := f.StandsOn(after)
	return choices(Fix{
		Name: "migrate", Title: fmt.Sprintf("migrate %s to %s, to be confirmed once it runs there", i.Name, to.Host), Prepares: stands, course: m,
	})
}

// movable returns a move of an instance to another host that would end, and the cloud
// after it. If nova-compute has no device at the first place, the next ones are tried.
func movable(s *cloud.Snapshot, f Finding, instance placement.ConsumerID) (m ops.Move, after *cloud.Snapshot, ok bool) {
	m = ops.Move{Migration: freeMigration(s, instance), Instance: instance}
	at := f.asked(s).At
	r, err := Fix{finding: f, Prepares: true, course: m}.rehearse(s, at)
	if _, ok := errors.AsType[*ops.UnavailableError](err); !ok {
		return m, r.Final, err == nil && len(r.Steps) > 0
	}
	places, err := m.Places(s, at)
	if err != nil {
		return m, nil, false
	}
	for _, place := range places.Places[1:min(len(places.Places), 1+mostTried)] {
		m.Pick = &place
		if after, ok = (Fix{course: m}).ends(s, f); ok {
			return m, after, true
		}
	}
	return m, nil, false
}

// relieve offers to move what a consumer holds beyond the capacity of iu to another card
// of the host or, if there is none for it, an instance to another host.
func relieve(s *cloud.Snapshot, f Finding, p *placement.ResourceProvider, iu placement.InventoryUsage) []Fix {
	if x, ok := confirming(s, p, iu); ok {
		return choices(x) // nothing can be reverted then, and only people know whether the guest works
	}
	if out := moveAway(s, f, p, iu); len(out) > 0 {
		return out
	}
	for n, c := range leastFirst(s, p, iu.Class) {
		if n == mostTried {
			break
		}
		if out := elsewhereFixes(s, f, c); len(out) > 0 {
			return out
		}
	}
	return nil
}

// confirming returns the fix of a provider that holds too much only as long as a move from it
// waits to be confirmed: another move, as after the first was asked for, would be one too many.
func confirming(s *cloud.Snapshot, p *placement.ResourceProvider, iu placement.InventoryUsage) (Fix, bool) {
	for c := range s.Placement().ConsumersOf(p) {
		m, ok := s.Nova().Migration(c.ID())
		if !ok || m.Status != nova.Finished {
			continue
		}
		for class, amount := range s.Placement().UsedBy(c, p) {
			if class == iu.Class && amount >= iu.Used-iu.Capacity() {
				return Fix{
					Name: "confirm", Title: fmt.Sprintf("confirm the move of %s, whose old place here is then free", ops.ConsumerName(s, m.Instance)),
					course: ops.Confirm{Migration: m.UUID},
				}, true
			}
		}
	}
	return Fix{}, false
}

// mostTried is how many instances of a provider are tried elsewhere, before it is left to
// the operator to find one that can leave.
const mostTried = 3

// leastFirst returns the consumers that hold something of a class on p, those with the
// least first.
func leastFirst(s *cloud.Snapshot, p *placement.ResourceProvider, class placement.ClassID) []placement.ConsumerID {
	held := map[placement.ConsumerID]int64{}
	for c := range s.Placement().ConsumersOf(p) {
		for of, amount := range s.Placement().UsedBy(c, p) {
			if of == class {
				held[c.ID()] += amount
			}
		}
	}
	return slices.SortedStableFunc(maps.Keys(held), func(a, b placement.ConsumerID) int {
		return cmp.Or(cmp.Compare(held[a], held[b]), a.Compare(b))
	})
}

// freeMigration returns an unused uuid for a migration of an instance: the same one until
// it is used.
func freeMigration(s *cloud.Snapshot, instance placement.ConsumerID) placement.ConsumerID {
	for n := 1; ; n++ {
		id := placement.ConsumerID(uuid.NewSHA1(uuid.UUID(instance), fmt.Appendf(nil, "migration %d", n)))
		if _, taken := s.Nova().Migration(id); !taken {
			return id
		}
	}
}

// hasOtherHost reports whether there is a provider to move to outside the trees of the
// given host: without one there is no need to rehearse a migration, which takes longer
// the more instances the host has.
func hasOtherHost(s *cloud.Snapshot, host string) bool {
	for n := range s.Placement().RootSet().All() {
		if ops.HostOf(s, s.Placement().ProviderAt(n)) != host {
			return true
		}
	}
	return false
}
