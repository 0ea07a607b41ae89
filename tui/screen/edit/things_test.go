package edit_test

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/kinds"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/model/nova"
	"github.com/placetop/placetop/model/ops"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/edit"
	"github.com/placetop/placetop/tui/tuitest"
)

// TestEditsThingsAsText edits a thing of each kind as YAML. Another session changes
// another part of it while the page is open: keep theirs, yours or both.
func TestEditsThingsAsText(t *testing.T) {
	t.Parallel()
	type flavor = ops.FlavorState
	m1 := func(s *cloud.Snapshot) ops.State {
		st, _ := ops.EditableFlavor{Name: "qat.1"}.State(s)
		return st
	}
	other := nova.SetExtraSpecs{Flavor: "qat.1", ExtraSpecs: nova.KeyEdits{Set: map[string]string{"their": "own"}}}
	for _, c := range []struct {
		name, key string
		check     func(specs map[string]string) bool
	}{
		{"both", "b", func(specs map[string]string) bool { return specs["their"] == "own" && specs["my"] == "spec" }},
		{"yours", "u", func(specs map[string]string) bool { return specs["their"] == "" && specs["my"] == "spec" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tuitest.Run(t, func(t *testing.T) {
				s := tuitest.Demo12(t)
				r := tuitest.Live(t, s, 100, 30, func(env screen.Env) screen.Screen {
					env.Editor = func(text string, done func(string, error) tea.Msg) tea.Cmd {
						if !strings.Contains(text, "my: spec") {
							text = strings.Replace(text, "extra_specs:", "extra_specs:\n  my: spec", 1)
						}
						return func() tea.Msg { return done(text, nil) }
					}
					p := must.Get(edit.OpenText(env, place.EditText{Kind: string(kinds.Flavors), Name: "qat.1"}))(t)
					return typist{p}
				})
				r = r.Opens("e")
				must.Get(s.Apply(t.Context(), cloud.Change{Actor: "else", Note: "else", Ops: []cloud.Op{other}}).Result())(t)
				r.Follow()
				r.Wants("someone else has changed it since you started", "their")
				r.Press(c.key)
				r.Press("enter")
				r.Press("enter")
				if got := m1(s.Snapshot()).(flavor).ExtraSpecs; !c.check(got) {
					t.Errorf("it has %v\n%s", got, r.Text())
				}
			})
		})
	}
}

// TestStatesOfThings parses what it writes, and plans nothing for an unchanged text.
func TestStatesOfThings(t *testing.T) {
	t.Parallel()
	s := tuitest.Demo12(t).Snapshot()
	n := 0
	for _, k := range kinds.All() {
		if k.Edits == nil {
			continue
		}
		for row := range k.Rows(kinds.At{Snap: s}, false) {
			of := k.Edits(row)
			if of == nil {
				continue
			}
			n++
			state := must.Get(of.State(s))(t)
			again, err := edit.Again(s, of, state)
			if err != nil {
				t.Fatalf("%s: %v", of.Called(s), err)
			}
			if plan, err := ops.PlanEdit(s, ops.Edit{Of: of, Base: state, Want: again}); err != nil || !plan.Empty() {
				t.Errorf("%s: an edit of nothing plans %v, %v", of.Called(s), plan.Change.Ops, err)
			}
			if plan, err := of.PlanState(s, again, time.Time{}); err != nil {
				t.Errorf("%s: %v, %v", of.Called(s), plan, err)
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d things can be edited", n)
	}
}
