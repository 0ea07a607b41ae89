package tui

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

const (
	// liveGap is the least time between two updates: 20 a second, however many
	// changes arrive.
	liveGap = 50 * time.Millisecond

	// blurGap is the same while the terminal has not got the keyboard.
	blurGap = time.Second

	// countGap is the least time between two counts of problems.
	countGap = time.Second
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
	// countedMsg brings the count of problems of a snapshot.
	countedMsg struct {
		snapshot *cloud.Snapshot
		counts   Counts
	}
	// recountMsg says that the next count may start.
	recountMsg struct{}
	// lapsedMsg says that what was counted holds no more.
	lapsedMsg struct{ at time.Time }
)

// counting is the state of the count of problems.
type counting struct {
	shown   Counts
	of      *cloud.Snapshot // what was counted last
	running bool
	until   time.Time // for when a timer is set; zero for none
}

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
	return tea.Batch(a.live.wait(0), a.count(), a.due())
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
	next := tea.Batch(a.live.wait(gap), a.due())
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
	return tea.Batch(a.feed(a.under()), a.count())
}

// pause stops the data, or lets it go on.
func (a *App) pause() tea.Cmd {
	a.live.paused = !a.live.paused
	if a.live.paused {
		return nil
	}
	return a.show()
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

// count starts to count the problems of the newest snapshot, off the event
// loop, one count at a time.
func (a *App) count() tea.Cmd {
	s, count := a.live.snapshot, a.cfg.Problems
	if count == nil || a.counts.running || s == nil || s == a.counts.of {
		return nil
	}
	a.counts.running = true
	env := a.env
	env.Cloud = a.cfg.Cloud
	return func() tea.Msg { return countedMsg{snapshot: s, counts: count(env, s)} }
}

// counted takes a count. The next one waits, so that a busy cloud does not keep
// a core busy with counting.
func (a *App) counted(msg countedMsg) tea.Cmd {
	a.counts.running = false
	a.counts.shown, a.counts.of = msg.counts, msg.snapshot
	told := tea.Batch(a.tell(msg.counts.Unfinished), a.lapse(msg.counts.Until))
	if a.live.snapshot == msg.snapshot {
		return told
	}
	a.counts.running = true
	return tea.Batch(told, a.after(countGap, recountMsg{}))
}

// lapse sets a timer for when what was counted holds no more.
func (a *App) lapse(until time.Time) tea.Cmd {
	if until.IsZero() || until.Equal(a.counts.until) {
		return nil
	}
	a.counts.until = until
	return a.after(until.Sub(a.env.Clock()), lapsedMsg{until})
}

// lapsed counts anew what has not changed, and has the screen on top look again at
// what it has.
func (a *App) lapsed(msg lapsedMsg) tea.Cmd {
	if !msg.at.Equal(a.counts.until) {
		return nil // it was counted since
	}
	a.counts.until, a.counts.of = time.Time{}, nil
	return tea.Batch(a.count(), a.update(a.under(), screen.SnapshotMsg{Snapshot: a.live.snapshot}))
}

// tell says that something was interrupted: once, and again where there is more of
// it. What it said goes as soon as it does not hold any more.
func (a *App) tell(unfinished []string) tea.Cmd {
	told := a.told
	a.told = len(unfinished)
	if a.told != told {
		a.toasts.Withdraw(a.telling)
	}
	if a.told <= told {
		return nil
	}
	text := unfinished[0]
	if n := len(unfinished); n > 1 {
		text = fmt.Sprintf("%d things were interrupted", n)
	}
	hint := ":" + string(screen.Unfinished) + " finishes or undoes it"
	a.telling = component.Toast{Severity: style.SeverityWarn, Text: text, Hint: hint}
	return a.toast(a.telling)
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
