package session

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/terminal"
)

// askStatus is the status query of a VT100, and status the answer.
const (
	askStatus = "\x1b[5n"
	status    = "\x1b[0n"
)

// stats tells the model what was written. A terminal that does not report its progress is
// sent a query, and answers it in order.
func (h *host) stats() tea.Cmd {
	if t, ok := h.cfg.Terminal.(interface{ Trip() time.Duration }); ok {
		return h.tell(t.Trip())
	}
	h.asked = h.cfg.Clock()
	h.screen.Send(askStatus)
	return tea.Tick(terminal.Patience, func(time.Time) tea.Msg { return waitedMsg{} })
}

// tell tells the model what was written, once for each request.
func (h *host) tell(trip time.Duration) tea.Cmd {
	stats := h.screen.Stats()
	stats.Trip = trip
	h.asked = time.Time{}
	return h.pass(stats)
}

// replied handles an answer of the terminal.
func (h *host) replied(msg repliedMsg) tea.Cmd {
	if string(msg.reply) == status && !h.asked.IsZero() {
		return h.tell(msg.at.Sub(h.asked))
	}
	if dark, ok := darkBackground(msg.reply); ok {
		return h.pass(BackgroundMsg{Dark: dark})
	}
	return nil
}
