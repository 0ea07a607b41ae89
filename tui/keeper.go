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

// keeperState is what the root model knows from the keeper's reports.
type keeperState struct {
	shown keeper.Report
	told  int                               // number of the last result that was shown, or is too old for that
	wait  func(after keeper.Report) tea.Cmd // waits for a newer report
}

// reportMsg says that the keeper of a cloud has a new report.
type reportMsg struct{ by screen.Keeper }

// oldDeed is how long a result is shown to users who come later.
const oldResult = time.Minute

// keep shows the keeper's reports, and waits for more.
func (a *App) keep(ctx context.Context) tea.Cmd {
	k := a.env.Keeper
	if k == nil {
		return nil
	}
	a.kept = keeperState{wait: func(after keeper.Report) tea.Cmd {
		return func() tea.Msg {
			select {
			case <-after.Newer:
				return reportMsg{k}
			case <-ctx.Done():
				return nil
			}
		}
	}}
	r := k.Report()
	for _, d := range r.Results {
		if a.env.Clock().Sub(d.At) > oldResult {
			a.kept.told = d.Number
		}
	}
	return a.take(r)
}

// reported handles a new report, unless it is from a cloud that was left.
func (a *App) reported(msg reportMsg) tea.Cmd {
	if msg.by != a.env.Keeper {
		return nil
	}
	return a.take(msg.by.Report())
}

// take shows the state of the cloud, unless the data is paused, and what the keeper has
// done.
func (a *App) take(r keeper.Report) tea.Cmd {
	cmds := []tea.Cmd{a.kept.wait(r)}
	if !a.live.paused && !a.inPast() {
		cmds = append(cmds, a.stand(r))
	}
	for _, d := range r.Results {
		if d.Number > a.kept.told {
			a.kept.told = d.Number
			cmds = append(cmds, a.messages.show(keeperToast(d)))
		}
	}
	return tea.Batch(cmds...)
}

// stand shows the state of the cloud. If only time has passed since the last report, the
// top screen refreshes what depends on time.
func (a *App) stand(r keeper.Report) tea.Cmd {
	again := r.Of != nil && r.Of == a.kept.shown.Of
	a.kept.shown = r
	told := a.tell(r.Interrupted)
	if !again {
		return told
	}
	return tea.Batch(told, a.update(a.under(), screen.SnapshotMsg{Snapshot: a.live.snapshot}))
}

// keeperToast returns what the keeper did, or could not do, as a toast.
func keeperToast(d keeper.TaskResult) component.Toast {
	switch {
	case d.Err == nil:
		return component.Toast{Severity: style.SeverityWarn, Text: d.Text}
	case d.Overdue:
		return component.Toast{Severity: style.SeverityCritical, Text: d.Text, Hint: "revert or confirm it by hand"}
	}
	return component.Toast{Severity: style.SeverityCritical, Text: d.Text, Hint: ":" + place.Kind(place.Unfinished{}) + " tries again"}
}

// tell says that something was interrupted: once, and again if there is more. The toast
// goes as soon as it is no longer true.
func (a *App) tell(unfinished []string) tea.Cmd {
	told := a.told
	a.told = len(unfinished)
	if a.told != told {
		a.messages.Withdraw(a.telling)
	}
	if a.told <= told {
		return nil
	}
	text := unfinished[0]
	if n := len(unfinished); n > 1 {
		text = fmt.Sprintf("%d things were interrupted", n)
	}
	hint := ":" + place.Kind(place.Unfinished{}) // what it does would be cut off at 80 cells
	a.telling = component.Toast{Severity: style.SeverityWarn, Text: text, Hint: hint}
	return a.messages.show(a.telling)
}
