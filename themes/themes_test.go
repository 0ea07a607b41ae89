package themes_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
)

func load(t *testing.T, name string) themes.Palette {
	t.Helper()
	p := must.Get(themes.Load(nil, name))(t)
	return p
}

// colourless reports whether a palette uses no colour at all.
func colourless(p themes.Palette) bool {
	for t := themes.Token(0); int(t) < themes.TokenCount; t++ {
		if l := p.Look(t); l.Fg != "" || l.Bg != "" {
			return false
		}
	}
	return true
}

func TestLoadKnowsTheBuiltins(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"": "default-dark", "dark": "default-dark", "light": "default-light",
		"default-dark": "default-dark", "default-light": "default-light",
		"high-contrast": "high-contrast", "okabe": "okabe", "mono": "mono",
	} {
		p := load(t, name)
		if p.Name != want || p.Title == "" || p.Background == "" {
			t.Errorf("%q: got %q %q %q, want %q", name, p.Name, p.Title, p.Background, want)
		}
	}
}

// A colour of the base that has another value has it in all tokens, in each depth of colour;
// a token of one's own may have the base's.
func TestColoursOfTheBase(t *testing.T) {
	t.Parallel()
	p, err := themes.Parse("mine.toml", []byte(`
base = "okabe"
[colors]
fog = "#102030"
[tokens]
accent = { fg = "sky", ansi = "blue" }
`))
	must.Succeed(t, err)
	base := load(t, "okabe")
	want := base.Look(themes.Ghost)
	want.Fg, want.Fg256 = "#102030", 0
	if got := p.Look(themes.Ghost); got != want {
		t.Errorf("a token with another colour is %+v, want %+v", got, want)
	}
	if got, want := p.Look(themes.Accent).Fg, base.Look(themes.OwnerNova).Fg; got != want {
		t.Errorf("a token of one's own has the colour %s, want the base's %s", got, want)
	}
	if got, want := p.Look(themes.Text), base.Look(themes.Text); got != want {
		t.Errorf("text is %+v, want %+v", got, want)
	}
}

func TestLoadPrefersFiles(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"mine.toml": {Data: []byte(`
title = "mine"
base  = "default-dark"

[colors]
pink = "#FFAACC"

[tokens]
accent = { fg = "pink", ansi = "bright-magenta", attr = ["bold"], mono = ["underline"] }
`)}}
	p := must.Get(themes.Load(fsys, "mine"))(t)
	want := themes.Look{
		Fg: "#ffaacc", Attr: themes.Bold, ANSIFg: 13, ANSIBg: themes.NoANSI,
		ANSIAttr: themes.Bold, Mono: themes.Underline,
	}
	must.Be(t, p.Look(themes.Accent), want)
	if got, want := p.Look(themes.Text), load(t, "dark").Look(themes.Text); got != want {
		t.Errorf("text is %+v, want the base's %+v", got, want)
	}
	if names := themes.Names(fsys); names[len(names)-1] != "mine" {
		t.Errorf("names are %v", names)
	}
}

func TestLoadSaysWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"drak", "../passwd", "a/b"} {
		_, err := themes.Load(fstest.MapFS{}, name)
		if !errors.Is(err, themes.ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	_, err := themes.Load(nil, "drak")
	if err == nil || !strings.Contains(err.Error(), "default-dark, default-light") {
		t.Errorf("the error names no theme: %v", err)
	}
}

func TestLoadReportsUnreadableFiles(t *testing.T) {
	t.Parallel()
	_, err := themes.Load(broken{}, "dark")
	must.Fail(t, err, fs.ErrPermission)
}

type broken struct{}

func (broken) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

// TestParseOlder reads a palette that colours what was on the screen of older releases.
func TestParseOlder(t *testing.T) {
	t.Parallel()
	const tokens = "base = \"default-dark\"\n[tokens]\ntext = { fg = \"#102030\", ansi = \"white\" }\n"
	want, err := themes.Parse("mine.toml", []byte(tokens))
	must.Succeed(t, err)
	got, err := themes.Parse("mine.toml", []byte(tokens+"header_focus = { attr = [\"bold\"] }\n"))
	must.Succeed(t, err)
	if got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
}

func TestParseSaysWhereTheFaultIs(t *testing.T) {
	t.Parallel()
	const head = "base = \"default-dark\"\n"
	for _, c := range []struct {
		name string
		text string
		line int
		want string
	}{
		{"unknown key", head + "\ncolour = 1\n", 3, `unknown key "colour"`},
		{"unknown key of a token", head + "[tokens]\ntext = { fg = \"#ffffff\", ansi = \"white\", bold = true }\n", 3, `unknown key "tokens.text.bold"`},
		{"unknown key in a table of its own", head + "[tokens.text]\nfg = \"#ffffff\"\nansi = \"white\"\nblod = true\n", 5, "blod"},
		{"unknown token", head + "[tokens]\n# here\ntxet = { attr = [] }\n", 4, `unknown token "txet"`},
		{"blank is not a palette's", head + "[tokens]\nblank = { attr = [] }\n", 3, `unknown token "blank"`},
		{"no colour", head + "[tokens]\ntext = { fg = \"#ff\", ansi = \"white\" }\n", 3, `"#ff" is not a colour`},
		{"colour without name", head + "[tokens]\ntext = { fg = \"pink\", ansi = \"white\" }\n", 3, `colour "pink" is not under [colors]`},
		{"no ANSI colour", head + "[tokens]\ntext = { fg = \"#ffffff\", ansi = \"pink\" }\n", 3, `"pink" is not an ANSI colour`},
		{"ANSI missing", head + "[tokens]\ntext = { fg = \"#ffffff\" }\n", 3, "fg and ansi go together"},
		{"ANSI ground missing", head + "[tokens]\ntext = { bg = \"#ffffff\" }\n", 3, "bg and ansi_bg go together"},
		{"no colour of the 256", head + "[tokens]\ntext = { fg = \"#ffffff\", fg_256 = 300, ansi = \"white\" }\n", 3, "300 is not one of the 256 colours"},
		{"256 alone", head + "[tokens]\ntext = { bg_256 = 20 }\n", 3, "it also needs the full colour"},
		{"no attribute", head + "[tokens]\ntext = { attr = [\"blink\"] }\n", 3, `"blink" is not an attribute`},
		{"no base", "base = \"nowhere\"\n", 1, `"nowhere" is not a built-in`},
		{"bad colour of the base", head + "[colors]\nsky = \"blue\"\n", 3, `"blue" is not a colour`},
		{"no colour of the base", head + "[colors]\nskyy = \"#00aaff\"\n", 3, "nothing uses the colour skyy"},
		{"no selection", head + "selection = \"glow\"\n", 2, `"glow" is unknown`},
		{"no background", "title = \"x\"\n", 0, "background is missing"},
		{"bad background", head + "background = \"black\"\n", 2, "is not a colour"},
		{"token missing", "background = \"#000000\"\n", 0, "token text is missing"},
		{"no TOML", head + "= 3\n", 2, "expected"},
		{"wrong type", head + "dark = 3\n", 0, "dark"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := themes.Parse("x.toml", []byte(c.text))
			var fe *themes.FileError
			if !errors.As(err, &fe) {
				t.Fatalf("got %v", err)
			}
			if (c.line > 0 && fe.Line != c.line) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got line %d: %v", fe.Line, err)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("base = \"default-dark\"\n[tokens]\ntext = { fg = \"#ffffff\", ansi = \"white\" }\n")
	f.Add("[colors]\na = \"#000000\"\n")
	f.Add("[tokens]\nx = 1")
	f.Add("background = \"#12g456\"")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := themes.Parse("x.toml", []byte(text))
		if err != nil {
			if _, ok := errors.AsType[*themes.FileError](err); !ok {
				t.Fatalf("no place in the error: %v", err)
			}
			return
		}
		for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
			for _, c := range []string{p.Look(tok).Fg, p.Look(tok).Bg} {
				if c != "" && contrast(c, "#000000") == 0 {
					t.Fatalf("%s has colour %q", tok, c)
				}
			}
		}
	})
}

func TestTokensHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for tok := themes.Token(0); int(tok) < themes.TokenCount; tok++ {
		n := tok.String()
		if n == "" || seen[n] {
			t.Errorf("token %d is called %q", tok, n)
		}
		seen[n] = true
	}
	if got := themes.Token(250).String(); got != "unknown" {
		t.Errorf("token 250 is called %q", got)
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want string
	}{
		{"#000000", "#ffffff", "21.00"},
		{"#ffffff", "#ffffff", "1.00"},
		{"#777777", "#ffffff", "4.48"},
		{"#ff0000", "#ffffff", "4.00"},
		{"red", "#ffffff", "0.00"},
	} {
		if got := fmt.Sprintf("%.2f", contrast(c.a, c.b)); got != c.want {
			t.Errorf("%s on %s: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}
