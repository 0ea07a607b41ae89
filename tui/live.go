package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

const (
	// liveGap is the least time between two updates: 20 a second, however many
	// changes arrive.
	liveGap = 50 * time.Millisecond

	// blurGap is the same while the terminal has not got the keyboard.
	blurGap = time.Second
)

// LinkMsg tells how the connection to a cloud elsewhere stands. A store on this
// machine sends none.
type LinkMsg struct {
	Age    time.Duration // of what is shown
	Reason string        // why it is old, "" where it is current
}

// live is what the root model knows of the newest state.
type live struct {
	snapshot *cloud.Snapshot // what screens are given
	changes  <-chan cloud.Revision
	stop     context.CancelFunc
	wait     func(pause time.Duration) tea.Cmd // for the next change
	newest   cloud.Revision                    // known of, perhaps not shown
	paused   bool
	blurred  bool
	closed   bool // the store ended
	link     LinkMsg
}

type (
	// changedMsg says that a newer revision exists. Watch is the channel it came
	// by, so that news of a cloud that was left are told apart.
	changedMsg struct {
		watch    <-chan cloud.Revision
		revision cloud.Revision
		closed   bool
	}
	// refreshedMsg is the answer to a Refresh.
	refreshedMsg struct{ err error }
)

// watch takes the newest snapshot and waits for changes.
func (a *App) watch() tea.Cmd {
	ctx, cancel := context.WithCancel(a.env.Context)
	changes := a.cfg.Cloud.Watch(ctx)
	a.live = live{
		snapshot: a.cfg.Cloud.Snapshot(),
		changes:  changes,
		stop:     cancel,
		blurred:  a.live.blurred,
		wait:     func(pause time.Duration) tea.Cmd { return nextChange(ctx, changes, pause) },
	}
	a.live.newest = a.live.snapshot.Revision()
	return tea.Batch(a.live.wait(0), a.keep(ctx))
}

// nextChange returns the command that waits for the next change, after a pause
// in which more of them add up.
func nextChange(ctx context.Context, changes <-chan cloud.Revision, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		if pause > 0 {
			timer := time.NewTimer(pause)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-ctx.Done():
				return nil
			}
		}
		revision, ok := <-changes
		return changedMsg{watch: changes, revision: revision, closed: !ok}
	}
}

// changed takes news of a change and waits for the next one.
func (a *App) changed(msg changedMsg) tea.Cmd {
	if msg.watch != a.live.changes {
		return nil
	}
	if msg.closed {
		a.live.closed = true
		return nil
	}
	a.live.newest = msg.revision
	gap := liveGap
	if a.live.blurred {
		gap = blurGap
	}
	next := a.live.wait(gap)
	if a.live.paused {
		return next
	}
	return tea.Batch(a.show(), next)
}

// show gives the newest snapshot to the screen on top.
func (a *App) show() tea.Cmd {
	if a.cfg.Cloud == nil {
		return nil
	}
	a.live.snapshot = a.cfg.Cloud.Snapshot()
	a.live.newest = a.live.snapshot.Revision()
	return a.feed(a.under())
}

// pause stops the data, or lets it go on.
func (a *App) pause() tea.Cmd {
	a.live.paused = !a.live.paused
	if a.live.paused {
		return nil
	}
	if a.env.Keeper == nil {
		return a.show()
	}
	return tea.Batch(a.show(), a.stand(a.env.Keeper.Report()))
}

// refresh fetches the newest state.
func (a *App) refresh() tea.Cmd {
	if a.cfg.Refresh == nil {
		return a.show()
	}
	ctx, fetch := a.env.Context, a.cfg.Refresh
	return func() tea.Msg { return refreshedMsg{err: fetch(ctx)} }
}

func (a *App) refreshed(msg refreshedMsg) tea.Cmd {
	if msg.err != nil {
		return a.toast(component.Toast{Severity: style.SeverityWarn, Text: "refresh: " + msg.err.Error(), Hint: "R again"})
	}
	return a.show()
}

// focus slows the data down while nobody looks.
func (a *App) focus(on bool) tea.Cmd {
	a.live.blurred = !on
	if !on || a.live.paused {
		return nil
	}
	return a.show()
}

// after returns a command that gives msg when d has passed, unless the session
// ends first.
func (a *App) after(d time.Duration, msg tea.Msg) tea.Cmd { return afterIn(a.env.Context, d, msg) }

// afterIn is after that ends with ctx.
func afterIn(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}
