package session

import (
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"
)

// Messages that the session handles itself; the model never sees them.
type (
	copyMsg    struct{ text string }
	titleMsg   struct{ title string }
	repaintMsg struct{}
	askMsg     struct{}
	mouseMsg   struct{ on bool }
	suspendMsg struct{}
	repliedMsg struct{ reply []byte }
	execMsg    struct {
		cmd  *exec.Cmd
		done func(error) tea.Msg
	}
	resumeMsg struct{ then tea.Msg }
	crashMsg  struct{ crash *PanicError }
)

// BackgroundMsg says what the terminal answered to AskBackground.
type BackgroundMsg struct{ Dark bool }

// AskBackground asks the terminal for the colour of its background. A terminal that knows
// the query answers later, with a BackgroundMsg; others never do.
func AskBackground() tea.Cmd { return send(askMsg{}) }

// Copy puts text into the clipboard of whoever sits at the terminal.
func Copy(text string) tea.Cmd { return send(copyMsg{text: text}) }

// Title sets the title of the terminal's window.
func Title(title string) tea.Cmd { return send(titleMsg{title: title}) }

// Repaint draws the whole screen again, for when something else wrote on it.
func Repaint() tea.Cmd { return send(repaintMsg{}) }

// Mouse turns reports of the mouse on or off. While they are on the terminal selects text
// only with shift.
func Mouse(on bool) tea.Cmd { return send(mouseMsg{on}) }

// Suspend hands the terminal to the shell that started the process, as ^z does
// elsewhere. It does nothing on a terminal that is not this process' own: the
// signal would stop every session that it serves.
func Suspend() tea.Cmd { return send(suspendMsg{}) }

// Exec hands the terminal to cmd, such as an editor, and sends what done
// returns when it ends. On a terminal that is not this process' own, done gets
// [terminal.ErrNoTerminal].
func Exec(cmd *exec.Cmd, done func(error) tea.Msg) tea.Cmd {
	return send(execMsg{cmd: cmd, done: done})
}

func send(msg tea.Msg) tea.Cmd { return func() tea.Msg { return msg } }
