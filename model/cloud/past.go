package cloud

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/model/sorted"
	"github.com/placetop/placetop/model/versioned"
)

// Before returns the cloud as it was before ev, the Event that led to s. It is a look
// at the past and nobody's wish: rules for writers, such as that a fleet of services
// does not go back, are not asked, while the Event's reverse, which somebody may
// write, has to keep them. Its At is the zero time, which ev does not know.
//
// Errors: placement.ErrConflict where ev is not the Event of s, so that events are
// missing; placement.ErrUnsupported where ev comes without its changes.
func (s *Snapshot) Before(ev Event) (*Snapshot, error) {
	switch {
	case ev.Revision != s.revision:
		return nil, fmt.Errorf("revision %d did not lead to revision %d: %w", ev.Revision, s.revision, placement.ErrConflict)
	case ev.Omitted > 0:
		return nil, fmt.Errorf("what revision %d changed is not known: %w", ev.Revision, placement.ErrUnsupported)
	}
	before := &Snapshot{revision: s.revision - 1, parts: s.parts}
	for i, turned := range splitRecords(ev.turned()) {
		if len(turned) == 0 {
			continue
		}
		part, err := s.parts[i].back(turned)
		if err != nil {
			return nil, err
		}
		before.parts[i] = part
	}
	return before, nil
}

// Net returns what events come to together, whatever their order: each record that they
// changed once, as it was before the first of them and as it is after the last, by ledger,
// kind and key. Omitted is how many changes came without their records.
func Net(events []Event) (changes []versioned.Change, omitted int) {
	events = slices.Clone(events)
	sorted.By(events, func(a, b Event) int { return cmp.Compare(a.Revision, b.Revision) })
	for _, ev := range events {
		omitted += ev.Omitted
		changes = append(changes, ev.Changes...)
	}
	changes = slices.DeleteFunc(versioned.Net(changes), func(c versioned.Change) bool { return reflect.DeepEqual(c.Before, c.After) })
	sorted.By(changes, func(a, b versioned.Change) int {
		return cmp.Or(cmp.Compare(ledgerOf(a.Kind()), ledgerOf(b.Kind())), cmp.Compare(a.Kind(), b.Kind()), bytes.Compare(a.Key(), b.Key()))
	})
	return changes, omitted
}
