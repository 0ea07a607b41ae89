package tui

import (
	"cmp"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/style"
)

// keys handles keys.
type keys struct {
	actions   *actions
	prompt    *prompt
	live      *live
	stack     *stack
	presenter *presenter
	messages  *messages
	refused   string          // the last key that could do nothing
	why       component.Toast // what was said about it
}

// press handles a key, or several that arrived in one message.
func (k *keys) press(msg tea.KeyMsg) tea.Cmd {
	defer k.actions.forget()
	name := msg.String()
	if name == "ctrl+c" {
		return k.cancel()
	}
	if name != "q" && (name != "esc" || k.messages.asked(quitting)) {
		k.messages.dropQuestion()
	}
	// What only affects the terminal also works while typing, unless its key types.
	if k.typing() && strings.HasPrefix(name, "ctrl+") {
		_, everywhere := k.actions.now()
		if act, ok := action.Find(name, everywhere); ok && act.ID == "app.suspend" {
			return act.Run()
		}
	}
	if msg.Type == tea.KeyEsc && msg.Alt { // two in one message, over a slow link
		one := tea.KeyMsg{Type: tea.KeyEsc}
		return tea.Batch(k.press(one), k.press(one))
	}
	if k.prompt.open {
		return k.prompt.key(msg)
	}
	top := k.stack.top()
	if top == nil {
		return nil
	}
	if typing(top) || picks(top, msg) {
		return k.stack.passKey(top, msg)
	}
	switch {
	case msg.Paste:
		return nil // only an input can use a paste
	case msg.Type == tea.KeyRunes && len(msg.Runes) > 1 && !msg.Alt:
		var cmds []tea.Cmd
		for _, r := range msg.Runes {
			cmds = append(cmds, k.press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}))
			cmds = append(cmds, k.stack.screens.follow(k.stack.under())) // the next key is for what this one shows
		}
		return tea.Batch(cmds...)
	}
	return k.pressOne(msg)
}

// typing reports whether keys are text: for the command prompt, or for an input of the
// top screen.
func (k *keys) typing() bool { return k.prompt.open || typing(k.stack.top()) }

// picks reports whether a screen takes a key for text that filters it.
func picks(e *entry, msg tea.KeyMsg) bool {
	return answer(e, func(p screen.Picker) bool { return p.Picks(msg) })
}

// pressOne handles one key.
func (k *keys) pressOne(msg tea.KeyMsg) tea.Cmd {
	name := msg.String()
	if name != k.refused {
		k.messages.Withdraw(k.why) // it would hide the hints for the result of this one
	}
	k.messages.Pressed(k.messages.styles, action.KeyLabel(name))
	here, everywhere := k.actions.now()
	act, ok := k.presenter.clickerAction(name)
	if !ok {
		act, ok = action.Find(name, here, everywhere)
	}
	off := k.actions.off(act)
	switch {
	case !ok && action.Lost(name, here, everywhere):
		return k.noKey(name, "")
	case !ok && msg.Alt && name != "alt+q": // never esc and a letter: alt types @ on some keyboards
		return k.refuse(name, "no such key: "+action.KeyLabel(name), "esc and a key are pressed one after the other")
	case !ok:
		return k.unlisted(msg)
	case off != "":
		return k.refuse(name, act.Title+": "+off, "")
	case !act.Acts():
		return k.stack.passKey(k.stack.top(), act.Meant(msg))
	default:
		return k.stack.run(act)
	}
}

// unlisted passes a key without an action to the screen, and says so if that did nothing
// with it.
func (k *keys) unlisted(msg tea.KeyMsg) tea.Cmd {
	e := k.stack.top()
	cmd := k.stack.passKey(e, msg)
	if cmd != nil || e.width == 0 || e != k.stack.top() {
		return cmd
	}
	body, crash := e.view(e.width, e.height)
	if crash != nil {
		return e.crashes.crashed(e, crash)
	}
	if body != e.body {
		return nil
	}
	name := msg.String()
	// On a screen without a filter / opens the search, because what is typed after it
	// must be taken for text, not for keys.
	if name == "/" && k.stack.screens.has(place.Find{}) && k.live.Cloud != nil {
		return k.stack.request(e, screen.Goto{To: place.Find{}})
	}
	why := elsewhere(name)
	if k.live.Cloud != nil && k.live.can() != nil && strings.Contains("neEDrmMFAz", name) {
		why = k.live.readOnly()
	}
	return k.noKey(name, why)
}

