package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// lostMsg says that the owner of the cloud is gone, and brings the page about that.
type lostMsg struct {
	watch <-chan cloud.Revision // as in changedMsg
	page  screen.Screen
}

// waitForLoss waits until the owner of the cloud is gone; nil if there is none.
func (l *live) waitForLoss() tea.Cmd {
	wait, ctx, watch := l.Lost, l.ctx, l.changes
	if wait == nil {
		return nil
	}
	return func() tea.Msg {
		if page := wait(ctx); page != nil {
			return lostMsg{watch, page}
		}
		return nil
	}
}

// loss is the page about the lost owner.
type loss struct {
	waits screen.Screen // it waits to be shown; nil for none
	shown *entry        // it was shown; nil before
}

// lost notes that the cloud has no owner any more. The page about that would take keys
// from a user who is typing: it waits, and a line says so.
func (a *App) lost(msg lostMsg) tea.Cmd {
	if msg.watch != a.live.changes {
		return nil
	}
	a.live.closed, a.loss.waits = true, msg.page
	if !a.typing() {
		return nil
	}
	return a.messages.refuse("the placetop that had this cloud is gone", "your input stays; take over once you are done")
}

// refresh reads the newest state, or says again that the owner of the cloud is gone.
func (a *App) refresh() tea.Cmd {
	if a.live.closed && a.live.Lost != nil && a.under() != a.loss.shown {
		return a.live.waitForLoss()
	}
	return a.live.refresh()
}

// tellLoss shows the page about the lost owner over the current screen, once nothing is
// being typed.
func (a *App) tellLoss() tea.Cmd {
	page := a.loss.waits
	if page == nil || a.typing() {
		return nil
	}
	a.loss.waits = nil
	if a.loss.shown != nil {
		a.without(a.loss.shown)
	}
	cmd := a.push(nil, func(screen.Env) (screen.Screen, error) { return page, nil })
	a.loss.shown = a.under()
	return cmd
}

// reopen continues with the same cloud from its new keeper: with the same screens, and
// what was typed in them.
func (a *App) reopen(msg OpenMsg) tea.Cmd {
	l := a.live
	snapshot, paused := l.snapshot, l.paused
	l.stop()
	l.OpenMsg = msg
	l.view.is.Store(&present{msg.Cloud, msg.Keeper})
	a.replaying = replaying{asked: a.replaying.asked + 1}
	cmds := []tea.Cmd{l.watch()}
	if a.loss.shown != nil {
		a.without(a.loss.shown)
	}
	a.loss = loss{}
	switch {
	case l.inPast():
		l.snapshot = snapshot
		cmds = append(cmds, a.replay(snapshot.Revision()))
	case paused:
		l.paused, l.snapshot = true, snapshot
	}
	return tea.Batch(append(cmds, a.resume(), a.messages.fail(msg.Notice, ""), a.messages.done("taken over: everything here is as it was"))...)
}

// without closes a page wherever it is in the history, but not those above it.
func (a *App) without(e *entry) {
	gone := func(stack []*entry) []*entry {
		return slices.DeleteFunc(slices.Clone(stack), func(o *entry) bool { return o == e })
	}
	a.stack = gone(a.stack)
	for _, stacks := range [][][]*entry{a.past, a.future} {
		for i := range stacks {
			stacks[i] = gone(stacks[i])
		}
	}
	e.close()
}
