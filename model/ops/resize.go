package ops

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

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
// A VGPU may go from Nova's cards to Cyborg's and back, from Nova's to Nova's, and from
// Cyborg's to Cyborg's: the new accelerator requests then have the uuid of the migration
// until it is confirmed, as an instance has one set only. Upstream refuses every resize
// from or to a device profile.
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
	// Live has the hypervisors take the guest over as it runs, with the flavor that it has:
	// nothing waits then. Only a Nova that is asked does so.
	Live bool
	// RevertAfter is how long the migration waits to be confirmed before
	// it is due to be reverted; 0 for ever.
	RevertAfter time.Duration
	Ask         nova.AskOptions     // how the request departs from what the cloud is set to
	Indexer     *candidates.Indexer // shared with others; nil to make one

	lost excludedPlaces
}

// Confirm is the Task that ends a move for good: what the old place held is
// released, the device first.
//
// Source: nova/compute/manager.py, confirm_resize.
type Confirm struct {
	Migration placement.ConsumerID
}

// Revert is the Task that takes a move back, whether it had come to its end or not:
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
func (m Move) About() Description {
	a := Description{Name: "migrate", Instance: m.Instance, Migration: m.Migration}
	switch {
	case m.Live:
		a.Name = "live-migrate"
	case m.Flavor != "":
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
	u, err := underWay(s, record, at)
	if err != nil {
		return Step{}, false, err
	}
	if record.Status == nova.Reverting {
		return u.next(u.back())
	}
	return u.next(u.there(m))
}

// without implements elsewhere.
func (m Move) without(step Step) (Task, bool) {
	lost, ok := m.lost.with(step, m.Instance)
	m.lost = lost
	return m, ok
}

// Failed implements Task: the move is given up and undone. One that lost its claim to
// another writer before it began is kept as a migration in error.
func (m Move) Failed(s *cloud.Snapshot, at time.Time, step Step, cause error) (cloud.Change, error) {
	if _, begun := s.Nova().Migration(m.Migration); !begun && step.Name == "park" && !errors.Is(cause, placement.ErrCapacity) {
		return moveFailure(step, cause), nil
	}
	return failed(s, at, m.Migration, step, cause)
}

// About implements Task.
func (c Confirm) About() Description { return Description{Name: "confirm", Migration: c.Migration} }

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
	case nova.Finished, nova.Confirming:
		return u.next(u.stay())
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
func (r Revert) About() Description { return Description{Name: "revert", Migration: r.Migration} }

// Next implements Task.
func (r Revert) Next(s *cloud.Snapshot, at time.Time) (Step, bool, error) {
	u, err := moveOf(s, r.Migration, at)
	if err != nil {
		return Step{}, false, err
	}
	if u.m.Type == nova.Evacuation {
		// Its instance holds the old claim itself, and would be left with none.
		return Step{}, false, placement.StateErrorf("cannot revert the evacuation of %s: Nova ends it itself", u.i.Name)
	}
	if err := refusal(r.Checks(s, at)); err != nil {
		return Step{}, false, err
	}
	switch u.m.Status {
	case nova.Finished, nova.Reverting:
		return u.next(u.back())
	case nova.PreMigrating, nova.Migrating, nova.PostMigrating:
		return u.giveUp(cmp.Or(r.Why, "given up by the operator"), nil), true, nil
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

// moveOf returns the move of the given migration.
//
// Errors: placement.ErrNotFound without it, or without its instance; placement.ErrState
// if that is being deleted, which ends the move too.
func moveOf(s *cloud.Snapshot, id placement.ConsumerID, at time.Time) (work, error) {
	m, ok := s.Nova().Migration(id)
	if !ok {
		return work{}, s.Missing(placement.NotFound("migration", id.String()), cloud.Migrations)
	}
	return underWay(s, m, at)
}

func underWay(s *cloud.Snapshot, m *nova.Migration, at time.Time) (work, error) {
	i, ok := s.Nova().Instance(m.Instance)
	if !ok || !i.Live() {
		return work{}, fmt.Errorf("migration %s: %w; delete the migration with it", m.UUID,
			noInstance(s, m.Instance))
	}
	if i.TaskState == nova.Deleting {
		return work{}, placement.StateErrorf("the %s of %s: it is being deleted", m.Type, i.Name)
	}
	return work{s: s, m: m, i: i, at: at}, nil
}

// notNow is the error that the migration is in the wrong state for what was asked.
func (u work) notNow(what string) error {
	return placement.StateErrorf("cannot %s the %s of %s: it is %s", what, u.m.Type, u.i.Name, u.m.Status)
}

// fresh returns the accelerator requests that the move made, by uuid, and old
// those that the instance had before.
func (u work) fresh() (fresh, old []*cyborg.ARQ) {
	fresh = madeFor(u.s, u.m.NewFlavor, u.m.UUID)
	for a := range u.s.Cyborg().ARQsOf(u.i.UUID) {
		if !slices.Contains(fresh, a) {
			old = append(old, a)
		}
	}
	return fresh, old
}

// failed returns the change after a step of a move failed for good: a stuck device stays
// with the migration, an unfinished move is undone, and a finished one waits with its
// fault for another try.
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
		c = revertFailure(step, cause)
		c.Note = fmt.Sprintf("accelerator %s on %s does not let go", act.Act.ARQ, act.Act.Host)
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
		u.settle(&c, cause.Error())
	default:
		c.Note = step.Title + ": " + cause.Error()
		if u.i.Fault == cause.Error() {
			return cloud.Change{}, nil
		}
		u.write(&c, func(_ *nova.Migration, i *nova.Instance) { i.Fault = cause.Error() })
	}
	return c, nil
}
