package component_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

func TestLineIsExactlyAsWideAsAsked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		w    int
		text string
		want string
	}{
		{"filled", 6, "abc", "abc   "},
		{"fits", 3, "abc", "abc"},
		{"cut", 3, "abcd", "ab…"},
		{"one cell", 1, "abcd", "…"},
		{"none", 0, "abc", ""},
		{"wide runes", 5, "日本語", "日本…"},
		{"wide rune at the edge", 4, "日本語", "日… "},
		{"combining marks", 4, "e\u0301a", "e\u0301a  "},
		{"too many marks", 4, "e" + strings.Repeat("\u0301", 20), "e" + strings.Repeat("\u0301", 8) + "   "},
		{"escape sequence", 12, "a\x1b[31mb\x1b[0m", "a�[31mb�[0m "},
		{"controls", 6, "a\nb\rc\td"[:6], "a�b�c�"},
		{"C1 and DEL", 6, "a\u009bb\x7fc", "a�b�c "},
		{"not UTF-8", 4, "a\xff\xfeb", "a��b"},
		{"direction override", 5, "a\u202eb", "a�b  "},
		{"no width", 5, "a\u200bb", "a�b  "},
		{"joined emoji", 6, "x👩‍💻y", "x👩‍💻y  "},
		{"flag", 4, "🇩🇪", "🇩🇪  "},
		{"mark alone", 3, "\u0301a", "�a "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			st := plain(t, style.Block())
			got := component.NewLine(st, c.w).Add(themes.Text, c.text).String()
			must.Be(t, got, c.want)
		})
	}
}

func TestLineOverflowAcrossPieces(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for _, c := range []struct {
		name string
		draw func(l *component.Line)
		want string
	}{
		{"next piece does not fit", func(l *component.Line) { l.Add(themes.Text, "abcdef").Add(themes.Dim, "x") }, "abcde…"},
		{"nothing after the cut", func(l *component.Line) { l.Add(themes.Text, "abcdefgh").Add(themes.Dim, "x").Space(3) }, "abcde…"},
		{"cell cut, line goes on", func(l *component.Line) {
			l.Column(3, themes.Text, "abcdef").Add(themes.Text, "xyz")
		}, "ab…xyz"},
		{"right", func(l *component.Line) { l.Number(5, themes.Text, "ab") }, "   ab "},
		{"empty right", func(l *component.Line) { l.Cell(5).EndCell(component.AlignRight).Add(themes.Text, "x") }, "     x"},
		{"cell wider than the line", func(l *component.Line) { l.Number(50, themes.Text, "ab") }, "    ab"},
		{"to a column", func(l *component.Line) { l.Add(themes.Text, "a").To(3).Add(themes.Text, "b").To(2) }, "a  b  "},
		{"glyphs do not wrap", func(l *component.Line) { l.Glyphs(themes.Text, "█", 50) }, "██████"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := component.NewLine(st, 6)
			c.draw(l)
			must.Be(t, l.String(), c.want)
		})
	}
}

