package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/placetop/placetop/model/api"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
)

// Store is the cloud that Tasks are carried out on.
type Store interface {
	cloud.Reader
	cloud.Writer
}

// Executor is a Store that carries out some Tasks by itself, as a real Nova resizes its
// own servers.
type Executor interface {
	Store
	// Carry carries out t for somebody who has seen on, and tells report of what it did on
	// the way. ok is false if t is none of its own, and nothing was done: the Runner takes its
	// steps then.
	Carry(ctx context.Context, t Task, on *cloud.Snapshot, report func(StepDone)) (ok bool, err error)
}

// Runner carries out Tasks: it plans, writes, and decides again. The zero value has no
// actor, and acts that always succeed.
type Runner struct {
	Actor  string           // for the journal
	Guests Guests           // does what is to be done on hosts; nil if nothing is, as in a demo cloud
	Now    func() time.Time // the caller's clock; nil leaves the times unknown
	Report func(StepDone)   // gets each step once it is kept; may be nil
	// Again is called when a step is decided again, with the reason; may be nil.
	Again func(try int, why error)
	// Begin is called with the task before its first step; what it returns is called when
	// the task is no longer run. It may be nil.
	Begin func(Task) (end func())
	// Shown is what the user has seen and accepted: if the task would now do something
	// else, nothing is written. nil if nothing was shown.
	Shown *ExpectedOutcome
	// GoOn continues with the next of several tasks after one of which no step was taken,
	// unless nothing can be written. The error joins all failures.
	GoOn bool
	// Untried says that a task is not tried out before its first step: nothing
	// else is at stake than the cloud in memory that it is written to.
	Untried bool

	kept func(cloud.Commit) // gets each Commit of the task's own steps; may be nil
}

// ExpectedOutcome is the outcome of a Task that was shown to the user.
type ExpectedOutcome struct {
	On      *cloud.Snapshot // that it was planned on
	Outcome Preview

	// Decided says that it was decided on, but nobody has looked at it: it may do more or
	// less on a newer Snapshot, but give up nothing else.
	Decided bool
}

// differences returns why now may not be done instead of what was shown.
func (s *ExpectedOutcome) differences(now Preview) []string {
	if s.Decided && !givesUpMore(s.Outcome, now) {
		return nil
	}
	return Differences(s.Outcome, now)
}

// StepDone is a step that was taken.
type StepDone struct {
	Number  int // from 1
	Name    string
	Title   string
	Event   cloud.Event // what it changed
	Elapsed time.Duration
	Tries   int   // how often it was decided, from 1
	Cause   error // why the task turned round here; nil otherwise

	sent *calls // nil if not known
}

// Requests returns the API calls of the step: none for one that the journal tells about,
// or that an Executor took.
func (d StepDone) Requests() []api.Call { return d.sent.made().requests }

// Sent reports whether the API calls of the step are known: else another process took it,
// or an Executor did.
func (d StepDone) Sent() bool { return d.sent != nil }

// Run takes t to its end: it decides a step on the newest Snapshot of the store, does its
// Acts, writes its Change, and so on until t is at rest. A Carrier may do so itself. A
// write that is refused for what a newer Snapshot may lift, as another writer wrote in
// between or took the room, is never repeated: the step is decided again on what is there
// now, so that a claim goes to the next candidate; it tries a few times.
//
// Before its first step a task of several is tried out on that Snapshot: if it would be
// stuck halfway, nothing is done and nothing written. The error is then why, a
// *RefusedError if a step would fail. If the outcome is not the ExpectedOutcome, it is a
// *ChangedError.
//
// A step that fails for good is handed to Task.Failed, and Run goes on with the
// undoing, until a step fails for the second time in the same way. Its error is a
// *FailedError then, but the refusal itself for a task of one step. A ctx that ends
// stops between two steps, and so do the errors of a cloud that cannot be written: the
// task is left unfinished, to be found by Unfinished.
func (o Runner) Run(ctx context.Context, store Store, t Task) error {
	if all, ok := t.(Each); ok {
		return o.each(ctx, store, all)
	}
	if o.Begin != nil {
		defer o.Begin(t)()
	}
	if c, ok := store.(Executor); ok {
		on := store.Snapshot()
		if o.Shown != nil {
			on = o.Shown.On
		}
		if ok, err := c.Carry(ctx, t, on, o.reports()); ok || err != nil {
			return err
		}
	}
	r := &run{store: store, task: t, o: o}
	if !o.Untried && !independent(t) {
		if err := stuckOn(ctx, store, t, r.now()); err != nil {
			return err
		}
	}
	return r.run(ctx)
}

// Write carries out a Plan, and returns what was written: a Commit without an Event if
// another writer has done the same.
//
// Errors: as Run.
func (o Runner) Write(ctx context.Context, store Store, p Plan) (cloud.Commit, error) {
	var done cloud.Commit
	o.kept = func(c cloud.Commit) { done = c }
	err := o.Run(ctx, store, p)
	if done.Snapshot == nil {
		done.Snapshot = store.Snapshot()
	}
	return done, err
}

