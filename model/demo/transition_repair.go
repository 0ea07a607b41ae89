package demo

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/insight"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// repairActs repair a claim that was moved by hand, boot an instance with devices of both
// owners, and compare with upstream.
func (t *transition) repairActs() []Step {
	return []Step{
		{
			Name: "check", Title: "check finds a wrong claim",
			will: func(*cloud.Snapshot) string {
				return "The gate keeps new claims right. One that was moved by hand before stays where it is, and check says so."
			},
			did: func(p Played) string {
				f, ok := wrong(p.After)
				if !ok {
					return "check finds nothing wrong with " + movedName
				}
				return fmt.Sprintf("%s %s: %s %s", f.Rule, f.Severity, f.Subject, f.Text)
			},
			facts: func(p Played) []string { return checkFacts(p.After) },
			where: func(s *cloud.Snapshot) Where {
				return Where{View: ViewProblem, Rule: audit.RuleWrongOwner, Instance: misledID(s)}
			},
		},
		{
			Name: "fix", Title: "its fix",
			will: func(s *cloud.Snapshot) string {
				if x, err := fixOf(s); err == nil {
					return fmt.Sprintf("Fix %q: %s. A claim that an operator moves takes no device along: the guest has run with Nova's all the time.", x.Name, x.Title)
				}
				return "The fix that check knows is applied."
			},
			do: func(s *cloud.Snapshot) (Deed, error) {
				if courses := underWay(s); len(courses) > 0 {
					return Deed{Tasks: courses}, nil
				}
				x, err := fixOf(s)
				if err != nil {
					return Deed{}, err
				}
				if m, ok := x.Course().(ops.Move); ok {
					return Deed{Tasks: []ops.Task{m, ops.Confirm{Migration: m.Migration}}}, nil
				}
				plan, err := x.Plan(s)
				return Deed{Tasks: []ops.Task{plan}}, err
			},
			did: func(p Played) string {
				before, after := len(audit.Find(p.Before)), len(audit.Find(p.After))
				i, ok := misled(p.After)
				if !ok {
					return movedName + " is gone"
				}
				return fmt.Sprintf("%s holds %s; findings %d > %d", i.Name, cardWords(p.After, i.UUID), before, after)
			},
			facts: func(p Played) []string {
				var out []string
				for _, step := range p.Taken {
					if preview, err := ops.PreviewEvent(step.Before, step.Event); err == nil {
						out = append(out, preview.Warnings...)
					}
				}
				i, ok := misled(p.After)
				if !ok {
					return out
				}
				mine := []placement.ConsumerID{i.UUID}
				for m := range p.After.Nova().MigrationsOf(i.UUID) {
					mine = append(mine, m.UUID)
				}
				return append(out, othersFact(p, mine...))
			},
			where: func(s *cloud.Snapshot) Where { return Where{View: ViewInstance, Instance: misledID(s)} },
			done: func(s *cloud.Snapshot) bool {
				if i, ok := misled(s); !ok || !running(s, i.UUID) || !statusOf(s, actCrash, nova.Confirmed) {
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
			where: always(Where{View: ViewInstance, Instance: both()}),
			done:  func(s *cloud.Snapshot) bool { return running(s, both()) },
		},
		{
			Name: "upstream", Title: "where upstream stands",
			will: func(*cloud.Snapshot) string {
				return "OWNER_NOVA and its filter are merged upstream. The resize that you have seen is not."
			},
			did:   func(p Played) string { return upstreamWords(p.After) },
			facts: func(p Played) []string { return t.upstreamFacts(p.After) },
			where: always(Where{View: ViewOwners}),
		},
	}
}

// misled returns the instance whose claim was moved by hand.
func misled(s *cloud.Snapshot) (*nova.Instance, bool) {
	for i := range s.Nova().Instances() {
		if i.Name == movedName && i.Live() {
			return i, true
		}
	}
	return nil, false
}

// underWay returns the tasks that finish an interrupted fix of it.
func underWay(s *cloud.Snapshot) []ops.Task {
	i, ok := misled(s)
	if !ok {
		return nil
	}
	for m := range s.Nova().MigrationsOf(i.UUID) {
		if !m.Status.UnderWay() {
			continue
		}
		confirm := ops.Confirm{Migration: m.UUID}
		if finish, _ := ops.Resume(s, m); finish != nil && m.Status != nova.Confirming {
			return []ops.Task{finish, confirm}
		}
		return []ops.Task{confirm}
	}
	return nil
}

// misledID returns the uuid of that instance, the zero id if it is gone.
func misledID(s *cloud.Snapshot) placement.ConsumerID {
	if i, ok := misled(s); ok {
		return i.UUID
	}
	return placement.ConsumerID{}
}

// wrong returns the finding about that instance.
func wrong(s *cloud.Snapshot) (audit.Finding, bool) {
	i, ok := misled(s)
	if !ok {
		return audit.Finding{}, false
	}
	for _, f := range audit.Find(s) {
		if f.Rule == audit.RuleWrongOwner && f.Consumer == i.UUID {
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
		return audit.Fix{}, &placement.NotFoundError{What: "finding", Name: string(audit.RuleWrongOwner) + " about " + movedName}
	}
	if x, err := audit.FixNamed(s, f, "move"); err == nil {
		return x, nil
	}
	return audit.FixNamed(s, f, "migrate")
}

// checkFacts says which other instances are on a wrong card, and what can be done about
// each.
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

// upstreamWords says what of an instance survives a resize here, and what survives
// upstream.
func upstreamWords(s *cloud.Snapshot) string {
	m, i, ok := moved(s, actForward)
	if !ok {
		return "nothing was resized"
	}
	return fmt.Sprintf("%s kept its uuid %s and its disks, which %s brought over; there a snapshot makes a new image, and the new server gets another uuid and a root disk made from that", i.Name, i.UUID, m.Type)
}

// upstreamFacts says how Nova answers such a resize, and which forms its filter has.
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
	sim, err := insight.SimulateGate(s, insight.GateOptions{})
	if err != nil {
		return append(out, err.Error())
	}
	return append(out, fmt.Sprintf(
		"its filter asks the root and PCI groups only: on %d hosts that mix owners a flavor of Nova's could still be given a card of Cyborg's; here every group of Nova's is asked",
		len(sim.Mixed)))
}