// TestLineHoldsWhateverItIsGiven draws any text in any pieces: the line has its width,
// resets its style at the end, and contains no control characters but our own styles.
func TestLineHoldsWhateverItIsGiven(t *testing.T) {
	t.Parallel()
	var all []*style.Styles
	for _, g := range []style.Glyphs{style.Block(), style.Braille(), style.ASCII()} {
		for _, p := range []termenv.Profile{termenv.Ascii, termenv.ANSI, termenv.TrueColor} {
			all = append(all, coloured(t, "", p, g))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		st := all[rapid.IntRange(0, len(all)-1).Draw(rt, "styles")]
		w := rapid.IntRange(0, 30).Draw(rt, "w")
		l := component.NewLine(st, w)
		l.Select(rapid.Bool().Draw(rt, "selected"))
		for range rapid.IntRange(0, 6).Draw(rt, "pieces") {
			tok := themes.Token(rapid.IntRange(0, themes.TokenCount-1).Draw(rt, "token"))
			s := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\x1b[2J", "\r\n", "日本", "a\u0301\u0302", "👩‍👩‍👧", "\x9b31m"})).Draw(rt, "text")
			switch rapid.IntRange(0, 5).Draw(rt, "how") {
			case 0:
				l.Cell(rapid.IntRange(0, 9).Draw(rt, "cell")).Add(tok, s).EndCell(component.Align(rapid.IntRange(0, 1).Draw(rt, "align")))
			case 1:
				l.Space(rapid.IntRange(-1, 5).Draw(rt, "n"))
			case 2:
				l.Column(rapid.IntRange(0, 9).Draw(rt, "column"), tok, s)
			case 3:
				component.Bar(l, rapid.IntRange(0, 9).Draw(rt, "bar"), drawLoad(rt))
			default:
				l.Add(tok, s)
			}
		}
		got := l.String()
		if n := ansi.StringWidth(got); n != w {
			rt.Fatalf("%d cells, want %d: %q", n, w, got)
		}
		if i := strings.LastIndex(got, "\x1b["); i >= 0 && !strings.HasPrefix(got[i:], style.Reset) {
			rt.Fatalf("does not end plainly: %q", got)
		}
		text := ansi.Strip(got)
		if !utf8.ValidString(text) {
			rt.Fatalf("not UTF-8: %q", text)
		}
		for _, r := range text {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || (st.Glyphs.ASCIIOnly && r > 0x7e) {
				rt.Fatalf("%q in %q", r, got)
			}
		}
	})
}

func FuzzSanitize(f *testing.F) {
	f.Add("a\x1b[31mb", 3)
	f.Add("日本\u202e👩‍💻", 5)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = min(max(w, 0), 200)
		st := plain(t, style.Block())
		clean := component.Sanitize(st, s)
		if n := component.Width(st, s); n != ansi.StringWidth(clean) {
			t.Fatalf("%q: width %d, drawn %d", s, n, ansi.StringWidth(clean))
		}
		if again := component.Sanitize(st, clean); again != clean {
			t.Fatalf("%q becomes %q", clean, again)
		}
		if got := component.NewLine(st, w).Add(themes.Text, s).String(); ansi.StringWidth(got) != w || strings.ContainsAny(got, "\x1b\n\r\t") {
			t.Fatalf("%q drawn as %q", s, got)
		}
	})
}

func TestSpreadCutsTheLeftPart(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	left := []component.Seg{{Token: themes.Text, Text: "pulses > providers"}}
	right := []component.Seg{{Token: themes.Dim, Text: "721 of 10 240"}}
	for w, want := range map[int]string{
		40: "pulses > providers         721 of 10 240",
		24: "pulses > … 721 of 10 240",
		10: "pulses > …",
	} {
		if got := component.Spread(st, w, left, right); got != want {
			t.Errorf("%d: %q, want %q", w, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, s string
		w, h    int
		want    string
	}{
		{"fills", "ab\nc", 3, 3, "ab \nc  \n   "},
		{"cuts", "abcd\nefgh\nijkl", 2, 2, "ab\nef"},
		{"keeps sequences whole", "\x1b[31mabcd\x1b[0m", 2, 1, "\x1b[31mab\x1b[0m"},
		{"ends an open style", "\x1b[31mabcd", 2, 1, "\x1b[31mab\x1b[0m"},
		{"wide rune at the edge", "日本", 3, 1, "日 "},
		{"what joins a letter at the edge", "a\ufe0f", 1, 1, " "},
		{"no room", "abc", 0, 2, "\n"},
		{"no lines", "abc", 3, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			must.Match(t, c.want, component.Fit(c.s, c.w, c.h))
		})
	}
}

func TestFramesFillTheirSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		st := plain(t, drawGlyphs(rt))
		w, h := rapid.IntRange(4, 90).Draw(rt, "w"), rapid.IntRange(2, 12).Draw(rt, "h")
		text := rapid.SampledFrom([]string{"", "x", "CAPACITY", "日本語 pane", "a\x1b[31mb", strings.Repeat("long ", 30)})
		b := component.Box{
			Title: text.Draw(rt, "title"), Right: text.Draw(rt, "right"),
			Footer: text.Draw(rt, "footer"), Focused: rapid.Bool().Draw(rt, "focused"),
		}
		body := component.Fit(text.Draw(rt, "body"), 10, 3)
		if rapid.Bool().Draw(rt, "clean") {
			body = component.Sanitize(st, "body")
		}
		if strings.Contains(body, "\x1b") {
			body = ""
		}
		checkFrame(rt, b.Render(st, w, h, body), w, h)
		checkFrame(rt, component.Titled(st, w, b.Title, b.Right), w, 1)
		checkFrame(rt, component.Rule(st, w, component.Label{Text: b.Title},
			component.Label{Text: b.Right, At: rapid.IntRange(-5, 95).Draw(rt, "at")},
			component.Label{Text: b.Footer, At: -2}), w, 1)
	})
}

