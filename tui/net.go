package tui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/terminal"
)

// netCommand shows what this session has sent to its terminal, and the delay.
func netCommand() command {
	return command{name: "net", what: "bytes sent to this terminal, and the round trip", run: func(string) tea.Cmd {
		return func() tea.Msg { return session.StatsMsg{} }
	}}
}

// net shows what the session has sent.
func (a *App) net(s terminal.Stats) tea.Cmd {
	trip := "round trip not known"
	if s.Trip > 0 {
		trip = fmt.Sprintf("round trip %s ms", milliseconds(s.Trip))
	}
	text := fmt.Sprintf("%s bytes in %s frames, the last %s; %s", count(s.Bytes), count(s.Frames), count(s.Last), trip)
	return a.toast(component.Toast{Severity: style.SeverityInfo, Text: text})
}

// milliseconds formats a short time.
func milliseconds(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond))
	}
	return count(d.Milliseconds())
}
