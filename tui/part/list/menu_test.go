package list_test

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/tui/action"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/tuitest"
)

func press(t *testing.T, s *list.Menu, keys ...string) {
	t.Helper()
	for _, key := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)}
		if key == "enter" {
			msg = tea.KeyMsg{Type: tea.KeyEnter}
		}
		if s.Typing() {
			s.Update(msg)
			continue
		}
		done := false
		for _, a := range s.Actions() {
			if a.Keys.Has(key) && a.Run != nil {
				a.Run()
				done = true
				break
			}
		}
		if !done {
			s.Update(msg)
		}
	}
}

// TestIntroWraps shows all of the words at the top where they need several lines, and finds
// the line that is clicked on below them.
func TestIntroWraps(t *testing.T) {
	t.Parallel()
	s := list.NewMenu(tuitest.Plain(), list.MenuSpec{
		Name: "test", Title: "test", Verb: "choose",
		Intro: []string{"what it is for, and how to get more"},
		Items: func() []list.Item { return []list.Item{{ID: "a", Name: "name a"}, {ID: "b", Name: "name b"}} },
	})
	for h, y := range map[int]int{12: 4, 5: 3} {
		must.Say(t, s.View(22, h), "what it is for, and", "how to get more")
		if line := strings.Split(s.View(22, h), "\n")[y]; !strings.Contains(line, "name b") {
			t.Fatalf("%d lines: line %d is %q, want b", h, y, line)
		}
		if s.Click(3, y); s.Current() != "b" {
			t.Errorf("%d lines: a click on b put the cursor on %q", h, s.Current())
		}
		press(t, s, "k")
	}
}

func TestMenu(t *testing.T) {
	t.Parallel()
	on := map[string]bool{"b": true}
	var moved []string
	left := 0
	s := list.NewMenu(tuitest.Plain(), list.MenuSpec{
		Name: "test", Title: "test", Verb: "toggle", Stays: true, At: "b",
		Intro: []string{"what it is for"},
		Items: func() []list.Item {
			var items []list.Item
			for _, id := range []string{"a", "b", "c"} {
				mark := list.Off
				if on[id] {
					mark = list.On
				}
				items = append(items, list.Item{ID: id, Name: "name " + id, Note: "note of " + id, Mark: mark, Run: func() tea.Cmd { on[id] = !on[id]; return nil }})
			}
			return items
		},
		Moved: func(i list.Item) tea.Cmd { moved = append(moved, i.ID); return nil },
		Left:  func() { left++ },
	})
	if got := s.Current(); got != "b" {
		t.Fatalf("the cursor begins on %q, want b", got)
	}
	press(t, s, "j", "enter", "k", "k")
	if !on["c"] || !slices.Equal(moved, []string{"c", "b", "a"}) {
		t.Errorf("switched %v, moved over %v", on, moved)
	}
	view := s.View(40, 8)
	must.Say(t, view, "what it is for", "[ ] name a", "[x] name b", "note of c")
	if cmd := s.Click(3, 4); cmd != nil || s.Current() != "c" {
		t.Errorf("a click on the third line put the cursor on %q", s.Current())
	}
	press(t, s, "/", "b", "enter")
	if got := s.Current(); got != "b" || s.Status() != "/b   1" {
		t.Errorf("found %q, status %q", got, s.Status())
	}
	first, _ := s.Back()
	if again, _ := s.Back(); !first || again {
		t.Error("esc takes the words away, and then leaves")
	}
	s.Leave()
	if left != 1 {
		t.Error("nobody was told that the page was left")
	}
}

// TestLongNotes shows the complete note of the line under the cursor if it is cut.
func TestLongNotes(t *testing.T) {
	t.Parallel()
	s := list.NewMenu(tuitest.Plain(), list.MenuSpec{Name: "test", Title: "test", Items: func() []list.Item {
		return []list.Item{{ID: "a", Name: "short", Note: "a word"}, {ID: "b", Name: "long", Note: strings.Repeat("more ", 12) + "the end"}}
	}})
	for key, whole := range map[string]bool{"j": true, "k": false} {
		press(t, s, key)
		if got := s.View(40, 12); strings.Contains(got, "the end") != whole || strings.Count(got, "\n") != 11 {
			t.Errorf("after %s:\n%s", key, got)
		}
	}
	if got := s.View(90, 12); strings.Contains(got, "─ ") {
		t.Errorf("where there is room for all, something stands below:\n%s", got)
	}
}

// TestLongNames shows the complete name of the line under the cursor if it is cut.
func TestLongNames(t *testing.T) {
	t.Parallel()
	long := "a name that goes on for more cells than the column has, to the end"
	s := list.NewMenu(tuitest.Plain(), list.MenuSpec{Name: "m", Title: "menu", Verb: "go", Items: func() []list.Item {
		return []list.Item{{Kind: "trait", Name: long}, {Kind: "trait", Name: "short"}}
	}})
	if got := s.View(100, 12); !strings.Contains(got, long) {
		t.Errorf("the name is nowhere in full:\n%s", got)
	}
}

// TestNumbers chooses lines by their number: the first nine that are shown.
func TestNumbers(t *testing.T) {
	t.Parallel()
	chosen := ""
	s := list.NewMenu(tuitest.Plain(), list.MenuSpec{
		Name: "test", Title: "test", Verb: "go", Stays: true,
		Items: func() []list.Item {
			var items []list.Item
			for _, id := range []string{"ant", "bee", "cow", "doe", "elk", "fox", "gnu", "hen", "ibis", "jay"} {
				items = append(items, list.Item{Name: id, Run: func() tea.Cmd { chosen = id; return nil }})
			}
			return items
		},
	})
	text := s.View(40, 12)
	for _, want := range []string{"1 ant", "9 ibis", "  jay"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	press(t, s, "2")
	must.Be(t, chosen, "bee")
	press(t, s, "/", "o", "enter", "2")
	must.Be(t, chosen, "doe")
	press(t, s, "4")
	must.Be(t, chosen, "doe")
	if a, ok := action.Find("4", s.Actions()); !ok || !strings.Contains(a.Disabled, "end at 3") {
		t.Errorf("4, beyond the last of three lines, is %v %q", ok, a.Disabled)
	}
}

// TestTypedSaysItsKeys says what typing, enter and esc do in a menu where all keys are text,
// and when nothing is left to choose.
func TestTypedSaysItsKeys(t *testing.T) {
	t.Parallel()
	s := list.NewMenu(tuitest.Plain(), list.MenuSpec{
		Name: "test", Title: "test", Verb: "choose", Typed: true,
		Items: func() []list.Item { return []list.Item{{ID: "a", Name: "name a"}} },
	})
	for _, w := range []int{44, 80} {
		must.Say(t, s.View(w, 12), "name a", "type to search  enter choose  esc cancel")
		if n := strings.Count(s.View(w, 12), "\n") + 1; n != 12 {
			t.Errorf("%d lines, want 12", n)
		}
	}
	press(t, s, "z")
	must.Say(t, s.View(80, 12), "nothing matches", "/z")
}
