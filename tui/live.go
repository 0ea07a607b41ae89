package tui

import (
	"cmp"
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/keeper"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

const (
	// liveGap is the least time between two updates: 20 a second, however many changes
	// arrive.
	liveGap = 50 * time.Millisecond

	// blurGap is the same while the terminal does not have the focus.
	blurGap = time.Second
)

// inMemory is the value of Config.Store for a cloud that ends with the process.
const inMemory = "memory"

// OpenMsg gives the dashboard another cloud: its screens start again on it.
type OpenMsg struct {
	Cloud cloud.Cloud

	// Name is what the user calls the cloud, Store what kind of store holds it.
	Name  string
	Store string

	// Place tells the cloud from others of the same name: the memory knows it by its
	// Place, or by its Name if Place is "".
	Place string

	// Notice says at once what is wrong with the cloud; "" for nothing.
	Notice string

	// Keeper counts what the header shows; nil counts nothing.
	Keeper screen.Keeper

	Files *screen.Files // nil for none
	Probe screen.Probe  // as in screen.Env

	// Who lists the users who are connected to the server that shows the dashboard, or work
	// on the same cloud; Me is the one at this dashboard, with their role.
	Who func() []ConnectedUser
	Me  string

	// Refresh fetches the newest state of a cloud that does not report changes by
	// itself; nil for one that does.
	Refresh func(context.Context) error

	// Link reports the state of the connection to a cloud elsewhere; nil for one that is
	// here.
	Link Link

	// Lost waits until the process that keeps the cloud has gone, and returns the
	// page about that, or nil once the context has ended. Lost is nil for a cloud
	// that is kept here.
	Lost func(context.Context) screen.Screen

	// Instead is the same cloud, from whoever kept it until now; nil for another cloud.
	// If Instead is shown, the screens stay; otherwise it is no longer shown, and nothing
	// is opened.
	Instead cloud.Cloud
}

// live holds the cloud that is shown, its newest snapshot, and whether more may come.
type live struct {
	OpenMsg             // the cloud that is shown; its Cloud is nil where none is open yet
	session  screen.Env // what screens get, whatever the cloud; env adds the rest
	messages *messages
	view     *cloudView // the cloud as screens see it; nil before there is one
	link     link
	reports  reports

	snapshot *cloud.Snapshot // the one that screens get
	aged     bool            // they get it again, as time has passed
	newest   cloud.Revision  // the newest known, perhaps not shown
	paused   bool
	blurred  bool
	closed   bool // the store was closed

	// The watch, which ends with the cloud.
	changes <-chan cloud.Revision
	ctx     context.Context //nolint:containedctx // of the watch
	stop    context.CancelFunc
}

// newLive returns the cloud of a dashboard before it is watched.
func newLive(cfg *Config, m *messages) *live {
	l := &live{session: cfg.Env, messages: m, stop: func() {}, OpenMsg: cfg.OpenMsg}
	l.link.clock, l.reports.messages = cfg.Env.Clock, m
	if l.Cloud != nil {
		l.view = l.newView()
	}
	return l
}

// newView returns the cloud at present as screens see it.
func (l *live) newView() *cloudView {
	v := &cloudView{clock: l.session.Clock}
	v.present.Store(&viewedCloud{Cloud: l.Cloud, keeper: l.Keeper})
	return v
}

// replace shows another cloud, which has to be watched next.
func (l *live) replace(with OpenMsg) {
	l.OpenMsg = with
	l.view = l.newView()
	l.session.Common = nil // that of the others is for the previous cloud
}

// known returns the memory's key for the cloud. A cloud in memory is never taken for the
// one at its place.
func (l *live) known() string {
	if l.Store == inMemory {
		return l.Name
	}
	return cmp.Or(l.Place, l.Name)
}

// env returns the environment of screens, with the cloud as they see it.
func (l *live) env() screen.Env {
	env := l.session
	env.Known, env.Files, env.Probe = l.known(), l.Files, l.Probe
	if l.Cloud != nil {
		env.Cloud, env.Keeper = l.view, nil
		if l.Keeper != nil {
			env.Keeper = l.view
		}
	}
	return env
}

// inPast reports whether a past state of the cloud is shown.
func (l *live) inPast() bool { return l.view != nil && l.view.past.Load() != nil }

// noCloud returns why no cloud can be shown, "" if one is open.
func (l *live) noCloud() string {
	if l.Cloud == nil {
		return "no cloud is open"
	}
	return ""
}

// can returns why operations cannot be carried out, nil if all can; without operations,
// why nothing can be written.
func (l *live) can(ops ...cloud.Op) error {
	if why := l.noCloud(); why != "" {
		return &cloud.UnsupportedError{Why: why}
	}
	return l.view.Capabilities().Can(ops...)
}

// readOnly returns why nothing can be written.
func (l *live) readOnly() string {
	if of, ok := errors.AsType[*cloud.UnsupportedError](l.can()); ok {
		return of.Why
	}
	return l.can().Error()
}

type (
	// changedMsg says that there is a newer revision. Watch is the channel it came from,
	// which identifies news of a cloud that was left.
	changedMsg struct {
		watch    <-chan cloud.Revision
		revision cloud.Revision
		closed   bool
	}
	// refreshedMsg is the result of a Refresh. Watch is as in changedMsg.
	refreshedMsg struct {
		watch <-chan cloud.Revision
		err   error
	}
)

// watch takes the newest snapshot and waits for changes; nothing if no cloud is open.
func (l *live) watch() tea.Cmd {
	if l.Cloud == nil {
		return nil
	}
	l.ctx, l.stop = context.WithCancel(l.session.Context)
	l.changes = l.Cloud.Watch(l.ctx)
	l.snapshot = l.Cloud.Snapshot()
	l.newest, l.paused, l.closed = l.snapshot.Revision(), false, false
	return tea.Batch(nextChange(l.ctx, l.changes, 0), l.watchKeeper(), l.link.watch(l.ctx, l.Link), l.waitForLoss())
}

// watchKeeper shows the reports of the keeper; nothing if there is none.
func (l *live) watchKeeper() tea.Cmd {
	l.reports.watch(l.ctx, l.Keeper, l.session.Clock())
	if l.Keeper == nil {
		return nil
	}
	return l.reported(reportMsg{l.Keeper})
}

// nextChange returns a command that waits for the next change, after a pause that
// combines several.
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

// follows reports whether what is shown is the newest state.
func (l *live) follows() bool { return !l.paused && !l.inPast() }

// changed handles news of a change and waits for the next.
func (l *live) changed(msg changedMsg) tea.Cmd {
	if msg.watch != l.changes {
		return nil
	}
	if msg.closed {
		l.closed = true
		return nil
	}
	l.newest = msg.revision
	if l.follows() {
		l.show()
	}
	gap := liveGap
	if l.blurred {
		gap = blurGap
	}
	return nextChange(l.ctx, l.changes, gap)
}

// show takes the newest snapshot for the screens, or in the past the one of that time. The top
// screen gets it at the end of the message.
func (l *live) show() {
	if l.Cloud == nil {
		return
	}
	l.snapshot = l.view.Snapshot()
	l.newest = l.Cloud.Snapshot().Revision()
	l.link.shown()
}

// reported handles a new report of the keeper, unless it is from a cloud that was left.
func (l *live) reported(msg reportMsg) tea.Cmd {
	if msg.by != l.Keeper {
		return nil
	}
	r := l.Keeper.Report()
	var cmd tea.Cmd
	if l.follows() {
		cmd = l.showReport(r)
	}
	return tea.Batch(cmd, l.reports.take(r))
}

// showReport shows the state of the cloud. If only time has passed since the last report, the
// top screen refreshes what depends on time.
func (l *live) showReport(r keeper.Report) tea.Cmd {
	l.aged = r.Of != nil && r.Of == l.reports.shown.Of
	return l.reports.show(r)
}

// relinked handles news of the link and waits for more.
func (l *live) relinked(msg linkedMsg) tea.Cmd {
	next, lost := l.link.news(l.ctx, msg)
	if next != nil && l.follows() && l.Cloud.Snapshot() != l.snapshot {
		l.show() // services have reported again, which is no change of the cloud
	}
	if lost != "" {
		return tea.Batch(next, l.unread(lost))
	}
	return next
}

// unread says why a live cloud cannot be read, or where the reason is.
func (l *live) unread(why string) tea.Cmd {
	hint := "R again"
	if l.Link != nil && !l.messages.fits(why, hint) {
		why, hint = "this cloud cannot be read now", ":ages says why"
	}
	return l.messages.refuse(why, hint)
}

// pause stops the data, and reading a live cloud, or resumes both.
func (l *live) pause() tea.Cmd {
	l.paused = !l.paused
	if l.paused {
		l.link.hold(l.ctx)
		return nil
	}
	l.link.resume()
	return l.now()
}

// now shows the newest state again, after another one.
func (l *live) now() tea.Cmd {
	l.show()
	if l.Keeper == nil {
		return nil
	}
	return l.showReport(l.Keeper.Report())
}

// refresh reads the newest state.
func (l *live) refresh() tea.Cmd {
	if l.Refresh == nil || l.Cloud == nil {
		l.show()
		return nil
	}
	ctx, watch, fetch := l.ctx, l.changes, l.Refresh
	return func() tea.Msg { return refreshedMsg{watch, fetch(ctx)} }
}

func (l *live) refreshed(msg refreshedMsg) tea.Cmd {
	switch {
	case msg.watch != l.changes:
	case msg.err != nil:
		return l.unread("refresh: " + msg.err.Error())
	default:
		l.show()
	}
	return nil
}

// focus slows the data down while the terminal does not have the focus.
func (l *live) focus(on bool) {
	l.blurred = !on
	if on && !l.paused {
		l.show()
	}
}

// unsaved returns what ends with the dashboard: moves that wait to be confirmed in a
// cloud in memory.
func (l *live) unsaved() string {
	n := l.reports.shown.Waiting
	if l.inPast() && l.Keeper != nil {
		n = l.Keeper.Report().Waiting // at present
	}
	if l.Store != inMemory || n == 0 {
		return ""
	}
	if n == 1 {
		return "a move waits to be confirmed; this cloud is in memory"
	}
	return component.Count(n) + " moves wait to be confirmed; this cloud is in memory"
}
