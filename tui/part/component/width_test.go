package component_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/text/unicode/bidi"
	"pgregory.net/rapid"

	"github.com/placetop/placetop/model/modeltest/must"
	"github.com/placetop/placetop/themes"
	"github.com/placetop/placetop/tui/part/component"
	"github.com/placetop/placetop/tui/style"
)

// anyText generates text of all kinds, much of it from characters that join their
// neighbours: jamo, flags, marks, selectors, conjuncts, and emoji sequences.
func anyText() *rapid.Generator[string] {
	joining := rapid.SampledFrom([]rune("a 漢e\u0301\u0300\u0e33\u0eb3\u0e01\u1100\u1161\u11a8\uac00\ud7b0\ua960\U0001f1e9\U0001f1ea" +
		"\u0915\u094d\u0937\u0d4e\u0600\u200d\u200c\u200b\ufe0f\ufe0e\u20e3\u2764\U0001f469\U0001f4bb\U0001f3fd\uff76\uff9e\u0903\u1b44\U000110bd\u00ad\u2028\u0085\x1b\x9b\u070f\U0001f3f4\U000e0067\U000e007f\u3030\u303d\u00a9\u2600\u231a"))
	return rapid.OneOf(rapid.StringOfN(joining, 0, 8, -1), rapid.StringN(0, 12, -1), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }))
}

// TestNamesAreWhole draws names in the scripts of the world. Every Korean syllable was
// replaced, as it was taken for a part of one (as in lipgloss 576).
func TestNamesAreWhole(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for name, width := range map[string]int{
		"서울-부산-01":                       12,
		"\u1109\u1165\u110b\u116e\u11af": 4, // the same in jamo
		"ㅋㅋ":                             4,
		"東京・さくら-ｶﾞ":                      14,
		"हिन्दी-क्षेत्र":                 5,
		"ไทย-กำแพง":                      8,
		"عربي":                           4,
		"שָׁלוֹם":                        4,
		"Việt Nam-é":                     10,
		"မြန်မာ":                         4,
		"བོད":                            2,
		"Ελλάδα-Україна":                 14,
		"👩🏽‍💻👨‍👩‍👧‍👦":                    4,
		"🇩🇪🇰🇷":                           4,
		"👍🏽❤️☺️1️⃣":                      8,
		"🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": 2,
		"می\u200cخواهم": 7,
	} {
		if got := component.Sanitize(st, name); got != name {
			t.Errorf("%q is drawn as %q", name, got)
		}
		if got := component.Width(st, name); got != width {
			t.Errorf("%q is %d wide, want %d", name, got, width)
		}
		line := component.NewLine(st, width).Add(themes.Text, name).String()
		must.Be(t, line, component.DirectionMark(name)+name+component.DirectionMark(name))
		for w := range width {
			short := component.NewLine(st, w).Add(themes.Text, name).String()
			if ansi.StringWidth(short) != w || strings.Contains(short, "�") {
				t.Errorf("%q on %d cells is %q", name, w, short)
			}
		}
	}
}

// TestColumnsKeepTheirPlaces draws names that are written from right to left: a terminal that
// arranges those, as UAX 9 says, arranges the letters of each name and moves no column.
func TestColumnsKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	for _, name := range []string{"עברית", "عربي", "می\u200cخواهم", "az-عربي-7", "a"} {
		for _, w := range []int{3, 5, 12} {
			l := component.NewLine(st, 40)
			for _, text := range []string{name, "12", name, "34"} {
				l.Number(w, themes.Text, text).Space(1)
			}
			var p bidi.Paragraph
			must.Get(p.SetString(l.String()))(t)
			order := must.Get(p.Order())(t)
			var seen string
			for i := range order.NumRuns() {
				run := order.Run(i)
				text := run.String()
				if run.Direction() == bidi.RightToLeft && strings.ContainsAny(text, " 1234") {
					t.Errorf("%q on %d cells: %q is turned around", name, w, text)
				}
				seen += text
			}
			must.Be(t, seen, l.String())
		}
	}
}

