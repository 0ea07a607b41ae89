package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
)

// stack holds the open screens, and does what they ask for.
type stack struct {
	entries  []*entry // the last is on top
	overlay  *entry   // help, over the top screen
	history  history
	screens  *screens
	messages *messages
	replay   func(cloud.Revision) tea.Cmd // shows the cloud as it was at a revision
	command  func(name string) tea.Cmd    // begins a command of the prompt
}

// top returns the screen that gets keys; nil before there is one.
func (s *stack) top() *entry {
	if s.overlay != nil {
		return s.overlay
	}
	return s.under()
}

// under returns the top of the stack, even if help covers it.
func (s *stack) under() *entry {
	if len(s.entries) == 0 {
		return nil
	}
	return s.entries[len(s.entries)-1]
}

// all returns all open screens, including those in the history, but without help.
func (s *stack) all() []*entry { return append(s.history.all(), s.entries...) }

// atRoot reports whether closing the top screen would quit.
func (s *stack) atRoot() bool { return s.overlay == nil && len(s.entries) <= 1 }

// fromCommand handles the message of a screen's command, unless the screen was left meanwhile. It
// may also come too late to open another screen: after the user has gone on elsewhere, keys
// meant for what they see now would reach that one. A screen that is below others may still be
// replaced.
func (s *stack) fromCommand(msg entryMsg) tea.Cmd {
	late := false
	switch m := msg.msg.(type) {
	case screen.PushMsg:
		late = msg.entry != s.top()
	case screen.Goto:
		late = msg.entry != s.top() && !(m.Replace && slices.Contains(s.entries, msg.entry))
	}
	if late || !msg.entry.open {
		return nil
	}
	return s.request(msg.entry, msg.msg)
}

// request does what a screen asks for, or passes it the answer to its command.
func (s *stack) request(from *entry, msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case nil:
		return nil
	case screen.Goto:
		return s.goTo(from, msg)
	case screen.PushMsg:
		return s.push(nil, msg.Screen)
	case screen.PopMsg:
		return s.close(from)
	case screen.MadeMsg, tea.WindowSizeMsg: // with more room, some screens read more
		var cmds []tea.Cmd
		for _, e := range s.entries {
			cmds = append(cmds, e.update(msg))
		}
		return tea.Batch(cmds...)
	case screen.DoneMsg:
		cmd := s.pop(from)
		if msg.Request != nil {
			return tea.Batch(cmd, s.doRequest(s.top(), msg.Request))
		}
		return tea.Batch(cmd, s.top().call(msg.Then))
	case screen.ReplayMsg:
		return s.replay(msg.Revision)
	case screen.ToastMsg:
		return s.messages.show(component.Toast(msg))
	case screen.UnsayMsg:
		s.messages.Withdraw(component.Toast(msg))
		return nil
	case screen.CopyMsg:
		return s.messages.copy(msg)
	case homeMsg:
		broken := s.entries
		s.entries = nil
		s.drop(broken)
		return s.home(place.Pulses{})
	default:
		return from.update(msg)
	}
}

// run does what an action of the top screen or of the dashboard does.
func (s *stack) run(act action.Action) tea.Cmd {
	e := s.top()
	switch {
	case act.Run != nil && (isGlobal(act.ID) || e == nil):
		return act.Run()
	case act.Run != nil:
		return e.call(act.Run)
	}
	return s.doRequest(e, func() tea.Msg { return screen.Asks(act) })
}

// doRequest does what f, a function of a screen, asks for; f may return nil.
func (s *stack) doRequest(e *entry, f func() tea.Msg) tea.Cmd {
	var msg tea.Msg
	if crash := try(func() { msg = f() }); crash != nil {
		return e.crashes.crashed(e, crash)
	}
	e.dirty = true
	return s.request(e, msg)
}

// passKey passes a key to a screen that handles it itself, and does what that requests.
func (s *stack) passKey(e *entry, msg tea.KeyMsg) tea.Cmd {
	cmd := e.update(msg)
	if asker, ok := e.screen.(screen.Asker); ok && e.open {
		return tea.Batch(cmd, s.doRequest(e, asker.Ask))
	}
	return cmd
}

// goTo opens the screen that from asks for.
func (s *stack) goTo(from *entry, to screen.Goto) tea.Cmd {
	if c, is := to.To.(place.Command); is {
		return tea.Batch(s.pop(from), s.command(c.Name))
	}
	if !s.screens.has(to.To) {
		return s.messages.refuse(fmt.Sprintf("there is no screen %q here", place.Kind(to.To)), "")
	}
	e, cmd := s.screens.open(to.To)
	if i := slices.Index(s.entries, from); i >= 0 && e != nil && to.Replace {
		s.entries = slices.Clone(s.entries)
		s.entries[i] = e
		s.drop([]*entry{from})
		return cmd
	}
	s.add(e)
	return cmd
}

