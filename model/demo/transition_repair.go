package demo

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/ops/audit"
	"github.com/placetop/placetop/model/placement"
)

// repairActs set right what landed wrongly, boot an instance with both owners, and
// say where upstream stands.
func (t *transition) repairActs() []Step {
	return []Step{
		{
			Name: "check", Title: "check finds the wrong landing",
			will: func(*cloud.Snapshot) string {
				return "The gate keeps new instances right. What landed before stays where it is, and check says so."
			},
			did: func(p Played) string {
				f, ok := wrong(p.After)
				if !ok {
					return "check finds nothing wrong with " + landedName
				}
				return fmt.Sprintf("%s %s: %s %s", f.Rule, f.Severity, f.Subject, f.Text)
			},
			facts: func(p Played) []string { return checkFacts(p.After) },
			where: screenOf("problems", string(audit.RuleWrongOwner)+" "+landed().String()),
		},
		{
			Name: "fix", Title: "its fix",
			will: func(s *cloud.Snapshot) string {
				if x, err := fixOf(s); err == nil {
					return fmt.Sprintf("Fix %q: %s.", x.Name, x.Title)
				}
				return "The fix that check knows is applied."
			},
			do: func(s *cloud.Snapshot) (Deed, error) {
				x, err := fixOf(s)
				if err != nil {
					return Deed{}, err
				}
				plan, err := x.Plan(s)
				return Deed{Plan: plan}, err
			},
			did: func(p Played) string {
				before, after := len(audit.Find(p.Before)), len(audit.Find(p.After))
				return fmt.Sprintf("%s holds %s; findings %d > %d", landedName, cardWords(p.After, landed()), before, after)
			},
			facts: func(p Played) []string { return []string{othersFact(p, landed())} },
			where: screenOf("instance", landed().String()),
			done: func(s *cloud.Snapshot) bool {
				if !s.Nova().Gate().Open || !running(s, landed()) {
					return false
				}
				_, is := wrong(s)
				return !is
			},
		},
		{
			Name: "both", Title: "one instance, both owners",
			will: func(*cloud.Snapshot) string {
				return fmt.Sprintf("%s is booted with %s: one VGPU of Nova's by its flavor, one of Cyborg's by its device profile.", bothName, bothFlavor())
			},
			do: func(s *cloud.Snapshot) (Deed, error) {
				return begin(s, t.boot(both(), bothName, bothFlavor()), t.placeOfBoth)
			},
			did:   func(p Played) string { return bothName + " holds " + cardWords(p.After, both()) },
			facts: func(p Played) []string { return []string{othersFact(p, both())} },
			where: screenOf("instance", both().String()),
			done:  func(s *cloud.Snapshot) bool { return running(s, both()) },
		},
		{
			Name: "upstream", Title: "where upstream stands",
			will: func(*cloud.Snapshot) string {
				return "OWNER_NOVA and its filter are merged upstream. The resize that you have seen is not."
			},
			did:   func(p Played) string { return upstreamWords(p.After) },
			facts: func(p Played) []string { return t.upstreamFacts(p.After) },
			where: screenOf("owners", ""),
		},
	}
}

// wrong returns the finding about the instance that landed wrongly.
func wrong(s *cloud.Snapshot) (audit.Finding, bool) {
	for _, f := range audit.Find(s) {
		if f.Rule == audit.RuleWrongOwner && f.Consumer == landed() {
			return f, true
		}
	}
	return audit.Finding{}, false
}

// fixOf returns what can be done about it.
//
// Errors: placement.ErrNotFound.
func fixOf(s *cloud.Snapshot) (audit.Fix, error) {
	f, ok := wrong(s)
	if !ok {
		return audit.Fix{}, &placement.NotFoundError{What: "finding", Name: string(audit.RuleWrongOwner) + " about " + landedName}
	}
	return audit.FixNamed(s, f, "move")
}

// checkFacts says who else is on a wrong card, and what can be done about each.
func checkFacts(s *cloud.Snapshot) []string {
	var out []string
	rule, _ := audit.RuleByID(audit.RuleWrongOwner)
	out = append(out, fmt.Sprintf("%s %s: %s %s", rule.ID, rule.Title, rule.Why, rule.Advice))
	for _, f := range audit.Find(s) {
		if f.Rule != audit.RuleWrongOwner {
			continue
		}
		line := f.Subject + " " + f.Text
		for _, x := range audit.Fixes(s, f) {
			line += fmt.Sprintf("; fix %s: %s", x.Name, x.Title)
		}
		out = append(out, line)
	}
	return out
}

// placeOfBoth returns a place with one card of each owner.
func (t *transition) placeOfBoth(s *cloud.Snapshot) (ops.Place, error) {
	places, err := t.places(s, bothName, bothFlavor())
	if err != nil {
		return ops.Place{}, err
	}
	for _, at := range places {
		of := cardsIn(s, at)
		if len(of[placement.OwnedByNova]) == 1 && len(of[placement.OwnedByCyborg]) == 1 {
			return at, nil
		}
	}
	return ops.Place{}, &placement.NotFoundError{What: "candidate for " + bothFlavor(), Name: "with a card of each owner"}
}

// upstreamWords says what of a resized instance survives here and what there.
func upstreamWords(s *cloud.Snapshot) string {
	m, i, ok := moved(s, actForward)
	if !ok {
		return "nothing was resized"
	}
	f, ok := s.Nova().Flavor(m.OldFlavor)
	if !ok {
		return "nothing was resized"
	}
	return fmt.Sprintf("%s kept its uuid %s and its %d GiB disk; there it is snapshot, delete and recreate", i.Name, i.UUID, f.RootGB)
}

// upstreamFacts says what Nova says to such a resize, and which forms its filter has.
func (t *transition) upstreamFacts(s *cloud.Snapshot) []string {
	var out []string
	_, i, ok := moved(s, actForward)
	if ok {
		for _, c := range (ops.Move{Migration: role("upstream"), Instance: i.UUID, Flavor: novaFlavor()}).Checks(s, time.Time{}) {
			if c.Name == "upstream" {
				out = append(out, c.Text)
			}
		}
	}
	sim, err := audit.SimulateGate(s, audit.GateOptions{})
	if err != nil {
		return append(out, err.Error())
	}
	return append(out, fmt.Sprintf(
		"its filter asks the root and PCI groups only: on %d hosts that mix owners a flavor of Nova's could still be given a card of Cyborg's; here every group of Nova's is asked",
		len(sim.Mixed)))
}