// noKey says that a key does nothing, and why; "" if there is no such key. A letter would have
// been text in the filter of the top screen, if it has one.
func (k *keys) noKey(name, why string) tea.Cmd {
	here, everywhere := k.actions.now()
	help, _ := action.Originally("?", everywhere) // hints name the default keys
	filter, filters := action.Originally("/", here)
	text, hint, all := "no such key: "+action.KeyLabel(name), "? lists them", cmp.Or(help.Label(), help.Command())+" lists the keys"
	if why != "" {
		text, hint = action.KeyLabel(name)+": "+why, all
	}
	if r := []rune(name); len(r) != 1 || !unicode.IsLetter(r[0]) {
		return k.refuse(name, text, hint)
	} else if why == "" && !unicode.Is(unicode.Latin, r[0]) {
		hint = "keys are Latin letters: switch the keyboard's layout"
	} else if filters && filter.Keys != "" {
		hint = filter.Label() + " " + filter.Title + "s  " + all
	}
	return k.refuse(name, text, hint)
}

// elsewhere says why a key that does something on other screens does nothing here.
func elsewhere(key string) string {
	return map[string]string{
		"tab":       "no other panel to go to here",
		"shift+tab": "no other panel to go to here",
		".":         "no rows to hide here",
		"o":         "rows here have no owner",
		"`":         "no tree here",
		"x":         "nothing to unfold here",
		"s":         "no columns to choose here",
		"K":         "no columns to choose here",
		" ":         "no rows to mark here",
		"a":         "no rows to mark here",
		"+":         "no pane here can be resized",
		"d":         "no record here",
		"y":         "no record here",
		"H":         "no record here",
		"c":         "no record here",
		"e":         "nothing to edit here",
		"E":         "nothing to edit here",
		"D":         "nothing to delete here",
		"n":         "nothing to make here",
		"r":         "nothing to move here",
		"m":         "nothing to move here",
		"M":         "nothing to move here",
		"F":         "no problem here",
		"A":         "no problem here",
		"w":         "nothing to ask about here",
		"W":         "nothing to ask about here",
		"=":         "revisions are compared in the journal",
		"u":         "the gate is simulated in :owners",
		"U":         "the gate is simulated in :owners",
		"f":         "what-if says how many copies fit",
		"z":         "nothing to undo yet: the journal lists earlier changes",
		"}":         "this is the newest revision",
	}[key]
}

// refuse says why a key does nothing, until another key does something.
func (k *keys) refuse(key, text, hint string) tea.Cmd {
	k.refused, k.why = key, component.Toast{Severity: style.SeverityInfo, Text: text, Hint: hint}
	return k.messages.show(k.why)
}

// cancel handles ctrl+c: it closes a prompt, as in a shell, else it quits.
func (k *keys) cancel() tea.Cmd {
	switch {
	case !k.closes():
		return k.interrupt("^c")
	case k.prompt.open:
		k.prompt.open = false
		return nil
	}
	return k.stack.passKey(k.stack.top(), tea.KeyMsg{Type: tea.KeyEsc})
}

// closes reports whether ctrl+c closes a prompt: if nothing is lost by that.
func (k *keys) closes() bool {
	e := k.stack.top()
	return k.prompt.open || typing(e) && pending(e) == ""
}

// quitting is what is asked about where a key would close the dashboard.
const quitting = "quitting"

// interrupt quits; if that would lose work, only the second time. Key is the key that
// quits.
func (k *keys) interrupt(key string) tea.Cmd {
	what := cmp.Or(unwritten(k.stack.all()), k.live.unsaved()) // is lost with the dashboard
	if what == "" || k.messages.asked(quitting) {
		return tea.Quit
	}
	return k.messages.ask(quitting, what, key+" again quits")
}

// back closes one thing: what is open on the screen, or the screen.
func (k *keys) back() tea.Cmd {
	e := k.stack.top()
	if b, ok := as[screen.Backer](e); ok {
		var took bool
		cmd := e.call(func() (cmd tea.Cmd) {
			took, cmd = b.Back()
			return cmd
		})
		if took || e.broken {
			return cmd
		}
	}
	k.messages.Dismiss() // esc does the same, whatever toast is shown
	if k.stack.atRoot() && k.presenter.stop() {
		return nil
	}
	return k.stack.close(e)
}

// leave closes the screen; at the root it quits.
func (k *keys) leave() tea.Cmd {
	if k.stack.atRoot() {
		return k.interrupt("q")
	}
	return k.stack.close(k.stack.top())
}

// help opens the page with all keys over the top screen.
func (k *keys) help() tea.Cmd {
	e := k.stack.under()
	if e == nil || k.stack.overlay != nil {
		return nil
	}
	here, everywhere := k.actions.able(e)
	about := help.About{Title: e.title(), What: k.stack.screens.declared(e.place).What, Tasks: k.stack.atRoot(), Views: k.stack.screens.views(), Closed: k.live.Cloud == nil}
	if f, ok := as[screen.FilterHelper](e); ok {
		_ = try(func() { about.Filter, about.Fields = f.FilterHelp() })
	}
	return k.stack.cover(place.Help{}, help.New(k.messages.styles, about, here, everywhere))
}
