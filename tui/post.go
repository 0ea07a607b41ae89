package tui

import tea "github.com/charmbracelet/bubbletea"

// postMsg is what others tell this dashboard.
type postMsg struct{ msg tea.Msg }

// post waits for what others tell.
func (a *App) post() tea.Cmd {
	if a.cfg.Post == nil {
		return nil
	}
	ctx := a.env.Context
	return func() tea.Msg {
		select {
		case msg := <-a.cfg.Post:
			return postMsg{msg}
		case <-ctx.Done():
			return nil
		}
	}
}
