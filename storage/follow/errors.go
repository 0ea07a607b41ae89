package follow

import (
	"errors"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/storage"
)

// sentinels are the kinds of errors that keep their kind on the way from the owner. Each
// is a bit: add new ones at the end.
func sentinels() []error {
	return []error{
		placement.ErrConflict, placement.ErrUnavailable, placement.ErrUnsupported, placement.ErrInvalid, placement.ErrExists,
		placement.ErrNotFound, placement.ErrCapacity, storage.ErrLocked, storage.ErrDamaged, storage.ErrNewer,
		cloud.ErrInDoubt,
	}
}

// OwnerError is an error that the owner reported, with its text and its kinds.
type OwnerError struct {
	Text    string
	matches uint64
}

func (e *OwnerError) Error() string { return e.Text }

// Is reports whether the owner's error matched target, which is one of the kinds that
// errors of stores match.
func (e *OwnerError) Is(target error) bool {
	for i, kind := range sentinels() {
		if target == kind {
			return e.matches&(1<<i) != 0
		}
	}
	return false
}

// fail puts err into an answer.
func (a *answer) fail(err error) {
	a.Error = err.Error()
	if a.Error == "" {
		a.Error = "it failed"
	}
	for i, kind := range sentinels() {
		if errors.Is(err, kind) {
			a.Matches |= 1 << i
		}
	}
}

// err returns the error in an answer, or nil.
func (a answer) err() error {
	if a.Error == "" {
		return nil
	}
	return &OwnerError{Text: a.Error, matches: a.Matches}
}
