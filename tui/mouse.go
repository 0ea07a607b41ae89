package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
)

// wheelRows is how many rows a notch of the wheel moves.
const wheelRows = 3

// mouseCommand turns the mouse on and off.
func (a *App) mouseCommand() command {
	return command{name: "mouse", args: []string{"on", "off"}, what: "wheel and click; with shift the terminal selects text", run: func(arg string) tea.Cmd {
		switch arg {
		case "on", "off":
			a.cfg.Mouse = arg == "on"
		case "":
			a.cfg.Mouse = !a.cfg.Mouse
		default:
			return a.messages.refuse("mouse: "+arg+" is not on or off", "")
		}
		text := "mouse off: the terminal selects text"
		if a.cfg.Mouse {
			text = "mouse on: wheel, click; shift selects text"
		}
		cmds := []tea.Cmd{session.Mouse(a.cfg.Mouse), a.messages.done(text)}
		if m := a.memory.of; m != nil {
			on := a.cfg.Mouse
			m.Mouse = &on
			cmds = append(cmds, a.memory.save())
		}
		return tea.Batch(cmds...)
	}}
}

// mouse handles a mouse event.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	e := a.stack.top()
	switch {
	case e == nil || !a.cfg.Mouse:
		return nil
	case msg.Button == tea.MouseButtonWheelUp:
		return a.wheel("up")
	case msg.Button == tea.MouseButtonWheelDown:
		return a.wheel("down")
	case msg.Button == tea.MouseButtonLeft && msg.Action == tea.MouseActionPress:
		return a.click(e, msg.X, msg.Y)
	}
	return nil
}

// wheel moves the cursor of the top screen.
func (a *App) wheel(key string) tea.Cmd {
	var cmds []tea.Cmd
	for range wheelRows {
		cmds = append(cmds, a.key(action.Message(key)))
	}
	return tea.Batch(cmds...)
}

// click passes a click of the left button on the body to the screen.
func (a *App) click(e *entry, x, y int) tea.Cmd {
	c, ok := e.screen.(screen.Clicker)
	if y -= headRows; !ok || a.asking || typing(e) || y < 0 || y >= e.height {
		return nil
	}
	return e.call(func() tea.Cmd { return c.Click(x, y) })
}
