package tui

import (
	"context"
	"reflect"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
)

// entry is an open screen, with what the root model keeps about it.
type entry struct {
	id      uint64
	screen  screen.Screen
	place   place.Place // nil for one that another screen made
	open    bool
	broken  bool // the screen panicked; this is the page about that
	crashes *crashes
	cancel  context.CancelFunc

	snapshot *cloud.Snapshot // the newest that the screen has got

	dirty         bool // the body must be redrawn
	body          string
	width, height int    // of the body
	version       uint64 // of the styles of the last body
}

// close stops everything that runs for the screen.
func (e *entry) close() {
	if l, ok := e.screen.(screen.Leaver); ok && e.open {
		_ = try(l.Leave)
	}
	e.open = false
	e.cancel()
}

// title returns the title of a screen, "" if there is none.
func (e *entry) title() (title string) {
	if e != nil && try(func() { title = e.screen.Title() }) != nil {
		title = strings.ToLower(screen.LabelPanic)
	}
	return title
}

// call runs a method of a screen that returns a command. On a panic, the page about that
// replaces the screen.
func (e *entry) call(f func() tea.Cmd) tea.Cmd {
	var cmd tea.Cmd
	if crash := try(func() { cmd = f() }); crash != nil {
		return e.crashes.crashed(e, crash)
	}
	e.dirty = true
	return wrapCmd(e, cmd)
}

// update passes a message to a screen.
func (e *entry) update(msg tea.Msg) tea.Cmd {
	if e == nil || !e.open {
		return nil
	}
	return e.call(func() tea.Cmd { return e.screen.Update(msg) })
}

// draw draws the screen into the body; it only does so if the screen got a message, or the
// size or the style changed.
func (e *entry) draw(w, h int, version uint64) (cmd tea.Cmd) {
	if !e.dirty && e.version == version && e.width == w && e.height == h {
		return nil
	}
	body, crash := e.view(w, h)
	if s, ok := e.screen.(screen.AfterViewer); ok && crash == nil {
		crash = try(func() { cmd = wrapCmd(e, s.AfterView()) })
	}
	if crash != nil {
		cmd = e.crashes.crashed(e, crash)
		body, _ = e.view(w, h)
	}
	e.body, e.width, e.height, e.version, e.dirty = body, w, h, version, false
	return cmd
}

// view returns the view of the screen in its right size: a body of another size would push
// header or footer off the terminal.
func (e *entry) view(w, h int) (body string, crash *session.PanicError) {
	crash = try(func() { body = e.screen.View(w, h) })
	if !e.fits(body, w, h) {
		body = component.Fit(body, w, h)
	}
	return body, crash
}

// fits reports whether body is h lines of w cells. It does not measure lines that are those of
// the last body.
func (e *entry) fits(body string, w, h int) bool {
	old, more := e.body, true
	if e.width != w {
		old = ""
	}
	for range h {
		var line, was string
		if !more {
			return false
		}
		line, body, more = strings.Cut(body, "\n")
		was, old, _ = strings.Cut(old, "\n")
		if line != was && ansi.StringWidth(line) != w {
			return false
		}
	}
	return !more
}

// typing reports whether a screen's input has the focus.
func typing(e *entry) bool { return answer(e, screen.Typist.Typing) }

// status returns the status of a screen.
func status(e *entry) string { return answer(e, screen.Stater.Status) }

// unwritten returns what would be lost if screens were closed, "" if nothing.
func unwritten(all []*entry) string {
	for _, e := range all {
		if what := pending(e); what != "" {
			return what
		}
	}
	return ""
}

// pending returns what would be lost if a screen were closed, "" if nothing.
func pending(e *entry) string { return answer(e, screen.Pending.Pending) }

// entryMsg is the message of a screen's command.
type entryMsg struct {
	entry *entry
	msg   tea.Msg
}

// crashMsg reports a panic in a command of a screen.
type crashMsg struct {
	entry *entry
	crash *session.PanicError
}

// try runs f and returns its panic.
func try(f func()) (crash *session.PanicError) {
	defer func() {
		if c := session.Recovered(recover()); c != nil {
			crash = c
		}
	}()
	f()
	return nil
}

// answer returns what a screen answers, the zero value if there is none, it cannot be asked that,
// or it panics.
func answer[S, V any](e *entry, ask func(S) V) (v V) {
	if s, ok := as[S](e); ok {
		_ = try(func() { v = ask(s) })
	}
	return v
}

// as returns a screen as one of the optional interfaces, false if there is none, or it is not.
func as[S any](e *entry) (s S, ok bool) {
	if e != nil {
		s, ok = e.screen.(S)
	}
	return s, ok
}

// wrapCmd returns a command whose message is marked with the screen, and whose panic is
// the screen's.
func wrapCmd(e *entry, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		crash := try(func() { msg = wrapMsg(e, cmd()) })
		if crash != nil {
			return crashMsg{entry: e, crash: crash}
		}
		return msg
	}
}

// wrapMsg marks msg with its screen, unless it is marked already, or is for Bubble Tea or
// the session.
func wrapMsg(e *entry, msg tea.Msg) tea.Msg {
	if msg == nil {
		return nil
	}
	switch msg.(type) {
	case entryMsg, crashMsg: // what a menu chose belongs to the screen that it opened
		return msg
	case OpenMsg, otherMsg, linkedMsg, tea.KeyMsg, tea.MouseMsg, toastTickMsg, themeTickMsg, wroteMsg:
		return msg
	}
	mapped := session.MapCmds(msg, func(cmd tea.Cmd) tea.Cmd { return wrapCmd(e, cmd) })
	path := reflect.TypeOf(msg).PkgPath()
	if path == reflect.TypeFor[tea.QuitMsg]().PkgPath() || path == reflect.TypeFor[session.BackgroundMsg]().PkgPath() {
		return mapped
	}
	return entryMsg{entry: e, msg: mapped}
}
