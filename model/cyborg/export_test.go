package cyborg

import "github.com/placetop/placetop/model/placement"

// Resolved returns the requests of an instance, or of a migration, and whether
// binding is over for all of them, successfully or not.
//
// Source: cyborg/api/controllers/v2/arqs.py, ARQsController.get_all with
// bind_state=resolved, which answers 423 as long as one is not.
func (s *Snapshot) Resolved(instance placement.ConsumerID) (arqs []*ARQ, over bool) {
	over = true
	for a := range s.ARQsOf(instance) {
		arqs = append(arqs, a)
		over = over && a.State.Resolved()
	}
	return arqs, over
}

// Allows returns the error with which s refuses operations, nil if it accepts them.
func (s *Snapshot) Allows(ops ...Op) error {
	_, _, err := s.Apply(Change{Ops: ops})
	return err
}

// DeviceCount returns how many devices there are.
func (s *Snapshot) DeviceCount() int { return s.rows.Len(KindDevice) }

// Resolved reports whether binding is over in state s, successfully or not.
//
// Source: cyborg/common/constants.py, ARQ_RESOLVED_STATES.
func (s ARQState) Resolved() bool {
	return s == ARQBound || s == ARQBindFailed || s == ARQDeleting
}
