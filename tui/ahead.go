package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// ahead holds keys typed ahead: while the effect of the last key is being found out,
// those that follow wait, as they are meant for what comes of it.
type ahead struct {
	held    []tea.KeyMsg
	unsaid  bool // a timer will say that they wait
	said    component.Toast
	doing   bool   // one of them is being handled
	leading *entry // its key leads somewhere, which is being found out; nil for none
	n       int    // counts these searches
}

const (
	// mostAhead is how many keys are held.
	mostAhead = 64
	// aheadAfter is how long keys wait before the footer says so.
	aheadAfter = 300 * time.Millisecond
)

type (
	// aheadMsg says that it is time to say that keys wait.
	aheadMsg struct{}
	// foundMsg is the result of a key.
	foundMsg struct {
		n   int
		msg tea.Msg
	}
)

// lead finds out where a key of a screen leads.
func (a *App) lead(from *entry, find func() tea.Msg) tea.Cmd {
	a.ahead.leading = from
	a.ahead.n++
	n, found := a.ahead.n, wrapCmd(from, find)
	cmd := func() tea.Msg { return foundMsg{n, found()} }
	if a.hasty {
		return a.eager(cmd)
	}
	return cmd
}

// found goes where a key led, unless the user has gone elsewhere since.
func (a *App) found(msg foundMsg) tea.Cmd {
	if msg.n != a.ahead.n {
		return nil
	}
	a.ahead.leading = nil
	return a.route(msg.msg)
}

// waits reports whether the top screen will be left, or does not have yet what a key
// asked for.
func (a *App) waits() bool {
	e := a.top()
	return e != nil && (e == a.ahead.leading || waiting(e))
}

// waiting reports whether a screen does not have yet what a key asked for.
func waiting(e *entry) bool {
	yes := false
	if w, ok := e.screen.(screen.Waiter); ok {
		_ = try(func() { yes = w.Waiting() })
	}
	return yes
}

// hold reports whether a key waits, or has dropped those that did. Keys that mean the
// same on every screen do not wait unless others do already.
func (a *App) hold(msg tea.KeyMsg) (tea.Cmd, bool) {
	name, held := msg.String(), len(a.ahead.held) > 0
	leading := a.ahead.leading != nil && a.ahead.leading == a.top()
	switch _, own := action.Find(name, a.able().here); {
	case !held && !a.waits():
		return nil, false
	case name == "esc" && (held || leading):
		a.forget()
		return nil, true
	case !held && !leading && !own && a.bound(name):
		return nil, false
	}
	if _, ok := action.Find(name, a.terminal()); ok {
		return nil, false
	}
	if len(a.ahead.held) < mostAhead {
		a.ahead.held = append(a.ahead.held, msg)
	}
	return a.armAhead(), true
}

// armAhead sets the timer that says that keys wait.
func (a *App) armAhead() tea.Cmd {
	if a.ahead.unsaid {
		return nil
	}
	a.ahead.unsaid = true
	return screen.After(a.env.Context, aheadAfter, aheadMsg{})
}

// forget drops the waiting keys, and what they wait for.
func (a *App) forget() {
	a.toasts.Withdraw(a.ahead.said)
	a.ahead.n++
	a.ahead.held, a.ahead.leading = nil, nil
}

// sayAhead says which keys have been waiting for a while.
func (a *App) sayAhead() tea.Cmd {
	a.ahead.unsaid = false
	if len(a.ahead.held) == 0 {
		return nil
	}
	keys := make([]string, len(a.ahead.held))
	for i, msg := range a.ahead.held {
		if keys[i] = action.KeyLabel(msg.String()); msg.Paste {
			keys[i] = "paste"
		}
	}
	a.toasts.Withdraw(a.ahead.said)
	a.ahead.said = component.Toast{Severity: style.SeverityInfo, Text: "typed ahead: " + strings.Join(keys, " "), Hint: "esc drops it"}
	return a.toast(a.ahead.said)
}

// release handles the waiting keys once what they are about is there.
func (a *App) release() tea.Cmd {
	if len(a.ahead.held) == 0 || a.waits() {
		return nil
	}
	a.toasts.Withdraw(a.ahead.said)
	a.hasty, a.ahead.doing = true, true
	defer func() { a.hasty, a.ahead.doing = false, false }()
	var cmds []tea.Cmd
	held := a.ahead.held
	a.ahead.held = nil
	for i, msg := range held {
		if a.waits() {
			a.ahead.held = held[i:]
			cmds = append(cmds, a.armAhead())
			break
		}
		a.acts.known = false
		before := a.barred
		cmds = append(cmds, a.key(msg))
		if a.barred != before || a.asksAgain() { // the following keys rely on it
			break
		}
	}
	return screen.Batch(cmds...)
}
