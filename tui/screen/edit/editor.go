package edit

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/confirm"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// texts is the page behind an editor: it lets the user edit a thing as YAML, and then
// leads to the preview, or says what cannot be parsed.
type texts struct {
	*screen.Page
	env  screen.Env
	of   ops.Editable
	name string
	base ops.State // its state when the editor was opened
	text string    // the edited text
	was  string    // the unedited text
	want ops.State // the last parsed state; nil for none
}

var _ screen.Pending = (*texts)(nil)

// editedMsg brings the edited text.
type editedMsg struct {
	text string
	err  error
}

// OpenText makes the screen of a place: a thing as YAML in the person's own editor.
//
// Errors: placement.ErrNotFound; placement.ErrUnsupported where there is no editor.
func OpenText(env screen.Env, at place.EditText) (screen.Screen, error) {
	if env.Editor == nil {
		return nil, fmt.Errorf("%w: %s", placement.ErrUnsupported, noEditor)
	}
	snap := env.Cloud.Snapshot()
	of, err := subject(snap, at)
	if err != nil {
		return nil, err
	}
	base, err := of.State(snap)
	if err != nil {
		return nil, err
	}
	text, err := kinds.EditText(snap, of, base)
	if err != nil {
		return nil, err
	}
	t := &texts{env: env, of: of, name: of.Called(snap), base: base, text: text, was: text}
	t.say(style.SeverityNone, "EDITING", "the editor has "+t.name+" as YAML", "save it and leave the editor to see what would change")
	return t, nil
}

// subject returns the thing that a place is about.
func subject(s *cloud.Snapshot, at place.EditText) (ops.Editable, error) {
	if k := kinds.Editable(at.Kind); k != nil {
		rows, err := k.Find(kinds.Finder{Snapshot: s}, at.Name)
		if err != nil {
			return nil, err
		}
		if of := k.Edits(rows[0]); of != nil {
			return of, nil
		}
	}
	return nil, &placement.NotFoundError{What: at.Kind, Name: at.Name}
}

// noEditor is why a text cannot be edited.
const noEditor = "this terminal is not where placetop runs: edit in a form instead"

// say replaces the shown lines.
func (t *texts) say(severity style.Severity, label string, lines ...string) {
	again := screen.Choice{Key: "e", Title: "edit it again, as you left it", Run: t.edit}
	t.Page = screen.NewPage(t.env.Styles, "yaml "+t.name, severity, label, lines, again)
}

// Init implements screen.Screen: the editor opens.
func (t *texts) Init() tea.Cmd { return t.edit() }

// edit opens the text in the editor.
func (t *texts) edit() tea.Cmd {
	return t.env.Editor(t.text, func(text string, err error) tea.Msg { return editedMsg{text, err} })
}

// Update implements screen.Screen.
func (t *texts) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case editedMsg:
		return t.edited(msg)
	case screen.ResumeMsg:
		if t.written() {
			return screen.Send(screen.PopMsg{})
		}
	}
	return t.Page.Update(msg)
}

// written reports whether the thing is as the user edited it.
func (t *texts) written() bool {
	if t.want == nil {
		return false
	}
	plan, err := ops.PlanEdit(t.env.Cloud.Snapshot(), t.asEdit(t.want))
	return err == nil && plan.Empty()
}

// Pending implements screen.Pending: what was made of the text is here alone.
func (t *texts) Pending() string {
	if t.text == t.was || t.written() {
		return ""
	}
	return "your version of " + t.name + " is not written"
}

// asEdit returns the edit that makes the thing what the text says.
func (t *texts) asEdit(want ops.State) ops.Edit {
	return ops.Edit{Of: t.of, Base: t.base, Want: want, At: t.env.Clock()}
}

// edited handles the edited text.
func (t *texts) edited(msg editedMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		if msg.text != "" {
			t.text = msg.text // as far as it was saved
		}
		t.say(style.SeverityWarn, "EDITOR", msg.err.Error())
		return nil
	case msg.text == t.was:
		t.text = msg.text
		return tea.Sequence(screen.Send(screen.ToastMsg{Severity: style.SeverityInfo, Text: t.name + ": nothing was changed"}), screen.Send(screen.PopMsg{}))
	}
	snap := t.env.Cloud.Snapshot()
	want, err := kinds.ReadEdit(snap, t.base, msg.text)
	if err != nil {
		t.text = msg.text
		t.say(style.SeverityCritical, "REFUSED", err.Error())
		return nil
	}
	t.text, t.want = msg.text, want
	t.say(style.SeverityNone, "EDITED", "your version of "+t.name+" is not written yet")
	return screen.Send(screen.PushMsg{Screen: confirm.Edit(t.env, snap, "edit "+t.name, t.asEdit(want), nil, "")})
}

// Actions implements screen.Screen.
func (t *texts) Actions() []action.Action {
	all := t.Page.Actions()
	for i := range all {
		all[i].ID = "edit.again"
	}
	return all
}
