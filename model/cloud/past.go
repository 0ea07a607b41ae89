package cloud

import (
	"fmt"

	"github.com/placetop/placetop/model/placement"
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
