package audit

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/pci"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
)

// RuleCardTwice is "card claimed twice".
const RuleCardTwice RuleID = "o03"

// cardTwice finds cards that are in one tree under two names, as both Nova and Cyborg
// have reported them. Names are compared by their PCI address, since each service writes
// it in its own way.
func cardTwice() *rule {
	return &rule{
		Rule: Rule{
			ID: RuleCardTwice, Title: "card claimed twice", Severity: Critical,
			Why:    "Its capacity counts twice, and the second consumer fails on the host.",
			Advice: "Decide who owns the card, take it out of the other service's configuration, delete that provider once it is unused.",
		},
		provider: (*auditor).seeCard,
		cloud:    (*auditor).cardsTwice,
		about: func(a *auditor, f Finding) {
			if p, ok := a.Ledger.Provider(f.Provider); ok {
				for _, q := range a.Ledger.Tree(a.Ledger.Root(p)) {
					a.seeCard(q)
				}
				a.cardsTwice()
			}
		},
		fixes: oneCardFixes,
	}
}

// seeCard notes the provider of a PCI device, for cardsTwice.
func (a *auditor) seeCard(p *placement.ResourceProvider) {
	if p.IsRoot() || len(p.Inventories()) == 0 {
		return
	}
	if addr, _, ok := pci.OfProvider(p.Name()); ok {
		a.cards = append(a.cards, card{p, addr})
	}
}

// cardsTwice reports the cards that seeCard noted more than once in a tree.
func (a *auditor) cardsTwice() {
	cards := a.cards
	sorted.By(cards, func(x, y card) int {
		return cmp.Or(
			cmp.Compare(x.RootNumber(), y.RootNumber()),
			x.address.Compare(y.address), strings.Compare(x.Name(), y.Name()),
		)
	})
	for len(cards) > 0 {
		n := 1
		for n < len(cards) && cards[n].RootNumber() == cards[0].RootNumber() && cards[n].address == cards[0].address {
			n++
		}
		if n > 1 {
			a.found(a.twice(cards[:n]))
		}
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
		free = append(free, Fix{
			Name:  "delete-" + s.Placement().Owner(p).String(),
			Title: fmt.Sprintf("delete %s (%s), which nobody uses", p.Name(), s.Placement().Owner(p)),
			plan:  func(s *cloud.Snapshot) (ops.Plan, error) { return ops.PlanDeleteProvider(s, id, false) },
		})
	}
	return choices(numbered(append(free, drains...))...)
}

// card is a provider whose name has a PCI address.
type card struct {
	*placement.ResourceProvider
	address pci.Address
}

// twice returns the finding about providers that are one card.
func (a *auditor) twice(same []card) Finding {
	f := Finding{Provider: same[0].ID(), Subject: same[0].Name()}
	var names, owners []string
	for i, c := range same {
		if i > 0 {
			f.Others = append(f.Others, c.ID())
		}
		owners = append(owners, a.Ledger.Owner(c.ResourceProvider).String())
		names = append(names, fmt.Sprintf("%s (%s)", c.Name(), a.Ledger.Owner(c.ResourceProvider)))
	}
	f.Text = fmt.Sprintf("PCI %s is in the tree %d times: %s", same[0].address, len(same), strings.Join(names, ", "))
	f.Brief = strings.Join(owners, " and ")
	return f
}
