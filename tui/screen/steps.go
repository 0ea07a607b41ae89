package screen

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/ops"
)

// Steps are the steps of a task that runs off the event loop, on their way to its screen.
type Steps chan ops.StepDone

// StepMsg brings a step that was taken.
type StepMsg struct {
	Of   Steps
	Done ops.StepDone
}

// Next returns the command that waits for the next step.
func (s Steps) Next() tea.Cmd {
	return func() tea.Msg {
		if done, ok := <-s; ok {
			return StepMsg{s, done}
		}
		return nil
	}
}

// Runner returns what carries out a task for the screen of env: each step is noted, and sent
// to the screen while ctx lasts.
func (s Steps) Runner(ctx context.Context, env Env, note func(ops.StepDone)) ops.Runner {
	return ops.Runner{
		Actor: env.Actor, Now: env.Clock, Begin: env.Kept().Begin,
		Report: func(d ops.StepDone) {
			note(d)
			select {
			case s <- d:
			case <-ctx.Done():
			}
		},
	}
}
