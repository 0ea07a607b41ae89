package component_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// rows is a source of made-up providers, named by number.
type rows struct {
	ids []string
}

func newRows(n int) *rows {
	r := &rows{}
	for i := range n {
		r.ids = append(r.ids, fmt.Sprintf("cmp-%05d", i))
	}
	return r
}

func (r *rows) ID(i int) string { return r.ids[i] }

func (r *rows) show() component.Rows {
	return component.Rows{N: len(r.ids), Name: r.ID, Draw: r.Cell, Grade: r.Severity}
}

// gridOf returns a grid that shows rows.
func gridOf(st *style.Styles, rows interface{ show() component.Rows }, columns []component.Column) *component.Grid {
	g := component.NewGrid(st, columns)
	g.Show(rows.show())
	return g
}

func (r *rows) number(i int) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(r.ids[i], "cmp-"))
	return n
}

func (r *rows) Severity(i int) style.Severity {
	if r.number(i)%7 == 3 {
		return style.SeverityCritical
	}
	return style.SeverityNone
}

func (r *rows) load(i int) component.Load {
	n := r.number(i)
	ratio := 1.0
	if n%5 == 4 {
		ratio = 4
	}
	a := newLoad(32, int64(n%3), ratio, int64(n*7%40))
	if n%7 != 3 {
		a.Used = min(a.Used, a.Capacity)
	}
	return a
}

func (r *rows) Cell(l *component.Line, i, col int) {
	n := r.number(i)
	switch col {
	case 0:
		component.Branch(l, n%3, uint64(n), component.Fold(n%2)).Add(themes.Text, r.ids[i])
	case 1:
		l.Owner(style.Owner(n % 4))
	case 2:
		component.Bar(l, l.Left(), r.load(i))
	case 3:
		l.Add(themes.Text, component.Used(r.load(i), component.UnitCount))
	case 4:
		l.Add(themes.Dim, strconv.Itoa(n%300))
	case 5:
		l.Add(themes.Dim, "gpu-a100 az-1")
	case 6:
		l.Add(themes.Faint, "9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1")
	}
}

func columns() []component.Column {
	return []component.Column{
		{Key: "name", Title: "NAME", Min: 20, Max: 48, Flex: 3},
		{Key: "owner", Title: "OWN", Min: 3},
		{Key: "used%", Title: "VGPU", Min: 8, Max: 24, Flex: 2},
		{Key: "used", Title: "used / cap", Min: 10, Align: component.AlignRight},
		{Key: "gen", Title: "GEN", Min: 4, Align: component.AlignRight, Priority: 2},
		{Key: "aggs", Title: "AGGS", Min: 10, Max: 24, Flex: 1, Priority: 1},
		{Key: "uuid", Title: "UUID", Min: 36, Priority: 3},
	}
}

func coloured(tb testing.TB, name string, p termenv.Profile, g style.Glyphs) *style.Styles {
	tb.Helper()
	pal := must.Get(themes.Load(nil, name))(tb)
	r := lipgloss.NewRenderer(nil)
	r.SetColorProfile(p)
	return style.New(pal, r, g)
}

// failer is what testing.TB and rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkFrame fails unless view is exactly h lines of w cells.
func checkFrame(tb failer, view string, w, h int) {
	tb.Helper()
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		tb.Fatalf("%d lines, want %d", len(lines), h)
	}
	for i, l := range lines {
		if n := ansi.StringWidth(l); n != w {
			tb.Fatalf("line %d is %d cells, want %d: %q", i, n, w, l)
		}
	}
}

func TestGridFillsTheFrame(t *testing.T) {
	t.Parallel()
	for _, g := range []style.Glyphs{style.Block(), style.Braille(), style.ASCII()} {
		for _, p := range []termenv.Profile{termenv.Ascii, termenv.ANSI, termenv.ANSI256, termenv.TrueColor} {
			for _, n := range []int{0, 1, 5, 1000} {
				gr := gridOf(coloured(t, "", p, g), newRows(n), columns())
				gr.Empty = component.Seg{Token: themes.Dim, Text: "no provider matches"}
				for _, size := range [][2]int{{40, 8}, {80, 24}, {160, 48}, {7, 3}, {1, 1}, {250, 80}} {
					checkFrame(t, gr.View(size[0], size[1]), size[0], size[1])
				}
				gr.Pan(30)
				checkFrame(t, gr.View(80, 24), 80, 24)
			}
		}
	}
}

