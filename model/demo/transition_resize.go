package demo

import (
	"fmt"
	"strings"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/wire"
)

// forwardActs resize an instance from Nova's card to Cyborg's, and confirm it.
func (t *transition) forwardActs() []Step {
	return []Step{
		t.resizeStep("resize", "resize from Nova to Cyborg", actForward, novaFlavor(), cyborgFlavor()),
		{
			Name: "verify", Title: "old and new are held",
			will: func(s *cloud.Snapshot) string {
				return fmt.Sprintf("%s runs on its new place, and the migration holds the old one: what it had is there to go back to.", nameOf(s, actForward))
			},
			did:   func(p Played) string { return heldWords(p.After, actForward) },
			facts: func(p Played) []string { return verifyFacts(p.After, actForward) },
			where: t.decide(actForward),
		},
		t.decideStep("confirm", "confirm", actForward, nova.Confirmed, func(id placement.ConsumerID) ops.Task { return ops.Confirm{Migration: id} }),
	}
}

// returnActs resize one instance the other way, and another one there and back.
func (t *transition) returnActs() []Step {
	back := t.resizeStep("back", "and back, from Cyborg to Nova", actBack, cyborgFlavor(), novaFlavor())
	return []Step{
		t.confirmed(back, actBack),
		t.resizeStep("again", "another one to Cyborg", actAgain, novaFlavor(), cyborgFlavor()),
		t.decideStep("revert", "revert", actAgain, nova.Reverted, func(id placement.ConsumerID) ops.Task { return ops.Revert{Migration: id} }),
	}
}

// over returns the statuses of a migration that waits for a decision, or is past that.
func over() []nova.MigrationStatus {
	return []nova.MigrationStatus{nova.Finished, nova.Confirming, nova.Confirmed, nova.Reverting, nova.Reverted}
}

// resizeStep returns the step that starts the resize of an act.
func (t *transition) resizeStep(name, title, act, from, to string) Step {
	plan := func(s *cloud.Snapshot) (ops.Move, error) {
		if m, i, ok := moved(s, act); ok { // it was started, but has not ended
			return ops.Move{Migration: m.UUID, Instance: i.UUID, Flavor: to, Indexer: t.index}, nil
		}
		return t.resize(s, act, hostOf(s, act), from, to)
	}
	return Step{
		Name: name, Title: title,
		will: func(s *cloud.Snapshot) string { return willMove(s, plan) },
		do: func(s *cloud.Snapshot) (Deed, error) {
			m, err := plan(s)
			return Deed{Tasks: []ops.Task{m}}, err
		},
		did:   func(p Played) string { return movedWords(p.After, act) },
		facts: func(p Played) []string { return windowFacts(p, act) },
		where: func(s *cloud.Snapshot) Where {
			if _, i, ok := moved(s, act); ok {
				return Where{View: ViewMigrations, Filter: "name=" + i.Name}
			}
			return Where{View: ViewMigrations}
		},
		done: func(s *cloud.Snapshot) bool { return statusOf(s, act, over()...) },
	}
}

// confirmed returns a step of an act that confirms its resize at once.
func (t *transition) confirmed(st Step, act string) Step {
	do, will := st.do, st.will
	st.will = func(s *cloud.Snapshot) string { return will(s) + " It is confirmed at once." }
	st.do = func(s *cloud.Snapshot) (Deed, error) {
		d, err := do(s)
		d.Tasks = append(d.Tasks, ops.Confirm{Migration: move(s, act)})
		return d, err
	}
	st.facts = func(p Played) []string { return decidedFacts(p, act) }
	st.where = t.instance(act)
	st.done = func(s *cloud.Snapshot) bool { return statusOf(s, act, nova.Confirmed) }
	return st
}

// movedWords says where the instance of an act is, and the state of its move.
func movedWords(s *cloud.Snapshot, act string) string {
	m, i, ok := moved(s, act)
	if !ok {
		return "nothing was resized"
	}
	return fmt.Sprintf("%s is %s on %s with %s; the migration is %s and holds %s",
		i.Name, i.VMState, i.Host, cardWords(s, i.UUID), m.Status, cardWords(s, m.UUID))
}

