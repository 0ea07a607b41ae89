package demo

import (
	"context"
	"errors"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// Deed is what a step writes: Courses one after the other, or else a Plan.
type Deed struct {
	Courses []ops.Course
	// Until is the name of the step of a Course after which its process dies, so that
	// nobody takes the course any further; "" for those that come to their end.
	Until string
	Plan  ops.Plan
	// MayFail says that the story goes on where a course comes to nothing and is undone.
	MayFail bool
}

// Played is a step that was played.
type Played struct {
	Before, After *cloud.Snapshot
	Taken         []Taken // what was written, in order
}

// Taken is one write of a step.
type Taken struct {
	ops.StepDone
	Before, After *cloud.Snapshot
}

// Play plays the step on the cloud of r and w, as the actor and by the clock of o.
// It decides on what is there now, so that after an error it may be played again.
//
// Errors: those of ops.Advance and ops.Run; placement.ErrNotFound where what the
// step is about is gone; *ops.NoValidHostError where the cloud has no room for it.
func (st Step) Play(ctx context.Context, w cloud.Writer, r cloud.Reader, o ops.AdvanceOptions) (Played, error) {
	p := Played{Before: r.Snapshot(), After: r.Snapshot()}
	if st.do == nil || st.done(p.Before) {
		return p, nil
	}
	d, err := st.do(p.Before)
	switch {
	case err != nil:
		return p, err
	case len(d.Courses) == 0:
		err = p.run(ctx, w, r, d.Plan, o)
	}
	for _, c := range d.Courses {
		err = p.advance(ctx, w, r, c, d.Until, o)
		if failed := (*ops.FailedError)(nil); d.MayFail && errors.As(err, &failed) && failed.Stuck == nil {
			err = nil
		}
		if err != nil {
			break
		}
	}
	p.After = r.Snapshot()
	return p, err
}

// advance takes a course to its end, or to where its process dies.
func (p *Played) advance(ctx context.Context, w cloud.Writer, r cloud.Reader, c ops.Course, until string, o ops.AdvanceOptions) error {
	process, die := context.WithCancel(ctx)
	defer die()
	report, last, dead := o.Report, r.Snapshot(), false
	o.Report = func(step ops.StepDone) {
		now := r.Snapshot()
		p.Taken = append(p.Taken, Taken{StepDone: step, Before: last, After: now})
		last = now
		if report != nil {
			report(step)
		}
		if step.Name == until {
			dead = true
			die()
		}
	}
	err := ops.Advance(process, w, r, c, o)
	if dead && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil
	}
	return err
}

// run writes a plan.
func (p *Played) run(ctx context.Context, w cloud.Writer, r cloud.Reader, plan ops.Plan, o ops.AdvanceOptions) error {
	plan.Change.Actor = o.Actor
	if o.Now != nil {
		plan.Change.At = o.Now()
	}
	commit, err := ops.Run(ctx, w, r, plan)
	if err != nil {
		return err
	}
	step := ops.StepDone{Number: 1, Name: "fix", Title: plan.Change.Note, Event: commit.Event, Tries: 1}
	p.Taken = append(p.Taken, Taken{StepDone: step, Before: p.Before, After: commit.Snapshot})
	if o.Report != nil {
		o.Report(step)
	}
	return nil
}