// Fill writes the Changes of a cloud that is made up or copied, as they are: their effect
// need not be shown before. It stops at the first that is refused, and returns the last
// that was kept.
//
// Errors: those of the store, with the note of the Change.
func (o Runner) Fill(ctx context.Context, store Store, changes iter.Seq[cloud.Change]) (last cloud.Commit, err error) {
	for c := range changes {
		c.Actor = cmp.Or(c.Actor, o.Actor)
		done, err := store.Apply(ctx, c).Result()
		if err != nil {
			return last, fmt.Errorf("%s: %w", c.Note, err)
		}
		last = done
	}
	return last, nil
}

// independent reports whether the steps of t do not depend on each other, so that it
// cannot be stuck halfway.
func independent(t Task) bool {
	if _, ok := t.(interface{ independent() }); ok {
		return true
	}
	_, one := t.(Plan)
	return one
}

// reports returns the function that is called after each step.
func (o Runner) reports() func(StepDone) {
	if o.Report == nil {
		return func(StepDone) {}
	}
	return o.Report
}

// run is a Task in progress.
type run struct {
	store Store
	task  Task
	o     Runner

	number int
	last   Step
	failed *FailedError // of the first step that failed
	gaveUp map[string]bool
}

// run takes steps of the task until it is at rest.
func (r *run) run(ctx context.Context) error {
	for r.number < mostSteps {
		more, err := r.step(ctx)
		if err != nil {
			return r.outcome(err)
		}
		if !more {
			return r.outcome(nil)
		}
	}
	return r.outcome(errCircle(r.last))
}

func (r *run) now() time.Time { return r.o.now() }

func (o Runner) now() time.Time {
	if o.Now == nil {
		return time.Time{}
	}
	return o.Now()
}

// outcome returns what Run returns when it stops because of err.
func (r *run) outcome(err error) error {
	if r.failed == nil {
		return err
	}
	r.failed.Stuck = err
	return r.failed
}

// fails remembers why the task first turned round.
func (r *run) fails(s Step, cause error) {
	if r.failed == nil {
		r.failed = &FailedError{Step: s, Cause: cause}
	}
}

// mostTries is how often a step is decided before Run gives up.
const mostTries = 5

// step takes one step, and reports whether there may be more. Its error ends the
// task where it is.
func (r *run) step(ctx context.Context) (bool, error) {
	began := r.now()
	did := map[Act]bool{} // by an earlier try
	var lost error        // to another writer, in the last try
	for try := 1; ; try++ {
		if err := ctx.Err(); err != nil {
			return false, r.stopped(err)
		}
		on, at := r.store.Snapshot(), r.now()
		s, ok, err := r.next(on, at, lost)
		if err != nil && r.number == 0 && r.last.plan == nil && errors.Is(lost, placement.ErrConflict) {
			return r.giveUp(ctx, r.last, err)
		}
		if err != nil || !ok {
			return false, err
		}
		if lost != nil && (s.Name != r.last.Name || s.Title != r.last.Title) {
			try = 1 // the other writer runs the same task: it has advanced
		}
		r.last = s
		if err := r.act(ctx, s.Acts, did); err != nil {
			if ctx.Err() != nil {
				return false, r.stopped(err)
			}
			return r.giveUp(ctx, s, err)
		}
		c := s.change(at)
		ev, err := r.write(ctx, on, s.Name, c, s.plan == nil)
		switch {
		case err == nil:
			if s.Cause != nil {
				r.fails(s, s.Cause)
			}
			r.done(StepDone{Name: s.Name, Title: s.Title, Event: ev, Elapsed: r.now().Sub(began), Tries: try, Cause: s.Cause, sent: &calls{of: []callGroup{{on: on, ops: c.Ops}}}})
			return s.plan == nil, nil
		case try < mostTries && s.plan != nil && s.plan.Compares && errors.Is(err, cloud.ErrOvertaken):
		case ctx.Err() != nil || unwritable(err):
			return false, r.stopped(err)
		case !mayLift(err, on, r.store.Snapshot()):
			return r.giveUp(ctx, s, err)
		case r.elsewhere(s, err, try):
			try = 0
		case try == mostTries:
			return r.giveUp(ctx, s, err)
		}
		if r.o.Again != nil {
			r.o.Again(try, err)
		}
		lost = err
	}
}

