package tuitest

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/tui/action"
)

// Key returns the message for the key that [tea.KeyMsg.String] calls name. A
// name that no special key has stands for its characters.
func Key(name string) tea.KeyMsg {
	return action.Message(name)
}

// FrameProblem says how frame differs from height lines of width cells, "" if
// it does not.
func FrameProblem(frame string, width, height int) string {
	lines := strings.Split(frame, "\n")
	if len(lines) != height {
		return fmt.Sprintf("the frame has %d lines, want %d", len(lines), height)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != width {
			return fmt.Sprintf("line %d is %d cells wide, want %d: %q", i, w, width, line)
		}
	}
	return ""
}
