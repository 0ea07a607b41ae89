package ops

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Handover is the transfer of a card from one service to the other: its inventory is
// reserved so that nothing new lands on it, its users leave, then it gets the new
// owner and is opened again. Its progress is kept in the cloud itself, so anybody may
// stop it and continue at any time.
type Handover struct {
	Provider placement.ProviderID
	To       placement.Owner // OwnedByNova or OwnedByCyborg
	// Keep says that what is reserved of the card was reserved for something else, such
	// as maintenance, and stays so. Nothing in the cloud tells the two apart.
	Keep bool
}

// HandoverStage is how far a Handover is.
type HandoverStage struct {
	Drained bool                      // all of its accelerators is reserved
	Stays   StaysReserved             // why giving it does not end that; zero if it does, and of what is not drained
	Holders []*placement.Consumer     // who has it of the other service and must leave, by uuid
	Given   bool                      // it has the new owner, and no other
	Classes []placement.ResourceClass // its accelerators, by name
}

// Opens reports whether giving the card ends what it was drained for.
func (s HandoverStage) Opens() bool { return s.Drained && s.Stays == 0 }

// StaysReserved is why a card that was drained stays reserved when it is given.
type StaysReserved uint8

// The reasons.
const (
	StaysOneTime  StaysReserved = iota + 1 // it is for one-time use: cleaning it makes it available
	StaysDisabled                          // its device is disabled in Cyborg: enabling that makes it available
	StaysAsked                             // Handover.Keep
)

// Stage returns how far the handover is.
//
// Errors: placement.ErrNotFound for the provider; placement.ErrInvalid for one that is
// no card, and for an owner who cannot have one.
func (h Handover) Stage(s *cloud.Snapshot) (HandoverStage, error) {
	p, err := h.card(s)
	if err != nil {
		return HandoverStage{}, err
	}
	out := HandoverStage{Drained: true, Given: s.Placement().Owner(p) == h.To}
	for _, iu := range p.Inventories() {
		if class := s.Placement().ClassName(iu.Class); class.IsAccelerator() {
			out.Classes = append(out.Classes, class)
			out.Drained = out.Drained && iu.Reserved == iu.Total
		}
	}
	slices.Sort(out.Classes)
	if out.Drained {
		out.Stays = h.stays(s, p)
	}
	for c := range s.Placement().ConsumersOf(p) {
		if h.leaves(s, p, c.ID()) {
			out.Holders = append(out.Holders, c)
		}
	}
	slices.SortStableFunc(out.Holders, func(a, b *placement.Consumer) int { return a.ID().Compare(b.ID()) })
	return out, nil
}

// leaves reports whether a consumer has the card from another service than its new owner:
// from Cyborg if there is an accelerator request. In a move the claim may be the
// migration's while the request is the instance's, or the other way round. In a live cloud,
// of which not all requests may be told, what a card of Cyborg's is held for is only known to
// be Nova's if a flavor asks Nova for it.
func (h Handover) leaves(s *cloud.Snapshot, p *placement.ResourceProvider, id placement.ConsumerID) bool {
	ofCyborg := false
	for a := range s.Cyborg().ARQsAt(h.Provider) {
		ofCyborg = ofCyborg || s.HolderOf(a.Instance) == s.HolderOf(id)
	}
	if h.To == placement.OwnedByCyborg {
		return !ofCyborg
	}
	if owner := s.Placement().Owner(p); !ofCyborg && s.Live() && (owner == placement.OwnedByCyborg || owner == placement.OwnedByBoth) {
		i, ok := s.Nova().Instance(s.HolderOf(id))
		return !ok || asksForCard(s, i, p) != placement.OwnedByNova
	}
	return ofCyborg
}

// asksForCard returns which service the flavor of an instance asks for accelerators as those of
// a card, OwnedByNone if none, or if that is not known.
func asksForCard(s *cloud.Snapshot, i *nova.Instance, p *placement.ResourceProvider) placement.Owner {
	f, ok := s.Nova().Flavor(i.Flavor)
	if !ok {
		return placement.OwnedByNone
	}
	for key, value := range f.ExtraSpecs {
		if strings.HasPrefix(key, "trait") && strings.HasSuffix(key, ":"+string(placement.OwnerCyborg)) && value == "required" {
			return placement.OwnedByCyborg
		}
	}
	spec, err := RequestSpecOf(s, i, f)
	if err != nil {
		return placement.OwnedByNone
	}
	groups, err := nova.Amounts(spec)
	if err != nil {
		return placement.OwnedByNone
	}
	for _, g := range groups {
		for class := range g.Amounts {
			if _, has := s.Placement().InventoryOf(p, class); has && class.IsAccelerator() {
				return g.Source.Owner()
			}
		}
	}
	if f.ByAlias() && f.DeviceProfile() == "" {
		return placement.OwnedByNova
	}
	return placement.OwnedByNone
}

// unclaimed returns an instance on the host of a card whose flavor asks for accelerators as those
// of the card, and that holds none: which one it has is not known. It returns nil for none.
func unclaimed(s *cloud.Snapshot, p *placement.ResourceProvider) *nova.Instance {
	for i := range s.Nova().InstancesOn(HostOf(s, s.Placement().Root(p))) {
		if !i.Live() || asksForCard(s, i, p) == placement.OwnedByNone {
			continue
		}
		has, _ := held(s, i.UUID)
		sum := has.Sum()
		for m := range s.Nova().MigrationsOf(i.UUID) {
			parked, _ := held(s, m.UUID)
			for class, n := range parked.Sum() {
				sum[class] += n
			}
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(sum)), placement.ResourceClass.IsAccelerator) {
			return i
		}
	}
	return nil
}

