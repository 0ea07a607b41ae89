package audit

import (
	"fmt"
	"iter"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// RuleCardTwice is "card reported twice".
const RuleCardTwice RuleID = "o03"

// cardTwice finds cards that are in one tree under two names, as both Nova and Cyborg
// have reported them. Names are compared by their PCI address, since each service writes
// it in its own way.
func cardTwice() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleCardTwice, Title: "card reported twice", Severity: Critical,
			Also:   "card claimed twice double gpu two services",
			Why:    "Its capacity counts twice, and the second consumer fails on the host.",
			Advice: "Decide who owns the card, take it out of the other service's configuration, delete that provider once it is unused.",
		},
		cloud: func(a *auditor) { a.cardsTwice(a.Ledger.Providers()) },
		about: func(a *auditor, f Finding) {
			if p, ok := a.Ledger.Provider(f.Provider); ok {
				a.cardsTwice(a.Ledger.Within(a.Ledger.Root(p)))
			}
		},
		fixes: oneCardFixes,
	}
}

// cardsTwice reports the cards that are more than once in the tree of their root.
func (a *auditor) cardsTwice(providers iter.Seq[*placement.ResourceProvider]) {
	cards := ops.CardsTwice(a.Ledger, providers)
	for len(cards) > 0 {
		n := 1
		for n < len(cards) && cards[n].Provider.RootNumber() == cards[0].Provider.RootNumber() && cards[n].Address == cards[0].Address {
			n++
		}
		a.found(a.twice(cards[:n]))
		cards = cards[n:]
	}
}

// oneCardFixes delete all but one provider of a card. Providers with claims are drained
// first.
func oneCardFixes(s *cloud.Snapshot, f Finding) []Fix {
	var free, drains []Fix
	for _, id := range append([]placement.ProviderID{f.Provider}, f.Others...) {
		p, ok := s.Placement().Provider(id)
		if !ok {
			continue
		}
		if s.Placement().HasConsumers(p) {
			for _, d := range drainFixes(s, id) {
				d.Name += "-" + s.Placement().Owner(p).String()
				drains = append(drains, d)
			}
			continue
		}
		if _, err := ops.PlanDeleteProvider(s, id, false); err != nil {
			continue // such as one with a request bound to it
		}
		free = append(free, Fix{
			Name:  "delete-" + s.Placement().Owner(p).String(),
			Title: fmt.Sprintf("delete %s (%s), which nobody uses", p.Name(), s.Placement().Owner(p)),
			plan:  func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProvider(s, id, false) },
		})
	}
	return choices(numbered(append(free, drains...))...)
}

// twice returns the finding about providers that are one card.
func (a *auditor) twice(same []ops.Card) Finding {
	first := same[0].Provider
	f := Finding{Provider: first.ID(), Subject: first.Name()}
	var names, owners []string
	for i, c := range same {
		if i > 0 {
			f.Others = append(f.Others, c.Provider.ID())
		}
		owners = append(owners, a.Ledger.Owner(c.Provider).String())
		names = append(names, fmt.Sprintf("%s (%s)", c.Provider.Name(), a.Ledger.Owner(c.Provider)))
	}
	f.Text = fmt.Sprintf("PCI %s is in the tree %d times: %s", same[0].Address, len(same), strings.Join(names, ", "))
	f.Brief = strings.Join(owners, " and ")
	return f
}
