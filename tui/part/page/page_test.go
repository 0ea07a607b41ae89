package page_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/placetop/placetop/model/cloud"
	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/tuitest"
)

// letters is a list of n rows, a1 and so on.
func letters(env screen.Env, snap *cloud.Snapshot, letter string, n int) *list.Screen {
	type row struct{ name string }
	return list.New(list.Spec[*row]{
		Name: letter, Thing: letter,
		Rows: func(context.Context, *cloud.Snapshot) []*row {
			var rows []*row
			for i := range n {
				rows = append(rows, &row{fmt.Sprint(letter, i+1)})
			}
			return rows
		},
		ID: func(r *row) string { return r.name }, Text: func(r *row) string { return r.name },
		Columns: list.Show("name:6", "", list.Cells[*row]{"name": list.TextCell(themes.Text, func(r *row, _ list.At) string { return r.name })}),
	}, env, snap, "")
}

// alone is a screen that is only a page.
type alone struct{ page.Page }

func (a *alone) Title() string { return "page" }

func lists(t *testing.T, rows ...int) *tuitest.Host {
	t.Helper()
	c := tuitest.NewCloud(cloud.Empty())
	env := tuitest.Env(c, tuitest.Plain())
	a := &alone{page.Page{Styles: env.Styles, Scope: "test", WideW: 120, WideH: 34, Focus: 2}}
	var boxes []page.Slot
	for i, n := range rows {
		letter := string(rune('a' + i))
		s := &page.Section{
			Title: strings.ToUpper(letter), List: letters(env, c.Snapshot(), letter, n), Turn: max(i-1, 0),
			About: func(w int, _ bool) (string, []string) {
				return "ABOUT  " + letter, page.Wrap(env.Styles, []page.Words{{Token: themes.Text, Text: "about " + letter}, {}, {Token: themes.Text, Text: "  indented"}}, w)
			},
		}
		a.Sections, boxes = append(a.Sections, s), append(boxes, page.Box(1, s))
	}
	boxes[0].Share = 2
	a.Rows = []page.Row{
		{Slots: boxes[:2], Fits: true},
		{Slots: []page.Slot{boxes[2], page.Box(1, a.Aside(false)), boxes[3]}},
	}
	return tuitest.Open(t, c, a)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	states := map[string]func() *tuitest.Host{}
	for name, keys := range map[string][]string{"first": nil, "fixed": {"shift+tab"}, "last": {"tab"}, "words": {"W"}} {
		states[name] = func() *tuitest.Host {
			h := lists(t, 4, 30, 30, 2)
			h.Press(keys...)
			return h
		}
	}
	tuitest.Frames(t, states, [2]int{120, 36}, [2]int{70, 16})
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	h := lists(t, 4, 30, 0, 2)
	for range 4 {
		tuitest.EverySize(t, h)
		h.Press("tab")
	}
}

// Tab cycles through the sections, only the focused one gets keys, and of those that take
// turns the last one that had the focus stays in view.
func TestTurns(t *testing.T) {
	t.Parallel()
	h := lists(t, 4, 4, 4, 4)
	b := &h.Screen.(*alone).Page
	var order []int
	for range 5 {
		order = append(order, b.Focus)
		h.Press("tab")
	}
	must.Be(t, fmt.Sprint(order), "[2 3 0 1 2]")
	b.Show(3)
	h.Press("j", "j")
	must.Be(t, b.CursorID(), "3 d3")
	b.Show(0)
	if got := b.CursorID(); got != "0 a1" {
		t.Errorf("j moved another list too, to %q", got)
	}
	h.Wants("─ D 4")
	h.Lacks("─ C 4")
	if !b.HasRow("0 a1") || b.HasRow("0 d3") || b.HasRow("3 d3") {
		t.Error("HasRow mistakes the sections")
	}
}

// A filter narrows one list, and its title says so.
func TestFilter(t *testing.T) {
	t.Parallel()
	h := lists(t, 4, 4, 4, 4)
	h.Press("/")
	h.Type("c3")
	h.Press("enter")
	b := &h.Screen.(*alone).Page
	if text := h.Text(); !strings.Contains(text, "C 1 of 4") || !strings.Contains(text, "d 4") || b.Status() != "/c3" {
		t.Errorf("status %q:\n%s", b.Status(), text)
	}
	if !h.Back() || h.Back() {
		t.Error("esc does not clear the filter once")
	}
	h.Wants("C 4")
}

// The words take the whole body until esc, and keys scroll them.
func TestWords(t *testing.T) {
	t.Parallel()
	h := lists(t, 4, 4, 4, 4)
	h.Press("W")
	h.At(40, 3).Wants("about c")
	h.Lacks("indented")
	h.Press("j", "j", "j")
	h.Wants("indented")
	h.Lacks("about c")
	if !h.Back() || strings.Contains(h.At(80, 20).Text(), "about c") {
		t.Error("esc does not close the words")
	}
}

// Long lines in a box say how much of them is in view, as those below a rule do.
func TestLinesInABox(t *testing.T) {
	t.Parallel()
	h := lists(t, 4, 4, 4, 4)
	p := &h.Screen.(*alone).Page
	long := &page.Section{Title: "LONG", Lines: func(w int) []string {
		return page.Wrap(p.Styles, slices.Repeat([]page.Words{{Token: themes.Text, Text: "line"}}, 60), w)
	}}
	p.Sections = append(p.Sections, long)
	p.Rows = []page.Row{{Slots: []page.Slot{p.Rows[0].Slots[0], page.Box(1, long)}}}
	p.Focus = 0
	h.At(120, 34).Wants("─ LONG ─", " 28 more lines ─")
	p.Show(len(p.Sections) - 1)
	h.At(120, 34).Text()
	h.Press("j")
	h.Wants(" lines 2 to 33 of 60 ─")
}
