package style_test

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/mattn/go-runewidth"
	"github.com/muesli/termenv"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/style"
)

func palette(t *testing.T, name string) themes.Palette {
	t.Helper()
	p := must.Get(themes.Load(nil, name))(t)
	return p
}

func renderer(p termenv.Profile) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(p)
	return r
}

func TestStylesFollowTheProfile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		profile termenv.Profile
		token   themes.Token
		want    string
	}{
		{termenv.TrueColor, themes.Critical, "\x1b[1;38;2;255;123;128mx\x1b[0m"},
		{termenv.ANSI256, themes.Critical, "\x1b[1;38;5;210mx\x1b[0m"},
		{termenv.ANSI, themes.Critical, "\x1b[1;91mx\x1b[0m"},
		{termenv.Ascii, themes.Critical, "\x1b[1;7mx\x1b[0m"},
		{termenv.ANSI, themes.Text, "x"},
		{termenv.Ascii, themes.Text, "x"},
		{termenv.Ascii, themes.Dim, "\x1b[2mx\x1b[0m"},
		{termenv.ANSI, themes.Selected, "\x1b[7mx\x1b[0m"},
		{termenv.TrueColor, themes.Blank, "x"},
	} {
		st := style.New(palette(t, "default-dark"), renderer(c.profile), style.Block())
		if got := st.Render(c.token, "x"); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.profile.Name(), c.token, got, c.want)
		}
	}
}

// codes returns the SGR parameters before the first letter of s as a set.
func codes(s string) map[string]bool {
	out := map[string]bool{}
	head, _, _ := strings.Cut(s, "x")
	for _, seq := range strings.Split(head, "\x1b[") {
		if seq = strings.TrimSuffix(seq, "m"); seq != "" {
			for _, c := range strings.Split(seq, ";") {
				out[c] = true
			}
		}
	}
	return out
}

// onSelected returns an x in the style of t on the selected row.
func onSelected(st *style.Styles, t themes.Token) string {
	if pre := st.Paint(t, true).Pre; pre != "" {
		return pre + "x" + style.Reset
	}
	return "x"
}

func TestNoColourMeansNoColour(t *testing.T) {
	t.Parallel()
	for _, name := range themes.Builtins() {
		for _, r := range []*lipgloss.Renderer{renderer(termenv.Ascii), nil} {
			st := style.New(palette(t, name), r, style.Block())
			for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
				for _, s := range []string{st.Render(tok, "x"), onSelected(st, tok)} {
					for c := range codes(s) {
						if len(c) > 1 {
							t.Errorf("%s %s: %q has colour", name, tok, s)
						}
					}
				}
			}
		}
	}
}

func TestPlainHasNoSequences(t *testing.T) {
	t.Parallel()
	st := style.NewPlain(palette(t, "dark"), style.ASCII())
	for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
		for _, s := range []string{st.Render(tok, "x"), onSelected(st, tok)} {
			if s != "x" {
				t.Errorf("%s: %q", tok, s)
			}
		}
	}
}

func TestSelectedRowKeepsSignalsOnATint(t *testing.T) {
	t.Parallel()
	p := palette(t, "dark")
	st := style.New(p, renderer(termenv.TrueColor), style.Block())
	if a, b := onSelected(st, themes.OwnerNova), onSelected(st, themes.OwnerCyborg); a == b {
		t.Error("owners look alike on the selected row")
	}
	if a, b := onSelected(st, themes.Dim), onSelected(st, themes.Faint); a != b {
		t.Errorf("text differs on the selected row: %q %q", a, b)
	}
	for _, prof := range []termenv.Profile{termenv.ANSI, termenv.Ascii} {
		st := style.New(p, renderer(prof), style.Block())
		for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
			if got := onSelected(st, tok); got != st.Render(themes.Selected, "x") {
				t.Errorf("%s %s: %q is not the row's look", prof.Name(), tok, got)
			}
		}
	}
}

