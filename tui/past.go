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

// past shows the cloud as it was.
type past struct {
	live      *live
	stack     *stack
	presenter *presenter
	messages  *messages

	recall   *cloud.Recall   // of the shown cloud; nil in the present
	requests int             // number of the newest; answers to others are dropped
	answered int             // the last request that was answered, or is no longer waited for
	toast    component.Toast // that the last one takes a while
	coming   bool            // target is on its way
	target   cloud.Revision  // last requested
}

// reset forgets the requests about a cloud that is left.
func (p *past) reset() {
	p.requests++
	p.recall, p.coming = nil, false
}

// How long a past state may take before the dashboard says so, and until it says so
// again.
const (
	recallSlow      = 300 * time.Millisecond
	recallStillSlow = 3 * time.Second
)

type (
	// slowRecallMsg says that it is time to say that a past state is on its way.
	slowRecallMsg struct{ request int }
	// recalledMsg is the cloud as it was at a revision, or why it cannot be shown.
	recalledMsg struct {
		request int
		snap    *cloud.Snapshot
		err     error
	}
	// pastProblemsMsg is the problems of the cloud at that time.
	pastProblemsMsg struct {
		request int
		report  keeper.Report
	}
)

// revision returns the revision that is shown, or on its way.
func (p *past) revision() cloud.Revision {
	if p.coming {
		return p.target
	}
	return p.live.snapshot.Revision()
}

// whyNot returns why the past cannot be shown, "" if it can: because something is
// under way.
func (p *past) whyNot() string {
	switch {
	case p.live.Cloud == nil:
		return p.live.noCloud()
	case p.presenter.walk != nil:
		return "a demonstration is running, which writes"
	}
	return unwritten(p.stack.all())
}

// actions are the keys that move through time.
func (p *past) actions() []action.Action {
	older := action.Action{ID: "app.older", Keys: "{", Title: "previous revision", Help: "the whole cloud one revision earlier", Run: func() tea.Cmd { return p.step(-1) }}
	newer := action.Action{ID: "app.newer", Keys: "}", Title: "next revision", Help: "one revision later; after the last one, now", Run: func() tea.Cmd { return p.step(1) }}
	switch {
	case p.live.snapshot == nil:
		older.Disabled = "no cloud is open"
	case p.revision() == 0:
		older.Disabled = "this is the first revision"
	}
	list := []action.Action{older}
	if p.coming {
		list = append(list, newer)
	}
	if p.live.inPast() {
		older.Priority, newer.Priority = 59, 58
		list = []action.Action{older, newer, {ID: "app.now", Keys: action.Keys(backToNow), Title: "back to now", Help: "show the cloud as it is now", Priority: 70, Run: p.now}}
	}
	return list
}

// step moves by a number of revisions, forward or back.
func (p *past) step(by int) tea.Cmd {
	to := p.revision()
	switch {
	case by > 0 && to+1 >= p.live.newest:
		return p.now()
	case by > 0:
		to++
	default:
		to--
	}
	return p.show(to)
}

// at shows the cloud as it was at a revision or a time.
func (p *past) at(text string) tea.Cmd {
	if strings.TrimSpace(text) == "" {
		return p.messages.refuse("at: give a time", ":at 10m, :at 13:58, :at yesterday, :at 48102, :at -1")
	}
	ctx, of, clock := p.live.ctx, p.live.Cloud, p.live.session.Clock // another cloud may be opened meanwhile
	return p.request(func(now *cloud.Snapshot) (cloud.Revision, error) {
		return cloud.FindRevision(ctx, of, now, text, clock())
	})
}

// show shows the cloud as it was at a revision.
func (p *past) show(rev cloud.Revision) tea.Cmd {
	cmd := p.request(func(*cloud.Snapshot) (cloud.Revision, error) { return rev, nil })
	if cmd != nil && p.whyNot() == "" {
		p.target, p.coming = rev, true
	}
	return cmd
}

