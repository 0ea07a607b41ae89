package tui

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// key handles a key, or several that arrived in one message.
func (a *App) key(msg tea.KeyMsg) tea.Cmd {
	defer func() { a.acts.known = false }()
	name := msg.String()
	if name == "ctrl+c" {
		return a.cancel()
	}
	if name != "q" && (name != "esc" || a.messages.asked(quitting)) {
		a.messages.answered()
	}
	if a.typing() {
		if act, ok := action.Find(msg.String(), a.terminal()); ok {
			return act.Run()
		}
	}
	if msg.Type == tea.KeyEsc && msg.Alt { // two in one message, over a slow link
		one := tea.KeyMsg{Type: tea.KeyEsc}
		return tea.Batch(a.key(one), a.key(one))
	}
	if a.asking {
		return a.promptKey(msg)
	}
	top := a.stack.top()
	if top == nil {
		return nil
	}
	if typing(top) || picks(top, msg) {
		return a.stack.pressed(top, msg)
	}
	switch {
	case msg.Paste:
		return nil // only an input can use a paste
	case msg.Type == tea.KeyRunes && len(msg.Runes) > 1 && !msg.Alt:
		var cmds []tea.Cmd
		for _, r := range msg.Runes {
			cmds = append(cmds, a.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
		}
		return tea.Batch(cmds...)
	case msg.Alt && name != "alt+q" && !a.bound(name): // never esc and a letter: alt types @ on some keyboards
		return a.bar(name, "no such key: "+action.KeyLabel(name), "esc and a key are pressed one after the other")
	default:
		return a.press(msg)
	}
}

// bound reports whether a key has an action.
func (a *App) bound(name string) bool {
	_, ok := action.Find(name, a.able().here, a.able().everywhere)
	return ok
}

// terminal returns the actions that only affect the terminal. They also work while
// typing, unless the user bound them to a key that types.
func (a *App) terminal() []action.Action {
	var list []action.Action
	for _, act := range a.able().everywhere {
		if act.ID != "app.suspend" {
			continue
		}
		act.Keys = action.KeysOf(slices.DeleteFunc(act.Keys.Names(), func(k string) bool { return !strings.HasPrefix(k, "ctrl+") }))
		list = append(list, act)
	}
	return list
}

// typing reports whether keys are text: for the command prompt, or for an input of the
// top screen.
func (a *App) typing() bool { return a.asking || typing(a.stack.top()) }

// picks reports whether a screen takes a key for text that filters it.
func picks(e *entry, msg tea.KeyMsg) bool {
	return answer(e, func(p screen.Picker) bool { return p.Picks(msg) })
}

// press handles one key.
func (a *App) press(msg tea.KeyMsg) tea.Cmd {
	name := msg.String()
	if name != a.barred.key {
		a.messages.Withdraw(a.barred.why) // it would hide the hints for the result of this one
	}
	a.messages.Pressed(a.env.Styles, action.KeyLabel(name))
	here, everywhere := a.able().here, a.able().everywhere
	act, ok := a.presenter.key(name)
	if !ok {
		act, ok = action.Find(name, here, everywhere)
	}
	var cannot error
	if len(act.Writes) > 0 {
		cannot = a.live.can(act.Writes...)
	}
	switch {
	case !ok && action.Lost(name, here, everywhere):
		return a.noKey(name)
	case !ok:
		return a.unlisted(msg)
	case cannot != nil && a.live.can() != nil: // no key writes to a read-only cloud
		return a.bar(name, act.Title+": "+a.readOnly(), "")
	case cannot != nil:
		return a.bar(name, act.Title+": "+cannot.Error(), "")
	case act.Disabled != "":
		return a.bar(name, act.Title+": "+act.Disabled, "")
	case !act.Acts():
		return a.stack.pressed(a.stack.top(), act.Meant(msg))
	default:
		return a.run(act)
	}
}

// unlisted passes a key without an action to the screen, and says so if that did nothing
// with it.
func (a *App) unlisted(msg tea.KeyMsg) tea.Cmd {
	e := a.stack.top()
	if e == nil {
		return nil
	}
	before, w, h := e.body, e.width, e.height
	cmd := a.stack.pressed(e, msg)
	if cmd != nil || w == 0 || e != a.stack.top() {
		return cmd
	}
	body, crash := e.view(w, h)
	if crash != nil {
		return a.crashes.crashed(e, crash)
	}
	if body != before {
		return nil
	}
	// On a screen without a filter / opens the search, because what is typed after it
	// must be taken for text, not for keys.
	if msg.String() == "/" && a.screens.has(place.Find{}) && a.live.Cloud != nil {
		return a.stack.goTo(e, screen.Goto{To: place.Find{}})
	}
	why := elsewhere(msg.String())
	if a.live.Cloud != nil && a.live.can() != nil && strings.Contains("neEDrmMFA", msg.String()) {
		why = a.readOnly()
	}
	if why != "" {
		return a.bar(msg.String(), action.KeyLabel(msg.String())+": "+why, a.asText(msg.String())+a.helps())
	}
	return a.noKey(msg.String())
}

// readOnly returns why nothing can be written.
func (a *App) readOnly() string {
	if of, ok := errors.AsType[*cloud.UnsupportedError](a.live.can()); ok {
		return of.Why
	}
	return a.live.can().Error()
}

// noKey says that a key does nothing.
func (a *App) noKey(name string) tea.Cmd {
	hint := "? lists them"
	if r := []rune(name); len(r) == 1 && unicode.IsLetter(r[0]) && !unicode.Is(unicode.Latin, r[0]) {
		return a.bar(name, "no such key: "+name, "keys are Latin letters: switch the keyboard's layout")
	}
	if finds := a.asText(name); finds != "" {
		hint = finds + a.helps()
	}
	return a.bar(name, "no such key: "+action.KeyLabel(name), hint)
}

// asText says where a letter that does nothing would have been text: in the filter of the
// top screen. "" if it has none.
func (a *App) asText(name string) string {
	filter, ok := action.Originally("/", a.able().here) // hints name the default keys
	if r := []rune(name); !ok || filter.Keys == "" || len(r) != 1 || !unicode.IsLetter(r[0]) {
		return ""
	}
	return filter.Label() + " " + filter.Title + "s  "
}

// helps says which key lists all keys.
func (a *App) helps() string {
	help, _ := action.Originally("?", a.able().everywhere)
	return cmp.Or(help.Label(), help.Command()) + " lists the keys"
}

// elsewhere says why a key that does something on other screens does nothing here.
func elsewhere(key string) string {
	switch key {
	case "tab", "shift+tab":
		return "no other panel to go to here"
	case ".":
		return "no rows to hide here"
	case "o":
		return "rows here have no owner"
	case "`":
		return "no tree here"
	case "x":
		return "nothing to unfold here"
	case "s", "K":
		return "no columns to choose here"
	case " ", "a":
		return "no rows to mark here"
	case "+":
		return "no pane here can be resized"
	case "d", "y", "H", "c":
		return "no record here"
	case "e", "E":
		return "nothing to edit here"
	case "D":
		return "nothing to delete here"
	case "n":
		return "nothing to make here"
	case "r", "m", "M":
		return "nothing to move here"
	case "F", "A":
		return "no problem here"
	case "w", "W":
		return "nothing to ask about here"
	case "=":
		return "mark two rows to compare them"
	case "u", "U":
		return "the gate is simulated in :owners"
	case "f":
		return "nothing to follow here"
	case "z":
		return "nothing to undo yet: the journal lists earlier changes"
	case "}":
		return "this is the newest revision"
	}
	return ""
}

// disabledKey is the last key that could do nothing, and what was said about it.
type disabledKey struct {
	key string
	why component.Toast
}

// bar says why a key does nothing, until another key does something.
func (a *App) bar(key, text, hint string) tea.Cmd {
	a.barred = disabledKey{key, component.Toast{Severity: style.SeverityInfo, Text: text, Hint: hint}}
	return a.messages.show(a.barred.why)
}

// run runs an action of the top screen or of the dashboard.
func (a *App) run(act action.Action) tea.Cmd {
	e := a.stack.top()
	switch {
	case act.Run != nil && (isGlobal(act.ID) || e == nil):
		return act.Run()
	case act.Run != nil:
		return e.call(act.Run)
	}
	return a.stack.requested(e, func() tea.Msg { return screen.Asks(act) })
}

// cancel handles ctrl+c: it closes a prompt, as in a shell, else it quits.
func (a *App) cancel() tea.Cmd {
	switch {
	case !a.closes():
		return a.interrupt("^c")
	case a.asking:
		a.asking = false
		return nil
	}
	return a.stack.pressed(a.stack.top(), tea.KeyMsg{Type: tea.KeyEsc})
}

// closes reports whether ctrl+c closes a prompt: if nothing is lost by that.
func (a *App) closes() bool {
	e := a.stack.top()
	return a.asking || typing(e) && pending(e) == ""
}

// quitting is what is asked about where a key would close the dashboard.
const quitting = "quitting"

// interrupt quits; if that would lose work, only the second time. Key is the key that
// quits.
func (a *App) interrupt(key string) tea.Cmd {
	what := a.loses()
	if what == "" || a.messages.asked(quitting) {
		return tea.Quit
	}
	return a.messages.ask(quitting, what, key+" again quits")
}

// loses returns which work would be lost with the dashboard, "" if none.
func (a *App) loses() string { return cmp.Or(a.stack.unwritten(), a.live.unsaved()) }

// back closes one thing: what is open on the screen, or the screen.
func (a *App) back() tea.Cmd {
	e := a.stack.top()
	if e == nil {
		return nil
	}
	if b, ok := e.screen.(screen.Backer); ok {
		var took bool
		cmd := e.call(func() (cmd tea.Cmd) {
			took, cmd = b.Back()
			return cmd
		})
		if took || e.broken {
			return cmd
		}
	}
	a.messages.Dismiss() // esc does the same, whatever toast is shown
	if a.presenter.walk != nil && a.stack.atRoot() {
		a.presenter.walk = nil
		return nil
	}
	return a.stack.close(e)
}

// leave closes the screen; at the root it quits.
func (a *App) leave() tea.Cmd {
	if a.stack.atRoot() {
		return a.interrupt("q")
	}
	return a.stack.close(a.stack.top())
}
