package tui

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/session"
	"github.com/placetop/placetop/tui/style"
)

// maxHistory is how many stacks of screens can be gone back to.
const maxHistory = 20

// entry is a screen that is open, with what the root model keeps about it.
type entry struct {
	id     uint64
	screen screen.Screen
	place  place.Place // nil for one that another screen made itself
	open   bool
	broken bool // the screen panicked; what stands here is the page about it
	cancel context.CancelFunc

	snapshot *cloud.Snapshot // the newest that the screen was given

	dirty         bool // the body must be drawn again
	body          string
	width, height int    // of the body
	version       uint64 // of the styles that it was drawn in
}

// close ends what runs for the screen.
func (e *entry) close() {
	if l, ok := e.screen.(screen.Leaver); ok && e.open {
		_ = try(l.Leave)
	}
	e.open = false
	e.cancel()
}

// entryMsg is what a command of a screen gave.
type entryMsg struct {
	entry *entry
	msg   tea.Msg
}

// crashMsg reports a panic in a command of a screen.
type crashMsg struct {
	entry *entry
	crash *session.PanicError
}

// top returns the screen that gets keys, nil before there is one.
func (a *App) top() *entry {
	if a.overlay != nil {
		return a.overlay
	}
	return a.under()
}

// under returns the screen on top of the stack, whatever lies over it.
func (a *App) under() *entry {
	if len(a.stack) == 0 {
		return nil
	}
	return a.stack[len(a.stack)-1]
}

// newEntry makes a screen and gives it its first messages.
func (a *App) newEntry(at place.Place, build func(screen.Env) (screen.Screen, error)) (*entry, tea.Cmd) {
	a.nextID++
	env := a.sighted()
	ctx, cancel := context.WithCancel(env.Context)
	env.Context = ctx
	env.Returning = a.returning
	env.Views = a.views
	if env.Clouds = screen.Alone(a.cfg.Name); a.cfg.Clouds != nil {
		env.Clouds = looks{a.cfg.Clouds, a.cfg.Name}
	}
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
		return nil, a.toast(component.Toast{Severity: style.SeverityWarn, Text: err.Error()})
	}
	init := a.call(e, e.screen.Init)
	return e, tea.Batch(init, a.feed(e))
}

// call runs a part of a screen that returns a command. A panic there puts the
// page about it in the screen's place.
func (a *App) call(e *entry, f func() tea.Cmd) tea.Cmd {
	var cmd tea.Cmd
	if crash := try(func() { cmd = f() }); crash != nil {
		return a.crashed(e, crash)
	}
	e.dirty = true
	cmd = wrapCmd(e, cmd)
	if a.hasty {
		return a.eager(cmd)
	}
	return cmd
}

// update gives a message to a screen.
func (a *App) update(e *entry, msg tea.Msg) tea.Cmd {
	if e == nil || !e.open {
		return nil
	}
	return a.call(e, func() tea.Cmd { return e.screen.Update(msg) })
}

// feed gives a screen the newest snapshot it has not seen.
func (a *App) feed(e *entry) tea.Cmd {
	if e == nil || a.live.snapshot == nil || e.snapshot == a.live.snapshot {
		return nil
	}
	e.snapshot = a.live.snapshot
	return a.update(e, screen.SnapshotMsg{Snapshot: e.snapshot})
}

// try runs f and returns a panic.
func try(f func()) (crash *session.PanicError) {
	defer func() {
		if c := session.Recovered(recover()); c != nil {
			crash = c
		}
	}()
	f()
	return nil
}

// wrapCmd returns a command whose message comes back with the screen that asked
// for it, and whose panic is the screen's.
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

// wrapMsg marks msg with its screen, except for what is marked already, and what Bubble
// Tea and the session take for themselves.
func wrapMsg(e *entry, msg tea.Msg) tea.Msg {
	if msg == nil {
		return nil
	}
	switch msg.(type) {
	case entryMsg, crashMsg: // what a menu chose is of the screen that it opened
		return msg
	case OpenMsg, otherMsg, linkedMsg, tea.KeyMsg, tea.MouseMsg, toastTickMsg, themeTickMsg, wroteMsg, autoMsg, beatMsg, beatenMsg:
		return msg
	}
	mapped := session.MapCmds(msg, func(cmd tea.Cmd) tea.Cmd { return wrapCmd(e, cmd) })
	path := reflect.TypeOf(msg).PkgPath()
	if path == reflect.TypeFor[tea.QuitMsg]().PkgPath() || path == reflect.TypeFor[session.StatsMsg]().PkgPath() {
		return mapped
	}
	return entryMsg{entry: e, msg: mapped}
}

// opener returns what makes the screen of a place, nil where nothing does.
func (a *App) opener(to place.Place) screen.Opener {
	for _, d := range a.cfg.Screens {
		if place.Kind(d.Of) == place.Kind(to) {
			return d.Open
		}
	}
	return nil
}

// goTo opens the screen that from asks for.
func (a *App) goTo(from *entry, to screen.Goto) tea.Cmd {
	if to.Cloud != "" && to.Cloud != a.cfg.Name && a.cfg.Clouds != nil {
		here, _ := a.here()
		return a.switchCloud(to.Cloud, here, to.To)
	}
	open := a.opener(to.To)
	if open == nil {
		return a.toast(component.Toast{Severity: style.SeverityWarn, Text: fmt.Sprintf("there is no screen %q here", place.Kind(to.To))})
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
		gone := a.stack[i:]
		a.stack = a.stack[:i:i]
		a.drop(gone)
		return a.resume()
	}
	return nil
}

// resume tells the top screen that it is seen again.
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

// home leaves the stack for one with the main screen asked for: over pulses,
// where that is another one. The old stack goes to the history. Both share the
// pulses, which so stay as they were.
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

// drop closes the screens of a stack that can no longer be gone back to, other
// than those that another stack has too.
func (a *App) drop(stack []*entry) {
	kept := slices.Concat(append(slices.Concat(a.past, a.future), a.stack)...)
	for _, e := range stack {
		if !slices.Contains(kept, e) {
			e.close()
		}
	}
}

// blankEntry is what is shown where no screen can be made.
func (a *App) blankEntry() *entry {
	page := screen.NewPage(a.env.Styles, "placetop", style.SeverityInfo, screen.LabelEmpty,
		[]string{"there is no screen to show"})
	a.nextID++
	return &entry{id: a.nextID, screen: page, open: true, cancel: func() {}, dirty: true}
}

// travel goes back in the history, or on where forward is set.
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

// last changes between this stack and the one before.
func (a *App) last() tea.Cmd {
	if len(a.past) == 0 {
		return a.travel(true)
	}
	a.closeOverlay()
	n := len(a.past) - 1
	a.past[n], a.stack = a.stack, a.past[n]
	return a.resume()
}

// crumbs returns the titles of the stack, the root first.
func (a *App) crumbs() []string {
	titles := make([]string, len(a.stack))
	for i, e := range a.stack {
		if crash := try(func() { titles[i] = e.screen.Title() }); crash != nil {
			titles[i] = strings.ToLower(screen.LabelPanic)
		}
	}
	return titles
}
