package ops

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/candidates"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/cyborg"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// Move is the Task that takes an instance to another place: to another flavor,
// which is a resize, or with the one it has to another host, which is a cold
// migration. It ends where the operator has to look: the instance runs at its new
// place, and the migration holds the old one until Confirm or Revert.
//
//	park   the migration takes over the claim of the instance
//	claim  the instance claims the new place
//	device accelerator requests are made and bound, where the flavor wants some:
//	       BindStarted, and Bound once Cyborg has answered
//	stop   the guest is stopped
//	copy   its disk is brought over
//	start  it is started at the new place
//
// A VGPU may go from Nova's cards to Cyborg's and back, from Nova's to Nova's, and
// from Cyborg's to Cyborg's: the new accelerator requests then stand under the
// uuid of the migration until it is confirmed, as an instance has one set only.
// Upstream refuses every resize from or to a device profile.
//
// What was asked of the place, and for how long the move is to wait, is written with
// the migration: of one that goes on, the record says it.
//
// Acquiring goes to Placement first and to the device then, releasing the other
// way round: Placement may for a moment show less free than there is, never more.
//
// Source: nova/conductor/tasks/migrate.py; nova/compute/manager.py, prep_resize,
// resize_instance, finish_resize.
type Move struct {
	Migration placement.ConsumerID // uuid that the migration gets, or that of one that goes on
	Instance  placement.ConsumerID
	Flavor    string // name of the new flavor; "" migrates with the one it has
	Host      string // the host to go to; "" for any
	Pick      *Place // the place to go to; nil for the first
	SameHost  bool   // a resize may stay on its host, as [DEFAULT]allow_resize_to_same_host
	// RevertAfter is how long the migration waits to be confirmed before
	// it is due to be reverted; 0 for ever.
	RevertAfter time.Duration
	Ask         nova.AskOptions     // how the request departs from what the cloud is set to
	Indexer     *candidates.Indexer // shared with others; nil for one of its own

	lost lostPlaces
}

// Confirm is the Task that ends a move for good: what the old place held is
// released, the device first.
//
// Source: nova/compute/manager.py, confirm_resize.
type Confirm struct {
	Migration placement.ConsumerID
}

// Revert is the Task that takes a move back, before it came to its end or after:
// the instance gets its old place again.
//
// Source: nova/compute/manager.py, revert_resize and finish_revert_resize;
// nova/conductor/tasks/migrate.py, rollback.
type Revert struct {
	Migration placement.ConsumerID
	Why       string // for a move that has not come to its end: why it is given up
}

var (
	_ Task = Move{}
	_ Task = Confirm{}
	_ Task = Revert{}
)

// About implements Task.
func (m Move) About() About {
	a := About{Name: "migrate", Instance: m.Instance, Migration: m.Migration}
	if m.Flavor != "" {
		a.Name = "resize"
	}
	return a
}

// Next implements Task.
func (m Move) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	record, ok := s.Nova().Migration(m.Migration)
	if !ok {
		step, err := m.park(s, at)
		return step, err == nil, err
	}
	return m.next(s, record, at)
}

// next decides the next step of a move that has its record.
func (m Move) next(s *cloud.Snapshot, record *nova.Migration, at time.Time) (Step, bool, error) {
	u, err := underWay(s, record, at)
	if err != nil {
		return Step{}, false, err
	}
	switch record.Status {
	case nova.PreMigrating:
		step, err := u.acquire(m)
		return step, err == nil, err
	case nova.Migrating:
		return u.copied(), true, nil
	case nova.PostMigrating:
		if err := spawnable(s, u.i, record.Dest); err != nil {
			return u.giveUp(err.Error(), err), true, nil
		}
		return u.started(), true, nil
	case nova.Reverting:
		step, err := u.back()
		return step, err == nil, err
	default:
		return Step{}, false, nil
	}
}

// without implements elsewhere.
func (m Move) without(step Step) (Task, bool) {
	lost, ok := m.lost.with(step, m.Instance)
	m.lost = lost
	return m, ok
}

// Failed implements Task: the move is given up, and what it did undone. One that lost
// its claim to somebody else before it began is kept as a migration in error.
func (m Move) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	if _, begun := s.Nova().Migration(m.Migration); !begun && step.Name == "park" && !errors.Is(cause, placement.ErrCapacity) {
		return unparked(s, step, cause), nil
	}
	return failed(s, at, m.Migration, step, cause)
}

// About implements Task.
func (c Confirm) About() About { return About{Name: "confirm", Migration: c.Migration} }

