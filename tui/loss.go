package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// lostMsg says that the owner of the cloud is gone, and has the page about that.
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

// loss shows that the process that kept the cloud is gone, and goes on with the next one.
type loss struct {
	live     *live
	stack    *stack
	messages *messages
	page     screen.Screen // the page about it, while it waits to be shown; nil for none
	shown    *entry        // that page, once it was shown; nil before
}

// happened notes that the owner is gone. The page about that would take keys from a user who is
// typing: it waits, and a line says so.
func (l *loss) happened(msg lostMsg, typing bool) tea.Cmd {
	if msg.watch != l.live.changes {
		return nil
	}
	l.live.closed, l.page = true, msg.page
	if !typing {
		return nil
	}
	return l.messages.refuse("the placetop that had this cloud is gone", "your input stays; take over once you are done")
}

// show shows the page over the current screen, once nothing is being typed.
func (l *loss) show(typing bool) tea.Cmd {
	page := l.page
	if page == nil || typing {
		return nil
	}
	l.forget()
	cmd := l.stack.push(nil, page)
	l.shown = l.stack.under()
	return cmd
}

// forget closes the page.
func (l *loss) forget() {
	if l.page = nil; l.shown != nil {
		l.stack.remove(l.shown)
		l.shown = nil
	}
}

// refresh reads the newest state, or says again that the owner is gone.
func (l *loss) refresh() tea.Cmd {
	if l.live.closed && l.live.Lost != nil && l.stack.under() != l.shown {
		return l.live.waitForLoss()
	}
	return l.live.refresh()
}

// reopen continues with the same cloud from its new keeper: with the same screens, and
// what was typed in them.
func (l *loss) reopen(msg OpenMsg, past *past) tea.Cmd {
	live := l.live
	snapshot, paused := live.snapshot, live.paused
	live.stop()
	live.OpenMsg = msg
	live.view.present.Store(&viewedCloud{Cloud: msg.Cloud, keeper: msg.Keeper})
	past.reset()
	cmds := []tea.Cmd{live.watch()}
	l.forget()
	switch {
	case live.inPast():
		live.snapshot = snapshot
		cmds = append(cmds, past.show(snapshot.Revision()))
	case paused:
		live.paused, live.snapshot = true, snapshot
	}
	return tea.Batch(append(cmds, l.stack.resume(), l.messages.fail(msg.Notice), l.messages.done("taken over: everything here is as it was"))...)
}