func TestGridKeepsTheCursorOnItsRow(t *testing.T) {
	t.Parallel()
	src := newRows(1000)
	g := gridOf(plain(t, style.Block()), src, columns())
	g.View(80, 24)
	g.MoveToRow(500)
	before := lineOf(g.View(80, 24), "cmp-00500")

	src.ids = append([]string{"cmp-90001", "cmp-90002", "cmp-90003"}, src.ids...)
	g.Show(src.show())
	if row, id := g.Cursor(); row != 503 || id != "cmp-00500" {
		t.Fatalf("cursor on %d %s", row, id)
	}
	if after := lineOf(g.View(80, 24), "cmp-00500"); after != before {
		t.Errorf("the row moved from line %d to %d", before, after)
	}
}

func TestGridStaysInPlaceWhenTheRowGoes(t *testing.T) {
	t.Parallel()
	src := newRows(100)
	g := gridOf(plain(t, style.Block()), src, columns())
	g.View(80, 24)
	g.MoveToRow(40)
	src.ids = append(src.ids[:40:40], src.ids[41:]...)
	g.Show(src.show())
	if row, id := g.Cursor(); row != 40 || id != "cmp-00041" {
		t.Errorf("cursor on %d %s, want 40 cmp-00041", row, id)
	}
}

func TestGridComesBackToItsRowAfterNone(t *testing.T) {
	t.Parallel()
	src := newRows(50)
	all := src.ids
	g := gridOf(plain(t, style.Block()), src, columns())
	g.MoveToRow(30)
	src.ids = nil
	g.Show(src.show())
	if row, id := g.Cursor(); row != -1 || id != "" {
		t.Fatalf("cursor on %d %q in an empty grid", row, id)
	}
	src.ids = all
	g.Show(src.show())
	if _, id := g.Cursor(); id != "cmp-00030" {
		t.Errorf("cursor on %s", id)
	}
}

// lineOf returns the line of view that holds text, or -1.
func lineOf(view, text string) int {
	for i, l := range strings.Split(view, "\n") {
		if strings.Contains(l, text) {
			return i
		}
	}
	return -1
}

func TestGridMarks(t *testing.T) {
	t.Parallel()
	ids := func(ns ...int) []string {
		var out []string
		for _, n := range ns {
			out = append(out, fmt.Sprintf("cmp-%05d", n))
		}
		return out
	}
	for _, c := range []struct {
		name string
		keys string
		want []string
	}{
		{"no mark is the cursor row", "j", ids(1)},
		{"space marks and moves on", "space space", ids(0, 1)},
		{"space again takes it off", "space k space", ids(1)},
		{"all", "a", ids(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)},
		{"all twice is none", "a a", ids(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := gridOf(plain(t, style.Block()), newRows(10), columns())
			for _, k := range strings.Fields(c.keys) {
				if !g.Key(k) {
					t.Fatalf("key %s does nothing", k)
				}
			}
			must.Match(t, c.want, g.Chosen())
		})
	}
}

func TestGridMarksStayWithTheirRows(t *testing.T) {
	t.Parallel()
	src := newRows(10)
	g := gridOf(plain(t, style.Block()), src, columns())
	g.Key("space")
	src.ids = append(src.ids[5:], src.ids[:5]...)
	g.Show(src.show())
	view := g.View(80, 24)
	if l := strings.Split(view, "\n")[lineOf(view, "cmp-00000")]; !strings.HasPrefix(l, " *") {
		t.Errorf("the mark is lost: %q", l)
	}
	must.Match(t, []string{"cmp-00000"}, g.Chosen())
}

func TestGridShowsItsOrder(t *testing.T) {
	t.Parallel()
	g := gridOf(plain(t, style.Block()), newRows(3), columns())
	g.SortedBy, g.Desc = g.Columns()[3].Key, true
	if head, _, _ := strings.Cut(g.View(100, 5), "\n"); !strings.Contains(head, "used / ca▾") {
		t.Errorf("no sort mark: %q", head)
	}
	// The column that the rows are sorted by is left out last.
	g.SortedBy, g.Desc = g.Columns()[4].Key, false
	if head, _, _ := strings.Cut(g.View(60, 5), "\n"); !strings.Contains(head, "GEN") || strings.Contains(head, "AGGS") {
		t.Errorf("sorted by what is out of sight: %q", head)
	}
}

func TestGridDropsColumnsByPriority(t *testing.T) {
	t.Parallel()
	g := gridOf(plain(t, style.Block()), newRows(3), columns())
	for _, c := range []struct {
		w    int
		want string
	}{
		{160, "NAME OWN VGPU used / cap GEN AGGS UUID"},
		{80, "NAME OWN VGPU used / cap GEN AGGS"},
		{60, "NAME OWN VGPU used / cap AGGS"},
		{48, "NAME OWN VGPU used / cap"},
	} {
		head, _, _ := strings.Cut(g.View(c.w, 5), "\n")
		if got := strings.Join(strings.Fields(head), " "); got != c.want {
			t.Errorf("%d cells: %s, want %s", c.w, got, c.want)
		}
	}
}

