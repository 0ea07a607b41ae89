package cloud

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/versioned"
)

// Before returns the cloud as it was before events, the newest first and without gaps, of
// which the first led to s. It only reads the past: rules for writers, such as that a
// fleet of services does not go back, do not apply, while an Event's reverse, which may
// be written, has to keep them. Its At is the zero time, which the events do not know.
//
// Errors: placement.ErrConflict if the first is not the Event of s, or events are
// missing; placement.ErrUnsupported if one comes without its changes.
func (s *Snapshot) Before(events ...Event) (*Snapshot, error) {
	var turned []versioned.Change
	at := s.revision
	for _, ev := range events {
		if err := ev.whole(at); err != nil {
			return nil, err
		}
		turned = append(turned, ev.turned()...)
		at--
	}
	return s.through(turned, at, time.Time{})
}

// After returns the cloud as it was after events, the newest first and without gaps, of
// which the last came right after s. It is the other way of Before.
//
// Errors: as Before.
func (s *Snapshot) After(events ...Event) (*Snapshot, error) {
	var changes []versioned.Change
	at, when := s.revision, s.at
	for _, ev := range slices.Backward(events) {
		at++
		if err := ev.whole(at); err != nil {
			return nil, err
		}
		changes, when = append(changes, ev.Changes...), ev.At
	}
	return s.through(changes, at, when)
}

// whole returns an error unless ev has everything that revision rev changed.
func (ev Event) whole(rev Revision) error {
	switch {
	case ev.Revision != rev:
		return fmt.Errorf("got revision %d instead of revision %d: %w", ev.Revision, rev, placement.ErrConflict)
	case ev.Omitted > 0:
		return fmt.Errorf("what revision %d changed is not known: %w", ev.Revision, placement.ErrUnsupported)
	}
	return nil
}

// through returns s after changes, applied one after the other.
func (s *Snapshot) through(changes []versioned.Change, rev Revision, at time.Time) (*Snapshot, error) {
	to, of := s.Renumbered(rev, at), splitRecords(changes)
	if err := cmp.Or(
		back(&to.placement, of[ofPlacement]),
		back(&to.nova, of[ofNova]),
		back(&to.cyborg, of[ofCyborg]),
		back(&to.operator, of[ofOperator]),
	); err != nil {
		return nil, err
	}
	return to, nil
}

// Net returns the combined effect of events, whatever their order: each changed record
// once, as it was before the first revision event and as it is after the last, by ledger,
// kind and key. Omitted counts changes that came without their records.
func Net(events []Event) (changes []versioned.Change, omitted int) {
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.Revision, b.Revision) })
	for _, ev := range events {
		omitted += ev.Omitted
		changes = append(changes, ev.Changes...)
	}
	changes = slices.DeleteFunc(versioned.Net(changes), func(c versioned.Change) bool { return reflect.DeepEqual(c.Before, c.After) })
	slices.SortStableFunc(changes, func(a, b versioned.Change) int {
		return cmp.Or(cmp.Compare(ledgerOf[a.Kind()], ledgerOf[b.Kind()]), cmp.Compare(a.Kind(), b.Kind()), bytes.Compare(a.Key(), b.Key()))
	})
	return changes, omitted
}
