package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// transition is the story of how virtual GPUs go from Nova's cards to Cyborg's. Its
// instances and migrations are known by uuids that only it uses.
type transition struct {
	index *candidates.Indexer
}

// The flavors of the story: a virtual GPU of Nova's, one of Cyborg's, one of each.
func novaFlavor() string   { return gpu(placement.OwnerNova, 1).name }
func cyborgFlavor() string { return gpu(placement.OwnerCyborg, 1).name }
func bothFlavor() string   { return gpuBoth().name }

// The instances that the story boots.
const (
	landedName = "viz-wall-1" // is placed on the wrong card, where it cannot run
	bothName   = "viz-wall-2" // has a virtual GPU of each owner
)

// transitionScript returns the story of the ownership transition.
func transitionScript() Script {
	t := &transition{index: &candidates.Indexer{}}
	var steps []Step
	steps = append(steps, t.gateActs()...)
	steps = append(steps, t.upgradeActs()...)
	steps = append(steps, t.forwardActs()...)
	steps = append(steps, t.returnActs()...)
	steps = append(steps, t.crashActs()...)
	steps = append(steps, t.repairActs()...)
	return Script{Name: "transition", Title: "virtual GPUs go from Nova to Cyborg", Steps: steps, ready: t.ready}
}

// ready asks for the flavors of the story, and for an old compute unless the story
// has begun.
func (t *transition) ready(s *cloud.Snapshot) error {
	for _, name := range []string{novaFlavor(), cyborgFlavor(), bothFlavor()} {
		if _, ok := s.Nova().FlavorNamed(name); !ok {
			return fmt.Errorf("the cloud has no flavor %s, which the story is about: make one of %d hosts or more: %w", name, DefaultHosts, placement.ErrUnsupported)
		}
	}
	if _, begun := s.Nova().Instance(landed()); !begun && s.Nova().Gate().Open {
		return fmt.Errorf("every nova-compute is upgraded already, and the story begins with an old one: make a new cloud of %d hosts or more: %w",
			DefaultHosts, placement.ErrUnsupported)
	}
	return nil
}

// role returns the uuid of an instance or a migration in the story.
func role(name string) placement.ConsumerID { return placement.ConsumerID(named("transition", name)) }

func landed() placement.ConsumerID { return role(landedName) }
func both() placement.ConsumerID   { return role(bothName) }

// mostTries is how many times a resize of the story may be started.
const mostTries = 50

// move returns the uuid of the migration of an act: the newest unless that failed, or
// else the next free one.
func move(s *cloud.Snapshot, act string) placement.ConsumerID {
	var id placement.ConsumerID
	for try := range mostTries {
		id = role(fmt.Sprintf("%s %d", act, try+1))
		m, ok := s.Nova().Migration(id)
		if !ok || m.Status != nova.Error && (m.Status != nova.Reverted || act == actAgain) {
			break
		}
	}
	return id
}

// The acts that resize an instance.
const (
	actForward = "forward" // from Nova to Cyborg, confirmed
	actBack    = "back"    // another, from Cyborg to Nova, confirmed
	actAgain   = "again"   // another, from Nova to Cyborg, reverted
	actCrash   = "crash"   // another, from Nova to Cyborg, interrupted, finished and confirmed
)

// moved returns migration and instance of an act.
func moved(s *cloud.Snapshot, act string) (*nova.Migration, *nova.Instance, bool) {
	m, ok := s.Nova().Migration(move(s, act))
	if !ok {
		return nil, nil, false
	}
	i, ok := s.Nova().Instance(m.Instance)
	return m, i, ok
}

// statusOf reports whether the migration of an act has one of the statuses.
func statusOf(s *cloud.Snapshot, act string, states ...nova.MigrationStatus) bool {
	m, _, ok := moved(s, act)
	if !ok {
		return false
	}
	return slices.Contains(states, m.Status)
}

// running reports whether an instance has been booted and is active.
func running(s *cloud.Snapshot, id placement.ConsumerID) bool {
	i, ok := s.Nova().Instance(id)
	return ok && i.Live() && i.VMState == nova.Active
}

// boot returns the Course that boots an instance of the story.
func (t *transition) boot(id placement.ConsumerID, name, flavor string) ops.Boot {
	who := gpuTenants()[2]
	return ops.Boot{
		Instance: id, Indexer: t.index,
		Wish: ops.BootWish{Name: name, Flavor: flavor, Project: who.project, User: who.users[0]},
	}
}

