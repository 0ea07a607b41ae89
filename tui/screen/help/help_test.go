package help_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/place"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/help"
	"github.com/placetop/placetop/tui/style"
	"github.com/placetop/placetop/tui/tuitest"
)

func newHelp(t *testing.T, lists ...[]action.Action) *help.Screen {
	t.Helper()
	palette := must.Get(themes.Load(nil, ""))(t)
	return help.New(style.NewPlain(palette, style.Block()), help.About{Title: "providers"}, lists...)
}

func many(group action.Group, n int) []action.Action {
	list := make([]action.Action, n)
	for i := range list {
		list[i] = action.Action{
			ID: action.ID(fmt.Sprintf("g%d.a%d", group, i)), Keys: action.Keys(fmt.Sprintf("f%d", int(group)*100+i)),
			Title: fmt.Sprintf("title %d-%d", group, i), Group: group,
		}
	}
	return list
}

func TestEverySizeFits(t *testing.T) {
	t.Parallel()
	s := newHelp(t, many(action.Here, 12), many(action.Move, 5), many(action.Everywhere, 30))
	for w := 10; w < 200; w += 9 {
		for h := 1; h < 60; h += 5 {
			if problem := tuitest.FrameProblem(s.View(w, h), w, h); problem != "" {
				t.Fatalf("%dx%d: %s", w, h, problem)
			}
		}
	}
}

// TestAllCanBeReached scrolls through a small window and sees every action.
func TestAllCanBeReached(t *testing.T) {
	t.Parallel()
	for _, w := range []int{40, 80, 160} {
		s := newHelp(t, many(action.Here, 12), many(action.Move, 5), many(action.Everywhere, 30))
		var seen strings.Builder
		for range 100 {
			seen.WriteString(s.View(w, 6))
			s.Update(tuitest.Key("down"))
		}
		for group, n := range map[action.Group]int{action.Here: 12, action.Move: 5, action.Everywhere: 30} {
			for i := range n {
				if want := fmt.Sprintf("title %d-%d ", group, i); !strings.Contains(seen.String(), want) {
					t.Errorf("width %d: %q is never shown", w, want)
				}
			}
		}
	}
}

func TestShadowedActionsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := newHelp(t,
		[]action.Action{{ID: "a", Keys: "x", Title: "mine"}},
		[]action.Action{
			{ID: "b", Keys: "x", Title: "hidden", Group: action.Everywhere},
			{ID: "c", Keys: "x y", Title: "half", Group: action.Everywhere},
		})
	view := s.View(100, 20)
	if !strings.Contains(view, "mine") || !strings.Contains(view, "half") || strings.Contains(view, "hidden") {
		t.Errorf("shows\n%s", view)
	}
}

func TestSearchAndClose(t *testing.T) {
	t.Parallel()
	s := newHelp(t, many(action.Here, 3), []action.Action{{ID: "undo", Keys: "z", Title: "undo", Help: "take it back"}})
	for _, key := range []string{"b", "a", "c", "k"} {
		if cmd := s.Update(tuitest.Key(key)); cmd != nil {
			t.Fatalf("typing %q does something else", key)
		}
	}
	view := s.View(100, 20)
	if !strings.Contains(view, "take it back") || strings.Contains(view, "title") {
		t.Errorf("a search for back shows\n%s", view)
	}
	s.Update(tuitest.Key("x"))
	if view := s.View(100, 20); !strings.Contains(view, "is called that") {
		t.Errorf("a search for nothing shows\n%s", view)
	}
	if cmd := s.Update(tuitest.Key("esc")); cmd != nil {
		t.Error("the first esc does not only clear the search")
	}
	for _, key := range []string{"esc", "?", "enter"} {
		s := newHelp(t)
		s.Update(tuitest.Key(key))
		if msg := s.Ask(); msg != (screen.PopMsg{}) {
			t.Errorf("%s asks for %T", key, msg)
		}
	}
}

// TestEnterGoesThere goes to what operators are called for, from the list and from a search by
// their words; q closes the page unless it is searched for.
func TestEnterGoesThere(t *testing.T) {
	t.Parallel()
	palette := must.Get(themes.Load(nil, ""))(t)
	open := func() *help.Screen {
		return help.New(style.NewPlain(palette, style.Block()), help.About{Title: "pulses", Tasks: true, Views: []screen.Named{
			{Kind: "rule", Name: "a08", Title: "broken move", Also: "stuck", To: place.Problems{Rule: "a08"}},
		}}, many(action.Everywhere, 30))
	}
	for keys, want := range map[string]any{
		"enter": screen.Goto{To: place.Flavors{}}, "down down down enter": screen.Goto{To: place.Problems{Rule: "a01"}}, "down down down up up up enter": screen.Goto{To: place.Flavors{}},
		"pgdown pgdown pgdown pgdown pgdown pgdown enter": screen.PopMsg{}, "q u o t a enter": screen.Goto{To: place.Projects{}}, "/ q u o t a enter": screen.Goto{To: place.Projects{}},
		"e v a c enter": screen.Goto{To: place.Problems{Rule: "a07"}}, "b r o k e n enter": screen.Goto{To: place.Problems{Rule: "a08"}}, "x y z z y enter": screen.PopMsg{},
	} {
		s := open()
		for key := range strings.FieldsSeq(keys) {
			s.View(80, 12)
			s.Update(tuitest.Key(key))
		}
		if got := s.Ask(); got != want {
			t.Errorf("%s: %v, want %v", keys, got, want)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		s := open()
		held := s.Update(tuitest.Key("q"))
		if got := s.Update(held())(); got != (screen.PopMsg{}) {
			t.Errorf("q alone: %v, want the page closed", got)
		}
	})
	s := open()
	for range len(help.Tasks()) {
		if view := s.View(80, 12); !strings.Contains(view, "\n>") {
			t.Fatalf("the cursor is not on screen:\n%s", view)
		}
		s.Update(tuitest.Key("down"))
	}
}
