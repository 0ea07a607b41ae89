package ops

import (
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// PlanDeadline plans that a waiting move is reverted at the given time unless it is
// confirmed before; never for the zero time.
//
// Errors: placement.ErrNotFound without the migration, placement.ErrState if
// it does not wait.
func PlanDeadline(s *cloud.Snapshot, migration placement.ConsumerID, at time.Time) (Plan, error) {
	deadline := int64(0)
	if !at.IsZero() {
		deadline = at.UnixMilli()
	}
	return Decider(func(s *cloud.Snapshot) (cloud.Change, error) {
		u, err := moveOf(s, migration, time.Time{})
		if err != nil {
			return cloud.Change{}, err
		}
		if u.m.Status != nova.Finished {
			return cloud.Change{}, u.notNow("set when to revert")
		}
		c := cloud.Change{Note: fmt.Sprintf("the %s of %s waits until it is confirmed or reverted", u.m.Type, u.i.Name)}
		if !at.IsZero() {
			c.Note = fmt.Sprintf("the %s of %s is reverted at %s unless confirmed", u.m.Type, u.i.Name, at.UTC().Format(time.DateTime))
		}
		c.Ops = u.m.To(u.m.Edit(func(m *nova.Migration) { m.Deadline = deadline }))
		return c, nil
	}).Plan(s)
}

// NextDeadline returns the earliest time after the given one at which a waiting move
// is due to be reverted; ok is false if there is none. A zero time asks for the first
// of all.
func NextDeadline(s *cloud.Snapshot, after time.Time) (at time.Time, ok bool) {
	next, past := int64(0), int64(0)
	if !after.IsZero() {
		past = after.UnixMilli()
	}
	for m := range s.Nova().Migrations() {
		if m.Status == nova.Finished && m.Deadline > past && (next == 0 || m.Deadline < next) {
			next = m.Deadline
		}
	}
	return versioned.Time(next), next != 0
}

// Due returns those unfinished Tasks in s that continue by themselves at now: moves that
// were not confirmed in time, and, when a keeper starts, also those that can only be
// finished: deletes, reverts, confirms, and what was being undone. Where undoing is
// possible too, a person has to choose.
//
// Source: nova/compute/manager.py, _init_instance, which goes on with deletes at the start
// of a nova-compute, and _poll_unconfirmed_resizes, which by the clock confirms what this
// reverts.
func Due(s *cloud.Snapshot, now time.Time, start bool) []InterruptedTask {
	return slices.DeleteFunc(Unfinished(s, now, AnyAge), func(x InterruptedTask) bool {
		return x.Undo != nil || !start && !x.Overdue()
	})
}
