package form

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// Step is a screen that is a step of a Wizard: fields, a list to choose from, or the page
// that shows a change before it is written.
type Step interface {
	screen.Screen
	screen.Typist
	screen.Stater
	screen.Backer
}

// Writer is a Step that writes, after which there may be no way back.
type Writer interface {
	// Stays reports whether the user can no longer go back to the step before.
	Stays() bool
	// Over reports whether there is nothing left to lose.
	Over() bool
}

// NextMsg shows a step after the one that sends it, or with Replace in place of it.
type NextMsg struct {
	Step    Step
	Replace bool
}

// Wizard is steps, one after the other, of which the last is shown: esc goes back to the
// one before it, until something was written.
type Wizard struct {
	// Snap is the newest Snapshot. Steps that are not shown get it when they are again.
	Snap  *cloud.Snapshot
	title string // "" for that of the step
	steps []Step
}

var (
	_ screen.Screen  = (*Wizard)(nil)
	_ screen.Typist  = (*Wizard)(nil)
	_ screen.Stater  = (*Wizard)(nil)
	_ screen.Backer  = (*Wizard)(nil)
	_ screen.Pending = (*Wizard)(nil)
	_ screen.Copier  = (*Wizard)(nil)
	_ screen.Asker   = (*Wizard)(nil)
	_ screen.Picker  = (*Wizard)(nil)
	_ Writer         = (*confirm.Page)(nil)
)

// Begin returns a wizard with its first step; without one, Show must be called before
// anything else. Without a title it has that of the shown step.
func Begin(snap *cloud.Snapshot, title string, first ...Step) *Wizard {
	return &Wizard{Snap: snap, title: title, steps: first}
}

// Show shows a step that there is no way back from.
func (w *Wizard) Show(step Step) { w.steps = []Step{step} }

// Restart is Show for a step to be started.
func (w *Wizard) Restart(step Step) tea.Cmd {
	w.Show(step)
	return step.Init()
}

// Shown returns the step that is shown.
func (w *Wizard) Shown() Step { return w.steps[len(w.steps)-1] }

// Init implements screen.Screen.
func (w *Wizard) Init() tea.Cmd { return w.Shown().Init() }

// Title implements screen.Screen.
func (w *Wizard) Title() string {
	if w.title == "" {
		return w.Shown().Title()
	}
	return w.title
}

// Status implements screen.Stater.
func (w *Wizard) Status() string { return w.Shown().Status() }

// Typing implements screen.Typist.
func (w *Wizard) Typing() bool { return w.Shown().Typing() }

// Picks implements screen.Picker.
func (w *Wizard) Picks(key tea.KeyMsg) bool {
	p, ok := w.Shown().(screen.Picker)
	return ok && p.Picks(key)
}

// View implements screen.Screen.
func (w *Wizard) View(width, h int) string { return w.Shown().View(width, h) }

// Actions implements screen.Screen.
func (w *Wizard) Actions() []action.Action { return w.Shown().Actions() }

// Copies implements screen.Copier: of a step that has nothing to copy, its title.
func (w *Wizard) Copies() []screen.CopyMsg {
	if c, ok := w.Shown().(screen.Copier); ok {
		return c.Copies()
	}
	return []screen.CopyMsg{{What: "title", Text: w.Title()}}
}

// Ask implements screen.Asker.
func (w *Wizard) Ask() tea.Msg {
	if a, ok := w.Shown().(screen.Asker); ok {
		return a.Ask()
	}
	return nil
}

// Pending implements screen.Pending: what is lost of any step.
func (w *Wizard) Pending() string {
	for _, s := range slices.Backward(w.steps) {
		if writer, ok := s.(Writer); ok && writer.Over() {
			return ""
		}
		if p, ok := s.(screen.Pending); ok && p.Pending() != "" {
			return p.Pending()
		}
	}
	return ""
}

// Back implements screen.Backer. The step that the user comes back to may be old.
func (w *Wizard) Back() (bool, tea.Cmd) {
	last := len(w.steps) - 1
	if took, cmd := w.Shown().Back(); took {
		return true, cmd
	}
	if writer, ok := w.Shown().(Writer); last == 0 || ok && writer.Stays() {
		return false, nil
	}
	w.steps = w.steps[:last]
	return true, tea.Batch(w.Shown().Update(screen.SnapshotMsg{Snapshot: w.Snap}), w.Shown().Update(screen.ResumeMsg{}))
}

// Update implements screen.Screen. Any step may wait for an answer; what is about the
// screen is about the step that is shown.
func (w *Wizard) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case NextMsg:
		if msg.Replace && len(w.steps) > 1 { // esc may have taken its sender away
			w.steps = w.steps[:len(w.steps)-1]
		}
		w.steps = append(w.steps, msg.Step)
		return msg.Step.Init()
	case screen.SnapshotMsg:
		w.Snap = msg.Snapshot
		return w.Shown().Update(msg)
	case tea.KeyMsg, tea.WindowSizeMsg, screen.ResumeMsg, screen.MadeMsg:
		return w.Shown().Update(msg)
	}
	var cmds []tea.Cmd
	for _, s := range w.steps {
		cmds = append(cmds, s.Update(msg))
	}
	return tea.Batch(cmds...)
}

// listStep is a list to choose from.
type listStep struct {
	*list.Screen
	st    *style.Styles
	names func() []string
	at    int
	above func(w int) string
}

// List returns a list as the step with a number, from 0, of those with some names. Above
// draws a line between these and the list; nil for none.
func List(st *style.Styles, names func() []string, at int, above func(w int) string, l *list.Screen) Step {
	return listStep{l, st, names, at, above}
}

// Status implements screen.Stater.
func (s listStep) Status() string {
	return fmt.Sprintf("step %d of %d   %s", s.at+1, len(s.names()), s.Screen.Status())
}

// View implements screen.Screen.
func (s listStep) View(w, h int) string {
	head := ""
	if h >= 6 {
		head = panel.Steps(s.st, w, s.names(), s.at)
	}
	if h >= 10 && s.above != nil {
		head = component.Stack(head, s.above(w))
	}
	return panel.Sheet(w, h, head, "", s.Screen.View)
}