// Failed reports whether a holder is a failed migration, whose guest runs elsewhere and
// has nothing to leave the card with; and if so whether its device is stuck, so that an
// operator has to free it first.
func (h Handover) Failed(s *cloud.Snapshot, id placement.ConsumerID) (failed, stuck bool) {
	m, ok := s.Nova().Migration(id)
	if !ok || m.Status != nova.Error {
		return false, false
	}
	d, ok := s.Cyborg().DeployableAt(h.Provider)
	if !ok {
		return true, false
	}
	a, ok := s.CardAccount(d)
	return true, ok && a.Of(m.Instance).Stuck > 0
}

// stays returns why a card stays reserved when it is given, zero if it does not.
func (h Handover) stays(s *cloud.Snapshot, p *placement.ResourceProvider) StaysReserved {
	d, reported := s.Cyborg().DeployableAt(p.ID())
	switch {
	case oneTime(s, p):
		return StaysOneTime
	case reported && s.Cyborg().Disabled(d):
		return StaysDisabled
	case h.Keep:
		return StaysAsked
	default:
		return 0
	}
}

// oneTime reports whether a card is for one-time use: Nova reserves all of it once it is
// in use, so that nobody gets the data on it before the operator has cleaned it.
//
// Source: nova/compute/pci_placement_translator.py, HW_PCI_ONE_TIME_USE.
func oneTime(s *cloud.Snapshot, p *placement.ResourceProvider) bool {
	id, known := s.Placement().TraitID(placement.HWPCIOneTimeUse)
	return known && p.HasTrait(id)
}

// card returns the provider that is handed over.
func (h Handover) card(s *cloud.Snapshot) (*placement.ResourceProvider, error) {
	p, err := s.Placement().FindProvider(h.Provider)
	if err != nil {
		return nil, err
	}
	if h.To != placement.OwnedByNova && h.To != placement.OwnedByCyborg {
		return nil, placement.Invalid("owner", h.To.String(), "must be nova or cyborg")
	}
	if p.IsRoot() || !slices.ContainsFunc(p.Inventories(), func(iu placement.InventoryUsage) bool {
		return s.Placement().ClassName(iu.Class).IsAccelerator()
	}) {
		return nil, placement.Invalid("provider", p.Name(), "is not a card: it is a root, or has no accelerators")
	}
	return p, nil
}

// PlanDrain plans to reserve all accelerators of the card, so that nothing new lands
// on it; those who hold some keep it.
//
// Errors: as Stage.
func (h Handover) PlanDrain(s *cloud.Snapshot) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		p, err := h.card(s)
		if err != nil {
			return cloud.Change{}, err
		}
		c := cloud.Change{Note: fmt.Sprintf("drain %s for %s", p.Name(), h.To)}
		c.Ops = reserve(s, p, func(inv *placement.Inventory) { inv.Reserved = inv.Total })
		return c, nil
	}).Plan(s)
}

// PlanGive plans to give the card its new owner, and no other, and to end the
// reservation that drained it. One-time-use devices stay reserved, as only the
// operator knows whether they were cleaned, and so do devices disabled in Cyborg: they
// are under maintenance.
//
// Errors: as Stage; placement.ErrState while a consumer has some of it from the other
// service, which would no longer know its card.
func (h Handover) PlanGive(s *cloud.Snapshot) (Plan, error) {
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		p, err := h.card(s)
		if err != nil {
			return cloud.Change{}, err
		}
		stage, err := h.Stage(s)
		if err != nil {
			return cloud.Change{}, err
		}
		if n := len(stage.Holders); n > 0 {
			return cloud.Change{}, placement.StateErrorf("%s is held by %s of the other owner: drain it, and let them leave first", p.Name(), words.Count(n, "consumer"))
		}
		if i := unclaimed(s, p); i != nil && s.Live() && !stage.Given {
			return cloud.Change{}, placement.StateErrorf("%s may be in use: %s is on its host, and holds nothing of what its flavor asks for: heal it, or let it leave first", p.Name(), i.Name)
		}
		c := cloud.Change{Note: fmt.Sprintf("give %s to %s", p.Name(), h.To)}
		if stage.Opens() {
			c.Ops = reserve(s, p, func(inv *placement.Inventory) { inv.Reserved = 0 })
		}
		if !stage.Given {
			c.Ops = append(c.Ops, h.traits(s, p, int64(len(c.Ops))))
		}
		return c, nil
	}).Plan(s)
}

// traits returns the operation that sets the owner of a card, whose generation has grown
// by then.
func (h Handover) traits(s *cloud.Snapshot, p *placement.ResourceProvider, grown int64) placement.Op {
	want := append(slices.DeleteFunc(s.Placement().TraitsOf(p), placement.Trait.IsOwner), h.To.Trait())
	slices.Sort(want)
	return placement.SetTraits{Provider: p.ID(), Generation: placement.Generation(p.Generation() + grown), Traits: want}
}

// reserve returns operations that edit the reservation of each accelerator class of a
// card. Each raises its generation by one.
func reserve(s *cloud.Snapshot, p *placement.ResourceProvider, edit func(*placement.Inventory)) []placement.Op {
	var out []placement.Op
	for _, iu := range p.Inventories() {
		class, inv := s.Placement().ClassName(iu.Class), iu.Inventory
		if edit(&inv); !class.IsAccelerator() || inv == iu.Inventory {
			continue
		}
		out = append(out, placement.SetInventory{
			Provider: p.ID(), Generation: placement.Generation(p.Generation() + int64(len(out))), Class: class, Inventory: inv,
		})
	}
	return out
}
