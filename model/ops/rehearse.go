package ops

import (
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/versioned"
)

// Rehearsal is what a Task would do.
type Rehearsal struct {
	Start *cloud.Snapshot // the cloud before the first step
	Steps []RehearsedStep // in order
	Final *cloud.Snapshot // the cloud after the last of them
}

// RehearsedStep is a step that would be taken, and what it would change.
type RehearsedStep struct {
	Step
	Preview Preview
}

// Rehearse takes c from s to its end without writing anything, as if all acts succeeded
// and there were no other writers: a dry run, or the preview of a wizard. If c would give
// up, the error is a *FailedError, and the Rehearsal has the steps up to the one that is
// refused.
func Rehearse(s *cloud.Snapshot, c Task, at time.Time) (Rehearsal, error) {
	r := Rehearsal{Start: s, Final: s}
	if all, ok := c.(Each); ok {
		return rehearseEach(r, all, at)
	}
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
		if p := step.plan; p != nil { // it has everything needed here
			r.Steps, r.Final = []RehearsedStep{{Step: step, Preview: p.Preview}}, p.After
			return r, nil
		}
		step.Change = counted(r.Final, step.change(at))
		preview, next, err := previewChange(r.Final, step.Change)
		if err != nil {
			return outcome(&FailedError{Step: step, Cause: withRemedy(err)})
		}
		if failed != nil {
			failed.Undone++
		}
		if step.Cause != nil && failed == nil {
			failed = &FailedError{Step: step, Cause: step.Cause}
		}
		r.Steps = append(r.Steps, RehearsedStep{Step: step, Preview: preview})
		r.Final = next
	}
	return outcome(errCircle(r.Steps[len(r.Steps)-1].Step))
}

// rehearseEach is Rehearse for several tasks, one after the other.
func rehearseEach(r Rehearsal, all Each, at time.Time) (Rehearsal, error) {
	for _, t := range all {
		one, err := Rehearse(r.Final, t, at)
		if err != nil {
			err = all.named(r.Final, t, err)
		}
		r.Steps, r.Final = append(r.Steps, one.Steps...), one.Final
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// Outcome is what all steps together would do: the cloud before the first and after
// the last, with the requests and commands of each in order.
func (r Rehearsal) Outcome() Preview {
	if len(r.Steps) == 1 && r.Steps[0].plan != nil {
		return r.Steps[0].Preview
	}
	var changes []versioned.Change
	for _, s := range r.Steps {
		changes = append(changes, s.Preview.Records...)
	}
	p := both{r.Start, r.Final}.preview(versioned.Net(changes))
	p.calls = &calls{}
	for _, s := range r.Steps {
		p.calls.of = append(p.calls.of, s.Preview.calls.of...)
	}
	return p
}
