package ops

import (
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// PlanDeadline plans that a move which waits to be confirmed is reverted at the
// given time unless it is confirmed before, and never for the zero time.
//
// Errors: placement.ErrNotFound without the migration, placement.ErrConflict where
// it does not wait.
func PlanDeadline(s *cloud.Snapshot, migration placement.ConsumerID, at time.Time) (Plan, error) {
	deadline := int64(0)
	if !at.IsZero() {
		deadline = at.UnixMilli()
	}
	return planner(func(s *cloud.Snapshot) (cloud.Change, error) {
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
		c.Nova.Put(s.Nova(), u.m.Edit(func(m *nova.Migration) { m.Deadline = deadline }))
		return c, nil
	}).plan(s)
}

// NextDeadline returns the earliest time at which a move that waits to be
// confirmed is due to be reverted; ok is false where none is.
func NextDeadline(s *cloud.Snapshot) (at time.Time, ok bool) {
	next := int64(0)
	for m := range s.Nova().Migrations() {
		if m.Status == nova.Finished && m.Deadline != 0 && (next == 0 || m.Deadline < next) {
			next = m.Deadline
		}
	}
	return time.UnixMilli(next), next != 0
}
