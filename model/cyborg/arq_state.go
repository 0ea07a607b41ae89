package cyborg

import (
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/placetop/placetop/model/placement"
)

// cameFrom returns the states from which an accelerator request may enter state s.
// UnbindFailed follows an unbind that the device refuses; only ForceUnbind, by an
// operator, leads out of it.
//
// Source: cyborg/common/constants.py, ARQ_STATES_TRANSFORM_MATRIX.
func (s ARQState) cameFrom() []ARQState {
	switch s {
	case ARQBindStarted:
		return []ARQState{ARQInitial, ARQUnbound}
	case ARQBound:
		return []ARQState{ARQBindStarted}
	case ARQBindFailed:
		return []ARQState{ARQBindStarted, ARQBound}
	case ARQUnbound:
		return []ARQState{ARQInitial, ARQBindStarted, ARQBound, ARQBindFailed}
	case ARQUnbindFailed:
		return []ARQState{ARQBindStarted, ARQBound}
	case ARQDeleting:
		return []ARQState{ARQInitial, ARQBindStarted, ARQBound, ARQUnbound, ARQBindFailed}
	default:
		return nil
	}
}

// MayBecome reports whether an accelerator request in state s may go to state to.
func (s ARQState) MayBecome(to ARQState) bool { return slices.Contains(to.cameFrom(), s) }

// HoldsHandle reports whether an accelerator request in state s holds an attach handle. A
// handle whose unbind failed is one that the device has not given back.
func (s ARQState) HoldsHandle() bool {
	return s == ARQBindStarted || s == ARQBound || s == ARQUnbindFailed
}

// TransitionError reports that an accelerator request cannot go from its state to the
// one asked for. It matches placement.ErrState.
type TransitionError struct {
	ARQ      uuid.UUID
	From, To ARQState
}

func (e *TransitionError) Error() string {
	s := fmt.Sprintf("accelerator request %s is %s, and cannot become %s", e.ARQ, e.From, e.To)
	if e.From == ARQUnbindFailed {
		s += ": free the device by hand, then unbind it by force"
	}
	return s
}

// Is reports whether target is placement.ErrState.
func (e *TransitionError) Is(target error) bool { return target == placement.ErrState }

// to returns a in state next, with the changes that edit makes, or a *TransitionError.
func (a *ARQ) to(next ARQState, edit func(*ARQ)) (*ARQ, error) {
	if !a.State.MayBecome(next) {
		return nil, &TransitionError{ARQ: a.UUID, From: a.State, To: next}
	}
	return a.Edit(func(a *ARQ) {
		a.State, a.BindStart = next, 0
		edit(a)
	}), nil
}