func TestPaintsOfOneLookShareAClass(t *testing.T) {
	t.Parallel()
	st := style.New(palette(t, "dark"), renderer(termenv.TrueColor), style.Block())
	seen := map[uint8]string{}
	for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
		for _, sel := range []bool{false, true} {
			p := st.Paint(tok, sel)
			if pre, ok := seen[p.Class]; ok && pre != p.Pre {
				t.Errorf("class %d is %q and %q", p.Class, pre, p.Pre)
			}
			seen[p.Class] = p.Pre
		}
	}
	if seen[0] != "" {
		t.Errorf("class 0 is %q", seen[0])
	}
	if p := st.Paint(themes.Token(250), false); p.Class != 0 {
		t.Errorf("an unknown token has class %d", p.Class)
	}
}

func TestTwoSessionsHaveTheirOwnColours(t *testing.T) {
	t.Parallel()
	p := palette(t, "dark")
	a := style.New(p, renderer(termenv.TrueColor), style.Block())
	b := style.New(p, renderer(termenv.ANSI), style.Block())
	if x, y := a.Render(themes.Accent, "x"), b.Render(themes.Accent, "x"); x == y || !strings.Contains(x, "38;2;") {
		t.Errorf("%q and %q", x, y)
	}
}

func TestGlyphsHaveTheirWidth(t *testing.T) {
	t.Parallel()
	wide := &runewidth.Condition{EastAsianWidth: true}
	for _, g := range []style.Glyphs{style.Block(), style.Braille(), style.ASCII()} {
		eachGlyph(reflect.ValueOf(g), "", func(name, s string) {
			want := 1
			if strings.HasPrefix(name, ".Tree") || strings.HasPrefix(name, ".Owners") {
				want = 3
			}
			if strings.HasPrefix(name, ".Tee") {
				want = 1
			}
			if n := ansi.StringWidth(s); n != want {
				t.Errorf("%s%s %q is %d cells, want %d", g.Name, name, s, n, want)
			}
			if g.Name == "braille" {
				if n := wide.StringWidth(s); n != want {
					t.Errorf("%s%s %q is %d cells where ambiguous characters are wide", g.Name, name, s, n)
				}
			}
			if g.ASCIIOnly {
				for _, r := range s {
					if r > 0x7e {
						t.Errorf("%s%s %q is not ASCII", g.Name, name, s)
					}
				}
			}
		})
	}
}

func eachGlyph(v reflect.Value, path string, f func(string, string)) {
	switch v.Kind() {
	case reflect.String:
		if path != ".Name" {
			f(path, v.String())
		}
	case reflect.Array:
		for i := range v.Len() {
			eachGlyph(v.Index(i), path, f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachGlyph(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	default:
	}
}

func TestOwnersAndSeveritiesDifferInShape(t *testing.T) {
	t.Parallel()
	for _, g := range []style.Glyphs{style.Block(), style.Braille(), style.ASCII()} {
		for _, set := range [][]string{g.Owners[:], g.Severities[:], g.Spark[:]} {
			seen := map[string]bool{}
			for _, s := range set {
				if seen[s] {
					t.Errorf("%s: %q twice", g.Name, s)
				}
				seen[s] = true
			}
		}
	}
	if g := style.ASCII(); g.Owners != [4]string{"[ ]", "[N]", "[C]", "[!]"} {
		t.Errorf("owners in ASCII are %q", g.Owners)
	}
	for o := style.OwnerNone; o <= style.OwnerBoth; o++ {
		if o.String() == "" || o.Token().String() != "owner_"+o.String() {
			t.Errorf("owner %d is %s with token %s", o, o, o.Token())
		}
	}
	for s := style.SeverityOK; s <= style.SeverityCritical; s++ {
		if s.Token().String() != s.String() {
			t.Errorf("severity %s has token %s", s, s.Token())
		}
	}
}

func TestPickGlyphs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"LANG": "en_US.UTF-8", "TERM": "xterm-256color"}, "block"},
		{map[string]string{"TERM": "xterm"}, "block"},
		{map[string]string{"LANG": "C.utf8"}, "block"},
		{map[string]string{"LANG": "C"}, "ascii"},
		{map[string]string{"LANG": "en_US.UTF-8", "TERM": "linux"}, "ascii"},
		{map[string]string{"LANG": "en_US.UTF-8", "TERM": "dumb"}, "ascii"},
		{map[string]string{"LANG": "ja_JP.UTF-8"}, "braille"},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "braille"},
	} {
		if got := style.PickGlyphs(func(k string) string { return c.env[k] }); got.Name != c.want {
			t.Errorf("%v: %s, want %s", c.env, got.Name, c.want)
		}
	}
}
