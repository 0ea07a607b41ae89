package problems

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/audit"
	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/screen"
)

// start writes the shown items, one after the other.
func (b *batch) start() tea.Cmd {
	if b.stage != rehearsing || !b.known || b.env.Can() != nil {
		return nil
	}
	b.plans.Drop()
	b.stage, b.at = applying, -1
	return b.apply()
}

// apply writes the next ready item.
func (b *batch) apply() tea.Cmd {
	for b.at++; b.at < len(b.items); b.at++ {
		if b.items[b.at].outcome == ready && !b.stop {
			it, env, steps := b.items[b.at], b.env, make(screen.Steps, 1)
			b.steps = steps
			return tea.Batch(
				b.writes.Start(env.Context, func(ctx context.Context) item { return write(ctx, env, it, steps) }),
				steps.Next())
		}
	}
	b.stage = ended
	b.show()
	return nil
}

// stepped shows a step of the current item.
func (b *batch) stepped(msg screen.StepMsg) tea.Cmd {
	if msg.Of != b.steps || b.stage != applying {
		return nil
	}
	b.items[b.at].taken = msg.Done
	b.show()
	return msg.Of.Next()
}

// wrote handles the result of an item, and continues with the next, unless a course did
// not finish.
func (b *batch) wrote(it item) tea.Cmd {
	b.items[b.at] = it
	if it.fix.Course() != nil && it.outcome == refused {
		b.stop, b.failed = true, true
	}
	b.show()
	return b.apply()
}

// write writes one item, and closes steps. If its effect on the current cloud would
// differ from what was shown, it is refused.
func write(ctx context.Context, env screen.Env, it item, steps screen.Steps) item {
	defer close(steps)
	if _, stands := it.finding.StandsOn(env.Cloud.Snapshot()); !stands {
		it.outcome = gone
		return it
	}
	if err := carryOut(ctx, env, &it, steps); err != nil {
		it.outcome, it.why = refused, oneLine(err)
		return it
	}
	s := env.Cloud.Snapshot()
	done := it.taken.Event.Revision
	if it.taken.Number == 0 { // another session has done the same
		done = s.Revision()
	}
	it.settle(s, done)
	return it
}

// settle runs the rule again for an item whose fix was written.
func (it *item) settle(s *cloud.Snapshot, done cloud.Revision) {
	it.outcome, it.done = fixed, done
	if it.fix.Prepares {
		it.outcome = prepared
	}
	if still := (*audit.UnfixedError)(nil); errors.As(it.fix.Outcome(s), &still) {
		it.outcome, it.why = unfixed, "it is still there: "+still.Finding.Text
	}
}

// carryOut carries out the task of an item, as it was shown.
func carryOut(ctx context.Context, env screen.Env, it *item, steps screen.Steps) error {
	r := steps.Runner(ctx, env, func(d ops.StepDone) { it.taken = d })
	r.Shown = &ops.Shown{On: it.base, Outcome: it.preview}
	err := r.Run(ctx, env.Cloud, it.task)

	var failed *ops.FailedError
	switch {
	case err == nil || it.fix.Course() == nil:
		return err
	case errors.As(err, &failed) && failed.Stuck == nil:
		return fmt.Errorf("%s: %w; what was done was undone", failed.Step.Title, failed.Cause)
	case it.taken.Number == 0:
		return fmt.Errorf("nothing was done: %w", err)
	default:
		return fmt.Errorf("left after step %d of %d, listed in :unfinished: %w", it.taken.Number, it.steps, err)
	}
}
