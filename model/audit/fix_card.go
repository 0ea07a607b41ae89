package audit

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/internal/words"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// accountOf returns the account of the card of Cyborg's that is a provider.
func accountOf(s *cloud.Snapshot, provider placement.ProviderID) (cloud.CardAccount, bool) {
	d, ok := s.Cyborg().DeployableAt(provider)
	if !ok {
		return cloud.CardAccount{}, false
	}
	return s.CardAccount(d)
}

// driftFixes correct the inventory of a card that is not that of its handles; else
// what Cyborg keeps of the card where Placement and the requests agree, or what
// Placement does not hold of a device that does not let go. Which guest has a card of
// which all tell something else, nobody but its host can say.
func driftFixes(s *cloud.Snapshot, f Finding) []Fix {
	c, ok := accountOf(s, f.Provider)
	if !ok {
		return nil
	}
	agree := c.UnitsAgree() && c.HandlesAgree()
	drained := !s.Cyborg().Disabled(c.Card) || c.Inventory.Reserved == c.Inventory.Total
	switch {
	case c.Handles != c.Inventory.Total:
		return handleTotalFixes(f, c.Inventory, c.Handles, !agree || !drained)
	case c.UnitsAgree() && !c.HandlesAgree():
		handles, err := markHandles(s, f.Provider)
		if err != nil || handles.Cyborg.Empty() {
			return nil
		}
		marked, _, err := s.Apply(handles)
		if err != nil {
			return nil
		}
		after, _ := accountOf(marked, f.Provider)
		return []Fix{{
			Name: "handles", Title: "mark as in use just the attach handles that a bound request has", Prepares: !after.HandlesAgree() || !drained,
			plan: change(func(s *cloud.Snapshot) (cloud.Change, error) { return markHandles(s, f.Provider) }),
		}}
	case agree && !drained:
		return []Fix{drainComplete(f, c.Provider.Name())}
	}
	if lacks := stuckUnheld(c); lacks > 0 {
		return []Fix{{
			Name: "hold", Title: fmt.Sprintf("hold the %s of %s that did not let go, so that nobody is given them", words.Count(int(lacks), string(f.Class)+" unit"), c.Provider.Name()),
			Prepares: !c.HandlesAgree() || !drained || slices.ContainsFunc(c.Uses, func(u cloud.CardUse) bool { return u.Off() > 0 || -u.Off() > u.Stuck }),
			plan:     func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanHoldStuck(s, f.Provider) },
		}}
	}
	return nil
}

// stuckUnheld returns how many units of devices that do not let go nobody holds.
func stuckUnheld(c cloud.CardAccount) (n int64) {
	for _, u := range c.Uses {
		n += max(0, min(-u.Off(), u.Stuck))
	}
	return n
}

// noDriftFix says why a card has no fix: who has what.
func noDriftFix(s *cloud.Snapshot, f Finding) string {
	why := "claims, requests and attach handles all tell something else: which guest has the card, its host alone can say"
	c, ok := accountOf(s, f.Provider)
	switch {
	case !ok:
		return why
	case c.UnitsAgree() && len(c.Without) > 0:
		r := c.Without[0]
		return fmt.Sprintf("request %s of %s has no attach handle of its own (%s): which guest has the device, its host alone can say", r.UUID, ops.ConsumerName(s, r.Instance), r.AttachHandle)
	}
	return why
}

// drainComplete is the drain that a disabled device should have had.
func drainComplete(f Finding, name string) Fix {
	x := drainFix(f.Provider, name, f.Class)
	x.Prepares = false
	return x
}

// markHandles marks the attach handles of a card as in use just where a bound
// request has them.
func markHandles(s *cloud.Snapshot, provider placement.ProviderID) (cloud.Change, error) {
	d, ok := s.Cyborg().DeployableAt(provider)
	if !ok {
		return cloud.Change{}, &placement.NotFoundError{What: "deployable", Name: s.Placement().ProviderName(provider)}
	}
	taken := map[uuid.UUID]bool{}
	for r := range s.Cyborg().ARQsAt(provider) {
		if r.State.HoldsHandle() {
			taken[r.AttachHandle] = true
		}
	}
	c := cloud.Change{Note: "mark the attach handles of " + d.Name + " as its requests have them"}
	for h := range s.Cyborg().AttachHandlesOf(d.UUID) {
		if h.InUse != taken[h.UUID] {
			c.Cyborg.Put(s.Cyborg(), h.Edit(func(h *cyborg.AttachHandle) { h.InUse = taken[h.UUID] }))
		}
	}
	return c, nil
}

// stuckFixes take the word of an operator that they have freed a device.
func stuckFixes(_ *cloud.Snapshot, f Finding) []Fix {
	return choices(Fix{
		Name: "freed", Title: "the device was freed on the host: unbind the requests that were stuck, and free what was held for them",
		plan: func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanFreed(s, f.Provider) },
	})
}
