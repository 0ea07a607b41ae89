package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/screen"
)

// eagerFor is how long a key waits for the command that it caused.
const eagerFor = time.Millisecond

// eager runs the command that a key caused and, if that ends at once, handles its message
// before the next key. Most commands of screens only say where to go. If their messages
// were queued like others, a key typed ahead would still act on the screen that was left.
// A slower command continues in the background.
func (a *App) eager(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	late := make(chan struct{})
	timer := time.AfterFunc(eagerFor, func() { close(late) })
	defer timer.Stop()
	return a.hurry(cmd, late)
}

func (a *App) hurry(cmd tea.Cmd, late <-chan struct{}) tea.Cmd {
	if cmd == nil {
		return nil
	}
	result := make(chan tea.Msg, 1)
	go func() { result <- cmd() }()
	select {
	case msg := <-result:
		return a.took(msg, late)
	case <-late:
		return func() tea.Msg { return <-result }
	}
}

// took handles the message of an eager command. It passes on messages for Bubble Tea or
// the session.
func (a *App) took(msg tea.Msg, late <-chan struct{}) tea.Cmd {
	switch msg := msg.(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		cmds := make([]tea.Cmd, len(msg))
		for i, cmd := range msg {
			cmds[i] = a.hurry(cmd, late)
		}
		return screen.Batch(cmds...)
	case entryMsg, crashMsg, foundMsg, OpenMsg, otherMsg, linkedMsg, lostMsg:
		return a.route(msg)
	default:
		return func() tea.Msg { return msg }
	}
}
