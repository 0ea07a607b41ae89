package component_test

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// told is a source of rows with two cells, the second of which ages.
type told struct {
	ids     []string
	cells   map[string][2]string
	version uint64
}

func (s *told) Len() int        { return len(s.ids) }
func (s *told) ID(i int) string { return s.ids[i] }
func (s *told) Version() uint64 { return s.version }
func (s *told) Cell(l *component.Line, i, col int) {
	l.Add(themes.Text, s.cells[s.ids[i]][col])
}

// TestLights lights what has changed or is new until Dim was called twice, and nothing
// without a call of Light.
func TestLights(t *testing.T) {
	t.Parallel()
	src := &told{ids: []string{"a", "b"}, cells: map[string][2]string{"a": {"one", "1m"}, "b": {"two", "2m"}}}
	g := component.NewGrid(coloured(t, "mono", termenv.Ascii, style.Block()), src, []component.Column{{Key: "text", Min: 8, Flex: 1, Max: 30}, {Key: "age", Min: 4, Ages: true}})
	g.NoHeader = true
	// lit returns the underlined texts.
	lit := func() string {
		var out []string
		for _, part := range strings.Split(g.View(24, 4), "\x1b[")[1:] {
			sgr, text, _ := strings.Cut(part, "m")
			if strings.Contains(";"+sgr+";", ";4;") {
				out = append(out, strings.TrimSpace(text))
			}
		}
		return strings.Join(out, " ")
	}
	change := func(id, text, age string) {
		src.cells[id] = [2]string{text, age}
		src.version++
	}
	wants := func(what, want string) {
		t.Helper()
		if got := lit(); got != want {
			t.Errorf("%s: %q is lit, want %q:\n%q", what, got, want, g.View(24, 4))
		}
	}
	wants("at first", "")
	change("b", "three", "3m")
	wants("without being told", "")
	change("b", "four", "4m")
	g.Light(nil)
	wants("a change", "four")
	wants("the same view again", "four")
	if !g.Dim() {
		t.Error("it goes at once")
	}
	wants("after a while", "four")
	src.ids = append(src.ids, "c")
	change("c", "new", "0s")
	g.Light(func(id string) bool { return id == "c" })
	wants("a new row", "four new")
	if g.Dim() {
		wants("the change has had its time", "new")
	} else {
		t.Error("both go")
	}
	if g.Dim() {
		t.Error("something stays lit")
	}
	wants("later", "")
	change("c", "other", "0s")
	g.Light(nil)
	if g.View(40, 4); g.Dim() {
		t.Error("another width lights what it draws")
	}
}
