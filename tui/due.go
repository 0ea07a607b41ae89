package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/component"
	"github.com/placetop/placetop/tui/style"
)

// reverts is what the root model knows of moves that are reverted unless somebody
// confirms them in time. One timer is set, for the earliest; none while nothing
// waits.
type reverts struct {
	of   *nova.Snapshot // that was looked at last
	at   time.Time      // when the earliest is due; zero for none
	past time.Time      // up to when all were tried: what could not be reverted then keeps no other from it
	stop context.CancelFunc
}

type (
	// dueMsg says that the time of a move is over.
	dueMsg struct{ at time.Time }
	// revertedMsg tells of the moves that were reverted because of that.
	revertedMsg struct {
		names []string
		err   error
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
	if a.reverts.at = at; !ok {
		a.reverts = reverts{of: a.reverts.of, past: a.reverts.past}
		return nil
	}
	ctx, stop := context.WithCancel(a.env.Context)
	a.reverts.stop = stop
	return afterIn(ctx, at.Sub(a.env.Clock()), dueMsg{at})
}

// isDue reverts what nobody has confirmed, off the event loop.
func (a *App) isDue(msg dueMsg) tea.Cmd {
	if !msg.at.Equal(a.reverts.at) || a.readOnly() != "" {
		return nil
	}
	a.reverts.past = msg.at
	ctx, c, clock, begin := a.env.Context, a.cfg.Cloud, a.env.Clock, a.env.UnderWay.Begin
	return func() tea.Msg {
		done, err := ops.RevertDue(ctx, c, c, clock(), ops.AdvanceOptions{Actor: "auto-revert", Now: clock, Begin: begin})
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
	if msg.err != nil {
		cmds = append(cmds, a.toast(component.Toast{Severity: style.SeverityCritical, Text: msg.err.Error(), Hint: "revert or confirm it by hand"}))
	}
	return tea.Batch(cmds...)
}
