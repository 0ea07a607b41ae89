package demo

import (
	"context"
	"errors"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
)

// Deed is what a step writes: Tasks, one after the other.
type Deed struct {
	Tasks []ops.Task
	// Until is the name of the step of a Task after which its process dies, so that the
	// task is left unfinished; "" for those that end.
	Until string
	// MayFail says that the story continues if a task fails and is undone.
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

// Play plays the step on a store, as the actor and by the clock of o.
// It decides on what is there now, so that after an error it may be played again.
//
// Errors: those of ops.Runner.Run; placement.ErrNotFound if what the
// step is about is gone; *ops.NoValidHostError if the cloud has no room for it.
func (st Step) Play(ctx context.Context, store ops.Store, o ops.Runner) (Played, error) {
	p := Played{Before: store.Snapshot(), After: store.Snapshot()}
	if st.do == nil || st.done(p.Before) {
		return p, nil
	}
	d, err := st.do(p.Before)
	if err != nil {
		return p, err
	}
	for _, t := range d.Tasks {
		err = p.run(ctx, store, t, d.Until, o)
		if failed := (*ops.FailedError)(nil); d.MayFail && errors.As(err, &failed) && failed.Stuck == nil {
			err = nil
		}
		if err != nil {
			break
		}
	}
	p.After = store.Snapshot()
	return p, err
}

// run runs a task to its end, or to where its process dies.
func (p *Played) run(ctx context.Context, store ops.Store, t ops.Task, until string, o ops.Runner) error {
	process, die := context.WithCancel(ctx)
	defer die()
	report, last, dead := o.Report, store.Snapshot(), false
	o.Report = func(step ops.StepDone) {
		now := store.Snapshot()
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
	err := o.Run(process, store, t)
	if dead && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil
	}
	return err
}