// Next implements Task.
func (c Confirm) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	u, err := moveOf(s, c.Migration, at)
	if err != nil {
		return Step{}, false, err
	}
	if err := refusal(c.Checks(s, at)); err != nil {
		return Step{}, false, err
	}
	switch u.m.Status {
	case nova.Finished:
		return u.step("confirm", "confirm that "+u.i.Name+" stays on "+u.m.Dest, func(m *nova.Migration, _ *nova.Instance) {
			m.Status, m.Deadline = nova.Confirming, 0
		}), true, nil
	case nova.Confirming:
		step, err := u.release()
		return step, err == nil, err
	case nova.Confirmed, nova.Error:
		return Step{}, false, nil
	default:
		return Step{}, false, u.notNow("confirm")
	}
}

// Failed implements Task.
func (c Confirm) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	return failed(s, at, c.Migration, step, cause)
}

// About implements Task.
func (r Revert) About() About { return About{Name: "revert", Migration: r.Migration} }

// Next implements Task.
func (r Revert) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	u, err := moveOf(s, r.Migration, at)
	if err != nil {
		return Step{}, false, err
	}
	if u.m.Type == nova.Evacuation {
		// Its instance holds the old claim itself, and would be left with none.
		return Step{}, false, placement.StateErrorf("cannot revert the evacuation of %s: take it back as one that was interrupted", u.i.Name)
	}
	if err := refusal(r.Checks(s, at)); err != nil {
		return Step{}, false, err
	}
	switch u.m.Status {
	case nova.Finished:
		return u.step("revert", "take "+u.i.Name+" back to "+u.m.Source, func(m *nova.Migration, i *nova.Instance) {
			m.Status, m.Deadline, i.TaskState = nova.Reverting, 0, nova.ResizeReverting
		}), true, nil
	case nova.PreMigrating, nova.Migrating, nova.PostMigrating:
		why := r.Why
		if why == "" {
			why = "given up by the operator"
		}
		return u.giveUp(why, nil), true, nil
	case nova.Reverting:
		step, err := u.back()
		return step, err == nil, err
	case nova.Reverted, nova.Error:
		return Step{}, false, nil
	default:
		return Step{}, false, u.notNow("revert")
	}
}

// Failed implements Task.
func (r Revert) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	return failed(s, at, r.Migration, step, cause)
}

// moving is a move under way as one Snapshot has it.
type moving struct {
	s  *cloud.Snapshot
	m  *nova.Migration
	i  *nova.Instance
	at time.Time
}

// moveOf returns the move of the given migration.
//
// Errors: placement.ErrNotFound without it, or without its instance;
// placement.ErrState where that is being deleted, which ends the move too.
func moveOf(s *cloud.Snapshot, id placement.ConsumerID, at time.Time) (moving, error) {
	m, ok := s.Nova().Migration(id)
	if !ok {
		return moving{}, &placement.NotFoundError{What: "migration", Name: id.String()}
	}
	return underWay(s, m, at)
}

func underWay(s *cloud.Snapshot, m *nova.Migration, at time.Time) (moving, error) {
	i, ok := s.Nova().Instance(m.Instance)
	if !ok || !i.Live() {
		return moving{}, fmt.Errorf("migration %s: %w; delete the migration with it", m.UUID,
			&placement.NotFoundError{What: "instance", Name: m.Instance.String()})
	}
	if i.TaskState == nova.Deleting {
		return moving{}, placement.StateErrorf("the %s of %s: it is being deleted", m.Type, i.Name)
	}
	return moving{s: s, m: m, i: i, at: at}, nil
}

// notNow says that the migration is in no state for what was asked.
func (u moving) notNow(what string) error {
	return placement.StateErrorf("cannot %s the %s of %s: it is %s", what, u.m.Type, u.i.Name, u.m.Status)
}

// step returns the Step that changes nothing but Nova's records.
func (u moving) step(name, title string, edit func(*nova.Migration, *nova.Instance)) Step {
	step := Step{Name: name, Title: title}
	u.write(&step.Change, edit)
	return step
}

// write adds to c that migration and instance are as edit leaves them.
func (u moving) write(c *cloud.Change, edit func(*nova.Migration, *nova.Instance)) {
	m, i := u.m.Clone().(*nova.Migration), u.i.Clone().(*nova.Instance)
	edit(m, i)
	if !u.at.IsZero() {
		m.Updated, i.Updated = u.at.UnixMilli(), u.at.UnixMilli()
	}
	c.Put(u.s, i)
	c.Put(u.s, m)
}

// flavor returns the flavor of the given ref.
func (u moving) flavor(ref string) (*nova.Flavor, error) {
	f, ok := u.s.Nova().Flavor(ref)
	if !ok {
		return nil, &placement.NotFoundError{What: "flavor", Name: ref}
	}
	return f, nil
}