func TestRuleSetsLabels(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	got := component.Rule(st, 50, component.Label{Text: "CAPACITY"},
		component.Label{Text: "used", At: 24}, component.Label{Text: "free", At: -2})
	if want := "─ CAPACITY ───────────── used ───────────── free ─"; got != want {
		t.Errorf("\n%s\n%s", got, want)
	}
}

func TestBesideFillsShortBlocks(t *testing.T) {
	t.Parallel()
	got := component.Beside(1, "aa\nbb\ncc", "d\ne")
	if want := "aa d\nbb e\ncc  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	must.Be(t, component.Stack("a", "", "b"), "a\nb")
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n    int64
		unit component.Unit
		want string
	}{
		{0, component.UnitCount, "0"},
		{999, component.UnitCount, "999"},
		{48212, component.UnitCount, "48 212"},
		{-1234567, component.UnitCount, "-1 234 567"},
		{512, component.UnitMB, "512M"},
		{65536, component.UnitMB, "64G"},
		{1536, component.UnitMB, "1.5G"},
		{179517850, component.UnitMB, "171.2T"},
		{274726912, component.UnitMB, "262T"},
		{-1536, component.UnitMB, "-1.5G"},
		{1048575, component.UnitMB, "1T"},
		{3481, component.UnitGB, "3.4T"},
		{2048, component.UnitGB, "2T"},
		{9 << 20, component.UnitGB, "9P"},
		{1<<63 - 1, component.UnitMB, "8388608E"},
		{-1 << 63, component.UnitMB, "-8388608E"},
		{38, component.UnitSeconds, "38s"},
		{300, component.UnitSeconds, "5m"},
		{7200, component.UnitSeconds, "2h"},
		{31 * 86400, component.UnitSeconds, "31d"},
		{800 * 86400, component.UnitSeconds, "2y"},
	} {
		if got := component.Amount(c.n, c.unit); got != c.want {
			t.Errorf("%d: %s, want %s", c.n, got, c.want)
		}
	}
	must.Be(t, component.Age(4*time.Minute+59*time.Second), "4m")
	must.Be(t, component.Used(component.Load{Used: 48212, Capacity: 92160}, component.UnitCount), "48 212/92 160")
}

