package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// RefusedError reports that a Task was not begun, or not continued, because on the
// cloud as it is it would get stuck halfway. Nothing was written. It matches its
// cause.
type RefusedError struct {
	Step  Step  // where it would be stuck
	Cause error // why
}

func (e *RefusedError) Error() string { return (&FailedError{Step: e.Step, Cause: e.Cause}).Error() }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }

// tryout is a cloud in memory on which a course is tried out: it has no other writer, and
// nothing is stored. What the store cannot carry out is refused here too.
type tryout struct {
	s   *cloud.Snapshot
	can cloud.Capabilities
}

var _ Store = (*tryout)(nil)

func (t *tryout) Snapshot() *cloud.Snapshot { return t.s }

func (t *tryout) Apply(_ context.Context, c cloud.Change) cloud.Outcome {
	if err := t.can.Can(c.Ops...); err != nil {
		return cloud.Refused(err)
	}
	next, ev, err := t.s.Apply(c)
	if err != nil {
		return cloud.Refused(err)
	}
	t.s = next
	return cloud.Kept(next, ev)
}

// stuckOn returns an error if c would not come to rest on store even if all acts
// succeeded and nobody else wrote. Turning round and undoing everything is coming to rest
// too, and so is waiting for an operator to free a device: a delete or a vacate releases
// everything else before.
func stuckOn(ctx context.Context, store Store, c Task, at time.Time) error {
	t := &tryout{s: store.Snapshot()}
	if able, ok := store.(interface{ Capabilities() cloud.Capabilities }); ok {
		t.can = able.Capabilities()
	}
	err := (&run{store: t, task: c, o: Runner{Now: func() time.Time { return at }}}).run(ctx)
	var failed *FailedError
	var waits *StuckDeviceError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &waits):
		return nil
	case !errors.As(err, &failed):
		return err
	case failed.Stuck == nil:
		return nil
	}
	return &RefusedError{Step: failed.Step, Cause: withRemedy(failed.Cause)}
}

// withRemedy adds to the error about a refused claim which inventory would accept it, if
// a limit may have been set below it since. Lack of room is no such limit: getting its
// claim back does not take room from a consumer.
//
// Source: placement/objects/allocation.py, _check_capacity_exceeded, which does not
// exempt what is already held from min_unit, max_unit and step_size.
func withRemedy(err error) error {
	var refused *placement.CapacityError
	if !errors.As(err, &refused) {
		return err
	}
	with := func(verb, field string, value int64) error {
		return fmt.Errorf("%w; %s %s of %s on %s to %d first", err, verb, field, refused.Class, refused.Name, value)
	}
	switch refused.Rule {
	case placement.AboveMaxUnit:
		return with("raise", "max_unit", refused.Asked)
	case placement.BelowMinUnit:
		return with("lower", "min_unit", refused.Asked)
	case placement.OffStep:
		return with("set", "step_size", 1)
	default:
		return err
	}
}
