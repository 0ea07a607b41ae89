package tui

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/menu"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// maxHistory is how many earlier stacks of screens are kept.
const maxHistory = 20

// entry is an open screen, with what the root model keeps about it.
type entry struct {
	id     uint64
	screen screen.Screen
	place  place.Place // nil for one that another screen made
	open   bool
	broken bool // the screen panicked; this is the page about that
	cancel context.CancelFunc

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

// entries returns all open screens, including those in the history, but without help.
func (a *App) entries() []*entry {
	return slices.Concat(append(slices.Concat(a.past, a.future), a.stack)...)
}

// top returns the screen that gets keys; nil before there is one.
func (a *App) top() *entry {
	if a.overlay != nil {
		return a.overlay
	}
	return a.under()
}

// under returns the top of the stack, even if help covers it.
func (a *App) under() *entry {
	if len(a.stack) == 0 {
		return nil
	}
	return a.stack[len(a.stack)-1]
}

// newEntry makes a screen and sends it its first messages.
func (a *App) newEntry(at place.Place, build func(screen.Env) (screen.Screen, error)) (*entry, tea.Cmd) {
	a.nextID++
	env := a.live.env()
	ctx, cancel := context.WithCancel(env.Context)
	env.Context = ctx
	env.Returning = a.returning
	env.Views = a.views
	env.Reaches = func(p place.Place) bool { return a.opener(p) != nil }
	e := &entry{id: a.nextID, place: at, open: true, cancel: cancel, dirty: true}
	var err error
	crash := try(func() { e.screen, err = build(env) })
	switch {
	case crash != nil:
		e.screen = a.panicPage(place.Kind(at), crash)
		e.broken = true
		return e, a.save(e, crash)
	case err != nil:
		cancel()
		return nil, a.messages.refuse(err.Error(), "")
	}
	init := a.call(e, e.screen.Init)
	return e, tea.Batch(init, a.feed(e))
}

// call runs a method of a screen that returns a command. On a panic, the page about that
// replaces the screen.
func (a *App) call(e *entry, f func() tea.Cmd) tea.Cmd {
	var cmd tea.Cmd
	if crash := try(func() { cmd = f() }); crash != nil {
		return a.crashed(e, crash)
	}
	e.dirty = true
	return wrapCmd(e, cmd)
}

// requested does what a screen requests: f returns it, nil for nothing.
func (a *App) requested(e *entry, f func() tea.Msg) tea.Cmd {
	var msg tea.Msg
	if crash := try(func() { msg = f() }); crash != nil {
		return a.crashed(e, crash)
	}
	e.dirty = true
	return a.request(e, msg)
}

// pressed passes a key to a screen that handles it itself, and does what that requests.
func (a *App) pressed(e *entry, msg tea.KeyMsg) tea.Cmd {
	cmd := a.update(e, msg)
	if asker, ok := e.screen.(screen.Asker); ok && e.open {
		return tea.Batch(cmd, a.requested(e, asker.Ask))
	}
	return cmd
}

// update passes a message to a screen.
func (a *App) update(e *entry, msg tea.Msg) tea.Cmd {
	if e == nil || !e.open {
		return nil
	}
	return a.call(e, func() tea.Cmd { return e.screen.Update(msg) })
}

// feed passes a screen the newest snapshot, unless it has it.
func (a *App) feed(e *entry) tea.Cmd {
	if e == nil || a.live.snapshot == nil || e.snapshot == a.live.snapshot {
		return nil
	}
	e.snapshot = a.live.snapshot
	return a.update(e, screen.SnapshotMsg{Snapshot: e.snapshot})
}

// follow passes the top screen the newest snapshot, or again the one it has once time has passed.
func (a *App) follow() tea.Cmd {
	e := a.under()
	if a.live.aged && e != nil {
		e.snapshot = nil
	}
	a.live.aged = false
	return a.feed(e)
}

// redrawMenu passes a message to a menu, so that it lists its items again.
func (a *App) redrawMenu(msg tea.Msg) tea.Cmd {
	if e := a.under(); e != nil {
		if _, is := e.screen.(*menu.Screen); is {
			return a.update(e, msg)
		}
	}
	return nil
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
	if e != nil {
		if s, ok := e.screen.(S); ok {
			_ = try(func() { v = ask(s) })
		}
	}
	return v
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

// declared returns how the screen of a place is declared, the zero value if there is none.
func (a *App) declared(to place.Place) (d screen.Declaration) {
	if i := slices.IndexFunc(a.cfg.Screens, func(d screen.Declaration) bool { return to != nil && place.Kind(d.Of) == place.Kind(to) }); i >= 0 {
		d = a.cfg.Screens[i]
	}
	return d
}

// opener returns the function that makes the screen of a place; nil if there is none.
func (a *App) opener(to place.Place) screen.Opener { return a.declared(to).Open }

// goTo opens the screen that from asks for.
func (a *App) goTo(from *entry, to screen.Goto) tea.Cmd {
	open := a.opener(to.To)
	if open == nil {
		return a.messages.refuse(fmt.Sprintf("there is no screen %q here", place.Kind(to.To)), "")
	}
	build := func(env screen.Env) (screen.Screen, error) { return open(env, to.To) }
	if !to.Replace {
		return a.push(to.To, build)
	}
	e, cmd := a.newEntry(to.To, build)
	if e == nil {
		return cmd
	}
	for i, old := range a.stack {
		if old == from {
			a.stack = slices.Clone(a.stack)
			a.stack[i] = e
			a.drop([]*entry{old})
			return cmd
		}
	}
	a.stack = append(a.stack, e)
	return cmd
}

// push opens a screen over the top one.
func (a *App) push(at place.Place, build func(screen.Env) (screen.Screen, error)) tea.Cmd {
	e, cmd := a.newEntry(at, build)
	if e == nil {
		return cmd
	}
	a.closeOverlay()
	a.stack = append(slices.Clip(a.stack), e)
	return cmd
}

// pop closes a screen, and those above it.
func (a *App) pop(e *entry) tea.Cmd {
	if e != nil && e == a.overlay {
		a.closeOverlay()
		return nil
	}
	for i := len(a.stack) - 1; i > 0; i-- {
		if a.stack[i] != e {
			continue
		}
		if i < len(a.stack)-1 { // what was opened over it stays
			a.without(e)
			return nil
		}
		a.stack = a.stack[:i:i]
		a.drop([]*entry{e})
		return a.resume()
	}
	return nil
}

// resume tells the top screen that it is visible again.
func (a *App) resume() tea.Cmd {
	e := a.under()
	return tea.Batch(a.feed(e), a.update(e, screen.ResumeMsg{}))
}

func (a *App) closeOverlay() {
	if a.overlay != nil {
		a.overlay.close()
		a.overlay = nil
	}
}

// home starts a stack with the requested main screen: over pulses, unless it is that
// itself. The old stack goes to the history. Both share the pulses screen, which keeps
// its state.
func (a *App) home(to place.Place) tea.Cmd {
	var cmds []tea.Cmd
	add := func(stack []*entry, at place.Place) []*entry {
		open := a.opener(at)
		if open == nil {
			return stack
		}
		e, cmd := a.newEntry(at, func(env screen.Env) (screen.Screen, error) { return open(env, at) })
		cmds = append(cmds, cmd)
		if e == nil {
			return stack
		}
		return append(stack, e)
	}
	var root place.Place = place.Pulses{}
	var stack []*entry
	if len(a.stack) > 0 && a.stack[0].place == root && !a.stack[0].broken {
		stack = append(stack, a.stack[0])
	} else {
		stack = add(stack, root)
	}
	if to != root {
		stack = add(stack, to)
	}
	if len(stack) == 0 {
		stack = append(stack, a.blankEntry())
	}
	a.closeOverlay()
	if len(a.stack) > 0 {
		a.past = append(a.past, a.stack)
	}
	a.stack = stack
	gone := a.future
	a.future = nil
	if len(a.past) > maxHistory {
		gone = append(gone, a.past[0])
		a.past = a.past[1:]
	}
	for _, old := range gone {
		a.drop(old)
	}
	return tea.Batch(append(cmds, a.feed(a.under()))...)
}

// drop closes the screens of a stack that has dropped out of the history, other than
// those that another stack shares.
func (a *App) drop(stack []*entry) {
	kept := a.entries()
	for _, e := range stack {
		if !slices.Contains(kept, e) {
			e.close()
		}
	}
}

// blankEntry is shown if no screen can be made.
func (a *App) blankEntry() *entry {
	page := screen.NewPage(a.env.Styles, "placetop", style.SeverityInfo, screen.LabelEmpty,
		[]string{"there is no screen to show"})
	a.nextID++
	return &entry{id: a.nextID, screen: page, open: true, cancel: func() {}, dirty: true}
}

// travel goes back in the history, or forward.
func (a *App) travel(forward bool) tea.Cmd {
	from, to := &a.past, &a.future
	if forward {
		from, to = to, from
	}
	if len(*from) == 0 {
		return nil
	}
	a.closeOverlay()
	*to = append(*to, a.stack)
	a.stack = (*from)[len(*from)-1]
	*from = (*from)[:len(*from)-1]
	return a.resume()
}

// last switches between this stack and the previous one.
func (a *App) last() tea.Cmd {
	if len(a.past) == 0 {
		return a.travel(true)
	}
	a.closeOverlay()
	n := len(a.past) - 1
	a.past[n], a.stack = a.stack, a.past[n]
	return a.resume()
}

// crumbs returns the titles of the stack, root first.
func (a *App) crumbs() []string {
	titles := make([]string, len(a.stack))
	for i, e := range a.stack {
		if crash := try(func() { titles[i] = e.screen.Title() }); crash != nil {
			titles[i] = strings.ToLower(screen.LabelPanic)
		}
	}
	return titles
}