// decideStep returns the step that confirms or reverts the resize of an act.
func (t *transition) decideStep(name, title, act string, end nova.MigrationStatus, course func(placement.ConsumerID) ops.Task) Step {
	return Step{
		Name: name, Title: title,
		will: func(s *cloud.Snapshot) string {
			m, i, ok := moved(s, act)
			switch {
			case !ok:
				return "What was resized is confirmed or reverted."
			case end == nova.Confirmed:
				return fmt.Sprintf("%s stays on %s: what the migration holds on %s is released, the device first.", i.Name, m.Dest, m.Source)
			default:
				return fmt.Sprintf("%s goes back to %s: its old place was kept for it.", i.Name, m.Source)
			}
		},
		do: func(s *cloud.Snapshot) (Deed, error) {
			m, _, ok := moved(s, act)
			if !ok {
				return Deed{}, &placement.NotFoundError{What: "migration", Name: move(s, act).String()}
			}
			return Deed{Tasks: []ops.Task{course(m.UUID)}}, nil
		},
		did:   func(p Played) string { return movedWords(p.After, act) },
		facts: func(p Played) []string { return decidedFacts(p, act) },
		where: t.instance(act),
		done:  func(s *cloud.Snapshot) bool { return statusOf(s, act, end) },
	}
}

// hostOf returns the host whose instances an act resizes first: that of the claim that
// was moved by hand, so that there is room to repair it; on the way back, the one that
// was filled.
func hostOf(s *cloud.Snapshot, act string) string {
	if m, _, ok := moved(s, actForward); ok && act == actBack {
		return m.Dest
	}
	if i, ok := misled(s); ok {
		return i.Host
	}
	return ""
}

// nameOf returns the name of the instance of an act.
func nameOf(s *cloud.Snapshot, act string) string {
	if _, i, ok := moved(s, act); ok {
		return i.Name
	}
	return "the instance"
}

// instance returns the page of the instance of an act.
func (t *transition) instance(act string) func(*cloud.Snapshot) Where {
	return func(s *cloud.Snapshot) Where {
		if _, i, ok := moved(s, act); ok {
			return Where{View: ViewInstance, Instance: i.UUID}
		}
		return Where{View: ViewInstances}
	}
}

// decide returns the page on which the resize of an act is decided; that of the instance
// if there is nothing to decide.
func (t *transition) decide(act string) func(*cloud.Snapshot) Where {
	return func(s *cloud.Snapshot) Where {
		m, i, ok := moved(s, act)
		if ok && m.Status == nova.Finished {
			return Where{View: ViewDecision, Instance: i.UUID}
		}
		return t.instance(act)(s)
	}
}

// willMove says which instance is about to move where.
func willMove(s *cloud.Snapshot, plan func(*cloud.Snapshot) (ops.Move, error)) string {
	m, err := plan(s)
	if err != nil {
		return "An instance is resized."
	}
	i, ok := s.Nova().Instance(m.Instance)
	if !ok || m.Pick == nil {
		return "An instance is resized."
	}
	return fmt.Sprintf("%s takes %s in place of %s: from %s on %s to %s.", i.Name, m.Flavor, i.Flavor, cardWords(s, i.UUID), i.Host, placeWords(s, *m.Pick))
}

// placeWords says which VGPUs a place has.
func placeWords(s *cloud.Snapshot, at ops.Place) string {
	words := ""
	for _, owner := range []placement.Owner{placement.OwnedByNova, placement.OwnedByCyborg} {
		for _, q := range cardsIn(s, at)[owner] {
			if words != "" {
				words += " and "
			}
			words += fmt.Sprintf("%s (%s)", q.Name(), owner)
		}
	}
	return words
}

// heldWords says which VGPUs the instance and the migration of an act hold.
func heldWords(s *cloud.Snapshot, act string) string {
	m, i, ok := moved(s, act)
	if !ok {
		return "nothing waits"
	}
	used, held := UsedOf(Shares(s))
	return fmt.Sprintf("%s holds %s, the migration %s; %d VGPUs in use, %d of them held by migrations", i.Name, cardWords(s, i.UUID), cardWords(s, m.UUID), used, held)
}

