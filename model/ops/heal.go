package ops

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/nova/tracker"
	"github.com/placetop/placetop/model/placement"
)

// HealOutcome is the result of healing one instance.
type HealOutcome string

// The outcomes.
const (
	HealClaim   HealOutcome = "claim"      // it gets what its flavor asks for
	HealOwner   HealOutcome = "owner"      // what it holds gets its project and its user
	HealNothing HealOutcome = "fine"       // it has all
	HealPartial HealOutcome = "partial"    // it holds something else than its flavor asks for, and is not to be forced
	HealSkipped HealOutcome = "skipped"    // something is being done to it, it is on no host, or what it should hold is not known
	HealRefused HealOutcome = "refused"    // nothing says from which provider it takes what it needs
	HealNoNode  HealOutcome = "no node"    // its host has no compute node
	HealNoRoom  HealOutcome = "impossible" // Placement would refuse what it needs
)

// Heal is what healing does for one instance.
type Heal struct {
	Instance *nova.Instance
	Outcome  HealOutcome
	Why      string // of what is not healed, left out of it, or not known; "" otherwise
	Plan     Plan   // of HealClaim and HealOwner; to be run by itself
}

// HealOptions say what to heal. The zero value heals every instance that holds
// nothing.
type HealOptions struct {
	Instance placement.ConsumerID // only this one; the zero id for all
	Force    bool                 // also correct what an instance holds beyond its flavor, or on other hosts
	Most     int                  // how many instances to heal at most; 0 for any number
}

// PlanHeal plans to give instances that hold nothing what their flavors ask for, and
// to correct the project and user of claims; sorted by instance uuid, without deleted
// ones. A unit of a card is claimed only if the instance's mappings say which card.
// What ports were promised is recorded only in a claim: on hosts where Neutron counts
// bandwidth, its omission is reported.
//
// Errors: placement.ErrNotFound for a given instance that does not live.
//
// Source: nova/cmd/manage.py, heal_allocations.
func PlanHeal(s *cloud.Snapshot, o HealOptions) ([]Heal, error) {
	if !o.Instance.IsZero() {
		i, ok := s.Nova().Instance(o.Instance)
		if !ok || !i.Live() {
			return nil, noInstance(s, o.Instance)
		}
		return []Heal{planHeal(s, i, o.Force)}, nil
	}
	var out []Heal
	planned := 0
	for i := range s.Nova().Instances() {
		if !i.Live() {
			continue
		}
		if o.Most > 0 && planned == o.Most {
			break
		}
		h := planHeal(s, i, o.Force)
		if !h.Plan.Empty() {
			planned++
		}
		out = append(out, h)
	}
	return out, nil
}

// planHeal plans for one instance.
func planHeal(s *cloud.Snapshot, i *nova.Instance, force bool) Heal {
	switch busy := doneTo(s, i); {
	case busy != "":
		return Heal{Instance: i, Outcome: HealSkipped, Why: "it is " + busy}
	case i.Host == "":
		why, known := noHost(s, i)
		if !known {
			return Heal{Instance: i, Outcome: HealRefused, Why: why}
		}
		return Heal{Instance: i, Outcome: HealSkipped, Why: why}
	}
	again := func(force bool) (Plan, error) {
		return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
			return HealChange(s, i.UUID, force)
		}).With(func(p Plan) []string {
			if why := leavesPorts(p, i); why != "" {
				return []string{i.Name + ": " + why}
			}
			return nil
		}).Plan(s)
	}
	plan, err := again(force)
	if err == nil && !force {
		// A claim of which part was lost is completed: nothing is taken away from it.
		if whole, err := again(true); err == nil && whole.onlyAdds() {
			plan = whole
		}
	}
	var unknown *tracker.UnknownProviderError
	switch {
	case errors.As(err, &unknown), errors.Is(err, placement.ErrUnavailable): // as a part was not read
		return Heal{Instance: i, Outcome: HealRefused, Why: err.Error()}
	case errors.Is(err, errNoNode):
		return Heal{Instance: i, Outcome: HealNoNode, Why: err.Error()}
	case err != nil:
		return Heal{Instance: i, Outcome: HealNoRoom, Why: err.Error()}
	case plan.Empty():
		return healResult(s, i)
	}
	if plan.Preview.moves() {
		return Heal{Instance: i, Outcome: HealClaim, Plan: plan, Why: leavesPorts(plan, i)}
	}
	return Heal{Instance: i, Outcome: HealOwner, Plan: plan}
}

// onlyAdds reports whether a plan takes nothing from any consumer.
func (p Plan) onlyAdds() bool {
	for _, d := range p.Preview.Consumers {
		if _, lost := d.Holds(); len(lost) > 0 {
			return false
		}
	}
	return !p.Empty()
}

// moves reports whether any consumer's holdings change with p.
func (p Preview) moves() bool {
	return slices.ContainsFunc(p.Consumers, func(d ConsumerDiff) bool {
		gained, lost := d.Holds()
		return len(gained)+len(lost) > 0
	})
}

// leavesPorts says that a plan which heals an instance leaves out the bandwidth of its
// ports, "" if it does not.
func leavesPorts(p Plan, i *nova.Instance) string {
	if !p.Preview.moves() || !countsPorts(p.On, i.Host) || len(portsOn(p.On, i.UUID, i.Host)) > 0 {
		return ""
	}
	return "what Neutron promised its ports is left out: only Neutron knows it, and here it was lost with the allocations"
}