func TestTags(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	names := []string{
		"CUSTOM_RACK_12", "HW_GPU_API_VULKAN", "OWNER_NOVA", "HW_GPU_MAX_DISPLAY_HEADS_4",
		"CUSTOM_NVIDIA_20B0_A100", "HW_GPU_API_CUDA", "MISC_SHARES_VIA_AGGREGATE", "odd",
	}
	want := strings.Join([]string{
		"OWNER  NOVA                             ",
		"HW     GPU_API_CUDA  GPU_API_VULKAN     ",
		"       GPU_MAX_DISPLAY_HEADS_4          ",
		"CUSTOM NVIDIA_20B0_A100  RACK_12        ",
		"       odd                              ",
		"MISC   SHARES_VIA_AGGREGATE             ",
	}, "\n")
	must.Match(t, want, component.Tags(st, 40, names))
	if got := component.Tags(st, 40, nil); got != "" {
		t.Errorf("no tags are %q", got)
	}
	checkFrame(t, component.Tags(st, 9, []string{"CUSTOM_A_VERY_LONG_NAME"}), 9, 1)
}

func TestToastsExpire(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	now := time.Date(2026, 11, 20, 14, 2, 7, 0, time.UTC)
	var ts component.Toasts
	saved := component.Toast{Severity: style.SeverityOK, Text: "saved"}
	lost := component.Toast{Severity: style.SeverityCritical, Text: "409: gen 41 > 43", Hint: "m merges"}
	ts.Push(saved, now)
	ts.Push(lost, now)
	ts.Push(lost, now)
	want := " ✓ saved                          \n ✗ 409: gen 41 > 43  ×2   m merges"
	must.Match(t, want, ts.View(st, 34))
	if gone, next := ts.Expire(now.Add(5 * time.Second)); !gone || ts.Len() != 1 || next != 7*time.Second {
		t.Errorf("gone %v, %d left, next in %v", gone, ts.Len(), next)
	}
	if gone, next := ts.Expire(now.Add(time.Minute)); !gone || ts.Len() != 0 || next != 0 || ts.View(st, 40) != "" {
		t.Errorf("gone %v, %d left, next in %v", gone, ts.Len(), next)
	}
	for i := range 9 {
		ts.Push(component.Toast{Text: strings.Repeat("x", i)}, now)
	}
	if ts.Len() != 4 || !ts.Dismiss() || ts.Dismiss() {
		t.Errorf("%d toasts", ts.Len())
	}
}

func TestSparkAndBranch(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for _, c := range []struct {
		name   string
		values []float64
		most   float64
		want   string
	}{
		{"levels", []float64{0, 1, 2, 3, 4, 5, 6, 7}, 8, "  ▁▂▃▄▅▆▇█"},
		{"latest", []float64{9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9}, 9, "▁▁▁▁▁▁▁▁▁█"},
		{"own bounds", []float64{0, 50, 100}, 0, "       ▁▅█"},
		{"flat", []float64{0, 0}, 0, "        ▁▁"},
		{"none", nil, 0, "          "},
	} {
		if got := component.Spark(component.NewLine(st, 10), 10, c.values, c.most).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		depth int
		last  uint64
		fold  component.Fold
		want  string
	}{
		{0, 0, component.FoldOpen, "▾ x"},
		{0, 0, component.FoldLeaf, "  x"},
		{1, 0, component.FoldOpen, "├─ ▾ x"},
		{1, 2, component.FoldClosed, "└─ ▸ x"},
		{2, 0, component.FoldLeaf, "│  ├─ x"},
		{2, 2 | 4, component.FoldLeaf, "   └─ x"},
	} {
		l := component.NewLine(st, 12)
		got := strings.TrimRight(component.Branch(l, c.depth, c.last, c.fold).Add(themes.Text, "x").String(), " ")
		if got != c.want {
			t.Errorf("depth %d last %b: %q, want %q", c.depth, c.last, got, c.want)
		}
	}
}

// TestJoinersStandAlone draws characters that join what precedes them: at the start of a
// text they would join the text before, and make the line too short.
func TestJoinersStandAlone(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for _, text := range []string{"\U0001F3FB", "\u0301", "\uFF9E"} {
		line := component.NewLine(st, 10).Add(themes.Text, ":").Add(themes.Text, text).String()
		if w := ansi.StringWidth(line); w != 10 {
			t.Errorf("%q makes a line of %d cells, want 10", text, w)
		}
	}
}