func TestGridPansToDroppedColumns(t *testing.T) {
	t.Parallel()
	g := gridOf(plain(t, style.Block()), newRows(3), columns())
	first := g.View(66, 5)
	view := first
	if strings.Contains(view, "UUID") {
		t.Fatal("the column is there without panning")
	}
	for range 40 {
		g.Key("l")
		checkFrame(t, g.View(66, 5), 66, 5)
	}
	view = g.View(66, 5)
	if !strings.Contains(view, "9f2c41d0-5b1e-4c7a-9a41-0c3b6f2a7ee1") || !strings.Contains(view, "cmp-00001") {
		t.Errorf("panned to the end:\n%s", view)
	}
	for range 40 {
		g.Key("h")
		view = g.View(66, 5)
	}
	must.Be(t, view, first)
}

func TestGridMoreLine(t *testing.T) {
	t.Parallel()
	g := gridOf(plain(t, style.Block()), newRows(10240), columns())
	lines := strings.Split(g.View(80, 12), "\n")
	must.Be(t, strings.TrimSpace(lines[11]), "⋮ 10 230 more")
	g.Key("G")
	lines = strings.Split(g.View(80, 12), "\n")
	must.Be(t, strings.TrimSpace(lines[11]), "⋮ end   at 100% of the list")
}

// TestGridCursorMoveIsCheap checks the budget of bytes for one step of the cursor, with a
// renderer that rewrites changed lines completely.
func TestGridCursorMoveIsCheap(t *testing.T) {
	t.Parallel()
	g := gridOf(coloured(t, "", termenv.TrueColor, style.Block()), newRows(100000), columns())
	before := strings.Split(g.View(160, 48), "\n")
	g.Key("j")
	n := 0
	for i, l := range strings.Split(g.View(160, 48), "\n") {
		if l != before[i] {
			n += len(l)
		}
	}
	if n == 0 || n > 1000 {
		t.Errorf("%d bytes", n)
	}
}

// TestGridInvariants plays keys, sizes and data changes: the frame always has its exact
// size, and the cursor is on an existing row in the window.
func TestGridInvariants(t *testing.T) {
	t.Parallel()
	keys := []string{
		"j", "k", "g", "G", "ctrl+d", "ctrl+u", "pgdown", "pgup", "h", "l", " ", "a",
	}
	rapid.Check(t, func(rt *rapid.T) {
		src := newRows(rapid.IntRange(0, 60).Draw(rt, "rows"))
		g := gridOf(plain(t, drawGlyphs(rt)), src, columns())
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0:
				w, h := rapid.IntRange(1, 120).Draw(rt, "w"), rapid.IntRange(1, 40).Draw(rt, "h")
				checkFrame(rt, g.View(w, h), w, h)
				top, shown, n := g.Position()
				row, _ := g.Cursor()
				if n > 0 && shown > 0 && (row < top || row >= top+shown) {
					rt.Fatalf("cursor %d is not in %d+%d", row, top, shown)
				}
			case 1:
				all := newRows(60).ids
				first := rapid.IntRange(0, 59).Draw(rt, "first")
				src.ids = append(all[first:], all[:first]...)[:rapid.IntRange(0, 60).Draw(rt, "keep")]
				g.Show(src.show())
			default:
				g.Key(rapid.SampledFrom(keys).Draw(rt, "key"))
			}
			row, id := g.Cursor()
			if len(src.ids) == 0 {
				continue
			}
			if row < 0 || row >= len(src.ids) || src.ids[row] != id {
				rt.Fatalf("cursor %d is not %q", row, id)
			}
			if len(g.Chosen()) == 0 && g.Marked() == 0 {
				rt.Fatal("nothing is chosen")
			}
		}
	})
}

// BenchmarkGridMove is one key press and the frame after it.
func BenchmarkGridMove(b *testing.B) {
	for _, p := range []termenv.Profile{termenv.TrueColor, termenv.ANSI, termenv.Ascii} {
		b.Run(p.Name(), func(b *testing.B) {
			g := gridOf(coloured(b, "", p, style.Block()), newRows(100000), columns())
			g.View(160, 48)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%90000 == 89999 {
					g.Key("g")
				}
				g.Key("j")
				if len(g.View(160, 48)) < 160*48 {
					b.Fatal("short frame")
				}
			}
		})
	}
}

// BenchmarkGridDataChange is a new version of the data, which moves the row under the
// cursor by one.
func BenchmarkGridDataChange(b *testing.B) {
	src := newRows(100000)
	g := gridOf(coloured(b, "", termenv.TrueColor, style.Block()), src, columns())
	g.View(160, 48)
	g.MoveToRow(50000)
	all := src.ids
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		src.ids = all[i%2:]
		g.Show(src.show())
		g.View(160, 48)
	}
}