// next decides the next step. If the effect of the task was shown before, the first step
// is only taken while the whole still has the same effect; lost is the error with which
// it was refused before.
func (r *run) next(on *cloud.Snapshot, at time.Time, lost error) (Step, bool, error) {
	shown := r.o.Shown
	if shown == nil || r.number > 0 || on == shown.On {
		return r.task.Next(on, at)
	}
	if lost == nil {
		lost = placement.ErrConflict // with what was shown
	}
	now, err := Rehearse(on, r.task, at)
	switch {
	case err != nil && shown.Decided:
		return Step{}, false, err
	case err != nil:
		return Step{}, false, &ChangedError{Now: err, Cause: lost}
	case len(now.Steps) == 0:
		return Step{}, false, nil // another writer has done the same
	}
	outcome := now.Outcome()
	if diff := shown.differences(outcome); len(diff) > 0 {
		changed := &ChangedError{Shown: ExpectedOutcome{On: on, Outcome: outcome}, Differences: diff, Cause: lost}
		if p := now.Steps[0].plan; p != nil {
			changed.Plan = *p
		}
		return Step{}, false, changed
	}
	if first := now.Steps[0].Step; first.plan != nil { // it is decided
		return first, true, nil
	}
	return r.task.Next(on, at)
}

// mayLift reports whether a refused step is to be decided again, as a newer Snapshot than
// the one it was decided on may lift the refusal. A stale generation or missing room
// means that another writer wrote; any other refusal may be lifted only if there is a
// newer Snapshot already.
func mayLift(err error, on, newest *cloud.Snapshot) bool {
	return on != newest || errors.Is(err, placement.ErrConflict) || errors.Is(err, placement.ErrCapacity)
}

// elsewhere is a Task that claims a place, and can go on without it.
type elsewhere interface {
	// without returns the task without the place that step claims, and false if step
	// claims none.
	without(step Step) (Task, bool)
}

// mostConflicts is how often a claim of one place is tried against other writers before
// the next place is tried.
//
// Source: nova/scheduler/client/report.py, retries, of claim_resources.
const mostConflicts = 4

// elsewhere leaves out the place that a step claims if another writer was faster in every
// try, and reports whether it did.
func (r *run) elsewhere(s Step, err error, try int) bool {
	c, ok := r.task.(elsewhere)
	if !ok || try < mostConflicts || !errors.Is(err, placement.ErrConflict) {
		return false
	}
	next, ok := c.without(s)
	if ok {
		r.task = next
	}
	return ok
}

// act carries out the acts that are not in did, and adds them to it.
func (r *run) act(ctx context.Context, acts []Act, did map[Act]bool) error {
	for _, act := range acts {
		if r.o.Guests == nil || did[act] {
			continue
		}
		err := r.o.Guests.Do(ctx, act)
		if err == nil && act.By != 0 {
			err = act.late(r.now())
		}
		if err != nil {
			return &ActError{Act: act, Cause: err}
		}
		did[act] = true
	}
	return nil
}

// write writes a step, along with what the resource tracker writes; a Plan already has
// everything that it writes.
func (r *run) write(ctx context.Context, on *cloud.Snapshot, step string, c cloud.Change, count bool) (cloud.Event, error) {
	if c.Actor == "" {
		c.Actor = r.o.Actor
	}
	c.Task, c.Step = r.task.About().Name, step
	if count {
		c = counted(on, c)
	}
	commit, err := r.store.Apply(ctx, c).Result()
	if err == nil && r.o.kept != nil {
		r.o.kept(commit)
	}
	return commit.Event, err
}

// done counts and reports a step.
func (r *run) done(d StepDone) {
	r.number++
	d.Number = r.number
	if r.failed != nil {
		r.failed.Undone++
	}
	r.o.reports()(d)
}

// giveUp writes that a step failed for good, so that the next ones undo. A step that
// fails twice in the same way would do so for ever: the task stops there. A single step
// leaves nothing to undo.
func (r *run) giveUp(ctx context.Context, s Step, cause error) (bool, error) {
	if s.plan != nil {
		return false, cause
	}
	r.fails(s, cause)
	way := fmt.Sprint(s.Name, s.Title, s.Acts, cause)
	if r.gaveUp[way] {
		return false, fmt.Errorf("%s failed twice: %w", s.Title, cause)
	}
	if r.gaveUp == nil {
		r.gaveUp = map[string]bool{}
	}
	r.gaveUp[way] = true
	began := r.now()
	for try := 1; ; try++ {
		on, at := r.store.Snapshot(), r.now()
		c, err := r.task.Failed(on, at, s, cause)
		if err != nil || c.Empty() {
			return false, err
		}
		c.At = at
		ev, err := r.write(ctx, on, s.Name, c, true)
		if err == nil {
			r.done(StepDone{Name: s.Name, Title: c.Note, Event: ev, Elapsed: r.now().Sub(began), Tries: try, Cause: cause})
			return true, nil
		}
		if ctx.Err() != nil || unwritable(err) || !mayLift(err, on, r.store.Snapshot()) || try == mostTries {
			return false, r.stopped(err)
		}
	}
}

// stopped says where the task was left.
func (r *run) stopped(err error) error {
	if r.number == 0 {
		return err
	}
	return fmt.Errorf("stopped after step %d: %w", r.number, err)
}

// unwritable reports whether err says that nothing can be written now, whatever the step,
// or that nothing should be before somebody has looked.
func unwritable(err error) bool {
	return errors.Is(err, placement.ErrUnavailable) || errors.Is(err, placement.ErrUnsupported) || errors.Is(err, cloud.ErrInDoubt)
}
