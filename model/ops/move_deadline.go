package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/placement"
)

// PlanDeadline plans that a move which waits to be confirmed is reverted at the
// given time unless it is confirmed before, and never for the zero time.
//
// Errors: placement.ErrNotFound without the migration, placement.ErrState where
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
		c.Put(s, u.m.Edit(func(m *nova.Migration) { m.Deadline = deadline }))
		return c, nil
	}).Plan(s)
}

// NextDeadline returns the earliest time after another, zero for any, at which a move
// that waits to be confirmed is due to be reverted; ok is false where none is.
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
	return time.UnixMilli(next), next != 0
}

// RevertError reports that a move could not be reverted when its time was over. It
// matches its cause.
type RevertError struct {
	Migration placement.ConsumerID
	Name      string // of the instance
	Cause     error
}

// Error implements error.
func (e *RevertError) Error() string { return fmt.Sprintf("revert of %s: %v", e.Name, e.Cause) }

// Unwrap returns the cause.
func (e *RevertError) Unwrap() error { return e.Cause }

// RevertDue reverts the moves whose time to be confirmed is over at now, one after
// the other, and returns those that it reverted, with why others could not be. To
// do it in several places at the same time does no harm.
//
// Errors: errors.Join's of a RevertError for each that could not be reverted.
func RevertDue(ctx context.Context, store Store, now time.Time, o Runner) ([]*nova.Migration, error) {
	var done []*nova.Migration
	var errs []error
	for _, m := range slices.Collect(DueReverts(store.Snapshot(), now)) {
		if err := o.Run(ctx, store, Revert{Migration: m.UUID}); err != nil {
			errs = append(errs, &RevertError{Migration: m.UUID, Name: ConsumerName(store.Snapshot(), m.Instance), Cause: err})
			continue
		}
		done = append(done, m)
	}
	return done, errors.Join(errs...)
}
