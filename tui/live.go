package tui

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/screen"
)

const (
	// liveGap is the least time between two updates: 20 a second, however many changes
	// arrive.
	liveGap = 50 * time.Millisecond

	// blurGap is the same while the terminal does not have the focus.
	blurGap = time.Second
)

// LinkMsg is the state of the connection to a cloud elsewhere. A store on this
// machine sends none.
type LinkMsg struct {
	cloud.ServiceLink                     // to Placement
	Beside            []cloud.ServiceLink // to Nova and Cyborg, if it has them
	Doing             string              // what is being read, "" for nothing
	Parts             []cloud.Reading     // when each part was read last
	Followed          bool                // what is written there comes by itself
}

// services returns the links to all services, Placement's first.
func (l LinkMsg) services() []cloud.ServiceLink {
	return append([]cloud.ServiceLink{l.ServiceLink}, l.Beside...)
}

// turns returns how long until the state of a service changes if nothing else happens, at
// most the time after which its age is drawn again.
func (l LinkMsg) turns(now time.Time) time.Duration {
	next := ageTick
	for _, of := range l.services() {
		if at := of.Turns(now); !at.IsZero() {
			next = min(next, at.Sub(now))
		}
	}
	return next
}

// Link reports the state of the connection to a cloud elsewhere.
type Link interface {
	Link() LinkMsg
	// Linked returns a channel with room for one value, which gets one whenever what
	// Link returns changes. It is closed when ctx ends.
	Linked(ctx context.Context) <-chan struct{}
	// Look says which providers are looked at, until the next call: they are read first.
	Look(ids ...placement.ProviderID)
	// Hold stops reading in the background until ctx ends, unless others look at the cloud
	// through this process.
	Hold(ctx context.Context)
}

// ageTick is how often the age of the data is redrawn, and linkGap the least time between
// two looks at a link that changes all the time.
const (
	ageTick = 10 * time.Second
	linkGap = 250 * time.Millisecond
)

// linkedMsg says that the link may have changed, or that time has passed.
type linkedMsg struct{ watch <-chan struct{} }

// watchLink waits for the link to change.
func (a *App) watchLink(ctx context.Context) tea.Cmd {
	if a.cfg.Link == nil {
		a.live.link, a.live.linked = LinkMsg{}, nil
		return nil
	}
	a.live.link, a.live.linked = a.cfg.Link.Link(), a.cfg.Link.Linked(ctx)
	return nextLink(ctx, a.live.linked, a.live.link.turns(a.env.Clock()))
}

