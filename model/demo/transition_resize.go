package demo

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
)

// resize is a resize of the story, of an instance that the cloud has.
type resize struct {
	*transition
	act      string
	from, to string // flavors
}

// id returns the uuid of its migration: the newest that was tried, unless that failed.
func (r resize) id(s *cloud.Snapshot) placement.ConsumerID {
	const most = 50 // tries
	var id placement.ConsumerID
	for try := range most {
		id = role(fmt.Sprintf("%s %d", r.act, try+1))
		m, ok := s.Nova().Migration(id)
		if !ok || m.Status != nova.Error && (m.Status != nova.Reverted || r.act == "again") {
			break
		}
	}
	return id
}

// moved returns its migration and instance.
func (r resize) moved(s *cloud.Snapshot) (*nova.Migration, *nova.Instance, bool) {
	m, ok := s.Nova().Migration(r.id(s))
	if !ok {
		return nil, nil, false
	}
	i, ok := s.Nova().Instance(m.Instance)
	return m, i, ok
}

// is returns whether its migration has one of the statuses.
func (r resize) is(states ...nova.MigrationStatus) func(*cloud.Snapshot) bool {
	return func(s *cloud.Snapshot) bool {
		m, _, ok := r.moved(s)
		return ok && slices.Contains(states, m.Status)
	}
}

// over reports whether its migration waits for a decision, or is past that.
func (r resize) over(s *cloud.Snapshot) bool {
	return r.is(nova.Finished, nova.Confirming, nova.Confirmed, nova.Reverting, nova.Reverted)(s)
}

func (r resize) begun(s *cloud.Snapshot) bool { _, _, ok := r.moved(s); return ok }

// begin moves the first instance that can be moved, those on one host before all others,
// or goes on with the one that was begun.
//
// Errors: placement.ErrNotFound if there is no such instance.
func (r resize) begin(s *cloud.Snapshot) ([]ops.Task, error) {
	if m, i, ok := r.moved(s); ok {
		return []ops.Task{ops.Move{Migration: m.UUID, Instance: i.UUID, Flavor: r.to, Indexer: r.index}}, nil
	}
	var found []ops.Task
	for i := range s.Nova().Instances() {
		first := i.Host == r.host(s)
		if i.Flavor != r.from || len(found) > 0 && !first {
			continue
		}
		m, ok := r.mover(s, i)
		if ok && first {
			return []ops.Task{m}, nil
		}
		if ok {
			found = []ops.Task{m}
		}
	}
	if found == nil {
		return nil, &placement.NotFoundError{What: "instance to resize with flavor", Name: r.from + " to " + r.to}
	}
	return found, nil
}

// host returns the host whose instances are moved first: that of the claim that was moved
// by hand, so that there is room to repair it; on the way back, the one that was filled.
func (r resize) host(s *cloud.Snapshot) string {
	forward := resize{act: "forward"}
	if m, _, ok := forward.moved(s); ok && r.act == "back" {
		return m.Dest
	}
	return misplacedInstance(s).Host
}

