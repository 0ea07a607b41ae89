package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// reports shows what the keeper of the cloud reports.
type reports struct {
	messages   *messages
	next       func(after keeper.Report) tea.Cmd // waits for a newer report
	shown      keeper.Report
	results    int             // number of the last result that was shown, or is too old for that
	unfinished int             // how many tasks the toast says were interrupted
	toast      component.Toast // about them
}

// reportMsg says that the keeper of a cloud has a new report.
type reportMsg struct{ by screen.Keeper }

// oldResult is how long a result is shown to users who come later.
const oldResult = time.Minute

// watch begins with the reports of a keeper, which may be nil, and forgets those of another.
func (rs *reports) watch(ctx context.Context, k screen.Keeper, now time.Time) {
	rs.messages.Withdraw(rs.toast)
	*rs = reports{messages: rs.messages}
	if k == nil {
		return
	}
	rs.next = func(after keeper.Report) tea.Cmd {
		return func() tea.Msg {
			select {
			case <-after.Newer:
				return reportMsg{k}
			case <-ctx.Done():
				return nil
			}
		}
	}
	for _, d := range k.Report().Results {
		if now.Sub(d.At) > oldResult {
			rs.results = d.Number
		}
	}
}

// take says what the keeper has done, and waits for its next report.
func (rs *reports) take(r keeper.Report) tea.Cmd {
	cmds := []tea.Cmd{rs.next(r)}
	for _, d := range r.Results {
		if d.Number > rs.results {
			rs.results = d.Number
			cmds = append(cmds, rs.messages.show(resultToast(d)))
		}
	}
	return tea.Batch(cmds...)
}

// resultToast returns what the keeper did, or could not do, as a toast.
func resultToast(d keeper.TaskResult) component.Toast {
	switch {
	case d.Err == nil:
		return component.Toast{Severity: style.SeverityWarn, Text: d.Text}
	case d.Overdue:
		return component.Toast{Severity: style.SeverityCritical, Text: d.Text, Hint: "revert or confirm it by hand"}
	}
	return component.Toast{Severity: style.SeverityCritical, Text: d.Text, Hint: ":" + place.Kind(place.Unfinished{}) + " tries again"}
}

// show takes the state of the cloud from a report, and says that something was interrupted:
// once, and again if there is more. The toast goes as soon as it is no longer true.
func (rs *reports) show(r keeper.Report) tea.Cmd {
	was, now := rs.unfinished, len(r.Interrupted)
	rs.shown, rs.unfinished = r, now
	if now != was {
		rs.messages.Withdraw(rs.toast)
	}
	if now <= was {
		return nil
	}
	text := r.Interrupted[0]
	if now > 1 {
		text = fmt.Sprintf("%d things were interrupted", now)
	}
	hint := ":" + place.Kind(place.Unfinished{}) // what it does would be cut off at 80 cells
	rs.toast = component.Toast{Severity: style.SeverityWarn, Text: text, Hint: hint}
	return rs.messages.show(rs.toast)
}
