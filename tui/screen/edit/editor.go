package edit

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/style"
)

// texts is the page behind an editor: it has a provider edited as YAML, and then leads to
// the preview, or says what cannot be read.
type texts struct {
	*screen.Page
	env  screen.Env
	id   placement.ProviderID
	base ops.ProviderState
	text string             // as it was left
	was  string             // as it is without an edit
	want *ops.ProviderState // that was read last; nil for none
}

var _ screen.Pending = (*texts)(nil)

// editedMsg brings what somebody made of a text.
type editedMsg struct {
	text string
	err  error
}

// OpenText makes the screen of a place: a provider as YAML in the person's own editor.
//
// Errors: placement.ErrNotFound; placement.ErrUnsupported where there is no editor.
func OpenText(env screen.Env, at place.EditText) (screen.Screen, error) {
	if env.Editor == nil {
		return nil, fmt.Errorf("%w: %s", placement.ErrUnsupported, noEditor)
	}
	snap := env.Cloud.Snapshot()
	base, err := ops.StateOf(snap, at.ID)
	if err != nil {
		return nil, err
	}
	text, err := Text(snap, at.ID, base)
	if err != nil {
		return nil, err
	}
	t := &texts{env: env, id: at.ID, base: base, text: text, was: text}
	t.say(style.SeverityNone, "EDITING", "the editor has "+base.Name+" as YAML", "save it and leave the editor to see what would change")
	return t, nil
}

// noEditor is why a text cannot be edited.
const noEditor = "this terminal is not the one that placetop runs on: e edits in a form"

// say shows lines in place of those before.
func (t *texts) say(severity style.Severity, label string, lines ...string) {
	again := screen.Choice{Key: "e", Title: "edit it again, as you left it", Run: t.edit}
	t.Page = screen.NewPage(t.env.Styles, "yaml "+t.base.Name, severity, label, lines, again)
}

// Init implements screen.Screen: the editor opens.
func (t *texts) Init() tea.Cmd { return t.edit() }

// edit hands the text to the editor.
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

// written reports whether the provider is what somebody made of it.
func (t *texts) written() bool {
	if t.want == nil {
		return false
	}
	plan, err := ops.PlanProviderEdit(t.env.Cloud.Snapshot(), ops.ProviderEdit{ID: t.id, Base: t.base, Want: *t.want})
	return err == nil && plan.Empty()
}

// Pending implements screen.Pending: what was made of the text is here alone.
func (t *texts) Pending() string {
	if t.text == t.was || t.written() {
		return ""
	}
	return "what you made of " + t.base.Name + " is not written"
}

// edited goes on with what somebody made of the text.
func (t *texts) edited(msg editedMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		if msg.text != "" {
			t.text = msg.text // as far as it was saved
		}
		t.say(style.SeverityWarn, "EDITOR", msg.err.Error(), "VISUAL or EDITOR names the one that is used")
		return nil
	case msg.text == t.was:
		t.text = msg.text
		return tea.Sequence(screen.Send(screen.ToastMsg{Severity: style.SeverityInfo, Text: t.base.Name + ": nothing was changed"}), screen.Send(screen.PopMsg{}))
	}
	snap := t.env.Cloud.Snapshot()
	want, err := Read(snap, msg.text)
	if err != nil {
		t.text = msg.text
		t.say(style.SeverityCritical, "REFUSED", err.Error())
		return nil
	}
	t.text, t.want = msg.text, &want
	t.say(style.SeverityNone, "EDITED", "what you made of "+t.base.Name+" is not written yet")
	return screen.Send(screen.PushMsg{Screen: Preview(t.env, snap, ops.ProviderEdit{ID: t.id, Base: t.base, Want: want}, nil)})
}

// Actions implements screen.Screen.
func (t *texts) Actions() []action.Action {
	all := t.Page.Actions()
	for i := range all {
		all[i].ID = "edit.again"
	}
	return all
}
