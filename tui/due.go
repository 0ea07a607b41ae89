package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// reverts is what the root model knows of moves that are reverted unless somebody
// confirms them in time. One timer is set, for the earliest; none while nothing
// waits.
type reverts struct {
	of   *nova.Snapshot                // that was looked at last
	at   time.Time                     // when the earliest is due; zero for none
	past time.Time                     // the time of the last try: all that were due then were tried, and set no timer again
	told map[placement.ConsumerID]bool // the migrations that the last try could not revert, and that were told
	stop context.CancelFunc
}

type (
	// dueMsg says that the time of a move is over.
	dueMsg struct{ at time.Time }
	// revertedMsg tells of the moves that were reverted because of that.
	revertedMsg struct {
		names []string
		err   error // as ops.RevertDue returns it
	}
)

// due sets the timer for the earliest move that is to be reverted.
func (a *App) due() tea.Cmd {
	if a.readOnly() != "" {
		return nil
	}
	s := a.cfg.Cloud.Snapshot()
	if s.Nova() == a.reverts.of {
		return nil
	}
	a.reverts.of = s.Nova()
	at, ok := ops.NextDeadline(s, a.reverts.past)
	if ok && at.Equal(a.reverts.at) {
		return nil
	}
	if a.reverts.stop != nil {
		a.reverts.stop()
	}
	if !ok {
		a.reverts.at, a.reverts.stop = time.Time{}, nil
		return nil
	}
	a.reverts.at = at
	ctx, stop := context.WithCancel(a.env.Context)
	a.reverts.stop = stop
	return afterIn(ctx, at.Sub(a.env.Clock()), dueMsg{at})
}

// isDue reverts what nobody has confirmed, off the event loop.
func (a *App) isDue(msg dueMsg) tea.Cmd {
	if !msg.at.Equal(a.reverts.at) || a.readOnly() != "" {
		return nil
	}
	now := a.env.Clock()
	a.reverts.at, a.reverts.past = time.Time{}, now // a clock that was set back meanwhile sets a timer anew
	ctx, c, clock, begin := a.env.Context, a.cfg.Cloud, a.env.Clock, a.env.UnderWay.Begin
	return func() tea.Msg {
		done, err := ops.RevertDue(ctx, c, now, ops.Runner{Actor: "auto-revert", Now: clock, Begin: begin})
		out := revertedMsg{err: err}
		for _, m := range done {
			name := m.Instance.String()
			if i, ok := c.Snapshot().Nova().Instance(m.Instance); ok {
				name = i.Name
			}
			out.names = append(out.names, string(m.Type)+" of "+name)
		}
		return out
	}
}

// reverted says what was reverted.
func (a *App) reverted(msg revertedMsg) tea.Cmd {
	a.reverts.of = nil // where nothing was written, the next is to be found too
	cmds := []tea.Cmd{a.due()}
	for _, name := range msg.names {
		cmds = append(cmds, a.toast(component.Toast{Severity: style.SeverityWarn, Text: name + " was reverted: nobody confirmed it in time"}))
	}
	if err := a.untold(msg.err); err != nil {
		cmds = append(cmds, a.toast(component.Toast{Severity: style.SeverityCritical, Text: err.Error(), Hint: "revert or confirm it by hand"}))
	}
	return tea.Batch(cmds...)
}

// untold returns what of the errors of a try was not told after the one before, nil for
// nothing: each try is of all that are due, and who stays is told once. A move that is
// due no more is forgotten.
func (a *App) untold(err error) error {
	before := a.reverts.told
	a.reverts.told = map[placement.ConsumerID]bool{}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return err
	}
	return errors.Join(slices.DeleteFunc(slices.Clone(joined.Unwrap()), func(err error) bool {
		var stuck *ops.RevertError
		if !errors.As(err, &stuck) {
			return false
		}
		a.reverts.told[stuck.Migration] = true
		return before[stuck.Migration]
	})...)
}
