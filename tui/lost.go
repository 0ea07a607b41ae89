package tui

import (
	"context"
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

// loss waits until the owner of the cloud is gone; nil if there is none.
func (a *App) loss(ctx context.Context, watch <-chan cloud.Revision) tea.Cmd {
	wait := a.cfg.Lost
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

// lost notes that the cloud has no owner any more. The page about that would take keys
// from a user who is typing: it waits, and a line says so.
func (a *App) lost(msg lostMsg) tea.Cmd {
	if msg.watch != a.live.changes {
		return nil
	}
	a.live.closed, a.live.loss = true, msg.page
	if !a.typing() {
		return nil
	}
	return a.messages.refuse("the placetop that had this cloud is gone", "your input stays; take over once you are done")
}

// tellLoss shows the page about the lost owner over the current screen, once nothing is
// being typed.
func (a *App) tellLoss() tea.Cmd {
	page := a.live.loss
	if page == nil || a.typing() {
		return nil
	}
	a.live.loss = nil
	if a.live.told != nil {
		a.without(a.live.told)
	}
	cmd := a.push(nil, func(screen.Env) (screen.Screen, error) { return page, nil })
	a.live.told = a.under()
	return cmd
}

// reopen continues with the same cloud from its new keeper: with the same screens, and
// what was typed in them.
func (a *App) reopen(msg OpenMsg) tea.Cmd {
	was, then := a.live, a.replaying
	past := a.inPast()
	was.stop()
	a.exchange(msg)
	a.cloudView.is.Store(&present{msg.Cloud, msg.Keeper})
	a.replaying = replaying{asked: then.asked + 1}
	if a.kept = (keeperState{}); a.told > 0 {
		a.messages.Withdraw(a.telling)
		a.told = 0
	}
	cmds := []tea.Cmd{a.watch()}
	if was.told != nil {
		a.without(was.told)
	}
	switch {
	case past:
		a.live.snapshot = was.snapshot
		cmds = append(cmds, a.replay(was.snapshot.Revision()))
	case was.paused:
		a.live.paused, a.live.snapshot = true, was.snapshot
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
