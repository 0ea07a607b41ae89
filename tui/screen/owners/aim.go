package owners

import (
	"slices"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/filter"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/place"
)

// aim is the subject of a row, for the keys that all rows have.
type aim struct {
	open     place.Place  // where enter leads; nil for nowhere
	rule     audit.RuleID // of the finding behind the row; empty for none
	subject  string       // of the finding
	instance placement.ConsumerID
	card     placement.ProviderID // or the host with the cards; zero for none
	cards    string               // a filter for the cards of a row about several; "" for none
}

// nowhere is why enter does nothing on a row.
const nowhere = "this row has nothing to open"

// rowActions returns the keys that all rows have: enter, F, r and m. Nothing is why there
// is no row, or "".
func (s *Screen) rowActions(snap *cloud.Snapshot, a aim, nothing string) []action.Action {
	to := a.open
	enter := action.Action{ID: action.ID(s.Scope + ".open"), Keys: "enter", Title: "open", Help: "open the row's subject", Priority: 90, Disabled: nothing, To: to}
	if enter.Disabled == "" {
		enter.Disabled = nowhere
		if to != nil {
			enter.Disabled = s.env.NoScreen(to)
		}
	}
	plan := action.Action{ID: action.ID(s.Scope + ".fix"), Keys: "F", Title: "fix plan", Help: "what can be done about it, with previews", Priority: 70, Disabled: nothing, To: place.Problems{Rule: a.rule, Subject: a.subject}}
	if plan.Disabled == "" {
		plan.Disabled = s.env.NoScreen(place.Problems{})
		if a.rule == "" {
			plan.Disabled = "no rule finds anything wrong with it"
		}
	}
	if nothing == "" && a.instance.IsZero() {
		nothing = "the row is not an instance"
	}
	moves := panel.Moving(s.Scope, snap, a.instance, nothing)
	if to := (place.Handover{Provider: a.card, Filter: a.cards}); to != (place.Handover{}) {
		moves[len(moves)-1] = action.Action{
			ID: action.ID(s.Scope + ".card"), Keys: "m", Title: "hand over", Help: "hand a card over to the other owner, step by step", Priority: 72,
			Disabled: s.env.NoScreen(place.Handover{}), To: to,
		}
	}
	return slices.Concat([]action.Action{enter, plan}, moves)
}

// aimOf returns where a finding leads: to its instance, consumer, service or provider.
func aimOf(s *cloud.Snapshot, f audit.Finding) aim {
	a := aim{rule: f.Rule, subject: f.Subject}
	switch {
	case !f.Consumer.IsZero():
		a.open = place.Consumer{ID: f.Consumer}
		if _, ok := s.Nova().Instance(f.Consumer); ok {
			a.open = place.Instance{ID: f.Consumer}
			a.instance = f.Consumer
		}
	case f.Service != "":
		a.open = serviceOn(f.Service)
		for n := range s.Nova().ComputeNodesOf(f.Service) {
			a.card = n.UUID
			break
		}
	case !f.Provider.IsZero():
		a.card = f.Provider
		a.open = place.Provider{ID: f.Provider}
	}
	return a
}

// serviceOn returns the place of the nova-compute on a host.
func serviceOn(host string) place.Place {
	return place.Services{Filter: filter.Is("host", host) + " " + filter.Is("binary", nova.Compute)}
}
