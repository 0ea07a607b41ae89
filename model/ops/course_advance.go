package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// AdvanceOptions says how to take a Course to its end. The zero value does: in
// nobody's name, with acts that always succeed.
type AdvanceOptions struct {
	Actor  string           // for the journal
	Guests Guests           // does what is to be done on hosts; nil where nothing is, as in a made-up cloud
	Now    func() time.Time // the caller's clock; nil leaves the times unknown
	Report func(StepDone)   // is told of each step once it is kept; nil for nobody
	// Begin is told of the course before its first step; what it returns is called
	// when nobody takes the course any further. nil for nobody.
	Begin func(Course) (end func())
	// Untried says that the course is not tried out before its first step: nothing
	// else is at stake than the cloud in memory that it is written to.
	Untried bool
}

// StepDone is a step that was taken.
type StepDone struct {
	Number  int // from 1
	Name    string
	Title   string
	Event   cloud.Event // what it changed
	Elapsed time.Duration
	Tries   int   // how often it was decided, from 1
	Cause   error // why the course turned round here; nil otherwise
}

// Advance takes c to its end: it decides a step on the newest Snapshot of r, does
// its Acts, writes its Change to w, and so on until c is at rest. Where somebody
// else wrote in between, or took the room, the step is decided again on what is
// there now, so that a claim goes to the next candidate; it tries a few times.
//
// Before its first step c is tried out on that Snapshot: where it would be stuck
// half-way, nothing is done and nothing written. The error is then why, a
// *RefusedError where a step would fail.
//
// A step that fails for good is handed to Course.Failed, and Advance goes on with
// the undoing, until a step fails for the second time in the same way. Its error is a
// *FailedError then. A ctx that ends stops between two
// steps, and so do the errors of a cloud that cannot be written: the course is
// left half-way, to be found by Unfinished.
func Advance(ctx context.Context, w cloud.Writer, r cloud.Reader, c Course, o AdvanceOptions) error {
	if o.Begin != nil {
		defer o.Begin(c)()
	}
	a := &advance{w: w, r: r, course: c, o: o}
	if !o.Untried {
		if err := stuckOn(ctx, r.Snapshot(), c, a.now()); err != nil {
			return err
		}
	}
	return a.run(ctx)
}

// run takes the course from step to step until it is at rest.
func (a *advance) run(ctx context.Context) error {
	for a.number < mostSteps {
		more, err := a.step(ctx)
		if err != nil {
			return a.outcome(err)
		}
		if !more {
			return a.outcome(nil)
		}
	}
	return a.outcome(errCircle(a.last))
}

// advance is a Course under way.
type advance struct {
	w      cloud.Writer
	r      cloud.Reader
	course Course
	o      AdvanceOptions

	number int
	last   Step
	failed *FailedError // of the first step that failed
	gaveUp map[string]bool
}

func (a *advance) now() time.Time {
	if a.o.Now == nil {
		return time.Time{}
	}
	return a.o.Now()
}

// outcome returns what Advance returns when it stops because of err.
func (a *advance) outcome(err error) error {
	if a.failed == nil {
		return err
	}
	a.failed.Stuck = err
	return a.failed
}

// fails remembers why the course turned round, the first time that it does.
func (a *advance) fails(s Step, cause error) {
	if a.failed == nil {
		a.failed = &FailedError{Step: s, Cause: cause}
	}
}

// step takes one step, and reports whether there may be more. Its error ends the
// course where it is.
func (a *advance) step(ctx context.Context) (bool, error) {
	began := a.now()
	did := map[Act]bool{} // by an earlier try
	var lost error        // to whom wrote before, in the last try
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return false, a.stopped(err)
		}
		at := a.now()
		s, ok, err := a.course.Next(a.r.Snapshot(), at)
		if err != nil && a.number == 0 && errors.Is(lost, placement.ErrConflict) {
			return a.giveUp(ctx, a.last, err)
		}
		if err != nil || !ok {
			return false, err
		}
		a.last = s
		if err := a.act(ctx, s.Acts, did); err != nil {
			if ctx.Err() != nil {
				return false, a.stopped(err)
			}
			return a.giveUp(ctx, s, err)
		}
		ev, err := a.write(ctx, s.change(at))
		switch {
		case err == nil:
			if s.Cause != nil {
				a.fails(s, s.Cause)
			}
			a.done(StepDone{Name: s.Name, Title: s.Title, Event: ev, Elapsed: a.now().Sub(began), Tries: try, Cause: s.Cause})
			return true, nil
		case ctx.Err() != nil || unwritable(err):
			return false, a.stopped(err)
		case !raced(err):
			return a.giveUp(ctx, s, err)
		case a.elsewhere(s, err, try):
			try = 0
		case try == mostTries:
			return a.giveUp(ctx, s, err)
		}
		lost = err
	}
}

