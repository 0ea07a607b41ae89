package edit_test

import (
	"errors"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/model/placement"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/edit"
	"github.com/placetop/placetop/tui/tuitest"
)

func TestTextIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	s := store(t).Snapshot()
	for _, name := range []string{"h1", "h1_card", "h2"} {
		id := modeltest.ProviderID(name)
		want, _ := ops.StateOf(s, id)
		text := must.Get(edit.Text(s, id, want))(t)
		got, err := edit.Read(s, text)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v %s\n%s", name, err, diff, text)
		}
	}
}

func TestTextThatCannotBeRead(t *testing.T) {
	t.Parallel()
	s := store(t).Snapshot()
	for text, want := range map[string]string{
		"name: [": "cannot be read", "": "needs a name", "nam: x": "unknown field", "name: x\nparent: nobody": "nobody",
		"name: x\ninventories: {VCPU: {total: 0}}": "total", "name: x\naggregates: [nowhere]": "nowhere", "name: x\ninventories: {VCPU: {total: many}}": "cannot be read",
	} {
		if _, err := edit.Read(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read with %v, want %q", text, err, want)
		}
	}
}

// editing opens the text of h1 with an editor that changes it.
func editing(t *testing.T, s *tuitest.Cloud, does func(text string) (string, error)) *tuitest.Host {
	t.Helper()
	return tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen {
		env.Editor = func(text string, done func(string, error) tea.Msg) tea.Cmd {
			return func() tea.Msg { return done(does(text)) }
		}
		page := must.Get(edit.OpenText(env, place.EditText{Kind: "providers", Name: "h1"}))(t)
		return typist{page}
	})
}

// typist is a page that never takes all keys, as the test's host requires.
type typist struct{ screen.Screen }

func (typist) Typing() bool          { return false }
func (typist) Back() (bool, tea.Cmd) { return false, nil }

func TestEditorLeadsToThePreview(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		r := editing(t, s, func(text string) (string, error) {
			return strings.Replace(text, "total: 16", "total: 20", 1), nil
		})
		r.Press("e")
		r.Advance(1)
		r.Wants("is not written yet")
		preview := r.Opens()
		must.Be(t, preview.Screen.Title(), "edit h1")
		preview.Wants("total 16 > 20")
		preview.Press("enter")
		preview.Wrote(1)
		r.Send(screen.ResumeMsg{})
		if r.Last() != (screen.PopMsg{}) {
			t.Errorf("when it is written the page asks for %v", r.Last())
		}
	})
}

func TestEditorThatFails(t *testing.T) {
	t.Parallel()
	for want, does := range map[string]func(string) (string, error){
		"no such editor":    func(string) (string, error) { return "", errors.New("no such editor") },
		"it cannot be read": func(string) (string, error) { return "name: [", nil },
	} {
		tuitest.Run(t, func(t *testing.T) {
			r := editing(t, store(t), does)
			r.Wants(want, "edit it again")
			r.Wrote(0)
		})
	}
	tuitest.Run(t, func(t *testing.T) { // saved text is there when it is edited again
		var seen string
		r := editing(t, store(t), func(text string) (string, error) {
			seen = text
			return text + "# mine\n", errors.New("signal: killed")
		})
		r.Wants("signal: killed", "edit it again")
		if r.Press("e"); !strings.HasSuffix(seen, "# mine\n") {
			t.Errorf("the editor has\n%s", seen)
		}
	})
	tuitest.Run(t, func(t *testing.T) {
		r := editing(t, store(t), func(text string) (string, error) { return text, nil })
		if r.Last() != (screen.PopMsg{}) || len(r.Said) != 1 {
			t.Errorf("a text that is left as it was asks for %v, %v", r.Last(), r.Said)
		}
	})
	must.Fail(t, must.Err(edit.OpenText(screen.Env{}, place.EditText{})), placement.ErrUnsupported)
}

// TestTextIsPending asks before typed text is lost, but not if it is unchanged, or was
// written.
func TestTextIsPending(t *testing.T) {
	tuitest.Parallel(t, func(t *testing.T) {
		s := store(t)
		var page screen.Screen
		makes := ""
		r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen {
			env.Editor = func(text string, done func(string, error) tea.Msg) tea.Cmd {
				if makes == "" {
					makes = text + "  oops: ["
				}
				return func() tea.Msg { return done(makes, nil) }
			}
			page, _ = edit.OpenText(env, place.EditText{Kind: "providers", Name: "h1"})
			return typist{page}
		})
		pending := func() string { return page.(screen.Pending).Pending() }
		was := strings.TrimSuffix(makes, "  oops: [")
		if r.Wants("REFUSED"); pending() == "" {
			t.Error("what cannot be read may be lost by one key")
		}
		makes = strings.Replace(was, "name: h1", "name: h9", 1)
		if r.Press("e"); pending() == "" {
			t.Error("what can be read may be lost by one key")
		}
		p, _ := s.Snapshot().Placement().ProviderByName("h1")
		must.Get(s.Apply(t.Context(), cloud.Change{Ops: []cloud.Op{placement.UpdateProvider{ID: p.ID(), Name: "h9"}}}).Result())(t)
		if got := pending(); got != "" {
			t.Errorf("once it is written it is %q", got)
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"name: x", "name: x\ninventories: {VCPU: {total: 1}}\ntraits: [CUSTOM_A]\naggregates: []", "&a [*a]", "name: \"\\x00\""} {
		f.Add(text)
	}
	s := cloud.Empty()
	f.Fuzz(func(t *testing.T, text string) {
		st, err := edit.Read(s, text)
		if err != nil {
			return
		}
		again := must.Get(edit.Text(s, placement.ProviderID{}, st))(t)
		got, err := edit.Read(s, again)
		if diff := cmp.Diff(st, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	})
}
