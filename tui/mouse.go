package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// mouse is the state of the mouse.
type mouse struct {
	on      *bool // shared by two dashboards
	x, y    int   // position of the last click on the body
	at      time.Time
	holding bool // a button was pressed on the body and is still down
}

// How many rows a notch of the wheel moves, and the longest time between the clicks of a
// double click.
const (
	wheelRows = 3
	twiceIn   = 400 * time.Millisecond
)

// bodyTop is the first line of the body in the terminal.
func (a *App) bodyTop() int {
	n := 0
	for _, shown := range []bool{a.headed(), !a.bare.Crumbs} {
		if shown {
			n++
		}
	}
	return n
}

// mouseCommand turns the mouse on and off.
func (a *App) mouseCommand() command {
	return command{name: "mouse", args: []string{"on", "off"}, what: "wheel, click and drag; with shift the terminal selects text", run: func(arg string) tea.Cmd {
		switch arg {
		case "on", "off":
			*a.pointer.on = arg == "on"
		case "":
			*a.pointer.on = !*a.pointer.on
		default:
			return a.refuse("mouse: "+arg+" is not on or off", "")
		}
		text := "mouse off: the terminal selects text"
		if *a.pointer.on {
			text = "mouse on: wheel, click, drag; shift selects text"
		}
		cmds := []tea.Cmd{session.Mouse(*a.pointer.on), a.toast(component.Toast{Severity: style.SeverityOK, Text: text})}
		if m := a.env.Memory; m != nil {
			on := *a.pointer.on
			m.Mouse = &on
			cmds = append(cmds, a.keepMemory())
		}
		return screen.Batch(cmds...)
	}}
}

// mouse handles a mouse event.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	e := a.top()
	switch {
	case e == nil || !*a.pointer.on:
		return nil
	case msg.Button == tea.MouseButtonWheelUp:
		return a.wheel("up")
	case msg.Button == tea.MouseButtonWheelDown:
		return a.wheel("down")
	case msg.Action == tea.MouseActionRelease:
		a.pointer.holding = false
	case msg.Action == tea.MouseActionMotion:
		if d, ok := e.screen.(screen.Dragger); ok && a.pointer.holding {
			return a.call(e, func() tea.Cmd { d.Drag(msg.X, msg.Y-a.bodyTop()); return nil })
		}
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
	return screen.Batch(cmds...)
}

// click handles a click of the left button.
func (a *App) click(e *entry, x, y int) tea.Cmd {
	a.forget() // keys typed before the click were not about what it leads to
	body, top := e.height, a.bodyTop()
	switch {
	case a.asking:
		return nil
	case y == top-1 && !a.bare.Crumbs:
		return a.clickCrumb(x)
	case y >= top && y < top+body:
		return a.clickBody(e, x, y-top)
	case y >= top+body:
		return a.clickHint(x, y)
	}
	return nil
}

// clickBody passes a click to the screen.
func (a *App) clickBody(e *entry, x, y int) tea.Cmd {
	now := a.env.Clock()
	p := &a.pointer
	twice := x == p.x && y == p.y && now.Sub(p.at) < twiceIn
	p.x, p.y, p.at, p.holding = x, y, now, true
	if twice {
		p.at = time.Time{} // a third click starts again
	}
	c, ok := e.screen.(screen.Clicker)
	if !ok || typing(e) {
		return nil
	}
	return a.call(e, func() tea.Cmd { return c.Click(x, y, twice) })
}

// clickCrumb goes back to a screen in the crumb line.
func (a *App) clickCrumb(x int) tea.Cmd {
	line := ansi.Strip(a.crumbLine())
	from := 0
	for i, title := range a.crumbs() {
		at, width := find(line, title, from)
		if at < 0 {
			continue
		}
		if x >= at && x < at+width {
			if i+1 < len(a.stack) {
				return a.pop(a.stack[i+1])
			}
			return nil
		}
		from = at + width
	}
	return nil
}

// clickHint presses the key of a hint in the footer.
func (a *App) clickHint(x, y int) tea.Cmd {
	first, last := a.footer()
	lines := []string{ansi.Strip(first), ansi.Strip(last)}
	if a.compact() {
		lines = lines[:1]
	}
	foot := a.height - len(lines)
	if y < foot || y-foot >= len(lines) {
		return nil
	}
	here, everywhere := a.offered(a.top())
	for _, act := range append(append(here, everywhere...), a.mainHints()...) {
		if len(act.Keys) == 0 {
			continue
		}
		if at, width := find(lines[y-foot], act.Label()+" "+act.Title, 0); at >= 0 && x >= at && x < at+width {
			return a.key(action.Message(act.Keys[0]))
		}
	}
	return nil
}

// find returns the cell at which a text is in a line as a word, from a cell on, and its
// width; -1 if it is not there.
func find(line, text string, from int) (at, width int) {
	rest := ansi.Cut(line, from, ansi.StringWidth(line))
	for skipped := 0; ; {
		i := strings.Index(rest[skipped:], text)
		if i < 0 || text == "" {
			return -1, 0
		}
		i += skipped
		if i == 0 || rest[i-1] == ' ' {
			return from + ansi.StringWidth(rest[:i]), ansi.StringWidth(text)
		}
		skipped = i + 1
	}
}
