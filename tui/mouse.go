package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
)

// wheelRows is how many rows a notch of the wheel moves.
const wheelRows = 3

// mouse handles the mouse, if it is on.
type mouse struct {
	on     bool
	keys   *keys
	memory *memory
}

// command turns the mouse on and off.
func (m *mouse) command(arg string) tea.Cmd {
	switch arg {
	case "on", "off":
		m.on = arg == "on"
	case "":
		m.on = !m.on
	default:
		return m.keys.messages.refuse("mouse: "+arg+" is not on or off", "")
	}
	text := "mouse off: the terminal selects text"
	if m.on {
		text = "mouse on: wheel, click; shift selects text"
	}
	cmds := []tea.Cmd{session.Mouse(m.on), m.keys.messages.done(text)}
	if of := m.memory.of; of != nil {
		on := m.on
		of.Mouse = &on
		cmds = append(cmds, m.memory.save(""))
	}
	return tea.Batch(cmds...)
}

// event handles a mouse event: a click of the left button on the body is the screen's.
func (m *mouse) event(msg tea.MouseMsg) tea.Cmd {
	e := m.keys.stack.top()
	c, clicks := as[screen.Clicker](e)
	y := msg.Y - headRows
	switch {
	case e == nil || !m.on:
		return nil
	case msg.Button == tea.MouseButtonWheelUp:
		return m.wheel("up")
	case msg.Button == tea.MouseButtonWheelDown:
		return m.wheel("down")
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress && clicks && !m.keys.typing() && y >= 0 && y < e.height:
		return e.call(func() tea.Cmd { return c.Click(msg.X, y) })
	}
	return nil
}

// wheel moves the cursor of the top screen.
func (m *mouse) wheel(key string) tea.Cmd {
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, m.keys.press(action.Message(key)))
	}
	return tea.Batch(cmds...)
}
