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
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/part/list"
	"github.com/placetop/placetop/tui/part/page"
	"github.com/placetop/placetop/tui/screen"
	"github.com/placetop/placetop/tui/screen/screentest"
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
		Columns: list.Columns[*row]{{Column: component.Column{Key: "name", Title: "NAME", Min: 6}, Cell: list.TextCell(themes.Text, func(r *row, _ list.At) string { return r.name })}},
	}, env, snap, "")
}

// alone is a screen that is only a page.
type alone struct{ page.Page }

func (a *alone) Title() string { return "page" }

func lists(rows ...int) *screentest.Host {
	c := screentest.NewCloud(cloud.Empty())
	env := screentest.Env(c, screentest.Plain())
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
	return screentest.Open(c, a, false)
}

func TestGolden(t *testing.T) {
	t.Parallel()
	states := map[string]func() *screentest.Host{}
	for name, keys := range map[string][]string{"first": nil, "fixed": {"shift+tab"}, "last": {"tab"}, "words": {"W"}} {
		states[name] = func() *screentest.Host {
			h := lists(4, 30, 30, 2)
			h.Press(keys...)
			return h
		}
	}
	screentest.Frames(t, states, [2]int{120, 36}, [2]int{70, 16})
}

func TestEverySize(t *testing.T) {
	t.Parallel()
	h := lists(4, 30, 0, 2)
	for range 4 {
		screentest.EverySize(t, h)
		h.Press("tab")
	}
}

// Tab cycles through the sections, only the focused one gets keys, and of those that take
// turns the last one that had the focus stays in view.
func TestTurns(t *testing.T) {
	t.Parallel()
	h := lists(4, 4, 4, 4)
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
	h.Shows(t, 80, 20, "─ D 4")
	h.Lacks(t, 80, 20, "─ C 4")
	if !b.HasRow("0 a1") || b.HasRow("0 d3") || b.HasRow("3 d3") {
		t.Error("HasRow mistakes the sections")
	}
}

// A filter narrows one list, and its title says so.
func TestFilter(t *testing.T) {
	t.Parallel()
	h := lists(4, 4, 4, 4)
	h.Press("/")
	h.Type("c3")
	h.Press("enter")
	b := &h.Screen.(*alone).Page
	if text := h.Text(t, 80, 20); !strings.Contains(text, "C 1 of 4") || !strings.Contains(text, "d 4") || b.Status() != "/c3" {
		t.Errorf("status %q:\n%s", b.Status(), text)
	}
	if !h.Back() || h.Back() {
		t.Error("esc does not clear the filter once")
	}
	h.Shows(t, 80, 20, "C 4")
}

// The words take the whole body until esc, and keys scroll them.
func TestWords(t *testing.T) {
	t.Parallel()
	h := lists(4, 4, 4, 4)
	h.Press("W")
	h.Shows(t, 40, 3, "about c")
	h.Lacks(t, 40, 3, "indented")
	h.Press("j", "j", "j")
	h.Shows(t, 40, 3, "indented")
	h.Lacks(t, 40, 3, "about c")
	if !h.Back() || strings.Contains(h.Text(t, 80, 20), "about c") {
		t.Error("esc does not close the words")
	}
}

// Long lines in a box say how much of them is in view, as those below a rule do.
func TestLinesInABox(t *testing.T) {
	t.Parallel()
	h := lists(4, 4, 4, 4)
	p := &h.Screen.(*alone).Page
	long := &page.Section{Title: "LONG", Lines: func(w int) []string {
		return page.Wrap(p.Styles, slices.Repeat([]page.Words{{Token: themes.Text, Text: "line"}}, 60), w)
	}}
	p.Sections = append(p.Sections, long)
	p.Rows = []page.Row{{Slots: []page.Slot{p.Rows[0].Slots[0], page.Box(1, long)}}}
	p.Focus = 0
	h.Shows(t, 120, 34, "─ LONG ─", " 28 more lines ─")
	p.Show(len(p.Sections) - 1)
	h.Text(t, 120, 34)
	h.Press("j")
	h.Shows(t, 120, 34, " lines 2 to 33 of 60 ─")
}
