package form

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/sheet"
	"github.com/placetop/placetop/tui/screen"
)

// Form is fields, and what comes after them: mostly the page that shows a change
// before it is written.
type Form struct {
	screen.Outbox

	env  screen.Env
	snap *cloud.Snapshot
	ask  Ask

	touched bool
	next    Next // nil while the fields are shown
	reads   screen.Sequence
}

// Ask says what a Form asks for.
type Ask struct {
	Scope   string // in the ids of actions
	Title   string
	Section string        // of the fields, in capitals
	Note    func() string // at the end of the line of the section; nil for none
	Steps   []string
	Fields  *Fields

	Know   func(Vocabulary)       // takes the names to complete from; nil where none are wanted
	Key    func(tea.KeyMsg) Event // nil gives keys to the fields
	Follow func(*cloud.Snapshot)  // takes a newer Snapshot; nil for nothing
	Below  func(w int) []string   // is drawn below the fields, where there is room; nil for nothing
	// Submit returns what comes after the fields, which have been checked, and false
	// where the cloud has changed so that it cannot.
	Submit func(*cloud.Snapshot) (Next, bool)
}

// Next is what comes after the fields.
type Next interface {
	screen.Screen
	screen.Typist
	screen.Stater
	screen.Backer
	screen.Pending
	// Stays reports whether the user can no longer go back to the fields.
	Stays() bool
	// Over reports whether there is nothing left to lose.
	Over() bool
}

var (
	_ screen.Screen  = (*Form)(nil)
	_ screen.Typist  = (*Form)(nil)
	_ screen.Stater  = (*Form)(nil)
	_ screen.Backer  = (*Form)(nil)
	_ screen.Pending = (*Form)(nil)
	_ Next           = (*confirm.Page)(nil)

	_ screen.AfterBacker = (*Form)(nil)
)

// vocabularyOfMsg brings the names for a Form's completions.
type vocabularyOfMsg struct {
	owner *Form
	seq   uint64
	voc   Vocabulary
}

// New returns the form that asks for a.
func New(env screen.Env, snap *cloud.Snapshot, a Ask) *Form {
	if a.Key == nil {
		a.Key = a.Fields.key
	}
	return &Form{env: env, snap: snap, ask: a}
}

// Init implements screen.Screen: it collects the names to complete from.
func (f *Form) Init() tea.Cmd {
	if f.ask.Know == nil {
		return nil
	}
	ctx, seq := f.reads.Next(f.env.Context)
	snap := f.snap
	if screen.Small(snap) {
		f.ask.Know(ReadVocabulary(ctx, snap))
		return nil
	}
	return func() tea.Msg { return vocabularyOfMsg{owner: f, seq: seq, voc: ReadVocabulary(ctx, snap)} }
}

// Title implements screen.Screen.
func (f *Form) Title() string { return f.ask.Title }

// Status implements screen.Stater.
func (f *Form) Status() string {
	if f.next != nil {
		return f.next.Status()
	}
	return strings.TrimRight(fmt.Sprintf("step 1 of %d   %s", len(f.ask.Steps), f.note()), " ")
}

func (f *Form) note() string {
	if f.ask.Note == nil {
		return ""
	}
	return f.ask.Note()
}

// Copies implements screen.Copier: of what comes after the fields.
func (f *Form) Copies() []screen.CopyMsg {
	if c, ok := f.next.(screen.Copier); ok {
		return c.Copies()
	}
	return nil
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
		return strings.ToLower(f.ask.Section) + ": not written yet"
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
	f.ask.Fields.Refresh()
	return true
}

// AfterBack implements screen.AfterBacker.
func (f *Form) AfterBack() tea.Cmd {
	if after, ok := f.next.(screen.AfterBacker); ok {
		return after.AfterBack()
	}
	return nil
}

// Update implements screen.Screen.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		f.snap = msg.Snapshot
		if f.ask.Follow != nil {
			f.ask.Follow(f.snap)
		}
	case vocabularyOfMsg:
		if msg.owner == f && f.reads.Current(msg.seq) {
			f.ask.Know(msg.voc)
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
	switch f.ask.Key(msg) {
	case Cancelled:
		f.Post(screen.PopMsg{})
	case Changed:
		f.touched = true
	case Submitted:
		n, ok := f.ask.Submit(f.snap)
		if !ok {
			return nil
		}
		f.touched, f.next = true, n
		return n.Init()
	case None:
	}
	return nil
}

// leastBelow is how many free lines below the fields are needed to draw anything there.
const leastBelow = 3

// View implements screen.Screen.
func (f *Form) View(w, h int) string {
	if f.next != nil {
		return f.next.View(w, h)
	}
	st := f.env.Styles
	head := component.Stack(sheet.Steps(st, w, f.ask.Steps, 0), component.Titled(st, w, f.ask.Section, f.note()))
	return sheet.Page(w, h, head, fieldHints(st, w), func(bw, bh int) string {
		lines, focus, end := f.ask.Fields.lines(bw)
		if f.ask.Below != nil {
			more := f.ask.Below(bw)
			if room := bh - len(lines) - 1; room >= min(len(more), leastBelow) {
				lines = append(append(lines, ""), more[:min(len(more), room)]...)
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
		return action.Action{ID: action.ID(f.ask.Scope + "." + id), Keys: keys, Title: title, Help: help}
	}
	return []action.Action{
		key("next", "next field", "next field; from the last one to the preview", "enter"),
		key("complete", "complete", "complete the word, or next field", "tab"),
		key("prev", "previous field", "", "shift+tab", "up"),
		key("down", "next field", "", "down"),
	}
}