// nextLink returns a command that waits for the link to change, or until its age or state
// has to be drawn again.
func nextLink(ctx context.Context, linked <-chan struct{}, until time.Duration) tea.Cmd {
	return func() tea.Msg {
		gap := time.NewTimer(linkGap)
		defer gap.Stop()
		select {
		case <-gap.C:
		case <-ctx.Done():
			return nil
		}
		tick := time.NewTimer(until)
		defer tick.Stop()
		select {
		case _, ok := <-linked:
			if !ok {
				return nil
			}
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		return linkedMsg{linked}
	}
}

// relinked handles news of the link and waits for more.
func (a *App) relinked(msg linkedMsg) tea.Cmd {
	if a.cfg.Link == nil || msg.watch != a.live.linked {
		return nil
	}
	was := a.live.link
	a.live.link = a.cfg.Link.Link()
	next := nextLink(a.live.ctx, a.live.linked, a.live.link.turns(a.env.Clock()))
	if !a.live.paused && !a.inPast() && a.cfg.Cloud.Snapshot() != a.live.snapshot {
		next = tea.Batch(next, a.show()) // services have reported again, which is no change of the cloud
	}
	if e := a.under(); e != nil {
		if _, ages := e.screen.(*menu.Screen); ages { // it shows the state of the link
			next = tea.Batch(next, a.update(e, msg))
		}
	}
	if now := a.live.link.Lost; now != "" && was.Lost == "" {
		return tea.Batch(next, a.unread(now))
	}
	return next
}

// unread says why a live cloud cannot be read, or where the reason is.
func (a *App) unread(why string) tea.Cmd {
	hint := "R again"
	if a.cfg.Link != nil && !a.messages.fits(why, hint) {
		why, hint = "this cloud cannot be read now", ":ages says why"
	}
	return a.messages.refuse(why, hint)
}

// lookAt tells a cloud that is still being read which providers are on screen.
func (a *App) lookAt() {
	e := a.under()
	if a.cfg.Link == nil || a.live.link.Doing == "" || e == nil {
		return
	}
	is, ok := e.screen.(screen.Looker)
	if !ok {
		return
	}
	if ids := is.Looking(); len(ids) > 0 && !slices.Equal(ids, a.live.looked) {
		a.live.looked = ids
		a.cfg.Link.Look(ids...)
	}
}

// live is what the root model knows of the newest state.
type live struct {
	snapshot *cloud.Snapshot // the one that screens get
	changes  <-chan cloud.Revision
	stop     context.CancelFunc
	wait     func(pause time.Duration) tea.Cmd // waits for the next change
	newest   cloud.Revision                    // the newest known, perhaps not shown
	paused   bool
	blurred  bool
	closed   bool          // the store was closed
	loss     screen.Screen // the page about the lost owner, while it waits to be shown; nil for none
	told     *entry        // that page, once it was shown; nil before
	link     LinkMsg
	linked   <-chan struct{}
	held     context.CancelFunc     // resumes reading the link; nil unless it is held
	seen     time.Time              // when the data was read, while paused
	looked   []placement.ProviderID // what the link was last told is on screen
	ctx      context.Context        //nolint:containedctx // of the watch, which ends with the cloud
}

type (
	// changedMsg says that there is a newer revision. Watch is the channel it came from,
	// which identifies news of a cloud that was left.
	changedMsg struct {
		watch    <-chan cloud.Revision
		revision cloud.Revision
		closed   bool
	}
	// refreshedMsg is the result of a Refresh.
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
		ctx:      ctx,
		wait:     func(pause time.Duration) tea.Cmd { return nextChange(ctx, changes, pause) },
	}
	a.live.newest = a.live.snapshot.Revision()
	return tea.Batch(a.live.wait(0), a.keep(ctx), a.watchLink(ctx), a.loss(ctx, changes))
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

// changed handles news of a change and waits for the next.
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
	if a.live.paused || a.inPast() {
		return next
	}
	return tea.Batch(a.show(), next)
}

// show passes the newest snapshot to the top screen, or in the past the one of that time.
func (a *App) show() tea.Cmd {
	if a.cfg.Cloud == nil {
		return nil
	}
	a.live.snapshot = a.cloudView.Snapshot()
	a.live.newest = a.cfg.Cloud.Snapshot().Revision()
	if a.cfg.Link != nil {
		a.live.seen = a.cfg.Link.Link().At
	}
	return a.feed(a.under())
}

// pause stops the data, and reading a live cloud, or resumes both.
func (a *App) pause() tea.Cmd {
	a.live.paused = !a.live.paused
	if a.live.paused {
		a.live.seen = a.live.link.At
		if a.cfg.Link != nil {
			var ctx context.Context
			ctx, a.live.held = context.WithCancel(a.live.ctx)
			a.cfg.Link.Hold(ctx)
		}
		return nil
	}
	if a.live.held != nil {
		a.live.held()
		a.live.held = nil
	}
	if a.env.Keeper == nil {
		return a.show()
	}
	return tea.Batch(a.show(), a.stand(a.env.Keeper.Report()))
}

// refresh reads the newest state, or says again that the owner of the cloud is gone.
func (a *App) refresh() tea.Cmd {
	if a.live.closed && a.cfg.Lost != nil && a.under() != a.live.told {
		return a.loss(a.live.ctx, a.live.changes)
	}
	if a.cfg.Refresh == nil {
		return a.show()
	}
	ctx, fetch := a.env.Context, a.cfg.Refresh
	return func() tea.Msg { return refreshedMsg{err: fetch(ctx)} }
}

func (a *App) refreshed(msg refreshedMsg) tea.Cmd {
	if msg.err != nil {
		return a.unread("refresh: " + msg.err.Error())
	}
	return a.show()
}

// focus slows the data down while the terminal does not have the focus.
func (a *App) focus(on bool) tea.Cmd {
	a.live.blurred = !on
	if !on || a.live.paused {
		return nil
	}
	return a.show()
}

// after returns a command that returns msg after d, unless the session ends first.
func (a *App) after(d time.Duration, msg tea.Msg) tea.Cmd { return screen.After(a.env.Context, d, msg) }
