package form

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/panel"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// fieldStep is the first step of most wizards: fields.
type fieldStep struct {
	screen.Outbox
	env     screen.Env
	snap    *cloud.Snapshot
	ask     Ask
	touched bool
	rooms   screen.Task[func(w int) []string]
	room    func(w int) []string // draws the last answer; nil for none
}

// Ask says what fields ask for.
type Ask struct {
	Scope   string // in the ids of actions
	Title   string
	Section string        // of the fields, in capitals
	Note    func() string // at the end of the line of the section; nil for none
	Steps   []string
	Fields  *Fields

	Key   func(tea.KeyMsg) Event // nil gives keys to the fields
	Snap  **cloud.Snapshot       // what the fields are checked against, which is kept the newest; nil for nothing
	Below func(w int) []string   // is drawn below the fields, where there is room; nil for nothing
	// Room returns a search for what the fields would lead to, such as the hosts with room for
	// it, nil while they are not right. It runs off the event loop, and returns what draws the
	// answer below the fields; nil where nothing is searched for.
	Room func(*cloud.Snapshot) func() func(w int) []string
	// One of these returns what comes after the fields: the write that is previewed, an edit
	// that is, before which Word must be typed and whose effect is drawn below the fields, or
	// another step. It fails where the cloud has changed since the fields were checked.
	Write func() (confirm.Spec, error)
	Edit  func() (ops.Edit, error)
	Word  string
	Next  func(*cloud.Snapshot) (Step, error)
}

// New returns the wizard that begins with fields.
func New(env screen.Env, snap *cloud.Snapshot, a Ask) *Wizard {
	if a.Key == nil {
		a.Key = a.Fields.key
	}
	if a.Edit != nil {
		a.Room = editEffect(env.Styles, a.Edit)
	}
	f := &fieldStep{env: env, snap: snap, ask: a}
	f.rooms.Clock = env.Clock
	return Begin(snap, a.Title, f)
}

// Init implements screen.Screen.
func (f *fieldStep) Init() tea.Cmd { return f.measure(false) }

// Title implements screen.Screen.
func (f *fieldStep) Title() string { return f.ask.Title }

// Status implements screen.Stater.
func (f *fieldStep) Status() string {
	return strings.TrimRight(fmt.Sprintf("step 1 of %d   %s", len(f.ask.Steps), f.note()), " ")
}

func (f *fieldStep) note() string {
	if f.ask.Note == nil {
		return ""
	}
	return f.ask.Note()
}

// Typing implements screen.Typist: fields take all keys.
func (*fieldStep) Typing() bool { return true }

// Back implements screen.Backer.
func (*fieldStep) Back() (bool, tea.Cmd) { return false, nil }

// Pending implements screen.Pending.
func (f *fieldStep) Pending() string {
	if f.touched {
		return strings.ToLower(f.ask.Section) + ": not written yet"
	}
	return ""
}

// Update implements screen.Screen.
func (f *fieldStep) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.SnapshotMsg:
		f.snap = msg.Snapshot
		if f.ask.Snap != nil {
			*f.ask.Snap = f.snap
		}
		f.ask.Fields.All[f.ask.Fields.At].Refresh()
		return f.measure(false)
	case screen.ResumeMsg: // what the other fields say is of an old Snapshot
		f.ask.Fields.Refresh()
		return nil
	case tea.KeyMsg:
		return f.key(msg)
	}
	draw, ok, cmd := f.rooms.Take(msg)
	if ok {
		f.room = draw
	}
	return cmd
}

// key is a key for the fields.
func (f *fieldStep) key(msg tea.KeyMsg) tea.Cmd {
	var event Event
	switch msg.String() {
	case "ctrl+s":
		event = f.ask.Fields.submit()
	case "ctrl+l":
		f.pick()
	default:
		event = f.ask.Key(msg)
	}
	switch event {
	case Cancelled:
		f.Post(screen.PopMsg{})
	case Changed:
		f.touched = true
		return f.measure(true)
	case Submitted:
		if next, err := f.next(); err == nil {
			f.touched = true
			f.rooms.Drop()
			f.Post(NextMsg{Step: next})
		}
	case None:
	}
	return nil
}

// next returns the step after the fields.
func (f *fieldStep) next() (Step, error) {
	switch a := f.ask; {
	case a.Write != nil:
		spec, err := a.Write()
		spec.Title, spec.Steps, spec.At = cmp.Or(spec.Title, a.Title), a.Steps, 1
		return confirm.New(f.env, f.snap, spec), err
	case a.Edit != nil:
		e, err := a.Edit()
		return confirm.Edit(f.env, f.snap, a.Title, e, a.Steps, a.Word), err
	}
	return f.ask.Next(f.snap)
}