// verifyFacts says what the instance and the migration of a resize hold while it waits
// for a decision.
func verifyFacts(s *cloud.Snapshot, act string) []string {
	m, i, ok := moved(s, act)
	if !ok {
		return nil
	}
	return []string{
		fmt.Sprintf("INSTANCE   %s  new  %s  on %s  %s", i.UUID, wire.Resources(heldOf(s, i.UUID)), i.Host, cardWords(s, i.UUID)),
		fmt.Sprintf("MIGRATION  %s  old  %s  on %s  %s", m.UUID, wire.Resources(heldOf(s, m.UUID)), m.Source, cardWords(s, m.UUID)),
		fmt.Sprintf("%s is %s (VERIFY_RESIZE), the migration %s: confirm keeps the first row, revert the second", i.Name, i.VMState, m.Status),
	}
}

// windowFacts shows that before the decision both old and new are held, and nothing else
// has changed.
func windowFacts(p Played, act string) []string {
	m, i, ok := moved(p.After, act)
	if !ok {
		return nil
	}
	return append([]string{
		"before: " + resources(heldOf(p.Before, i.UUID)),
		fmt.Sprintf("now:    %s, of them new %s, old %s", resources(plus(heldOf(p.After, i.UUID), heldOf(p.After, m.UUID))),
			resources(heldOf(p.After, i.UUID)), resources(heldOf(p.After, m.UUID))),
	}, requestFacts(p, m, i)...)
}

// requestFacts says which accelerator requests the instance of a move has, and which
// states they have been through.
func requestFacts(p Played, m *nova.Migration, i *nova.Instance) []string {
	var out []string
	for _, of := range []placement.ConsumerID{i.UUID, m.UUID} {
		for a := range p.After.Cyborg().ARQsOf(of) {
			name := a.Provider.String()
			if q, ok := p.After.Placement().Provider(a.Provider); ok {
				name = q.Name()
			}
			out = append(out, fmt.Sprintf("accelerator request %s: %s on %s, %s", a.UUID, p.pathOf(a), a.Hostname, name))
		}
	}
	return append(out, othersFact(p, i.UUID, m.UUID))
}

// pathOf returns the states that an accelerator request went through, as "Initial >
// BindStarted > Bound".
func (p Played) pathOf(a *cyborg.ARQ) string {
	var path []string
	add := func(s *cloud.Snapshot) {
		if is, ok := s.Cyborg().ARQ(a.UUID); ok && (len(path) == 0 || path[len(path)-1] != string(is.State)) {
			path = append(path, string(is.State))
		}
	}
	add(p.Before)
	for _, step := range p.Taken {
		add(step.After)
	}
	return strings.Join(path, " > ")
}

// decidedFacts shows that one of the two is left.
func decidedFacts(p Played, act string) []string {
	m, i, ok := moved(p.After, act)
	if !ok {
		return nil
	}
	kept, left := "new", m.UUID
	if m.Status == nova.Reverted {
		kept, left = "old", i.UUID
	}
	out := []string{
		"before: " + resources(plus(heldOf(p.Before, i.UUID), heldOf(p.Before, m.UUID))),
		fmt.Sprintf("now:    %s, the %s", resources(plus(heldOf(p.After, i.UUID), heldOf(p.After, m.UUID))), kept),
	}
	if back := heldOf(p.Before, left); back != nil {
		out[1] += ", given back " + resources(back)
	}
	return append(out, requestFacts(p, m, i)...)
}

// othersFact says how many consumers other than those given have changed.
func othersFact(p Played, mine ...placement.ConsumerID) string {
	own := map[placement.ConsumerID]bool{}
	for _, id := range mine {
		own[id] = true
	}
	others := map[placement.ConsumerID]bool{}
	for _, r := range p.Rows() {
		if !r.Consumer.IsZero() && !own[r.Consumer] {
			others[r.Consumer] = true
		}
	}
	return fmt.Sprintf("other consumers changed: %d of %d", len(others), p.After.Placement().ConsumerCount())
}

// plus adds up amounts by class.
func plus(a, b map[placement.ResourceClass]int64) map[placement.ResourceClass]int64 {
	sum := map[placement.ResourceClass]int64{}
	for _, m := range []map[placement.ResourceClass]int64{a, b} {
		for class, n := range m {
			sum[class] += n
		}
	}
	return sum
}

// resources writes amounts as text, "nothing" if there are none.
func resources(m map[placement.ResourceClass]int64) string {
	if len(m) == 0 {
		return "nothing"
	}
	return wire.Resources(m)
}