// fresh returns the accelerator requests that the move made, by uuid, and old
// those that the instance had before.
func (u moving) fresh() (fresh, old []*cyborg.ARQ) {
	made := map[uuid.UUID]bool{}
	for _, id := range u.freshIDs() {
		made[id] = true
		if a, ok := u.s.Cyborg().ARQ(id); ok {
			fresh = append(fresh, a)
		}
	}
	for a := range u.s.Cyborg().ARQsOf(u.i.UUID) {
		if !made[a.UUID] {
			old = append(old, a)
		}
	}
	return fresh, old
}

// freshIDs returns the uuids that the accelerator requests of the move have, made
// or not: none where the new flavor has no device profile, or one that is gone.
func (u moving) freshIDs() []uuid.UUID {
	f, err := u.flavor(u.m.NewFlavor)
	if err != nil {
		return nil
	}
	p, ok := u.s.Cyborg().DeviceProfile(f.DeviceProfile())
	if !ok {
		return nil
	}
	ids, err := cyborg.ARQIDs(p, u.m.UUID)
	if err != nil {
		return nil
	}
	return ids
}

// claims returns an operation that sets what instance and migration hold. Nothing
// for one of them drops it.
func (u moving) claims(instance, migration Amounts) placement.Op {
	_, i := held(u.s, u.i.UUID)
	_, m := held(u.s, u.m.UUID)
	op := placement.ReplaceAllocations{Consumers: []placement.Claim{
		{Consumer: u.i.UUID, Generation: i, Type: placement.InstanceConsumer, Project: u.i.Project, User: u.i.User, Allocations: instance},
		{Consumer: u.m.UUID, Generation: m, Type: placement.MigrationConsumer, Project: u.i.Project, User: u.i.User, Allocations: migration},
	}}
	return op
}

// failed writes that a step of a move failed for good: a device that will not let
// go stays with the migration, a move that was not at its end is undone, and what
// is past that waits with its fault for another try.
func failed(s *cloud.Snapshot, at time.Time, id placement.ConsumerID, step Step, cause error) (cloud.Change, error) {
	if _, ok := s.Nova().Migration(id); !ok {
		return cloud.Change{}, nil // nothing was written yet
	}
	u, err := moveOf(s, id, at)
	if err != nil {
		return cloud.Change{}, err
	}
	var c cloud.Change
	var act ActError
	if of := (*ActError)(nil); errors.As(cause, &of) {
		act = *of
	}
	switch {
	case act.Act.Kind == UnbindDevice:
		c.Note = fmt.Sprintf("accelerator %s on %s does not let go", act.Act.ARQ, act.Act.Host)
		requests, err := cyborg.FailUnbind(s.Cyborg(), act.Cause.Error(), act.Act.ARQ)
		if err != nil {
			return cloud.Change{}, err
		}
		c.Ops = append(c.Ops, requests)
		u.write(&c, func(m *nova.Migration, _ *nova.Instance) { m.Fault = cause.Error() })
	case u.m.Status == nova.PreMigrating || u.m.Status == nova.Migrating || u.m.Status == nova.PostMigrating:
		back := u.giveUp(cause.Error(), nil)
		c = back.Change
		c.Note = back.Title
	case u.m.Status == nova.Reverting && act.Act.Kind == StartGuest:
		c.Note = u.i.Name + " does not start on " + u.m.Source
		u.write(&c, func(m *nova.Migration, i *nova.Instance) {
			m.Status = reverted(m)
			i.VMState, i.TaskState, i.Fault = nova.Broken, "", cause.Error()
		})
	case u.m.Status == nova.Confirming && act.Act.Kind == StopGuest:
		c.Note = u.m.Source + " is not cleaned of " + u.i.Name
		u.write(&c, func(m *nova.Migration, i *nova.Instance) {
			m.Status, m.Fault = nova.Error, cause.Error()
			u.settled(m, i)
		})
	default:
		c.Note = step.Title + ": " + cause.Error()
		if u.i.Fault == cause.Error() {
			return cloud.Change{}, nil
		}
		u.write(&c, func(_ *nova.Migration, i *nova.Instance) { i.Fault = cause.Error() })
	}
	return c, nil
}

// DueReverts yields the moves whose time to be confirmed is over, unless their
// instances are being deleted.
func DueReverts(s *cloud.Snapshot, now time.Time) iter.Seq[*nova.Migration] {
	return func(yield func(*nova.Migration) bool) {
		for m := range s.Nova().Migrations() {
			if !m.Overdue(now) {
				continue
			}
			if _, err := underWay(s, m, now); err == nil && !yield(m) {
				return
			}
		}
	}
}
