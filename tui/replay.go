package tui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// backToNow is the key that returns from the past.
const backToNow = "@"

// replaying says where the dashboard is in time.
type replaying struct {
	recall *cloud.Recall   // of the shown cloud; nil in the present
	want   cloud.Revision  // last requested, perhaps not there yet
	asked  int             // counts requests
	until  bool            // want is on its way
	found  int             // the last request that was answered, or is no longer waited for
	said   component.Toast // that the last one takes a while
}

// How long a past state may take before the dashboard says so, and until it says so
// again.
const (
	recallSaid  = 300 * time.Millisecond
	recallAgain = 3 * time.Second
)

type (
	// recallsMsg says that it is time to say that a past state is on its way.
	recallsMsg struct{ asked int }
	// recalledMsg is the cloud as it was at a revision, or why it cannot be shown.
	recalledMsg struct {
		asked int
		snap  *cloud.Snapshot
		err   error
	}
	// judgedMsg is the problems of the cloud at that time.
	judgedMsg struct {
		asked  int
		report keeper.Report
	}
)

// shownRevision returns the revision that is shown, or on its way.
func (a *App) shownRevision() cloud.Revision {
	if a.replaying.until {
		return a.replaying.want
	}
	return a.live.snapshot.Revision()
}

// cannotReplay returns why the past cannot be shown, "" if it can: because something is
// under way.
func (a *App) cannotReplay() string {
	switch {
	case a.live.Cloud == nil:
		return a.live.noCloud()
	case a.walk != nil:
		return "a demonstration is running, which writes"
	}
	return a.stack.unwritten()
}

// replayActions are the keys that move through time.
func (a *App) replayActions() []action.Action {
	older := action.Action{ID: "app.older", Keys: "{", Title: "previous revision", Help: "the whole cloud one revision earlier", Run: func() tea.Cmd { return a.replayStep(-1) }}
	newer := action.Action{ID: "app.newer", Keys: "}", Title: "next revision", Help: "one revision later; after the last one, now", Run: func() tea.Cmd { return a.replayStep(1) }}
	switch {
	case a.live.snapshot == nil:
		older.Disabled = "no cloud is open"
	case a.shownRevision() == 0:
		older.Disabled = "this is the first revision"
	}
	list := []action.Action{older}
	if a.replaying.until {
		list = append(list, newer)
	}
	if a.live.inPast() {
		older.Priority, newer.Priority = 59, 58
		list = []action.Action{older, newer, {ID: "app.now", Keys: action.Keys(backToNow), Title: "back to now", Help: "show the cloud as it is now", Priority: 70, Run: a.now}}
	}
	return list
}

// replayCommands are the commands that go to any time.
func (a *App) replayCommands() []command {
	if a.live.Cloud == nil {
		return nil
	}
	out := []command{{name: "at", what: "show the cloud as it was: at a revision, 10m ago, at 13:58 or 2026-11-23 13:58 (UTC)", run: a.replayAt}}
	if !a.live.inPast() {
		out = append(out, command{name: "now", what: "show the cloud as it is now", off: "the cloud is shown as it is now"})
	}
	return out
}

// replayStep moves by a number of revisions, forward or back.
func (a *App) replayStep(by int) tea.Cmd {
	to := a.shownRevision()
	switch {
	case by > 0 && to+1 >= a.live.newest:
		return a.now()
	case by > 0:
		to++
	default:
		to--
	}
	return a.replay(to)
}

// replayAt shows the cloud as it was at a revision or a time.
func (a *App) replayAt(text string) tea.Cmd {
	if strings.TrimSpace(text) == "" {
		return a.messages.refuse("at: give a time", ":at 10m, :at 13:58, :at yesterday, :at 48102, :at -1")
	}
	ctx, of, clock := a.live.ctx, a.live.Cloud, a.env.Clock // another cloud may be opened meanwhile
	return a.recalls(func(now *cloud.Snapshot) (cloud.Revision, error) {
		return cloud.FindRevision(ctx, of, now, text, clock())
	})
}

// replay shows the cloud as it was at a revision.
func (a *App) replay(rev cloud.Revision) tea.Cmd {
	cmd := a.recalls(func(*cloud.Snapshot) (cloud.Revision, error) { return rev, nil })
	if cmd != nil && a.cannotReplay() == "" {
		a.replaying.want, a.replaying.until = rev, true
	}
	return cmd
}