// mover returns the Task that resizes i, and whether it may start. Instances that were
// moved before and not back, were booted by the story, or are on a card of the wrong
// owner are left out.
func (r resize) mover(s *cloud.Snapshot, i *nova.Instance) (ops.Move, bool) {
	m := ops.Move{Migration: r.id(s), Instance: i.UUID, Flavor: r.to, Indexer: r.index}
	if !i.Live() || i.UUID == role(landedName) || i.UUID == role(bothName) {
		return m, false
	}
	for earlier := range s.Nova().MigrationsOf(i.UUID) {
		if earlier.Status != nova.Reverted {
			return m, false
		}
	}
	owner := placement.OwnedByNova
	if r.from == cyborgFlavor {
		owner = placement.OwnedByCyborg
	}
	held := cardsOf(s, i.UUID)
	for q := range held {
		if s.Placement().Owner(q) != owner {
			return m, false
		}
	}
	if len(held) == 0 || slices.ContainsFunc(m.Checks(s, time.Time{}), func(c ops.Check) bool { return c.Refusal != nil }) {
		return m, false
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

func (r resize) confirm(s *cloud.Snapshot) ([]ops.Task, error) {
	return []ops.Task{ops.Confirm{Migration: r.id(s)}}, nil
}

func (r resize) revert(s *cloud.Snapshot) ([]ops.Task, error) {
	return []ops.Task{ops.Revert{Migration: r.id(s)}}, nil
}

func (r resize) beginAndConfirm(s *cloud.Snapshot) ([]ops.Task, error) {
	tasks, err := r.begin(s)
	return append(tasks, ops.Confirm{Migration: r.id(s)}), err
}

// finish finishes the resize that was interrupted, and confirms it.
func (r resize) finish(s *cloud.Snapshot) ([]ops.Task, error) {
	m, _, ok := r.moved(s)
	if !ok {
		return nil, &placement.NotFoundError{What: "interrupted resize", Name: r.id(s).String()}
	}
	return finish(s, m), nil
}

func finish(s *cloud.Snapshot, m *nova.Migration) []ops.Task {
	confirm := ops.Confirm{Migration: m.UUID}
	if rest, _ := ops.Resume(s, m); rest != nil && m.Status != nova.Confirming {
		return []ops.Task{rest, confirm}
	}
	return []ops.Task{confirm}
}

// words says where the instance is, and the state of its move.
func (r resize) words(p StepResult) string {
	m, i, ok := r.moved(p.After)
	if !ok {
		return "nothing was resized"
	}
	return fmt.Sprintf("%s is %s on %s with %s; the migration is %s and holds %s",
		i.Name, i.VMState, i.Host, cards(p.After, i.UUID), m.Status, cards(p.After, m.UUID))
}

// held says which VGPUs the instance and its migration hold.
func (r resize) held(p StepResult) string {
	m, i, ok := r.moved(p.After)
	if !ok {
		return "nothing waits"
	}
	return fmt.Sprintf("%s is %s (VERIFY_RESIZE) and holds %s, the migration %s: confirm keeps the first, revert the second",
		i.Name, i.VMState, cards(p.After, i.UUID), cards(p.After, m.UUID))
}

// at returns a view of its instance: its page if there is no decision to make, the list of
// migrations before there is one.
func (r resize) at(v View) func(*cloud.Snapshot) Where {
	return func(s *cloud.Snapshot) Where {
		m, i, ok := r.moved(s)
		switch {
		case !ok:
			return Where{View: ViewMigrations}
		case v == ViewMigrations:
			return Where{View: v, Filter: "name=" + i.Name}
		case v == ViewDecision && m.Status != nova.Finished:
			return Where{View: ViewInstance, Instance: i.UUID}
		}
		return Where{View: v, Instance: i.UUID}
	}
}

// upstream says what of an instance survives a resize here, and what survives upstream.
func (r resize) upstream(p StepResult) string {
	m, i, ok := r.moved(p.After)
	if !ok {
		return "nothing was resized"
	}
	return fmt.Sprintf("%s kept its uuid %s and its disks, which %s brought over; there a snapshot makes a new image, and the new server gets another uuid and a root disk made from that", i.Name, i.UUID, m.Type)
}

// refused says how Nova answers such a resize.
func (r resize) refused(s *cloud.Snapshot) (out []string) {
	if _, i, ok := r.moved(s); ok {
		for _, c := range (ops.Move{Migration: role("upstream"), Instance: i.UUID, Flavor: r.from}).Checks(s, time.Time{}) {
			if c.Name == "upstream" {
				out = append(out, c.Text)
			}
		}
	}
	return out
}

// misplacedInstance returns the instance whose claim was moved by hand; one without a name if it is
// gone.
func misplacedInstance(s *cloud.Snapshot) *nova.Instance {
	for i := range s.Nova().Instances() {
		if i.Name == movedName && i.Live() {
			return i
		}
	}
	return new(nova.Instance)
}

func misledID(s *cloud.Snapshot) placement.ConsumerID { return misplacedInstance(s).UUID }

// wrong returns the finding about that instance.
func wrong(s *cloud.Snapshot) (audit.Finding, bool) {
	id := misplacedInstance(s).UUID
	for _, f := range audit.FindBy(s, audit.RuleWrongOwner) {
		if f.Consumer == id {
			return f, true
		}
	}
	return audit.Finding{}, false
}

func wrongWords(p StepResult) string {
	f, ok := wrong(p.After)
	if !ok {
		return "check finds nothing wrong with " + movedName
	}
	return fmt.Sprintf("%s %s: %s %s", f.Rule, f.Severity, f.Subject, f.Text)
}

// fixes says what can be done about it.
func fixes(s *cloud.Snapshot) (out []string) {
	f, ok := wrong(s)
	if !ok {
		return nil
	}
	for _, x := range audit.Fixes(s, f) {
		out = append(out, fmt.Sprintf("fix %s: %s", x.Name, x.Title))
	}
	return out
}

// fix finishes a fix that was interrupted, or applies the one that moves the claim, or the
// instance.
//
// Errors: placement.ErrNotFound if there is nothing to fix.
func fix(s *cloud.Snapshot) ([]ops.Task, error) {
	for m := range s.Nova().MigrationsOf(misplacedInstance(s).UUID) {
		if m.Status.UnderWay() {
			return finish(s, m), nil
		}
	}
	f, ok := wrong(s)
	if !ok {
		return nil, &placement.NotFoundError{What: "finding", Name: string(audit.RuleWrongOwner) + " about " + movedName}
	}
	x, err := audit.FixNamed(s, f, "move")
	if err != nil {
		if x, err = audit.FixNamed(s, f, "migrate"); err != nil {
			return nil, err
		}
	}
	if m, ok := x.Course().(ops.Move); ok {
		return []ops.Task{m, ops.Confirm{Migration: m.Migration}}, nil
	}
	plan, err := x.Plan(s)
	return []ops.Task{plan}, err
}
