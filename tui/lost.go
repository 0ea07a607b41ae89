package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/screen"
)

// lostMsg says that who keeps the cloud has gone, and shows the page about it.
type lostMsg struct {
	watch <-chan cloud.Revision // as of changedMsg
	page  screen.Screen
}

// loss waits until who keeps the cloud has gone; nil where that cannot be.
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

// lost shows the page about a cloud that nobody keeps any more, over what is there.
func (a *App) lost(msg lostMsg) tea.Cmd {
	if msg.watch != a.live.changes {
		return nil
	}
	a.live.closed = true
	return a.push(nil, func(screen.Env) (screen.Screen, error) { return msg.page, nil })
}