// healResult says whether an instance for which nothing is planned holds everything.
func healResult(s *cloud.Snapshot, i *nova.Instance) Heal {
	c, holds := s.Placement().Consumer(i.UUID)
	forced, err := HealChange(s, i.UUID, true)
	switch {
	case holds && err != nil:
		return Heal{Instance: i, Outcome: HealSkipped, Why: "whether it holds what it should is not known: " + err.Error()}
	case holds && err == nil && len(forced.Ops) == 0:
		if away := offHomes(s, s.Placement().ConsumerRecord(c).Allocations, HomesOf(s, i)); len(away) > 0 { // see bringHome
			why := "it still holds %s: that stays until its migration is over"
			for m := range s.Nova().MigrationsOf(i.UUID) {
				switch {
				case m.Evacuating():
					why = "it was evacuated and still holds %s: Nova takes that away once nova-compute is up there"
				case m.Status == nova.Finished:
					why = "it was moved and still holds %s: that stays until the move is confirmed or reverted"
				}
			}
			return Heal{Instance: i, Outcome: HealSkipped, Why: fmt.Sprintf(why, strings.Join(away, ", "))}
		}
		why := ""
		if countsPorts(s, i.Host) && len(portsOn(s, i.UUID, i.Host)) == 0 {
			why = "whether its ports ask for bandwidth is not known here: only Neutron knows it"
		}
		return Heal{Instance: i, Outcome: HealNothing, Why: why}
	case !holds:
		return Heal{Instance: i, Outcome: HealNothing}
	}
	return Heal{
		Instance: i, Outcome: HealPartial,
		Why: fmt.Sprintf("it holds %s, which is not what its flavor %s asks for on %s: it takes force", ClaimLine(s.Placement(), c), nova.FlavorName(i.Flavor), i.Host),
	}
}

// errNoNode is matched by errors about a missing compute node.
var errNoNode = errors.New("no compute node")

// HealChange returns the Change that heals an instance, an empty one if it holds
// everything. With force it keeps only what its flavor asks for on its host, and
// nothing on other hosts.
//
// Errors: placement.ErrNotFound for an instance that does not live; placement.ErrState for one
// to which something is being done; those of tracker.World.Claim.
func HealChange(s *cloud.Snapshot, id placement.ConsumerID, force bool) (cloud.Change, error) {
	i, ok := s.Nova().Instance(id)
	if !ok || !i.Live() {
		return cloud.Change{}, noInstance(s, id)
	}
	if busy := doneTo(s, i); busy != "" && s.Live() { // it may hold what it is about to use, on a host where it is not yet
		return cloud.Change{}, placement.StateErrorf("%s is %s", i.Name, busy)
	}
	c := cloud.Change{Note: "heal the allocations of " + i.Name}
	has, holds := s.Placement().Consumer(id)
	if !holds || force {
		claim, err := claimOps(s, i)
		if err != nil {
			return c, err
		}
		if holds {
			if claim, err = bringHome(s, i, has, claim); err != nil {
				return c, err
			}
			if err := staysAttached(s, has, claim); err != nil {
				return c, err
			}
		}
		if c.Ops = claim; len(claim) > 0 {
			return c, nil
		}
	}
	if holds && (has.Project() != i.Project || has.User() != i.User) {
		claim := s.Placement().AsHeld(has)
		claim.Project, claim.User = i.Project, i.User
		c.Ops = append(c.Ops, placement.ReplaceClaims(claim))
	}
	return c, nil
}

// doneTo returns what is being done to an instance, "" for nothing. On a live cloud its state may say
// nothing of that, as after openstack server set --state.
func doneTo(s *cloud.Snapshot, i *nova.Instance) string {
	if m := s.Nova().Moving(i.UUID); s.Live() && m != nil && !m.Status.Waits() {
		return fmt.Sprintf("being moved: its %s is %s", m.Type, m.Status)
	}
	return string(i.TaskState)
}

// claimOps returns the operations after which an instance holds what its flavor asks for
// on its host, none if it already does.
func claimOps(s *cloud.Snapshot, i *nova.Instance) ([]placement.Op, error) {
	f, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		return nil, noFlavor(s, i.Flavor)
	}
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return nil, err
	}
	row, err := nodeOf(s, i)
	if err != nil {
		return nil, err
	}
	node, err := tracker.ReadNode(row)
	if err != nil {
		return nil, err
	}
	w := worldOf(s)
	return w.Claim(node, i, spec.Devices)
}

// nodeOf returns the compute node of an instance: the one that it names, the only one of its
// host, or the only one whose tree it holds something of.
func nodeOf(s *cloud.Snapshot, i *nova.Instance) (*nova.ComputeNode, error) {
	nodes := slices.Collect(s.Nova().NodesOf(i))
	switch len(nodes) {
	case 0:
		if err := s.Missing(placement.NotFound("compute node of host", i.Host), cloud.Hypervisors); errors.Is(err, placement.ErrUnavailable) {
			return nil, err
		}
		return nil, fmt.Errorf("host %s of %s: %w", i.Host, i.Name, errNoNode)
	case 1:
		return nodes[0], nil
	}
	holds := nodes[:0:0]
	if c, ok := s.Placement().Consumer(i.UUID); ok {
		for _, node := range nodes {
			root, ok := s.Placement().Provider(node.UUID)
			if ok && slices.ContainsFunc(slices.Collect(c.ProviderNumbers()), func(n int) bool { return s.Placement().Root(s.Placement().ProviderAt(n)) == root }) {
				holds = append(holds, node)
			}
		}
	}
	if len(holds) != 1 {
		return nil, placement.StateErrorf("%s runs on %s, and which of its %d compute nodes that is on is not known: put its object with the right node first", i.Name, i.Host, len(nodes))
	}
	return holds[0], nil
}
