package cloud

import (
	"errors"

	"github.com/placetop/placetop/model/placement"
)

// Outcome is what became of a Change: it was kept, which led to a Commit, or refused, so
// that nothing is changed, or neither is known. Only Kept makes one without an error: the
// zero Outcome is in doubt, so that no path of a store can report a write as kept by
// returning too early.
type Outcome struct {
	commit Commit
	err    error
}

// Kept is the Outcome of a Change that led to s by ev, for good.
func Kept(s *Snapshot, ev Event) Outcome { return Outcome{commit: Commit{Snapshot: s, Event: ev}} }

// Refused is the Outcome of a Change that changed nothing, for the reason err.
func Refused(err error) Outcome { return Outcome{err: err} }

// InDoubt is the Outcome of a Change that may have been done, or some of it: err is why no
// more is known.
func InDoubt(err error) Outcome {
	if err != nil && !errors.Is(err, ErrInDoubt) {
		err = &InDoubtError{Err: err}
	}
	return Outcome{err: err}
}

// Result returns the Commit of a Change that was kept, and otherwise an error, which
// matches ErrInDoubt unless the Change was refused.
func (o Outcome) Result() (Commit, error) {
	if o.err == nil && o.commit.Snapshot == nil {
		return Commit{}, ErrInDoubt
	}
	return o.commit, o.err
}

// Err returns the error of Result.
func (o Outcome) Err() error {
	_, err := o.Result()
	return err
}

// ErrInDoubt is matched by the error of a Change that may have been done, or some of it:
// the answer was lost, or the rest of it failed. Such a Change is not tried again before
// somebody has looked.
var ErrInDoubt = errors.New("it is not known whether it was done")

// ErrOvertaken is matched by the error of a Change of which some was done before another
// writer was faster. It matches ErrInDoubt, too, as only who knows what the Change is for
// can say whether the rest of it is still wanted.
var ErrOvertaken = errors.New("another writer was faster halfway")

// InDoubtError reports a Change that may have been done. It matches ErrInDoubt and
// placement.ErrUnavailable.
type InDoubtError struct{ Err error } // why no more is known

func (e *InDoubtError) Error() string {
	return e.Err.Error() + "; " + ErrInDoubt.Error() + ": check it"
}

// Is reports whether target is ErrInDoubt or placement.ErrUnavailable.
func (*InDoubtError) Is(target error) bool {
	return target == ErrInDoubt || target == placement.ErrUnavailable
}

// Unwrap returns why no more is known.
func (e *InDoubtError) Unwrap() error { return e.Err }