// TestHostileNames replaces what would act on the terminal, or on what is beside a name.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	st := plain(t, style.Block())
	zalgo := "z" + strings.Repeat("\u0353\u036f", 500)
	for name, want := range map[string]string{
		"\u202egpj.exe\u202c":      "�gpj.exe�",
		"\u2066a\u2069":            "�a�",
		"a\u200b\u2060\ufeffb":     "a���b",
		"\u0301a":                  "�a",
		"\u0e33a":                  "�a",
		"\U0001f3fda":              "�a", // a skin tone would colour what is before
		"\u0600a":                  "�a",
		"a\u2028b":                 "a�b",
		"\u200d👩":                  "�👩",
		zalgo:                      zalgo[:1+2*8],
		"\u1100" + zalgo[1:] + "ᅡ": "\u1100" + zalgo[1:1+2*8] + "ᅡ",
	} {
		must.Be(t, component.Sanitize(st, name), want)
	}
}

// TestLinesAreAsWideAsAsked draws adjacent texts, which only their own characters
// separate, and measures the result as the renderer does.
func TestLinesAreAsWideAsAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		st := plain(t, drawGlyphs(rt))
		w := rapid.IntRange(0, 40).Draw(rt, "w")
		texts := rapid.SliceOfN(anyText(), 1, 4).Draw(rt, "texts")
		l := component.NewLine(st, w)
		all := 0
		for _, text := range texts {
			l.Add(themes.Text, text)
			all += component.Width(st, text)
			if got := ansi.StringWidth(component.Sanitize(st, text)); got != component.Width(st, text) {
				rt.Fatalf("%q is drawn %d wide, Width is %d", text, got, component.Width(st, text))
			}
		}
		if got := l.Pos(); got != min(all, w) {
			rt.Fatalf("%q takes %d of %d cells, Width says %d", texts, got, w, all)
		}
		if line := l.String(); ansi.StringWidth(line) != w {
			rt.Fatalf("%q gives %q, which is %d wide instead of %d", texts, line, ansi.StringWidth(line), w)
		}
	})
}

// TestFootersAreAsWideAsAsked does so with everything that may be in the last lines.
func TestFootersAreAsWideAsAsked(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		st := plain(t, drawGlyphs(rt))
		w := rapid.IntRange(1, 60).Draw(rt, "w")
		text := func(what string) string { return anyText().Draw(rt, what) }
		p := component.NewPrompt(st, ":")
		p.Suggest = func(typed string) []string { return []string{typed + text("ghost"), text("other")} }
		p.SetValue(text("value"))
		p.SetNote(themes.Warn, text("note"))
		for range rapid.IntRange(0, 6).Draw(rt, "moves") {
			p.Key(press(rapid.SampledFrom([]string{"left", "home", "right", "backspace", "delete", "tab", "é"}).Draw(rt, "key")))
		}
		var toasts component.Toasts
		toasts.Push(component.Toast{Severity: style.SeverityWarn, Text: text("toast")}, time.Now())
		for what, view := range map[string]string{
			"prompt": p.View(w),
			"toast":  toasts.View(st, w),
			"keys":   component.Keys(component.NewLine(st, w), text("key"), text("title"), text("key"), text("title")).String(),
			"spread": component.Spread(st, w, []component.Seg{{Token: themes.Text, Text: text("left")}}, []component.Seg{{Token: themes.Text, Text: text("right")}}),
			"titled": component.Titled(st, w, text("title"), text("note")),
			"fit":    component.Fit(component.Sanitize(st, text("fit")), w, 1),
		} {
			for _, line := range strings.Split(view, "\n") {
				if got := ansi.StringWidth(line); got != w {
					rt.Fatalf("%s is %q, which is %d wide instead of %d", what, line, got, w)
				}
			}
		}
	})
}
