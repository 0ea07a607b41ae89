package form

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/form/sheet"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/screen"
)

// Form is fields, and what comes after them: mostly the page that shows a change
// before it is written.
type Form struct {
	env  screen.Env
	snap *cloud.Snapshot
	ask  ask

	touched bool
	next    next // nil while the fields are shown
	reads   screen.Sequence
}

// ask says what a Form asks for.
type ask struct {
	scope   string // in the ids of actions
	title   string
	section string        // of the fields, in capitals
	note    func() string // at the end of the line of the section; nil for none
	steps   []string
	fields  *fields

	know   func(vocabulary)            // takes the names to complete from; nil where none are wanted
	key    func(tea.KeyMsg) fieldEvent // nil gives keys to the fields
	follow func(*cloud.Snapshot)       // takes a newer Snapshot; nil for nothing
	below  func(w int) []string        // is drawn below the fields, where there is room; nil for nothing
	// submit returns what comes after the fields, which have been checked, and false
	// where the cloud has changed so that it cannot.
	submit func(*cloud.Snapshot) (next, bool)
}

// next is what comes after the fields.
type next interface {
	screen.Screen
	screen.Typist
	screen.Stater
	screen.Backer
	screen.Pending
	// Stays reports whether one cannot go back to the fields any more.
	Stays() bool
	// Over reports whether there is nothing left to be lost.
	Over() bool
}

var (
	_ screen.Screen  = (*Form)(nil)
	_ screen.Typist  = (*Form)(nil)
	_ screen.Stater  = (*Form)(nil)
	_ screen.Backer  = (*Form)(nil)
	_ screen.Pending = (*Form)(nil)
	_ next           = (*Preview)(nil)
)

// vocabularyOfMsg brings the names that a Form completes from.
type vocabularyOfMsg struct {
	owner *Form
	seq   uint64
	voc   vocabulary
}

func newForm(env screen.Env, snap *cloud.Snapshot, a ask) *Form {
	if a.key == nil {
		a.key = a.fields.key
	}
	return &Form{env: env, snap: snap, ask: a}
}

// Init implements screen.Screen: it collects the names to complete from.
func (f *Form) Init() tea.Cmd {
	if f.ask.know == nil {
		return nil
	}
	ctx, seq := f.reads.Next(f.env.Context)
	snap := f.snap
	return func() tea.Msg { return vocabularyOfMsg{owner: f, seq: seq, voc: readVocabulary(ctx, snap)} }
}

// Title implements screen.Screen.
func (f *Form) Title() string { return f.ask.title }

// Status implements screen.Stater.
func (f *Form) Status() string {
	if f.next != nil {
		return f.next.Status()
	}
	return strings.TrimRight(fmt.Sprintf("step 1 of %d   %s", len(f.ask.steps), f.note()), " ")
}

func (f *Form) note() string {
	if f.ask.note == nil {
		return ""
	}
	return f.ask.note()
}

// Typing implements screen.Typist.
func (f *Form) Typing() bool { return f.next == nil || f.next.Typing() }

// Pending implements screen.Pending.
func (f *Form) Pending() string {
	switch {
	case f.next != nil && f.next.Over():
		return ""
	case f.next != nil && f.next.Pending() != "":
		return f.next.Pending()
	case f.touched:
		return strings.ToLower(f.ask.section) + ": not written yet"
	default:
		return ""
	}
}

// Back implements screen.Backer: esc on what comes after the fields goes back to
// them.
func (f *Form) Back() bool {
	switch {
	case f.next == nil:
		return false
	case f.next.Back():
		return true
	case f.next.Stays():
		return false
	}
	f.next = nil
	f.ask.fields.refresh()
	return true
}

// Update implements screen.Screen.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		f.snap = msg.Snapshot
		if f.ask.follow != nil {
			f.ask.follow(f.snap)
		}
	case vocabularyOfMsg:
		if msg.owner == f && f.reads.Current(msg.seq) {
			f.ask.know(msg.voc)
		}
		return nil
	case tea.KeyMsg:
		if f.next == nil {
			return f.fieldKey(msg)
		}
	}
	if f.next != nil {
		return f.next.Update(msg)
	}
	return nil
}

// fieldKey is a key for the fields.
func (f *Form) fieldKey(msg tea.KeyMsg) tea.Cmd {
	switch f.ask.key(msg) {
	case fieldCancel:
		return screen.Send(screen.PopMsg{})
	case fieldChanged:
		f.touched = true
	case fieldSubmit:
		n, ok := f.ask.submit(f.snap)
		if !ok {
			return nil
		}
		f.touched, f.next = true, n
		return n.Init()
	case fieldNone:
	}
	return nil
}

// View implements screen.Screen.
func (f *Form) View(w, h int) string {
	if f.next != nil {
		return f.next.View(w, h)
	}
	st := f.env.Styles
	head := component.Stack(sheet.Steps(st, w, f.ask.steps, 0), component.Titled(st, w, f.ask.section, f.note()))
	return sheet.Page(w, h, head, fieldHints(st, w), func(bw, bh int) string {
		lines, focus, end := f.ask.fields.lines(bw)
		if f.ask.below != nil {
			if more := f.ask.below(bw); bh > len(lines)+len(more) {
				lines = append(append(lines, ""), more...)
			}
		}
		return strings.Join(window(lines, focus, end, bh), "\n")
	})
}

// Actions implements screen.Screen.
func (f *Form) Actions() []action.Action {
	if f.next != nil {
		return f.next.Actions()
	}
	key := func(id, title, help string, keys ...string) action.Action {
		return action.Action{ID: action.ID(f.ask.scope + "." + id), Keys: keys, Title: title, Help: help}
	}
	return []action.Action{
		key("next", "next field", "next field; from the last one on to the preview", "enter"),
		key("complete", "complete", "complete the word, or next field", "tab"),
		key("prev", "field before", "", "shift+tab", "up"),
		key("down", "next field", "", "down"),
	}
}