// push puts a screen on the stack that is made already.
func (s *stack) push(at place.Place, made screen.Screen) tea.Cmd {
	e, cmd := s.screens.openMade(at, made)
	s.add(e)
	return cmd
}

// add puts a screen over the top one, unless it is nil.
func (s *stack) add(e *entry) {
	if e != nil {
		s.closeOverlay()
		s.entries = append(slices.Clip(s.entries), e)
	}
}

// openMenu puts a menu page on the stack, and replaces another one.
func (s *stack) openMenu(spec list.MenuSpec) tea.Cmd {
	var left tea.Cmd
	if e := s.under(); isMenu(e) {
		left = s.pop(e)
	}
	return tea.Batch(left, s.push(nil, list.NewMenu(s.messages.styles, spec)))
}

func isMenu(e *entry) bool {
	_, is := as[*list.Menu](e)
	return is
}

// cover puts a page over the top screen.
func (s *stack) cover(at place.Place, made screen.Screen) (cmd tea.Cmd) {
	s.overlay, cmd = s.screens.openMade(at, made)
	return cmd
}

func (s *stack) closeOverlay() {
	if s.overlay != nil {
		s.overlay.close()
		s.overlay = nil
	}
}

// close closes a screen; only on the second key if that would lose what was typed.
func (s *stack) close(e *entry) tea.Cmd {
	if what := pending(e); what != "" && !s.messages.asked(e) {
		return s.messages.ask(e, what, "esc again discards it")
	}
	s.messages.dropQuestion()
	return s.pop(e)
}

// pop closes a screen, but not the root. What was opened over it stays.
func (s *stack) pop(e *entry) tea.Cmd {
	if e != nil && e == s.overlay {
		s.closeOverlay()
		return nil
	}
	if slices.Index(s.entries, e) <= 0 {
		return nil
	}
	top := e == s.under()
	s.remove(e)
	if top {
		return s.resume()
	}
	return nil
}

// remove closes a page wherever it is in the history, but not those above it.
func (s *stack) remove(e *entry) {
	s.entries = without(s.entries, e)
	s.history.remove(e)
	e.close()
}

// resume tells the top screen that it is visible again.
func (s *stack) resume() tea.Cmd {
	e := s.under()
	return tea.Batch(s.screens.feed(e), e.update(screen.ResumeMsg{}))
}

// home starts a stack with the requested main screen: over pulses, unless it is that
// itself. The old stack goes to the history. Both share the pulses screen, which keeps
// its state.
func (s *stack) home(to place.Place) tea.Cmd {
	var root place.Place = place.Pulses{}
	var cmds []tea.Cmd
	open := func(at place.Place) {
		if s.screens.has(at) {
			e, cmd := s.screens.open(at)
			s.add(e)
			cmds = append(cmds, cmd)
		}
	}
	old := s.entries
	if len(old) > 0 && old[0].place == root && !old[0].broken {
		s.entries = old[:1]
	} else {
		s.entries = nil
		open(root)
	}
	if to != root {
		open(to)
	}
	if len(s.entries) == 0 {
		s.add(s.screens.blank())
	}
	s.closeOverlay()
	for _, gone := range s.history.add(old) {
		s.drop(gone)
	}
	return tea.Batch(append(cmds, s.screens.feed(s.under()))...)
}

// visit shows a main screen, unless it is shown already. A screen that was opened with a
// filter may show something else by now.
func (s *stack) visit(to place.Place) tea.Cmd {
	if c, is := to.(place.Command); is {
		s.closeOverlay()
		return s.command(c.Name)
	}
	if e := s.under(); e != nil && e.place == to && place.Text(to) == "" {
		s.closeOverlay()
		return nil
	}
	return s.home(to)
}

// comeBack shows a main screen in the state in which it was left.
func (s *stack) comeBack(to place.Place) tea.Cmd {
	s.screens.returning = true
	defer func() { s.screens.returning = false }()
	return s.visit(to)
}

// travel shows another stack of the history, unless it is nil.
func (s *stack) travel(to func(shown []*entry) []*entry) tea.Cmd {
	next := to(s.entries)
	if next == nil {
		return nil
	}
	s.closeOverlay()
	s.entries = next
	return s.resume()
}

// drop closes screens that have dropped out of the history, other than those that another
// stack shares.
func (s *stack) drop(gone []*entry) {
	kept := s.all()
	for _, e := range gone {
		if !slices.Contains(kept, e) {
			e.close()
		}
	}
}

// clear closes all screens.
func (s *stack) clear() {
	all := s.all()
	s.entries, s.history = nil, history{}
	s.drop(all)
	s.closeOverlay()
}