// request finds a past state of the cloud. It replaces an earlier request.
func (p *past) request(which func(now *cloud.Snapshot) (cloud.Revision, error)) tea.Cmd {
	if why := p.whyNot(); why != "" {
		return p.messages.refuse("the past cannot be shown now: "+why, "")
	}
	if p.recall == nil {
		p.recall = cloud.NewRecall(p.live.Cloud)
	}
	p.requests++
	p.coming = false
	ctx, recall, now, request := p.live.ctx, p.recall, p.live.Cloud.Snapshot(), p.requests
	return tea.Batch(screen.After(ctx, recallSlow, slowRecallMsg{request}), func() tea.Msg {
		rev, err := which(now)
		if err != nil {
			return recalledMsg{request: request, err: err}
		}
		snap, err := recall.At(ctx, now, rev)
		return recalledMsg{request, snap, err}
	})
}

// sayWaiting says that a past state is on its way, for as long as it is.
func (p *past) sayWaiting(msg slowRecallMsg) tea.Cmd {
	if msg.request != p.requests || msg.request == p.answered {
		return nil
	}
	p.messages.Withdraw(p.toast)
	p.toast = component.Toast{Severity: style.SeverityInfo, Text: "going back in time: the journal is being read", Hint: "keys work meanwhile"}
	return tea.Batch(p.messages.show(p.toast), screen.After(p.live.ctx, recallStillSlow, msg))
}

// end notes that the last request was answered, or is no longer waited for.
func (p *past) end() {
	p.coming, p.answered = false, p.requests
	p.messages.Withdraw(p.toast)
}

// recalled shows a past state of the cloud, unless another time was requested meanwhile,
// or something has begun that this would stop.
func (p *past) recalled(msg recalledMsg) tea.Cmd {
	if msg.request != p.requests {
		return nil
	}
	p.end()
	if msg.err != nil {
		hint := ""
		if gone := (*cloud.ForgottenError)(nil); errors.As(msg.err, &gone) && p.live.Link != nil {
			hint = "OpenStack keeps no history: there is only what was seen since it was opened"
		}
		return p.messages.refuse(msg.err.Error(), hint)
	}
	if why := p.whyNot(); why != "" {
		return p.messages.refuse("the past cannot be shown now: "+why, "")
	}
	if msg.snap.Revision() == p.live.Cloud.Snapshot().Revision() {
		return p.now()
	}
	first := !p.live.inPast()
	keeper := p.live.view.show(msg.snap)
	ctx, request := p.live.ctx, msg.request
	p.live.show()
	cmds := []tea.Cmd{func() tea.Msg {
		keeper.Round(ctx)
		return pastProblemsMsg{request, keeper.Report()}
	}}
	if first {
		cmds = append(cmds, p.messages.inform("the cloud as it was: nothing can be written", "{ } steps, "+backToNow+" goes back to now"))
	}
	return tea.Batch(cmds...)
}

// problems shows the problems at that time in the header. What was under way then cannot be
// told from what was interrupted.
func (p *past) problems(msg pastProblemsMsg) tea.Cmd {
	if msg.request == p.requests && p.live.inPast() {
		msg.report.Interrupted = nil
		p.live.reports.shown = msg.report
	}
	return nil
}

// now returns to the present.
func (p *past) now() tea.Cmd {
	p.requests++
	p.end()
	if !p.live.inPast() {
		return nil
	}
	p.live.view.now()
	p.messages.Dismiss() // they are about the past: it is no longer true that nothing can be written
	p.recall = nil       // it may hold as much memory as the cloud
	return p.live.now()
}

// label returns for the header which revision is shown, its time, and how many came
// since.
func (p *past) label(compact bool) string {
	s := p.live.snapshot
	rev, since := component.Count(s.Revision()), component.Count(p.live.newest-s.Revision()) // revisions are counted up
	switch {
	case compact:
		return "REPLAY " + rev
	case s.At().IsZero():
		return fmt.Sprintf("REPLAY rev %s +%s", rev, since)
	}
	return fmt.Sprintf("REPLAY rev %s %s +%s", rev, moment(s.At(), p.live.session.Clock(), false), since)
}