// begin returns what boots an instance of the story at the place that pick chooses, or
// continues if it already has its claim.
//
// Errors: placement.ErrState if the instance is gone, or did not start.
func begin(s *cloud.Snapshot, b ops.Boot, pick func(*cloud.Snapshot) (ops.Place, error)) (Deed, error) {
	i, made := s.Nova().Instance(b.Instance)
	if made && (!i.Live() || i.VMState == nova.Broken) {
		return Deed{}, placement.StateErrorf("%s is %s, and the story needs it: make a new cloud", i.Name, i.VMState)
	}
	if _, claimed := s.Placement().Consumer(b.Instance); !claimed {
		at, err := pick(s)
		if err != nil {
			return Deed{}, err
		}
		b.Pick = &at
	}
	return Deed{Tasks: []ops.Task{b}}, nil
}

// places returns where an instance with a flavor may land, except for contested hosts:
// their trouble is another story.
func (t *transition) places(s *cloud.Snapshot, name, flavor string) ([]ops.Place, error) {
	places, err := t.boot(role("any "+name), name, flavor).Places(s, time.Time{})
	if err != nil {
		return nil, err
	}
	return clean(s, places.Places), nil
}

// clean returns the places on hosts where each device has one owner, and no card has two
// providers.
func clean(s *cloud.Snapshot, places []ops.Place) []ops.Place {
	contested := map[placement.ProviderID]bool{}
	of := insight.Owners(s)
	for _, h := range of.Hosts {
		for _, c := range h.Cards {
			contested[h.Root] = contested[h.Root] || c.Owner == placement.OwnedByBoth || c.Owner == placement.OwnedByNone
		}
	}
	for _, f := range of.Twice {
		if q, ok := s.Placement().Provider(f.Provider); ok {
			contested[s.Placement().Root(q).ID()] = true
		}
	}
	var out []ops.Place
	for _, at := range places {
		if !contested[at.Root] {
			out = append(out, at)
		}
	}
	return out
}

// cardsIn returns the providers of VGPUs in a place, by owner.
func cardsIn(s *cloud.Snapshot, at ops.Place) map[placement.Owner][]*placement.ResourceProvider {
	out := map[placement.Owner][]*placement.ResourceProvider{}
	for id, amounts := range at.Allocations {
		if q, ok := s.Placement().Provider(id); ok && amounts[placement.VGPU] > 0 {
			out[s.Placement().Owner(q)] = append(out[s.Placement().Owner(q)], q)
		}
	}
	return out
}

// resize returns the Course that resizes an instance of one flavor to another: the first
// that may be resized, those on host before all others, to the first place with room for
// it.
//
// Errors: placement.ErrNotFound if there is no such instance.
func (t *transition) resize(s *cloud.Snapshot, act, host, from, to string) (ops.Move, error) {
	var second *ops.Move
	for i := range s.Nova().Instances() {
		if i.Flavor != from || second != nil && i.Host != host {
			continue
		}
		m, ok := t.mover(s, act, i, to)
		if ok && i.Host == host {
			return m, nil
		}
		if ok {
			second = &m
		}
	}
	if second == nil {
		return ops.Move{}, &placement.NotFoundError{What: "instance to resize with flavor", Name: from + " to " + to}
	}
	return *second, nil
}

// mover returns the Course that resizes i, and whether it may start. Instances that were
// moved before and not back, were booted by the story, or are on a card of the wrong
// owner are left out.
func (t *transition) mover(s *cloud.Snapshot, act string, i *nova.Instance, to string) (ops.Move, bool) {
	m := ops.Move{Migration: move(s, act), Instance: i.UUID, Flavor: to, Indexer: t.index}
	if !i.Live() || i.UUID == landed() || i.UUID == both() {
		return m, false
	}
	for earlier := range s.Nova().MigrationsOf(i.UUID) {
		if earlier.Status != nova.Reverted {
			return m, false
		}
	}
	of := placement.OwnedByNova
	if i.Flavor == cyborgFlavor() {
		of = placement.OwnedByCyborg
	}
	if has := VGPUsOf(s, i.UUID); len(has) != 1 || has[of] == 0 {
		return m, false
	}
	for _, c := range m.Checks(s, time.Time{}) {
		if c.Refusal != nil {
			return m, false
		}
	}
	places, err := m.Places(s, time.Time{})
	if err != nil {
		return m, false
	}
	for _, at := range clean(s, places.Places) {
		m.Pick = &at
		return m, true
	}
	return m, false
}
