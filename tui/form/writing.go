package form

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// start writes what is shown, off the event loop. It is the only place where this
// package writes.
func (p *Preview) start() tea.Cmd {
	if p.env.ReadOnly() != "" || p.stage != planned {
		return nil
	}
	p.stage, p.slow, p.said, p.request = writing, false, sheet.Banner{}, false
	p.scroll.Home()
	ctx, seq := p.writes.Next(p.env.Context)
	c, plan := p.env.Cloud, p.prop.plan
	return tea.Batch(
		func() tea.Msg {
			commit, err := ops.Runner{Actor: p.env.Actor, Shown: plan.Shown()}.Write(ctx, c, plan)
			return wroteMsg{owner: p, seq: seq, commit: commit, err: err}
		},
		func() tea.Msg {
			if !wait(ctx, slowAfter) {
				return nil
			}
			return slowMsg{owner: p, seq: seq}
		})
}

// wrote takes the outcome of a write.
func (p *Preview) wrote(commit cloud.Commit, err error) tea.Cmd {
	p.writes.Stop()
	stopped := p.stage == stopping
	if err == nil {
		p.stage = written
		p.said = sheet.Say(style.SeverityOK, "WRITTEN", fmt.Sprintf("revision %s", component.Count(int64(commit.Event.Revision))))
		if p.write.Done != nil {
			return p.write.Done(commit)
		}
		return finish(commit, screen.PopMsg{})
	}
	p.stage, p.seen = planned, nil // what is planned now is to be looked at anew
	p.said = p.failure(err, stopped)
	if moved := changed(err); moved != nil && moved.Now == nil {
		// What it would do now is shown at once; planning again adds its warnings.
		p.prop.plan = moved.Plan
		p.prop.plan.Change.Actor = p.env.Actor
	}
	if c := p.env.Cloud; c != nil {
		p.snap = c.Snapshot()
	}
	return p.plan(0)
}

// changed returns the ChangedError that err is, nil where it is none.
func changed(err error) *ops.ChangedError {
	var c *ops.ChangedError
	errors.As(err, &c)
	return c
}

// finish says what was written and then asks for what comes next.
func finish(commit cloud.Commit, next tea.Msg) tea.Cmd {
	text := fmt.Sprintf("%s: revision %s", commit.Event.Note, component.Count(int64(commit.Event.Revision)))
	return tea.Sequence(screen.Send(screen.ToastMsg{Severity: style.SeverityOK, Text: text}), screen.Send(next))
}

// failure says why nothing was written, and what to do about it.
func (p *Preview) failure(err error, stopped bool) sheet.Banner {
	moved := changed(err)
	again := "nothing was written. enter tries again"
	switch {
	case moved != nil && moved.Now != nil:
		return sheet.Say(style.SeverityCritical, screen.LabelConflict,
			"someone else wrote in between, and now it cannot be done: "+moved.Now.Error(), "nothing was written")
	case moved != nil:
		lines := []string{"someone else wrote in between, and it would do something else now:"}
		lines = append(lines, ops.DifferenceLines(moved.Differences)...)
		return sheet.Say(style.SeverityWarn, screen.LabelConflict, append(lines, "nothing was written. look at it as it is now; enter writes that")...)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if stopped {
			return sheet.Say(style.SeverityInfo, "STOPPED", "you stopped it before it was decided: "+again)
		}
		return sheet.Say(style.SeverityWarn, "STOPPED", err.Error()+": "+again)
	case errors.Is(err, placement.ErrConflict):
		return sheet.Say(style.SeverityWarn, screen.LabelConflict, "someone else wrote in between: "+err.Error(), "it was planned again. "+again)
	case errors.Is(err, placement.ErrUnsupported):
		return sheet.Say(style.SeverityCritical, screen.LabelDenied, err.Error(), "nothing was written")
	case errors.Is(err, placement.ErrUnavailable):
		return sheet.Say(style.SeverityCritical, "UNAVAILABLE", err.Error(), again)
	default:
		return sheet.Say(style.SeverityCritical, "REFUSED", err.Error(), again)
	}
}