// recalls finds a past state of the cloud. It replaces an earlier request.
func (a *App) recalls(which func(now *cloud.Snapshot) (cloud.Revision, error)) tea.Cmd {
	if why := a.cannotReplay(); why != "" {
		return a.messages.refuse("the past cannot be shown now: "+why, "")
	}
	r := &a.replaying
	if r.recall == nil {
		r.recall = cloud.NewRecall(a.live.Cloud)
	}
	r.asked++
	r.until = false
	ctx, recall, now, asked := a.live.ctx, r.recall, a.live.Cloud.Snapshot(), r.asked
	return tea.Batch(screen.After(ctx, recallSaid, recallsMsg{asked}), func() tea.Msg {
		rev, err := which(now)
		if err != nil {
			return recalledMsg{asked: asked, err: err}
		}
		snap, err := recall.At(ctx, now, rev)
		return recalledMsg{asked, snap, err}
	})
}

// sayRecalls says that a past state is on its way, for as long as it is.
func (a *App) sayRecalls(msg recallsMsg) tea.Cmd {
	r := &a.replaying
	if msg.asked != r.asked || msg.asked == r.found {
		return nil
	}
	a.messages.Withdraw(r.said)
	r.said = component.Toast{Severity: style.SeverityInfo, Text: "going back in time: the journal is being read", Hint: "keys work meanwhile"}
	return tea.Batch(a.messages.show(r.said), screen.After(a.live.ctx, recallAgain, msg))
}

// recallEnds notes that the last request was answered, or is no longer waited for.
func (a *App) recallEnds() {
	r := &a.replaying
	r.until, r.found = false, r.asked
	a.messages.Withdraw(r.said)
}

// recalled shows a past state of the cloud, unless another time was requested meanwhile,
// or something has begun that this would stop.
func (a *App) recalled(msg recalledMsg) tea.Cmd {
	if msg.asked != a.replaying.asked {
		return nil
	}
	a.recallEnds()
	if msg.err != nil {
		hint := ""
		if gone := (*cloud.ForgottenError)(nil); errors.As(msg.err, &gone) && a.live.Link != nil {
			hint = "OpenStack keeps no history: there is only what was seen since it was opened"
		}
		return a.messages.refuse(msg.err.Error(), hint)
	}
	if why := a.cannotReplay(); why != "" {
		return a.messages.refuse("the past cannot be shown now: "+why, "")
	}
	if msg.snap.Revision() == a.live.Cloud.Snapshot().Revision() {
		return a.now()
	}
	first := !a.live.inPast()
	was := a.live.view.show(msg.snap)
	ctx, asked := a.live.ctx, msg.asked
	a.live.show()
	cmds := []tea.Cmd{func() tea.Msg {
		was.keeper.Round(ctx)
		return judgedMsg{asked, was.keeper.Report()}
	}}
	if first {
		cmds = append(cmds, a.messages.inform("the cloud as it was: nothing can be written", "{ } steps, "+backToNow+" goes back to now"))
	}
	return tea.Batch(cmds...)
}

// judged shows the problems at that time in the header. What was under way then cannot be
// told from what was interrupted.
func (a *App) judged(msg judgedMsg) tea.Cmd {
	if msg.asked == a.replaying.asked && a.live.inPast() {
		a.live.reports.shown = msg.report
		a.live.reports.shown.Interrupted = nil
	}
	return nil
}

// now returns to the present.
func (a *App) now() tea.Cmd {
	a.replaying.asked++
	a.recallEnds()
	if !a.live.inPast() {
		return nil
	}
	a.live.view.show(nil)
	a.messages.Dismiss()     // they are about the past: it is no longer true that nothing can be written
	a.replaying.recall = nil // it may hold as much memory as the cloud
	return a.live.now()
}

// replayWord returns for the header which revision is shown, its time, and how many came
// since.
func (a *App) replayWord(compact bool) string {
	s := a.live.snapshot
	rev, since := count(int64(s.Revision())), count(int64(a.live.newest-s.Revision())) // revisions are counted up
	switch {
	case compact:
		return "REPLAY " + rev
	case s.At().IsZero():
		return fmt.Sprintf("REPLAY rev %s +%s", rev, since)
	}
	return fmt.Sprintf("REPLAY rev %s %s +%s", rev, moment(s.At(), a.env.Clock(), false), since)
}
