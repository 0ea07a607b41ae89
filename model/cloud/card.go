package cloud

import (
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// CardAccount is what a card of Cyborg's offers and who has it, according to its three
// books: the allocations of Placement, the accelerator requests, and the attach
// handles. They agree where
//
//	units in the inventory = attach handles
//	attach handles in use  = requests that have one, each its own
//	units allocated        = those of requests, stuck ones among them, + kept + under way
//
// the last of them for each instance by itself, with all that its migrations hold and
// what stands under their uuids. A unit whose attach handle a request has is counted only
// with the request, whichever of them holds it.
//
// Source: cyborg/conductor/manager.py, provider_report: an inventory has as many units
// as the deployable has attach handles; cyborg/objects/ext_arq.py, ExtARQ.bind.
type CardAccount struct {
	Card      *cyborg.Deployable
	Provider  *placement.ResourceProvider
	Inventory placement.InventoryUsage // of its accelerators
	Handles   int64                    // attach handles that it has
	InUse     int64                    // those of them that are in use
	Idle      []*cyborg.AttachHandle   // in use, and no request has them
	Without   []*cyborg.ARQ            // should have an attach handle in use of their own, and have none
	Uses      []CardUse                // by uuid of the holder
}

// CardUse is what one instance has of a card.
type CardUse struct {
	// Holder is the instance; or else the consumer itself, if that is neither an instance
	// nor a migration.
	Holder   placement.ConsumerID
	Units    int64         // allocated to it and to its migrations
	Requests []*cyborg.ARQ // that have a unit, or are about to get one
	Bound    int64         // of the requests: bound
	Starting int64         // of the requests: about to be, with or without an attach handle yet
	Stuck    int64         // of the requests: those whose device cannot be detached
	// Kept are units without a request that stay with a migration in error, whose host
	// is not cleaned, or with an instance on the host that it was evacuated from.
	Kept int64
	// UnderWay are units without a request that are claimed ahead of the device, or not
	// yet released after it.
	UnderWay int64
}

// Off returns how many units are allocated without need; below 0, how many requests have
// a unit that is not allocated.
func (u CardUse) Off() int64 {
	return u.Units - u.Bound - u.Starting - u.Stuck - u.Kept - u.UnderWay
}

// UnitsAgree reports whether every holder has exactly the units of its requests.
func (a CardAccount) UnitsAgree() bool {
	return !slices.ContainsFunc(a.Uses, func(u CardUse) bool { return u.Off() != 0 })
}

// HandlesAgree reports whether exactly the requests have the attach handles.
func (a CardAccount) HandlesAgree() bool { return len(a.Idle)+len(a.Without) == 0 }

// Faults returns how many units, requests and attach handles disagree, 0 if all agree.
func (a CardAccount) Faults() int64 {
	n := max(a.Handles-a.Inventory.Total, a.Inventory.Total-a.Handles) + int64(len(a.Idle)+len(a.Without))
	for _, u := range a.Uses {
		n += max(u.Off(), -u.Off())
	}
	return n
}

// Of returns what a holder, such as an instance, has of the card.
func (a CardAccount) Of(holder placement.ConsumerID) CardUse {
	i, ok := slices.BinarySearchFunc(a.Uses, holder, func(u CardUse, id placement.ConsumerID) int { return u.Holder.Compare(id) })
	if !ok {
		return CardUse{Holder: holder}
	}
	return a.Uses[i]
}

// Sum returns the uses of all holders as one.
func (a CardAccount) Sum() CardUse {
	var sum CardUse
	for _, u := range a.Uses {
		sum.Units += u.Units
		sum.Bound += u.Bound
		sum.Starting += u.Starting
		sum.Stuck += u.Stuck
		sum.Kept += u.Kept
		sum.UnderWay += u.UnderWay
	}
	return sum
}

// CardAccount returns the account of a card, and false if Placement has no
// accelerators of it.
func (s *Snapshot) CardAccount(d *cyborg.Deployable) (CardAccount, bool) {
	p, ok := s.Placement().Provider(d.Provider)
	if !ok {
		return CardAccount{}, false
	}
	a := CardAccount{Card: d, Provider: p}
	i := slices.IndexFunc(p.Inventories(), func(iu placement.InventoryUsage) bool {
		return s.Placement().ClassName(iu.Class).IsAccelerator()
	})
	if i < 0 {
		return CardAccount{}, false
	}
	a.Inventory = p.Inventories()[i]
	uses := map[placement.ConsumerID]*CardUse{}
	of := func(id placement.ConsumerID) *CardUse {
		id = s.HolderOf(id)
		if uses[id] == nil {
			uses[id] = &CardUse{Holder: id}
		}
		return uses[id]
	}
	for r := range s.Cyborg().ARQsAt(p.ID()) {
		of(r.Instance).request(r)
	}
	s.handles(&a)
	failed := map[placement.ConsumerID]int64{} // held by migrations in status error, by holder
	for c := range s.Placement().ConsumersOf(p) {
		use := of(c.ID())
		for class, amount := range s.Placement().UsedBy(c, p) {
			if !s.Placement().ClassName(class).IsAccelerator() {
				continue
			}
			use.Units += amount
			if m, ok := s.Nova().Migration(c.ID()); ok && m.Status == nova.Error {
				failed[use.Holder] += amount
			}
		}
	}
	for id, use := range uses {
		if use.Units == 0 && len(use.Requests) == 0 {
			continue // a request that failed
		}
		if more := use.Off(); more > 0 {
			s.explain(use, more, min(more, failed[id]), d)
		}
		a.Uses = append(a.Uses, *use)
	}
	slices.SortStableFunc(a.Uses, func(x, y CardUse) int { return x.Holder.Compare(y.Holder) })
	return a, true
}

// request counts a request.
func (u *CardUse) request(r *cyborg.ARQ) {
	switch r.State {
	case cyborg.ARQBound:
		u.Bound++
	case cyborg.ARQBindStarted:
		u.Starting++
	case cyborg.ARQUnbindFailed:
		u.Stuck++
	default:
		return
	}
	u.Requests = append(u.Requests, r)
}

// handles fills in the attach handles of a card.
func (s *Snapshot) handles(a *CardAccount) {
	has := map[uuid.UUID]*cyborg.ARQ{}
	for r := range s.Cyborg().ARQsAt(a.Provider.ID()) {
		if !r.State.HoldsHandle() || r.State == cyborg.ARQBindStarted && r.AttachHandle == uuid.Nil {
			continue
		}
		if h, ok := s.Cyborg().AttachHandle(r.AttachHandle); !ok || !h.InUse || h.Deployable != a.Card.UUID || has[h.UUID] != nil {
			a.Without = append(a.Without, r)
			continue
		}
		has[r.AttachHandle] = r
	}
	for h := range s.Cyborg().AttachHandlesOf(a.Card.UUID) {
		a.Handles++
		if h.InUse {
			a.InUse++
			if has[h.UUID] == nil {
				a.Idle = append(a.Idle, h)
			}
		}
	}
}

// explain accounts for units without a request: an operation on the instance explains
// them all; otherwise a migration in status error explains those it kept, and an
// evacuation those left on the old host.
func (s *Snapshot) explain(use *CardUse, more, kept int64, d *cyborg.Deployable) {
	if s.Nova().UnderWay(use.Holder) {
		use.UnderWay = more
		return
	}
	use.Kept = kept
	card, _ := s.Cyborg().Device(d.Device)
	if i, ok := s.Nova().Instance(use.Holder); ok && card != nil && i.Host == card.Hostname {
		return // it is back, or never left
	}
	for m := range s.Nova().MigrationsOf(use.Holder) {
		if card != nil && m.ToVacate() && m.Source == card.Hostname {
			use.Kept = more
		}
	}
}

// HolderOf returns for which consumer another holds something, or a request is: of a
// migration its instance, of all else itself.
func (s *Snapshot) HolderOf(id placement.ConsumerID) placement.ConsumerID {
	return s.Nova().HolderOf(id)
}