// elsewhere is a Course that claims a place, and can go on without it.
type elsewhere interface {
	// without returns the course that leaves out the place which step claims, and false
	// where step claims none.
	without(step Step) (Course, bool)
}

// mostConflicts is how often a claim of one place is tried against others who write to
// the same, before the next one is.
//
// Source: nova/scheduler/client/report.py, retries, of claim_resources.
const mostConflicts = 4

// elsewhere leaves out the place that a step claims, where somebody else was there before
// in every try, and reports whether it did.
func (a *advance) elsewhere(s Step, err error, try int) bool {
	c, ok := a.course.(elsewhere)
	if !ok || try < mostConflicts || !errors.Is(err, placement.ErrConflict) {
		return false
	}
	next, ok := c.without(s)
	if ok {
		a.course = next
	}
	return ok
}

// act does those of acts that are not in did, and puts them there.
func (a *advance) act(ctx context.Context, acts []Act, did map[Act]bool) error {
	for _, act := range acts {
		if a.o.Guests == nil || did[act] {
			continue
		}
		err := a.o.Guests.Do(ctx, act)
		if err == nil && act.By != 0 {
			err = act.late(a.now())
		}
		if err != nil {
			return &ActError{Act: act, Cause: err}
		}
		did[act] = true
	}
	return nil
}

func (a *advance) write(ctx context.Context, c cloud.Change) (cloud.Event, error) {
	if c.Actor == "" {
		c.Actor = a.o.Actor
	}
	commit, err := a.w.Apply(ctx, counted(a.r.Snapshot(), c))
	return commit.Event, err
}

// done counts and reports a step.
func (a *advance) done(d StepDone) {
	a.number++
	d.Number = a.number
	if a.failed != nil {
		a.failed.Undone++
	}
	if a.o.Report != nil {
		a.o.Report(d)
	}
}

// giveUp writes that a step failed for good, so that the next ones undo. A step that
// fails twice in the same way would for ever: the course stops there.
func (a *advance) giveUp(ctx context.Context, s Step, cause error) (bool, error) {
	a.fails(s, cause)
	way := fmt.Sprint(s.Name, s.Title, s.Acts, cause)
	if a.gaveUp[way] {
		return false, fmt.Errorf("%s failed twice: %w", s.Title, cause)
	}
	if a.gaveUp == nil {
		a.gaveUp = map[string]bool{}
	}
	a.gaveUp[way] = true
	began := a.now()
	for try := 1; ; try++ {
		at := a.now()
		c, err := a.course.Failed(a.r.Snapshot(), at, s, cause)
		if err != nil || c.Empty() {
			return false, err
		}
		c.At = at
		ev, err := a.write(ctx, c)
		if err == nil {
			a.done(StepDone{Name: s.Name, Title: c.Note, Event: ev, Elapsed: a.now().Sub(began), Tries: try, Cause: cause})
			return true, nil
		}
		if ctx.Err() != nil || !raced(err) || try == mostTries {
			return false, a.stopped(err)
		}
	}
}

// stopped says where the course was left.
func (a *advance) stopped(err error) error {
	if a.number == 0 {
		return err
	}
	return fmt.Errorf("stopped after step %d: %w", a.number, err)
}

// unwritable reports whether err says that nothing can be written now, whatever
// the step.
func unwritable(err error) bool {
	return errors.Is(err, placement.ErrUnavailable) || errors.Is(err, placement.ErrUnsupported)
}
