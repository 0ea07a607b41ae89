package ops

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
)

// Rehearsal is what a Course would do.
type Rehearsal struct {
	Steps []Rehearsed     // in order
	Final *cloud.Snapshot // the cloud after the last of them
}

// Rehearsed is a step that would be taken, and what it would change.
type Rehearsed struct {
	Step
	Preview Preview
}

// Rehearse takes c from s to its end without writing anything, as if all acts
// succeeded and nobody else wrote: a dry run, or the preview of a wizard. Where c
// would give up, the error is a *FailedError, and the Rehearsal has its steps all
// the same, up to the one that is refused.
func Rehearse(s *cloud.Snapshot, c Course, at time.Time) (Rehearsal, error) {
	r := Rehearsal{Final: s}
	var failed *FailedError
	outcome := func(err error) (Rehearsal, error) {
		if failed == nil {
			return r, err
		}
		failed.Stuck = err
		return r, failed
	}
	for len(r.Steps) < mostSteps {
		step, ok, err := c.Next(r.Final, at)
		if err != nil || !ok {
			return outcome(err)
		}
		step.Change = step.change(at)
		preview, next, err := previewChange(r.Final, step.Change)
		if err != nil {
			return outcome(&FailedError{Step: step, Cause: err})
		}
		if failed != nil {
			failed.Undone++
		}
		if step.Cause != nil && failed == nil {
			failed = &FailedError{Step: step, Cause: step.Cause}
		}
		r.Steps = append(r.Steps, Rehearsed{Step: step, Preview: preview})
		r.Final = next
	}
	return outcome(errCircle(r.Steps[len(r.Steps)-1].Step))
}