// pick opens the list of what the text of the focused field may become.
func (f *fieldStep) pick() {
	field := f.ask.Fields.All[f.ask.Fields.At]
	stem := LastWord(field.Text)
	var items []list.Item
	all := field.options(field.Text[:stem])
	if len(all) == 0 {
		all = field.options(field.Text) // there are too many without the first letters
	}
	for _, text := range all {
		items = append(items, list.Item{ID: text, Name: text[stem:], Run: func() tea.Cmd {
			field.set(text)
			f.touched = true
			return f.measure(true)
		}})
	}
	if len(items) == 0 {
		field.dropped = "nothing to list here: type the first letters, or all of it"
		return
	}
	f.Post(screen.PushMsg{Screen: list.NewMenu(f.env.Styles, list.MenuSpec{
		Name: f.ask.Scope + ".pick", Title: field.Label, Items: func() []list.Item { return items }, At: field.Text, Verb: "choose", Typed: true,
	})})
}

// typingGap is how long nobody has typed before room is searched for.
const typingGap = 150 * time.Millisecond

// measure searches for room: after a pause if something was typed, else when the search
// under way has ended.
func (f *fieldStep) measure(typed bool) tea.Cmd {
	if f.ask.Room == nil {
		return nil
	}
	search := f.ask.Room(f.snap)
	switch {
	case search == nil:
		f.rooms.Drop()
		f.room = nil
		return nil
	case !typed:
		return f.rooms.Follow(f.env.Context, func(context.Context) func(int) []string { return search() })
	}
	return f.rooms.Start(f.env.Context, func(ctx context.Context) func(int) []string {
		select {
		case <-time.After(typingGap):
			return search()
		case <-ctx.Done():
			return nil
		}
	})
}

// leastBelow is how many free lines below the fields are needed to draw anything there.
const leastBelow = 3

// View implements screen.Screen.
func (f *fieldStep) View(w, h int) string {
	st := f.env.Styles
	head := component.Titled(st, w, f.ask.Section, f.note())
	if h >= 6 { // on a low terminal the crumbs count the steps
		head = component.Stack(panel.Steps(st, w, f.ask.Steps, 0), head)
	}
	return panel.Sheet(w, h, head, fieldHints(st, w, f.goal()), func(bw, bh int) string {
		lines, focus, end := f.ask.Fields.lines(bw)
		more := f.below(bw)
		if room := bh - len(lines) - 1; room >= min(len(more), leastBelow) {
			lines = append(append(lines, ""), more[:min(len(more), room)]...)
		}
		return strings.Join(window(lines, focus, end, bh), "\n")
	})
}

// below draws what is below the fields.
func (f *fieldStep) below(w int) []string {
	var lines []string
	if f.room != nil {
		lines = f.room(w)
	}
	if f.ask.Below != nil {
		lines = append(lines, f.ask.Below(w)...)
	}
	return lines
}

// WouldFit returns an answer of Ask.Room that says in a line what there is room for.
func WouldFit(st *style.Styles, draw func(*component.Line)) func(w int) []string {
	return func(w int) []string {
		l := component.NewLine(st, w).Space(GutterWidth).Add(themes.Faint, "would fit").Space(1)
		draw(l.To(min(GutterWidth+LabelWidth, w/4)))
		return []string{l.String()}
	}
}

// editEffect returns an Ask.Room that draws what an edit would change of providers, with bars
// now and after, or why it cannot be.
func editEffect(st *style.Styles, edit func() (ops.Edit, error)) func(*cloud.Snapshot) func() func(w int) []string {
	return func(s *cloud.Snapshot) func() func(int) []string {
		e, err := edit()
		if err != nil {
			return nil
		}
		return func() func(int) []string {
			p, err := ops.PlanEdit(s, e)
			return func(w int) []string {
				if err != nil {
					return panel.Fault(st, w, err.Error())
				}
				return panel.Diff{Styles: st, Snap: s, Preview: p.Preview}.Touched(w)
			}
		}
	}
}

// goal returns what the fields lead to: the preview, or what comes in place of it.
func (f *fieldStep) goal() string {
	const preview = "preview"
	if slices.Contains(f.ask.Steps, preview) {
		return preview
	}
	return f.ask.Steps[len(f.ask.Steps)-1]
}

// Actions implements screen.Screen.
func (f *fieldStep) Actions() []action.Action {
	key := func(id, title, help string, keys action.Keys) action.Action {
		return action.Action{ID: action.ID(f.ask.Scope + "." + id), Keys: keys, Title: title, Help: help}
	}
	return []action.Action{
		key("submit", f.goal(), "to the "+f.goal()+", from any field", "ctrl+s"),
		key("next", "next field", "next field; from the last one to the "+f.goal(), "enter"),
		key("complete", "complete", "complete the word, or next field", "tab"),
		key("pick", "all", "list all that the field may become", "ctrl+l"),
		key("prev", "previous field", "", "shift+tab up"),
		key("down", "next field", "", "down"),
	}
}
